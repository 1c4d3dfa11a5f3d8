"""``eval``: methods measured on a file of questions."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from react_local.cli.common import as_json, index_option, print_json, say
from react_local.cli.engine import Engine, engine_options
from react_local.cli.guiding import guide_options
from react_local.cli.methods import NAMES, MethodName, action_option
from react_local.cli.report import show
from react_local.cli.sweep import SETTINGS, Sweep, SweepType
from react_local.guides import DEFAULT, Guides
from react_local.methods import method, sides
from react_local.seeds import derived
from react_local.types import Task

if TYPE_CHECKING:
    from react_local.evaluation.datasets import Example
    from react_local.evaluation.runner import Answerer, Progress, RunLayout
    from react_local.models.base import LanguageModel
    from react_local.trace import Run, Setup
    from react_local.types import Trajectory
    from wiki_index import WikiIndex

_PLAIN_SECONDS = 10.0


@click.command("eval")
@click.option(
    "--data", required=True, type=click.Path(path_type=Path), help="Questions, with answers."
)
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Directory."
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    default=["react"],
    type=MethodName(),
    help=f"May be given several times: {NAMES}. Default: react.",
)
@index_option
@click.option("--limit", type=click.IntRange(min=1), help="Ask only so many questions.")
@click.option("--max-steps", type=click.IntRange(min=1), help="Default: 7, for claims 5.")
@click.option(
    "--exemplars", type=click.IntRange(min=1), help="Show only so many, the last. Default: all."
)
@click.option(
    "--sweep",
    type=SweepType(),
    help=f"Evaluate for each value of {' or '.join(SETTINGS)}, each in a directory below --out.",
)
@action_option
@guide_options
@engine_options
@as_json
@click.pass_context
def evaluate(
    ctx: click.Context,
    data: Path,
    out: Path,
    methods: tuple[str, ...],
    index: str | None,
    limit: int | None,
    max_steps: int | None,
    exemplars: int | None,
    sweep: Sweep | None,
    actions: tuple[str, ...],
    guides: Guides | None,
    engine: Engine,
    as_json: bool,
) -> None:
    """Ask the questions of a file by one method or several, and score the answers.

    The file may be HotpotQA's, 2WikiMultihopQA's, MuSiQue's, FEVER's, or JSON lines with "question"
    and "answer", or "claim" and "label". A --seed shuffles the questions before --limit takes the
    first of them, as the notebooks of the ReAct paper do with 233. What is drawn for a question
    comes of the seed and of the question's id, and of nothing that was drawn before.

    A hybrid (a>b) takes the runs of its sides from the same directory where they are the same.
    The same command goes on where it was stopped. See react-local report for all it measures.
    The number of threads is fixed for all of it; unless --threads says otherwise, all cores.

    \b
    Example:
      react-local eval --data questions.jsonl --method cot --method react --out run
      react-local eval --data questions.jsonl --sweep max-steps=3,5,7 --out ablation
    """
    from react_local.evaluation import datasets

    is_seeded = ctx.get_parameter_source("seed") is not ParameterSource.DEFAULT
    examples = datasets.choose(datasets.read(data), limit, engine.seed if is_seeded else None)
    methods = tuple(dict.fromkeys(methods))
    options = {
        "max_steps": max_steps,
        "exemplars": exemplars,
        "actions": tuple(dict.fromkeys(actions)),
    }
    variants = sweep.variants(out) if sweep else [(out, {})]
    for place, changed in variants:
        if sweep:
            say(f"{place.name}:")
        _evaluate(data, examples, methods, index, guides, engine, place, **options | changed)
    roots = [place for place, _ in variants]
    if as_json:
        from react_local.evaluation.report import Report

        print_json(Report.read(roots).record())
    else:
        show(roots)


def _evaluate(
    data: Path,
    examples: tuple[Example, ...],
    methods: tuple[str, ...],
    index: str | None,
    guides: Guides | None,
    engine: Engine,
    out: Path,
    *,
    max_steps: int | None,
    exemplars: int | None,
    actions: tuple[str, ...],
) -> None:
    """One evaluation, in its directory."""
    from react_local import exemplars as shipped
    from react_local.actions import with_optional
    from react_local.evaluation import runner
    from react_local.evaluation.manifest import describe
    from react_local.home import Home
    from react_local.methods import MAX_STEPS
    from react_local.trace import Setup

    task = examples[0].task
    names = [kind.name for kind in with_optional(actions)]
    shown = shipped.load(task, names)[-(exemplars or 0) :]
    home = Home.find()
    weights, directory = engine.find(home), home.index(index)
    setup = Setup(
        model=str(weights.absolute()),
        index=str(directory.absolute()),
        max_steps=max_steps or MAX_STEPS[task],
        guides=guides or DEFAULT,
        actions=actions,
    )
    layout = runner.RunLayout(out)
    engine = _pinned(engine, layout)
    runner.prepare(
        layout,
        describe(
            data=data,
            examples=examples,
            weights=weights,
            index=directory,
            exemplars=shown,
            options={
                "max_steps": setup.max_steps,
                "guides": asdict(setup.guides),
                **({"actions": list(actions)} if actions else {}),
                **engine.record(),
            },
        ),
        examples,
    )
    _run(layout, examples, methods, setup, engine, shown)


def _pinned(engine: Engine, layout: RunLayout) -> Engine:
    """The engine with the number of threads said, else kept, else all cores.

    It changes the last bits of logits, and now and then an answer with them, so it must not
    depend on how busy the machine is when an evaluation goes on.
    """
    from react_local.evaluation.runner import read_manifest
    from react_local.models.hardware import physical_cores

    kept = read_manifest(layout).get("options", {}) if layout.manifest.exists() else {}
    return replace(engine, threads=engine.threads or kept.get("threads") or physical_cores())


def _run(
    layout: RunLayout,
    examples: tuple[Example, ...],
    methods: tuple[str, ...],
    setup: Setup,
    engine: Engine,
    exemplars: tuple[Trajectory, ...],
) -> None:
    """Let each method answer what it has not answered yet; the model is loaded if any has not."""
    from react_local.evaluation.runner import evaluate, read_runs
    from react_local.home import Home
    from wiki_index import WikiIndex

    in_order = sorted(methods, key=lambda name: len(sides(name)))  # a hybrid's sides before it
    left = [name for name in in_order if len(read_runs(layout, name)) < len(examples)]
    if not left:
        say("every question was answered before")
        return
    weights = Path(setup.model)
    with WikiIndex.open(setup.index) as wiki:
        say(f"Loading {weights.name} …")
        model = engine.load(weights)
        Home.find().remember(model=weights, index=Path(setup.index))
        for name in left:
            with _progress() as on_progress:
                recorded = {side: read_runs(layout, side) for side in sides(name)}
                answerer = _answerer(name, model, wiki, setup, exemplars, engine.seed, recorded)
                evaluate(layout, examples, name, answerer, setup, on_progress)
    for note in model.notes:
        say(f"note: {note}")


def _answerer(
    name: str,
    model: LanguageModel,
    wiki: WikiIndex,
    setup: Setup,
    exemplars: tuple[Trajectory, ...],
    seed: int,
    recorded: Mapping[str, Mapping[Example, Run]],
) -> Answerer:
    """What asks the method of this name; of a hybrid's sides, what was recorded is taken."""
    from react_local.actions import with_optional
    from react_local.environments import WikipediaEnvironment
    from react_local.evaluation.recalled import recalled

    def answer(example: Example, listener: Any) -> Any:
        known = {
            side: recalled(runs[example], method(side))
            for side, runs in recorded.items()
            if example in runs
        }
        return method(name, known)(
            example.question,
            model,
            WikipediaEnvironment(wiki, with_optional(setup.actions)),
            task=example.task,
            max_steps=setup.max_steps,
            guides=setup.guides,
            exemplars=exemplars,
            seed=derived(seed, example.id),
            on_event=listener,
        )

    return answer


def told(progress: Progress) -> str:
    """Progress in a line: ``react 12/39 · EM 8.3 · F1 11.0 · 3:20 left``."""
    parts = [f"{progress.method} {progress.done}/{progress.total}"]
    if progress.done and progress.task is Task.CLAIM:
        parts.append(f"accuracy {100 * progress.exact:.1f}")
    elif progress.done:
        parts += [f"EM {100 * progress.exact:.1f}", f"F1 {100 * progress.f1:.1f}"]
    if progress.seconds_left is not None and progress.done < progress.total:
        parts.append(f"{_duration(progress.seconds_left)} left")
    return " · ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """A bar on standard error where that is a terminal, else a plain line now and then."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None)
        yield lambda progress: bar.update(
            task, total=progress.total, completed=progress.done, description=told(progress)
        )


class _Lines:
    """Progress as lines: the first, the last, and one every ten seconds."""

    def __init__(self) -> None:
        self._told: float | None = None

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if (
            self._told is None
            or progress.done == progress.total
            or now - self._told > _PLAIN_SECONDS
        ):
            self._told = now
            say(told(progress))

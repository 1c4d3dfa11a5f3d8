"""``eval``: methods measured on a file of questions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_local.cli.answerer import AnswererConfig, Parallelism
from react_local.cli.common import as_json, index_option, print_json, say
from react_local.cli.eval_progress import Notes, shown_progress
from react_local.cli.guides import guide_options
from react_local.cli.methods import (
    NAMES,
    MethodName,
    action_option,
    is_said,
    method_options,
    needed_index,
    refuse_unused,
)
from react_local.cli.model_options import ModelOptions, model_options
from react_local.cli.report import show
from react_local.cli.sweep import SWEPT, Sweep, SweepType, variants
from react_local.guides import DEFAULT, Guides
from react_local.methods import SETTINGS, sides
from react_local.types import Task, Thoughts, Trajectory

if TYPE_CHECKING:
    from react_local.evaluation.datasets import Example
    from react_local.evaluation.runner import RunLayout


@dataclass(frozen=True)
class Settings:
    """The settings that can be swept, and `gold`; None for the default."""

    max_steps: int | None = None
    exemplars: int | None = None
    samples: int | None = None
    tries: int | None = None
    breadth: int | None = None
    branches: int | None = None
    thoughts: Thoughts | None = None
    gold: bool | None = None

    def record(self, task: Task) -> dict[str, Any]:
        """The settings given, and always `max_steps`, for the manifest."""
        said = {name: value for name, value in asdict(self).items() if value is not None}
        said.pop("exemplars", None)  # the manifest has a digest of them
        return {**said, "max_steps": self.steps(task)}

    def of_methods(self) -> dict[str, int]:
        """The settings given that only some methods have, without each question's gold answers."""
        names = SETTINGS.keys() & vars(self).keys() - {"gold"}
        said = {name: getattr(self, name) for name in sorted(names)}
        return {name: value for name, value in said.items() if value is not None}

    def steps(self, task: Task) -> int:
        from react_local.methods import MAX_STEPS

        return self.max_steps or MAX_STEPS[task]


@click.command("eval")
@click.option(
    "--data", required=True, type=click.Path(path_type=Path), help="File of questions with answers."
)
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Results directory.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    default=["react"],
    type=MethodName(),
    help=f"Repeatable: {NAMES}. Default: react.",
)
@index_option
@click.option("--limit", type=click.IntRange(min=1), help="Ask only this many questions.")
@click.option("--max-steps", type=click.IntRange(min=1), help="Default: 7, or 5 for claims.")
@click.option(
    "--exemplars",
    type=click.IntRange(min=1),
    help="Show only the last this many exemplars. Default: all.",
)
@method_options
@click.option(
    "--gold-signal",
    "gold",
    is_flag=True,
    help="For training: tell reflexion whether an answer is wrong. Scores are then meaningless.",
)
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    type=SweepType(),
    help=f"Evaluate once for each value, in directories below --out. Settings: {', '.join(SWEPT)}. "
    "Repeatable: once for each combination.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes. Default: 1.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    help="Run on this machine or on a Ray cluster (docs/cluster.md).",
)
@click.option(
    "--address",
    default="auto",
    metavar="HOST:PORT",
    help="Address of the Ray cluster. Default: auto.",
)
@action_option
@guide_options
@model_options
@as_json
@click.pass_context
def evaluate(
    ctx: click.Context,
    data: Path,
    out: Path,
    methods: tuple[str, ...],
    index: str | None,
    limit: int | None,
    sweeps: tuple[Sweep, ...],
    workers: int | None,
    engine: str,
    address: str,
    actions: tuple[str, ...],
    guides: Guides | None,
    options: ModelOptions,
    as_json: bool,
    gold: bool,
    **settings: Any,
) -> None:
    """Answer a file of questions with one or more methods, and score the answers.

    The file may be in the format of HotpotQA, 2WikiMultihopQA, MuSiQue or FEVER, or JSON lines with
    "question" and "answer", or "claim" and "label". With --seed the questions are shuffled before
    --limit takes the first ones, as in the notebooks of the ReAct paper, whose seed is 233. Random
    draws for a question depend only on the seed and the question's id.

    A hybrid (a>b) reuses the runs of its two methods from the same directory where they would be
    identical. Run the same command again to resume a stopped evaluation. All measures are described
    in docs/evaluation.md. The number of threads is fixed for the whole evaluation: --threads, or
    all cores divided among the --workers.

    \b
    Example:
      react-local eval --data questions.jsonl --method cot --method react --out run
      react-local eval --data questions.jsonl --sweep max-steps=3,5,7 --out ablation
    """
    from react_local.evaluation import datasets

    if engine != "ray" and is_said(ctx, "address"):
        raise click.UsageError("--address is only used with a Ray cluster: add --engine ray")
    refuse_unused(ctx, methods, _swept(ctx, sweeps))
    seed = options.seed if is_said(ctx, "seed") else None
    examples = datasets.choose(datasets.read(data), limit, seed)
    # A hybrid comes after the methods that it is made of.
    methods = tuple(sorted(dict.fromkeys(methods), key=lambda name: len(sides(name))))
    evaluation = _Evaluation(
        data, examples, methods, index, guides or DEFAULT, options,
        Parallelism(workers, address if engine == "ray" else None), tuple(dict.fromkeys(actions)),
    )  # fmt: skip
    made = variants(sweeps, out)
    evaluation.check_exemplars(
        max(changed.get("exemplars") or settings["exemplars"] or 0 for _, changed in made)
    )
    for place, changed in made:
        if sweeps:
            say(f"{place.name}:")
        evaluation.run(place, Settings(**settings | changed, gold=gold or None))
    roots = [place for place, _ in made]
    if as_json:
        from react_local.evaluation.report import Report

        print_json(Report.read(roots).record())
    else:
        show(roots)


def _swept(ctx: click.Context, sweeps: tuple[Sweep, ...]) -> list[str]:
    """The settings that are swept.

    Raises:
        click.UsageError: one is swept twice, or was given as an option, too.
    """
    swept = [sweep.setting for sweep in sweeps]
    if len(set(swept)) < len(swept):
        raise click.UsageError("a setting is swept twice: give all its values in one --sweep")
    if both := [name for name in swept if is_said(ctx, name.replace("-", "_"))]:
        raise click.UsageError(f"--{both[0]} is swept as well: give its values in --sweep alone")
    return swept


@dataclass(frozen=True)
class _Evaluation:
    """The questions, and all that is the same for every combination of swept settings."""

    data: Path
    examples: tuple[Example, ...]
    methods: tuple[str, ...]
    index: str | None
    guides: Guides
    options: ModelOptions
    parallelism: Parallelism
    actions: tuple[str, ...]

    def check_exemplars(self, most: int) -> None:
        """Make sure that there are at least `most` exemplars.

        Raises:
            click.UsageError: there are fewer.
        """
        if most > (count := len(self._exemplars())):
            raise click.UsageError(f"--exemplars {most} is too many: there are {count}")

    def _exemplars(self) -> tuple[Trajectory, ...]:
        from react_local import exemplars
        from react_local.actions import with_optional

        names = [kind.name for kind in with_optional(self.actions)]
        return exemplars.load(self.examples[0].task, names)

    def run(self, out: Path, settings: Settings) -> None:
        """Begin or resume the evaluation with these settings, in the directory `out`."""
        from react_local.evaluation import runner
        from react_local.evaluation.manifest import describe
        from react_local.home import Home
        from react_local.trace import Setup

        task, home, layout = self.examples[0].task, Home.find(), runner.RunLayout(out)
        kept = runner.last_setup(layout) or Setup()
        model, index = (path if Path(path).exists() else "" for path in (kept.model, kept.index))
        weights = self.options.find(home, model)
        index = needed_index(home, self.index or index or None, self.methods)
        options = self._pinned(layout)
        setup = Setup(
            model=str(weights.absolute()),
            index=str(index.absolute()) if index else "",
            max_steps=settings.steps(task),
            guides=self.guides,
            actions=self.actions,
            settings=settings.of_methods(),
        )
        config = AnswererConfig(
            options,
            setup,
            self._exemplars()[-(settings.exemplars or 0) :],
            Thoughts(settings.thoughts or Thoughts.DENSE),
            bool(settings.gold),
        )
        manifest = describe(
            data=self.data,
            examples=self.examples,
            weights=weights,
            index=index,
            exemplars=config.exemplars,
            options={
                **settings.record(task),
                "guides": asdict(self.guides),
                **({"actions": list(self.actions)} if self.actions else {}),
                **options.record(),
            },
        )
        runner.prepare(layout, manifest, self.examples)
        self._ask(layout, config)

    def _ask(self, layout: RunLayout, config: AnswererConfig) -> None:
        """Let each method answer the questions that it has not answered yet."""
        from react_local.evaluation.runner import evaluate, read_runs
        from react_local.home import Home

        done = {name: len(read_runs(layout, name)) for name in self.methods}
        left = [name for name in self.methods if done[name] < len(self.examples)]
        if not left:
            say("all questions are answered already")
            return
        setup, on_note = config.setup, Notes()
        say(f"Loading {Path(setup.model).name} …")
        with config.distribute(self.parallelism) as ask_all:
            used = {"index": Path(setup.index)} if setup.index else {}
            Home.find().remember(model=Path(setup.model), **used)
            for name in left:
                with shown_progress() as on_progress:
                    evaluate(layout, self.examples, name, ask_all, setup, on_progress, on_note)

    def _pinned(self, layout: RunLayout) -> ModelOptions:
        """The options with a fixed number of threads: as given, else as kept, else all cores.

        The number changes the last bits of logits, and sometimes an answer with them, so it must
        not depend on how busy the machine is when an evaluation is resumed.
        """
        from react_local.evaluation.runner import read_manifest
        from react_local.models.hardware import physical_cores

        kept = read_manifest(layout).get("options", {}) if layout.manifest.exists() else {}
        runtime = self.options.runtime
        threads = runtime.threads or kept.get("threads")
        threads = threads or self.parallelism.threads(physical_cores())
        return replace(self.options, runtime=replace(runtime, threads=threads))

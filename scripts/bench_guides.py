"""What the guides are worth: one model, one index, the same questions under several sets of them.

    .venv/bin/python scripts/bench_guides.py --index sample --limit 61
    .venv/bin/python scripts/bench_guides.py --index DIR --data questions.jsonl --every 10 \\
        --guides off --guides all

Prints a line for each set: exact match and F1 in percent, the gold pages that were opened, the
searches that missed, the actions that repeated an earlier one, the runs without an answer, and
steps, generated tokens and processor seconds a question. `--out` keeps the runs as traces.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from statistics import mean

import click

from react_local.cli.engine import Engine, engine_options
from react_local.environments import WikipediaEnvironment
from react_local.evaluation.behaviour import behaviour
from react_local.evaluation.datasets import Example, read
from react_local.evaluation.metrics import score
from react_local.events import ignore
from react_local.guides import DEFAULT, PAPER, SearchGuide
from react_local.home import Home
from react_local.methods import react
from react_local.models import LanguageModel
from react_local.trace import Setup, TraceWriter
from react_local.types import Trajectory
from wiki_index import WikiIndex, sample

_REPEATS = replace(PAPER, repeats=True)
_FINISH = replace(_REPEATS, force_finish=True)
SETS = {
    "off": PAPER,
    "repeats": _REPEATS,
    "finish": _FINISH,
    "similar": replace(_FINISH, search=SearchGuide.SIMILAR),
    "titles": replace(_FINISH, search=SearchGuide.TITLES),
    "soft": replace(_FINISH, search=SearchGuide.SOFT),
    "links": replace(_FINISH, links=5),
    "answers": replace(_FINISH, answers=True),
    "titles+answers": replace(_FINISH, search=SearchGuide.TITLES, answers=True),
    "all": replace(_FINISH, search=SearchGuide.TITLES, answers=True, links=5),
    "default": DEFAULT,
}
_COLUMNS = ["EM", "F1", "gold", "missed", "repeats", "unanswered", "steps", "tokens", "seconds"]


@click.command()
@click.option("--index", default="sample", help="Index: a path or a name.")
@click.option("--data", type=click.Path(path_type=Path), help="Default: the sample's questions.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask only so many questions.")
@click.option("--every", type=click.IntRange(min=1), default=1, help="Ask every so manieth one.")
@click.option("--guides", "names", multiple=True, type=click.Choice(list(SETS)), help="Sets.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep the runs in this directory.")
@engine_options
def main(
    index: str,
    data: Path | None,
    limit: int | None,
    every: int,
    names: tuple[str, ...],
    out: Path | None,
    engine: Engine,
) -> None:
    """Measure sets of guides on the same questions."""
    home = Home.find()
    data = data or Path(sample.__file__).with_name("questions.jsonl")
    examples = read(data)[::every][:limit]
    model = engine.load(engine.find(home))
    click.echo(f"{len(examples)} questions of {data.name} by {model.name}")
    click.echo(_line("", _COLUMNS))
    with WikiIndex.open(home.index(index)) as wiki:
        for name in names or SETS:
            started = time.process_time()
            runs = _runs(name, examples, model, wiki, out)
            seconds = (time.process_time() - started) / len(runs)
            click.echo(_line(name, [*_measures(examples, runs), f"{seconds:.1f}"]))


def _runs(
    name: str,
    examples: Sequence[Example],
    model: LanguageModel,
    wiki: WikiIndex,
    out: Path | None,
) -> list[Trajectory]:
    """The run of every example under the guides `name`."""
    runs = []
    with _writer(name, model, out) as writer:
        for example in examples:
            if writer:
                writer.begin(example.id)
            environment = WikipediaEnvironment(wiki)
            options = {"task": example.task, "guides": SETS[name], "on_event": writer or ignore}
            runs.append(react(example.question, model, environment, **options))
    return runs


def _writer(
    name: str, model: LanguageModel, out: Path | None
) -> AbstractContextManager[TraceWriter | None]:
    if out is None:
        return nullcontext()
    out.mkdir(parents=True, exist_ok=True)
    return TraceWriter(out / f"{name}.jsonl", Setup(model.name, guides=SETS[name]))


def _measures(examples: Sequence[Example], runs: Sequence[Trajectory]) -> list[str]:
    """The cells of a set's line but for the seconds."""
    scores = [
        score(run.answer, example.answers) for run, example in zip(runs, examples, strict=True)
    ]
    did = [behaviour(run, example.titles) for run, example in zip(runs, examples, strict=True)]
    return [
        f"{100 * mean(score.exact for score in scores):.1f}",
        f"{100 * mean(score.f1 for score in scores):.1f}",
        f"{100 * mean(one.gold_reached or 0 for one in did):.0f}%",
        f"{sum(one.missed for one in did)}/{sum(one.searches for one in did)}",
        str(sum(one.repeats for one in did)),
        str(sum(not one.finished for one in did)),
        f"{mean(one.steps for one in did):.1f}",
        f"{mean(one.generated for one in did):.0f}",
    ]


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<16}" + "".join(f"{cell:>11}" for cell in cells)


if __name__ == "__main__":
    main()

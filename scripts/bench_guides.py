"""Benchmark of the guides: the same questions, model and index with several sets of guides.

    .venv/bin/python scripts/bench_guides.py --index sample --out guides
    .venv/bin/python scripts/bench_guides.py --index DIR --data questions.jsonl --every 6 \\
        --limit 100 --guides off --guides default --out guides

Prints one line per set: exact match and F1 in percent, the share of gold pages opened, missed
searches, repeated actions, runs without an answer, and steps and tokens (generated, and scored in
addition) per question; at the end, the difference in F1 to the set that it adds a guide to, with
its 95 % interval over questions.

Every run is saved in `--out` when it ends, and the same command resumes a stopped benchmark. Each
question is asked with all sets before the next question, so identical requests to the model are
computed only once; the costs reported for a run are those it would have had alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import click

from react_local.cli.model_options import ModelOptions, model_options
from react_local.environments import WikipediaEnvironment
from react_local.errors import ReactLocalError, TraceError
from react_local.evaluation.behaviour import behaviour
from react_local.evaluation.datasets import Example, read
from react_local.evaluation.metrics import score
from react_local.evaluation.statistics import paired_interval
from react_local.guides import DEFAULT, PAPER, Guides, SearchGuide
from react_local.home import Home
from react_local.methods import react
from react_local.models import Generation, LanguageModel, Piece, Scores
from react_local.models.wrapper import ModelWrapper
from react_local.trace import Setup, TraceWriter
from react_local.trace import read as read_trace
from react_local.types import Outcome, Trajectory, Usage
from wiki_index import WikiIndex, WikiIndexError, sample


class Set(NamedTuple):
    """A set of guides, the set to compare it with, and whether exemplars are shown."""

    guides: Guides
    against: str = "finish"
    has_exemplars: bool = True


_REPEATS = replace(PAPER, repeats=True)
_FINISH = replace(_REPEATS, force_finish=True)
_TITLES = replace(_FINISH, search=SearchGuide.TITLES)
SETS = {
    "off": Set(PAPER, ""),
    "repeats": Set(_REPEATS, "off"),
    "finish": Set(_FINISH, "repeats"),
    "similar": Set(replace(_FINISH, search=SearchGuide.SIMILAR)),
    "titles": Set(_TITLES),
    "soft": Set(replace(_FINISH, search=SearchGuide.SOFT), "titles"),
    "links": Set(replace(_FINISH, links=5)),
    "answers": Set(replace(_FINISH, answers=True)),
    "titles+answers": Set(replace(_TITLES, answers=True), "titles"),
    "all": Set(replace(_TITLES, answers=True, links=5), "titles+answers"),
    "default": Set(DEFAULT, "off"),
    "off, bare": Set(PAPER, "off", has_exemplars=False),
    "default, bare": Set(DEFAULT, "default", has_exemplars=False),
}
_COLUMNS = ["EM", "F1", "gold", "missed", "repeats", "unanswered", "steps", "generated", "scored"]

Runs = Mapping[str, Trajectory]


@click.command()
@click.option("--index", default="sample", help="Index: a path or a name.")
@click.option("--data", type=click.Path(path_type=Path), help="Default: the sample's questions.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask only this many questions.")
@click.option(
    "--every", type=click.IntRange(min=1), default=1, help="Ask every n-th question only."
)
@click.option(
    "--guides",
    "names",
    multiple=True,
    type=click.Choice(list(SETS)),
    help="Sets of guides to compare; repeatable. Default: all.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Directory for the runs."
)
@model_options
def main(
    index: str,
    data: Path | None,
    limit: int | None,
    every: int,
    names: tuple[str, ...],
    out: Path,
    options: ModelOptions,
) -> None:
    """Compare sets of guides on the same questions."""
    home = Home.find()
    data = data or Path(sample.__file__).with_name("questions.jsonl")
    try:
        examples = read(data)[::every][:limit]
        weights, place = options.find(home), home.index(index)
        with WikiIndex.open(place) as wiki, Sets(out, names or tuple(SETS), weights, place) as sets:
            if sets.left(examples):
                sets.ask(examples, CachedModel(options.load(weights)), wiki)
    except (ReactLocalError, WikiIndexError, OSError) as error:
        raise click.ClickException(str(error)) from None
    sets.tell(examples)


class Sets(ExitStack):
    """The runs of several sets, each in a trace of its own."""

    def __init__(self, out: Path, names: Sequence[str], weights: Path, index: Path) -> None:
        super().__init__()
        out.mkdir(parents=True, exist_ok=True)
        self.names = names
        self._paths = {name: out / f"{name.replace(', ', '-')}.jsonl" for name in names}
        self._setups = {
            name: Setup(str(weights.absolute()), str(index.absolute()), guides=SETS[name].guides)
            for name in names
        }
        self._runs = {name: self._done(name) for name in names}

    def _done(self, name: str) -> dict[str, Trajectory]:
        """The runs that are complete already, by example."""
        path = self._paths[name]
        runs = read_trace(path).runs if path.exists() else ()
        if any(run.setup != self._setups[name] for run in runs):
            raise TraceError(f"{path} was made with another model, index or guides: change --out")
        return {run.id: run.trajectory for run in runs if _is_whole(run.trajectory)}

    def left(self, examples: Sequence[Example]) -> bool:
        """Whether there are runs left to make."""
        return any(one.id not in runs for runs in self._runs.values() for one in examples)

    def ask(self, examples: Sequence[Example], model: CachedModel, wiki: WikiIndex) -> None:
        """Make the missing runs, until one is interrupted."""
        writers = {
            name: self.enter_context(TraceWriter(path, self._setups[name]))
            for name, path in self._paths.items()
        }
        for number, example in enumerate(examples, start=1):
            model.forget()
            for name in self.names:
                if example.id in self._runs[name]:
                    continue
                print(f"\r{number}/{len(examples)} {name:<16}", end="", file=sys.stderr, flush=True)
                writers[name].begin(example.id)
                told = _run(example, SETS[name], model, wiki, writers[name])
                if not _is_whole(told):
                    return
                self._runs[name][example.id] = told
        print(file=sys.stderr)

    def tell(self, examples: Sequence[Example]) -> None:
        """Print the results on the questions that were asked with all sets."""
        asked = [one for one in examples if all(one.id in runs for runs in self._runs.values())]
        click.echo(f"{len(asked)} questions")
        if not asked:
            return
        click.echo(_line("", [*_COLUMNS, "dF1"]))
        for name in self.names:
            against = self._runs.get(SETS[name].against)
            change = _change(asked, self._runs[name], against) if against else ""
            click.echo(_line(name, [*_measures(asked, self._runs[name]), change]))


def _run(
    example: Example,
    chosen: Set,
    model: LanguageModel,
    wiki: WikiIndex,
    writer: TraceWriter,
) -> Trajectory:
    options: dict[str, Any] = {} if chosen.has_exemplars else {"exemplars": ()}
    return react(
        example.question,
        model,
        WikipediaEnvironment(wiki),
        task=example.task,
        guides=chosen.guides,
        on_event=writer,
        **options,
    )


def _is_whole(run: Trajectory) -> bool:
    return run.outcome not in (None, Outcome.INTERRUPTED)


def _measures(examples: Sequence[Example], runs: Runs) -> list[str]:
    """The cells of a set's line, except the difference."""
    scores = [score(runs[one.id].answer, one.answers) for one in examples]
    did = [behaviour(runs[one.id], one.titles) for one in examples]
    scored = [runs[one.id].usage.weighed_tokens for one in examples]
    return [
        f"{100 * mean(score.exact for score in scores):.1f}",
        f"{100 * mean(score.f1 for score in scores):.1f}",
        f"{100 * mean(one.gold_reached or 0 for one in did):.0f}%",
        f"{sum(one.missed for one in did)}/{sum(one.searches for one in did)}",
        str(sum(one.repeats for one in did)),
        str(sum(not one.finished for one in did)),
        f"{mean(one.steps for one in did):.1f}",
        f"{mean(one.generated for one in did):.0f}",
        f"{mean(scored):.0f}",
    ]


def _change(examples: Sequence[Example], runs: Runs, against: Runs) -> str:
    """The difference in F1 in percent, with its interval."""
    found = [
        [score(side[one.id].answer, one.answers).f1 for one in examples] for side in (runs, against)
    ]
    told = paired_interval(*found)
    return f"{100 * told.mean:+.1f} [{100 * told.low:+.1f}, {100 * told.high:+.1f}]"


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<16}" + "".join(f"{cell:>11}" for cell in cells[:-1]) + f"  {cells[-1]}"


class CachedModel(ModelWrapper):
    """A model that keeps what it generated and scored, until it is told to forget."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model)
        self.forget()

    def forget(self) -> None:
        self._generations: dict[tuple, Generation] = {}
        self._scores: dict[tuple, tuple[float, int]] = {}

    def generate(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        *,
        max_tokens: int,
        seed: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        key = (tuple(prompt), grammar, max_tokens, seed)
        if key not in self._generations:
            self._generations[key] = self._model.generate(
                prompt, grammar, max_tokens=max_tokens, seed=seed
            )
        made = self._generations[key]
        if on_text is not None:
            on_text(made.text)
        return made

    def score(self, prompt: Sequence[Piece], texts: Sequence[str]) -> Scores:
        keys = [(tuple(prompt), text) for text in texts]
        if new := [text for key, text in zip(keys, texts, strict=True) if key not in self._scores]:
            made = self._model.score(prompt, new)
            found = zip(made.log_probabilities, made.lengths, strict=True)
            self._scores |= {
                (tuple(prompt), text): one for text, one in zip(new, found, strict=True)
            }
        told = [self._scores[key] for key in keys]
        weights, lengths = zip(*told, strict=True)
        return Scores(weights, lengths, Usage(prompt_tokens=sum(lengths)))


if __name__ == "__main__":
    main()

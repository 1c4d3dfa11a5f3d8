"""Benchmark of the first search: three ways to restrict Search to titles, on the same questions.

    .venv/bin/python scripts/bench_titles.py --index DIR --data questions.jsonl --every 20

The model generates its own first thought; then a title is chosen by greedy decoding over a trie of
all titles, by beam search over it (GENRE, De Cao et al., arXiv 2010.00904), and among the
candidates of `--guide titles`. Prints how often each way chose a gold page, and the processor time
it took.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import numpy as np

import grammars
from react_local import exemplars
from react_local.cli.model_options import ModelOptions, model_options
from react_local.environments import WikipediaEnvironment
from react_local.evaluation.datasets import read
from react_local.guides import SearchGuide
from react_local.home import Home
from react_local.methods import REACT
from react_local.methods.generation import StepWriter
from react_local.methods.guided_arguments import search_argument
from react_local.models import LlamaModel, Piece, Role
from react_local.transcript import clean_question
from react_local.types import Trajectory
from wiki_index import WikiIndex
from wiki_index.titles import fold

WIDTHS = (1, 4, 8)
END = -1


@click.command()
@click.option("--index", required=True, help="Index: a path or a name.")
@click.option("--data", type=click.Path(path_type=Path), required=True)
@click.option("--limit", type=click.IntRange(min=1), help="Ask only this many questions.")
@click.option(
    "--every", type=click.IntRange(min=1), default=1, help="Ask every n-th question only."
)
@model_options
def main(index: str, data: Path, limit: int | None, every: int, options: ModelOptions) -> None:
    """Compare ways to hold a search to the titles of an index."""
    home = Home.find()
    model = options.load(options.find(home))
    examples = read(data)[::every][:limit]
    with WikiIndex.open(home.index(index)) as wiki:
        trie = _trie(model, wiki)
        right: dict[str, int] = {}
        spent: dict[str, float] = {}
        for example in examples:
            gold = set(map(fold, example.titles))
            for name, choose in _ways(clean_question(example.question), model, wiki, trie).items():
                started = time.process_time()
                right[name] = right.get(name, 0) + (fold(choose()) in gold)
                spent[name] = spent.get(name, 0.0) + time.process_time() - started
    for name, count in right.items():
        click.echo(f"{name:<12}{count:>4} of {len(examples)}{spent[name] / len(examples):>8.2f} s")


def _trie(model: LlamaModel, wiki: WikiIndex) -> dict:
    """Token -> the rest; `END` -> the title."""
    root: dict = {}
    for title in wiki.following("", wiki.manifest.articles):
        if grammars.is_argument(title):
            node = root
            for token in model._runtime.vocabulary.read(f"{title}]"):
                node = node.setdefault(token, {})
            node[END] = title
    return root


def _ways(
    question: str, model: LlamaModel, wiki: WikiIndex, trie: dict
) -> dict[str, Callable[[], str]]:
    """Ways to choose the first title after the model's own thought."""
    run = Trajectory(question, REACT.method)
    shown = REACT.prompt(run, exemplars.load(run.task))
    opening = model.generate(
        shown, grammars.step_opening(1, actions=["Search"]), max_tokens=REACT.max_tokens
    )
    prompt = [*shown, Piece(Role.ASSISTANT, opening.text, opening.tokens)]
    tokens = model._tokens(prompt)
    thought = opening.text.split("\n")[0].partition(": ")[2]

    def candidates() -> str:
        writer = StepWriter(model, prompt, REACT.max_tokens, 0, lambda _: None)
        environment = WikipediaEnvironment(wiki)
        grammar = search_argument(writer, run, thought, (), SearchGuide.TITLES, environment)
        return re.search(r'start: \("(.*)"\) "\]"', grammar or "")[1].replace('\\"', '"')

    ways: dict[str, Callable[[], str]] = {"candidates": candidates}
    for width in WIDTHS:
        name = "greedy" if width == 1 else f"{width} beams"
        ways[name] = lambda width=width: _beams(model, tokens, trie, width)
    return ways


def _beams(model: LlamaModel, prompt: Sequence[int], trie: dict, width: int) -> str:
    """The title whose mean logarithm of probability a token is highest of those that were kept."""
    runtime = model._runtime
    beams: list[tuple[float, tuple[int, ...], dict]] = [(0.0, (), trie)]
    whole: list[tuple[float, str]] = []
    while beams:
        longer = []
        for total, path, node in beams:
            tokens = [*prompt, *path]
            logits = runtime.evaluate(tokens[runtime.keep(tokens) :])
            weights = logits - logits.max()
            weights -= np.log(np.exp(weights).sum())
            longer += [
                (total + float(weights[token]), (*path, token), rest)
                for token, rest in node.items()
            ]
        kept = sorted(longer, key=lambda beam: -beam[0] / len(beam[1]))[: width - len(whole)]
        whole += [(total / len(path), rest[END]) for total, path, rest in kept if END in rest]
        beams = [beam for beam in kept if END not in beam[2]]
    return max(whole)[1]


if __name__ == "__main__":
    main()

#!/usr/bin/env python
"""Recall of the gold pages of questions at 1, 5, 10 and 20: by words, by meaning, and by both.

    react-local build-index ../shared/data/multihop-29k-multistream.xml.bz2 --out /tmp/multihop \\
        --dense
    scripts/bench_retrieval.py /tmp/multihop

The question is the query, and the pages of the passages are ranked in their order. Results are
given by number of gold pages (two, three or four hops) and by dataset. Latencies are processor
time. It also measures re-ranking without vectors in the index (`rerank`: the twenty best passages).
Results go to standard output as JSON, progress to standard error.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

import click

from wiki_index import WikiIndex

QUESTIONS = Path(__file__).resolve().parents[2] / "shared" / "data" / "qa_dev.jsonl"
DEPTHS = (1, 5, 10, 20)
PASSAGES = 40
"""Asked for, so that there are twenty pages among them."""
Retrieve = Callable[[str], list]


def questions(limit: int | None) -> list[dict]:
    if not QUESTIONS.exists():
        raise click.ClickException(f"{QUESTIONS} is not there: nothing is measured.")
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines][:: 1 if limit is None else len(lines) // limit]


def groups(question: dict) -> Iterator[str]:
    yield "all"
    yield question["dataset"]
    yield f"{len(set(question['supporting_titles']))} pages"


def measure(retrieve: Retrieve, asked: list[dict]) -> dict[str, dict]:
    """Group -> depth -> mean share of a question's gold pages that are among the first so many."""
    shares: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    times = []
    for question in asked:
        began = time.process_time()
        found = retrieve(question["question"])
        times.append(1000 * (time.process_time() - began))
        pages = list(dict.fromkeys(passage.title for passage in found))
        gold = set(question["supporting_titles"])
        for group in groups(question):
            for depth in DEPTHS:
                shares[group][depth].append(len(gold & set(pages[:depth])) / len(gold))
    told: dict[str, dict] = {
        group: {
            "questions": len(depths[1]),
            **{f"recall@{depth}": round(mean(values), 3) for depth, values in depths.items()},
        }
        for group, depths in sorted(shares.items())
    }
    return told | {"p50_ms": round(median(times), 1)}


@click.command()
@click.argument("index", type=click.Path(exists=True, path_type=Path))
@click.option("--questions", "limit", type=int, help="Use only this many questions. Default: all.")
@click.option(
    "--rerank/--no-rerank",
    default=True,
    help="Also measure re-ranking without the index's vectors.",
)
def main(index: Path, limit: int | None, rerank: bool) -> None:
    """Measure retrieval over an INDEX of multihop-29k with vectors."""
    asked = questions(limit)
    result = {}
    with WikiIndex.open(index) as opened, WikiIndex.open(index) as without:
        if opened.manifest.vectors is None:
            raise click.ClickException(f"{index} has no vectors: build it with --dense.")
        without.manifest = replace(without.manifest, vectors=None)
        ways: dict[str, Retrieve] = {
            mode: lambda query, mode=mode: opened.retrieve(query, PASSAGES, mode)
            for mode in ("bm25", "dense", "hybrid")
        }
        if rerank:
            ways["rerank"] = lambda query: without.retrieve(query, PASSAGES, "hybrid")
        for name, retrieve in ways.items():
            result[name] = measure(retrieve, asked)
            print(name, result[name]["all"], file=sys.stderr)
    click.echo(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()

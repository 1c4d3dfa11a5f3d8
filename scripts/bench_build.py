#!/usr/bin/env python
"""Benchmark of building an index: ratios within one run, which are comparable between machines.

Times are the processor time of a process and all its children, the minimum of several runs, minus
that of the same program on a single page: neither other work nor startup counts.

    scripts/bench_build.py --dump ../shared/data/enwiki-2016-fragment.xml.bz2 \\
        --wikiextractor /tmp/venv/bin/python
    scripts/bench_build.py --flat made/madewiki-100000-pages-articles-multistream.xml.bz2

For each dump: articles per second and core from the compressed dump to the text of articles, by
this program, by mwparserfromhell's strip_code on the same reader, and by WikiExtractor
--no-templates (if a Python with it is given); then the whole build, without vectors. With --flat:
the rate and the memory of a build from the first to the last tenth of a large dump.
"""

from __future__ import annotations

import bz2
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, Popen
from tempfile import TemporaryDirectory

import click

from wiki_index import Progress, build_index
from wiki_index.dump import Dump

ROOT = Path(__file__).resolve().parent.parent

OURS = """
import sys
from wiki_index.dump import Dump
from wiki_index.parsing import Settings
from wiki_index.workers import parse_in_workers
dump = Dump(sys.argv[1])
for result in parse_in_workers(dump.stretches(), Settings(dump.site), int(sys.argv[2])):
    pass
"""
STRIP_CODE = """
import sys
import mwparserfromhell
from wiki_index.dump import Dump
for page in Dump(sys.argv[1]):
    if page.redirect is None:
        mwparserfromhell.parse(page.text).strip_code()
"""
BUILD = """
import sys
from wiki_index import build_index
build_index(sys.argv[1], sys.argv[3] + "/index", workers=int(sys.argv[2]), dense=False)
"""


def ours(program: str) -> Callable[[Path, int, str], list[str]]:
    return lambda dump, workers, place: [
        *(sys.executable, "-c", program, str(dump), str(workers), place)
    ]


def wikiextractor(python: str) -> Callable[[Path, int, str], list[str]]:
    return lambda dump, workers, place: [
        *(python, "-m", "wikiextractor.WikiExtractor", "--no-templates", "--json", "-q"),
        *("--processes", str(workers), "-o", f"{place}/text", str(dump)),
    ]


def cost(command: Sequence[str]) -> tuple[float, float, int]:
    """Processor seconds, seconds and the most memory (bytes, of one process) of a command."""
    began = time.perf_counter()
    child = Popen(command, cwd=ROOT, stdout=DEVNULL, stderr=DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise click.ClickException(f"{' '.join(command[:4])} … failed with {child.returncode}")
    seconds = time.perf_counter() - began
    return usage.ru_utime + usage.ru_stime, seconds, usage.ru_maxrss * 1024


def least(costs: Sequence[tuple[float, float, int]]) -> tuple[float, float, int]:
    """The least of each over some runs."""
    processor, seconds, memory = zip(*costs, strict=True)
    return min(processor), min(seconds), min(memory)


def one_page(place: Path) -> Path:
    """A dump that costs a program little more than its start."""
    dump = place / "one.xml.bz2"
    dump.write_bytes(
        bz2.compress(
            b"<mediawiki><siteinfo><sitename>W</sitename></siteinfo><page><title>A</title>"
            b"<ns>0</ns><id>1</id><revision><id>1</id><text>Some words.</text></revision></page>"
            b"</mediawiki>"
        )
    )
    return dump


def compare(dump: Path, python: str | None, runs: int) -> dict[str, dict[str, float]]:
    articles = sum(page.redirect is None for page in Dump(dump))
    programs = {"text": ours(OURS), "strip_code": ours(STRIP_CODE), "whole build": ours(BUILD)}
    if python:
        programs["WikiExtractor"] = wikiextractor(python)
    cases = [
        (f"{name}, {workers} worker{'s' * (workers > 1)}", make, workers)
        for name, make in programs.items()
        for workers in ((1,) if name == "strip_code" else (1, 2))
    ]
    whole: dict[str, list[tuple[float, float, int]]] = {name: [] for name, *_ in cases}
    start: dict[str, list[tuple[float, float, int]]] = {name: [] for name, *_ in cases}
    with TemporaryDirectory() as place:
        empty = one_page(Path(place))
        for _ in range(runs):  # One after the other, so that a slow minute is so for all.
            for name, make, workers in cases:
                for read, costs in ((dump, whole), (empty, start)):
                    with TemporaryDirectory() as out:
                        costs[name].append(cost(make(read, workers, out)))
    told: dict[str, dict[str, float]] = {}
    for name, *_ in cases:
        processor, seconds, memory = least(whole[name])
        start_processor, start_seconds, _ = least(start[name])
        told[name] = {
            "articles_per_core_second": articles / (processor - start_processor),
            "articles_per_second": articles / (seconds - start_seconds),
            "megabytes_of_the_largest_process": memory / 1e6,
        }
    return told


def flat(dump: Path, workers: int | None) -> dict[str, dict[str, float]]:
    """Rate and memory in the first and the last tenth of the pages, by the dump's bytes."""
    told: list[Progress] = []
    with TemporaryDirectory() as place:
        build_index(dump, Path(place) / "index", workers=workers, dense=False, progress=told.append)
    pages = [progress for progress in told if progress.stage == "pages"]
    tenths = {"first tenth": (0.0, 0.1), "last tenth": (0.9, 1.0)}
    return {name: tenth(pages, *limits) for name, limits in tenths.items()} | {
        stage: {"megabytes": max(p.memory for p in told if p.stage == stage) / 1e6}
        for stage in dict.fromkeys(progress.stage for progress in told)
    }


def tenth(pages: list[Progress], start: float, end: float) -> dict[str, float]:
    inside = [p for p in pages if start <= p.fraction <= end]
    first, last = inside[0], inside[-1]
    return {
        "articles_per_second": (last.articles - first.articles) / (last.seconds - first.seconds),
        "megabytes": max(p.memory for p in inside) / 1e6,
    }


def show(name: str, told: dict[str, dict[str, float]]) -> None:
    click.echo(f"\n{name}")
    for what, values in told.items():
        columns = ", ".join(
            f"{value:,.1f} {key.replace('_', ' ')}" for key, value in values.items()
        )
        click.echo(f"  {what:<24} {columns}")


def show_ratios(told: dict[str, dict[str, float]]) -> None:
    rate = {name: values["articles_per_core_second"] for name, values in told.items()}
    for other in ("strip_code, 1 worker", "WikiExtractor, 1 worker"):
        if other in rate:
            ratio = rate["text, 1 worker"] / rate[other]
            click.echo(f"  text against {other.partition(',')[0]}: {ratio:.2f}")
    both = [
        told[f"text, {workers}"]["articles_per_second"] for workers in ("1 worker", "2 workers")
    ]
    click.echo(f"  two workers against one, by the clock: {both[1] / both[0]:.2f}")


@click.command()
@click.option("--dump", "dumps", multiple=True, type=click.Path(exists=True, path_type=Path))
@click.option("--wikiextractor", "python", help="A Python with WikiExtractor installed.")
@click.option(
    "--flat",
    "large",
    type=click.Path(exists=True, path_type=Path),
    help="A large dump to measure over time.",
)
@click.option("--workers", type=int, help="For --flat. Default: one per core.")
@click.option("--runs", type=int, default=3, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
def main(
    dumps: tuple[Path, ...],
    python: str | None,
    large: Path | None,
    workers: int | None,
    runs: int,
    as_json: bool,
) -> None:
    """Measure what building costs."""
    found = {}
    for dump in dumps:
        found[dump.name] = compare(dump.resolve(), python, runs)
        if not as_json:
            show(dump.name, found[dump.name])
            show_ratios(found[dump.name])
    if large is not None:
        found[large.name] = flat(large, workers)
        if not as_json:
            show(large.name, found[large.name])
    if as_json:
        click.echo(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

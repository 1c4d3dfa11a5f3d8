"""``build-index``, ``info`` and ``verify``: an index made, described, checked."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from react_local.cli.common import as_json, find_index, print_json, say, size

if TYPE_CHECKING:
    from wiki_index.build import Progress
    from wiki_index.layout import Manifest

_PLAIN_SECONDS = 10.0


@click.command("build-index")
@click.argument("dump", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Index.")
@click.option("--workers", type=click.IntRange(min=0), help="Processes. Default: one a core.")
@click.option("--limit", type=click.IntRange(min=1), help="Stop after so many articles.")
@click.option("--dense/--no-dense", default=True, help="Vectors of the leads, or none.")
@click.option("--resume/--fresh", default=True, help="Go on with unfinished work, or start anew.")
@as_json
def build_index(
    dump: Path,
    out: Path,
    workers: int | None,
    limit: int | None,
    dense: bool,
    resume: bool,
    as_json: bool,
) -> None:
    """Build the index of DUMP, a MediaWiki export (.xml or .xml.bz2, multistream or not).

    An interrupted build goes on when the same command is given again. With --fresh an index that
    stands at DIR is replaced once the new one is whole.

    \b
    Example:
      react-local build-index simplewiki-latest-pages-articles-multistream.xml.bz2 --out simple
    """
    from react_local.home import Home
    from wiki_index.build import build_index as build

    with _progress() as progress:
        manifest = build(
            dump,
            out,
            workers=workers,
            limit=limit,
            dense=dense,
            fresh=not resume,
            progress=progress,
        )
    Home.find().remember(index=out)
    if as_json:
        print_json(manifest.summary())
        return
    _describe(manifest)
    say(f"Next: react-local ask --index {out} QUESTION")


@click.command()
@click.argument("index", metavar="DIR")
@as_json
def info(index: str, as_json: bool) -> None:
    """Say what an index holds and what it was made of.

    DIR is an index: a path, or a name in the home directory.

    \b
    Example:
      react-local info simple
    """
    from wiki_index import WikiIndex

    with WikiIndex.open(find_index(index)) as wiki:
        if as_json:
            print_json(wiki.manifest.summary())
        else:
            _describe(wiki.manifest)


@click.command()
@click.argument("index", metavar="DIR")
def verify(index: str) -> None:
    """Check every part of an index against its checksum.

    DIR is an index: a path, or a name in the home directory.

    \b
    Example:
      react-local verify simple
    """
    from wiki_index import WikiIndex

    with WikiIndex.open(find_index(index)) as wiki:
        wiki.verify()
        click.echo(f"All {len(wiki.manifest.parts)} parts are whole.")


def _describe(manifest: Manifest) -> None:
    click.echo(
        f"{manifest.articles:,} articles, {manifest.redirects:,} redirects, "
        f"{manifest.disambiguations:,} disambiguation pages, {manifest.passages:,} passages"
    )
    click.echo(f"from {manifest.dump} ({manifest.sitename}, {manifest.lang})")
    click.echo(f"{size(manifest.bytes)} on disk, built in {manifest.seconds:.1f} s")
    vectors = manifest.vectors
    click.echo("vectors: " + (f"{vectors['count']:,}" if vectors else "none"))
    for reason, count in sorted(manifest.skipped.items()):
        click.echo(f"left out: {count:,} {reason}")
    for title, why in manifest.failed.items():
        click.echo(f"could not be parsed: {title} ({why})")
    for note in manifest.notes:
        click.echo(f"note: {note}")


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """A bar on standard error where that is a terminal, else a plain line now and then."""
    if sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _Lines()


class _Lines:
    """Progress as lines: one when a stage begins, then one every ten seconds."""

    def __init__(self) -> None:
        self._stage = ""
        self._told = 0.0
        self._pace = _Pace()

    def __call__(self, progress: Progress) -> None:
        now, pace = time.monotonic(), self._pace(progress)
        if progress.stage != self._stage or now - self._told > _PLAIN_SECONDS:
            self._stage, self._told = progress.stage, now
            say(f"{progress.stage}: {progress.fraction:.0%}, {pace}")


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        tasks: dict[str, TaskID] = {}
        meter = _Pace()

        def show(progress: Progress) -> None:
            stage, pace = progress.stage, meter(progress)
            if stage not in tasks:
                for finished in tasks.values():
                    bar.update(finished, completed=1.0)
                tasks[stage] = bar.add_task(stage, total=1.0, pace=pace)
            bar.update(tasks[stage], completed=progress.fraction, pace=pace)

        yield show
        for finished in tasks.values():
            bar.update(finished, completed=1.0)


class _Pace:
    """How many articles there are; while pages are read also how fast they come."""

    def __init__(self) -> None:
        self._before: int | None = None

    def __call__(self, progress: Progress) -> str:
        if self._before is None:  # a build that goes on starts with those of the runs before
            self._before = progress.articles
        told = f"{progress.articles:,} articles"
        rate = (progress.articles - self._before) / max(progress.seconds, 0.001)
        return f"{told}, {rate:,.0f} articles/s" if progress.stage == "pages" and rate else told

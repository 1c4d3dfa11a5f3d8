"""``build-index``, ``update``, ``info``, ``verify``: make, renew, describe and check an index."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_local.cli.build_progress import build_progress
from react_local.cli.common import NamedPath, as_json, find_index, print_json, say, size

if TYPE_CHECKING:
    from wiki_index.layout import Manifest

_COMMONEST = 10
_SLOWEST = 3


class _Bytes(click.ParamType):
    """A number of bytes, such as 4G, 700M or 2GiB."""

    name = "size"

    def convert(self, value: object, param: object, ctx: object) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(?:i?B)?", str(value), re.IGNORECASE)
        if match is None:
            self.fail(f"{value!r} is not a number of bytes, such as 4G or 700M.", param, ctx)
        return int(float(match[1]) * 1024 ** "BKMGT".index(match[2].upper() or "B"))


SIZE = _Bytes()


def _building(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the options of all commands that read a dump."""
    options = (
        click.option(
            "--workers", type=click.IntRange(min=0), help="Worker processes. Default: one per core."
        ),
        click.option(
            "--memory",
            type=SIZE,
            metavar="SIZE",
            help="Memory for the whole build. Default: 2G, and 300M per worker.",
        ),
        click.option(
            "--multistream-index",
            type=NamedPath(),
            metavar="FILE",
            help="Index file of a multistream dump. Default: the one beside it.",
        ),
        click.option(
            "--accept-damage", is_flag=True, help="Build the index even if the dump is damaged."
        ),
        click.option(
            "--resume/--fresh", default=True, help="Continue an interrupted build, or start over."
        ),
        click.option(
            "--json-progress", is_flag=True, help="Print progress as JSON lines on standard error."
        ),
        as_json,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("build-index")
@click.argument("dump", type=NamedPath(allow_dash=True))
@click.option(
    "--out", required=True, type=NamedPath(), metavar="DIR", help="Directory of the new index."
)
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many articles.")
@click.option(
    "--dense/--no-dense",
    default=None,
    help="Make vectors of the lead sections. Default: with a GPU, or up to 5,000 articles.",
)
@click.option(
    "--templates",
    is_flag=True,
    help="Expand unknown templates from their pages in DUMP, which is read twice.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    help="Parse on this machine or on a Ray cluster (docs/cluster.md).",
)
@click.option(
    "--address",
    default="auto",
    metavar="HOST:PORT",
    help="Address of the Ray cluster. Default: auto.",
)
@_building
def build_index(
    dump: Path,
    out: Path,
    limit: int | None,
    dense: bool | None,
    engine: str,
    address: str,
    resume: bool,
    json_progress: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Build an index from DUMP, a MediaWiki export.

    DUMP is a file (.xml, .xml.bz2, .xml.gz or .xml.zst), a directory of part files, or - for
    standard input. A multistream .bz2 file is read by all workers in parallel. Run the same command
    again to continue an interrupted build. With --fresh, an existing index at DIR is replaced once
    the new one is complete.

    The most common templates are built in. --templates expands the others as the wiki does, if DUMP
    contains their pages (…-pages-articles does) and they are not written in Lua; `info` lists the
    templates left out. `update` uses the same setting as the build.

    \b
    Examples:
      react-local build-index simplewiki-latest-pages-articles-multistream.xml.bz2 --out simple
      react-local build-index dewiki-latest-pages-articles.xml.bz2 --out german --templates
    """
    from react_local.home import Home
    from wiki_index.build import build_index as build

    with build_progress(json_progress) as progress:
        manifest = build(
            dump,
            out,
            limit=limit,
            dense=dense,
            ray=address if engine == "ray" else None,
            fresh=not resume,
            progress=progress,
            **options,
        )
    Home.find().remember(index=out)
    if as_json:
        print_json(manifest.summary())
        return
    _describe(manifest)
    say(f"Next: react-local ask --index {out} QUESTION")


@click.command()
@click.argument("index", metavar="DIR")
@click.argument("dump", type=NamedPath(allow_dash=True))
@_building
def update(
    index: str, dump: Path, resume: bool, json_progress: bool, as_json: bool, **options: Any
) -> None:
    """Update an index from a newer DUMP, parsing only the pages that changed.

    The result equals an index built from DUMP alone: new and changed pages are added, deleted pages
    are removed. The old index in DIR stays in use until the new one is complete.

    \b
    Example:
      react-local update simple simplewiki-20261201-pages-articles-multistream.xml.bz2
    """
    from wiki_index.build import update_index

    with build_progress(json_progress) as progress:
        manifest = update_index(
            find_index(index), dump, fresh=not resume, progress=progress, **options
        )
    if as_json:
        print_json(manifest.summary())
    else:
        _describe(manifest)


@click.command()
@click.argument("index", metavar="DIR")
@as_json
def info(index: str, as_json: bool) -> None:
    """Describe an index: its contents, its dump, what was left out.

    DIR is an index: a path, or the name of one in the home directory.

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

    DIR is an index: a path, or the name of one in the home directory.

    \b
    Example:
      react-local verify simple
    """
    from wiki_index import WikiIndex

    with WikiIndex.open(find_index(index)) as wiki:
        wiki.verify()
        click.echo(f"All {len(wiki.manifest.parts)} parts match their checksums.")


def _describe(manifest: Manifest) -> None:
    click.echo(
        f"{manifest.articles:,} articles, {manifest.redirects:,} redirects, "
        f"{manifest.disambiguations:,} disambiguation pages, {manifest.passages:,} passages"
    )
    click.echo(f"from {manifest.dump} ({manifest.sitename}, {manifest.lang})")
    click.echo(f"{size(manifest.bytes)} on disk, built in {manifest.seconds:.1f} s")
    vectors = manifest.vectors
    told = f"{vectors['count']:,} ({vectors['model']}, {vectors['kind']})" if vectors else "none"
    click.echo(f"vectors: {told}")
    for reason, count in sorted(manifest.skipped.items()):
        click.echo(f"left out: {count:,} {reason}")
    if manifest.double_redirects:
        click.echo(f"followed: {manifest.double_redirects:,} redirects to redirects")
    for title, why in manifest.failed.items():
        click.echo(f"could not be parsed: {title} ({why})")
    for title, why in manifest.fallbacks.items():
        click.echo(f"read without the parser: {title} ({why})")
    if manifest.dropped:
        commonest = [f"{name} ({uses:,})" for name, uses in manifest.dropped.items()]
        click.echo(f"templates left out: {', '.join(commonest[:_COMMONEST])}")
    if manifest.slowest:
        slowest = [f"{title} ({took:.2f} s)" for title, took in manifest.slowest.items()]
        click.echo(f"slowest pages: {', '.join(slowest[:_SLOWEST])}")
    stages = [f"{name} {took:.1f} s" for name, took in manifest.stages.items()]
    click.echo(f"stages: {', '.join(stages)}; at most {size(manifest.memory)} of memory")
    for note in manifest.notes:
        click.echo(f"note: {note}")

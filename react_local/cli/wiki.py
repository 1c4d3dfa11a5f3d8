"""``wiki``: an article in the terminal, as a reader sees it."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from react_local.cli.common import Words, as_json, find_index, missing_page, print_json

if TYPE_CHECKING:
    from wiki_index.types import Article

_WIDEST = 88
"""Characters per line on a terminal; elsewhere each paragraph is one line."""


@click.command()
@click.argument("index", metavar="DIR")
@click.argument("title", type=Words())
@as_json
def wiki(index: str, title: str, as_json: bool) -> None:
    """Show the article TITLE with its infobox, headings and links.

    DIR is an index: a path, or the name of one in the home directory.

    \b
    Example:
      react-local wiki sample "Faroe Islands"
    """
    from wiki_index import WikiIndex

    with WikiIndex.open(find_index(index)) as opened:
        article = opened.page(title)
        if article is None:
            raise missing_page(index, title, opened.similar(title))
    if as_json:
        print_json(_as_dict(article))
        return
    for line in _lines(article):
        click.echo(line)


def _as_dict(article: Article) -> dict:
    return {
        "title": article.title,
        "kind": article.kind,
        "sections": [asdict(section) for section in article.sections],
        "infobox": dict(article.infobox),
        "links": list(article.links),
    }


def _lines(article: Article) -> Iterator[str]:
    yield click.style(article.title, bold=True)
    yield ""
    for name, value in article.infobox.items():
        yield from _wrapped(f"{name}: {value}", "  ")
    if article.infobox:
        yield ""
    for section in article.sections:
        if section.heading:
            yield click.style(f"{'=' * section.level} {section.heading}", bold=True)
            yield ""
        for paragraph in section.paragraphs:
            yield from _wrapped(paragraph)
            yield ""
    if article.links:
        yield from _wrapped(f"Links: {' · '.join(article.links)}")


def _wrapped(text: str, indent: str = "") -> list[str]:
    if not sys.stdout.isatty():
        return [indent + text]
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return textwrap.wrap(
        text,
        max(width, 20),
        initial_indent=indent,
        subsequent_indent=indent * 2,
        break_on_hyphens=False,
    )

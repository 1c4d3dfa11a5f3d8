"""``search``, ``lookup`` and ``retrieve``: query an index by hand."""

from __future__ import annotations

from dataclasses import asdict

import click

from react_local.cli.common import Words, as_json, find_index, missing_page, print_json


@click.command()
@click.argument("index", metavar="DIR")
@click.argument("entity", type=Words())
@as_json
def search(index: str, entity: str, as_json: bool) -> None:
    """Show the first sentences of the page ENTITY, or the most similar titles.

    DIR is an index: a path, or the name of one in the home directory.

    \b
    Example:
      react-local search sample "Faroe Islands"
    """
    from wiki_index import WikiIndex

    with WikiIndex.open(find_index(index)) as wiki:
        result = wiki.search(entity)
    if as_json:
        print_json(asdict(result))
    elif result.title is None:
        click.echo(f"Could not find {entity!r}." + (" Similar:" if result.similar else ""))
        for title in result.similar:
            click.echo(f"  {title}")
    else:
        click.echo(f"{_place(result.title, result.section)} ({result.via})")
        for sentence in result.sentences:
            click.echo(sentence)


@click.command()
@click.argument("index", metavar="DIR")
@click.argument("title", type=Words())
@click.argument("string", type=Words())
@as_json
def lookup(index: str, title: str, string: str, as_json: bool) -> None:
    """Show the sentences of the page TITLE that contain STRING.

    DIR is an index: a path, or the name of one in the home directory.

    \b
    Example:
      react-local lookup sample "Faroe Islands" Tórshavn
    """
    from wiki_index import WikiIndex

    with WikiIndex.open(find_index(index)) as wiki:
        if wiki.page(title) is None:
            raise missing_page(index, title, wiki.similar(title))
        sentences = list(wiki.lookup(title, string))
    if as_json:
        print_json(sentences)
        return
    for place, sentence in enumerate(sentences, start=1):
        click.echo(f"(Result {place} / {len(sentences)}) {sentence}")
    if not sentences:
        click.echo("No results.")


@click.command()
@click.argument("index", metavar="DIR")
@click.argument("query", type=Words())
@click.option(
    "--mode",
    type=click.Choice(["bm25", "dense", "hybrid"]),
    default="bm25",
    show_default=True,
    help="Rank by words, by meaning, or by both.",
)
@click.option(
    "-k", type=click.IntRange(min=1), default=10, show_default=True, help="Number of passages."
)
@as_json
def retrieve(index: str, query: str, mode: str, k: int, as_json: bool) -> None:
    """Show the K passages most relevant to QUERY.

    DIR is an index: a path, or the name of one in the home directory.

    \b
    Example:
      react-local retrieve sample "islands between Norway and Iceland" -k 3
    """
    from wiki_index import WikiIndex

    with WikiIndex.open(find_index(index)) as wiki:
        passages = wiki.retrieve(query, k, mode)
    if as_json:
        print_json([asdict(passage) for passage in passages])
        return
    for passage in passages:
        place = _place(passage.title, passage.section)
        click.echo(f"{place} ({passage.score:.3f})\n{passage.text}\n")
    if not passages:
        click.echo("No results.")


def _place(title: str, section: str | None) -> str:
    return f"{title}, section {section!r}" if section else title

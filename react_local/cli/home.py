"""``home``: where models and indexes are kept."""

from __future__ import annotations

import click


@click.command()
@click.argument("part", type=click.Choice(["models", "indexes"]), required=False)
def home(part: str | None) -> None:
    """Print the home directory, or the directory of models or indexes in it.

    The environment variable REACT_LOCAL_HOME names another home.

    \b
    Example:
      cp model.gguf "$(react-local home models)"
    """
    from react_local.home import Home

    found = Home.find()
    click.echo({"models": found.models, "indexes": found.indexes, None: found.path}[part])

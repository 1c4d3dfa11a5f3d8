"""Options that say what a run does: its method, and which actions there are."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from react_local.actions import OPTIONAL
from react_local.methods import METHODS, method


class MethodName(click.ParamType):
    """A method's name, or a hybrid's: ``react``, ``react>cot-sc``."""

    name = "method"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "NAME"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        try:
            method(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in METHODS if name.startswith(incomplete)]


NAMES = f"{', '.join(METHODS)}, or a>b of any two (in quotes): b where a gives no sure answer"
"""The names, for an option's help."""

action_option = click.option(
    "--action",
    "actions",
    multiple=True,
    type=click.Choice(list(OPTIONAL)),
    help="An action beyond search, lookup and finish. Default: none.",
)

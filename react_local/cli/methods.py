"""Options that say what a run does: its method, and which actions there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from react_local.actions import OPTIONAL
from react_local.methods import METHODS, TRIES, method
from react_local.methods.self_consistency import SAMPLES
from react_local.methods.tot import BRANCHES, BREADTH
from react_local.types import Thoughts


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

MOST_BRANCHES = 5
"""That are kept, and that go on from each: a vote can tell the square of it apart."""

_OPTIONS = (
    click.option(
        "--thoughts",
        type=click.Choice([str(Thoughts.DENSE), str(Thoughts.SPARSE)]),
        help="Before each action, or where the model decides to. Default: dense.",
    ),
    click.option("--samples", type=click.IntRange(min=1), help=f"Of cot-sc. Default: {SAMPLES}."),
    click.option(
        "--tries",
        type=click.IntRange(min=1),
        help=f"Of reflexion and self-refine, at most. Default: {TRIES}. self-refine has no judge "
        "but the model itself, which often makes right answers wrong.",
    ),
    click.option(
        "--breadth",
        type=click.IntRange(1, MOST_BRANCHES),
        help=f"Of tot: branches that are kept. Default: {BREADTH}.",
    ),
    click.option(
        "--branches",
        type=click.IntRange(1, MOST_BRANCHES),
        help=f"Of tot: steps drawn to go on from each. Default: {BRANCHES}.",
    ),
)


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` what single methods take; None where nothing was said of it."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


action_option = click.option(
    "--action",
    "actions",
    multiple=True,
    type=click.Choice(list(OPTIONAL)),
    help="An action beyond search, lookup and finish. Default: none.",
)

"""Options that say what a run does: its method, and which actions there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from react_local.actions import OPTIONAL
from react_local.methods import HEEDED, METHODS, TRIES, method, sides
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


_GUIDES = {"guide": ("none",), "links": 0}
"""Options of `guides.py` that only methods that act heed, and what of each asks for nothing."""


def refuse_unheeded(ctx: click.Context, methods: Sequence[str], swept: Iterable[str] = ()) -> None:
    """Make sure that each setting that was given or `swept` has an effect on some of `methods`.

    Raises:
        click.UsageError: one has none, which would otherwise pass in silence.
    """
    named = {side for name in methods for side in sides(name)}
    said = [(parameter.name, parameter.opts[0]) for parameter in ctx.command.params
            if is_said(ctx, parameter.name)
            and ctx.params[parameter.name] != _GUIDES.get(parameter.name)]  # fmt: skip
    said += [(setting.replace("-", "_"), f"--sweep {setting}") for setting in swept]
    for name, option in said:
        heeding = HEEDED.get("guides" if name in _GUIDES else name)
        if heeding is not None and named.isdisjoint(heeding):
            raise click.UsageError(
                f"{option} has no effect on {', '.join(methods)}: leave it out, or use it with "
                f"{', '.join(heeding)}"
            )


def is_said(ctx: click.Context, parameter: str) -> bool:
    """Whether a parameter was given on the command line."""
    return ctx.get_parameter_source(parameter) is ParameterSource.COMMANDLINE


action_option = click.option(
    "--action",
    "actions",
    multiple=True,
    type=click.Choice(list(OPTIONAL)),
    help="An action beyond search, lookup and finish. Default: none.",
)

"""The options that choose a method, its settings and the actions, shared by `ask` and `eval`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from react_local.actions import OPTIONAL
from react_local.errors import NotFound
from react_local.methods import FORMS, METHODS, TRIES, USED_BY, method, sides
from react_local.methods.self_consistency import SAMPLES
from react_local.methods.tot import BRANCHES, BREADTH
from react_local.types import Thoughts

if TYPE_CHECKING:
    from react_local.home import Home


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


NAMES = f"{', '.join(METHODS)}, or a>b (in quotes): b where a is not sure of its answer"
"""The names, for an option's help."""

MOST_BRANCHES = 5
"""The limit of both `--breadth` and `--branches`: a vote has a letter for each of 5 × 5."""

_OPTIONS = (
    click.option(
        "--thoughts",
        type=click.Choice([str(Thoughts.DENSE), str(Thoughts.SPARSE)]),
        help="Think before each action, or only where the model chooses to. Default: dense.",
    ),
    click.option(
        "--samples",
        type=click.IntRange(min=1),
        help=f"cot-sc: answers to sample. Default: {SAMPLES}.",
    ),
    click.option(
        "--tries",
        type=click.IntRange(min=1),
        help=f"reflexion, self-refine: most tries. Default: {TRIES}. In self-refine the model "
        "judges itself, and often makes a right answer wrong.",
    ),
    click.option(
        "--breadth",
        type=click.IntRange(1, MOST_BRANCHES),
        help=f"tot: branches kept at each level. Default: {BREADTH}.",
    ),
    click.option(
        "--branches",
        type=click.IntRange(1, MOST_BRANCHES),
        help=f"tot: steps sampled from each branch. Default: {BRANCHES}.",
    ),
)


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` the settings of single methods; None for those not given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_GUIDES = {"guide": ("none",), "links": 0}
"""Options of `guides.py` that only methods with actions use, and the value of each that is off."""


def refuse_unused(ctx: click.Context, methods: Sequence[str], swept: Iterable[str] = ()) -> None:
    """Make sure that each setting that was given or `swept` has an effect on some of `methods`.

    Raises:
        click.UsageError: one has none, which would otherwise go unnoticed.
    """
    named = {side for name in methods for side in sides(name)}
    said = [(parameter.name, parameter.opts[0]) for parameter in ctx.command.params
            if is_said(ctx, parameter.name)
            and ctx.params[parameter.name] != _GUIDES.get(parameter.name)]  # fmt: skip
    said += [(setting.replace("-", "_"), f"--sweep {setting}") for setting in swept]
    for name, option in said:
        users = USED_BY.get("guides" if name in _GUIDES else name)
        if users is not None and named.isdisjoint(users):
            raise click.UsageError(
                f"{option} has no effect on {', '.join(methods)}: leave it out, or use it with "
                f"{', '.join(users)}"
            )


def needed_index(home: Home, name: str | None, methods: Iterable[str]) -> Path | None:
    """The index named, or the default; None where there is none and no method needs one.

    Raises:
        NotFound: there is none, and it was named or is needed.
    """
    try:
        return home.index(name)
    except NotFound:
        if name or any(FORMS[side].observes for method in methods for side in sides(method)):
            raise
        return None


def is_said(ctx: click.Context, parameter: str) -> bool:
    """Whether a parameter was given on the command line."""
    return ctx.get_parameter_source(parameter) is ParameterSource.COMMANDLINE


action_option = click.option(
    "--action",
    "actions",
    multiple=True,
    type=click.Choice(list(OPTIONAL)),
    help="An action beyond search, lookup and finish; repeatable. Default: none.",
)

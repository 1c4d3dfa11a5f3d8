"""The options that choose the guides of a run, shared by `ask` and `eval`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from react_local.guides import DEFAULT, NAMES, PAPER, Guides

_OPTIONS = (
    click.option(
        "--guide",
        "guide",
        multiple=True,
        type=click.Choice([*NAMES, "none"]),
        help="Restrict searches or answers (docs/guides.md); repeatable. "
        f"Default: {', '.join(DEFAULT.names) or 'none'}.",
    ),
    click.option(
        "--links",
        type=click.IntRange(min=0),
        help=f"Links to show after a page's text. Default: {DEFAULT.links}.",
    ),
    click.option(
        "--force-finish/--no-force-finish",
        default=None,
        help="Require the last step to be an answer. Default: yes.",
    ),
    click.option("--paper", is_flag=True, help="Behave as in the paper, without any guides."),
)


def guide_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` the guides in its argument `guides`; None where no option of them is given."""

    @wraps(command)
    def gathered(*args: Any, **options: Any) -> Any:
        names = ("guide", "links", "force_finish", "paper")
        return command(*args, guides=_guides(*map(options.pop, names)), **options)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def _guides(
    guide: tuple[str, ...], links: int | None, force_finish: bool | None, paper: bool
) -> Guides | None:
    said = bool(guide) or links is not None or force_finish is not None
    if paper:
        if said:
            raise click.UsageError(
                "--paper turns all guides off: leave out the other options of guides"
            )
        return PAPER
    if not said:
        return None
    try:
        return Guides.of(guide or None, links=links, force_finish=force_finish)
    except ValueError as error:
        raise click.UsageError(str(error)) from None

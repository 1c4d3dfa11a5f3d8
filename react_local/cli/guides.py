"""The options that say what the state of a run forbids and offers, shared by `ask` and `eval`."""

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
        help="What may be searched and answered; may be given several times. "
        f"Default: {', '.join(DEFAULT.names) or 'none'}.",
    ),
    click.option(
        "--links",
        type=click.IntRange(min=0),
        help=f"Links shown below a page. Default: {DEFAULT.links}.",
    ),
    click.option(
        "--force-finish/--no-force-finish",
        default=None,
        help="Let the last step be an answer. Default: yes.",
    ),
    click.option("--paper", is_flag=True, help="The paper's plain behaviour: no guides at all."),
)


def guide_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` the guides that were asked for in its argument `guides`; None where nothing
    was said of them."""

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
            raise click.UsageError("--paper turns all guides off: leave the others out")
        return PAPER
    if not said:
        return None
    try:
        return Guides.of(guide or None, links=links, force_finish=force_finish)
    except ValueError as error:
        raise click.UsageError(str(error)) from None

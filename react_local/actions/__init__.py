"""Actions, and the registry of optional ones.

An environment has the actions that were passed to it (`Acting`), and methods ask it for them.
docs/actions.md shows how to add an action.
"""

from __future__ import annotations

from collections.abc import Iterable

from react_local.actions.base import Acting, ActionKind
from react_local.actions.calculate import Calculate
from react_local.actions.wikipedia import Finish, Lookup, Search

OPTIONAL: dict[str, ActionKind] = {"calculate": Calculate()}
"""Actions beyond the paper's, by their names in options and traces."""

WIKIPEDIA: tuple[ActionKind, ...] = (Search(), Lookup(), Finish())
"""The paper's actions."""

__all__ = [
    "OPTIONAL",
    "WIKIPEDIA",
    "Acting",
    "ActionKind",
    "Calculate",
    "Finish",
    "Lookup",
    "Search",
    "with_optional",
]


def with_optional(names: Iterable[str]) -> tuple[ActionKind, ...]:
    """The paper's actions and the named ones of `OPTIONAL`, with Finish last.

    Raises:
        ValueError: there is no such action.
    """
    names = dict.fromkeys(names)
    if unknown := names.keys() - OPTIONAL.keys():
        raise ValueError(
            f"unknown action {', '.join(sorted(unknown))}: choose from {', '.join(OPTIONAL)}"
        )
    return (*WIKIPEDIA[:-1], *(OPTIONAL[name] for name in names), WIKIPEDIA[-1])

"""What a step can do: a registry of actions, to which a class is added for a new one.

An environment has the actions that it was made with (`Acting`); a method reads from it which there
are. docs/actions.md shows how to add one.
"""

from __future__ import annotations

from collections.abc import Iterable

from react_local.actions.base import Acting, ActionKind
from react_local.actions.calculate import Calculate
from react_local.actions.wikipedia import Finish, Lookup, Search

OPTIONAL: dict[str, ActionKind] = {"calculate": Calculate()}
"""Actions beyond the paper's, by the names that options and traces have for them."""

WIKIPEDIA: tuple[ActionKind, ...] = (Search(), Lookup(), Finish())
"""The paper's."""

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
    """The paper's actions and those of `OPTIONAL` that are named, Finish being the last.

    Raises:
        ValueError: there is no such action.
    """
    names = dict.fromkeys(names)
    if unknown := names.keys() - OPTIONAL.keys():
        raise ValueError(
            f"there is no action {', '.join(sorted(unknown))}: there is {', '.join(OPTIONAL)}"
        )
    return (*WIKIPEDIA[:-1], *(OPTIONAL[name] for name in names), WIKIPEDIA[-1])

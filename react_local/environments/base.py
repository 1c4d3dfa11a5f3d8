"""The seam between methods and the world they act in: one method that answers an action."""

from __future__ import annotations

from typing import Protocol

from react_local.types import Action, Observation


class Environment(Protocol):
    """One episode's world. It remembers what its own actions did (the open page, the place of
    the last lookup), so a new episode takes a new environment."""

    def act(self, action: Action) -> Observation:
        """Carry out `action` and answer with one line of harmless text."""
        ...

"""Worlds that a method acts in."""

from react_local.environments.base import Environment
from react_local.environments.wikipedia import Wiki, WikipediaEnvironment

__all__ = ["Environment", "Wiki", "WikipediaEnvironment"]

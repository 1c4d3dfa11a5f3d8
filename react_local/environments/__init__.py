"""Worlds that a method acts in."""

from react_local.environments.base import Environment, Offering, Offers
from react_local.environments.wikipedia import Wiki, WikipediaEnvironment

__all__ = ["Environment", "Offering", "Offers", "Wiki", "WikipediaEnvironment"]

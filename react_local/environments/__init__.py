"""Environments that methods act in."""

from react_local.environments.base import Environment, Offering, Offers, Retrieving
from react_local.environments.wikipedia import Wiki, WikipediaEnvironment

__all__ = ["Environment", "Offering", "Offers", "Retrieving", "Wiki", "WikipediaEnvironment"]

"""The names that people import, and the smallest program over them."""

from __future__ import annotations

import pytest

import react_local
from react_local import ScriptedModel, WikipediaEnvironment, react
from wiki_index import WikiIndex


def test_a_dozen_lines_are_a_program():
    model = ScriptedModel(
        [
            "Thought 1: I need to find the Tiber.\nAction 1: Search[Tiber]",
            "Thought 2: It flows through Rome.\nAction 2: Finish[Rome]",
        ]
    )
    with WikiIndex.from_pages({"Tiber": "The '''Tiber''' flows through [[Rome]]."}) as index:
        trajectory = react("Where is the Tiber?", model, WikipediaEnvironment(index))
    assert trajectory.answer == "Rome"
    assert trajectory.pages == ("Tiber",)


@pytest.mark.parametrize("name", react_local.__all__)
def test_every_name_is_there(name):
    assert getattr(react_local, name).__name__ == name
    assert name in dir(react_local)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="has no attribute 'reakt'"):
        react_local.reakt  # noqa: B018

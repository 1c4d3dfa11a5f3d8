"""Which actions the state of a run allows, and the grammar of the step that follows."""

from __future__ import annotations

import pytest
from a_run import PLAIN, QUESTION

from react_local.methods.allowed_actions import open_page, redundant_actions, step_grammar
from react_local.methods.react import REACT
from react_local.models.scripted import check_form
from react_local.types import Action, ActionName, Observation, Step, Task, Thought, Trajectory


def allows(grammar: str, text: str) -> bool:
    try:
        check_form(text, grammar)
    except ValueError:
        return False
    return True


def step(name: str, argument: str, title: str | None = None) -> Step:
    return Step(Thought("t"), Action(ActionName(name), argument), Observation("o", title))


def trajectory(*steps: Step, task: Task = Task.QUESTION) -> Trajectory:
    return Trajectory(QUESTION, "react", task, steps)


MISS = step("Search", "Nowhere")
ALDER = step("Search", "Alder", "Alder")
BRAE = step("Search", "Brae", "Brae")
FERRY = step("Lookup", "ferry", "Alder")
SEAL = step("Lookup", "seal", "Alder")
NO_FERRY = step("Lookup", "ferry")


@pytest.mark.parametrize(
    ("steps", "page"),
    [((), None), ((MISS,), None), ((ALDER,), "Alder"), ((ALDER, MISS, FERRY), "Alder"),
     ((ALDER, BRAE), "Brae")],
)  # fmt: skip
def test_the_open_page_is_the_last_one_found(steps, page):
    assert open_page(trajectory(*steps)) == page


@pytest.mark.parametrize(
    ("steps", "actions"),
    [
        ((), ()),
        ((MISS,), ("Search[Nowhere]",)),
        ((MISS, ALDER, BRAE), ("Search[Nowhere]", "Search[Brae]")),
        ((ALDER, FERRY), ("Search[Alder]",)),
        ((ALDER, FERRY, NO_FERRY), ("Search[Alder]", "Lookup[ferry]")),
        ((ALDER, NO_FERRY, BRAE), ("Search[Brae]",)),
        ((ALDER, FERRY, SEAL), ("Search[Alder]", "Lookup[ferry]")),
        ((ALDER, FERRY, SEAL, FERRY), ("Search[Alder]", "Lookup[seal]")),
        ((ALDER, FERRY, MISS), ("Search[Alder]", "Search[Nowhere]")),
        ((ALDER, FERRY, BRAE, ALDER), ("Search[Alder]", "Lookup[ferry]", "Search[Brae]")),
        ((ALDER, BRAE, ALDER), ("Search[Alder]", "Search[Brae]")),
    ],
)
def test_what_could_only_repeat_an_observation_is_redundant(steps, actions):
    assert tuple(map(str, redundant_actions(trajectory(*steps)))) == actions


def test_lookup_is_not_written_before_a_page_is_open():
    text = "Thought {0}: t\nAction {0}: Lookup[ferry]"
    assert not allows(step_grammar(trajectory(), REACT, PLAIN, last=False), text.format(1))
    assert not allows(step_grammar(trajectory(MISS), REACT, PLAIN, last=False), text.format(2))
    assert allows(step_grammar(trajectory(ALDER), REACT, PLAIN, last=False), text.format(2))


def test_a_redundant_action_is_not_written_again_however_it_is_spelt():
    grammar = step_grammar(trajectory(MISS), REACT, PLAIN, last=False)
    assert not allows(grammar, "Thought 2: t\nAction 2: Search[Nowhere]")
    assert not allows(grammar, "Thought 2: t\nAction 2: Search[nowhere!]")
    assert allows(grammar, "Thought 2: t\nAction 2: Search[Somewhere]")


def test_the_last_step_can_only_finish():
    grammar = step_grammar(trajectory(ALDER), REACT, PLAIN, last=True)
    assert not allows(grammar, "Thought 2: t\nAction 2: Search[Brae]")
    assert not allows(grammar, "Thought 2: t\nAction 2: Lookup[ferry]")
    assert allows(grammar, "Thought 2: t\nAction 2: Finish[1957]")


def test_a_claim_is_finished_with_one_of_the_three_labels():
    grammar = step_grammar(trajectory(ALDER, task=Task.CLAIM), REACT, PLAIN, last=False)
    assert allows(grammar, "Thought 2: t\nAction 2: Finish[NOT ENOUGH INFO]")
    assert not allows(grammar, "Thought 2: t\nAction 2: Finish[true]")


def test_the_papers_behaviour_forbids_nothing_but_other_forms():
    grammar = step_grammar(trajectory(MISS), REACT, last=True)
    for action in ("Lookup[ferry]", "Search[Nowhere]", "Finish[1957]"):
        assert allows(grammar, f"Thought 2: t\nAction 2: {action}")
    assert not allows(grammar, "Thought 2: t\nAction 2: Give up[now]")

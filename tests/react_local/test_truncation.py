"""Long runs: what is left out of prompts when the context fills, and what never is."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from a_run import PLAIN
from hypothesis import given
from hypothesis import strategies as st

from react_local.environments import WikipediaEnvironment
from react_local.events import Began, Noted
from react_local.exemplars import load
from react_local.methods import react
from react_local.methods.react import REACT
from react_local.methods.truncation import _used, _words
from react_local.models import ScriptedModel
from react_local.trace import Setup, TraceWriter, read
from react_local.types import Outcome, Trajectory
from wiki_index import WikiIndex

QUESTION = "In which year was the lighthouse of Brae painted red?"
STEPS = 24
ROOM = 6_000


@pytest.fixture(scope="module")
def isles():
    """Pages of four long sentences, of which only the third is of any use."""
    filling = "It has meadows, moors and a great many sheep, that graze on them all the summer."
    pages = {
        f"Isle {n}": f"'''Isle {n}''' is an isle. {filling} The lighthouse keeper left for "
        f"Isle {n + 1}. {filling}"
        for n in range(1, STEPS + 1)
    }
    with WikiIndex.from_pages(pages) as index:
        yield index


def script(prompt) -> str:
    """The step that comes next: a search for the next isle, and the answer at last."""
    number = sum(piece.role == "assistant" and not piece.stable for piece in prompt) + 1
    thought = f"Thought {number}: The keeper must have gone on from there.\nAction {number}: "
    return thought + ("Finish[1957]" if number == STEPS else f"Search[Isle {number}]")


def go(isles: WikiIndex, room: int = ROOM, **options):
    model, events = ScriptedModel(script, context_length=room), []
    options = {"exemplars": (), "max_steps": STEPS, **options}
    environment = WikipediaEnvironment(isles)
    told = react(
        QUESTION, model, environment, guides=PLAIN, on_event=events.append, **options
    )  # fmt: skip
    return told, model, events


def text(prompt) -> str:
    return "".join(piece.text for piece in prompt)


def test_a_long_run_ends_with_its_question_and_its_last_two_steps_whole(isles):
    told, model, events = go(isles)
    assert (told.outcome, told.answer, len(told.steps)) == (Outcome.FINISHED, "1957", STEPS)
    assert all("many sheep" in step.observation.text for step in told.steps[:-1])
    for number, prompt in enumerate(model.prompts, start=1):
        assert f"Question: {QUESTION}\n" in text(prompt)
        for step in told.steps[max(number - 3, 0) : number - 1]:
            assert step.observation.text in text(prompt)
    first = "Observation 1: … The lighthouse keeper left for Isle 2. …\n"
    assert first in text(model.prompts[-1])
    notes = [event.text for event in events if isinstance(event, Noted)]
    assert "is full: observations 1, 2" in notes[0]
    assert notes[0].endswith("cut to relevant sentences")


def test_a_cut_is_made_for_several_steps(isles):
    _, model, events = go(isles)
    regrown = [
        not text(after).startswith(text(before)) for before, after in pairwise(model.prompts)
    ]
    assert sum(regrown) == len([event for event in events if isinstance(event, Noted)])
    assert sum(regrown) <= STEPS / 4


def test_exemplars_go_once_observations_are_cut(isles):
    given = load()
    asked = REACT.prompt(Trajectory(QUESTION, "react"), given)
    whole = sum(len(piece.text.encode()) for piece in asked)
    told, model, events = go(isles, whole + 1_500, exemplars=given)
    assert told.answer == "1957"
    begun = next(event.exemplars for event in events if isinstance(event, Began))
    assert begun == len(given)
    shown = [sum(f"Question: {e.question}\n" in text(p) for e in given) for p in model.prompts]
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] < begun
    assert text(model.prompts[-1]).count(given[-1].question) == (shown[-1] > 0)
    notes = [event.text for event in events if isinstance(event, Noted)]
    assert "cut to relevant sentences" in notes[0]
    assert any("exemplars left out" in note for note in notes)


def test_only_where_nothing_more_can_go_the_context_is_full(isles):
    told, model, _ = go(isles, 1_900)
    assert told.outcome is Outcome.CONTEXT_FULL
    assert 2 < len(told.steps) < STEPS
    longest = max(len(text(prompt).encode()) for prompt in model.prompts)
    assert longest + 448 <= 1_900


@pytest.mark.parametrize("done", [9, STEPS - 1])
def test_a_run_that_is_resumed_goes_on_from_the_same_prompts(isles, done):
    whole, first, _ = go(isles)
    begun = replace(whole, steps=whole.steps[:done], outcome=None)
    told, second, _ = go(isles, resume=begun)
    assert second.prompts == first.prompts[done:]
    assert told.steps[-1].action == whole.steps[-1].action


def test_the_trace_says_what_was_left_out_and_keeps_it(isles, tmp_path: Path):
    file = tmp_path / "run.jsonl"
    model = ScriptedModel(script, context_length=ROOM)
    with TraceWriter(file, Setup()) as writer:
        options = {"exemplars": (), "max_steps": STEPS, "guides": PLAIN, "on_event": writer}
        told = react(QUESTION, model, WikipediaEnvironment(isles), **options)
    (run,) = read(file).runs
    assert run.trajectory.steps == told.steps
    assert any("cut to relevant sentences" in note for note in run.notes)


def test_what_is_kept_of_an_observation():
    told = "Hesk is an isle. It has a lighthouse. Sheep graze. The lighthouse was red in 1957."
    assert (
        _used(told, _words("the lighthouse"))
        == "… It has a lighthouse. … The lighthouse was red in 1957."
    )
    assert _used(told, _words("Was it 1957?")) == "… The lighthouse was red in 1957."
    assert _used(told, _words("nothing of all that")) == "Hesk is an isle. …"
    assert _used("Hesk is an isle.", frozenset()) == "Hesk is an isle."


@given(st.text(st.sampled_from("ab. \n…(['"), max_size=40), st.text("ab ", max_size=8))
def test_nothing_is_made_up(told, words):
    kept = _used(told, _words(words.upper()))
    assert set(kept.replace("…", "").split()) <= set(told.replace("…", "").split()) | {""}

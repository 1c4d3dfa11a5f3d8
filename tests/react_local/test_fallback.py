"""Hybrids: when one method falls back to another, and what its run keeps of both."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from a_run import QUESTION, SCRIPT
from rich.console import Console

from react_local.display import Display, replay
from react_local.environments import WikipediaEnvironment
from react_local.evaluation.behaviour import behaviour
from react_local.events import Began, Ended, FellBack, Stepped
from react_local.guides import PAPER, Guides, SearchGuide
from react_local.methods import METHODS, form_of, is_method, method, no_answer, no_majority
from react_local.models.scripted import ScriptedModel
from react_local.trace import Setup, TraceWriter, read
from react_local.types import Outcome, Task, Trajectory

FORCED = Guides(search=SearchGuide.FREE, answers=False, repeats=False)
ANSWER = "Thought: I recall it.\nAnswer: 1957"
SEARCHES = [f"Thought {n}: x\nAction {n}: Search[Alder {n}]" for n in range(1, 8)]


def ask(name: str, script, wiki, **options) -> Trajectory:
    options = {"exemplars": (), "guides": FORCED} | options
    return method(name)(QUESTION, ScriptedModel(script), WikipediaEnvironment(wiki), **options)


def test_react_that_answers_is_the_run(wiki) -> None:
    run = ask("react>cot-sc", SCRIPT, wiki)
    assert (run.method, run.answer, run.before) == ("react>cot-sc", "1957", None)
    actions = [step.action for step in run.steps]
    assert actions == [step.action for step in ask("react", SCRIPT, wiki).steps]
    assert form_of(run).method == "react"


def test_react_without_an_answer_falls_back_to_the_vote(wiki) -> None:
    run = ask("react>cot-sc", [*SEARCHES, *[ANSWER] * 21], wiki)
    assert (run.method, run.answer, run.outcome) == ("react>cot-sc", "1957", Outcome.FINISHED)
    assert (run.before.method, run.before.outcome) == ("react", Outcome.STEP_LIMIT)
    assert [len(part.steps) for part in run.parts] == [7, 1]
    assert len(run.steps[0].samples) == 21
    assert [form_of(part).method for part in run.parts] == ["react", "cot-sc"]
    assert run.usage.generated_tokens == sum(map(len, [*SEARCHES, *[ANSWER] * 21]))


def test_the_first_side_is_not_forced_to_finish_but_the_second_is(wiki) -> None:
    finish = "Thought 1: x\nAction 1: Finish[x]"
    assert ask("react", [finish], wiki, max_steps=1).answer == "x"
    with pytest.raises(ValueError, match="does not allow"):
        ask("react", SEARCHES, wiki, max_steps=1)
    assert ask("react>cot", [SEARCHES[0], ANSWER], wiki, max_steps=1).answer == "1957"
    with pytest.raises(ValueError, match="does not allow"):
        ask("act>react", ["Action 1: Search[x]", SEARCHES[0]], wiki, max_steps=1)


@pytest.mark.parametrize(("sure", "falls"), [(11, False), (10, True)])
def test_a_majority_is_of_half_of_the_samples_at_least(wiki, sure: int, falls: bool) -> None:
    others = [f"Thought: x\nAnswer: {n}" for n in range(21 - sure)]
    run = ask("cot-sc>react", [*[ANSWER] * sure, *others, *SCRIPT], wiki)
    assert (run.before is not None) is falls
    assert len(run.parts) == 1 + falls
    assert run.answer == "1957"
    if falls:
        assert run.before.outcome is Outcome.FINISHED
        assert run.pages == ("Alder Sound",)


def test_exactly_half_is_a_majority(wiki) -> None:
    texts = ["Thought: x\nAnswer: a"] * 2 + ["Thought: x\nAnswer: b", "Thought: x\nAnswer: c"]
    run = method("cot-sc")(QUESTION, ScriptedModel(texts), None, samples=4, exemplars=())
    assert not no_majority(run)
    less = replace(run.steps[0], samples=run.steps[0].samples[1:] + run.steps[0].samples[2:])
    assert no_majority(replace(run, steps=(less,)))
    assert not no_answer(run)
    assert no_majority(Trajectory("Q", "cot-sc"))


@pytest.mark.parametrize(
    ("said", "task", "falls"),
    [
        ("1957", Task.QUESTION, False),
        ("1958", Task.QUESTION, True),
        ("yes", Task.QUESTION, False),
        ("REFUTES", Task.CLAIM, False),
    ],
)
def test_rag_falls_back_where_no_passage_states_its_answer(wiki, said, task, falls) -> None:
    script = [f"Thought: x\nAnswer: {said}", *SCRIPT]
    run = ask("rag>react", script, wiki, task=task, exemplars=())
    assert (run.before is not None) is falls
    assert run.answer == ("1957" if falls else said)
    assert form_of(run.parts[0]).method == "rag"


def test_the_second_side_acts_in_a_world_of_its_own(wiki) -> None:
    script = ["Action 1: Search[Alder Sound]", "Thought 1: x\nAction 1: Lookup[ferry]",
              "Thought 2: x\nAction 2: Finish[x]"]  # fmt: skip
    run = ask("act>react", script, wiki, max_steps=1, guides=PAPER)
    assert run.before.pages == ("Alder Sound",)
    assert run.steps[0].observation.text == "No page is open. Search for one first."


def test_hybrids_of_more_than_two(wiki) -> None:
    doubt = [f"Thought: x\nAnswer: {n}" for n in range(21)]
    run = ask("react>cot-sc>standard", [*SEARCHES, *doubt, "Answer: y"], wiki)
    assert [part.method for part in run.parts] == ["react", "react>cot-sc", "react>cot-sc>standard"]
    assert [form_of(part).method for part in run.parts] == ["react", "cot-sc", "standard"]
    assert run.answer == "y"
    assert ask("react>cot-sc>standard", SCRIPT, wiki).answer == "1957"


@pytest.mark.parametrize("name", ["", ">", "react>", ">react", "react>react>dance", "cot sc"])
def test_names_that_are_none(name: str) -> None:
    assert not is_method(name)
    with pytest.raises(ValueError, match="unknown method"):
        method(name)


def test_every_name_of_a_method_is_one() -> None:
    assert all(map(is_method, METHODS))
    assert {"react>cot-sc", "cot-sc>react"} <= METHODS.keys()


def test_an_interrupted_side_falls_back_to_nothing(wiki) -> None:
    def interrupt(prompt):
        raise KeyboardInterrupt

    run = ask("react>cot", interrupt, wiki)
    assert (run.method, run.outcome, run.before) == ("react>cot", Outcome.INTERRUPTED, None)


def test_the_listener_is_told_of_one_run(wiki) -> None:
    seen: list = []
    run = ask("react>cot", [*SEARCHES, ANSWER], wiki, on_event=seen.append)
    told = [event for event in seen if not hasattr(event, "text")]
    assert [type(event) for event in told] == [Began, *[Stepped] * 7, FellBack, Stepped, Ended]
    assert told[0].trajectory.method == "react>cot"
    assert told[8].trajectory == replace(run, steps=(), outcome=None)
    assert told[-1].trajectory == run


@pytest.mark.parametrize("stop", range(9))
def test_a_run_stopped_anywhere_goes_on_to_the_same_end(wiki, tmp_path, stop: int) -> None:
    asked: list[str] = []

    def script(prompt) -> str:
        if len(asked) == stop and not resumed:
            raise KeyboardInterrupt
        asked.append("")
        return texts[len(asked) - 1]

    texts, resumed = [*SEARCHES, ANSWER], False
    path = tmp_path / "t.jsonl"
    with TraceWriter(path, Setup()) as writer:
        ask("react>cot", script, wiki, on_event=writer)
    (kept,) = read(path).runs
    resumed = True
    with TraceWriter(path, Setup(), resume=kept.id) as writer:
        run = ask("react>cot", script, wiki, on_event=writer, resume=kept.trajectory)
    assert [len(part.steps) for part in run.parts] == [7, 1]
    assert run.answer == "1957"
    assert read(path).runs[0].trajectory == run


def test_it_is_kept_shown_and_measured_whole(wiki, tmp_path) -> None:
    out = io.StringIO()
    display = Display(Console(file=out))
    with TraceWriter(tmp_path / "t.jsonl", Setup()) as writer:
        run = ask(
            "react>cot-sc",
            [*SEARCHES, *[ANSWER] * 21],
            wiki,
            on_event=lambda event: (writer(event), display(event)),
        )
    (kept,) = read(tmp_path / "t.jsonl").runs
    assert kept.trajectory == run
    text = out.getvalue()
    assert "\n\n(react gave no answer: cot-sc begins.)\nThought: I recall it." in text
    assert "Votes: 21 of 21 1957\n" in text
    assert "Cost: 8 steps" in text
    again = io.StringIO()
    replay(run, Display(Console(file=again)))
    assert again.getvalue() == text
    found = behaviour(run, gold=("Alder Sound",))
    assert (found.steps, found.searches, found.missed, found.malformed) == (8, 7, 7, 0)
    assert (found.grounded, found.gold_reached) == (None, 0.0)


def test_a_claim_is_judged_by_both_sides(wiki) -> None:
    asked = Trajectory("Ferries fly.", "act>standard", Task.CLAIM)
    script = [*[f"Action {n}: Search[x{n}]" for n in range(1, 6)], "Answer: REFUTES"]
    for options in ({"resume": asked}, {"task": Task.CLAIM}):
        run = method("act>standard")(
            "Ferries fly.", ScriptedModel(script), WikipediaEnvironment(wiki), exemplars=(),
            guides=FORCED, **options,
        )  # fmt: skip
        assert [part.method for part in run.parts] == ["act", "act>standard"]
        assert [part.task for part in run.parts] == [Task.CLAIM] * 2
        assert run.answer == "REFUTES"

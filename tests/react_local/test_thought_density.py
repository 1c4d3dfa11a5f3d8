"""How much exemplars and runs think: sparse thoughts, and ReAct-IM's feedback alone."""

from __future__ import annotations

import pytest
from a_run import QUESTION

from grammars import react_step, step_opening
from react_local import exemplars
from react_local.environments import WikipediaEnvironment
from react_local.environments.wikipedia import found_nothing
from react_local.evaluation.behaviour import behaviour
from react_local.guides import PAPER, Guides
from react_local.methods import FORMS, form_of, method
from react_local.methods.thought_density import feedback, sparse
from react_local.models.scripted import ScriptedModel, check_form
from react_local.trace import Setup, TraceWriter, read
from react_local.types import ActionName, Outcome, Task, Thoughts, Trajectory

SHIPPED = (*exemplars.load(Task.QUESTION), *exemplars.load(Task.CLAIM))
MIXED = [
    "Thought 1: I need its last ferry.\nAction 1: Search[Alder Sound]",
    "Action 2: Lookup[steam]",
    "Thought 3: That is the year.\nAction 3: Finish[1957]",
]


def ask(name: str, script, wiki, **options) -> Trajectory:
    options = {"exemplars": (), "guides": PAPER, "thoughts": Thoughts.SPARSE} | options
    return method(name)(QUESTION, ScriptedModel(script), WikipediaEnvironment(wiki), **options)


@pytest.mark.parametrize("exemplar", SHIPPED, ids=lambda told: told.question)
def test_sparse_exemplars_keep_what_sets_out_or_turns_round(exemplar: Trajectory) -> None:
    steps = tuple(sparse(exemplar))
    assert [step.action for step in steps] == [step.action for step in exemplar.steps]
    for number, (step, whole) in enumerate(zip(steps, exemplar.steps, strict=True)):
        is_search = step.action.name == ActionName.SEARCH
        is_lost = number > 0 and found_nothing(exemplar.steps[number - 1].observation)
        assert step.thought == (whole.thought if is_search or is_lost else None)
    assert steps[0].thought is not None


def test_sparse_deletes_something_and_not_all() -> None:
    kept = [step.thought is not None for told in SHIPPED for step in sparse(told)]
    assert 0.4 < sum(kept) / len(kept) < 0.8


def test_feedback_is_what_the_environment_told_and_the_goal() -> None:
    lookup = next(told for told in SHIPPED if told.answer == "Richard Taylor")
    goal = f"I still have to answer: {lookup.question}"
    assert [step.thought.text for step in feedback(lookup)] == [
        f"Nothing has been done yet. {goal}",
        f"Andrew Wiles was found. {goal}",
        f"help was found. {goal}",
    ]
    fish = exemplars.load(Task.CLAIM)[0]
    assert [step.thought.text.partition(". ")[0] for step in feedback(fish)] == [
        "Nothing has been done yet",
        "Sognefjord was found",
        "fish was not found",
    ]
    for told in SHIPPED:
        for number, step in enumerate(feedback(told), start=1):
            check_form(FORMS["react-im"].text(number, step), react_step(number))


def test_react_im_reads_exemplars_of_feedback(wiki) -> None:
    model = ScriptedModel(["Thought 1: Nothing yet.\nAction 1: Finish[1957]"])
    shown = exemplars.load()
    run = method("react-im")(QUESTION, model, WikipediaEnvironment(wiki), guides=PAPER)
    told = "".join(piece.text for piece in model.prompts[0])
    assert (run.method, run.answer) == ("react-im", "1957")
    assert all(step.thought.text not in told for one in shown for step in one.steps)
    assert all(step.thought.text in told for one in shown for step in feedback(one))


@pytest.mark.parametrize("guides", [PAPER, Guides()])
def test_a_sparse_run_thinks_where_it_likes(wiki, tmp_path, guides: Guides) -> None:
    with TraceWriter(tmp_path / "t.jsonl", Setup()) as writer:
        run = ask("react", MIXED, wiki, guides=guides, on_event=writer)
    assert [step.thought is None for step in run.steps] == [False, True, False]
    assert (run.answer, run.outcome) == ("1957", Outcome.FINISHED)
    (kept,) = read(tmp_path / "t.jsonl").runs
    assert kept.trajectory == run
    assert form_of(run).sparse
    assert behaviour(run).malformed == 0


def test_a_sparse_run_goes_on_sparse(wiki) -> None:
    begun = ask("react", MIXED[:1], wiki, max_steps=1)
    run = ask("react", MIXED[1:], wiki, resume=begun, thoughts=Thoughts.DENSE)
    assert [step.thought is None for step in run.steps] == [False, True, False]


def test_both_sides_of_a_hybrid_are_sparse(wiki) -> None:
    run = ask("react>react", [MIXED[1].replace("2", "1"), MIXED[1].replace("2", "1")], wiki,
              max_steps=1)  # fmt: skip
    assert [part.thoughts for part in run.parts] == [Thoughts.SPARSE] * 2
    assert behaviour(run).malformed == 0


def test_what_writes_no_thoughts_or_always_one_stays_so(wiki) -> None:
    script = ["Action 1: Finish[x]", "Thought 1: x\nAction 1: Finish[x]"]
    assert not form_of(ask("act", script[:1], wiki)).sparse
    assert not form_of(ask("react-im", script[1:], wiki)).sparse
    with pytest.raises(ValueError, match="does not allow"):
        ask("act", script[1:], wiki)
    with pytest.raises(ValueError, match="does not allow"):
        ask("react-im", script[:1], wiki)
    with pytest.raises(ValueError, match="does not allow"):
        ask("react", script[:1], wiki, thoughts=Thoughts.DENSE)


def test_a_dense_step_without_a_thought_is_malformed(wiki) -> None:
    assert not FORMS["react"].holds(1, ask("act", ["Action 1: Finish[x]"], wiki).steps[0])


@pytest.mark.parametrize("make", [react_step, step_opening])
def test_a_sparse_grammar_takes_a_step_with_a_thought_and_without(make) -> None:
    end = "a]" if make is react_step else ""
    for thought in ("Thought 2: x\n", ""):
        check_form(f"{thought}Action 2: Search[{end}", make(2, sparse=True))
    with pytest.raises(ValueError, match="does not allow"):
        check_form("Action 2: Search[a]", make(2))

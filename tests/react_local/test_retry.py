"""Runs tried again: reflexion by a signal from outside, self-refine by the model's own opinion."""

from __future__ import annotations

import io
import json

import pytest
from a_run import QUESTION, SCRIPT
from rich.console import Console

import grammars
from react_local import exemplars
from react_local.display import Display, replay
from react_local.environments import WikipediaEnvironment
from react_local.evaluation.behaviour import behaviour
from react_local.events import Began, Ended, FellBack, Remarked, Stepped, together
from react_local.guides import PAPER, Guides, SearchGuide
from react_local.methods import FORMS, form_of, method, side
from react_local.methods.reflexion import failure
from react_local.models.scripted import ScriptedModel, check_form
from react_local.trace import Setup, TraceWriter, read
from react_local.transcript import STANDS
from react_local.types import Outcome, RemarkKind, Task, Trajectory

GUESS = "Thought 1: I guess.\nAction 1: Finish[1900]"
SEARCH = "Thought 1: x\nAction 1: Search[Alder]"
LESSON = "Reflection: I guessed. Next, search Alder Sound.\n"
CRITIQUE = "Feedback: It was guessed, not read.\n"
STOP = f"Feedback: {STANDS}\n"
FREE = Guides(search=SearchGuide.FREE, answers=False)


def ask(name: str, script, wiki, **options) -> tuple[Trajectory, ScriptedModel]:
    model = ScriptedModel(script)
    options = {"guides": PAPER, "exemplars": ()} | options
    return method(name)(QUESTION, model, WikipediaEnvironment(wiki), **options), model


def text(prompt) -> str:
    return "".join(piece.text for piece in prompt)


def test_an_answer_that_no_observation_states_is_reflected_on_and_tried_again(wiki) -> None:
    run, model = ask("reflexion", [GUESS, LESSON, *SCRIPT], wiki)
    assert (run.method, run.answer, run.outcome) == ("reflexion", "1957", Outcome.FINISHED)
    assert (run.before.answer, run.review, len(run.tries)) == ("1900", None, 2)
    assert run.before.review.cause == "No observation states the answer."
    assert run.before.review.text == "I guessed. Next, search Alder Sound."
    told = f"Question: {QUESTION}\nEarlier answer: 1900\n{LESSON}"
    assert text(model.prompts[1]).endswith("Finish[1900]\nResult: No observation states the "
        "answer. What went wrong, and what is to be done instead?\n")  # fmt: skip
    assert text(model.prompts[2][1:]) == f"\n\n{told}"
    assert run.usage.generated_tokens == sum(map(len, [GUESS, LESSON, *SCRIPT]))


def test_without_a_failure_reflexion_is_react(wiki) -> None:
    run, _ = ask("reflexion", SCRIPT, wiki)
    assert (run.answer, run.before, run.review) == ("1957", None, None)
    react, _ = ask("react", SCRIPT, wiki)
    assert [step.action for step in run.steps] == [step.action for step in react.steps]


def test_gold_answers_are_a_signal_in_training_alone(wiki) -> None:
    wrong = [*SCRIPT[:-1], "Thought 5: x\nAction 5: Finish[1921]"]
    run, _ = ask("reflexion", wrong, wiki)
    assert (run.answer, run.before) == ("1921", None)
    run, _ = ask("reflexion", [*wrong, LESSON, *SCRIPT], wiki, gold=["1957"])
    assert (run.answer, run.before.review.cause) == ("1957", "The answer is wrong.")


def test_signals_of_failure() -> None:
    told = Trajectory("Ferries fly.", "reflexion", Task.CLAIM, outcome=Outcome.STEP_LIMIT)
    assert failure(told) == "There is no answer within the steps."
    full = Trajectory("q", "reflexion", outcome=Outcome.CONTEXT_FULL)
    assert failure(full) == "The run grew too long."


def test_only_the_last_try_is_forced_to_finish_and_none_is_reviewed_after_it(wiki) -> None:
    script = [SEARCH, LESSON, SEARCH, LESSON, GUESS]
    run, _ = ask("reflexion", script, wiki, guides=FREE, max_steps=1)
    assert [part.outcome for part in run.parts] == [Outcome.STEP_LIMIT] * 2 + [Outcome.FINISHED]
    assert run.before.review.cause == "There is no answer within the steps."
    assert run.review is None
    with pytest.raises(ValueError, match="does not allow"):
        ask("reflexion", [SEARCH], wiki, guides=FREE, max_steps=1, tries=1)


def test_the_last_three_reflections_are_remembered(wiki) -> None:
    lessons = [LESSON.replace("Alder Sound", f"page {n}") for n in range(5)]
    script = [text for lesson in lessons for text in (GUESS, lesson)]
    run, model = ask("reflexion", [*script, *SCRIPT], wiki, tries=9)
    assert len(run.tries) == 6
    shown = text(model.prompts[-1])
    assert [lesson in shown for lesson in lessons] == [False, False, True, True, True]


def test_self_refine_goes_on_until_the_answer_stands(wiki) -> None:
    run, _ = ask("self-refine", [GUESS, CRITIQUE, GUESS, CRITIQUE, *SCRIPT], wiki)
    assert [part.answer for part in run.parts] == ["1900", "1900", "1957"]
    run, model = ask("self-refine", [GUESS, STOP], wiki)
    assert (run.answer, run.before, run.review.text) == ("1900", None, STANDS)
    assert text(model.prompts[1]).endswith("Does the answer stand? If not, what is to be done "
        "instead?\n")  # fmt: skip


def test_self_refine_has_nothing_to_say_without_an_answer(wiki) -> None:
    run, _ = ask("self-refine", [SEARCH], wiki, max_steps=1)
    assert (run.outcome, run.before, run.review) == (Outcome.STEP_LIMIT, None, None)


@pytest.mark.parametrize(
    ("name", "kind"), [("reflexion", "Reflection"), ("self-refine", "Feedback")]
)
@pytest.mark.parametrize("task", Task)
def test_exemplars_show_a_failed_try_and_its_review(wiki, name, kind, task) -> None:
    shown = text(FORMS[name].prompt(Trajectory("q", name, task), exemplars.load(task)))
    before = next(told.before for told in exemplars.load(task) if told.before)
    assert shown.count(f"{kind}: {before.review.text}") == 2
    assert shown.count(f"Earlier answer: {before.answer}\n{kind}: ") == 1
    stands = shown.count(f"Feedback: {STANDS}\n")
    assert stands == (0 if name == "reflexion" else len(exemplars.load(task)))
    plain = text(FORMS["react"].prompt(Trajectory("q", name, task), exemplars.load(task)))
    assert before.review.text not in plain


@pytest.mark.parametrize("name", ["reflexion", "self-refine"])
def test_a_claim_is_tried_again(wiki, name: str) -> None:
    first = "Thought 1: x\nAction 1: Finish[SUPPORTS]"
    review = LESSON if name == "reflexion" else CRITIQUE
    options = {"gold": ["REFUTES"]} if name == "reflexion" else {"tries": 2}
    script = [first, review, first.replace("SUPPORTS", "REFUTES")]
    run, _ = ask(name, script, wiki, task=Task.CLAIM, **options)
    assert [part.answer for part in run.parts] == ["SUPPORTS", "REFUTES"]


@pytest.mark.parametrize("name", ["reflexion", "self-refine"])
def test_with_the_default_guides(wiki, name: str) -> None:
    steps = ["Thought 1: It is Alder Sound.\nAction 1: Search[Alder Sound]",
             "Thought 2: x\nAction 2: Finish[strait]"]  # fmt: skip
    after = {"reflexion": [GUESS, LESSON, *steps], "self-refine": [GUESS, CRITIQUE, *steps, STOP]}
    run, _ = ask(name, after[name], wiki, guides=Guides(answers=False))
    assert (run.answer, run.pages) == ("strait", ("Alder Sound",))


def test_a_context_without_room_for_a_review_ends_the_tries(wiki) -> None:
    seen: list = []
    room = len(text(ask("react", [GUESS], wiki)[1].prompts[0])) + 448 + 10
    long = GUESS.replace("I guess", "I guess" + " and guess" * 9)
    model = ScriptedModel([long], context_length=room)
    run = method("reflexion")(QUESTION, model, WikipediaEnvironment(wiki), guides=PAPER,
                              exemplars=(), on_event=seen.append)  # fmt: skip
    assert (run.answer, run.outcome, run.before) == ("1900", Outcome.FINISHED, None)
    assert any("no room for a review" in getattr(event, "text", "") for event in seen)


def test_the_listener_is_told_of_one_run(wiki) -> None:
    seen: list = []
    run, _ = ask("reflexion", [GUESS, LESSON, GUESS, LESSON, GUESS], wiki, on_event=seen.append)
    kinds = [type(event) for event in seen if not hasattr(event, "text")]
    again = [Stepped, Remarked, FellBack]
    assert kinds == [Began, *again, *again, Stepped, Ended]
    assert seen[-1].trajectory == run


MANY = {
    "reflexion": [GUESS, LESSON, SEARCH, SEARCH.replace("1", "2"), LESSON, GUESS],
    "self-refine": [GUESS, CRITIQUE, GUESS, STOP],
    "react>reflexion": [SEARCH, SEARCH.replace("1", "2"), GUESS, LESSON, GUESS, LESSON, GUESS],
    "reflexion>cot": [*[SEARCH, SEARCH.replace("1", "2"), LESSON] * 2, SEARCH,
                      SEARCH.replace("1", "2"), "Thought: x\nAnswer: 1957"],
    "plan-and-solve": ["Plan: Search Alder, then answer.\n", SEARCH, GUESS.replace("1:", "2:")],
}  # fmt: skip


@pytest.mark.parametrize(("name", "stop"), [(n, i) for n in MANY for i in range(len(MANY[n]) + 1)])
def test_a_run_stopped_anywhere_goes_on_to_the_same_end(wiki, tmp_path, name, stop) -> None:
    asked: list[str] = []

    def script(prompt) -> str:
        if len(asked) == stop and not resumed:
            raise KeyboardInterrupt
        asked.append("")
        return MANY[name][len(asked) - 1]

    options = {"max_steps": 2}
    whole, _ = ask(name, MANY[name], wiki, **options)
    path, resumed = tmp_path / "t.jsonl", False
    with TraceWriter(path, Setup()) as writer:
        ask(name, script, wiki, on_event=writer, **options)
    (kept,) = read(path).runs
    resumed = True
    with TraceWriter(path, Setup(), resume=kept.id) as writer:
        run, _ = ask(name, script, wiki, on_event=writer, resume=kept.trajectory, **options)
    assert read(path).runs[0].trajectory == run
    assert told(run) == told(whole)
    assert side(run) == name.split(">")[-1]


def told(run: Trajectory) -> list:
    return [
        (part.method, part.outcome, part.plan and part.plan.text, part.review and part.review.text,
         [(step.thought, step.action, step.observation) for step in part.steps])
        for part in run.parts
    ]  # fmt: skip


def test_it_is_kept_shown_and_measured_whole(wiki, tmp_path) -> None:
    shown, again = io.StringIO(), io.StringIO()
    with TraceWriter(tmp_path / "t.jsonl", Setup()) as writer:
        listener = together(writer, Display(Console(file=shown)))
        run, _ = ask("react>reflexion", MANY["react>reflexion"], wiki, max_steps=2,
                     on_event=listener)  # fmt: skip
    (kept,) = read(tmp_path / "t.jsonl").runs
    assert kept.trajectory == run
    replay(kept.trajectory, Display(Console(file=again)))
    assert again.getvalue() == shown.getvalue()
    assert "(react gave no answer: reflexion begins.)\n" in shown.getvalue()
    assert f"{LESSON}\n(No observation states the answer. Try 2 begins.)\n" in shown.getvalue()
    assert [side(part) for part in run.parts] == ["react", *["reflexion"] * 3]
    assert [form_of(part).method for part in run.parts] == ["react", *["reflexion"] * 3]
    measured = behaviour(run)
    assert (measured.steps, measured.malformed) == (5, 0)


def test_a_damaged_remark_is_found(wiki, tmp_path) -> None:
    path = tmp_path / "t.jsonl"
    with TraceWriter(path, Setup()) as writer:
        ask("reflexion", [GUESS, LESSON, *SCRIPT], wiki, on_event=writer)
    lines = path.read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if '"remark"' in line)
    lines[place] = json.dumps(json.loads(lines[place]) | {"remark": "Song"})
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(Exception, match=f"line {place + 1} of .* is damaged"):
        read(path)


@pytest.mark.parametrize("kind", RemarkKind)
def test_a_remark_is_one_line_that_reads_as_it_was_written(kind: RemarkKind) -> None:
    grammar = grammars.remark(kind)
    for said in ("x", "Find a; then b: (c) [d] “é” 東京!", f"{'word ' * 30}end."):
        check_form(f"{kind}: {said}\n", grammar)
        assert grammars.parse_remark(f"{kind}: {said}\n") == said
    for wrong in ("", " x", "x ", "a\nb", "Observation 1: x", "word " * 100):
        with pytest.raises(ValueError, match=r"does not allow|not whole"):
            check_form(f"{kind}: {wrong}\n", grammar)
    for wrong in ("", " x", "x ", "a\nb", "Observation 1: x"):
        with pytest.raises(ValueError, match=r"not a line|a label or a line end"):
            grammars.parse_remark(f"{kind}: {wrong}\n")

"""What a person sees, on a terminal and in a file."""

from __future__ import annotations

import io
import re

import pytest
from a_run import PLAIN as GUIDES
from a_run import QUESTION, SCRIPT
from rich.console import Console

from react_local.display import Display, replay, summary
from react_local.methods import METHODS, react
from react_local.models.scripted import ScriptedModel
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Thought,
    Trajectory,
    Usage,
)

TOLD = Trajectory(
    "Where is Alder?",
    "react",
    steps=(
        Step(
            Thought("I search Alder, which is a name and a tree and a good deal else besides."),
            Action(ActionName.SEARCH, "Alder"),
            Observation("An island in the sea, with a town and a hill and a lighthouse.", "Alder"),
            usage=Usage(1000, 0, 20, 1.5),
        ),
        Step(Thought("At sea."), Action(ActionName.FINISH, "at sea"), usage=Usage(30, 1020, 12, 1)),
    ),
    outcome=Outcome.FINISHED,
)
PLAIN = """\
Question: Where is Alder?
Thought 1: I search Alder, which is a name and a tree and a good deal else besides.
Action 1: Search[Alder]
Observation 1: An island in the sea, with a town and a hill and a lighthouse.
Thought 2: At sea.
Action 2: Finish[at sea]

Answer: at sea
Pages: Alder
Outcome: finished
Cost: 2 steps, 32 tokens generated, 1,030 read, 1,020 reused, 2.5 s
"""
WRAPPED = """\
Question: Where is Alder?
Thought 1: I search Alder, which is a
    name and a tree and a good deal
    else besides.
Action 1: Search[Alder]
Observation 1: An island in the sea,
    with a town and a hill and a
    lighthouse.
"""


def shown(trajectory: Trajectory, **options) -> str:
    out = io.StringIO()
    replay(trajectory, Display(Console(file=out, **options)))
    return out.getvalue()


def test_in_a_file_each_line_is_one_line_of_plain_text():
    assert shown(TOLD, width=40) == PLAIN


def test_on_a_terminal_long_lines_break_between_words_and_hang():
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown(TOLD, force_terminal=True, width=40))
    lines = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    assert lines.startswith(WRAPPED)


def test_without_colour_a_terminal_gets_no_escapes(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(TOLD, force_terminal=True)


def test_a_run_looks_the_same_as_it_happens_and_when_it_is_shown_again(environment):
    out = io.StringIO()
    told = react(QUESTION, ScriptedModel(SCRIPT), environment, exemplars=(),
                 guides=GUIDES, on_event=Display(Console(file=out)))  # fmt: skip
    assert out.getvalue() == shown(told)


def test_a_resumed_run_shows_the_steps_it_had():
    assert shown(TOLD).startswith(PLAIN.split("Thought 2")[0])


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Outcome.STEP_LIMIT, "--max-steps"),
        (Outcome.CONTEXT_FULL, "--ctx"),
        (Outcome.INTERRUPTED, "interrupted"),
        (None, "cut off"),
    ],
)
def test_a_run_without_an_answer_says_why(outcome, line):
    told = summary(Trajectory("Q", "react", outcome=outcome))
    assert "Answer" not in told
    assert line in told


def test_escapes_in_a_trace_do_not_reach_the_terminal():
    step = Step(Thought("\x1b]0;x\x07 red\x1b[31m"), Action(ActionName.FINISH, "\x9b2J x"))
    text = shown(Trajectory("Q \x1b[2J", "react", steps=(step,), outcome=Outcome.FINISHED))
    assert not set(text) & {"\x1b", "\x07", "\x9b"}


@pytest.mark.parametrize("method", ["standard", "cot", "act", "react"])
def test_every_methods_run_looks_the_same_again(method, environment):
    script = {
        "standard": ["Answer: 1957"],
        "cot": ["Thought: It was the last one.\nAnswer: 1957"],
        "act": ["Action 1: Search[Brae]", "Action 2: Finish[1957]"],
        "react": SCRIPT,
    }[method]
    out = io.StringIO()
    told = METHODS[method](QUESTION, ScriptedModel(script), environment, exemplars=(),
                           guides=GUIDES, on_event=Display(Console(file=out)))  # fmt: skip
    assert script[0] in out.getvalue()
    assert out.getvalue() == shown(told)

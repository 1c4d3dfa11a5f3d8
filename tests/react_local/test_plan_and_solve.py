"""Plan-and-solve: the plan stands before the steps, in exemplars too."""

from __future__ import annotations

import pytest
from a_run import QUESTION, SCRIPT

from react_local import exemplars
from react_local.environments import WikipediaEnvironment
from react_local.guides import PAPER, Guides
from react_local.methods import FORMS, plan_and_solve
from react_local.models.scripted import ScriptedModel
from react_local.trace import Setup, TraceWriter, read
from react_local.types import Outcome, Task, Trajectory

PLAN = "Plan: Search Alder Sound, then find the last ferry.\n"


def test_a_plan_is_written_first_and_carried_out(wiki, tmp_path) -> None:
    model = ScriptedModel([PLAN, *SCRIPT])
    with TraceWriter(tmp_path / "t.jsonl", Setup()) as writer:
        run = plan_and_solve(QUESTION, model, WikipediaEnvironment(wiki), guides=PAPER,
                             on_event=writer)  # fmt: skip
    assert (run.method, run.answer, run.outcome) == ("plan-and-solve", "1957", Outcome.FINISHED)
    assert run.plan.text == "Search Alder Sound, then find the last ferry."
    assert run.usage.generated_tokens == sum(map(len, [PLAN, *SCRIPT]))
    assert read(tmp_path / "t.jsonl").runs[0].trajectory == run
    last = model.prompts[-1]
    assert (last[-9].text, last[-9].tokens) == (PLAN, run.plan.tokens)
    assert "".join(p.text for p in last[:-9]).endswith(f"Question: {QUESTION}\n")


@pytest.mark.parametrize("task", Task)
def test_exemplars_have_their_plans_for_it_alone(task: Task) -> None:
    def shown(name: str) -> str:
        prompt = FORMS[name].prompt(Trajectory("q", name, task), exemplars.load(task))
        return "".join(piece.text for piece in prompt)

    for told in exemplars.load(task):
        assert f"{told.question}\nPlan: {told.plan.text}\nThought 1: " in shown("plan-and-solve")
        assert told.plan.text not in shown("react")


def test_with_the_default_guides(wiki) -> None:
    steps = ["Thought 1: It is Alder Sound.\nAction 1: Search[Alder Sound]",
             "Thought 2: x\nAction 2: Finish[1957]"]  # fmt: skip
    run = plan_and_solve(QUESTION, ScriptedModel([PLAN, *steps]), WikipediaEnvironment(wiki),
                         guides=Guides(answers=False), exemplars=())  # fmt: skip
    assert (run.answer, run.plan.text) == ("1957", PLAN[6:-1])

"""Hybrids that take their sides' runs: the same as when they run them, and at no cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from an_evaluation import TOWN, Drawing

from react_local.evaluation.reuse import is_same
from react_local.evaluation.runner import RunLayout, read_runs
from react_local.guides import DEFAULT, PAPER
from react_local.models.base import Role
from react_local.trace import Run, Setup
from react_local.types import Action, ActionName, Outcome, Step, Trajectory

FEW = ("--samples", 5)
SEARCHING = '"Search["'
"""What the grammar of a step has that may search."""

SEARCH = Step(None, Action(ActionName.SEARCH, "Alder"))
FINISH = Step(None, Action(ActionName.FINISH, "x"))


def told(root: Path, method: str) -> dict[str, Trajectory]:
    """The runs by their questions, without what depends on what the model held before."""
    return {
        example.id: _costless(run.trajectory)
        for example, run in read_runs(RunLayout(root), method).items()
    }


def _costless(run: Trajectory) -> Trajectory:
    return replace(
        run,
        steps=tuple(map(_generated, run.steps)),
        before=run.before and _costless(run.before),
    )


def _generated(step: Step) -> Step:
    usage = replace(step.usage, prompt_tokens=0, reused_tokens=0, seconds=0.0)
    return replace(step, usage=usage, samples=tuple(map(_generated, step.samples)))


class Acting(Drawing):
    """Knows what the town is; of all else it draws its answers, and searches in vain for them."""

    def write(self, prompt) -> str:
        asked = max(i for i, piece in enumerate(prompt) if "Question: " in piece.text)
        answer = "Port Alder" if TOWN in prompt[asked].text else self.seed % 5
        if not any(piece.text.startswith("Action 1: ") for piece in prompt):
            thought = any(piece.text.startswith("Thought: ") for piece in prompt)
            return f"Thought: x\nAnswer: {answer}" if thought else f"Answer: {answer}"
        number = sum(piece.role is Role.ASSISTANT for piece in prompt[asked:]) + 1
        known = answer == "Port Alder" or SEARCHING not in self.grammar
        return f"Action {number}: " + (f"Finish[{answer}]" if known else f"Search[No {number}]")


@pytest.mark.parametrize("guide", ["--force-finish", "--no-force-finish"])
@pytest.mark.parametrize("hybrid", ["act>cot-sc", "cot-sc>act", "act>cot-sc>standard"])
def test_a_hybrid_of_recorded_sides_is_the_hybrid_run_whole(
    run_eval, tmp_path: Path, hybrid: str, guide: str
) -> None:
    alone, after = tmp_path / "alone", tmp_path / "after"
    assert run_eval("--method", hybrid, guide, *FEW, "--out", alone, model=Acting()).exit_code == 0
    methods = ("--method", hybrid, "--method", "act", "--method", "cot-sc")
    run_eval(*methods, guide, *FEW, "--out", after, model=Acting())
    whole = told(alone, hybrid)
    assert told(after, hybrid) == whole
    assert [run.before is None for run in whole.values()] == [False, True, False]


def test_what_is_recalled_costs_no_model(run_eval, tmp_path: Path) -> None:
    def asked(*methods: str) -> int:
        words = [word for name in methods for word in ("--method", name)]
        model = Acting()
        assert run_eval(*words, *FEW, "--no-force-finish", model=model).exit_code == 0
        return len(model.prompts)

    assert asked("act", "cot-sc") == 7 + 1 + 7 + 3 * 5
    assert asked("act>cot-sc", "cot-sc>act") == 0
    assert asked("act>cot-sc>standard", "act>standard") > 0
    usage = [
        sum(run.trajectory.usage.generated_tokens for run in read_runs(layout, name).values())
        for layout in [RunLayout(tmp_path / "run")]
        for name in ("act", "cot-sc", "act>cot-sc")
    ]
    assert usage[2] > usage[0]


def run_of(steps: int, guides=DEFAULT, outcome=Outcome.FINISHED) -> Run:
    told = Trajectory("Q", "act", steps=(SEARCH,) * (steps - 1) + (FINISH,) * bool(steps))
    return Run("1", Setup("m", "i", 7, guides), replace(told, outcome=outcome))


def branched(run: Run) -> Run:
    """`run` as a path through a tree."""
    steps = tuple(replace(step, rivals=(SEARCH,)) for step in run.trajectory.steps)
    return replace(run, trajectory=replace(run.trajectory, steps=steps))


LOOSE = replace(DEFAULT, force_finish=False)


@pytest.mark.parametrize(
    ("run", "guides", "same"),
    [
        (run_of(7), DEFAULT, True),
        (run_of(6), LOOSE, True),
        (run_of(7), LOOSE, False),
        (run_of(7, LOOSE), DEFAULT, False),
        (run_of(6, LOOSE), DEFAULT, True),
        (run_of(2), PAPER, False),
        (branched(run_of(2)), DEFAULT, True),
        (branched(run_of(2)), LOOSE, False),
        (run_of(0, outcome=Outcome.CONTEXT_FULL), DEFAULT, False),
    ],
)
def test_when_a_run_is_the_same_under_other_guides(run: Run, guides, same: bool) -> None:
    assert is_same(run, guides) is same


def test_notes_are_kept_with_what_is_recalled(run_eval, tmp_path: Path) -> None:
    for method in ("act", "act>standard"):
        run_eval("--method", method, "--no-force-finish", model=Acting(context_length=4000))
    notes = [
        [run.notes for run in read_runs(RunLayout(tmp_path / "run"), method).values()]
        for method in ("act", "act>standard")
    ]
    assert all("exemplars" in note for told in notes for (note, *_) in told)

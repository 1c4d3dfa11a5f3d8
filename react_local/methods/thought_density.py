"""The density of thoughts in exemplars: the paper's sparse thoughts and Inner Monologue ablation.

Both are derived from the exemplars by rules, as the other ablations are by deletion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from react_local.environments.wikipedia import found_nothing
from react_local.types import ActionName, Step, Task, Thought, Thoughts, Trajectory

_TO_DO = {Task.QUESTION: "I still have to answer", Task.CLAIM: "I still have to judge"}


def rewritten(exemplar: Trajectory, thoughts: Thoughts) -> Trajectory:
    """`exemplar` with thoughts of this density, by the rules of `sparse` and `feedback`."""
    match thoughts:
        case Thoughts.DENSE:
            return exemplar
        case Thoughts.SPARSE:
            return replace(exemplar, steps=tuple(sparse(exemplar)))
        case Thoughts.FEEDBACK:
            return replace(exemplar, steps=tuple(feedback(exemplar)))


def sparse(exemplar: Trajectory) -> Iterator[Step]:
    """The steps without the thoughts that merely continue (arXiv 2210.03629, Sections 2 and 4).

    The paper's sparse thoughts decompose the goal, track which part of it is reached, and choose
    the next one. So a thought is kept where the step turns to another page, and where the last
    observation found nothing and the plan must change; it is dropped where the step only reads on
    in the open page or answers from it.
    """
    for step, before in _with_the_last(exemplar):
        sets_out = step.action.name == ActionName.SEARCH
        is_lost = before is not None and before.observation and found_nothing(before.observation)
        yield step if sets_out or is_lost else replace(step, thought=None)


def feedback(exemplar: Trajectory) -> Iterator[Step]:
    """The steps with thoughts that only state feedback: ReAct-IM (arXiv 2210.03629, Section 4).

    After Inner Monologue (Huang et al., arXiv 2207.05608): the result of the last action, and the
    goal as it was stated. No thought says what was learnt, which part of the goal is reached, or
    what comes next. The paper's authors wrote such thoughts by hand, for ALFWorld, where they
    name the next subgoal too; a question has no other goal than its answer.
    """
    to_do = f"{_TO_DO[exemplar.task]}: {exemplar.question}"
    for step, before in _with_the_last(exemplar):
        yield replace(step, thought=Thought(f"{_outcome(before)} {to_do}"))


def _with_the_last(exemplar: Trajectory) -> Iterator[tuple[Step, Step | None]]:
    return zip(exemplar.steps, (None, *exemplar.steps), strict=False)


def _outcome(step: Step | None) -> str:
    """The result of `step`, as a sentence."""
    if step is None or step.observation is None:
        return "Nothing has been done yet."
    was_found = "was not found" if found_nothing(step.observation) else "was found"
    return f"{step.action.argument} {was_found}."

"""How much an exemplar thinks: the paper's sparse thoughts, and its Inner Monologue ablation.

Both are made from the exemplars by a rule, as the other ablations are made by deletion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from react_local.environments.wikipedia import found_nothing
from react_local.types import ActionName, Step, Task, Thought, Thoughts, Trajectory

_TO_DO = {Task.QUESTION: "I still have to answer", Task.CLAIM: "I still have to judge"}


def rewritten(exemplar: Trajectory, thoughts: Thoughts) -> Trajectory:
    """`exemplar` with its thoughts as dense as these, by the rules of `sparse` and `feedback`."""
    match thoughts:
        case Thoughts.DENSE:
            return exemplar
        case Thoughts.SPARSE:
            return replace(exemplar, steps=tuple(sparse(exemplar)))
        case Thoughts.FEEDBACK:
            return replace(exemplar, steps=tuple(feedback(exemplar)))


def sparse(exemplar: Trajectory) -> Iterator[Step]:
    """The steps without the thoughts that only carry on (arXiv 2210.03629, Sections 2 and 4).

    The paper's sparse thoughts decompose the goal, tell when a part of it is reached and which
    comes next. So a thought stays where the step sets out for another page, and where the last
    observation found nothing and the plan must change; it goes where the step only reads on in
    the open page or answers from it.
    """
    for step, before in _with_the_last(exemplar):
        sets_out = step.action.name == ActionName.SEARCH
        is_lost = before is not None and before.observation and found_nothing(before.observation)
        yield step if sets_out or is_lost else replace(step, thought=None)


def feedback(exemplar: Trajectory) -> Iterator[Step]:
    """The steps with thoughts that are feedback alone: ReAct-IM (arXiv 2210.03629, Section 4).

    After Inner Monologue (Huang et al., arXiv 2207.05608): what the last action came to, and the
    goal as it was stated. No thought says what was learnt, that a part of the goal is reached,
    or what is next. The paper's authors wrote such thoughts by hand, for ALFWorld, where they
    name the next subgoal too; a question has no other goal than its answer.
    """
    to_do = f"{_TO_DO[exemplar.task]}: {exemplar.question}"
    for step, before in _with_the_last(exemplar):
        yield replace(step, thought=Thought(f"{_outcome(before)} {to_do}"))


def _with_the_last(exemplar: Trajectory) -> Iterator[tuple[Step, Step | None]]:
    return zip(exemplar.steps, (None, *exemplar.steps), strict=False)


def _outcome(step: Step | None) -> str:
    """What `step` came to, in a sentence."""
    if step is None or step.observation is None:
        return "Nothing has been done yet."
    was_found = "was not found" if found_nothing(step.observation) else "was found"
    return f"{step.action.argument} {was_found}."

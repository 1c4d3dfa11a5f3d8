"""A trajectory as the text that a model reads and continues (arXiv 2210.03629, Section 3.1).

    Question: …
    Thought 1: …
    Action 1: Search[…]
    Observation 1: …
    Thought 2: …
    Action 2: Finish[…]

The text consists of pieces with a role each, which suit base models and chat models alike
(`react_local.models.base.Piece`). Leaving out thoughts, actions or both gives the prompts of the
paper's ablations (Section 3.2: Act, CoT, Standard) from the same trajectories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from string import ascii_uppercase

from grammars import BRACKETS, Notation
from react_local.actions import WIKIPEDIA, ActionKind
from react_local.environments.wikipedia import found_nothing
from react_local.errors import QuestionError
from react_local.models.base import Piece, Role
from react_local.sanitise import sanitise
from react_local.types import Remark, RemarkKind, Step, Task, Thoughts, Trajectory

_INSTRUCTIONS = {
    Task.QUESTION: "Answer the question with facts from an encyclopedia.",
    Task.CLAIM: "Judge the claim by an encyclopedia.",
}
_THOUGHTS = {
    Thoughts.DENSE: "Before each action, write one short thought about what to do next.",
    Thoughts.SPARSE: "Where it helps, write one short thought before an action.",
    Thoughts.FEEDBACK: "Before each action, write what the last one came to and what is to do.",
}
_REVIEWS = {
    RemarkKind.REFLECTION: "Result: {cause} What went wrong, and what is to be done instead?",
    RemarkKind.FEEDBACK: "Result: Does the answer stand? If not, what is to be done instead?",
}
STANDS = "The answer stands."
"""The feedback that ends the tries."""

_VOTE = "Which of these leads best to the answer?"
CHOICES = ascii_uppercase
"""The names of the choices in a vote."""
_SHORT = 160
"""Characters of an observation that are shown in a vote."""

LESSONS = 3
"""The number of earlier tries in the prompt, as in Reflexion (arXiv 2303.11366, Section 3)."""

_ASK = {Task.QUESTION: "Question", Task.CLAIM: "Claim"}


def clean_question(question: str) -> str:
    """Return `question` as one sanitised line (see `sanitise`).

    Raises:
        QuestionError: it contains no letter or digit.
    """
    cleaned = sanitise(question)
    if not any(character.isalnum() for character in cleaned):
        raise QuestionError("the question is empty: give it in quotes, as one argument")
    return cleaned


def prompt(
    trajectory: Trajectory,
    exemplars: Iterable[Trajectory] = (),
    *,
    thoughts: bool = True,
    actions: bool = True,
    passages: bool = False,
    density: Thoughts = Thoughts.DENSE,
    plans: bool = False,
    kinds: Sequence[ActionKind] = WIKIPEDIA,
    notation: Notation = BRACKETS,
) -> list[Piece]:
    """The prompt for the next step of `trajectory`.

    It consists of the instruction, the exemplars, the question, and the steps so far. Each step
    keeps the tokens it was generated with, so a prompt only grows at its end.

    Args:
        thoughts: whether to include thoughts.
        actions: whether to include actions and observations.
        passages: whether to include, without actions, the observations of exemplars (except misses)
            and the passages given to `trajectory`.
        density: the density of thoughts that the instruction asks for; exemplars have it already.
        plans: whether to include a plan before the steps.
        kinds: the available actions, which the instruction describes.
        notation: the notation of actions.

    All tries of an exemplar are included; of `trajectory`, the last one and the others' reviews.
    """
    tell = partial(
        _told,
        thoughts=thoughts,
        actions=actions,
        passages=passages,
        plans=plans,
        notation=notation,
    )
    usages = [usage(kind, trajectory.task, notation) for kind in kinds]
    told = "\n".join([instruction(trajectory.task, density), *usages])
    shown = [Piece(Role.SYSTEM, told)] if thoughts and actions else []
    for told in (told for exemplar in exemplars for told in exemplar.tries):
        shown += tell(told, apart=bool(shown))
        if told.review is not None:
            asked = review_question(told.review.kind, told.review.cause)
            shown += [asked, Piece(Role.ASSISTANT, remark_line(told.review))]
    asked = tell(trajectory, apart=bool(shown))
    return [*(replace(piece, stable=True) for piece in shown), *asked]


def instruction(task: Task, density: Thoughts) -> str:
    """The instruction without the description of actions."""
    return f"{_INSTRUCTIONS[task]} {_THOUGHTS[density]}"


def usage(kind: ActionKind, task: Task, notation: Notation) -> str:
    """A line that describes an action in this `notation`."""
    said, _, does = kind.usage(task).partition("] ")
    return f"{notation.spelt(kind.name, said.partition('[')[2])} {does}"


def _told(
    trajectory: Trajectory,
    *,
    apart: bool,
    thoughts: bool,
    actions: bool,
    passages: bool,
    plans: bool,
    notation: Notation,
) -> Iterator[Piece]:
    """The question and the steps, separated from the text before if `apart`."""
    lines = [question_line(trajectory), *_lessons(trajectory)]
    if passages:
        lines += passage_lines(trajectory)
    gap = "\n\n" if apart else ""
    yield Piece(Role.USER, gap + "".join(f"{line}\n" for line in lines))
    if plans and trajectory.plan is not None:
        tokens = trajectory.plan.tokens or None
        yield Piece(Role.ASSISTANT, f"{remark_line(trajectory.plan)}\n", tokens)
    if actions:
        yield from _steps(trajectory, thoughts, notation)
    elif trajectory.answer is not None:
        yield Piece(Role.ASSISTANT, _reasoning(trajectory, thoughts))


def _lessons(trajectory: Trajectory) -> Iterator[str]:
    """The answers and the reviews of the last few earlier tries."""
    for told in trajectory.tries[:-1][-LESSONS:]:
        if told.answer is not None:
            yield f"Earlier answer: {told.answer}"
        yield remark_line(told.review)


def review_question(kind: RemarkKind, cause: str) -> Piece:
    """The request after a try for a review of this kind."""
    return Piece(Role.USER, f"\n{_REVIEWS[kind].format(cause=cause)}\n")


def ballot(choices: Sequence[Sequence[Step]]) -> list[Piece]:
    """The question which of several continuations is best; the answer is one of `CHOICES`."""
    named = zip(CHOICES, choices, strict=False)
    lines = [f"{name}. {' '.join(map(_shortly, steps))}\n" for name, steps in named]
    return [Piece(Role.USER, "".join([f"{_VOTE}\n", *lines])), Piece(Role.ASSISTANT, "The best is")]


def _shortly(step: Step) -> str:
    thought = f"{step.thought.text} " if step.thought else ""
    seen = step.observation.text if step.observation else ""
    told = f": {seen[:_SHORT]}{' …' * (len(seen) > _SHORT)}" if seen else "."
    return f"{thought}{step.action}{told}"


def remark_line(remark: Remark) -> str:
    """``Plan: …``"""
    return f"{remark.kind}: {remark.text}"


def _steps(trajectory: Trajectory, thoughts: bool, notation: Notation) -> Iterator[Piece]:
    for number, step in enumerate(trajectory.steps, start=1):
        text = step_text(number, step, thought=thoughts, notation=notation)
        yield Piece(Role.ASSISTANT, text, _tokens(step, thoughts))
        if step.observation is not None:
            yield Piece(Role.USER, f"\nObservation {number}: {step.observation.text}\n")


def passage_lines(trajectory: Trajectory) -> list[str]:
    """``Observation 1: …``, one line for each passage that was given or found by a step."""
    found = [seen for seen in trajectory.observations if not found_nothing(seen)]
    return [f"Observation {number}: {seen.text}" for number, seen in enumerate(found, start=1)]


def question_line(trajectory: Trajectory) -> str:
    """The question with its label: ``Question: …`` or ``Claim: …``."""
    return f"{_ASK[trajectory.task]}: {trajectory.question}"


def step_text(
    number: int, step: Step, *, thought: bool = True, notation: Notation = BRACKETS
) -> str:
    """The text of a step, without its observation and without a newline at the end."""
    action = f"Action {number}: {notation.spelt(step.action.name, step.action.argument)}"
    if thought and step.thought is not None:
        return f"Thought {number}: {step.thought.text}\n{action}"
    return action


def _tokens(step: Step, thoughts: bool) -> tuple[int, ...] | None:
    """The step's generated tokens, if they are exactly the text that is shown."""
    return step.tokens if step.tokens and (thoughts or step.thought is None) else None


def _reasoning(trajectory: Trajectory, thoughts: bool) -> str:
    """The chain of thought and the answer of a finished trajectory, or only the answer."""
    answer = f"Answer: {trajectory.answer}"
    told = " ".join(step.thought.text for step in trajectory.steps if step.thought)
    return f"Thought: {told}\n{answer}" if thoughts and told else answer

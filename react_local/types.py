"""The values of a ReAct run (Yao et al., arXiv 2210.03629, Section 2): stdlib only, all frozen.

A *trajectory* is a question and its *steps*; a step consists of a *thought*, an *action* and the
environment's *observation*. Methods make trajectories; everything else (transcript, trace, display,
evaluation) reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum


class Task(StrEnum):
    """The type of task: a question (HotpotQA), or a claim to verify (FEVER)."""

    QUESTION = "question"
    CLAIM = "claim"


CLAIM_LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
"""The three verdicts of FEVER (Thorne et al., arXiv 1803.05355)."""


class ActionName(StrEnum):
    """The three actions of the paper's Wikipedia environment (Section 3.1), which methods rely on.

    There are others (`react_local.actions`), so an action's name is a string: compare it by ``==``.
    """

    SEARCH = "Search"
    LOOKUP = "Lookup"
    FINISH = "Finish"


class Thoughts(StrEnum):
    """The density of thoughts in methods with actions (arXiv 2210.03629, Sections 2 and 4)."""

    DENSE = "dense"
    """A thought before every action."""
    SPARSE = "sparse"
    """Thoughts only where the model chooses to."""
    FEEDBACK = "feedback"
    """A thought before every action that only states feedback from the environment: Inner
    Monologue."""


class Outcome(StrEnum):
    """The ways a run can end."""

    FINISHED = "finished"
    STEP_LIMIT = "step_limit"
    CONTEXT_FULL = "context_full"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Thought:
    text: str


@dataclass(frozen=True)
class Action:
    name: str
    """The name as written in a step: one of `ActionName`, or another (`react_local.actions`)."""
    argument: str

    def __str__(self) -> str:
        return f"{self.name}[{self.argument}]"


@dataclass(frozen=True)
class Observation:
    """The environment's response: one line of sanitised text."""

    text: str
    title: str | None = None
    """The page it came from; None for a miss and for actions without a page."""


@dataclass(frozen=True)
class Usage:
    """The cost of a generation. Tokens are those of the model; seconds are wall-clock time."""

    prompt_tokens: int = 0
    """Tokens of the transcript that were evaluated, because they were new."""
    reused_tokens: int = 0
    """Tokens of the transcript that were still in the cache and cost nothing."""
    generated_tokens: int = 0
    """Generated tokens that are part of the transcript."""
    seconds: float = 0.0
    weighed_tokens: int = 0
    """Tokens evaluated to score candidates, which are not part of the transcript."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.reused_tokens + other.reused_tokens,
            self.generated_tokens + other.generated_tokens,
            self.seconds + other.seconds,
            self.weighed_tokens + other.weighed_tokens,
        )


@dataclass(frozen=True)
class Step:
    """One round of the loop. `observation` is None after Finish."""

    thought: Thought | None
    action: Action
    observation: Observation | None = None
    tokens: tuple[int, ...] = ()
    """The tokens of thought and action as generated; they must not be tokenised again."""
    usage: Usage = Usage()
    samples: tuple[Step, ...] = ()
    """With self-consistency: all samples, including this step's own text."""
    share: float | None = None
    """With a tree of thoughts: its share of the vote, from 0 to 1."""
    rivals: tuple[Step, ...] = ()
    """With a tree of thoughts: the other steps in the vote, each with its share."""


class RemarkKind(StrEnum):
    """The kinds of text that the model may write besides its steps."""

    PLAN = "Plan"
    """Before the steps: how to answer the question."""
    REFLECTION = "Reflection"
    """After a failed try: what went wrong, and what to do instead."""
    FEEDBACK = "Feedback"
    """After an answer: the model's opinion of it."""


@dataclass(frozen=True)
class Remark:
    """A line that the model writes besides its steps: a plan or a review."""

    kind: RemarkKind
    text: str
    cause: str = ""
    """The reason for it: the signal by which a try failed."""
    tokens: tuple[int, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True)
class Trajectory:
    question: str
    method: str
    task: Task = Task.QUESTION
    steps: tuple[Step, ...] = ()
    outcome: Outcome | None = None
    """None while the run is in progress."""
    given: tuple[Observation, ...] = ()
    """Passages retrieved before the first step."""
    thoughts: Thoughts = Thoughts.DENSE
    plan: Remark | None = None
    """The plan written before the first step."""
    review: Remark | None = None
    """The review written after the last step. If the run in `before` has a review, it is an earlier
    try by the same method."""
    before: Trajectory | None = None
    """The run before this one, whose answer was not used: an earlier try, or the run of a method
    that was fallen back from."""

    @property
    def answer(self) -> str | None:
        """The argument of the last step's Finish; None if the run has no answer."""
        if self.steps and self.steps[-1].action.name == ActionName.FINISH:
            return self.steps[-1].action.argument
        return None

    @property
    def parts(self) -> tuple[Trajectory, ...]:
        """The runs `before` this one and this one, in order."""
        return (*(self.before.parts if self.before else ()), self)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """All observations of this run: the passages given, then those of its steps."""
        return (*self.given, *(s.observation for s in self.steps if s.observation))

    @property
    def source(self) -> str | None:
        """The page that supports the answer: the last one whose observation contains its words, or
        whose title it is; None if there is no such page."""
        answer = _words(self.answer or "")
        seen = self.observations[::-1]
        for told in seen:
            if answer and told.title and f" {answer} " in f" {_words(told.text)} ":
                return told.title
        titles = (told.title for told in seen if told.title)
        return next((title for title in titles if answer and _words(title) == answer), None)

    @property
    def pages(self) -> tuple[str, ...]:
        """The titles of the observed pages, in order, without repeats."""
        return tuple(dict.fromkeys(seen.title for seen in self.observations if seen.title))

    @property
    def usage(self) -> Usage:
        """The cost of the run, including the runs before it."""
        spent = self.before.usage if self.before else Usage()
        written = (self.plan, *self.steps, self.review)
        return sum((one.usage for one in written if one), spent)

    @property
    def tries(self) -> tuple[Trajectory, ...]:
        """The tries of this run's method, this one last."""
        earlier = self.before.tries if self.before and self.before.review else ()
        return (*earlier, self)

    @property
    def falls(self) -> int:
        """The number of methods that were fallen back from before this run's method."""
        return sum(part.review is None for part in self.parts[:-1])

    def with_remark(self, remark: Remark) -> Trajectory:
        """The run with this plan or review."""
        is_plan = remark.kind is RemarkKind.PLAN
        return replace(self, plan=remark) if is_plan else replace(self, review=remark)


def _words(text: str) -> str:
    """The words of `text` without case and punctuation, separated by blanks."""
    return " ".join(re.findall(r"\w+", text.casefold()))

"""The values of a ReAct run (Yao et al., arXiv 2210.03629, Section 2): stdlib only, all frozen.

A *trajectory* is a question and its *steps*; a step is a *thought*, an *action* and the
*observation* that the environment answered. Methods make trajectories; everything else
(transcript, trace, display, evaluation) reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum


class Task(StrEnum):
    """What is asked: a free question (HotpotQA), or a claim to be judged (FEVER)."""

    QUESTION = "question"
    CLAIM = "claim"


CLAIM_LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
"""The three verdicts of FEVER (Thorne et al., arXiv 1803.05355)."""


class ActionName(StrEnum):
    """The three actions of the paper's Wikipedia environment (Section 3.1), which methods know of.

    There are others (`react_local.actions`), so an action's name is a string: compare it by ``==``.
    """

    SEARCH = "Search"
    LOOKUP = "Lookup"
    FINISH = "Finish"


class Thoughts(StrEnum):
    """How much a method thinks that thinks and acts (arXiv 2210.03629, Sections 2 and 4)."""

    DENSE = "dense"
    """Before every action."""
    SPARSE = "sparse"
    """Where the model decides to."""
    FEEDBACK = "feedback"
    """Before every action, and nothing but what the environment has told: Inner Monologue."""


class Outcome(StrEnum):
    """Every way a run can stop."""

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
    """As a step writes it: of `ActionName`, or of another kind (`react_local.actions`)."""
    argument: str

    def __str__(self) -> str:
        return f"{self.name}[{self.argument}]"


@dataclass(frozen=True)
class Observation:
    """What the environment answered: one line of harmless text."""

    text: str
    title: str | None = None
    """The page it came from; None for a miss and after the end."""


@dataclass(frozen=True)
class Usage:
    """What a generation cost. Tokens are the model's own; seconds are wall clock."""

    prompt_tokens: int = 0
    """Tokens of the transcript evaluated: what is new in it."""
    reused_tokens: int = 0
    """Tokens of the transcript whose cells were kept from before and cost nothing."""
    generated_tokens: int = 0
    """Tokens that the transcript goes on with."""
    seconds: float = 0.0
    weighed_tokens: int = 0
    """Tokens evaluated to choose among what could be written, and not in the transcript."""

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
    """The thought and action as the model generated them; never to be tokenised again."""
    usage: Usage = Usage()
    samples: tuple[Step, ...] = ()
    """Under self-consistency: all that was sampled, this step's own text among it."""
    share: float | None = None
    """Under tree of thoughts: its share of the vote, from 0 to 1."""
    rivals: tuple[Step, ...] = ()
    """Under tree of thoughts: the other steps that were voted on, each with its share."""


class RemarkKind(StrEnum):
    """What the model may say beside its steps."""

    PLAN = "Plan"
    """Before them: how the question is to be answered."""
    REFLECTION = "Reflection"
    """After a try that failed: why, and what to do instead."""
    FEEDBACK = "Feedback"
    """After an answer: what it thinks of it."""


@dataclass(frozen=True)
class Remark:
    """A line that the model writes beside its steps."""

    kind: RemarkKind
    text: str
    cause: str = ""
    """Why it was asked for: the signal by which a try failed."""
    tokens: tuple[int, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True)
class Trajectory:
    question: str
    method: str
    task: Task = Task.QUESTION
    steps: tuple[Step, ...] = ()
    outcome: Outcome | None = None
    """None while the run goes on."""
    given: tuple[Observation, ...] = ()
    """Passages that were retrieved before the first step."""
    thoughts: Thoughts = Thoughts.DENSE
    plan: Remark | None = None
    """What was written before the first step."""
    review: Remark | None = None
    """What was written after the last step. A run that `before` has and that was reviewed is an
    earlier try of this one by the same method."""
    before: Trajectory | None = None
    """The run that was fallen back from or tried again, its answer not taken."""

    @property
    def answer(self) -> str | None:
        """The argument of the last step's Finish, or None where the run has no answer."""
        if self.steps and self.steps[-1].action.name == ActionName.FINISH:
            return self.steps[-1].action.argument
        return None

    @property
    def parts(self) -> tuple[Trajectory, ...]:
        """The runs that it is made of, this one last; one unless another was `before` it."""
        return (*(self.before.parts if self.before else ()), self)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What was observed in this run: what it was given, then what its steps brought."""
        return (*self.given, *(s.observation for s in self.steps if s.observation))

    @property
    def source(self) -> str | None:
        """The page that the answer stands on: the last one whose observation holds its words, or
        that is called so; None for an answer that no observation holds."""
        answer = _words(self.answer or "")
        seen = self.observations[::-1]
        for told in seen:
            if answer and told.title and f" {answer} " in f" {_words(told.text)} ":
                return told.title
        titles = (told.title for told in seen if told.title)
        return next((title for title in titles if answer and _words(title) == answer), None)

    @property
    def pages(self) -> tuple[str, ...]:
        """Titles of the pages that observations came from, in order, without repeats."""
        return tuple(dict.fromkeys(seen.title for seen in self.observations if seen.title))

    @property
    def usage(self) -> Usage:
        """What the run cost, with what was before it."""
        spent = self.before.usage if self.before else Usage()
        written = (self.plan, *self.steps, self.review)
        return sum((one.usage for one in written if one), spent)

    @property
    def tries(self) -> tuple[Trajectory, ...]:
        """The tries of the method that its steps are of, this one last."""
        earlier = self.before.tries if self.before and self.before.review else ()
        return (*earlier, self)

    @property
    def falls(self) -> int:
        """How many methods were fallen back from before the one that its steps are of."""
        return sum(part.review is None for part in self.parts[:-1])

    def with_remark(self, remark: Remark) -> Trajectory:
        """The run with what was written beside its steps."""
        is_plan = remark.kind is RemarkKind.PLAN
        return replace(self, plan=remark) if is_plan else replace(self, review=remark)


def _words(text: str) -> str:
    """The words of `text`, without case and punctuation, a blank between them."""
    return " ".join(re.findall(r"\w+", text.casefold()))

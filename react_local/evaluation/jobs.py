"""Jobs, and the answerers that do them in this process or in others.

An *answerer* answers one question with a model that it holds. An *opener* makes an answerer; it is
a value that can be sent to another process, so that every worker loads a model of its own, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from react_local.errors import ContextTooSmall
from react_local.evaluation.datasets import Example
from react_local.events import Began, Ended, Event, Listener, Noted, Wrote
from react_local.trace import Run
from react_local.transcript import clean_question
from react_local.types import Outcome, Trajectory


@dataclass(frozen=True)
class Job:
    """A question for a method."""

    method: str
    example: Example
    known: Mapping[str, Run] = field(default_factory=dict)
    """For a hybrid, the earlier runs of its methods on this question, by the method's name."""


Answerer = Callable[[Job, Listener], Trajectory]
"""Answers a question, reporting events to the listener as `react` does."""

Opener = Callable[[], AbstractContextManager[Answerer]]

Answered = tuple[Job, list[Event]]
"""A job and the events of its run, except the generated text as it came."""

AskAll = Callable[[Iterable[Job]], Iterator[Answered]]
"""Does many jobs, in any order."""


def in_turn(answerer: Answerer) -> AskAll:
    """A function that does jobs one after the other in this process."""

    def ask_all(jobs: Iterable[Job]) -> Iterator[Answered]:
        for job in jobs:
            yield job, answer(answerer, job)

    return ask_all


def answer(answerer: Answerer, job: Job) -> list[Event]:
    """The events of one question's run. A question that does not fit the context has no answer.

    Raises:
        KeyboardInterrupt: the run was interrupted.
    """
    events: list[Event] = []
    try:
        told = answerer(job, events.append)
    except ContextTooSmall as error:
        question = clean_question(job.example.question)
        told = Trajectory(question, job.method, job.example.task, outcome=Outcome.CONTEXT_FULL)
        events = [Began(told, 0, 0), Noted(str(error)), Ended(told)]
    if told.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    return [event for event in events if not isinstance(event, Wrote)]

"""Questions to be answered, and whoever answers them: here, or in other processes.

An *answerer* answers one question with a model that it holds. An *opener* makes one; it is a value
that another process can be sent, so that every worker loads a model of its own, once.
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
    """Of a hybrid's sides, by their names, how they answered it before."""


Answerer = Callable[[Job, Listener], Trajectory]
"""Answers a question, telling the listener of it as `react` does."""

Opener = Callable[[], AbstractContextManager[Answerer]]

Answered = tuple[Job, list[Event]]
"""A question and what a listener was told of its run, but for the text in the making."""

AskAll = Callable[[Iterable[Job]], Iterator[Answered]]
"""Answers all of some questions, in any order."""


def in_turn(answerer: Answerer) -> AskAll:
    """Asks one after the other, in this process."""

    def ask_all(jobs: Iterable[Job]) -> Iterator[Answered]:
        for job in jobs:
            yield job, answer(answerer, job)

    return ask_all


def answer(answerer: Answerer, job: Job) -> list[Event]:
    """The events of one question's run. A question that no context can hold has no answer.

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

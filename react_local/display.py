"""Showing a run in a terminal, or as plain text elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from react_local.events import Began, Ended, Event, FellBack, Listener, Remarked, Stepped, Wrote
from react_local.methods import REACT, Form, form_of, side, votes
from react_local.sanitise import visible
from react_local.transcript import passage_lines, question_line, remark_line
from react_local.types import Outcome, Remark, Step, Trajectory

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {
    "Question": "bold",
    "Claim": "bold",
    "Thought": "",
    "Action": "cyan",
    "Observation": "dim",
    "Plan:": "",
    "Reflection:": "magenta",
    "Feedback:": "magenta",
    "Votes:": "dim",
    "Answer:": "bold green",
}
"""Styles by the first word of a line, which is enough to distinguish lines without colour."""

_INDENT = 4
"""Columns of indentation of the continuation of a long line on a terminal."""

_SHOWN_VOTES = 5

_WHY = {
    Outcome.FINISHED: "finished",
    Outcome.STEP_LIMIT: "no answer within the steps: allow more with --max-steps",
    Outcome.CONTEXT_FULL: "no answer: the model's context is full, allow more with --ctx",
    Outcome.INTERRUPTED: "interrupted",
}


class Display:
    """A listener that writes a run to `console` as it happens, and a summary at its end.

    On a terminal, long lines are wrapped between words; elsewhere they are not wrapped.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._held = ""
        self._column = 0
        self._style = ""

    def __call__(self, event: Event) -> None:
        match event:
            case Began(told):
                self._write(question_line(told) + "\n")
                self._write_passages(told)
                for event in _past(told):
                    self(event)
            case Wrote(text):
                self._write(text)
            case Stepped(number, step):
                self._write("\n")
                if step.observation is not None:
                    self._write(f"Observation {number}: {step.observation.text}\n")
                if voted := votes_line(step):
                    self._write(f"{voted}\n")
            case FellBack(told):
                self._write(f"\n{fall_line(told)}\n")
                self._write_passages(told)
            case Ended(told):
                self._write(("\n" if self._column or self._held else "") + "\n" + summary(told))

    def _write_passages(self, told: Trajectory) -> None:
        if told.given:
            self._write("".join(f"{line}\n" for line in passage_lines(told)))

    def _write(self, text: str) -> None:
        """Write `text`, except its last word, which is held back until it is complete."""
        *words, self._held = re.split(r"(\n| )", self._held + text)
        for word in words:
            self._put(word)

    def _put(self, word: str) -> None:
        from rich.cells import cell_len
        from rich.text import Text

        word = word if word == "\n" else visible(word)
        width = cell_len(word)
        if word == "\n":
            self._column, self._style = 0, ""
        elif self._console.is_terminal and self._column + width >= self._console.width:
            word = "\n" + " " * _INDENT + word.lstrip()
            self._column = _INDENT + width
        else:
            if self._column == 0:
                self._style = _STYLES.get(word, "")
            self._column += width
        style = "" if self._console.no_color else self._style
        self._console.print(Text(word, style), end="", soft_wrap=True)


def replay(trajectory: Trajectory, listener: Listener) -> None:
    """Send the events of a past run to `listener`, as if it happened now."""
    first = trajectory.parts[0]
    begun = replace(first, method=trajectory.method, steps=(), outcome=None, plan=None, review=None)
    listener(Began(begun, len(first.steps), 0))
    for event in _past(trajectory):
        listener(event)
    listener(Ended(trajectory))


def votes_line(step: Step) -> str | None:
    """The result of a vote, if there was one: ``Votes: 12 of 21 Oslo; 6 Bergen; 3 others`` for
    sampled answers, ``Votes: 60% this; 30% Search[Oslo]; 10% others`` for branches."""
    if step.rivals:
        return _branches_line(step)
    if not step.samples:
        return None
    counted = votes(step.samples)
    told = [f"{count} {answer}" for answer, count in counted[1:_SHOWN_VOTES]]
    if others := sum(count for _, count in counted[_SHOWN_VOTES:]):
        told.append(f"{others} others")
    winner, most = counted[0]
    return "; ".join([f"Votes: {most} of {len(step.samples)} {winner}", *told])


def _branches_line(step: Step) -> str:
    rivals = sorted(step.rivals, key=lambda rival: -rival.share)
    told = [f"{rival.share:.0%} {rival.action}" for rival in rivals[: _SHOWN_VOTES - 1]]
    if others := rivals[_SHOWN_VOTES - 1 :]:
        told.append(f"{sum(rival.share for rival in others):.0%} others")
    return "; ".join([f"Votes: {step.share:.0%} this", *told])


def fall_line(told: Trajectory) -> str:
    """A line that says why another method or another try begins."""
    if told.before.review is not None:
        return f"({told.before.review.cause} Try {len(told.tries)} begins.)".replace("( ", "(")
    why = "gave no answer" if told.before.answer is None else "had no majority"
    return f"({side(told.before)} {why}: {side(told)} begins.)"


def _past(trajectory: Trajectory) -> Iterator[Event]:
    """The events of the steps of a run, including those of methods that it fell back from."""
    for part in trajectory.parts:
        if part.before:
            yield FellBack(replace(part, steps=(), outcome=None, plan=None, review=None))
        if part.plan:
            yield from _told(part.plan)
        for number, step in enumerate(part.steps, start=1):
            yield Wrote(_form(part).text(number, step))
            yield Stepped(number, step)
        if part.review:
            yield from _told(part.review)


def _told(remark: Remark) -> Iterator[Event]:
    yield Wrote(f"{remark_line(remark)}\n")
    yield Remarked(remark)


def _form(trajectory: Trajectory) -> Form:
    """The form of the steps; that of ReAct if the method is unknown."""
    try:
        return form_of(trajectory)
    except KeyError:
        return REACT


def summary(trajectory: Trajectory) -> str:
    """The answer, the pages it is based on, and the cost: lines, each with its newline."""
    usage = trajectory.usage
    lines = []
    if trajectory.answer is not None:
        source = f"  ({trajectory.source})" if trajectory.source else ""
        lines.append(f"Answer: {trajectory.answer}{source}")
    if trajectory.pages:
        lines.append(f"Pages: {'; '.join(trajectory.pages)}")
    lines.append(f"Outcome: {_WHY[trajectory.outcome] if trajectory.outcome else 'cut off'}")
    steps = sum(len(part.steps) for part in trajectory.parts)
    scored = f"{usage.weighed_tokens:,} scored, " if usage.weighed_tokens else ""
    lines.append(
        f"Cost: {steps} step{'' if steps == 1 else 's'}, {usage.generated_tokens:,} tokens "
        f"generated, {usage.prompt_tokens:,} read, {scored}{usage.reused_tokens:,} reused, "
        f"{usage.seconds:.1f} s"
    )
    return "".join(f"{line}\n" for line in lines)

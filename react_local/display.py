"""A run as a person reads it in a terminal, or plain text where there is none."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from react_local.events import Began, Ended, Event, Listener, Stepped, Wrote
from react_local.methods import FORMS, REACT, Form
from react_local.sanitise import visible
from react_local.transcript import question_line
from react_local.types import Outcome, Trajectory

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {
    "Question": "bold",
    "Claim": "bold",
    "Thought": "",
    "Action": "cyan",
    "Observation": "dim",
    "Answer:": "bold green",
}
"""By a line's first word. Without colour the words are enough to tell the lines apart."""

_INDENT = 4
"""Columns that the later lines of a long line are set in by, on a terminal."""

_WHY = {
    Outcome.FINISHED: "finished",
    Outcome.STEP_LIMIT: "no answer within the steps: allow more with --max-steps",
    Outcome.CONTEXT_FULL: "no answer: the model's context is full, give more with --ctx",
    Outcome.INTERRUPTED: "interrupted",
}


class Display:
    """A listener that writes a run to `console` as it happens, and what came of it.

    On a terminal long lines break between words; elsewhere each stays one line.
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
                for number, step in enumerate(told.steps, start=1):
                    self._write(_form(told).text(number, step))
                    self(Stepped(number, step))
            case Wrote(text):
                self._write(text)
            case Stepped(number, step):
                self._write("\n")
                if step.observation is not None:
                    self._write(f"Observation {number}: {step.observation.text}\n")
            case Ended(told):
                self._write(("\n" if self._column or self._held else "") + "\n" + summary(told))

    def _write(self, text: str) -> None:
        """Write `text`, holding its last word back until it is known to be whole."""
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
    """Tell `listener` of a past run, as if it happened now."""
    listener(Began(replace(trajectory, steps=()), len(trajectory.steps), 0))
    for number, step in enumerate(trajectory.steps, start=1):
        listener(Wrote(_form(trajectory).text(number, step)))
        listener(Stepped(number, step))
    listener(Ended(trajectory))


def _form(trajectory: Trajectory) -> Form:
    """How the steps were written; as ReAct's where the method is not known here."""
    return FORMS.get(trajectory.method, REACT)


def summary(trajectory: Trajectory) -> str:
    """The answer, the pages it rests on, and what it took: lines, each with its newline."""
    usage = trajectory.usage
    lines = []
    if trajectory.answer is not None:
        lines.append(f"Answer: {trajectory.answer}")
    if trajectory.pages:
        lines.append(f"Pages: {'; '.join(trajectory.pages)}")
    lines.append(f"Outcome: {_WHY[trajectory.outcome] if trajectory.outcome else 'cut off'}")
    steps = len(trajectory.steps)
    lines.append(
        f"Cost: {steps} step{'' if steps == 1 else 's'}, {usage.generated_tokens:,} tokens "
        f"written, {usage.prompt_tokens:,} read, {usage.reused_tokens:,} kept from before, "
        f"{usage.seconds:.1f} s"
    )
    return "".join(f"{line}\n" for line in lines)

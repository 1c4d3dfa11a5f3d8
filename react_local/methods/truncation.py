"""Truncation of prompts to the model's context.

At first, as many exemplars are shown as leave room for a typical run. When the steps have filled
that room, old observations are cut to their relevant sentences, and then exemplars are left out,
beginning with the first. A cut removes more than necessary, so that many steps share the same
cached prefix, and it depends only on the run, so that a resumed run has the same prompts. The run
itself is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from react_local.errors import ContextTooSmall
from react_local.events import Listener, Noted
from react_local.methods.form import Form
from react_local.models.base import LanguageModel, Piece
from react_local.types import Step, Trajectory
from wiki_index.sentences import split

_USUAL_RUN = 600
"""Tokens of four steps with their observations; used only to decide how many exemplars fit."""

_SPARE = 300
"""Tokens to leave free when something is cut, if possible: room for two steps."""

_WHOLE_STEPS = 2  # the last ones, whose observations are never cut
_MOST_SENTENCES = 2  # kept of an observation that is cut
_CUT = "…"  # marks an omission


def exemplars_that_fit(
    exemplars: Sequence[Trajectory], run: Trajectory, model: LanguageModel, form: Form
) -> Sequence[Trajectory]:
    """The last exemplars that leave room for a typical run; none if there is room only for a step.

    The steps that `run` has already do not count, so that a resumed run has the same exemplars.

    Raises:
        ContextTooSmall: not even the question and a step have room.
    """
    run = replace(run, steps=())
    room = model.context_length - form.max_tokens
    usual = room - (_USUAL_RUN if form.actions else 0)
    for first in range(len(exemplars)):
        if model.count_tokens(form.prompt(run, exemplars[first:])) <= usual:
            return exemplars[first:]
    taken = model.count_tokens(form.prompt(run))
    if taken > room:
        raise ContextTooSmall(
            f"the question takes {taken:,} tokens and a step up to {form.max_tokens:,}, but the "
            f"context of {model.name} holds {model.context_length:,}: ask a shorter question or "
            "give more context with --ctx"
        )
    return ()


def omission(given: int, shown: int, model: LanguageModel) -> Noted:
    """The note that only `shown` of the `given` exemplars fit."""
    return Noted(
        f"the context of {model.name} ({model.context_length:,} tokens) has room for {shown} of "
        f"{given} exemplars; the first {given - shown} are left out"
    )


@dataclass(frozen=True)
class _View:
    """What prompts show: the exemplars, and the texts of cut observations by step."""

    shown: Sequence[Trajectory]
    cut: Mapping[int, str] = field(default_factory=dict)

    def of(self, run: Trajectory) -> Trajectory:
        """`run` as it is shown."""
        return replace(run, steps=tuple(map(self._told, range(len(run.steps)), run.steps)))

    def _told(self, place: int, step: Step) -> Step:
        if place not in self.cut:
            return step
        return replace(step, observation=replace(step.observation, text=self.cut[place]))


class PromptBuilder:
    """Builds the prompts of one run so that they fit, and reports what it leaves out."""

    def __init__(
        self, model: LanguageModel, form: Form, shown: Sequence[Trajectory], on_event: Listener
    ) -> None:
        self._model, self._form, self._on_event = model, form, on_event
        self._begun = _View(shown)
        self._views: dict[int, _View] = {}
        """The view of the run after each number of steps."""

    def prompt(self, run: Trajectory, room: int, asked: Sequence[Piece] = ()) -> list[Piece]:
        """The prompt of `run` and `asked`, with room for `room` generated tokens."""
        before = self._view_before(run)
        view = before
        if not self._fits(run, view, room, asked):
            view = self._narrowed(run, view, room, asked)
            self._tell(before, view)
        if not asked:
            self._views[len(run.steps)] = view
        return [*self._form.prompt(view.of(run), view.shown), *asked]

    def _view_before(self, run: Trajectory) -> _View:
        """The view at the step before; for a resumed run, computed as it was then."""
        view = self._begun
        for taken in range(len(run.steps)):
            if taken not in self._views:
                part, room = replace(run, steps=run.steps[:taken]), self._form.max_tokens
                fits = self._fits(part, view, room)
                self._views[taken] = view if fits else self._narrowed(part, view, room)
            view = self._views[taken]
        return view

    def _fits(
        self, run: Trajectory, view: _View, room: int, asked: Sequence[Piece] = (), spare: int = 0
    ) -> bool:
        prompt = [*self._form.prompt(view.of(run), view.shown), *asked]
        return self._model.count_tokens(prompt) + room + spare <= self._model.context_length

    def _narrowed(
        self, run: Trajectory, view: _View, room: int, asked: Sequence[Piece] = ()
    ) -> _View:
        """`view` with as little as possible left out for the prompt to fit, if it can."""
        view = replace(view, cut=_cuts(run, view.cut))
        fewer = [replace(view, shown=view.shown[first:]) for first in range(len(view.shown) + 1)]
        for spare in (_SPARE, 0):
            for narrow in fewer:
                if self._fits(run, narrow, room, asked, spare):
                    return narrow
        return fewer[-1]

    def _tell(self, before: _View, after: _View) -> None:
        cut = sorted(place + 1 for place in after.cut.keys() - before.cut.keys())
        gone = len(before.shown) - len(after.shown)
        said = []
        if cut:
            which = "observation" if len(cut) == 1 else "observations"
            said.append(f"{which} {', '.join(map(str, cut))} cut to relevant sentences")
        if gone:
            said.append(f"{gone} of {len(before.shown)} exemplars left out")
        if said:
            full = f"the context of {self._model.name} ({self._model.context_length:,} tokens)"
            self._on_event(Noted(f"{full} is full: {' and '.join(said)}"))


def _cuts(run: Trajectory, cut: Mapping[int, str]) -> dict[int, str]:
    """`cut`, with the kept sentences of the other old observations if those are shorter."""
    found = dict(cut)
    for place, step in enumerate(run.steps[: -_WHOLE_STEPS or None]):
        if step.observation is None or place in cut:
            continue
        later = [run.question, *map(_said, run.steps[place + 1 :])]
        used = _words(" ".join(later)) - _words(step.observation.title or "")
        kept = _used(step.observation.text, used)
        if len(kept) < len(step.observation.text):
            found[place] = kept
    return found


def _used(text: str, words: frozenset[str]) -> str:
    """The sentences of `text` with the most of `words`, or the first one if none has any."""
    sentences = split(text) or [text]
    shared = [len(words & _words(sentence)) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda place: -shared[place])[:_MOST_SENTENCES]
    kept = sorted(place for place in best if shared[place]) or [0]
    parts, end = [], 0
    for place in kept:
        parts += [_CUT] * (place > end) + [sentences[place]]
        end = place + 1
    return " ".join(parts + [_CUT] * (end < len(sentences)))


def _said(step: Step) -> str:
    thought = f"{step.thought.text} " if step.thought else ""
    return f"{thought}{step.action.argument}"


def _words(text: str) -> frozenset[str]:
    """The words of `text` that may distinguish sentences: names, numbers, and long words."""
    found = re.findall(r"\w+", text)
    return frozenset(w.casefold() for w in found if len(w) > 3 or not w.islower())

"""Texts in the making: one after a prompt, or many at once over the prompt's shared cells."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from react_local.models.constraint import Constraint
    from react_local.models.runtime import Runtime


class Draft:
    """A text that is written under a constraint until the grammar closes.

    Args:
        texts: what each token writes.
        max_tokens: the grammar must have closed by then.
        temperature: 0 takes the likeliest token.
        random: draws the tokens where the temperature is above 0.
        on_text: given each new stretch of whole characters.
    """

    def __init__(
        self,
        constraint: Constraint,
        texts: Sequence[bytes],
        *,
        max_tokens: int,
        temperature: float,
        random: np.random.Generator,
        on_text: Callable[[str], None] | None = None,
    ) -> None:
        self.written: list[int] = []
        self.is_whole = False
        self._constraint = constraint
        self._texts = texts
        self._max_tokens = max_tokens
        self._temperature = temperature
        self._random = random
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._parts: list[str] = []
        self._force()

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def go_on(self, logits: NDArray[np.float32]) -> None:
        """Write the next token by the logits after the last one, and what it brings with it.

        Raises:
            ValueError: the grammar did not close in time.
        """
        token = self._constraint.choose(logits, self._temperature, self._random)
        if token is None:
            self.is_whole = True
        else:
            self._append([token])
            self._force()

    def _force(self) -> None:
        """Write the tokens that must come next."""
        while not self._constraint.is_closed and (tokens := self._constraint.forced()):
            self._append(tokens)
        self.is_whole = self._constraint.is_closed

    def _append(self, tokens: list[int]) -> None:
        if len(self.written) >= self._max_tokens:
            raise ValueError(f"the grammar does not close within {self._max_tokens} tokens")
        self._constraint.accept(tokens)
        self.written += tokens
        part = self._decoder.decode(b"".join(self._texts[token] for token in tokens))
        self._parts.append(part)
        if part and self._on_text is not None:
            self._on_text(part)


def write(runtime: Runtime, pending: Sequence[int], draft: Draft) -> None:
    """Finish `draft` after the prompt that `runtime` holds but for its `pending` tokens.

    The last token is not evaluated: it is the first that the next step's prompt has to.
    """
    evaluated = 0
    while not draft.is_whole:
        tokens = [*pending, *draft.written[evaluated:]]
        pending, evaluated = (), len(draft.written)
        draft.go_on(runtime.evaluate(tokens))


def write_together(runtime: Runtime, pending: Sequence[int], drafts: Sequence[Draft]) -> None:
    """Finish `drafts`, which begin alike, in one batch; see `write`.

    What drafts have alike is evaluated once: they are a strand, with a sequence of the memory
    that shares the prompt's cells, and branch where they part. What is whole leaves the batch.
    Where sequences or cells run out, strands wait until others are whole, and one that had begun
    is evaluated again.
    """
    if drafts[0].is_whole:  # and so all
        return
    start = len(drafts[0].written)
    logits = runtime.evaluate([*pending, *drafts[0].written])
    for draft in drafts:
        draft.go_on(logits)
    _Batch(runtime, start, _alike(drafts)).finish()


@dataclass
class _Strand:
    """Drafts that have written the same until now, and need a sequence only for one of them."""

    drafts: list[Draft]
    evaluated: int = 0
    """How many of the written tokens are in the sequence's memory."""

    @property
    def written(self) -> list[int]:
        return self.drafts[0].written

    @property
    def pending(self) -> list[int]:
        """Tokens that are written but not evaluated."""
        return self.written[self.evaluated :]


def _alike(drafts: Sequence[Draft]) -> list[_Strand]:
    """The drafts that are not whole, those together that have written the same."""
    strands: dict[tuple[int, ...], _Strand] = {}
    for draft in drafts:
        if not draft.is_whole:
            strands.setdefault(tuple(draft.written), _Strand([])).drafts.append(draft)
    return list(strands.values())


class _Batch:
    """Strands over a held prompt, of each of which the first `start` tokens are held with it."""

    def __init__(self, runtime: Runtime, start: int, strands: Sequence[_Strand]) -> None:
        self.runtime, self.start = runtime, start
        self.waiting = list(reversed(strands))  # the next one last
        self.running: dict[int, _Strand] = {}
        self.idle = list(range(1, runtime.sequences))
        self.is_full = False
        """Whether a strand had to leave for want of cells, and none has been whole since."""

    def finish(self) -> None:
        try:
            while self.waiting or self.running:
                self._admit()
                self._make_room()
                self._evaluate()
        finally:
            for sequence in self.running:
                self.runtime.drop(sequence)

    def _admit(self) -> None:
        while self.waiting and self.idle and not self.is_full:
            strand = self.waiting.pop()
            strand.evaluated = self.start
            self._run(strand, 0)

    def _run(self, strand: _Strand, origin: int) -> None:
        """Give `strand` an idle sequence, which begins as a branch of `origin`."""
        sequence = self.idle.pop()
        self.running[sequence] = strand
        self.runtime.branch(sequence, origin)

    def _make_room(self) -> None:
        """Let the strands that came last wait, until the tokens of the others have cells."""
        cells = self.runtime.cells - len(self.runtime.held)
        while sum(len(strand.written) - self.start for strand in self.running.values()) > cells:
            sequence = next(reversed(self.running))
            self.waiting.append(self._leave(sequence))
            self.is_full = True

    def _evaluate(self) -> None:
        """Evaluate a batch of pending tokens, and let those go on that have all theirs."""
        room, parts = self.runtime.batch, []
        for sequence in self._turn():
            strand = self.running[sequence]
            if tokens := strand.pending[:room]:
                at = len(self.runtime.held) + strand.evaluated - self.start
                parts.append((sequence, at, tokens))
                strand.evaluated += len(tokens)
                room -= len(tokens)
        logits = self.runtime.evaluate_apart(parts)
        for (sequence, *_), row in zip(parts, logits, strict=True):
            if not self.running[sequence].pending:
                self._go_on(sequence, row)

    def _turn(self) -> list[int]:
        """The sequences that are evaluated next: as many as fill whole tiles, the others' turn
        being first the next time."""
        tile, turn = self.runtime.tile, list(self.running)
        if len(turn) > tile:
            del turn[len(turn) // tile * tile :]
        for sequence in turn:
            self.running[sequence] = self.running.pop(sequence)
        return turn

    def _go_on(self, sequence: int, logits: NDArray[np.float32]) -> None:
        """Let the strand's drafts go on by the logits after it, and part where they differ."""
        strand = self.running[sequence]
        for draft in strand.drafts:
            draft.go_on(logits)
        parted = _alike(strand.drafts)
        if sum(len(part.drafts) for part in parted) < len(strand.drafts):
            self.is_full = False  # something is whole
        for part in parted:
            part.evaluated = strand.evaluated
        if not parted:
            self._leave(sequence)
            return
        self.running[sequence] = parted.pop(0)
        for part in parted:
            if self.idle:
                self._run(part, sequence)
            else:
                self.waiting.append(part)

    def _leave(self, sequence: int) -> _Strand:
        self.runtime.drop(sequence)
        self.idle.append(sequence)
        return self.running.pop(sequence)

"""Constrained decoding: one completion of a prompt, or a batch that shares the prompt's cells."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_local.models.context import BATCH, common_prefix
from react_local.models.prompt_lookup import as_text, draft

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from react_local.models.constraint import Constraint
    from react_local.models.runtime import Runtime


class Completion:
    """A text that is generated under a constraint until the grammar closes.

    Args:
        texts: the bytes of each token.
        max_tokens: the grammar must have closed by then.
        temperature: 0 takes the most likely token.
        random: samples the tokens where the temperature is above 0.
        on_text: called with each new run of whole characters.
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
        self.is_complete = False
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

    def possible(self, drafted: Sequence[int]) -> list[int]:
        """As many of the drafted tokens as may come next; none if tokens are sampled."""
        if self._temperature > 0:
            return []
        return self._constraint.possible(drafted[: self._max_tokens - len(self.written)])

    def advance(self, logits: NDArray[np.float32]) -> None:
        """Choose the next token from the logits, and append it with the tokens that it forces.

        Raises:
            ValueError: the grammar did not close in time.
        """
        token = self._constraint.choose(logits, self._temperature, self._random)
        if token is None:
            self.is_complete = True
        else:
            self._append([token])
            self._force()

    def _force(self) -> None:
        """Append the tokens that the grammar leaves no choice about."""
        while not self._constraint.is_closed and (tokens := self._constraint.forced()):
            self._append(tokens)
        self.is_complete = self._constraint.is_closed

    def _append(self, tokens: list[int]) -> None:
        if len(self.written) >= self._max_tokens:
            raise ValueError(f"the grammar does not close within {self._max_tokens} tokens")
        self._constraint.accept(tokens)
        self.written += tokens
        part = self._decoder.decode(b"".join(self._texts[token] for token in tokens))
        self._parts.append(part)
        if part and self._on_text is not None:
            self._on_text(part)


def decode(runtime: Runtime, pending: Sequence[int], completion: Completion) -> None:
    """Decode `completion` to its end after the prompt, of which `runtime` lacks only `pending`.

    Where it pays, a draft of the following tokens is evaluated beside each token, and the text
    advances as far as the draft is right (speculative decoding, see `prompt_lookup`).

    The last token is left unevaluated: the next prompt begins by evaluating it.
    """
    prompt = as_text([*runtime.held, *pending]) if runtime.draft else ""
    evaluated = 0
    while not completion.is_complete:
        tokens = [*pending, *completion.written[evaluated:]]
        drafted = []
        if 0 < runtime.draft <= BATCH - len(tokens):
            text = prompt + as_text(completion.written)
            drafted = completion.possible(draft(text, runtime.draft))
        pending, evaluated = (), len(completion.written)
        if drafted:
            logits = runtime.evaluate_each([*tokens, *drafted], 1 + len(drafted))
            right = _advance(completion, logits, drafted)
            runtime.take_back(len(drafted) - right)
            evaluated += right
        else:
            completion.advance(runtime.evaluate(tokens))


def _advance(completion: Completion, logits: NDArray[np.float32], drafted: Sequence[int]) -> int:
    """Advance `completion` by the logits before and after each drafted token.

    Returns how many of them are right, without the last token of a complete text.
    """
    start, right = len(completion.written), 0
    while True:
        completion.advance(logits[right])
        written = completion.written[start:]
        right = common_prefix(written, drafted)
        if completion.is_complete:
            return min(right, max(len(written) - 1, 0))
        if right < len(written):
            return right


def decode_batch(
    runtime: Runtime, pending: Sequence[int], completions: Sequence[Completion]
) -> None:
    """Decode `completions` of the same prompt to their end in one batch; see `decode`.

    A common beginning is evaluated once: completions with the same tokens so far are one branch,
    with one sequence of the memory that shares the prompt's cells, and the branch is split where
    they diverge. A finished completion leaves the batch. Where sequences or cells run out, branches
    wait until others have finished, and one that had begun is evaluated again.
    """
    if completions[0].is_complete:  # and so all
        return
    start = len(completions[0].written)
    logits = runtime.evaluate([*pending, *completions[0].written])
    for completion in completions:
        completion.advance(logits)
    _Batch(runtime, start, _alike(completions)).finish()


@dataclass
class _Branch:
    """Completions with the same tokens so far: one sequence of the memory serves them all."""

    completions: list[Completion]
    evaluated: int = 0
    """The number of written tokens that are in the sequence's memory."""

    @property
    def written(self) -> list[int]:
        return self.completions[0].written

    @property
    def pending(self) -> list[int]:
        """Tokens that are written but not evaluated."""
        return self.written[self.evaluated :]


def _alike(completions: Sequence[Completion]) -> list[_Branch]:
    """The unfinished completions, grouped by their tokens so far."""
    branches: dict[tuple[int, ...], _Branch] = {}
    for completion in completions:
        if not completion.is_complete:
            branches.setdefault(tuple(completion.written), _Branch([])).completions.append(
                completion
            )
    return list(branches.values())


class _Batch:
    """Branches after an evaluated prompt; their first `start` tokens are evaluated with it."""

    def __init__(self, runtime: Runtime, start: int, branches: Sequence[_Branch]) -> None:
        self.runtime, self.start = runtime, start
        self.waiting = list(reversed(branches))  # the next one is last
        self.running: dict[int, _Branch] = {}
        self.idle = list(range(1, runtime.sequences))
        self.is_full = False
        """Whether a branch had to leave for lack of cells, and none has finished since."""

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
            branch = self.waiting.pop()
            branch.evaluated = self.start
            self._run(branch, 0)

    def _run(self, branch: _Branch, origin: int) -> None:
        """Give `branch` an idle sequence, which begins as a copy of `origin`."""
        sequence = self.idle.pop()
        self.running[sequence] = branch
        self.runtime.branch(sequence, origin)

    def _make_room(self) -> None:
        """Let the latest branches wait until there are cells for the tokens of the others."""
        cells = self.runtime.cells - len(self.runtime.held)
        while sum(len(branch.written) - self.start for branch in self.running.values()) > cells:
            sequence = next(reversed(self.running))
            self.waiting.append(self._leave(sequence))
            self.is_full = True

    def _evaluate(self) -> None:
        """Evaluate a batch of pending tokens, and advance the branches that have none left."""
        room, parts = self.runtime.batch, []
        for sequence in self._turn():
            branch = self.running[sequence]
            if tokens := branch.pending[:room]:
                at = len(self.runtime.held) + branch.evaluated - self.start
                parts.append((sequence, at, tokens))
                branch.evaluated += len(tokens)
                room -= len(tokens)
        logits = self.runtime.evaluate_apart(parts)
        for (sequence, *_), row in zip(parts, logits, strict=True):
            if not self.running[sequence].pending:
                self._advance(sequence, row)

    def _turn(self) -> list[int]:
        """The sequences to evaluate next: as many as fill whole tiles; the others are first in the
        next turn."""
        tile, turn = self.runtime.tile, list(self.running)
        if len(turn) > tile:
            del turn[len(turn) // tile * tile :]
        for sequence in turn:
            self.running[sequence] = self.running.pop(sequence)
        return turn

    def _advance(self, sequence: int, logits: NDArray[np.float32]) -> None:
        """Advance the branch's completions by these logits, and split it where they differ."""
        branch = self.running[sequence]
        for completion in branch.completions:
            completion.advance(logits)
        parted = _alike(branch.completions)
        if sum(len(part.completions) for part in parted) < len(branch.completions):
            self.is_full = False  # something has finished
        for part in parted:
            part.evaluated = branch.evaluated
        if not parted:
            self._leave(sequence)
            return
        self.running[sequence] = parted.pop(0)
        for part in parted:
            if self.idle:
                self._run(part, sequence)
            else:
                self.waiting.append(part)

    def _leave(self, sequence: int) -> _Branch:
        self.runtime.drop(sequence)
        self.idle.append(sequence)
        return self.running.pop(sequence)

"""Outlines' llguidance processor, driven a step at a time.

Outlines masks the logits of the whole vocabulary at every token. Here the model's own choice is
tried first, and the mask is computed only where the grammar refuses it: the same tokens come out
(a draw that is refused and drawn again under the mask has the masked distribution), at a few
microseconds a token in place of milliseconds over 262,144 entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from outlines.backends.llguidance import LLGuidanceLogitsProcessor

if TYPE_CHECKING:
    from llguidance import LLTokenizer
    from numpy.typing import NDArray

# What a mask may cost, in llguidance's unit (about 14,000 to a millisecond). The default, 200,000,
# is too little for some masks over 262,144 tokens; the usual cost is far below it.
_FUEL = 20_000_000

_RANGE = 20  # below the highest logit, in temperatures; a further token weighs under 3e-9


class Constraint(LLGuidanceLogitsProcessor):
    """One text under one grammar (Lark, llguidance's dialect).

    Raises:
        ValueError: the grammar does not compile.
    """

    def __init__(self, grammar: str, tokenizer: LLTokenizer) -> None:
        from llguidance import LLMatcher, LLParserLimits
        from llguidance.numpy import allocate_token_bitmask

        super().__init__(grammar, tokenizer, "numpy")
        limits = LLParserLimits(
            initial_lexer_fuel=_FUEL,
            step_lexer_fuel=_FUEL,
            precompute_large_lexemes=False,  # pays off only where many masks are needed
        )
        self._matcher = LLMatcher(tokenizer, grammar, log_level=0, limits=limits)
        self.bitmask = allocate_token_bitmask(1, tokenizer.vocab_size)
        self._check()

    def copy(self) -> Constraint:
        """Another one that stands where this one stands, compiled no more."""
        twin = copy(self)
        twin._matcher, twin.bitmask = self._matcher.deep_copy(), self.bitmask.copy()
        return twin

    @property
    def is_closed(self) -> bool:
        """Whether the text is whole and nothing can follow it."""
        return self._matcher.is_stopped()

    def forced(self) -> list[int]:
        """Tokens that must come next, as far as the grammar leaves one continuation."""
        return self._matcher.compute_ff_tokens()

    def accept(self, tokens: Sequence[int]) -> None:
        """Go on by `tokens`, which the grammar must allow."""
        self._matcher.consume_tokens(list(tokens))
        self._check()

    def choose(
        self, logits: NDArray[np.float32], temperature: float, random: np.random.Generator
    ) -> int | None:
        """The next token: the likeliest allowed, or drawn from those allowed. None ends the text.

        A text that is whole, but could go on, ends where the model would end it, or go on with
        what may not follow. `logits`, of shape (vocabulary,), stay as they are.
        """
        token = _pick(logits, temperature, random)
        if token != self.llg_tokenizer.eos_token and self._matcher.validate_tokens([token]):
            return token
        if self._matcher.is_accepting():
            return None
        masked = self._bias_logits_numpy(None, logits[np.newaxis, :].copy())
        return _pick(masked[0], temperature, random)

    def _bias_logits_numpy(self, input_ids: None, logits: NDArray[np.float32]) -> NDArray:
        """Mask `logits`, of shape (1, vocabulary), in place, without a copy of their size."""
        from llguidance.numpy import fill_next_token_bitmask

        fill_next_token_bitmask(self._matcher, self.bitmask)
        self._check()
        bits = np.unpackbits(self.bitmask.view(np.uint8)[0], bitorder="little")
        logits[0, bits[: logits.shape[1]] == 0] = -np.inf
        return logits

    def _check(self) -> None:
        if self._matcher.is_error():
            message = self._matcher.get_error().splitlines()[0]
            raise ValueError(f"the grammar cannot go on: {message}")


def _pick(logits: NDArray[np.float32], temperature: float, random: np.random.Generator) -> int:
    if temperature <= 0:
        return int(logits.argmax())
    highest = logits.max()
    near = np.flatnonzero(logits > highest - np.float32(_RANGE * temperature))
    weights = np.exp((logits[near] - highest) / np.float32(temperature))
    sums = np.cumsum(weights, dtype=np.float64)
    return int(near[np.searchsorted(sums, random.random() * sums[-1], side="right")])

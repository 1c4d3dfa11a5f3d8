"""Outlines' llguidance processor, driven token by token.

Outlines masks the logits of the whole vocabulary at every token. Here the model's own choice is
tried first, and the mask is computed only if the grammar rejects it. The result is the same (a
sample that is rejected and drawn again under the mask has the masked distribution), but it takes a
few microseconds per token instead of milliseconds over 262,144 entries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from outlines.backends.llguidance import LLGuidanceLogitsProcessor

from react_local.errors import ModelError

if TYPE_CHECKING:
    from llguidance import LLTokenizer
    from numpy.typing import NDArray

# The limit on the cost of a mask, in llguidance's unit (about 14,000 per millisecond). The default,
# 200,000, is too low for some masks over 262,144 tokens; the usual cost is far below it.
_FUEL = 20_000_000

_RANGE = 20  # below the highest logit, in temperatures; tokens beyond it have a weight under 3e-9


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
            precompute_large_lexemes=False,  # pays off only if many masks are needed
        )
        self._matcher = LLMatcher(tokenizer, grammar, log_level=0, limits=limits)
        self.bitmask = allocate_token_bitmask(1, tokenizer.vocab_size)
        self.excludes: Callable[[str], bool] | None = None
        """Whether a text must not begin so, though the grammar allows it."""
        self._written = b""
        self._check()

    def copy(self) -> Constraint:
        """A copy in the same state, without compiling the grammar again."""
        twin = copy(self)
        twin._matcher, twin.bitmask = self._matcher.deep_copy(), self.bitmask.copy()
        return twin

    @property
    def is_closed(self) -> bool:
        """Whether the text is complete and nothing can follow it."""
        return self._matcher.is_stopped()

    def forced(self) -> list[int]:
        """The tokens that must come next, as long as the grammar allows only one continuation."""
        return self._matcher.compute_ff_tokens()

    def possible(self, tokens: Sequence[int]) -> list[int]:
        """`tokens` as far as the grammar allows them to come next."""
        return list(tokens[: self._matcher.validate_tokens(list(tokens))])

    def accept(self, tokens: Sequence[int]) -> None:
        """Append `tokens`, which the grammar must allow."""
        self._matcher.consume_tokens(list(tokens))
        if self.excludes is not None:
            self._written += self.llg_tokenizer.decode_bytes(list(tokens))
        self._check()

    def choose(
        self, logits: NDArray[np.float32], temperature: float, random: np.random.Generator
    ) -> int | None:
        """The next token: the most likely allowed one, or a sample of these. None ends the text.

        A text that is complete but could be continued ends if the model would end it, or continue
        it with a token that is not allowed. `logits`, of shape (vocabulary,), are not changed.
        """
        token = _pick(logits, temperature, random)
        if token != self.llg_tokenizer.eos_token and self._allows(token):
            return token
        if self._matcher.is_accepting():
            return None
        (masked,) = self._bias_logits_numpy(None, logits[np.newaxis, :].copy())
        while self._is_excluded(token := _pick(masked, temperature, random)):
            masked[token] = -np.inf
            if np.isneginf(masked.max()):
                raise ValueError("the grammar cannot continue: all that it allows is excluded")
        return token

    def _allows(self, token: int) -> bool:
        return self._matcher.validate_tokens([token]) and not self._is_excluded(token)

    def _is_excluded(self, token: int) -> bool:
        if self.excludes is None:
            return False
        text = self._written + self.llg_tokenizer.decode_bytes([token])
        return self.excludes(text.decode(errors="ignore"))

    def _bias_logits_numpy(self, input_ids: None, logits: NDArray[np.float32]) -> NDArray:
        """Mask `logits`, of shape (1, vocabulary), in place, without copying them."""
        from llguidance.numpy import fill_next_token_bitmask

        fill_next_token_bitmask(self._matcher, self.bitmask)
        self._check()
        bits = np.unpackbits(self.bitmask.view(np.uint8)[0], bitorder="little")
        logits[0, bits[: logits.shape[1]] == 0] = -np.inf
        return logits

    def _check(self) -> None:
        if self._matcher.is_error():
            message = self._matcher.get_error().splitlines()[0]
            raise ValueError(f"the grammar cannot continue: {message}")


def _pick(logits: NDArray[np.float32], temperature: float, random: np.random.Generator) -> int:
    likeliest = int(logits.argmax())  # NaN, if there is one
    if not (highest := logits[likeliest]) < np.inf:
        raise ModelError(
            f"the model computes {highest} for a token: its file is damaged, or the scale of an "
            "adapter is too large"
        )
    if temperature <= 0:
        return likeliest
    near = np.flatnonzero(logits > highest - np.float32(_RANGE * temperature))
    weights = np.exp((logits[near] - highest) / np.float32(temperature))
    sums = np.cumsum(weights, dtype=np.float64)
    return int(near[np.searchsorted(sums, random.random() * sums[-1], side="right")])

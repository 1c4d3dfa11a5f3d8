"""The context of a model: its batches and sequences, and what fits into it."""

from __future__ import annotations

from collections.abc import Sequence

from react_local.errors import ContextTooSmall

BATCH = 256
"""Tokens evaluated at a time; interrupts are handled between two batches."""

SEQUENCES = 33
"""Sequences of a context: the main one, and those that branch off it."""


def check_fits(prompt_tokens: int, max_tokens: int, context_length: int) -> None:
    """Raise ContextTooSmall unless prompt and generated text fit together."""
    if prompt_tokens + max_tokens > context_length:
        raise ContextTooSmall(
            f"the prompt takes {prompt_tokens} tokens and the step up to {max_tokens}, but the "
            f"context holds {context_length}: load the model with a larger one"
        )


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """The length of the longest common prefix."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))

"""Scoring texts by their probability after a prompt that is evaluated once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from react_local.models.runtime import Runtime


def log_probabilities(
    runtime: Runtime, prompt: Sequence[int], texts: Sequence[Sequence[int]]
) -> tuple[float, ...]:
    """The log-probability of each text after `prompt`, all given as tokens.

    A text has at most `BATCH` tokens. The prompt is evaluated once; the last token of each text is
    not evaluated, since nothing follows it.
    """
    kept = runtime.keep(prompt)
    if kept < len(prompt) - 1:  # ends a batch where the cache will be cut back to
        runtime.evaluate(prompt[kept:-1])
    first = _log_softmax(runtime.evaluate(prompt[-1:]))
    found = []
    for text in texts:
        total = float(first[text[0]])
        if len(text) > 1:
            kept = runtime.keep([*prompt, *text])
            if kept < len(prompt):  # a cache that cannot be cut back starts over
                runtime.evaluate(prompt[kept:])
            logits = runtime.evaluate_each(text[:-1])
            total += sum(
                float(_log_softmax(row)[token]) for row, token in zip(logits, text[1:], strict=True)
            )
        found.append(total)
    return tuple(found)


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())

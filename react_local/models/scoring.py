"""How likely a model finds whole texts: each evaluated after the same kept prompt."""

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
    """The logarithm of each text's probability after `prompt`; tokens in, one sum a text.

    A text is at most `BATCH` tokens. The prompt is evaluated once; of each text the last
    token is not, since nothing follows it.
    """
    kept = runtime.keep(prompt)
    if kept < len(prompt) - 1:  # ends a batch where memory will be cut back to
        runtime.evaluate(prompt[kept:-1])
    first = _log_softmax(runtime.evaluate(prompt[-1:]))
    found = []
    for text in texts:
        total = float(first[text[0]])
        if len(text) > 1:
            kept = runtime.keep([*prompt, *text])
            if kept < len(prompt):  # memory that cannot be cut back starts anew
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

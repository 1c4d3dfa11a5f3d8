"""An encoder that loads no model."""

from __future__ import annotations

from pathlib import Path

import numpy as np


class LetterEncoder:
    """Texts to unit vectors of how often each letter stands in them."""

    dimensions = 26
    encoded = 0

    def __init__(self, model: Path) -> None:
        self.model = model

    def encode(self, texts: list[str]) -> np.ndarray:
        LetterEncoder.encoded += len(texts)
        counts = [[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts]
        rows = np.array(counts, dtype=np.float32) + 1e-6
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

"""Scores of an answer: exact match and F1, as in HotpotQA's official evaluation.

Yang et al., arXiv 1809.09600, Section 5; the rules are those of the dataset's own evaluation
script. With aliases (MuSiQue), the best score counts. A claim's label is right or wrong, so FEVER's
accuracy is the exact match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from react_local.normalise import normalise

CLOSED = frozenset({"yes", "no", "noanswer"})
"""Normalised answers that are right or wrong as a whole and that no page states."""


@dataclass(frozen=True)
class Score:
    """Exact match and F1, each from 0 to 1."""

    exact: float
    f1: float


def score(answer: str | None, golds: Sequence[str]) -> Score:
    """The best scores of an answer over all gold answers; no answer scores 0."""
    if answer is None:
        return Score(0.0, 0.0)
    return Score(
        max(float(exact_match(answer, gold)) for gold in golds),
        max(f1(answer, gold) for gold in golds),
    )


def exact_match(answer: str, gold: str) -> bool:
    """Whether the two are equal after normalisation."""
    return normalise(answer) == normalise(gold)


def f1(answer: str, gold: str) -> float:
    """The harmonic mean of precision and recall over the words of the two, with their counts.

    If one of them is yes, no or noanswer and the other differs, F1 is 0 whatever words they share.
    """
    given, wanted = normalise(answer), normalise(gold)
    if given != wanted and not CLOSED.isdisjoint((given, wanted)):
        return 0.0
    words, gold_words = given.split(), wanted.split()
    shared = (Counter(words) & Counter(gold_words)).total()
    if shared == 0:
        return 0.0
    precision, recall = shared / len(words), shared / len(gold_words)
    return 2 * precision * recall / (precision + recall)

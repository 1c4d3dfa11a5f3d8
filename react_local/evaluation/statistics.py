"""How sure a score is, and whether two methods differ on the same questions. Seeded, so that the
same scores always give the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
_TAIL = (1 - CONFIDENCE) / 2
_CELLS = 4_000_000  # indices drawn at a time, to bound the memory


@dataclass(frozen=True)
class Interval:
    """A mean with the 95 % interval around it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """How much higher the first of two methods scores, and the two-sided p of no difference."""

    interval: Interval
    p: float


def bootstrap(values: Sequence[float], *, seed: int = 0) -> Interval:
    """The mean of scores between 0 and 1, with its percentile bootstrap interval over questions.

    Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13. Scores that are all alike
    leave the bootstrap nothing to vary (see `_alike`).

    Raises:
        ValueError: there are no values.
    """
    import numpy as np

    if not len(values):
        raise ValueError("no values to take the mean of")
    scores = np.asarray(values, dtype=float)
    if (scores == scores[0]).all():
        return _alike(scores, 0.0, 1.0)
    return _percentiles(scores, seed)


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, seed: int = 0
) -> Difference:
    """The mean difference of two methods' scores on the same questions, in the same order.

    The interval draws questions anew with both their scores (a paired bootstrap). p is that of the
    paired randomisation test: how often the difference is as large where each question's two
    scores change places at random (Noreen, Computer Intensive Methods for Testing Hypotheses,
    1989), over all ways where those are few.

    Raises:
        ValueError: the two are not of one length, or empty.
    """
    import numpy as np

    if len(first) != len(second) or not len(first):
        raise ValueError("the two need scores of the same questions, at least one")
    gains = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    is_alike = (gains == gains[0]).all()
    interval = _alike(gains, -1.0, 1.0) if is_alike else _percentiles(gains, seed)
    return Difference(interval, _randomisation(gains[gains != 0], seed))


def mcnemar(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p of McNemar's exact test: do two methods err on different questions equally?

    Of the questions that only one of them got right, how many each got, against a fair coin
    (McNemar 1947; exact by the binomial distribution). Scores are 0 or 1.

    Raises:
        ValueError: the two are not of one length.
    """
    only_first = sum(a > b for a, b in zip(first, second, strict=True))
    only_second = sum(a < b for a, b in zip(first, second, strict=True))
    n = only_first + only_second
    at_least = sum(comb(n, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * at_least / 2**n)


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """How far two people agree on the labels of the same things, beyond chance (Cohen 1960).

    1 is full agreement, 0 what chance gives; None where both gave all the same one label.

    Raises:
        ValueError: the two are not of one length, or empty.
    """
    if len(first) != len(second) or not len(first):
        raise ValueError("the two need labels of the same things, at least one")
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    by_first, by_second = Counter(first), Counter(second)
    by_chance = sum(by_first[label] * by_second[label] for label in by_first) / n**2
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of several tests, raised so that they hold together (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def _alike(values: NDArray, lowest: float, highest: float) -> Interval:
    """The interval of values between `lowest` and `highest` that are all the same.

    With 97.5 % confidence at least a share of all values is such, the exact binomial bound of n
    out of n (Clopper and Pearson 1934); the rest may lie at either end. So 0 of 40 is not taken
    for certainly 0, nor is one question for proof of anything.
    """
    value, share = float(values[0]), _TAIL ** (1 / len(values))
    low, high = (share * value + (1 - share) * end for end in (lowest, highest))
    return Interval(value, low, high)


def _percentiles(values: NDArray, seed: int) -> Interval:
    """The mean of `values`, and the middle 95 % of the means of `RESAMPLES` draws of them."""
    import numpy as np

    random, width = np.random.default_rng(seed), len(values)
    drawn = (values[random.integers(width, size=(rows, width))] for rows in _rows(width))
    means = np.concatenate([draws.mean(axis=1) for draws in drawn])
    low, high = np.quantile(means, [_TAIL, 1 - _TAIL])
    return Interval(float(values.mean()), float(low), float(high))


def _randomisation(gains: NDArray, seed: int) -> float:
    """The share of ways to turn the signs of `gains` that give as large a sum, either way."""
    import numpy as np

    random, width, largest = np.random.default_rng(seed), len(gains), abs(gains.sum()) - 1e-9
    if 2**width <= RESAMPLES:
        signs = np.array(list(product((-1, 1), repeat=width)))
        return float((abs(signs @ gains) >= largest).mean())
    turned = (random.choice((-1, 1), size=(rows, width)) @ gains for rows in _rows(width))
    as_large = sum(int((abs(sums) >= largest).sum()) for sums in turned)
    return (as_large + 1) / (RESAMPLES + 1)


def _rows(width: int) -> Iterator[int]:
    """How many of `RESAMPLES` rows of this width to draw at a time."""
    most = max(1, _CELLS // width)
    for start in range(0, RESAMPLES, most):
        yield min(most, RESAMPLES - start)

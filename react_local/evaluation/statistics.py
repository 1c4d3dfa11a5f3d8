"""Confidence intervals of scores, and significance tests for two methods on the same questions.

All are seeded, so that the same scores always give the same figures.
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
_CELLS = 4_000_000  # indices drawn at a time, to limit memory


@dataclass(frozen=True)
class Interval:
    """A mean with the 95 % interval around it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """By how much the first of two methods scores higher, and the two-sided p value."""

    interval: Interval
    p: float


def bootstrap(values: Sequence[float], *, seed: int = 0) -> Interval:
    """The mean of scores between 0 and 1, with its percentile bootstrap interval over questions.

    Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13. If all scores are equal,
    the bootstrap has no variance (see `_alike`).

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


def paired_interval(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Interval:
    """The mean difference of two methods' scores on the same questions, in the same order, with its
    percentile interval of a paired bootstrap over questions.

    Raises:
        ValueError: the two differ in length, or are empty.
    """
    gains = _gains(first, second)
    is_alike = (gains == gains[0]).all()
    return _alike(gains, -1.0, 1.0) if is_alike else _percentiles(gains, seed)


def randomisation(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> float:
    """The two-sided p value of the paired randomisation test for the scores of two methods.

    It is how often the difference is as large if each question's two scores are swapped at random
    (Noreen, Computer Intensive Methods for Testing Hypotheses, 1989), or in all possible ways if
    these are few.

    Raises:
        ValueError: the two differ in length, or are empty.
    """
    import numpy as np

    gains = _gains(first, second)
    gains = gains[gains != 0]
    width, total = len(gains), gains.sum()
    if 2**width <= RESAMPLES:
        swapped = iter([np.array(list(product((0.0, 1.0), repeat=width)))])
        ways = observed = 0
    else:
        random = np.random.default_rng(seed)
        swapped = (random.integers(2, size=(rows, width)).astype(float) for rows in _rows(width))
        ways = observed = 1
    for swaps in swapped:
        ways += len(swaps)
        observed += int((abs(total - 2 * (swaps @ gains)) >= abs(total) - 1e-9).sum())
    return observed / ways


def mcnemar(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p value of McNemar's exact test for two methods with scores of 0 or 1.

    Among the questions that only one of the methods got right, it compares the numbers of each with
    a fair coin (McNemar 1947; exact, by the binomial distribution).

    Raises:
        ValueError: the two differ in length.
    """
    only_first = sum(a > b for a, b in zip(first, second, strict=True))
    only_second = sum(a < b for a, b in zip(first, second, strict=True))
    n = only_first + only_second
    at_least = sum(comb(n, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * at_least / 2**n)


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """The agreement of two people on the labels of the same items, beyond chance (Cohen 1960).

    1 is full agreement, 0 is agreement by chance; None if both gave the same label to all items.

    Raises:
        ValueError: the two differ in length, or are empty.
    """
    if len(first) != len(second) or not len(first):
        raise ValueError("both need labels of the same items, at least one")
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    by_first, by_second = Counter(first), Counter(second)
    by_chance = sum(by_first[label] * by_second[label] for label in by_first) / n**2
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of several tests, adjusted for multiple comparisons (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def _gains(first: Sequence[float], second: Sequence[float]) -> NDArray:
    import numpy as np

    if len(first) != len(second) or not len(first):
        raise ValueError("both need scores of the same questions, at least one")
    return np.asarray(first, dtype=float) - np.asarray(second, dtype=float)


def _alike(values: NDArray, lowest: float, highest: float) -> Interval:
    """The interval of the mean of equal values, which lie between `lowest` and `highest`.

    With 97.5 % confidence, at least a certain share of all values has this value: the exact
    binomial bound of n out of n (Clopper and Pearson 1934). The others may lie at either end. So 0
    of 40 is not taken for certainly 0, and a single question proves nothing.
    """
    value, share = float(values[0]), _TAIL ** (1 / len(values))
    low, high = (share * value + (1 - share) * end for end in (lowest, highest))
    return Interval(value, low, high)


def _percentiles(values: NDArray, seed: int) -> Interval:
    """The mean of `values`, and the middle 95 % of the means of `RESAMPLES` resamples."""
    import numpy as np

    random, width = np.random.default_rng(seed), len(values)
    drawn = (values[random.integers(width, size=(rows, width))] for rows in _rows(width))
    means = np.concatenate([draws.mean(axis=1) for draws in drawn])
    low, high = np.quantile(means, [_TAIL, 1 - _TAIL])
    return Interval(float(values.mean()), float(low), float(high))


def _rows(width: int) -> Iterator[int]:
    """Numbers of rows of this width to draw at a time, `RESAMPLES` in all."""
    most = max(1, _CELLS // width)
    for start in range(0, RESAMPLES, most):
        yield min(most, RESAMPLES - start)

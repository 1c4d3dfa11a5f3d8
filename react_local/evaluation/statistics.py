"""How sure a score is, and whether two methods differ on the same questions. Seeded, so that the
same scores always give the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

    Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13. Scores that are all 0 or
    all 1 leave the bootstrap nothing to vary; there the exact binomial bound stands instead
    (Clopper and Pearson 1934), so that 0 of 40 is not taken for certainly 0.

    Raises:
        ValueError: there are no values.
    """
    import numpy as np

    if not len(values):
        raise ValueError("no values to take the mean of")
    scores = np.asarray(values, dtype=float)
    mean, bound = float(scores.mean()), _TAIL ** (1 / len(scores))
    if mean == 0.0:
        return Interval(0.0, 0.0, 1 - bound)
    if mean == 1.0:
        return Interval(1.0, bound, 1.0)
    return _percentiles(mean, _resampled_means(scores, seed))


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], *, seed: int = 0
) -> Difference:
    """The mean difference of two methods' scores on the same questions, in the same order.

    Questions are drawn anew with both their scores (Berg-Kirkpatrick, Burkett and Klein 2012);
    p is twice the smaller share of resampled differences on either side of 0, at most 1.

    Raises:
        ValueError: the two are not of one length, or empty.
    """
    import numpy as np

    if len(first) != len(second) or not len(first):
        raise ValueError("the two need scores of the same questions, at least one")
    gains = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    if not gains.any():
        return Difference(Interval(0.0, 0.0, 0.0), 1.0)
    means = _resampled_means(gains, seed)
    side = min((means <= 0).sum(), (means >= 0).sum())
    p = min(1.0, 2 * (int(side) + 1) / (RESAMPLES + 1))
    return Difference(_percentiles(float(gains.mean()), means), p)


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


def _resampled_means(values: NDArray, seed: int) -> NDArray:
    """Means of `RESAMPLES` draws with replacement: shape (RESAMPLES,)."""
    import numpy as np

    random = np.random.default_rng(seed)
    return np.concatenate(
        [
            values[random.integers(len(values), size=(rows, len(values)))].mean(axis=1)
            for rows in _rows(len(values))
        ]
    )


def _rows(width: int) -> Iterator[int]:
    most = max(1, _CELLS // width)
    for start in range(0, RESAMPLES, most):
        yield min(most, RESAMPLES - start)


def _percentiles(mean: float, means: NDArray) -> Interval:
    import numpy as np

    low, high = np.quantile(means, [_TAIL, 1 - _TAIL])
    return Interval(mean, float(low), float(high))

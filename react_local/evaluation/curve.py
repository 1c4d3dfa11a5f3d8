"""Score against number of samples: Figure 2 of the paper (arXiv 2210.03629), from one sampled run.

A vote of fewer samples is one of a part of those that were drawn. So a single run of
self-consistency gives all smaller ones, by drawing parts at random.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from react_local.evaluation.metrics import score
from react_local.evaluation.report import Answered, MethodReport
from react_local.methods import votes
from react_local.types import Step

SIZES = (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21)
_PARTS = 100  # drawn for each question and size


def curve(method: MethodReport) -> dict[int, float]:
    """Mean exact match by number of samples, as far as every question has so many.

    Of questions that a vote decided; empty where there are none. Samples keep their order, so a
    tie goes to the first sampled, as in the run itself; the same run gives the same figures.
    """
    drawn = [(answered, samples) for answered in method.answered if (samples := _samples(answered))]
    most = min((len(samples) for _, samples in drawn), default=0)
    sizes = [size for size in SIZES if size < most] + [most] * bool(most)
    return {
        size: sum(_expected(answered, samples, size) for answered, samples in drawn) / len(drawn)
        for size in sizes
    }


def _samples(answered: Answered) -> tuple[Step, ...]:
    steps = answered.run.trajectory.steps
    return steps[-1].samples if steps else ()


def _expected(answered: Answered, samples: Sequence[Step], size: int) -> float:
    """The mean exact match of votes among `size` of the samples."""
    if size == len(samples):
        return _exact(answered, samples)
    chance = random.Random(size)
    places = range(len(samples))
    parts = [sorted(chance.sample(places, size)) for _ in range(_PARTS)]
    return sum(_exact(answered, [samples[i] for i in part]) for part in parts) / _PARTS


def _exact(answered: Answered, samples: Sequence[Step]) -> float:
    winner, _ = votes(samples)[0]
    return score(winner, answered.example.answers).exact

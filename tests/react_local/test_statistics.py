"""Intervals and tests against closed forms, published values and simulated coverage."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from react_local.evaluation.statistics import (
    Interval,
    bootstrap,
    cohens_kappa,
    holm,
    mcnemar,
    paired_interval,
    randomisation,
)


def test_an_interval_is_near_the_normal_one_where_that_holds() -> None:
    values = [1.0] * 300 + [0.0] * 700
    interval = bootstrap(values)
    half = 1.96 * sqrt(0.3 * 0.7 / 1000)
    assert interval.mean == pytest.approx(0.3)
    assert interval.low == pytest.approx(0.3 - half, abs=0.004)
    assert interval.high == pytest.approx(0.3 + half, abs=0.004)


def test_the_same_scores_give_the_same_interval() -> None:
    values = [0.0, 1.0, 0.5, 0.25] * 10
    assert bootstrap(values) == bootstrap(values)
    assert bootstrap(values) != bootstrap(values, seed=1)


def test_all_alike_gets_the_exact_binomial_bound() -> None:
    assert bootstrap([0.0] * 40) == Interval(0.0, 0.0, pytest.approx(0.0881, abs=1e-4))
    assert bootstrap([1.0] * 40) == Interval(1.0, pytest.approx(0.9119, abs=1e-4), 1.0)
    half = 0.025 ** (1 / 5) * 0.5
    assert bootstrap([0.5] * 5) == Interval(0.5, pytest.approx(half), pytest.approx(1 - half))


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no values"):
        bootstrap([])


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    covered = 0
    for seed in range(60):
        interval = bootstrap(random.binomial(1, 0.3, size=120).astype(float), seed=seed)
        covered += interval.low <= 0.3 <= interval.high
    assert covered >= 52


def test_more_questions_than_are_drawn_at_once() -> None:
    interval = bootstrap([0.0, 1.0] * 3_000)
    assert interval.low == pytest.approx(0.5 - 1.96 * sqrt(0.25 / 6_000), abs=0.002)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (10, 2, 0.0386), (6, 6, 1.0), (121, 59, 4.43e-6)],
)
def test_mcnemar_is_the_exact_binomial_test(only_first: int, only_second: int, p: float) -> None:
    first = [1.0] * only_first + [0.0] * only_second + [1.0, 0.0]
    second = [0.0] * only_first + [1.0] * only_second + [1.0, 0.0]
    assert mcnemar(first, second) == pytest.approx(p, rel=0.01)
    assert mcnemar(second, first) == pytest.approx(p, rel=0.01)


def test_mcnemar_of_many_questions() -> None:
    first = [1.0] * 1_100 + [0.0] * 900
    second = [0.0] * 1_100 + [1.0] * 900
    assert mcnemar(first, second) == pytest.approx(8.5e-6, rel=0.02)
    assert mcnemar([1.0] * 3_000, [0.0] * 3_000) == 0.0  # too small for a float


def test_a_paired_test_sees_what_unpaired_intervals_cannot() -> None:
    hard = np.random.default_rng(3).random(200)
    better = np.minimum(hard + 0.03, 1.0)
    assert bootstrap(hard).high > bootstrap(better).low
    assert randomisation(better, hard) < 0.001
    found = paired_interval(better, hard)
    assert 0.0 < found.low <= found.mean <= found.high


def test_a_paired_test_of_no_difference() -> None:
    random = np.random.default_rng(5)
    assert randomisation([0.5, 1.0], [0.5, 1.0]) == 1.0
    first, second = random.random(100), random.random(100)
    assert randomisation(first, second) > 0.05
    found = paired_interval(first, second)
    assert found.low < 0 < found.high


@pytest.mark.parametrize(("questions", "p"), [(1, 1.0), (3, 0.25), (5, 0.0625)])
def test_a_few_questions_prove_nothing(questions: int, p: float) -> None:
    none, all_ = [0.0] * questions, [1.0] * questions
    assert randomisation(none, all_) == p
    share = 0.025 ** (1 / questions)
    assert paired_interval(none, all_) == Interval(-1.0, -1.0, pytest.approx(1 - 2 * share))
    same = paired_interval(all_, all_)
    assert (same.low, same.high) == (pytest.approx(share - 1), pytest.approx(1 - share))


def test_a_paired_test_of_scores_that_are_0_or_1_is_mcnemars() -> None:
    first, second = [1.0] * 10 + [0.0] * 12, [0.0] * 10 + [1.0] * 2 + [0.0] * 10
    assert randomisation(first, second) == pytest.approx(mcnemar(first, second))
    first, second = [1.0] * 30 + [0.0] * 70, [0.0] * 30 + [1.0] * 15 + [0.0] * 55
    assert randomisation(first, second) == pytest.approx(mcnemar(first, second), abs=0.005)


def test_a_paired_test_turned_round() -> None:
    random = np.random.default_rng(9)
    first, second = random.random(80), random.random(80)
    assert randomisation(first, second) == pytest.approx(randomisation(second, first))
    one, other = paired_interval(first, second), paired_interval(second, first)
    assert one.mean == pytest.approx(-other.mean)
    assert one.low == pytest.approx(-other.high)


def test_pairs_need_the_same_questions() -> None:
    with pytest.raises(ValueError, match="same questions"):
        paired_interval([1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="same questions"):
        randomisation([], [])
    with pytest.raises(ValueError, match="shorter"):
        mcnemar([1.0, 0.0], [1.0])


def test_holm_raises_p_values_in_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_kappa_of_a_worked_example() -> None:
    """Both yes 20, both no 15, apart 5 and 10: 0.7 observed, 0.5 by chance."""
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohens_kappa(first, second) == pytest.approx(0.4)
    assert cohens_kappa(first, first) == 1
    assert cohens_kappa(["a", "b"], ["b", "a"]) == -1
    assert cohens_kappa(["a", "a"], ["a", "a"]) is None


@pytest.mark.parametrize("second", [[], ["a", "b"]])
def test_kappa_needs_labels_of_the_same_things(second: list[str]) -> None:
    with pytest.raises(ValueError, match="the same items"):
        cohens_kappa(["a"] if second else [], second)

"""Intervals of means, and what they show."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from likewise.experiments.paper._intervals import (
    Interval,
    Shown,
    all_of,
    factor,
    interval_of,
)

values = st.lists(st.floats(-1, 1).map(lambda x: round(x, 4)), min_size=3, max_size=12)


@given(values)
def test_an_interval_is_students(found: list[float]) -> None:
    interval = interval_of(found)

    if np.std(found) > 1e-6:
        expected = ttest_1samp(found, 0.0).confidence_interval(0.95)
        assert interval.low == pytest.approx(expected.low)
        assert interval.high == pytest.approx(expected.high)
    assert interval.mean == pytest.approx(np.mean(found))
    assert interval.low <= interval.mean <= interval.high


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)

    hit = [
        interval.low <= 0.3 <= interval.high
        for interval in map(interval_of, rng.normal(0.3, 1.0, (2000, 10)))
    ]

    assert 0.94 <= np.mean(hit) <= 0.96


@pytest.mark.parametrize("found", [[], [0.9], [0.9, 0.9]])
def test_of_fewer_than_three_repeats_nothing_is_said(found: list[float]) -> None:
    interval = interval_of(found)

    assert not interval.is_known
    assert interval.above(-2) is interval.above(2) is interval.within(2) is Shown.OPEN


@pytest.mark.parametrize(
    ("low", "high", "threshold", "shown"),
    [
        (0.1, 0.3, 0.0, Shown.YES),
        (-0.3, -0.1, 0.0, Shown.NO),
        (-0.1, 0.3, 0.0, Shown.OPEN),
        (-0.005, 0.3, -0.01, Shown.YES),
        (0.01, 0.03, 0.02, Shown.OPEN),
        (0.0, 0.0, 0.0, Shown.NO),  # the same in each repeat is not above
    ],
)
def test_above_is_where_the_whole_interval_is(
    low: float, high: float, threshold: float, shown: Shown
) -> None:
    assert Interval((low + high) / 2, low, high, 10).above(threshold) is shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (-0.05, 0.05, Shown.YES),
        (0.04, 0.06, Shown.OPEN),
        (0.06, 0.07, Shown.NO),
        (-0.07, -0.06, Shown.NO),
        (-0.2, 0.2, Shown.OPEN),
    ],
)
def test_similar_is_where_the_interval_lies_inside(
    low: float, high: float, shown: Shown
) -> None:
    assert Interval((low + high) / 2, low, high, 10).within(0.05) is shown


def test_all_of_some_are_shown_as_the_weakest() -> None:
    assert all_of([Shown.YES, Shown.YES]) is Shown.YES
    assert all_of([Shown.YES, Shown.OPEN]) is Shown.OPEN
    assert all_of([Shown.OPEN, Shown.NO, Shown.YES]) is Shown.NO


def test_half_a_width_is_the_factor_times_the_deviation() -> None:
    found = [0.1, 0.4, 0.2, 0.9]

    assert interval_of(found).half == pytest.approx(factor(4) * np.std(found, ddof=1))


def test_an_interval_is_written_with_its_signs() -> None:
    assert str(Interval(0.1, -0.02, 0.22, 5)) == "+0.100 [-0.020, +0.220]"

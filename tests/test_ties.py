"""What is best when the last digits of numbers say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from likewise._ties import (
    EXACT,
    LARGE,
    best_columns,
    best_first,
    first_best,
    first_least,
    least_columns,
    ranked,
    reaches,
    tied_best,
)

# Few distinct values, so that many are equal; none as near to another as an edge is.
few = st.integers(-5, 5).map(float)
scores = st.lists(few, min_size=1, max_size=30).map(np.array)
tables = arrays(
    np.float64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=few
)
kinds = st.sampled_from([(np.float64, 1e-12), (np.float32, 2e-6)])


def shaken(numbers: NDArray[Any], by: float, seed: int) -> NDArray[Any]:
    """Return numbers that differ in their last digits, by so much at most."""
    noise = np.random.default_rng(seed).uniform(-by, by, numbers.shape)
    return (numbers * (1 + noise)).astype(numbers.dtype)


@given(scores, kinds, st.integers(0, 99))
def test_rounding_chooses_nothing(
    numbers: NDArray[Any], kind: tuple[Any, float], seed: int
) -> None:
    numbers = numbers.astype(kind[0])
    other = shaken(numbers, kind[1], seed)

    assert first_best(other) == int(np.argmax(numbers))
    assert first_least(other) == int(np.argmin(numbers))
    assert ranked(other).tolist() == np.argsort(-numbers, kind="stable").tolist()


@given(tables, kinds, st.integers(0, 99))
def test_rounding_chooses_no_column(
    rows: NDArray[Any], kind: tuple[Any, float], seed: int
) -> None:
    rows = rows.astype(kind[0])
    other = shaken(rows, kind[1], seed)

    assert best_columns(other).tolist() == rows.argmax(axis=1).tolist()
    assert least_columns(other).tolist() == rows.argmin(axis=1).tolist()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30).map(np.array))
def test_an_order_holds_each_position_once_and_falls_but_for_ties(
    numbers: NDArray[Any],
) -> None:
    order = ranked(numbers)
    falling = numbers[order]
    highest = np.maximum.accumulate(falling[::-1])[::-1]  # of what is still to come

    assert sorted(order.tolist()) == list(range(len(numbers)))
    assert order[0] == first_best(numbers)
    assert (falling >= highest - EXACT * np.abs(highest)).all()


@given(scores, st.permutations(range(30)))
def test_the_best_score_does_not_depend_on_the_order(
    numbers: NDArray[Any], order: list[int]
) -> None:
    turned = numbers[[at for at in order if at < len(numbers)]]

    assert turned[first_best(turned)] == numbers[first_best(numbers)]


@given(scores, st.floats(1e-300, 1e300))
def test_the_scale_of_scores_does_not_count(numbers: NDArray[Any], by: float) -> None:
    assume(np.isfinite(numbers * by).all())

    assert first_best(numbers * by) == first_best(numbers)
    assert ranked(numbers * by).tolist() == ranked(numbers).tolist()


@pytest.mark.parametrize(("kind", "within"), [(np.float64, EXACT), (np.float32, LARGE)])
def test_a_tie_is_as_wide_as_the_type_is_wrong(kind: Any, within: float) -> None:
    near, far = 1 - within / 2, 1 - within * 2

    assert tied_best(np.array([near, 1.0, far], dtype=kind)).tolist() == [
        True,
        True,
        False,
    ]


def test_no_grid_has_an_edge_between_equal_numbers() -> None:
    edge = 0.5 + 0.5e-9  # where rounding to nine digits turns
    other = [edge - 1e-16, edge + 1e-16]

    assert np.round(other, 9)[0] != np.round(other, 9)[1]
    assert first_best(other) == 0


def test_infinity_ties_with_infinity_alone() -> None:
    assert first_best([1.0, np.inf, np.inf]) == 1
    assert list(best_first([-np.inf, 2.0, np.inf, -np.inf])) == [2, 1, 0, 3]


def test_noughts_tie_in_the_unit_that_is_given() -> None:
    assert first_best([0.0, 1e-17]) == 1
    assert first_best([0.0, 1e-17], unit=1.0) == 0
    assert first_least([1.0, 1e-17, 0.0]) == 1


def test_of_nothing_there_is_no_best() -> None:
    assert list(best_first([])) == []


def test_a_long_tie_is_left_in_its_order() -> None:
    assert ranked(np.ones(1000)).tolist() == list(range(1000))


def test_a_bar_is_reached_from_just_below() -> None:
    assert reaches(0.1 + 0.2, 0.3)
    assert reaches(0.3, 0.1 + 0.2)
    assert not reaches(0.3 - 1e-6, 0.3)
    assert reaches(np.array([0.2, 0.3]), 0.1 + 0.2).tolist() == [False, True]

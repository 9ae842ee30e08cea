"""What an answer is worth, and the largest of many numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from likewise._arrays import Floats
from likewise.methods._likewise._gain import (
    best_first,
    entry_of,
    likeliest,
    uncertainty_drop,
)

DIGITS = 9


def gini_drop(row: Floats, entry: int, wrong: float) -> float:
    """Ask about one entry of a row, both answers by Bayes, and compare."""
    drop = -float((row**2).sum())
    is_entry = np.arange(len(row)) == entry
    for says_same in (True, False):
        fits = is_entry == says_same
        joint = row * np.where(fits, 1 - wrong, wrong)
        chance = float(joint.sum())
        if chance > 0:
            drop += chance * float(((joint / chance) ** 2).sum())
    return drop


@given(
    st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
    st.one_of(st.just(0.0), st.floats(0.001, 0.5)),
)
def test_the_drop_is_the_mean_over_both_answers(
    weights: list[float], wrong: float
) -> None:
    row = np.array(weights) / sum(weights)

    for entry in range(len(row)):
        others = float((np.delete(row, entry) ** 2).sum())
        actual = float(uncertainty_drop(row[entry], np.array(others), wrong))
        assert actual == pytest.approx(gini_drop(row, entry, wrong), abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.001, 0.5))
def test_an_answer_is_never_expected_to_raise_uncertainty(
    p: float, spread: float, wrong: float
) -> None:
    # What the others are: one of them, or many small ones, or between the two.
    others = np.array((1 - p) ** 2 * spread)

    drop = float(uncertainty_drop(np.array(p), others, wrong))

    assert drop >= -1e-12


@pytest.mark.parametrize("p", [0.0, 1.0])
@pytest.mark.parametrize("wrong", [0.0, 0.1])
def test_what_is_certain_is_not_worth_asking(p: float, wrong: float) -> None:
    others = np.array((1 - p) ** 2)

    drop = float(uncertainty_drop(np.array(p), others, wrong))

    assert drop == pytest.approx(0.0, abs=1e-9)


def test_answers_that_are_wrong_half_the_time_say_nothing() -> None:
    p, others = np.array([0.2, 0.5, 0.9]), np.array([0.3, 0.25, 0.01])

    np.testing.assert_allclose(uncertainty_drop(p, others, 0.5), 0.0, atol=1e-12)


@given(st.floats(0.01, 0.99), st.floats(0, 0.2))
def test_surer_answers_are_worth_more(p: float, wrong: float) -> None:
    others = np.array((1 - p) ** 2)

    less, more = (
        float(uncertainty_drop(np.array(p), others, e)) for e in (wrong + 0.1, wrong)
    )

    assert more >= less - 1e-12


def test_the_likeliest_class_comes_with_the_squares_of_the_others(
    rng: np.random.Generator,
) -> None:
    whole = rng.dirichlet(np.ones(5), 6)
    rows, new = whole[:, :4], whole[:, 4]

    top, p, others = likeliest(rows, rows, new)

    for at, row in enumerate(whole):
        assert top[at] == row[:4].argmax()
        assert p[at] == row[:4].max()
        assert others[at] == pytest.approx((np.delete(row, top[at]) ** 2).sum())
        assert entry_of(rows, new, at, int(top[at])) == pytest.approx(
            (p[at], others[at])
        )


def test_a_class_that_cannot_be_asked_about_is_not_the_likeliest() -> None:
    rows, new = np.array([[0.6, 0.3]]), np.array([0.1])

    top, p, others = likeliest(np.array([[0.0, 0.3]]), rows, new)

    assert (top[0], p[0]) == (1, 0.3)
    assert others[0] == pytest.approx(0.6**2 + 0.1**2)


@given(arrays(np.float64, st.integers(1, 12), elements=st.floats(-1, 100)))
def test_every_position_comes_once_the_largest_first(gain: Floats) -> None:
    order = list(best_first(gain, DIGITS))

    assert sorted(order) == list(range(len(gain)))
    if gain.max() > 0:
        coarse = 2 * 10.0**-DIGITS * gain.max()
        assert (np.diff(np.maximum(gain, -gain.max())[order]) <= coarse).all()


def test_of_gains_that_differ_by_rounding_only_the_first_comes_first() -> None:
    gain = np.array([1.0, 3.0, 3.0 * (1 + 1e-14), 2.0])

    assert list(best_first(gain, DIGITS)) == [1, 2, 3, 0]


def test_without_gains_the_order_stays() -> None:
    assert list(best_first(np.zeros(3), DIGITS)) == [0, 1, 2]
    assert list(best_first(np.zeros(0), DIGITS)) == []

"""Logistic maps from what a model says to what answers say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from likewise._arrays import Floats
from likewise.methods._likewise._merges import TINY, fitted_map, logit, sigmoid

Seen = list[tuple[float, bool]]
WIDE = (-100.0, 100.0)
PRIORS = st.tuples(st.floats(-2, 2), st.floats(0.2, 3))


def seen(max_size: int = 12, *, least: float = 0.0) -> st.SearchStrategy[Seen]:
    x = st.floats(least, 1 - least)
    return st.lists(st.tuples(x, st.booleans()), max_size=max_size)


def penalised_loss(w: Floats, data: Seen, prior: tuple[float, float]) -> float:
    """Return minus the log posterior, by its definition."""
    loss = (w[0] - prior[0]) ** 2 / 2 + 4 * (w[1] - prior[1]) ** 2 / 2
    for x, same in data:
        z = w[0] + w[1] * float(logit(np.array(x)))
        loss += np.logaddexp(0, -z if same else z)
    return float(loss)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_logit_undoes_sigmoid(drawn: list[float]) -> None:
    p = np.clip(drawn, TINY, 1 - TINY)

    np.testing.assert_allclose(sigmoid(logit(p)), p, rtol=1e-9)


def test_logit_and_sigmoid_stay_finite_at_the_ends() -> None:
    assert np.isfinite(logit(np.array([0.0, 1.0]))).all()
    np.testing.assert_allclose(
        sigmoid(np.array([-1e9, 0.0, 1e9])), [0.0, 0.5, 1.0], atol=1e-12
    )


@settings(max_examples=40)
@given(seen(least=0.01), PRIORS)
def test_a_map_is_the_most_probable_one(data: Seen, prior: tuple[float, float]) -> None:
    expected = minimize(penalised_loss, np.array(prior), (data, prior), tol=1e-9)

    actual = fitted_map(tuple(data), prior, WIDE)

    np.testing.assert_allclose(actual, expected.x, atol=1e-5)


@given(seen(max_size=30, least=0.01), PRIORS)
def test_at_the_map_the_loss_is_flat(data: Seen, prior: tuple[float, float]) -> None:
    w = np.array(fitted_map(tuple(data), prior, WIDE))

    step = 1e-5
    for direction in np.eye(2) * step:
        up = penalised_loss(w + direction, data, prior)
        down = penalised_loss(w - direction, data, prior)
        assert abs(up - down) / (2 * step) < 1e-3


def test_a_map_is_the_most_probable_one_also_when_sure_sayings_were_wrong() -> None:
    hits = (1.0, 0.999, 0.001, 0.5, 0.99, 0.5, 1.0, 0.0, 0.9, 0.0)
    misses = (0.1, 1.0, 0.1, 0.9, 0.1)
    data = [*((x, True) for x in hits), *((x, False) for x in misses)]
    prior = (0.0, 1.5)
    expected = minimize(penalised_loss, np.array(prior), (data, prior), tol=1e-9)

    actual = fitted_map(tuple(data), prior, WIDE)

    np.testing.assert_allclose(actual, expected.x, atol=1e-5)


@given(PRIORS)
def test_without_answers_a_map_is_the_prior(prior: tuple[float, float]) -> None:
    assert fitted_map((), prior, WIDE) == prior


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_answers_that_a_line_separates_give_a_finite_map(n: int) -> None:
    data = [(1e-9, False), (0.0, False), (1.0, True), (0.9, True)] * n

    a, b = fitted_map(tuple(data), (0.0, 1.5), WIDE)

    assert np.isfinite([a, b]).all()
    assert abs(a) < 10
    assert 0 < b < 10


@given(seen(max_size=30), st.floats(0.1, 1), st.floats(1, 3))
def test_the_slope_is_kept_inside_its_limits(
    data: Seen, least: float, largest: float
) -> None:
    _, slope = fitted_map(tuple(data), (0.0, 1.0), (least, largest))

    assert least <= slope <= largest


def test_answers_that_say_the_opposite_leave_the_least_slope() -> None:
    data = [(0.01, True), (0.99, False)] * 20

    assert fitted_map(tuple(data), (0.0, 1.0), (0.2, 10.0))[1] == 0.2


def test_more_hits_than_said_raise_the_map_and_fewer_lower_it() -> None:
    hits, misses = [(0.5, True)] * 10, [(0.5, False)] * 10

    assert fitted_map(tuple(hits), (0.0, 1.0), WIDE)[0] > 0.5
    assert fitted_map(tuple(misses), (0.0, 1.0), WIDE)[0] < -0.5


@given(seen(least=0.01), PRIORS, st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_matter(
    data: Seen, prior: tuple[float, float], random: Any
) -> None:
    mixed = random.sample(data, len(data))

    np.testing.assert_allclose(
        fitted_map(tuple(mixed), prior, WIDE),
        fitted_map(tuple(data), prior, WIDE),
        atol=1e-6,
    )

"""Logistic regression around a belief: against its definition, where it is hard too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from likewise._arrays import Floats
from likewise.knowledge import logistic_fit


def loss(w: Floats, rows: Floats, same: Floats, mean: Floats, prec: Floats) -> float:
    eta = rows @ w
    misfit = (np.logaddexp(0, eta) - same * eta).sum()
    return float(misfit + (prec * (w - mean) ** 2).sum() / 2)


def slope_at(
    w: Floats, rows: Floats, same: Floats, mean: Floats, prec: Floats
) -> Floats:
    found: Floats = rows.T @ (same - expit(rows @ w)) - prec * (w - mean)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_likelier(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, mean = rng.standard_normal((40, 3)), rng.standard_normal(3)
    same = (rng.random(40) < 0.4).astype(float)
    precision = np.array([0.2, 1.0, 3.0])

    found, curve = logistic_fit(rows, same, mean, precision)

    by_scipy = minimize(loss, mean, (rows, same, mean, precision), tol=1e-12)
    assert found == pytest.approx(by_scipy.x, abs=1e-4)
    weights = expit(rows @ found) * (1 - expit(rows @ found))
    expected = (rows.T * weights) @ rows + np.diag(precision)
    assert curve == pytest.approx(expected, rel=1e-5)


@given(
    seed=st.integers(0, 10_000),
    steepness=st.floats(0.1, 30.0),
    sigma=st.floats(0.05, 10.0),
    shift=st.floats(-20.0, 20.0),
)
def test_it_gets_there_however_sure_and_wrong_the_belief(
    seed: int, steepness: float, sigma: float, shift: float
) -> None:
    """Whole steps would overshoot here, and swing ever farther."""
    rng = np.random.default_rng(seed)
    evidence = 3 * rng.standard_normal(60)
    rows = np.column_stack([np.ones(60), evidence])
    same = (evidence > rng.normal(0, 0.2, 60)).astype(float)
    mean, precision = np.array([shift, steepness]), np.full(2, sigma**-2)

    found, _ = logistic_fit(rows, same, mean, precision)

    scale = 1 + np.abs(rows).sum() + np.abs(precision * mean).sum()
    assert np.abs(slope_at(found, rows, same, mean, precision)).max() < 1e-6 * scale


def test_without_rows_it_is_what_was_believed() -> None:
    mean, precision = np.array([1.0, -2.0]), np.array([4.0, 1.0])

    found, curve = logistic_fit(np.empty((0, 2)), [], mean, precision)

    assert found.tolist() == mean.tolist()
    assert curve.tolist() == np.diag(precision).tolist()


def test_a_row_that_counts_twice_is_two_rows() -> None:
    rows = np.array([[1.0, 0.5], [1.0, -1.0], [1.0, 2.0]])
    same, prior = np.array([1.0, 0.0, 0.3]), (np.zeros(2), np.ones(2))
    twice = [0, 0, 1, 2]

    counted, _ = logistic_fit(rows, same, *prior, np.array([2.0, 1.0, 1.0]))
    repeated, _ = logistic_fit(rows[twice], same[twice], *prior)

    assert counted == pytest.approx(repeated, abs=1e-8)

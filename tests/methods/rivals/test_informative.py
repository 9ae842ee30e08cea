"""The worst-case loss of QUIRE against the form that its paper has."""

from __future__ import annotations

import numpy as np
import pytest

from likewise._arrays import Floats, Indices
from likewise.methods._rivals._pool import worst_case_losses

N, N_LABELLED = 9, 4


def kernel(rng: np.random.Generator) -> Floats:
    """Return a kernel of nine samples, far from full rank."""
    X = rng.standard_normal((N, 3))
    return X @ X.T


def loss_of_the_paper(K: Floats, y: Floats, s: int, ridge: float) -> float:
    """Return max over y_s of min over the labels that stay unknown of y'Ly.

    The first samples are labelled; the minimum is where the gradient vanishes,
    L_uu y_u + L_ur y_r = 0.
    """
    L = np.linalg.inv(K + ridge * np.eye(N))
    r = np.array([*range(len(y)), s])
    u = np.setdiff1d(np.arange(N), r)
    losses = []
    for y_s in (1.0, -1.0):
        full = np.zeros(N)
        full[r] = [*y, y_s]
        full[u] = -np.linalg.solve(L[np.ix_(u, u)], L[np.ix_(u, r)] @ full[r])
        losses.append(float(full @ L @ full))
    return max(losses)


def losses(K: Floats, y: Floats, candidates: Indices, ridge: float = 1.0) -> Floats:
    o = np.arange(len(y))
    own = K[candidates, candidates]
    return worst_case_losses(K[np.ix_(o, o)], K[np.ix_(candidates, o)], own, y, ridge)


@pytest.mark.parametrize("ridge", [0.1, 1.0, 10.0])
def test_the_loss_is_that_of_the_paper(ridge: float, rng: np.random.Generator) -> None:
    for _ in range(10):
        K, y = kernel(rng), rng.choice([-1.0, 1.0], N_LABELLED)
        candidates = np.arange(N_LABELLED, N)

        expected = [loss_of_the_paper(K, y, s, ridge) for s in candidates.tolist()]

        np.testing.assert_allclose(losses(K, y, candidates, ridge), expected)


def test_the_labels_that_stay_unknown_are_at_their_best(
    rng: np.random.Generator,
) -> None:
    K, y = kernel(rng), rng.choice([-1.0, 1.0], N_LABELLED)
    L = np.linalg.inv(K + np.eye(N))

    for s in range(N_LABELLED, N):
        least = loss_of_the_paper(K, y, s, 1.0)
        for _ in range(20):
            others = [3 * rng.standard_normal(N) for _ in (1, -1)]
            for other, y_s in zip(others, (1.0, -1.0), strict=True):
                other[: len(y)], other[s] = y, y_s
            assert max(other @ L @ other for other in others) >= least - 1e-9


def test_turning_all_labels_round_changes_nothing(rng: np.random.Generator) -> None:
    K, y = kernel(rng), rng.choice([-1.0, 1.0], N_LABELLED)
    candidates = np.arange(N_LABELLED, N)

    np.testing.assert_allclose(losses(K, -y, candidates), losses(K, y, candidates))


def test_between_two_labels_less_is_lost_than_beside_one() -> None:
    places = np.array([0.0, 4.0, 2.0, 0.5])
    K = np.exp(-((places[:, np.newaxis] - places) ** 2) / 4)

    between, beside = losses(K, np.array([1.0, -1.0]), np.array([2, 3]))

    assert between < beside


def test_equal_samples_do_no_harm() -> None:
    actual = losses(np.ones((N, N)), np.ones(N_LABELLED), np.arange(N_LABELLED, N))

    assert np.isfinite(actual).all()
    assert (actual > 0).all()

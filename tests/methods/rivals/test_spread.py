"""How far samples are spread."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.definitions import euclidean

from likewise.methods._rivals._pool import centred, mean_square_distance, within


def test_the_spread_within_classes_is_that_of_the_definition(
    rng: np.random.Generator,
) -> None:
    X, classes = rng.standard_normal((9, 3)), np.array([0, 1, 2, 0, 1, 2, 0, 0, 1])

    expected = sum(
        ((X[classes == c] - X[classes == c].mean(axis=0)) ** 2).sum(axis=0)
        for c in range(3)
    )

    np.testing.assert_allclose(within(X, classes), expected)
    np.testing.assert_allclose(within(sp.csr_array(X), classes), expected)


def test_the_mean_square_distance_is_that_over_all_pairs(
    rng: np.random.Generator,
) -> None:
    X = 5 + rng.standard_normal((8, 2))

    expected = (euclidean(X) ** 2).mean()

    assert mean_square_distance(X) == pytest.approx(expected)
    assert mean_square_distance(sp.csr_array(X)) == pytest.approx(expected)


def test_samples_far_from_zero_are_spread_as_they_are_near_it(
    rng: np.random.Generator,
) -> None:
    X = rng.standard_normal((20, 3))

    assert mean_square_distance(X + 1e7) == pytest.approx(mean_square_distance(X))


def test_samples_that_are_all_equal_have_a_scale_nevertheless() -> None:
    assert mean_square_distance(np.full((4, 2), 3.0)) == 1.0


def test_centring_leaves_sparse_samples_alone() -> None:
    X = sp.csr_array(np.eye(3))

    assert centred(X) is X

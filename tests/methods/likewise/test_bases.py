"""Bases that class indicators are regressed on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import euclidean

from likewise._arrays import Floats
from likewise.methods._likewise._bases import (
    N_TYPICAL,
    RANK,
    SMOOTHING,
    WIDTH,
    feature_basis,
    graph_basis,
    with_scores,
)


def kernel_of(basis: Floats) -> Floats:
    """Return the covariance of a field over the basis, its constant left out."""
    return basis[:, 1:] @ basis[:, 1:].T


def centred_gaussian(X: Floats) -> Floats:
    """Return H K H of mean diagonal 1, H the centring matrix."""
    n = len(X)
    squared = euclidean(X) ** 2
    width = WIDTH * np.median(squared[np.triu_indices(n, 1)])
    H = np.eye(n) - 1 / n
    K = H @ np.exp(-squared / width) @ H
    return K * n / np.trace(K)


def mean_variance(basis: Floats) -> float:
    return float(np.diag(kernel_of(basis)).mean())


@pytest.fixture
def X(rng: np.random.Generator) -> Floats:
    return rng.standard_normal((20, 3))


def test_the_graph_basis_is_eigenvectors_weighted_by_smoothness(
    rng: np.random.Generator,
) -> None:
    values = np.sort(rng.uniform(0, 1, 5))
    vectors = rng.standard_normal((12, 5))
    weighted = np.array(
        [
            [vectors[i, j] / (values[j] + SMOOTHING) for j in range(1, 5)]
            for i in range(12)
        ]
    )
    size = np.sqrt((weighted**2).sum() / 12)

    actual = graph_basis(values, vectors)

    np.testing.assert_array_equal(actual[:, 0], np.ones(12))
    np.testing.assert_allclose(actual[:, 1:], weighted / size, rtol=1e-12)


@given(st.integers(1, 8), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_a_field_over_the_graph_has_mean_variance_1(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)

    actual = graph_basis(np.sort(rng.uniform(0, 2, k)), rng.standard_normal((n, k)))

    assert actual.shape == (n, k)
    assert mean_variance(actual) == pytest.approx(1.0 if k > 1 else 0.0)


def test_the_graph_basis_of_one_vector_is_the_constant() -> None:
    actual = graph_basis(np.zeros(1), np.ones((4, 1)))

    np.testing.assert_array_equal(actual, np.ones((4, 1)))


def test_with_enough_directions_features_give_the_centred_gaussian_kernel(
    X: Floats,
) -> None:
    actual = feature_basis(X, rank=len(X))

    np.testing.assert_array_equal(actual[:, 0], np.ones(len(X)))
    # What is left unexplained is below one in a million, before scaling.
    np.testing.assert_allclose(
        kernel_of(actual), centred_gaussian(with_scores(X)), atol=1e-4
    )


@pytest.mark.parametrize("rank", [1, 4, 9])
def test_fewer_directions_are_kept_when_fewer_are_wanted(rank: int, X: Floats) -> None:
    actual = feature_basis(X, rank=rank)

    assert actual.shape == (20, rank + 1)
    np.testing.assert_allclose(actual[:, 1:].mean(axis=0), 0.0, atol=1e-12)
    assert mean_variance(actual) == pytest.approx(1.0)


def test_more_directions_come_nearer_to_the_kernel(X: Floats) -> None:
    def misfit(rank: int) -> float:
        gap = kernel_of(feature_basis(X, rank=rank)) - centred_gaussian(with_scores(X))
        return float(np.abs(gap).max())

    assert misfit(20) < misfit(10) < misfit(2)


def test_no_more_directions_are_kept_than_there_are_distinct_samples(
    rng: np.random.Generator,
) -> None:
    X = np.repeat(rng.standard_normal((4, 2)), 6, axis=0)

    assert feature_basis(X).shape == (24, 5)


def test_duplicates_have_the_same_row(rng: np.random.Generator) -> None:
    X = np.repeat(rng.standard_normal((5, 2)), 3, axis=0)

    actual = feature_basis(X)

    assert np.isfinite(actual).all()
    np.testing.assert_allclose(actual[::3], actual[1::3], atol=1e-9)
    np.testing.assert_allclose(
        kernel_of(actual), centred_gaussian(with_scores(X)), atol=1e-4
    )


@pytest.mark.parametrize("n", [1, 2, 7])
def test_samples_that_are_all_equal_say_nothing(n: int) -> None:
    actual = feature_basis(np.full((n, 3), 2.5))

    np.testing.assert_allclose(actual[:, 0], 1.0)
    np.testing.assert_allclose(actual[:, 1:], 0.0, atol=1e-12)


def test_a_constant_feature_changes_nothing(X: Floats) -> None:
    wider = np.column_stack([X, np.full(len(X), 3.0)])

    actual, expected = kernel_of(feature_basis(wider)), kernel_of(feature_basis(X))

    np.testing.assert_allclose(actual, expected, atol=1e-6)


@pytest.mark.parametrize("unit", [1e-4, 1e4])
def test_the_unit_of_the_features_does_not_matter(unit: float, X: Floats) -> None:
    actual, expected = kernel_of(feature_basis(unit * X)), kernel_of(feature_basis(X))

    np.testing.assert_allclose(actual, expected, atol=1e-6)


def test_the_unit_does_not_matter_even_where_most_samples_are_equal() -> None:
    X = np.array([0.0] * 20 + [1.0, 3.0, 4.0])[:, np.newaxis]

    actual, expected = kernel_of(feature_basis(1e-3 * X)), kernel_of(feature_basis(X))

    np.testing.assert_allclose(actual, expected, atol=1e-6)


def test_where_zero_is_does_not_matter(X: Floats) -> None:
    moved = feature_basis(X + 1e7)

    np.testing.assert_allclose(kernel_of(moved), kernel_of(feature_basis(X)), atol=1e-4)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_features_give_the_kernel_of_the_features_alone(
    convert: Any, rng: np.random.Generator
) -> None:
    X = rng.standard_normal((20, 6)) * (rng.random((20, 6)) < 0.4)

    actual = feature_basis(convert(X), rank=20)

    np.testing.assert_allclose(kernel_of(actual), centred_gaussian(X), atol=1e-4)


def test_scores_stand_beside_the_features_and_keep_their_order_and_spread(
    rng: np.random.Generator,
) -> None:
    X = np.exp(2 * rng.standard_normal((30, 3)))

    actual = with_scores(X)

    np.testing.assert_array_equal(actual[:, :3], X - X.mean(axis=0))
    scores = actual[:, 3:]
    np.testing.assert_array_equal(np.argsort(scores, axis=0), np.argsort(X, axis=0))
    np.testing.assert_allclose(scores.std(axis=0), X.std(axis=0))
    np.testing.assert_allclose(scores.mean(axis=0), 0.0, atol=1e-9)


def test_scores_depend_on_nothing_but_order_and_spread(X: Floats) -> None:
    bent = X**3

    actual, expected = with_scores(bent)[:, 3:], with_scores(X)[:, 3:]

    np.testing.assert_allclose(
        actual / bent.std(axis=0), expected / X.std(axis=0), atol=1e-9
    )


def test_equal_values_have_equal_scores() -> None:
    X = np.array([[1.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])

    scores = with_scores(X)[:, 2:]

    assert scores[0, 0] == scores[1, 0] < scores[2, 0] < scores[3, 0]
    np.testing.assert_array_equal(scores[:, 1], 0.0)


def test_many_samples_cost_no_more_than_the_rank(rng: np.random.Generator) -> None:
    X = rng.standard_normal((2 * N_TYPICAL, 8))

    actual = feature_basis(X)

    assert actual.shape == (2 * N_TYPICAL, RANK + 1)
    assert mean_variance(actual) == pytest.approx(1.0)


def test_what_was_given_is_not_changed(X: Floats) -> None:
    before = X.copy()

    feature_basis(X)

    np.testing.assert_array_equal(X, before)

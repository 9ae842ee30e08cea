"""Bases that class indicators are regressed on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import euclidean

from likewise._arrays import Floats
from likewise.methods._likewise import _bases
from likewise.methods._likewise._bases import (
    N_TYPICAL,
    RANK,
    SMOOTHING,
    WIDTH,
    Scores,
    factored_basis,
    feature_basis,
    graph_basis,
    sampled_basis,
    with_scores,
)
from likewise.methods._likewise._posterior import Basis
from likewise.methods._likewise._regimes import EXACT, LARGE, Regime
from likewise.spectral import DOUBLE, SINGLE


def rows_of(basis: Basis) -> Floats:
    """Return the basis written out, with the leading column of ones."""
    return basis.rows(np.arange(len(basis.array)))


def kernel_of(basis: Basis) -> Floats:
    """Return the covariance of a field over the basis, its constant left out."""
    rows = rows_of(basis)[:, 1:]
    return rows @ rows.T


def centred_gaussian(X: Floats) -> Floats:
    """Return H K H of mean diagonal 1, H the centring matrix."""
    n = len(X)
    squared = euclidean(X) ** 2
    width = WIDTH * np.median(squared[np.triu_indices(n, 1)])
    H = np.eye(n) - 1 / n
    K = H @ np.exp(-squared / width) @ H
    return K * n / np.trace(K)


def mean_variance(basis: Basis) -> float:
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

    actual = graph_basis(values, DOUBLE.array(vectors))

    rows = rows_of(actual)
    np.testing.assert_array_equal(rows[:, :2], [[1.0, 0.0]] * 12)
    np.testing.assert_allclose(rows[:, 2:], weighted / size, rtol=1e-12)
    assert DOUBLE.host(actual.array) is vectors


@given(st.integers(1, 8), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_a_field_over_the_graph_has_mean_variance_1(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)

    actual = graph_basis(
        np.sort(rng.uniform(0, 2, k)), DOUBLE.array(rng.standard_normal((n, k)))
    )

    assert rows_of(actual).shape == (n, k + 1)
    assert mean_variance(actual) == pytest.approx(1.0 if k > 1 else 0.0)


def test_the_graph_basis_of_one_vector_is_the_constant() -> None:
    actual = graph_basis(np.zeros(1), DOUBLE.array(np.ones((4, 1))))

    np.testing.assert_array_equal(rows_of(actual), [[1.0, 0.0]] * 4)


def test_with_enough_directions_features_give_the_centred_gaussian_kernel(
    X: Floats,
) -> None:
    actual = factored_basis(X, rank=len(X))

    np.testing.assert_array_equal(rows_of(actual)[:, 0], np.ones(len(X)))
    # What is left unexplained is below one in a million, before scaling.
    np.testing.assert_allclose(
        kernel_of(actual), centred_gaussian(with_scores(X)), atol=1e-4
    )


@pytest.mark.parametrize("rank", [1, 4, 9])
def test_fewer_directions_are_kept_when_fewer_are_wanted(rank: int, X: Floats) -> None:
    actual = factored_basis(X, rank=rank)

    assert actual.array.shape == (20, rank)
    np.testing.assert_allclose(np.asarray(actual.array).mean(axis=0), 0.0, atol=1e-12)
    assert mean_variance(actual) == pytest.approx(1.0)


def test_more_directions_come_nearer_to_the_kernel(X: Floats) -> None:
    def misfit(rank: int) -> float:
        gap = kernel_of(factored_basis(X, rank=rank)) - centred_gaussian(with_scores(X))
        return float(np.abs(gap).max())

    assert misfit(20) < misfit(10) < misfit(2)


def test_no_more_directions_are_kept_than_there_are_distinct_samples(
    rng: np.random.Generator,
) -> None:
    X = np.repeat(rng.standard_normal((4, 2)), 6, axis=0)

    assert factored_basis(X).array.shape == (24, 4)


def test_duplicates_have_the_same_row(rng: np.random.Generator) -> None:
    X = np.repeat(rng.standard_normal((5, 2)), 3, axis=0)

    actual = factored_basis(X)

    rows = rows_of(actual)
    assert np.isfinite(rows).all()
    np.testing.assert_allclose(rows[::3], rows[1::3], atol=1e-9)
    np.testing.assert_allclose(
        kernel_of(actual), centred_gaussian(with_scores(X)), atol=1e-4
    )


@pytest.mark.parametrize("n", [1, 2, 7])
def test_samples_that_are_all_equal_say_nothing(n: int) -> None:
    rows = rows_of(factored_basis(np.full((n, 3), 2.5)))

    np.testing.assert_allclose(rows[:, 0], 1.0)
    np.testing.assert_allclose(rows[:, 1:], 0.0, atol=1e-12)


def test_a_constant_feature_changes_nothing(X: Floats) -> None:
    wider = np.column_stack([X, np.full(len(X), 3.0)])

    actual, expected = kernel_of(factored_basis(wider)), kernel_of(factored_basis(X))

    np.testing.assert_allclose(actual, expected, atol=1e-6)


@pytest.mark.parametrize("unit", [1e-4, 1e4])
def test_the_unit_of_the_features_does_not_matter(unit: float, X: Floats) -> None:
    actual, expected = kernel_of(factored_basis(unit * X)), kernel_of(factored_basis(X))

    np.testing.assert_allclose(actual, expected, atol=1e-6)


def test_the_unit_does_not_matter_even_where_most_samples_are_equal() -> None:
    X = np.array([0.0] * 20 + [1.0, 3.0, 4.0])[:, np.newaxis]

    actual, expected = kernel_of(factored_basis(1e-3 * X)), kernel_of(factored_basis(X))

    np.testing.assert_allclose(actual, expected, atol=1e-6)


def test_where_zero_is_does_not_matter(X: Floats) -> None:
    moved = factored_basis(X + 1e7)

    np.testing.assert_allclose(
        kernel_of(moved), kernel_of(factored_basis(X)), atol=1e-4
    )


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_features_give_the_kernel_of_the_features_alone(
    convert: Any, rng: np.random.Generator
) -> None:
    X = rng.standard_normal((20, 6)) * (rng.random((20, 6)) < 0.4)

    actual = factored_basis(convert(X), rank=20)

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

    actual = factored_basis(X)

    assert actual.array.shape == (2 * N_TYPICAL, RANK)
    assert mean_variance(actual) == pytest.approx(1.0)


def test_what_was_given_is_not_changed(X: Floats) -> None:
    before = X.copy()

    factored_basis(X)

    np.testing.assert_array_equal(X, before)


@pytest.fixture
def skewed(rng: np.random.Generator) -> Floats:
    return np.exp(rng.standard_normal((60, 3)))


def expected_kernel(X: Any, rank: int) -> Floats:
    return kernel_of(factored_basis(X, rank=rank))


@pytest.mark.parametrize(
    ("regime", "dtype"), [(EXACT, np.float64), (LARGE, np.float32)]
)
def test_a_regime_has_its_own_way_to_the_same_kernel(
    regime: Regime, dtype: type, skewed: Floats
) -> None:
    actual = feature_basis(skewed, regime)

    assert np.asarray(actual.array).dtype == dtype
    np.testing.assert_allclose(
        kernel_of(actual), expected_kernel(skewed, RANK), atol=1e-4
    )


@pytest.mark.parametrize("rank", [1, 5, 60])
def test_when_all_samples_are_drawn_the_kernel_is_that_of_all(
    rank: int, skewed: Floats
) -> None:
    actual = sampled_basis(skewed, rank=rank)

    np.testing.assert_allclose(
        kernel_of(actual), expected_kernel(skewed, rank), atol=1e-4
    )


def test_blocks_make_no_difference(
    skewed: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = kernel_of(sampled_basis(skewed))

    monkeypatch.setattr(type(SINGLE), "rows_at_once", 7)

    np.testing.assert_allclose(kernel_of(sampled_basis(skewed)), expected, atol=1e-6)


def test_from_some_samples_the_kernel_is_nearly_that_of_all(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.standard_normal((800, 3))
    expected = expected_kernel(X, 64)

    monkeypatch.setattr(_bases, "N_DRAWN", 400)

    assert np.abs(kernel_of(sampled_basis(X)) - expected).mean() < 0.02


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_features_are_as_they_are(
    convert: Any, rng: np.random.Generator
) -> None:
    X = convert(rng.standard_normal((20, 6)) * (rng.random((20, 6)) < 0.4))

    actual = kernel_of(sampled_basis(X, rank=20))

    np.testing.assert_allclose(actual, expected_kernel(X, 20), atol=1e-4)


def test_features_may_be_a_memory_map(skewed: Floats, tmp_path: Path) -> None:
    path = tmp_path / "features.npy"
    np.save(path, skewed.astype(np.float32))

    mapped = np.load(path, mmap_mode="r")

    expected = sampled_basis(skewed.astype(np.float32))
    np.testing.assert_array_equal(sampled_basis(mapped).array, expected.array)


def test_many_samples_that_are_all_equal_say_nothing() -> None:
    actual = sampled_basis(np.full((7, 3), 2.5))

    np.testing.assert_allclose(actual.array, 0.0, atol=1e-6)
    assert np.isfinite(actual.weights).all()


def test_scores_of_the_samples_of_the_table_are_their_normal_scores(
    skewed: Floats,
) -> None:
    np.testing.assert_allclose(
        Scores.of(skewed).beside(skewed), with_scores(skewed), atol=1e-12
    )


def test_scores_between_the_samples_of_the_table_are_between_theirs(
    skewed: Floats,
) -> None:
    scores = Scores.of(skewed)
    low, high = np.sort(skewed[:, 0])[[10, 11]]
    rows = np.array([[value, 1.0, 1.0] for value in (low, (low + high) / 2, high)])

    actual = np.asarray(scores.beside(rows))[:, 3]

    assert actual[0] < actual[1] < actual[2]


def test_scores_beyond_the_table_are_the_last_ones(skewed: Floats) -> None:
    scores = Scores.of(skewed)

    ends = np.array([[1e9] * 3, skewed.max(axis=0)])
    far, last = np.asarray(scores.beside(ends))[:, 3:]

    np.testing.assert_allclose(far, last)


def test_a_long_table_is_thinned(
    skewed: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = with_scores(skewed)

    monkeypatch.setattr(_bases, "N_KNOTS", 30)
    scores = Scores.of(skewed)

    assert all(len(values) == 30 for values, _ in scores.tables)
    assert np.abs(scores.beside(skewed) - expected).mean() < 0.05

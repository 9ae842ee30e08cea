"""The bases of many samples: those of few, from some samples and by blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from likewise._arrays import Floats
from likewise.methods._likewise import _bases as kernel
from likewise.methods._likewise._bases import (
    Scores,
    feature_basis,
    graph_basis,
    sampled_basis,
    scaled_vectors,
    with_scores,
)
from likewise.methods._likewise._posterior import Columns


def kernel_of(basis: Columns) -> Floats:
    """Return the covariance of a field over the basis, its constant left out."""
    rows = basis.rows(np.arange(len(basis.array)))[:, 1:]
    return rows @ rows.T


def expected_kernel(X: Any, rank: int) -> Floats:
    rows = feature_basis(X, rank=rank)[:, 1:]
    return rows @ rows.T


@pytest.fixture
def X(rng: np.random.Generator) -> Floats:
    return np.exp(rng.standard_normal((60, 3)))


def test_the_graph_basis_is_that_of_few_samples(rng: np.random.Generator) -> None:
    values, vectors = np.sort(rng.uniform(0, 1, 5)), rng.standard_normal((12, 5))
    rows = graph_basis(values, vectors)[:, 1:]

    actual = scaled_vectors(values, vectors)

    np.testing.assert_allclose(kernel_of(actual), rows @ rows.T, atol=1e-9)
    assert actual.array is vectors


@pytest.mark.parametrize("rank", [1, 5, 60])
def test_when_all_samples_are_drawn_the_kernel_is_that_of_few(
    rank: int, X: Floats
) -> None:
    actual = sampled_basis(X, rank=rank)

    np.testing.assert_allclose(kernel_of(actual), expected_kernel(X, rank), atol=1e-4)


def test_blocks_make_no_difference(X: Floats, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = kernel_of(sampled_basis(X))

    monkeypatch.setattr(kernel, "ROWS", 7)

    np.testing.assert_allclose(kernel_of(sampled_basis(X)), expected, atol=1e-6)


def test_from_some_samples_the_kernel_is_nearly_that_of_all(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.standard_normal((800, 3))
    expected = expected_kernel(X, 64)

    monkeypatch.setattr(kernel, "N_DRAWN", 400)

    assert np.abs(kernel_of(sampled_basis(X)) - expected).mean() < 0.02


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_features_are_as_they_are(
    convert: Any, rng: np.random.Generator
) -> None:
    X = convert(rng.standard_normal((20, 6)) * (rng.random((20, 6)) < 0.4))

    actual = kernel_of(sampled_basis(X, rank=20))

    np.testing.assert_allclose(actual, expected_kernel(X, 20), atol=1e-4)


def test_features_may_be_a_memory_map(X: Floats, tmp_path: Path) -> None:
    path = tmp_path / "features.npy"
    np.save(path, X.astype(np.float32))

    mapped = np.load(path, mmap_mode="r")

    expected = sampled_basis(X.astype(np.float32))
    np.testing.assert_array_equal(sampled_basis(mapped).array, expected.array)


def test_samples_that_are_all_equal_say_nothing() -> None:
    actual = sampled_basis(np.full((7, 3), 2.5))

    np.testing.assert_allclose(actual.array, 0.0, atol=1e-6)
    assert np.isfinite(actual.weights).all()


def test_scores_of_the_samples_of_the_table_are_their_normal_scores(X: Floats) -> None:
    np.testing.assert_allclose(Scores.of(X).beside(X), with_scores(X), atol=1e-12)


def test_scores_between_the_samples_of_the_table_are_between_theirs(X: Floats) -> None:
    scores = Scores.of(X)
    low, high = np.sort(X[:, 0])[[10, 11]]
    rows = np.array([[value, 1.0, 1.0] for value in (low, (low + high) / 2, high)])

    actual = scores.beside(rows)[:, 3]

    assert actual[0] < actual[1] < actual[2]


def test_scores_beyond_the_table_are_the_last_ones(X: Floats) -> None:
    scores = Scores.of(X)

    far, last = scores.beside(np.array([[1e9] * 3, X.max(axis=0)]))[:, 3:]

    np.testing.assert_allclose(far, last)


def test_a_long_table_is_thinned(X: Floats, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = with_scores(X)

    monkeypatch.setattr(kernel, "N_KNOTS", 30)
    scores = Scores.of(X)

    assert all(len(values) == 30 for values, _ in scores.tables)
    assert np.abs(scores.beside(X) - expected).mean() < 0.05

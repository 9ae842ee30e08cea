"""A few filtered columns span the lowest eigenvectors, however many coincide."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import subspace_angles

from likewise._arrays import Sparse
from likewise.affinity import auto
from likewise.spectral import graph_of, operator_of, solve
from likewise.spectral._eigen_cold import Pairs, refined
from likewise.spectral._eigen_filter import drawn, filtered
from likewise.spectral._eigen_space import Filter, spanned_by_few, values_of
from likewise.spectral._laplacian_large import Operator


def overlapping(n: int = 2000) -> Sparse:
    X = np.random.default_rng(3).normal(size=(n, 10))
    return sp.csr_array(auto(X).weights)


def of(W: Sparse, device: str = "cpu") -> Operator:
    return operator_of(graph_of(W, device=device))


def dense_values(W: Sparse) -> np.ndarray:
    scale = 1 / np.sqrt(W.sum(axis=1))
    L = np.eye(W.shape[0]) - scale[:, None] * W.toarray() * scale
    return np.linalg.eigvalsh(L)


@pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
def test_it_finds_what_a_dense_solution_finds(device: str) -> None:
    if device != "cpu":
        pytest.importorskip("torch")
    W = overlapping()
    operator = of(W, device)
    found = spanned_by_few(operator, 60, 70, lambda _: 1e-4, np.random.default_rng(0))
    assert found is not None
    pairs = solve(operator, 60)

    np.testing.assert_allclose(pairs.values[:60], dense_values(W)[:60], atol=1e-5)
    basis = operator.graph.backend.host(found[0])
    np.testing.assert_allclose(basis.T @ basis, np.eye(70), atol=1e-4)
    few = operator.graph.backend.host(pairs.ritz.basis)[:, :10]
    assert subspace_angles(basis, few).max() < 1e-2


def test_more_groups_than_columns_that_lie_apart_are_all_found() -> None:
    rng = np.random.default_rng(0)
    X = 200 * rng.normal(size=(60, 5))[np.arange(2400) % 60]
    X += rng.normal(size=X.shape)
    W = sp.csr_array(auto(X).weights)
    values = solve(of(W), 70).values
    assert (values < 1e-3).sum() == 60


def test_where_a_gap_tells_groups_apart_a_filter_over_all_takes_less() -> None:
    rng = np.random.default_rng(0)
    X = 20 * rng.normal(size=(10, 5))[np.arange(2000) % 10] + rng.normal(size=(2000, 5))
    operator = of(sp.csr_array(auto(X).weights))
    assert spanned_by_few(operator, 10, 20, lambda _: 1e-4, rng) is None


def test_it_takes_fewer_columns_than_a_filter_over_all() -> None:
    operator = of(overlapping(4000))
    pairs = solve(operator, 60, used=4000)
    start = drawn(operator, np.random.default_rng(0), 70)
    tall = Pairs(operator, filtered(operator, start, 0.0, 0.5)[0], 60, 0)
    tall = refined(tall, 1e-4, 4000, None, max_passes=40)

    assert max(pairs.worst, tall.worst) <= 1e-4
    assert pairs.columns < tall.columns


def test_a_filter_knows_the_eigenvalues_it_was_made_of() -> None:
    chebyshev = Filter(of(overlapping(50)), cut=0.4, degree=7)
    x = np.polynomial.chebyshev.Chebyshev([0] * 7 + [1])
    values = np.array([0.0, 0.05, 0.2, 0.35])
    filtered = x((values - 1.2) / 0.8) / x(-1.2 / 0.8)

    np.testing.assert_allclose(chebyshev.eigenvalues(filtered), values, atol=1e-9)


def test_eigenvalues_are_counted_about_rightly() -> None:
    W = overlapping()
    values = dense_values(W)
    few, more = values_of(of(W), [60, 300], np.random.default_rng(0))
    assert values[30] < few < values[120]
    assert values[200] < more < values[400]

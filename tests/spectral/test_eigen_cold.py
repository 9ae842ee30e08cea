"""Eigenpairs from nothing, against dense ones; blocks, however badly conditioned."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spectral.scenes import (
    angle_left,
    certain,
    cliques,
    crowd,
    eigenvalues,
    heaps,
    isolated,
    laplacian_under,
    largest_angle,
    operator_under,
)
from tests.strategies import affinities

from likewise._arrays import AnyFloats, Floats, Sparse
from likewise.affinity import auto
from likewise.spectral import _laplacian_large as large
from likewise.spectral import graph_of, solve
from likewise.spectral._backend import backend_for
from likewise.spectral._eigen_cold import TOLERANCE, sufficient
from likewise.spectral._eigen_filter import orthonormal, rayleigh_ritz, spanned

BOUND = 2 * TOLERANCE  # a residual over the top of the spectrum, 2, bounds a value


def star(n: int) -> Sparse:
    W = np.zeros((n, n))
    W[0, 1:] = W[1:, 0] = 1.0
    return sp.csr_array(W)


def ring(n: int) -> Sparse:
    one_way = np.roll(np.eye(n), 1, axis=1)
    return sp.csr_array(one_way + one_way.T)


DEGENERATE: dict[str, tuple[Sparse, int]] = {
    "many equal cliques, all wanted": (cliques([5] * 40), 40),
    "more cliques than wanted": (cliques([2] * 150), 30),
    "triangles": (cliques([3] * 80), 80),
    "nobody has neighbours": (isolated(200), 20),
    "cliques and isolated ones": (
        sp.csr_array(sp.block_diag([cliques([7] * 12), isolated(150)])),
        15,
    ),
    "a star": (star(200), 10),
    "all alike": (cliques([120]), 10),
    "two halves": (sp.csr_array(np.kron([[0, 1], [1, 0]], np.ones((50, 50)))), 5),
    "a ring": (ring(300), 12),
    "one sample": (isolated(1), 1),
    "fewer than wanted": (cliques([3]), 9),
}
degenerate_each = pytest.mark.parametrize(
    ("W", "p"), DEGENERATE.values(), ids=DEGENERATE
)


@degenerate_each
def test_no_eigenvalue_is_missed_however_often_it_occurs(W: Sparse, p: int) -> None:
    pairs = solve(operator_under(graph_of(W)), p)

    expected = eigenvalues(laplacian_under(W))[:p]
    assert pairs.worst <= TOLERANCE
    np.testing.assert_allclose(pairs.values[:p], expected, atol=BOUND)


@degenerate_each
def test_vectors_are_orthonormal_and_their_residuals_as_stated(
    W: Sparse, p: int
) -> None:
    pairs = solve(operator_under(graph_of(W)), p)

    V, L = pairs.vectors, laplacian_under(W).toarray()
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=5e-6)
    expected = np.linalg.norm(L @ V - V * pairs.values, axis=0) / 2
    np.testing.assert_allclose(pairs.residual, expected, atol=1e-6)


@settings(max_examples=30)
@given(W=affinities(30), p=st.integers(1, 12))
def test_random_graphs_are_solved(W: Floats, p: int) -> None:
    pairs = solve(operator_under(graph_of(sp.csr_array(W))), p)

    expected = eigenvalues(laplacian_under(sp.csr_array(W)))[:p]
    assert pairs.worst <= TOLERANCE
    np.testing.assert_allclose(pairs.values[:p], expected, atol=BOUND)


@pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
@pytest.mark.parametrize("cannot_link", [0.0, -1.0])
def test_the_eigenspace_is_that_of_the_whole_matrix(
    device: str, cannot_link: float, seed: int
) -> None:
    seen = crowd(500, 5, spread=2.5, seed=seed)
    known = certain(seen.truth, np.arange(30))
    options: Any = {"cannot_link": cannot_link}
    graph = graph_of(seen.weights, device=device)

    pairs = solve(operator_under(graph, known, **options), 5, tolerance=1e-5)

    laplacian = laplacian_under(seen.weights, known, **options).toarray()
    values, vectors = np.linalg.eigh(laplacian)
    np.testing.assert_allclose(pairs.values[:5], values[:5], atol=2e-5)
    angle = largest_angle(vectors[:, :5], pairs.vectors[:, :5])
    assert angle <= angle_left(values, 5, 1e-5)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_the_tolerance_is_kept(tolerance: float, seed: int) -> None:
    seen = crowd(600, 4, spread=2.0, seed=seed)

    pairs = solve(operator_under(graph_of(seen.weights)), 4, tolerance=tolerance)

    assert pairs.worst <= tolerance


def test_a_tolerance_beyond_float32_ends_all_the_same() -> None:
    seen = crowd(300, 3)

    pairs = solve(operator_under(graph_of(seen.weights)), 3, tolerance=0.0)

    assert pairs.worst <= 1e-6


def test_the_same_seed_gives_the_same_pairs() -> None:
    operator = operator_under(graph_of(crowd(400, 3).weights))

    first, second = solve(operator, 3, seed=5), solve(operator, 3, seed=5)

    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_any_seed_gives_the_same_eigenspace() -> None:
    W = crowd(400, 3, spread=3.0).weights
    operator = operator_under(graph_of(W))

    first, second = (solve(operator, 3, seed=s, tolerance=1e-5) for s in (1, 2))

    left = angle_left(eigenvalues(laplacian_under(W)), 3, 1e-5)
    assert largest_angle(first.vectors[:, :3], second.vectors[:, :3]) <= 2 * left


def test_torch_finds_what_numpy_finds(seed: int) -> None:
    W = crowd(400, 4, spread=2.5, seed=seed).weights

    one, other = (
        solve(operator_under(graph_of(W, device=device)), 4)
        for device in ("cpu", "torch-cpu")
    )

    left = angle_left(eigenvalues(laplacian_under(W)), 4, TOLERANCE)
    np.testing.assert_allclose(one.values[:4], other.values[:4], atol=2 * BOUND)
    assert largest_angle(one.vectors[:, :4], other.vectors[:, :4]) <= 2 * left


def test_progress_is_told_after_each_pass_and_ends_within_the_tolerance() -> None:
    seen = crowd(600, 4, spread=0.5)
    told: list[tuple[int, float]] = []

    pairs = solve(
        operator_under(graph_of(seen.weights)),
        4,
        tolerance=1e-5,
        progress=lambda passes, worst: told.append((passes, worst)),
    )

    assert [passes for passes, _ in told] == list(range(1, len(told) + 1))
    assert len(told) > 1
    assert told[-1][1] == pairs.worst <= 1e-5 < told[-2][1]


def test_nothing_as_large_as_samples_times_samples_is_ever_made() -> None:
    n = 20_000
    steps = np.arange(1, 6)
    offsets = np.concatenate([steps, -steps])
    W = sp.csr_array(sp.diags_array(np.ones(10), offsets=offsets, shape=(n, n)))
    known = certain(np.arange(n) // 5000, np.arange(0, n, 100))

    tracemalloc.start()
    pairs = solve(operator_under(graph_of(W), known), 4, tolerance=0.1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(pairs.values) == 14
    assert peak < 20 * pairs.vectors.nbytes < n * n / 10


BACKEND = backend_for("cpu")


def orthonormal_of(V: Floats) -> AnyFloats:
    return BACKEND.host(orthonormal(BACKEND, BACKEND.array(V)))


def nearly_dependent(distance: float, seed: int) -> Floats:
    """Return eight columns of which each is close to the one before."""
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((300, 8))
    return np.cumsum(columns * distance ** np.arange(8), axis=1)


@pytest.mark.parametrize("distance", [1.0, 0.5, 0.1, 0.01, 0.0])
def test_columns_become_orthonormal_and_none_is_dropped(
    distance: float, seed: int
) -> None:
    actual = orthonormal_of(nearly_dependent(distance, seed))

    assert actual.shape == (300, 8)
    np.testing.assert_allclose(actual.T @ actual, np.eye(8), atol=3e-6)


@pytest.mark.parametrize("length", [1e-12, 1.0, 1e12])
def test_the_length_of_a_column_does_not_matter(
    length: float, rng: np.random.Generator
) -> None:
    V = rng.standard_normal((300, 4)) * [1.0, length, 1.0, 1.0]

    actual = orthonormal_of(V)

    np.testing.assert_allclose(actual.T @ actual, np.eye(4), atol=3e-6)
    assert largest_angle(V / [1.0, length, 1.0, 1.0], actual) < 1e-3


def test_a_column_of_zeros_gets_a_direction(rng: np.random.Generator) -> None:
    V = rng.standard_normal((50, 3)) * [1.0, 0.0, 1.0]

    actual = orthonormal_of(V)

    np.testing.assert_allclose(actual.T @ actual, np.eye(3), atol=3e-6)


def test_a_span_leaves_out_what_is_too_short(rng: np.random.Generator) -> None:
    axes = np.linalg.qr(rng.standard_normal((50, 3)))[0]

    columns = BACKEND.array(axes * [1.0, 1e-3, 1e-6])
    actual = BACKEND.host(spanned(BACKEND, columns, 1e-4))

    assert actual.shape == (50, 2)
    assert largest_angle(axes[:, :2], actual) < 0.01


def test_pairs_within_a_block_are_those_of_the_compressed_operator(
    rng: np.random.Generator,
) -> None:
    A = rng.standard_normal((40, 40))
    A = A + A.T
    basis = np.linalg.qr(rng.standard_normal((40, 5)))[0]

    actual = rayleigh_ritz(BACKEND, BACKEND.array(basis), BACKEND.array(A @ basis))

    expected = np.linalg.eigvalsh(basis.T @ A @ basis)
    np.testing.assert_allclose(actual.values, expected, atol=1e-5)
    V = BACKEND.host(actual.basis)
    off = A @ V - V * actual.values
    np.testing.assert_allclose(actual.residual, np.linalg.norm(off, axis=0), rtol=1e-4)


def space_of(W: Sparse, k: int, seed: int = 0) -> AnyFloats:
    return solve(operator_under(graph_of(W)), k, seed=seed).vectors[:, :k]


@pytest.mark.parametrize("k", [3, 4])
def test_whatever_it_starts_from_the_space_is_the_same(k: int) -> None:
    """Even where the gap behind it is 0.002, as within a heap of the plane."""
    W = auto(heaps(2100)).weights

    spaces = [space_of(W, k, seed) for seed in range(6)]

    overlaps = np.cos([np.radians(largest_angle(spaces[0], some)) for some in spaces])
    assert overlaps.min() >= 0.9997


def test_another_order_inside_the_engine_changes_nothing_but_rounding(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    W = auto(heaps(1500)).weights
    expected = space_of(W, 3)

    monkeypatch.setattr(large, "local_order", lambda _: rng.permutation(1500))

    assert np.radians(largest_angle(space_of(W, 3), expected)) <= 1e-4


@pytest.mark.parametrize(
    ("gap", "expected"), [(0.5, 1e-4), (0.004, 2e-5), (1e-6, 1e-5)]
)
def test_the_narrower_the_gap_the_smaller_the_residual(
    gap: float, expected: float
) -> None:
    values = np.array([0.0, 0.1, 0.1 + gap, 0.9])

    assert sufficient(values, 2, 1e-4) == pytest.approx(expected)
    assert sufficient(values, 4, 1e-4) == 1e-4
    assert sufficient(values, 2, 2e-6) == 2e-6

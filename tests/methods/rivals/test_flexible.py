"""Flexible constrained spectral clustering against its definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.problems import Tiny, blobs, random_affinity

from likewise._arrays import Floats
from likewise.affinity import auto
from likewise.methods._rivals._asc import Basis, basis_of, indicator

N = 10


def normalised(W: Floats, M: Floats) -> Floats:
    """Return D^-1/2 M D^-1/2."""
    root = 1 / np.sqrt(W.sum(axis=1))
    return root[:, np.newaxis] * M * root


def laplacian(W: Floats) -> Floats:
    return np.eye(len(W)) - normalised(W, W)


def threshold(W: Floats, Q: Floats) -> float:
    """Return beta: half way between the trivial vector's agreement and the largest."""
    trivial = np.sqrt(W.sum(axis=1) / W.sum())
    reached = trivial @ normalised(W, Q) @ trivial
    return float(np.linalg.eigvalsh(normalised(W, Q)).max() + reached) / 2


def indicator_of_the_paper(W: Floats, Q: Floats) -> Floats:
    """Return the cheapest eigenvector of L v = lambda (Q - beta I) v, lambda > 0."""
    L = laplacian(W)
    M = normalised(W, Q) - threshold(W, Q) * np.eye(len(W))
    values, vectors = scipy.linalg.eig(L, M)
    is_good = (np.abs(values.imag) < 1e-8) & (values.real > 1e-6)
    good = vectors[:, is_good].real
    good /= np.linalg.norm(good, axis=0)
    cheapest = good[:, np.einsum("ij,ik,kj->j", good, L, good).argmin()]
    u = cheapest / np.sqrt(W.sum(axis=1))
    return u / np.sqrt((u**2).mean())


def assert_equal_up_to_sign(actual: Floats, expected: Floats) -> None:
    turned = actual * np.sign(actual @ expected)
    np.testing.assert_allclose(turned, expected, atol=1e-3)


def some_sides(rng: np.random.Generator, sizes: tuple[int, ...]) -> Floats:
    """Return sets of known samples of the sizes given, each on two random sides."""
    columns = np.zeros((N, len(sizes)))
    owner = np.repeat(np.arange(len(sizes)), sizes)
    samples = rng.permutation(N)[: len(owner)]
    columns[samples, owner] = rng.choice([-1.0, 1.0], len(owner))
    return columns


@given(st.integers(0, 10_000), st.sampled_from([(2,), (5,), (3, 3), (2, 2, 2), (6, 4)]))
def test_the_cut_is_that_of_the_paper(seed: int, sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(seed)
    W, sides = random_affinity(N, rng), some_sides(rng, sizes)

    actual = indicator(basis_of(W), sides)

    assert_equal_up_to_sign(actual, indicator_of_the_paper(W, sides @ sides.T))


@given(st.integers(0, 10_000), st.sampled_from([(2,), (4, 3), (9,)]))
def test_the_cut_agrees_with_the_known_pairs_well_enough(
    seed: int, sizes: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(seed)
    W, sides = random_affinity(N, rng), some_sides(rng, sizes)

    v = indicator(basis_of(W), sides) * np.sqrt(W.sum(axis=1))

    Q = normalised(W, sides @ sides.T)
    assert v @ Q @ v >= threshold(W, sides @ sides.T) * (v @ v) * (1 - 1e-6)


def test_without_answers_it_is_the_second_eigenvector(
    rng: np.random.Generator,
) -> None:
    W = random_affinity(N, rng)
    _, vectors = np.linalg.eigh(laplacian(W))
    expected = vectors[:, 1] / np.sqrt(W.sum(axis=1))

    actual = indicator(basis_of(W), np.zeros((N, 0)))

    assert_equal_up_to_sign(actual, expected / np.sqrt((expected**2).mean()))


def test_weights_in_other_units_give_the_same_cut(rng: np.random.Generator) -> None:
    W, sides = random_affinity(N, rng), some_sides(rng, (4, 2))

    actual = indicator(basis_of(1000 * W), sides)

    assert_equal_up_to_sign(actual, indicator(basis_of(W), sides))


def test_sparse_weights_give_the_same_cut(rng: np.random.Generator) -> None:
    W, sides = random_affinity(N, rng), some_sides(rng, (4, 2))

    actual = indicator(basis_of(sp.csr_array(W)), sides)

    assert_equal_up_to_sign(actual, indicator(basis_of(W), sides))


@pytest.mark.parametrize(("told", "side"), [(0, 1), (8, -1)])
def test_the_bridge_goes_where_it_is_told_to(
    told: int, side: int, bridge: Tiny
) -> None:
    sides = np.zeros((9, 1))
    sides[[0, 8], 0] = 1.0, -1.0
    sides[4] = sides[told]

    u = indicator(basis_of(bridge.X), sides)

    assert np.sign(u[4] * u[0]) == side
    assert u[0] * u[8] < 0


def pieces() -> Floats:
    """Return three cliques of three, and a sample without neighbours."""
    clique = np.ones((3, 3)) - np.eye(3)
    return sp.block_diag([clique, clique, clique, np.zeros((1, 1))]).toarray()


def test_the_basis_of_a_graph_in_pieces_leaves_only_the_trivial_vector_out() -> None:
    basis = basis_of(pieces())

    assert basis.cuts.shape == (10, 9)
    np.testing.assert_allclose(basis.cuts.T @ basis.cuts, np.eye(9), atol=1e-12)
    np.testing.assert_allclose(basis.trivial @ basis.cuts, 0.0, atol=1e-12)
    np.testing.assert_allclose(basis.costs[:3], [0.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("other", [0, 1, 2])
def test_pieces_are_put_together_by_the_answers(other: int) -> None:
    sides = np.zeros((10, 1))
    sides[[0, 3, 6], 0] = 1.0
    sides[3 * other] = -1.0

    u = indicator(basis_of(pieces()), sides)

    sign = np.sign(u[:9]).reshape(3, 3)
    assert (sign == sign[:, :1]).all()
    assert (sign[:, 0] != sign[other, 0]).sum() == 2
    assert u[9] == 0.0


def test_one_side_for_everybody_does_no_harm(bridge: Tiny) -> None:
    assert np.isfinite(indicator(basis_of(bridge.X), np.ones((9, 1)))).all()


@pytest.mark.parametrize("n", [1, 2])
def test_no_edges_at_all_do_no_harm(n: int) -> None:
    basis = basis_of(np.zeros((n, n)))

    assert isinstance(basis, Basis)
    np.testing.assert_array_equal(indicator(basis, np.ones((n, 1))), 0.0)


def test_a_large_graph_is_cut_by_its_lowest_eigenvectors(seed: int) -> None:
    tiny = blobs((550, 550), spread=1.0, seed=seed)
    side = np.where(tiny.truth == 0, 1.0, -1.0)
    basis = basis_of(auto(tiny.X).weights)
    known = np.zeros((1100, 1))
    known[:20, 0] = side[:20]

    u = indicator(basis, known)

    assert basis.cuts.shape[1] < 50
    assert (np.sign(u * u[0]) == side * side[0]).mean() > 0.99

"""From a Laplacian to its lowest eigenvectors, to all digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import ArpackError, eigsh
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from tests.problems import blobs, random_affinity
from tests.spectral.scenes import (
    angle_left,
    certain,
    crowd,
    largest_angle,
    nearly_in_parts,
)

from likewise._arrays import Floats
from likewise._regime import N_DENSE
from likewise.affinity import auto
from likewise.knowledge import Constraints
from likewise.methods._recipe import LAPLACIANS
from likewise.spectral import (
    ConstrainedWeights,
    Laplacian,
    Spectrum,
    embedding,
    k_means,
    known_blocks,
    lowest,
    signed_normalised,
)
from likewise.spectral import _eigen_exact as spectral
from likewise.spectral._eigen_cold import TOLERANCE

BOUND = 2 * TOLERANCE  # a residual over the top of the spectrum, 2, bounds a value


def unconstrained(W: Floats) -> ConstrainedWeights:
    return ConstrainedWeights.of(W, known_blocks(Constraints(), ()), 0.0)


def test_the_engine_solves_a_large_sparse_graph_that_nothing_is_written_into(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a residual of 0.0001 of the largest eigenvalue, and the angle that leaves.

    The same clusters follow, as these lie well apart.
    """
    W = crowd(600, 4, spread=3.0, seed=seed).weights
    laplacian = signed_normalised(unconstrained(W))
    values, vectors = np.linalg.eigh(laplacian.toarray())
    expected = Spectrum(values[:4], vectors[:, :4], laplacian.scale, is_normalised=True)
    monkeypatch.setattr(spectral, "N_LANCZOS", 500)

    actual = lowest(laplacian, 4)

    V = actual.vectors
    off = np.linalg.norm(laplacian @ V - V * actual.values, axis=0)
    assert V.dtype == np.float32
    assert off.max() <= BOUND
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=5e-6)
    np.testing.assert_allclose(actual.values, values[:4], atol=BOUND)
    assert largest_angle(vectors[:, :4], V) <= angle_left(values, 4, TOLERANCE)
    one, other = (
        k_means(embedding(found, 4, unit_rows=True), 4, ())
        for found in (actual, expected)
    )
    assert adjusted_rand_score(one, other) >= 0.99


@pytest.mark.parametrize("make", LAPLACIANS.values(), ids=LAPLACIANS)
@pytest.mark.parametrize(
    ("n", "spread"), [(30, 0.3), (N_DENSE + 50, 1.0)], ids=["dense", "lanczos"]
)
def test_the_lowest_eigenpairs_are_those_of_the_whole_matrix(
    make: Any, n: int, spread: float, seed: int
) -> None:
    sizes = (n // 2, n // 4, n - n // 2 - n // 4)
    W = auto(blobs(sizes, spread=spread, seed=seed).X).weights
    laplacian = make(unconstrained(W))
    values, vectors = np.linalg.eigh(laplacian.toarray())

    actual = lowest(laplacian, 8)

    V = actual.vectors
    off = np.linalg.norm(laplacian @ V - V * actual.values, axis=0).max()
    assert off <= 1e-7
    np.testing.assert_allclose(actual.values, values[:8], atol=1e-7)
    # The fourth value is far from the third, so the angle is residual over gap.
    sine = np.sin(np.radians(largest_angle(vectors[:, :3], V[:, :3])))
    assert sine <= np.sqrt(3) * 1e-7 / (values[3] - values[2] - 1e-7)


@pytest.mark.parametrize("p", [8, 60], ids=["few pairs", "many pairs"])
def test_a_matrix_has_the_same_eigenpairs_however_it_is_stored(
    p: int, seed: int
) -> None:
    """Few of either by Lanczos; many of a dense one all at once."""
    W = random_affinity(N_DENSE + 50, np.random.default_rng(seed))

    stored, dense = (
        lowest(signed_normalised(unconstrained(weights)), p)
        for weights in (sp.csr_array(W), W)
    )

    np.testing.assert_allclose(dense.values, stored.values, atol=1e-9)
    along = np.abs((dense.vectors * stored.vectors).sum(axis=0))
    gaps = np.diff(dense.values)
    is_apart = np.minimum(gaps[:-1], gaps[1:]) > 1e-5
    np.testing.assert_allclose(along[1:-1][is_apart], 1, atol=1e-8)


@pytest.mark.parametrize("n", [30, N_DENSE + 50], ids=["dense", "lanczos"])
def test_eigenvectors_are_orthonormal(n: int, rng: np.random.Generator) -> None:
    W = sp.random_array((n, n), density=0.2, rng=rng, format="csr")

    actual = lowest(signed_normalised(unconstrained(W + W.T)), 6).vectors

    assert actual.shape == (n, 6)
    np.testing.assert_allclose(actual.T @ actual, np.eye(6), atol=1e-8)


@pytest.mark.parametrize("n", [30, N_DENSE + 50], ids=["dense", "lanczos"])
def test_the_same_matrix_always_gives_the_same_vectors(
    n: int, rng: np.random.Generator
) -> None:
    laplacian = signed_normalised(unconstrained(random_affinity(n, rng)))

    first, second = lowest(laplacian, 4), lowest(laplacian, 4)

    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_no_more_pairs_are_found_than_there_are_samples() -> None:
    actual = lowest(signed_normalised(unconstrained(np.ones((3, 3)) - np.eye(3))), 9)

    assert actual.vectors.shape == (3, 3)


def test_the_spectrum_carries_the_scale_of_its_laplacian(
    rng: np.random.Generator,
) -> None:
    W = random_affinity(6, rng)

    actual = lowest(signed_normalised(unconstrained(W)), 2)

    assert actual.is_normalised
    np.testing.assert_allclose(actual.scale, 1 / np.sqrt(W.sum(axis=1)), rtol=1e-12)


@pytest.mark.parametrize("large", [100, 10_000])
@pytest.mark.parametrize("times", [1, 2])
def test_where_lanczos_gives_up_another_solution_takes_its_place(
    times: int, large: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First more eigenpairs are wanted; then all of them, or a larger space."""
    laplacian = signed_normalised(unconstrained(random_affinity(420, rng)))
    expected = lowest(laplacian, 6)
    tries: list[int] = []

    def giving_up(*words: Any, **options: Any) -> Any:
        tries.append(options["k"])
        if len(tries) <= times:
            raise ArpackError(3)
        return eigsh(*words, **options)

    monkeypatch.setattr(spectral, "eigsh", giving_up)
    monkeypatch.setattr(spectral, "N_LANCZOS", large)
    actual = lowest(laplacian, 6)

    assert tries == [6, 32, 32][: 3 if times == 2 and large < 420 else 2]
    np.testing.assert_allclose(actual.values, expected.values, atol=1e-7)


def assert_complete(laplacian: Laplacian, p: int) -> None:
    actual = lowest(laplacian, p)

    V = actual.vectors
    expected = eigvalsh(laplacian.toarray(), subset_by_index=[0, p - 1])
    np.testing.assert_allclose(actual.values, expected, atol=1e-9)
    np.testing.assert_allclose(V.T @ V, np.eye(p), atol=1e-9)
    assert np.linalg.norm(laplacian @ V - V * actual.values, axis=0).max() <= 1e-8


@pytest.mark.parametrize("family", [*range(16), 469])
def test_none_of_several_nearly_equal_eigenvalues_is_lost(family: int) -> None:
    assert_complete(*nearly_in_parts(family))


@pytest.mark.slow
@pytest.mark.parametrize("family", range(16, 600, 40))
def test_none_of_them_is_lost_in_600_graphs(family: int) -> None:
    for seed in range(family, min(family + 40, 600)):
        assert_complete(*nearly_in_parts(seed))


@pytest.mark.parametrize("n", [500, 1000])
def test_the_eigenvalue_of_zero_is_the_first(n: int) -> None:
    """Relative to itself it is never accurate, and the others were taken without it."""
    X, _ = make_blobs(n, centers=8, n_features=10, cluster_std=3.0, random_state=0)

    actual = lowest(signed_normalised(unconstrained(auto(X).weights)), 5)

    assert abs(actual.values[0]) < 1e-9


@pytest.mark.parametrize("make", LAPLACIANS.values(), ids=LAPLACIANS)
@pytest.mark.parametrize("cannot_link", [0.0, -1.0])
def test_no_eigenvalue_is_above_the_top(
    make: Any, cannot_link: float, rng: np.random.Generator
) -> None:
    known = certain(rng.integers(3, size=40), np.arange(12))
    weights = ConstrainedWeights.of(random_affinity(40, rng), known, cannot_link)
    laplacian = make(weights)

    assert np.linalg.eigvalsh(laplacian.toarray())[-1] <= laplacian.top + 1e-9


@pytest.mark.parametrize("n", [300, 900], ids=["dense", "lanczos"])
def test_another_order_of_the_samples_turns_no_eigenvector(n: int, seed: int) -> None:
    W = crowd(n, 4, spread=2.5, seed=seed).weights
    order = np.random.default_rng(seed).permutation(n)
    other = sp.csr_array(W[order][:, order])

    one, two = (lowest(signed_normalised(unconstrained(w)), 6) for w in (W, other))

    np.testing.assert_allclose(one.values, two.values, atol=1e-12)
    angle = largest_angle(one.vectors[order, :4], two.vectors[:, :4])
    assert np.radians(angle) <= 1e-7


@pytest.mark.parametrize("seed", range(5))
def test_eigenvectors_of_one_eigenvalue_do_not_depend_on_how_they_were_found(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    values = np.array([0.0, 0.0, 1e-15, 0.3, 0.3, 0.5])
    vectors = np.linalg.qr(rng.normal(size=(40, 6)))[0]
    turned = vectors.copy()
    for part in (slice(0, 3), slice(3, 5)):
        size = part.stop - part.start
        turned[:, part] = (
            turned[:, part] @ np.linalg.qr(rng.normal(size=(size,) * 2))[0]
        )

    _, one = spectral.with_own_axes(values, vectors)
    _, other = spectral.with_own_axes(values, turned)

    np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_allclose(one.T @ one, np.eye(6), atol=1e-12)
    np.testing.assert_array_equal(one[:, 5], vectors[:, 5])  # alone: it stays
    np.testing.assert_allclose(
        one[:, :3] @ one[:, :3].T, vectors[:, :3] @ vectors[:, :3].T, atol=1e-12
    )

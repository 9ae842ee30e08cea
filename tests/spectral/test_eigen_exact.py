"""From a Laplacian to its lowest eigenvectors, to all digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError, eigsh
from sklearn.metrics import adjusted_rand_score
from tests.problems import blobs, random_affinity
from tests.spectral.scenes import angle_left, crowd, largest_angle

from likewise._arrays import Floats
from likewise._regime import N_DENSE
from likewise.affinity import auto
from likewise.knowledge import Constraints
from likewise.methods.constrained import LAPLACIANS
from likewise.spectral import (
    ConstrainedWeights,
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
    """To a residual of 0.001 of the largest eigenvalue, and the angle that leaves.

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
    """Lanczos sees values that lie apart; of some that coincide it may miss one."""
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
def test_where_lanczos_gives_up_another_solution_takes_its_place(
    large: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    laplacian = signed_normalised(unconstrained(random_affinity(420, rng)))
    expected = lowest(laplacian, 6)
    tries: list[object] = []

    def giving_up_once(*words: Any, **options: Any) -> Any:
        tries.append(options["ncv"])
        if len(tries) == 1:
            raise ArpackError(3)
        return eigsh(*words, **options)

    monkeypatch.setattr(spectral, "eigsh", giving_up_once)
    monkeypatch.setattr(spectral, "N_LANCZOS", large)
    actual = lowest(laplacian, 6)

    assert len(tries) == (2 if large < 420 else 1)
    np.testing.assert_allclose(actual.values, expected.values, atol=1e-7)

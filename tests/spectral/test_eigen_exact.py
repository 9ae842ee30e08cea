"""From a Laplacian to its lowest eigenvectors, and on to clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError, eigsh
from sklearn.metrics import adjusted_rand_score
from tests.definitions import classes_of
from tests.problems import blobs, random_affinity

from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.knowledge import Constraints, Knowledge
from likewise.methods import AnyMethod, problem_of, urasc
from likewise.methods._urasc import URASC
from likewise.methods.constrained import LAPLACIANS
from likewise.session import links_of_labels
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
from likewise.spectral._eigen_exact import LARGE, SMALL, pivoted_clusters


def unconstrained(W: Floats) -> ConstrainedWeights:
    return ConstrainedWeights.of(W, known_blocks(Constraints(), ()), 0.0)


def projector(vectors: Floats) -> Floats:
    return vectors @ vectors.T


def test_the_engine_solves_a_large_sparse_graph_that_nothing_is_written_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    W = auto(blobs((LARGE // 2, LARGE // 3, LARGE // 4), spread=1.0).X).weights
    laplacian = signed_normalised(unconstrained(W))
    actual = lowest(laplacian, 6)
    monkeypatch.setattr(spectral, "LARGE", 10**6)

    expected = lowest(laplacian, 6)

    assert actual.vectors.dtype == np.float32
    np.testing.assert_allclose(actual.values, expected.values, atol=1e-3)
    overlap = np.linalg.svd(expected.vectors[:, :3].T @ actual.vectors[:, :3])[1]
    np.testing.assert_allclose(overlap, 1.0, atol=1e-2)


@pytest.mark.parametrize("make", LAPLACIANS.values(), ids=LAPLACIANS)
@pytest.mark.parametrize("n", [30, SMALL + 50], ids=["dense", "lanczos"])
def test_the_lowest_eigenpairs_are_those_of_the_whole_matrix(
    make: Any, n: int, seed: int
) -> None:
    W = auto(blobs((n // 2, n // 4, n - n // 2 - n // 4), seed=seed).X).weights
    laplacian = make(unconstrained(W))
    values, vectors = np.linalg.eigh(laplacian.toarray())

    actual = lowest(laplacian, 8)

    np.testing.assert_allclose(actual.values, values[:8], atol=1e-7)
    # The three blobs hang together by threads: their subspace is well separated.
    np.testing.assert_allclose(
        projector(actual.vectors[:, :3]), projector(vectors[:, :3]), atol=1e-5
    )


@pytest.mark.parametrize("n", [30, SMALL + 50], ids=["dense", "lanczos"])
def test_eigenvectors_are_orthonormal(n: int, rng: np.random.Generator) -> None:
    W = sp.random_array((n, n), density=0.2, rng=rng, format="csr")

    actual = lowest(signed_normalised(unconstrained(W + W.T)), 6).vectors

    assert actual.shape == (n, 6)
    np.testing.assert_allclose(actual.T @ actual, np.eye(6), atol=1e-8)


@pytest.mark.parametrize("n", [30, SMALL + 50], ids=["dense", "lanczos"])
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


def some_spectrum(vectors: Floats) -> Spectrum:
    return Spectrum(
        np.arange(float(vectors.shape[1])), vectors, np.ones(len(vectors)), False
    )


def test_embedding_is_the_first_eigenvectors() -> None:
    vectors = np.array([[3.0, 4.0, 9.0], [1.0, 0.0, 9.0]])

    actual = embedding(some_spectrum(vectors), 2, unit_rows=False)

    np.testing.assert_array_equal(actual, [[3.0, 4.0], [1.0, 0.0]])


def test_unit_rows_have_length_one_or_zero() -> None:
    vectors = np.array([[3.0, 4.0], [0.0, 0.0], [1e-300, 0.0]])

    actual = embedding(some_spectrum(vectors), 2, unit_rows=True)

    np.testing.assert_allclose(actual, [[0.6, 0.8], [0.0, 0.0], [0.0, 0.0]])


def corners(sizes: Sequence[int], seed: int) -> tuple[Floats, Indices]:
    """Return rows near the unit axes, as of an ideal embedding turned at random."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    turn, _ = np.linalg.qr(rng.standard_normal((len(sizes), len(sizes))))
    near = np.eye(len(sizes))[truth] + 0.05 * rng.standard_normal(
        (len(truth), len(sizes))
    )
    return near @ turn, truth


@pytest.mark.parametrize("sizes", [(5, 5), (20, 7, 3), (30, 1), (9, 1, 1, 4)])
@pytest.mark.parametrize("offset", range(5))
def test_pivoted_clusters_find_rows_near_the_axes(
    sizes: Sequence[int], offset: int, seed: int
) -> None:
    coordinates, truth = corners(sizes, 5 * seed + offset)

    assert classes_of(pivoted_clusters(coordinates).tolist()) == classes_of(
        truth.tolist()
    )


@pytest.mark.parametrize("sizes", [(5, 5), (20, 7, 3), (30, 1), (9, 1, 1, 4)])
def test_k_means_finds_rows_near_the_axes(sizes: Sequence[int], seed: int) -> None:
    coordinates, truth = corners(sizes, seed)

    actual = k_means(coordinates, len(sizes), [])

    assert classes_of(actual.tolist()) == classes_of(truth.tolist())


def test_the_same_coordinates_and_seeds_give_the_same_clusters(
    rng: np.random.Generator,
) -> None:
    coordinates = rng.standard_normal((60, 3))

    np.testing.assert_array_equal(
        k_means(coordinates, 4, [[1, 2], [3]]), k_means(coordinates, 4, [[1, 2], [3]])
    )


def test_seeds_lead_to_the_clusters_they_are_of(rng: np.random.Generator) -> None:
    truth = np.repeat(np.arange(4), 5)
    line = np.array([0.0, 1.0, 2.0, 10.0])[truth]
    noise = 1e-3 * rng.standard_normal((20, 3))
    coordinates = np.column_stack([line, noise])

    actual = k_means(coordinates, 4, [[0], [5], [10], [15]])

    assert classes_of(actual.tolist()) == classes_of(truth.tolist())


def test_one_cluster_holds_everything() -> None:
    assert k_means(np.array([[1.0], [2.0], [9.0]]), 1, [[2]]).tolist() == [0, 0, 0]


def test_as_many_clusters_as_samples_hold_one_each() -> None:
    assert sorted(k_means(np.eye(3), 3, [[1]]).tolist()) == [0, 1, 2]


SIZES = [
    (10, 10, 10),
    (20, 7, 3),
    (15, 15),
    (6, 6, 6, 6, 6),
    (30, 1),
    (25, 4, 1),
    (40, 1, 1),
    (2, 2),
    (1, 1, 1),
]


def raw_when_all_is_known(method: AnyMethod, sizes: Sequence[int], seed: int) -> float:
    """Return how well k-means alone finds classes that the data know nothing of."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.standard_normal((len(truth), 3))
    problem = problem_of(X, affinity="auto", n_clusters=len(sizes))
    known = Knowledge(len(truth)).after_all(links_of_labels(truth.tolist(), len(truth)))
    model = method.begin(problem, known, rng)
    return float(adjusted_rand_score(truth, model.clustering.raw))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("method", URASC, ids=lambda method: method.name)
def test_when_every_pair_is_known_the_raw_clusters_are_the_classes(
    method: AnyMethod, sizes: Sequence[int], seed: int
) -> None:
    assert raw_when_all_is_known(method, sizes, seed) == 1.0


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_every_laplacian_finds_the_classes_when_every_pair_is_known(
    laplacian: str, sizes: Sequence[int], seed: int
) -> None:
    method = urasc("mine", laplacian=laplacian)

    assert raw_when_all_is_known(method, sizes, seed) == 1.0


@pytest.mark.parametrize(
    "sizes", [(10, 10, 10), (20, 7, 3), (15, 15), (25, 4, 1)], ids=str
)
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_negative_cannot_links_find_the_classes_when_every_pair_is_known(
    laplacian: str, sizes: Sequence[int], seed: int
) -> None:
    method = urasc("mine", laplacian=laplacian, cannot_link=-1.0)

    assert raw_when_all_is_known(method, sizes, seed) == 1.0


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
    monkeypatch.setattr(spectral, "LARGE", large)
    actual = lowest(laplacian, 6)

    assert len(tries) == (2 if large < 420 else 1)
    np.testing.assert_allclose(actual.values, expected.values, atol=1e-7)


def test_samples_that_coincide_may_be_fewer_clusters_than_asked_for() -> None:
    coordinates = np.repeat(np.eye(3)[:2], 5, axis=0)

    assert set(k_means(coordinates, 3, ()).tolist()) <= {0, 1, 2}

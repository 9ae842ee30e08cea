"""The graph of nearest neighbours: chosen by distance, connected, no division by 0."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from tests.definitions import euclidean
from tests.problems import blobs

from likewise._arrays import Floats, Sparse
from likewise.affinity import Neighbours, directed_weights, nearest_neighbours
from likewise.affinity._graph import (
    FAINTEST,
    local_scale,
    neighbour_graph,
    self_tuning_weights,
    strongest,
)


def graph_of(X: Floats | Sparse, k: int = 10) -> Sparse:
    near = nearest_neighbours(X, 20)
    return neighbour_graph(X, near.first(k), local_scale(near))


def assert_is_a_connected_similarity(W: Sparse) -> None:
    entries = W.toarray()
    np.testing.assert_array_equal(entries, entries.T)
    np.testing.assert_array_equal(np.diag(entries), 0.0)
    assert np.isfinite(entries).all()
    assert W.data.size == 0 or W.data.min() >= FAINTEST
    assert connected_components(W, directed=False)[0] == 1


HARD = {
    "one sample": np.zeros((1, 2)),
    "two samples": np.array([[0.0], [1.0]]),
    "two equal samples": np.zeros((2, 3)),
    "three samples": np.array([[0.0], [1.0], [5.0]]),
    "thirty equal samples": np.ones((30, 2)),
    "two heaps of duplicates": np.repeat([[0.0], [3.0]], 25, axis=0),
    "duplicates and others": np.vstack([np.zeros((25, 2)), np.eye(2)]),
    "ties on a grid": np.stack(np.meshgrid(*2 * [np.arange(7.0)]), -1).reshape(-1, 2),
    "a far point": np.vstack([np.arange(30.0)[:, np.newaxis], [[1e9]]]),
    "constant column": np.column_stack([np.arange(15.0), np.full(15, 7.0)]),
    "two far heaps": np.concatenate([np.arange(15.0), 1e6 + np.arange(15.0)])[:, None],
}


@pytest.mark.parametrize("X", HARD.values(), ids=HARD)
def test_hard_data_become_one_connected_similarity(X: Floats) -> None:
    assert_is_a_connected_similarity(graph_of(X))


def test_blobs_become_one_connected_similarity(seed: int) -> None:
    assert_is_a_connected_similarity(graph_of(blobs((30, 20, 25), seed=seed).X))


def test_neighbours_are_the_nearest_by_distance(rng: np.random.Generator) -> None:
    X = rng.standard_normal((40, 3))
    distances = euclidean(X)
    np.fill_diagonal(distances, np.inf)

    actual = nearest_neighbours(X, 5)

    np.testing.assert_array_equal(actual.indices, distances.argsort(axis=1)[:, :5])
    np.testing.assert_allclose(
        actual.distances, np.sort(distances, axis=1)[:, :5], rtol=1e-12
    )


def test_no_sample_is_its_own_neighbour_among_duplicates() -> None:
    near = nearest_neighbours(np.zeros((30, 2)), 20)

    assert (near.indices != np.arange(30)[:, np.newaxis]).all()


@pytest.mark.parametrize(("n", "k"), [(1, 0), (2, 1), (5, 4), (30, 20)])
def test_few_samples_have_few_neighbours(n: int, k: int) -> None:
    near = nearest_neighbours(np.arange(float(n))[:, np.newaxis], 20)

    assert near.indices.shape == near.distances.shape == (n, k)


def test_the_first_neighbours_are_the_nearest() -> None:
    near = nearest_neighbours(np.array([[0.0], [1.0], [3.0], [7.0]]), 3)

    np.testing.assert_array_equal(near.first(2).indices[0], [1, 2])


def test_scale_is_the_distance_to_the_seventh_neighbour(
    rng: np.random.Generator,
) -> None:
    X = rng.standard_normal((40, 3))

    actual = local_scale(nearest_neighbours(X, 20))

    np.testing.assert_allclose(actual, np.sort(euclidean(X), axis=1)[:, 7], rtol=1e-12)


def test_scale_among_duplicates_is_that_of_the_nearest_other_sample() -> None:
    X = np.array([[0.0]] * 9 + [[3.0], [4.0]])

    actual = local_scale(nearest_neighbours(X, 20))

    np.testing.assert_allclose(actual[:9], 3.0)


def test_scale_without_any_other_sample_near_is_the_typical_one() -> None:
    X = np.array([[0.0]] * 25 + [[100.0], [101.0]])

    actual = local_scale(nearest_neighbours(X, 20))

    np.testing.assert_allclose(actual[:25], np.median(actual[25:]))


def test_scale_of_duplicates_only_is_one() -> None:
    near = nearest_neighbours(np.zeros((30, 2)), 20)

    np.testing.assert_array_equal(local_scale(near), 1.0)


def test_weights_are_self_tuning_gaussians() -> None:
    squared = np.array([0.0, 1.0, 4.0])

    actual = self_tuning_weights(squared, np.array([0.5]), np.array([1.0, 2.0, 4.0]))

    np.testing.assert_allclose(actual, [1.0, np.exp(-1.0), np.exp(-2.0)], rtol=1e-12)


def test_the_faintest_edge_is_not_zero() -> None:
    np.testing.assert_array_equal(
        self_tuning_weights(np.array([1e12]), np.ones(1), np.ones(1)), [FAINTEST]
    )


def test_directed_weights_run_from_a_sample_to_its_neighbours() -> None:
    near = Neighbours(np.array([[2], [0], [0]]), np.array([[2.0], [1.0], [2.0]]))

    actual = directed_weights(near, np.array([1.0, 1.0, 2.0])).toarray()

    expected = [[0, 0, np.exp(-2.0)], [np.exp(-1.0), 0, 0], [np.exp(-2.0), 0, 0]]
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_edges_join_neighbours_by_distance_either_way(
    rng: np.random.Generator,
) -> None:
    # Places of very different density: by weight, other edges would win.
    X = np.concatenate([rng.normal(0, 0.1, (20, 2)), rng.normal(0, 2.0, (20, 2))])
    distances = euclidean(X)
    np.fill_diagonal(distances, np.inf)
    chosen = distances <= np.sort(distances, axis=1)[:, [9]]

    actual = graph_of(X).toarray() > 0

    np.testing.assert_array_equal(actual, chosen | chosen.T)


def test_each_edge_has_the_self_tuning_weight(rng: np.random.Generator) -> None:
    X = rng.standard_normal((30, 2))
    scale = np.sort(euclidean(X), axis=1)[:, 7]
    expected = np.exp(-(euclidean(X) ** 2) / np.outer(scale, scale))

    actual = graph_of(X).toarray()

    edges = actual > 0
    np.testing.assert_allclose(
        actual[edges], np.maximum(expected, FAINTEST)[edges], rtol=1e-9
    )


def test_far_heaps_are_joined_by_their_nearest_samples() -> None:
    X = np.concatenate([np.arange(15.0), 1e3 + np.arange(15.0)])[:, np.newaxis]

    actual = graph_of(X).toarray()

    i, j = np.nonzero(actual[:15, 15:])
    assert (i.tolist(), j.tolist()) == ([14], [0])


def test_a_constant_column_changes_nothing(rng: np.random.Generator) -> None:
    X = rng.standard_normal((30, 2))

    actual = graph_of(np.column_stack([X, np.full(30, 5.0)]))

    np.testing.assert_allclose(actual.toarray(), graph_of(X).toarray(), rtol=1e-9)


def test_sparse_samples_make_the_same_graph(rng: np.random.Generator) -> None:
    X = rng.standard_normal((30, 3))
    X[:, 1:] *= rng.random((30, 2)) < 0.7

    actual = graph_of(sp.csr_array(X))

    np.testing.assert_allclose(actual.toarray(), graph_of(X).toarray(), atol=1e-9)


def test_permuted_samples_make_the_permuted_graph(rng: np.random.Generator) -> None:
    X = rng.standard_normal((30, 2))
    order = rng.permutation(30)

    actual = graph_of(X[order]).toarray()

    np.testing.assert_allclose(
        actual, graph_of(X).toarray()[np.ix_(order, order)], rtol=1e-9
    )


@pytest.mark.parametrize("k", [1, 3, 20])
def test_the_strongest_are_those_of_each_row(k: int, rng: np.random.Generator) -> None:
    W = sp.random_array((60, 60), density=0.2, rng=rng, format="csr")

    actual = strongest(W, k).toarray()

    least = np.sort(W.toarray(), axis=1)[:, [-k]]
    np.testing.assert_array_equal(
        actual, np.where(W.toarray() >= least, W.toarray(), 0)
    )

"""PCKMeans: distances against violated pairs."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from tests.definitions import classes_of
from tests.problems import Tiny
from tests.strategies import links

from likewise._arrays import Floats
from likewise.knowledge import Constraints, Verdict
from likewise.knowledge._constraints import Link
from likewise.methods._rivals._ffqs import Clusters, pck_means, rounds, typical_weight
from likewise.spectral import Blocks, known_blocks

SAME, DIFFERENT = Verdict.SAME, Verdict.DIFFERENT
LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])


def blocks_of(told: Constraints) -> Blocks:
    return known_blocks(told, tuple(told.members))


def after(*told: Link) -> Constraints:
    return Constraints().after_all(told)


def objective(X: Floats, found: Clusters, told: Constraints, weight: float) -> float:
    """Return J pair by pair."""
    scatter = 0.5 * ((X - found.centres[found.labels]) ** 2).sum()
    relations = [
        (told.relation(i, j), found.labels[i] == found.labels[j])
        for i, j in combinations(range(len(X)), 2)
    ]
    n_violated = sum(
        (relation is SAME and not together) or (relation is DIFFERENT and together)
        for relation, together in relations
    )
    return float(scatter + weight * n_violated)


def some_samples(seed: int) -> Floats:
    return np.random.default_rng(seed).standard_normal((8, 2))


@given(links(8), st.integers(1, 5), st.floats(0.01, 10.0), st.integers(0, 20))
def test_the_objective_never_rises(
    told: list[Link], k: int, weight: float, seed: int
) -> None:
    X, known = some_samples(seed), after(*told)

    costs = [
        objective(X, found, known, weight)
        for found in rounds(X, k, blocks_of(known), [], weight)
    ]

    assert len(costs) < 100
    assert all(then <= before + 1e-9 for before, then in pairwise(costs))


@given(links(8), st.integers(1, 4), st.floats(0.01, 10.0), st.integers(0, 20))
def test_no_sample_by_itself_would_be_better_off_elsewhere(
    told: list[Link], k: int, weight: float, seed: int
) -> None:
    X, known = some_samples(seed), after(*told)

    found = pck_means(X, k, blocks_of(known), [], weight)

    cost = objective(X, found, known, weight)
    for sample, cluster in np.ndindex(8, k):
        labels = found.labels.copy()
        labels[sample] = cluster
        moved = Clusters(labels, found.centres)
        assert objective(X, moved, known, weight) >= cost - 1e-9


@given(links(8), st.integers(1, 4), st.integers(0, 20), st.permutations(range(8)))
def test_the_order_of_the_samples_is_no_matter(
    told: list[Link], k: int, seed: int, order: list[int]
) -> None:
    X, place = some_samples(seed), np.argsort(order)
    moved = [(int(place[i]), int(place[j]), verdict) for i, j, verdict in told]

    here = pck_means(X, k, blocks_of(after(*told)), [])
    there = pck_means(X[order], k, blocks_of(after(*moved)), [])

    np.testing.assert_array_equal(there.labels[place], here.labels)


def test_centres_are_the_means_of_their_clusters(blurred_blobs: Tiny) -> None:
    X = blurred_blobs.X

    found = pck_means(X, 3, blocks_of(after((0, 1, SAME))), [])

    for cluster, centre in enumerate(found.centres):
        np.testing.assert_allclose(X[found.labels == cluster].mean(axis=0), centre)


def test_without_answers_it_is_k_means(blurred_blobs: Tiny) -> None:
    X = blurred_blobs.X
    *_, found = rounds(X, 3, blocks_of(Constraints()), [], 1.0)

    again = KMeans(3, init=found.centres, n_init=1).fit(X)

    np.testing.assert_array_equal(found.labels, again.labels_)


def test_heaps_far_apart_are_found_without_answers(three_blobs: Tiny) -> None:
    found = pck_means(three_blobs.X, 3, blocks_of(Constraints()), [])

    assert classes_of(found.labels.tolist()) == classes_of(three_blobs.truth.tolist())


def test_a_dear_must_link_is_kept_and_a_cheap_one_is_not() -> None:
    blocks = blocks_of(after((2, 3, SAME)))
    seeds = [[0], [5]]

    dear = pck_means(LINE, 2, blocks, seeds, 100.0).labels
    cheap = pck_means(LINE, 2, blocks, seeds, 0.1).labels

    assert dear[2] == dear[3]
    assert cheap.tolist() == [0, 0, 0, 1, 1, 1]


def test_a_dear_cannot_link_is_kept_and_a_cheap_one_is_not() -> None:
    blocks = blocks_of(after((1, 2, DIFFERENT)))
    seeds = [[0], [5]]

    dear = pck_means(LINE, 2, blocks, seeds, 100.0).labels
    cheap = pck_means(LINE, 2, blocks, seeds, 0.1).labels

    assert dear[1] != dear[2]
    assert cheap[1] == cheap[2]


def test_seeds_give_the_clusters_their_numbers() -> None:
    found = pck_means(LINE, 2, blocks_of(Constraints()), [[4], [0]])

    assert found.labels.tolist() == [1, 1, 1, 0, 0, 0]


def test_the_largest_of_too_many_seeds_are_taken() -> None:
    seeds = [[2], [3, 4], [0, 1]]

    first = next(rounds(LINE, 2, blocks_of(Constraints()), seeds, 1.0))

    assert first.labels.tolist() == [1, 1, 1, 0, 0, 0]


def test_more_centres_are_sought_where_the_scatter_is_largest() -> None:
    X = np.array([[0.0], [1.0], [50.0], [51.0], [90.0], [91.0]])

    found = pck_means(X, 3, blocks_of(Constraints()), [[0, 1]])

    assert found.labels[:2].tolist() == [0, 0]
    assert classes_of(found.labels.tolist()) == {
        frozenset({0, 1}),
        frozenset({2, 3}),
        frozenset({4, 5}),
    }


@pytest.mark.parametrize("k", [1, 2, 6])
def test_samples_that_are_all_equal_can_be_clustered(k: int) -> None:
    X = np.ones((6, 2))

    found = pck_means(X, k, blocks_of(after((0, 1, DIFFERENT))), [[0], [1]])

    assert found.centres.shape == (k, 2)
    assert (found.labels[0] == found.labels[1]) == (k == 1)


def test_sparse_samples_are_clustered_like_dense_ones(blurred_blobs: Tiny) -> None:
    X, blocks = blurred_blobs.X, blocks_of(after((0, 1, DIFFERENT), (1, 2, SAME)))

    thick = pck_means(X, 4, blocks, [[0], [1, 2]])
    thin = pck_means(sp.csr_array(X), 4, blocks, [[0], [1, 2]])

    np.testing.assert_array_equal(thin.labels, thick.labels)
    np.testing.assert_allclose(thin.centres, thick.centres)


def test_the_price_of_a_pair_grows_with_the_scale(blurred_blobs: Tiny) -> None:
    X = blurred_blobs.X

    assert typical_weight(X) == pytest.approx(X.var(axis=0).sum())
    assert typical_weight(3 * X + 7) == pytest.approx(9 * typical_weight(X))
    assert typical_weight(np.ones((4, 2))) == 1.0

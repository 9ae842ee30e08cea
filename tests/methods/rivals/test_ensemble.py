"""The ensemble of Active-HACC, against counting the clusterings that agree."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from tests.definitions import euclidean

from likewise._arrays import Floats
from likewise.knowledge import Knowledge
from likewise.methods import Problem, problem_of
from likewise.methods._rivals._ensemble import likeness_of
from likewise.methods._rivals._forest import Pairs, begin_forest


def pairs_of(problem: Problem, *aside: int) -> Pairs:
    known = Knowledge(problem.n_samples, aside=frozenset(aside))
    return begin_forest(problem, known, np.random.default_rng(0)).pairs


def blobs(rng: np.random.Generator) -> Floats:
    """Return three heaps of ten samples, far from each other."""
    centres = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 10.0]], 10, axis=0)
    return centres + 0.1 * rng.standard_normal((30, 2))


@pytest.mark.parametrize("k", [1, 2, 3, 5, 7])
def test_the_chance_of_a_pair_is_the_share_of_clusterings_that_have_it(k: int) -> None:
    X = np.random.default_rng(k).standard_normal((12, 2))
    X = X[np.argsort(X[:, 0])] - X.mean(axis=0)
    together = np.zeros((12, 12))
    for number in (max(k // 2, 2), k, min(2 * k, 12)):
        for seed in range(5):
            labels = KMeans(number, n_init=1, random_state=seed).fit_predict(X)
            together += labels[:, np.newaxis] == labels
    pairs = pairs_of(problem_of(X, affinity="auto", n_clusters=k))

    found = likeness_of(pairs).chance

    expected = together[pairs.edges.first, pairs.edges.second] / 15
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("affinity", ["auto", "precomputed"])
def test_pairs_of_one_heap_are_likelier(
    affinity: str, rng: np.random.Generator
) -> None:
    X = blobs(rng)
    given = np.exp(-euclidean(X)) if affinity == "precomputed" else X
    pairs = pairs_of(problem_of(given, affinity=affinity, n_clusters=3))

    found, again = likeness_of(pairs), likeness_of(pairs)

    np.testing.assert_array_equal(found.chance, again.chance)
    apart = pairs.edges.first // 10 != pairs.edges.second // 10
    assert found.chance[apart].mean() < 0.4
    assert found.chance[~apart].mean() > 0.6


def test_the_order_of_the_samples_does_not_matter(rng: np.random.Generator) -> None:
    X, order = rng.standard_normal((25, 3)), rng.permutation(25)
    squares = []
    for given in (X, X[order]):
        pairs = pairs_of(problem_of(given, affinity="auto", n_clusters=4))
        square = np.zeros((25, 25))
        square[pairs.edges.first, pairs.edges.second] = likeness_of(pairs).chance
        squares.append(square + square.T)

    np.testing.assert_array_equal(squares[0][np.ix_(order, order)], squares[1])


def test_samples_set_aside_take_no_part(rng: np.random.Generator) -> None:
    X = blobs(rng)
    whole = pairs_of(problem_of(X, affinity="auto", n_clusters=3), 0, 29)
    part = pairs_of(problem_of(X[1:29], affinity="auto", n_clusters=3))

    here, there = likeness_of(whole), likeness_of(part)

    np.testing.assert_array_equal(whole.edges.first, part.edges.first + 1)
    np.testing.assert_array_equal(here.chance, there.chance)


def test_the_likeliest_comes_first_and_of_equal_ones_the_nearest(
    rng: np.random.Generator,
) -> None:
    X = rng.standard_normal((15, 2))

    found = likeness_of(pairs_of(problem_of(X, affinity="auto", n_clusters=3)))

    keys = list(zip(-found.chance[found.order], found.order, strict=True))
    assert keys == sorted(keys)


def test_equal_samples_are_always_together() -> None:
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    pairs = pairs_of(problem_of(X, affinity="auto", n_clusters=3))

    found = likeness_of(pairs).chance

    assert (found[pairs.edges.length == 0] == 1).all()


def test_two_samples_are_enough() -> None:
    pairs = pairs_of(problem_of([[0.0], [1.0]], affinity="auto", n_clusters=2))

    assert likeness_of(pairs).chance.tolist() == [0.0]

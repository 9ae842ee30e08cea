"""The ensemble of Active-HACC, against linkages as they are defined."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.definitions import euclidean
from tests.problems import random_affinity

from likewise import _regime as regime
from likewise._arrays import Floats
from likewise.knowledge import Knowledge
from likewise.methods import Problem, problem_of
from likewise.methods._rivals._ensemble import likeness_of
from likewise.methods._rivals._forest import Pairs, begin_forest

Measure = Callable[[NDArray[np.float64]], np.float64]
WAYS: tuple[Measure, ...] = (np.min, np.mean, np.max)


def agglomerated(D: Floats, measure: Measure, k: int) -> set[frozenset[int]]:
    """Join the two clusters nearest by a measure of their distances, until k."""
    clusters = {frozenset([sample]) for sample in range(len(D))}
    while len(clusters) > k:
        a, b = min(
            combinations(clusters, 2),
            key=lambda two: measure(D[np.ix_(list(two[0]), list(two[1]))]),
        )
        clusters = clusters - {a, b} | {a | b}
    return clusters


def shares(D: Floats, k: int) -> Floats:
    """Return the share of the nine clusterings that have each pair together."""
    together = np.zeros_like(D)
    numbers = (max(k // 2, 2), k, min(2 * k, len(D)))
    for measure in WAYS:
        for number in numbers:
            for cluster in agglomerated(D, measure, number):
                together[np.ix_(list(cluster), list(cluster))] += 1
    return together / 9


def pairs_of(problem: Problem, *aside: int) -> Pairs:
    known = Knowledge(problem.n_samples, aside=frozenset(aside))
    return begin_forest(problem, known, np.random.default_rng(0)).pairs


@pytest.mark.parametrize("k", [1, 2, 3, 5, 7])
def test_the_chance_of_a_pair_is_the_share_of_clusterings_that_have_it(k: int) -> None:
    X = np.random.default_rng(k).standard_normal((12, 2))
    pairs = pairs_of(problem_of(X, affinity="auto", n_clusters=k))

    found = likeness_of(pairs)

    expected = shares(euclidean(X), k)[pairs.edges.first, pairs.edges.second]
    np.testing.assert_allclose(found.chance, expected)


def test_similarities_alone_will_do(rng: np.random.Generator) -> None:
    W = random_affinity(10, rng)
    pairs = pairs_of(problem_of(W, affinity="precomputed", n_clusters=3))

    found = likeness_of(pairs)

    expected = shares(W.max() - W, 3)[pairs.edges.first, pairs.edges.second]
    np.testing.assert_allclose(found.chance, expected)


def test_samples_set_aside_take_no_part(rng: np.random.Generator) -> None:
    X = rng.standard_normal((12, 2))
    whole = pairs_of(problem_of(X, affinity="auto", n_clusters=3), 0, 11)
    part = pairs_of(problem_of(X[1:11], affinity="auto", n_clusters=3))

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


def test_many_samples_are_clustered_by_k_means(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    centres = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 10, axis=0)
    X = centres + 0.1 * rng.standard_normal((30, 2))
    monkeypatch.setattr(regime, "FOREST_PAIRS", 20)
    problems = [
        problem_of(X, affinity="auto", n_clusters=3),
        problem_of(np.exp(-euclidean(X)), affinity="precomputed", n_clusters=3),
    ]

    for problem in problems:
        pairs = pairs_of(problem)
        found, again = likeness_of(pairs), likeness_of(pairs)
        np.testing.assert_array_equal(found.chance, again.chance)
        apart = pairs.edges.first // 10 != pairs.edges.second // 10
        assert found.chance[apart].max() <= 1 / 3 < 2 / 3 <= found.chance[~apart].max()


def test_two_samples_are_enough() -> None:
    pairs = pairs_of(problem_of([[0.0], [1.0]], affinity="auto", n_clusters=2))

    assert likeness_of(pairs).chance.tolist() == [0.0]

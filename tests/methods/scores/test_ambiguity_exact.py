"""How unsure a clustering is of each sample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats
from hypothesis import given
from tests.problems import Tiny
from tests.strategies import affinities, labelings

from likewise._arrays import Floats
from likewise.methods._scores._ambiguity_exact import (
    entropy,
    mixture_probabilities,
    neighbour_probabilities,
    own_shares,
)


@given(affinities(7), labelings(7, 7, n_classes=3))
def test_shares_are_those_of_the_definition(W: Floats, labels: list[int]) -> None:
    actual = neighbour_probabilities(sp.csr_array(W), np.array(labels), 3)

    for j in range(7):
        total = sum(W[j])
        for c in range(3):
            mass = sum(W[j, i] for i in range(7) if labels[i] == c)
            expected = mass / total if total > 0 else 1 / 3
            assert actual[j, c] == pytest.approx(expected)


@given(affinities(7), labelings(7, 7, n_classes=3))
def test_shares_sum_to_one(W: Floats, labels: list[int]) -> None:
    actual = neighbour_probabilities(sp.csr_array(W), np.array(labels), 3)

    np.testing.assert_allclose(actual.sum(axis=1), 1.0, rtol=1e-12)


@given(affinities(7), labelings(7, 7, n_classes=3))
def test_own_shares_are_those_of_the_cluster_that_a_sample_is_in(
    W: Floats, labels: list[int]
) -> None:
    found = np.array(labels)
    k = int(found.max()) + 1

    actual = own_shares(sp.csr_array(W), found)

    expected = neighbour_probabilities(sp.csr_array(W), found, k)
    np.testing.assert_allclose(actual, expected[np.arange(7), found], rtol=1e-12)


def test_a_sample_without_neighbours_may_be_anywhere() -> None:
    actual = neighbour_probabilities(sp.csr_array((3, 3)), np.array([0, 1, 1]), 4)

    np.testing.assert_array_equal(actual, 0.25)


def test_shares_run_from_a_sample_to_its_neighbours_only() -> None:
    one_way = sp.csr_array(np.array([[0.0, 2.0], [0.0, 0.0]]))

    actual = neighbour_probabilities(one_way, np.array([0, 1]), 2)

    np.testing.assert_array_equal(actual, [[0.0, 1.0], [0.5, 0.5]])


def test_the_bridge_between_two_cliques_is_the_most_ambiguous(bridge: Tiny) -> None:
    shares = neighbour_probabilities(sp.csr_array(bridge.X), bridge.truth, 2)

    ambiguity = entropy(shares)

    assert ambiguity.argmax() == 4
    assert ambiguity[4] == pytest.approx(np.log(2))
    assert (np.delete(ambiguity, 4) < np.log(2) - 0.1).all()


def heaps(sizes: Sequence[int], d: int, seed: int) -> tuple[Floats, np.ndarray]:
    """Return samples near the corners of a simplex, and which corner each is near."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    noise = np.random.default_rng(seed).standard_normal((len(labels), d))
    return 3 * np.eye(len(sizes), d)[labels] + 0.3 * noise, labels


MIXTURES = {"full": (12, 9, 7), "diag": (12, 9, 1), "all but one": (3, 1, 1)}


@pytest.mark.parametrize("sizes", MIXTURES.values(), ids=MIXTURES)
def test_mixture_probabilities_sum_to_one(sizes: Sequence[int], seed: int) -> None:
    coordinates, labels = heaps(sizes, 3, seed)

    actual = mixture_probabilities(coordinates, labels, 3)

    assert actual.shape == (sum(sizes), 3)
    assert actual.min() >= 0
    np.testing.assert_allclose(actual.sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.parametrize("sizes", MIXTURES.values(), ids=MIXTURES)
def test_mixture_finds_heaps_that_lie_apart(sizes: Sequence[int], seed: int) -> None:
    coordinates, labels = heaps(sizes, 3, seed)

    actual = mixture_probabilities(coordinates, labels, 3)

    np.testing.assert_array_equal(actual.argmax(axis=1), labels)


def test_a_cluster_without_samples_has_probability_zero(seed: int) -> None:
    coordinates, labels = heaps((8, 8), 2, seed)

    actual = mixture_probabilities(coordinates, 2 * labels, 3)

    np.testing.assert_array_equal(actual[:, 1], 0.0)
    np.testing.assert_array_equal(actual.argmax(axis=1), 2 * labels)


def test_a_sample_between_two_heaps_is_more_ambiguous_than_most(
    rng: np.random.Generator,
) -> None:
    heap = np.array([1.5, 0.0]) + 0.6 * rng.standard_normal((40, 2))
    coordinates = np.vstack([heap, -heap, np.zeros(2)])
    labels = np.repeat([0, 1, 0], [40, 40, 1])

    ambiguity = entropy(mixture_probabilities(coordinates, labels, 2))

    assert ambiguity[80] > np.quantile(ambiguity, 0.9)


def test_equal_coordinates_make_a_mixture_all_the_same() -> None:
    actual = mixture_probabilities(np.ones((10, 2)), np.array([0, 1] * 5), 2)

    np.testing.assert_allclose(actual, 0.5)


def test_probabilities_do_not_change_what_came_in(seed: int) -> None:
    coordinates, labels = heaps((8, 8), 2, seed)
    before = coordinates.copy(), labels.copy()

    mixture_probabilities(coordinates, labels, 2)

    np.testing.assert_array_equal(coordinates, before[0])
    np.testing.assert_array_equal(labels, before[1])


def test_entropy_is_that_of_scipy(rng: np.random.Generator) -> None:
    shares = rng.dirichlet(np.ones(4), size=20)

    np.testing.assert_allclose(
        entropy(shares), scipy.stats.entropy(shares, axis=1), rtol=1e-9
    )


def test_entropy_counts_nothing_for_impossible_clusters() -> None:
    shares = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])

    np.testing.assert_allclose(entropy(shares), [0.0, np.log(2)], rtol=1e-12)

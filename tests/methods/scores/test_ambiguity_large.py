"""How mixed neighbours are, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spectral.scenes import isolated
from tests.strategies import affinities

from likewise._arrays import Floats
from likewise.methods._scores._ambiguity_exact import entropy as entropy_of
from likewise.methods._scores._ambiguity_exact import neighbour_probabilities
from likewise.methods._scores._ambiguity_large import near_of, neighbour_entropy, shares
from likewise.spectral import graph_of
from likewise.spectral._backend import NumpyBackend

N, K = 9, 4
device_each = pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
some_labels = st.lists(st.integers(0, K - 1), min_size=N, max_size=N)


@device_each
@settings(max_examples=40)
@given(W=affinities(N), near=affinities(N), labels=some_labels)
def test_entropy_is_its_definition(
    device: str, W: Floats, near: Floats, labels: list[int]
) -> None:
    graph = graph_of(sp.csr_array(W), device=device)
    directed = sp.csr_array(np.triu(near))

    actual = neighbour_entropy(near_of(graph, directed), np.array(labels), K)

    expected = entropy_of(neighbour_probabilities(directed, np.array(labels), K))
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@device_each
@given(near=affinities(N), labels=some_labels, samples=st.lists(st.integers(0, N - 1)))
def test_shares_are_their_definition(
    device: str, near: Floats, labels: list[int], samples: list[int]
) -> None:
    graph = graph_of(sp.csr_array(near), device=device)
    chosen = np.array(samples, dtype=np.intp)

    actual = shares(near_of(graph, sp.csr_array(near)), np.array(labels), K, chosen)

    every = neighbour_probabilities(sp.csr_array(near), np.array(labels), K)
    np.testing.assert_allclose(actual, every[chosen], atol=1e-6)


def test_a_sample_among_its_like_has_no_entropy_at_all(
    rng: np.random.Generator,
) -> None:
    near = sp.random_array((200, 200), density=0.1, rng=rng, format="csr")
    graph = graph_of(sp.csr_array(near + near.T))

    actual = neighbour_entropy(near_of(graph, near), np.zeros(200, dtype=int), 3)

    assert set(actual[np.diff(near.indptr) > 0].tolist()) == {0.0}


def test_nobody_has_neighbours() -> None:
    graph = graph_of(isolated(5))

    actual = neighbour_entropy(near_of(graph, isolated(5)), np.zeros(5, dtype=int), 3)

    np.testing.assert_allclose(actual, np.log(3), rtol=1e-6)


def test_more_samples_than_fit_at_once_are_all_scored(
    rng: np.random.Generator,
) -> None:
    n = NumpyBackend.rows_at_once + 500
    near = sp.csr_array(sp.diags_array(np.ones(2), offsets=[-1, 1], shape=(n, n)))
    labels = rng.integers(2, size=n)

    actual = neighbour_entropy(near_of(graph_of(near), near), labels, 2)

    expected = entropy_of(neighbour_probabilities(near, labels, 2))
    np.testing.assert_allclose(actual, expected, atol=1e-6)

"""How unsure the clustering of many samples is, against the exact half."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture
from tests.spectral.scenes import isolated
from tests.strategies import affinities

from likewise._arrays import Floats, Indices
from likewise.methods._scores import _ambiguity_large as module
from likewise.methods._scores._ambiguity_exact import (
    entropy,
    mixture_probabilities,
    neighbour_probabilities,
)
from likewise.methods._scores._ambiguity_exact import entropy as entropy_of
from likewise.methods._scores._ambiguity_large import (
    Mixture,
    near_of,
    neighbour_entropy,
    shares,
)
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


def heaps(n: int, seed: int, dimensions: int = 3) -> tuple[Floats, Indices]:
    """Return three heaps of different shape that overlap a little."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    centres = 3 * np.eye(3, dimensions)
    shapes = rng.normal(size=(3, dimensions, dimensions))
    noise = rng.normal(size=(n, 1, dimensions))
    return centres[labels] + (noise @ shapes[labels])[:, 0], labels


def test_doubt_is_that_of_a_mixture_of_all_samples(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "N_STEPS", 200)
    monkeypatch.setattr(module, "SETTLED", 1e-6)
    X, labels = heaps(400, seed)

    actual = Mixture.fitted(X, labels, 3).entropy(X)

    expected = entropy(mixture_probabilities(X, labels, 3))
    assert np.abs(actual - expected).mean() < 0.05


def test_probabilities_are_those_of_scikit_learn_with_the_same_parameters(
    seed: int,
) -> None:
    X, labels = heaps(300, seed)
    found = Mixture.fitted(X, labels, 3)
    peer = GaussianMixture(3, covariance_type="full")
    peer.weights_, peer.means_ = found.weights, found.means
    peer.precisions_cholesky_ = found.roots
    peer.covariances_ = np.linalg.inv(found.roots @ found.roots.transpose(0, 2, 1))

    expected = entropy(peer.predict_proba(X))

    np.testing.assert_allclose(found.entropy(X), expected, atol=1e-8)


def test_a_mixture_starts_from_the_one_before(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second fit of one step goes on where the first has ended, turned or not."""
    X, labels = heaps(400, seed)
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    first = Mixture.fitted(X, labels, 3)
    monkeypatch.setattr(module, "N_STEPS", 1)

    second = Mixture.fitted(X @ turn, rng.permutation(labels), 3, first)

    np.testing.assert_allclose(second.entropy(X @ turn), first.entropy(X), atol=0.1)


def test_another_number_of_clusters_starts_from_them() -> None:
    X, labels = heaps(200, 0)
    before = Mixture.fitted(X, np.minimum(labels, 1), 2)

    actual = Mixture.fitted(X, labels, 3, before)

    np.testing.assert_allclose(actual.means, Mixture.fitted(X, labels, 3).means)


def test_many_samples_are_fitted_to_some_and_looked_at_by_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, labels = heaps(1000, 0)
    monkeypatch.setattr(module, "N_FITTED", 300)
    found = Mixture.fitted(X, labels, 3)
    whole = found.entropy(X)
    monkeypatch.setattr(module, "ROWS", 7)

    assert len(found.shares) == 300
    np.testing.assert_allclose(found.entropy(X), whole, atol=1e-9)


def test_a_cluster_with_few_members_gets_variances_along_the_axes() -> None:
    X, labels = heaps(60, 0)
    labels[labels == 2] = 0
    labels[:2] = 2

    found = Mixture.fitted(X, labels, 3)

    off = found.roots[:, ~np.eye(3, dtype=bool)]
    np.testing.assert_array_equal(off, 0.0)
    assert np.isfinite(found.entropy(X)).all()


def test_a_cluster_that_nobody_is_in_is_no_error() -> None:
    X, labels = heaps(60, 0)

    assert np.isfinite(Mixture.fitted(X, labels, 5).entropy(X)).all()

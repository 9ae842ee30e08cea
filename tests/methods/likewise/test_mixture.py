"""A mixture of Gaussians as the start, where it is found again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from tests.problems import blobs

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.methods._likewise._mixture import (
    FEWEST,
    RIDGE,
    main_directions,
    mixture_clusters,
    mixture_of,
)


def stretched(seed: int = 0) -> tuple[Floats, Indices]:
    """Return a large flat class and a small long one that cross its middle plane."""
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(160, 3)) * [4.0, 4.0, 0.2]
    long = rng.normal(size=(60, 3)) * [0.3, 0.3, 4.0] + [0.0, 0.0, 9.0]
    return np.vstack([wide, long]), np.repeat([0, 1], [160, 60])


def halves(X: Floats) -> Indices:
    """Return what a graph might make of it: two halves of the same size."""
    return (X[:, 0] > np.median(X[:, 0])).astype(np.intp)


def test_it_finds_the_likeliest_components_that_scikit_learn_finds() -> None:
    X, truth = stretched()
    start = np.where(X[:, 2] > 3, 1, 0)
    ridge = RIDGE * X.var(axis=0).mean()
    means = np.array([X[start == c].mean(axis=0) for c in (0, 1)])
    other = GaussianMixture(
        2, reg_covar=ridge, means_init=means, tol=1e-6, max_iter=500
    )

    found = mixture_clusters(X, start)

    assert adjusted_rand_score(found, other.fit_predict(X)) > 0.97
    assert adjusted_rand_score(found, truth) > 0.9


@given(st.integers(0, 200), st.integers(2, 4))
def test_clusters_are_numbered_without_gaps(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(30, 2)), rng.integers(k, size=30)
    labels[:k] = np.arange(k)

    found = mixture_clusters(X, labels)

    assert set(found.tolist()) == set(range(int(found.max()) + 1))


@pytest.mark.parametrize("factor", [1e-200, 1.0, 1e200])
def test_units_and_directions_are_no_matter(factor: float) -> None:
    X, truth = stretched()
    start = np.where(np.arange(len(X)) < 12, 1, truth)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]

    here = mixture_clusters(main_directions(X), start)
    there = mixture_clusters(main_directions(factor * (X @ turn)), start)

    assert adjusted_rand_score(here, there) == pytest.approx(1.0)


def test_samples_that_are_all_equal_are_left_as_they_are() -> None:
    labels = np.repeat([0, 1], 30)

    assert mixture_of(np.ones((60, 2)), labels, 0) is None


def test_few_samples_a_cluster_tell_nothing() -> None:
    X, _ = stretched()
    labels = np.arange(len(X)) % (len(X) // FEWEST + 1)

    assert mixture_of(X, labels, 0) is None


def test_what_the_graph_shows_already_is_no_mixture() -> None:
    heaps = blobs((30, 30))

    assert mixture_of(heaps.X, heaps.truth, 0) is None


def test_one_long_tail_is_no_cluster() -> None:
    # A mixture would take the tail for a class of its own; normal scores have none.
    X = np.exp(1.5 * np.random.default_rng(0).normal(size=(200, 4)))

    assert mixture_of(X, halves(X), 0) is None


def test_a_mixture_is_held_longer_the_less_of_it_the_graph_shows() -> None:
    X, truth = stretched()
    starts = [np.where(np.arange(len(X)) < n_wrong, 1, truth) for n_wrong in (40, 12)]

    far, near = (mixture_of(X, start, 0) for start in starts)

    assert far is not None
    assert near is not None
    assert far.n_held > near.n_held > 0
    assert [far.labels[m] for m in far.medoids] == [0, 1]


def test_irises_begin_with_their_mixture_and_stay_there_while_it_is_held() -> None:
    X, y = load_iris(return_X_y=True)
    session = Session(X, n_clusters=3)

    scores = [adjusted_rand_score(y, session.labels)]
    views = run(session, LabelOracle(y), 8)
    scores += [adjusted_rand_score(y, view.labels) for view in views]

    assert scores[0] > 0.85  # a graph alone begins at about 0.6
    assert min(scores) > scores[0] - 0.05

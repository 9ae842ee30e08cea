"""From samples to similarities."""

from __future__ import annotations

import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from tests.definitions import euclidean
from tests.problems import random_affinity

from likewise import _regime as regime
from likewise._arrays import Floats, dense
from likewise.affinity import (
    AFFINITIES,
    PAIRWISE,
    Affinity,
    affinity_of,
    auto,
    chi2,
    cosine,
    gaussian,
    precomputed,
)
from likewise.affinity import _kernels as affinity
from likewise.errors import InputError

OF_SAMPLES = {name: make for name, make in AFFINITIES.items() if name not in PAIRWISE}
HARD = {
    "one sample": np.ones((1, 2)),
    "two samples": np.array([[0.0, 1.0], [1.0, 1.0]]),
    "three samples": np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 9.0]]),
    "thirty equal samples": np.ones((30, 2)),
    "equal samples and one other": np.array([[1.0, 2.0]] * 30 + [[5.0, 0.0]]),
    "all zero": np.zeros((25, 2)),
    "ties": np.stack(np.meshgrid(*2 * [np.arange(5.0)]), -1).reshape(-1, 2),
    "constant column": np.column_stack([np.arange(15.0), np.full(15, 7.0)]),
    "a far point": np.vstack([np.ones((24, 2)) * np.arange(24)[:, None], [[1e6, 0]]]),
}

each_kind = pytest.mark.parametrize("make", OF_SAMPLES.values(), ids=OF_SAMPLES)
each_hard = pytest.mark.parametrize("X", HARD.values(), ids=HARD)


@each_kind
@each_hard
def test_weights_are_a_similarity(make: Any, X: Floats) -> None:
    W = dense(make(X).weights)

    np.testing.assert_array_equal(W, W.T)
    np.testing.assert_array_equal(np.diag(W), 0.0)
    assert W.min() >= 0
    assert np.isfinite(W).all()


@each_kind
@each_hard
def test_neighbours_are_at_most_twenty_and_never_the_sample(
    make: Any, X: Floats
) -> None:
    neighbours = make(X).neighbours

    assert neighbours.shape == (len(X), len(X))
    assert np.diff(neighbours.indptr).max() <= 20
    np.testing.assert_array_equal(neighbours.diagonal(), 0.0)


@each_kind
@each_hard
def test_closeness_is_a_finite_number_for_each_other_sample(
    make: Any, X: Floats
) -> None:
    others = np.arange(1, len(X))

    actual = make(X).closeness(0, others)

    assert actual.shape == others.shape
    assert np.isfinite(actual).all()


@each_kind
@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_samples_are_not_changed(
    make: Any, convert: Any, rng: np.random.Generator
) -> None:
    X = convert(rng.random((25, 3)))
    before = X.copy()

    found = make(X)
    found.closeness(0, np.array([1, 2]))

    np.testing.assert_array_equal(dense(X), dense(before))


@each_kind
def test_sparse_samples_have_the_same_weights(
    make: Any, rng: np.random.Generator
) -> None:
    X = rng.random((25, 3))

    actual = make(sp.csr_array(X))

    np.testing.assert_allclose(dense(actual.weights), dense(make(X).weights), atol=1e-9)


@each_kind
def test_features_are_kept(make: Any, rng: np.random.Generator) -> None:
    X = rng.random((5, 3))

    np.testing.assert_array_equal(make(X).features, X)


@pytest.mark.parametrize("make", [gaussian, cosine, chi2])
def test_neighbours_of_dense_weights_are_the_twenty_strongest(
    make: Any, rng: np.random.Generator
) -> None:
    found = make(rng.random((40, 3)))
    expected = np.where(
        found.weights >= np.sort(found.weights, axis=1)[:, [-20]], found.weights, 0.0
    )

    np.testing.assert_array_equal(found.neighbours.toarray(), expected)


def test_neighbours_of_the_graph_are_the_twenty_nearest(
    rng: np.random.Generator,
) -> None:
    X = rng.random((40, 3))
    nearest = euclidean(X).argsort(axis=1)[:, 1:21]

    actual = auto(X).neighbours

    np.testing.assert_array_equal(
        actual.indices.reshape(40, 20), np.sort(nearest, axis=1)
    )


def test_gaussian_weights_follow_the_bandwidth(rng: np.random.Generator) -> None:
    X = rng.standard_normal((10, 2))
    expected = np.exp(-(euclidean(X) ** 2) / (2 * 0.7**2))
    np.fill_diagonal(expected, 0.0)

    actual = gaussian(X, bandwidth=0.7).weights

    np.testing.assert_allclose(actual, expected, rtol=1e-9)


def test_usual_bandwidth_is_half_the_median_distance(
    rng: np.random.Generator,
) -> None:
    X = rng.standard_normal((11, 2))
    median = np.median(euclidean(X)[np.triu_indices(11, 1)])

    np.testing.assert_allclose(
        gaussian(X).weights, gaussian(X, bandwidth=median / 2).weights, rtol=1e-9
    )


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.nan])
def test_a_bandwidth_that_is_not_positive_is_refused(bandwidth: float) -> None:
    with pytest.raises(InputError, match="bandwidth must be positive"):
        gaussian([[0.0], [1.0]], bandwidth=bandwidth)


def test_chi_square_weights_are_those_of_the_definition() -> None:
    X = np.array([[1.0, 2.0, 0.0], [3.0, 1.0, 0.0], [0.0, 5.0, 0.0]])
    distance = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        for a, b in zip(X[i], X[j], strict=True):
            distance[i, j] += (a - b) ** 2 / (a + b) if a + b else 0.0
    expected = np.exp(-distance / distance[np.triu_indices(3, 1)].mean())
    np.fill_diagonal(expected, 0.0)

    np.testing.assert_allclose(chi2(X).weights, expected, rtol=1e-9)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_chi_square_refuses_negative_entries(convert: Any) -> None:
    with pytest.raises(InputError, match=r"for histograms.* -0\.5"):
        chi2(convert([[1.0, -0.5], [1.0, 2.0]]))


def test_cosine_weights_are_cosines_cut_at_zero() -> None:
    X = np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, 0.0]])
    half = np.sqrt(0.5)

    actual = cosine(X).weights

    expected = [[0, half, 0, 0], [half, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(actual, expected, atol=1e-12)


def test_closeness_in_the_graph_tells_far_samples_apart() -> None:
    X = np.concatenate([np.arange(15.0), [1e4, 2e4, 3e4]])[:, np.newaxis]
    found = auto(X)
    scale = np.sort(euclidean(X), axis=1)[:, 7]

    actual = found.closeness(0, np.array([15, 16, 17]))

    expected = -(euclidean(X)[0, 15:] ** 2) / (scale[0] * scale[15:])
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


def test_closeness_agrees_with_the_weights_of_the_graph(
    rng: np.random.Generator,
) -> None:
    found = auto(rng.standard_normal((40, 2)))
    row = found.weights[[3]]

    actual = found.closeness(3, row.indices)

    np.testing.assert_allclose(np.exp(actual), row.data, rtol=1e-9)


def test_closeness_does_not_depend_on_where_zero_is(rng: np.random.Generator) -> None:
    X = rng.standard_normal((20, 2))
    others = np.arange(1, 20)

    actual = auto(X + 1e8).closeness(0, others)

    np.testing.assert_allclose(actual, auto(X).closeness(0, others), rtol=1e-3)


@pytest.mark.parametrize("make", [auto, gaussian])
def test_weights_do_not_depend_on_where_zero_is(
    make: Any, rng: np.random.Generator
) -> None:
    X = rng.standard_normal((20, 2))

    actual = make(X + 1e8).weights

    np.testing.assert_allclose(dense(actual), dense(make(X).weights), atol=1e-4)


def test_closeness_of_dense_weights_is_the_weight(rng: np.random.Generator) -> None:
    W = random_affinity(6, rng)

    actual = precomputed(W).closeness(2, np.array([5, 0, 4]))

    np.testing.assert_array_equal(actual, W[2, [5, 0, 4]])


def path(*weights: float) -> sp.csr_array:
    """Return the similarity of samples in a row, each like the next."""
    return sp.csr_array(sp.diags_array([weights, weights], offsets=[1, -1]))


def test_closeness_of_a_sparse_graph_is_larger_with_an_edge_than_without() -> None:
    actual = precomputed(path(0.01, 1.0, 1.0, 1.0)).closeness(0, np.array([1, 2, 3]))

    assert actual[0] > actual[1] > 0


def test_closeness_of_a_sparse_graph_looks_two_steps_far() -> None:
    actual = precomputed(path(1.0, 1.0, 1.0)).closeness(0, np.array([2, 3]))

    assert actual[0] > actual[1] == 0


def test_closeness_of_a_sparse_graph_orders_edges_by_weight(
    rng: np.random.Generator,
) -> None:
    W = random_affinity(12, rng) + 1.0  # steps over others weigh more than differences
    np.fill_diagonal(W, 0.0)
    others = np.arange(1, 12)

    actual = precomputed(sp.csr_array(W)).closeness(0, others)

    np.testing.assert_array_equal(actual.argsort(), W[0, others].argsort())


def test_closeness_in_a_graph_without_edges_is_zero() -> None:
    actual = precomputed(sp.csr_array((4, 4))).closeness(0, np.array([1, 2, 3]))

    np.testing.assert_array_equal(actual, 0.0)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_a_precomputed_similarity_is_used_as_it_is(
    convert: Any, rng: np.random.Generator
) -> None:
    W = random_affinity(6, rng)

    found = precomputed(convert(W))

    np.testing.assert_array_equal(dense(found.weights), W)
    assert found.features is None


def test_a_precomputed_sparse_graph_gives_the_neighbours_it_has() -> None:
    W = path(0.5, 0.25)

    np.testing.assert_array_equal(precomputed(W).neighbours.toarray(), W.toarray())


def test_a_function_may_return_a_similarity(rng: np.random.Generator) -> None:
    X = rng.random((5, 2))

    actual = affinity_of(X, lambda samples: samples @ samples.T)

    expected = X @ X.T
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(actual.weights, expected, rtol=1e-12)


def test_a_function_may_return_an_affinity(rng: np.random.Generator) -> None:
    X = rng.random((5, 2))

    actual = affinity_of(X, partial(gaussian, bandwidth=2.0))

    assert isinstance(actual, Affinity)
    np.testing.assert_array_equal(actual.weights, gaussian(X, bandwidth=2.0).weights)


def test_a_function_that_returns_no_similarity_is_refused() -> None:
    with pytest.raises(InputError, match="must be square"):
        affinity_of(np.ones((3, 2)), lambda samples: samples)


@pytest.mark.parametrize("name", OF_SAMPLES)
def test_an_affinity_is_found_by_its_name(name: str, rng: np.random.Generator) -> None:
    X = rng.random((5, 2))

    np.testing.assert_array_equal(
        dense(affinity_of(X, name).weights), dense(AFFINITIES[name](X).weights)
    )


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(InputError, match=r"no affinity 'rbf'.*auto, gaussian, chi2"):
        affinity_of(np.ones((3, 2)), "rbf")


@pytest.fixture
def features(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """A memory map of more samples than are searched as a whole, if 300 are many."""
    monkeypatch.setattr(regime, "EXACT_SEARCH", 300)
    path = tmp_path / "features.npy"
    np.save(path, rng.integers(0, 255, (400, 3), dtype=np.uint8).astype(np.float32))
    return np.load(path, mmap_mode="r")


def test_the_graph_of_many_samples_is_in_single_precision(
    rng: np.random.Generator,
) -> None:
    features = rng.standard_normal((regime.EXACT_SEARCH + 1, 3), dtype=np.float32)

    found = auto(features)

    for graph in (found.weights, found.neighbours):
        assert graph.dtype == np.float32
        assert graph.indices.dtype == np.int32
    assert abs(found.weights - found.weights.T).nnz == 0
    assert connected_components(found.weights, directed=False)[0] == 1
    assert found.recall == 1.0
    assert np.shares_memory(found.features, features)


def test_closeness_among_many_agrees_with_the_weights(features: Any) -> None:
    found = auto(features)
    row = found.weights[[3]]

    actual = found.closeness(3, row.indices)

    np.testing.assert_allclose(np.exp(actual), row.data, rtol=1e-4)


def test_the_search_among_many_tells_how_far_it_is(features: Any) -> None:
    seen: list[tuple[int, int]] = []

    auto(features, progress=lambda *at: seen.append(at))

    assert seen[-1] == (2 * len(features), 2 * len(features))


@pytest.mark.parametrize("name", ["gaussian", "chi2", "cosine"])
def test_an_affinity_of_all_pairs_refuses_too_many_samples(name: str) -> None:
    with pytest.raises(InputError, match=r"keeps all pairs.*50001.*'auto'"):
        affinity_of(np.zeros((50_001, 1), dtype=np.float32), name)


def test_a_large_precomputed_graph_stays_sparse_and_single() -> None:
    n = regime.EXACT_SEARCH + 1
    weights = np.linspace(0.1, 1.0, n - 1, dtype=np.float32)

    found = precomputed(sp.diags_array([weights, weights], offsets=[1, -1]))

    assert found.weights.dtype == found.neighbours.dtype == np.float32
    np.testing.assert_array_equal(
        found.closeness(0, np.array([1, 2, 3])) > 0, [True, True, False]
    )


def test_the_strongest_of_equal_edges_are_those_that_come_first() -> None:
    W = np.ones((30, 30)) - np.eye(30)

    actual = precomputed(sp.csr_array(W)).neighbours

    np.testing.assert_array_equal(actual[[29]].indices, np.arange(20))


@pytest.mark.parametrize("make", [gaussian, chi2, cosine])
def test_all_pairs_of_many_samples_are_not_kept_silently(
    make: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regime, "EXACT_SEARCH", 20)

    with pytest.warns(UserWarning, match=r"keeps all pairs.*use affinity='auto'"):
        make(rng.random((21, 2)))


@pytest.mark.parametrize("numbers", [np.uint8, np.float16])
def test_small_numbers_stay_on_disk_and_mean_the_same(
    numbers: Any, tmp_path: Path, features: Any
) -> None:
    np.save(tmp_path / "small.npy", features.astype(numbers))
    X = np.load(tmp_path / "small.npy", mmap_mode="r")
    others = np.array([0, 5, 7])

    found, expected = auto(X), auto(features)

    np.testing.assert_array_equal(found.weights.data, expected.weights.data)
    np.testing.assert_array_equal(
        found.closeness(2, others), expected.closeness(2, others)
    )
    assert np.shares_memory(found.features, X)


def test_closeness_to_many_reads_a_block_at_a_time(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, others = rng.standard_normal((2000, 50)), np.arange(2000)
    closeness = auto(X).closeness
    expected = closeness(0, others)
    monkeypatch.setattr(affinity, "N_CHECKED", 100)

    tracemalloc.start()
    actual = closeness(0, others)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    np.testing.assert_array_equal(actual, expected)
    assert peak < 0.5 * X.nbytes

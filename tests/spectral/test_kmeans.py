"""Clusters in the eigenspace: exact ones, and large ones from nothing or old labels."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from tests.definitions import classes_of
from tests.spectral.scenes import (
    certain,
    cliques,
    crowd,
    exact_pairs,
    isolated,
    laplacian_under,
    operator_under,
)

from likewise._arrays import Floats, Indices
from likewise.spectral import (
    Pairs,
    Spectrum,
    clusters,
    embedded,
    embedding,
    graph_of,
    k_means,
    lowered_k_means,
    lowest,
    reclustered,
    solve,
    updated,
)
from likewise.spectral import _laplacian_large as large
from likewise.spectral._eigen_filter import Ritz
from likewise.spectral._kmeans import _means, _settled, pivoted_clusters


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

    assert classes_of(actual[:].tolist()) == classes_of(truth.tolist())


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

    assert classes_of(actual[:].tolist()) == classes_of(truth.tolist())


def settled_by_definition(rows: Floats, centres: Floats) -> Indices:
    """Return what k-means ends in, every distance and every mean worked out anew."""
    before = None
    while True:
        apart = ((rows[:, np.newaxis] - centres) ** 2).sum(axis=2)
        labels = apart.argmin(axis=1)
        if before is not None and np.array_equal(labels, before):
            return labels
        centres = np.array(
            [rows[labels == c].mean(axis=0) for c in range(len(centres))]
        )
        before = labels


@pytest.mark.parametrize("k", [3, 12, 25])
def test_k_means_that_looks_at_what_moved_ends_where_it_should(
    k: int, seed: int
) -> None:
    """Fewer and more clusters than are summed one after another."""
    rows = np.random.default_rng((k, seed)).standard_normal((300, 4))
    start = rows[:k]

    labels, means = _settled(rows, start)

    np.testing.assert_array_equal(labels, settled_by_definition(rows, start))
    expected = [rows[labels == c].mean(axis=0) for c in range(k)]
    np.testing.assert_allclose(means, expected, atol=1e-14)


@pytest.mark.parametrize("k", [3, 12])
def test_means_of_what_stayed_are_those_of_all(k: int, seed: int) -> None:
    rng = np.random.default_rng((k, seed))
    rows, before = rng.standard_normal((200, 3)), np.arange(200) % k
    labels = before.copy()
    labels[rng.integers(200, size=4)] = 1

    whole = _means(rows, labels, np.zeros((k, 3)))
    again = _means(rows, labels, _means(rows, before, np.zeros((k, 3))), before)

    np.testing.assert_array_equal(again, whole)


def squares(coordinates: Floats, labels: Indices) -> float:
    """Return the sum of squared distances from the middles of clusters."""
    inside = [coordinates[labels == label] for label in np.unique(labels)]
    return float(sum(((rows - rows.mean(axis=0)) ** 2).sum() for rows in inside))


@pytest.mark.parametrize("seed", range(5))
def test_two_centres_in_one_heap_do_not_stay_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(4), 25)
    middles = np.array([[0.0, 0, 0, 0], [9, 0, 0, 0], [0, 9, 0, 0], [9, 9, 0, 0]])
    rows = middles[truth] + 0.5 * rng.standard_normal((100, 4))

    in_one = [[0], [1], [2]]  # where three of the centres begin

    found = lowered_k_means(rows, 4, in_one)

    assert classes_of(found.tolist()) == classes_of(truth.tolist())
    stuck = k_means(rows, 4, in_one)
    assert classes_of(stuck.tolist()) != classes_of(truth.tolist())


def test_seeds_keep_their_clusters_though_others_would_lie_closer() -> None:
    rng = np.random.default_rng(0)
    wide, near = rng.normal(0.0, 2.0, (60, 3)), rng.normal(9.0, 0.1, (6, 3))
    near[3:, 0] += 0.8
    rows = np.vstack([wide, near])
    seeds = [range(60), range(60, 63), range(63, 66)]

    found = lowered_k_means(rows, 3, [list(seed) for seed in seeds])

    assert classes_of(found.tolist()) == {frozenset(seed) for seed in seeds}
    assert squares(rows, found) > squares(rows, lowered_k_means(rows, 3, ()))


def test_clusters_lie_about_as_close_as_those_of_many_draws() -> None:
    shares = []
    for seed in range(12):  # of 60 seeds the worst has 1.045, the mean is 1.003
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((12, 5))[rng.integers(12, size=150)]
        rows = rows + 0.4 * rng.standard_normal(rows.shape)
        least = KMeans(5, n_init=50, random_state=seed).fit(rows).inertia_
        shares.append(squares(rows, lowered_k_means(rows, 5, ())) / least)

    assert max(shares) <= 1.1
    assert np.mean(shares) <= 1.02


def test_one_exact_cluster_holds_everything() -> None:
    assert k_means(np.array([[1.0], [2.0], [9.0]]), 1, [[2]]).tolist() == [0, 0, 0]


def test_as_many_clusters_as_samples_hold_one_each() -> None:
    assert sorted(k_means(np.eye(3), 3, [[1]]).tolist()) == [0, 1, 2]


def test_samples_that_coincide_may_be_fewer_exact_clusters() -> None:
    coordinates = np.repeat(np.eye(3)[:2], 5, axis=0)

    assert set(k_means(coordinates, 3, ()).tolist()) <= {0, 1, 2}


device_each = pytest.mark.parametrize("device", ["cpu", "torch-cpu"])


def pairs_with(vectors: Floats, device: str = "cpu") -> Pairs:
    """Return pairs whose vectors are these, whatever they are of."""
    n, p = vectors.shape
    graph = graph_of(isolated(n), device=device)
    basis, nothing = graph.backend.array(vectors[graph.order]), np.zeros(p)
    ritz = Ritz(np.arange(float(p)), basis, basis, nothing)
    return Pairs(operator_under(graph), ritz, p, columns=0)


def long_and_short(sizes: Sequence[int], seed: int) -> tuple[Floats, Indices]:
    """Return rows near the unit axes, of all lengths, turned at random."""
    near, truth = corners(sizes, seed)
    lengths = np.random.default_rng((seed, 1)).uniform(0.01, 1.0, (len(truth), 1))
    return lengths * near, truth


SIZES = [(5, 5), (20, 7, 3), (30, 1), (9, 1, 1, 4), (1, 1, 1)]
sizes_each = pytest.mark.parametrize("sizes", SIZES, ids=str)


@device_each
@sizes_each
def test_rows_near_the_axes_are_told_apart(
    sizes: Sequence[int], device: str, seed: int
) -> None:
    vectors, truth = long_and_short(sizes, seed)

    actual = clusters(pairs_with(vectors, device), len(sizes))

    assert classes_of(actual[:].tolist()) == classes_of(truth.tolist())


@device_each
@sizes_each
def test_true_labels_stay_as_they_are(
    sizes: Sequence[int], device: str, seed: int
) -> None:
    vectors, truth = long_and_short(sizes, seed)

    actual = reclustered(pairs_with(vectors, device), len(sizes), truth)

    np.testing.assert_array_equal(actual, truth)


def test_clusters_are_those_of_the_exact_embedding(seed: int) -> None:
    seen = crowd(600, 5, spread=2.0, seed=seed)
    exact = lowest(laplacian_under(seen.weights), 5)
    expected = k_means(embedding(exact, 5, unit_rows=True), 5, [])

    actual = clusters(solve(operator_under(graph_of(seen.weights)), 5), 5)

    assert adjusted_rand_score(expected, actual) > 0.99


def test_the_same_pairs_always_give_the_same_clusters() -> None:
    pairs = solve(operator_under(graph_of(crowd(300, 4).weights)), 4)

    np.testing.assert_array_equal(clusters(pairs, 4), clusters(pairs, 4))


def test_seeds_name_the_first_clusters(seed: int) -> None:
    vectors, truth = long_and_short((20, 7, 3), seed)
    seeds = [[int(np.flatnonzero(truth == c)[0])] for c in (2, 0)]

    actual = clusters(pairs_with(vectors), 3, seeds)[:]

    assert actual[truth == 2].tolist() == [0] * 3
    assert actual[truth == 0].tolist() == [1] * 20


def test_old_labels_serve_although_the_eigenvectors_have_turned(
    rng: np.random.Generator,
) -> None:
    vectors, truth = long_and_short((20, 10, 5), 0)
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    labels = truth.copy()
    labels[:3] = 0

    actual = reclustered(pairs_with(vectors @ turn), 3, labels)

    np.testing.assert_array_equal(actual, truth)


@device_each
def test_a_cluster_that_has_lost_its_members_starts_anew(device: str) -> None:
    vectors, truth = long_and_short((20, 10, 5), 0)
    labels = np.where(truth == 2, 1, truth)

    actual = reclustered(pairs_with(vectors, device), 3, labels, steps=5)

    assert classes_of(actual[:].tolist()) == classes_of(truth.tolist())


def test_samples_that_coincide_may_be_fewer_clusters_than_asked_for() -> None:
    vectors = np.repeat(np.eye(3)[:2], 5, axis=0)

    actual = clusters(pairs_with(vectors), 3)

    assert classes_of(actual[:].tolist()) == classes_of([0] * 5 + [1] * 5)


def test_one_cluster_holds_everything() -> None:
    assert clusters(pairs_with(np.ones((4, 2))), 1)[:].tolist() == [0] * 4


def test_rows_that_are_nothing_but_rounding_lead_no_cluster() -> None:
    W = sp.csr_array(sp.block_diag([cliques([6, 9]), isolated(20)]))
    pairs = exact_pairs(operator_under(graph_of(W)), laplacian_under(W), 2)

    actual = clusters(pairs, 2)

    assert classes_of(actual[:15].tolist()) == classes_of([0] * 6 + [1] * 9)


def test_labels_follow_the_answers_as_those_of_exact_vectors_do(seed: int) -> None:
    seen = crowd(800, 6, spread=1.5, seed=seed)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(20))), 6)
    labels = clusters(pairs, 6)
    for count in range(21, 41):
        known = certain(seen.truth, np.arange(count))
        pairs = updated(pairs, operator_under(graph, known))
        labels = reclustered(pairs, 6, labels)

    exact = exact_pairs(pairs.operator, laplacian_under(seen.weights, known), 6)
    expected = reclustered(exact, 6, labels, steps=5)
    assert adjusted_rand_score(expected, labels) >= 0.995


@device_each
def test_a_seed_without_a_cluster_gets_one_when_clusters_are_old(
    device: str, seed: int
) -> None:
    """Two classes share an old cluster and one has two: the seeds say so."""
    vectors, truth = long_and_short((30, 30, 30), seed)
    pairs = pairs_with(vectors, device)
    old = np.where(truth == 1, 0, truth)
    old[np.flatnonzero(truth == 2)[:15]] = 1
    seeds = [np.flatnonzero(truth == c)[:3].tolist() for c in range(3)]

    actual = reclustered(pairs, 3, old, seeds, steps=10)

    assert adjusted_rand_score(truth, actual) == 1.0


@device_each
def test_seeds_that_have_a_cluster_each_change_nothing(device: str, seed: int) -> None:
    vectors, truth = long_and_short((30, 20, 30), seed)
    pairs = pairs_with(vectors, device)
    seeds = [np.flatnonzero(truth == c)[:1].tolist() for c in range(3)]

    actual = reclustered(pairs, 3, truth, seeds, steps=10)

    np.testing.assert_array_equal(actual, truth)


@device_each
def test_rows_in_the_eigenspace_have_length_one(device: str, seed: int) -> None:
    vectors, _ = long_and_short((30, 20), seed)

    actual = embedded(pairs_with(vectors, device), 2)

    expected = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(actual, expected, atol=1e-5)


def many_ties(rng: np.random.Generator) -> Floats:
    """Return rows of length 1, many equal or as far from one as from another."""
    rows = np.stack(np.meshgrid(*[np.arange(-2.0, 3.0)] * 3), -1).reshape(-1, 3)
    rows = np.repeat(rows[np.abs(rows).sum(axis=1) > 0], 2, axis=0)
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return rows @ turn / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("k", [2, 3])
def test_rounding_decides_nothing_in_exact_clusters(
    k: int, rng: np.random.Generator
) -> None:
    rows = many_ties(rng)[:, :k]
    expected = k_means(rows, k, [[0], [7, 9]])
    lowered, start = lowered_k_means(rows, k, [[0]]), pivoted_clusters(rows)

    for _ in range(20):
        blurred = rows + 1e-14 * rng.standard_normal(rows.shape)

        np.testing.assert_array_equal(pivoted_clusters(blurred), start)
        np.testing.assert_array_equal(k_means(blurred, k, [[0], [7, 9]]), expected)
        np.testing.assert_array_equal(lowered_k_means(blurred, k, [[0]]), lowered)


def test_rounding_decides_nothing_where_a_cluster_is_empty(
    rng: np.random.Generator,
) -> None:
    rows = np.repeat(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), 6, axis=0)
    expected = k_means(rows, 2, [[0], [1]])

    for _ in range(20):
        blurred = rows + 1e-14 * rng.standard_normal(rows.shape)

        np.testing.assert_array_equal(k_means(blurred, 2, [[0], [1]]), expected)


def test_the_order_inside_the_engine_decides_nothing(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of length 1 are all as long, and the first of them is the caller's first."""
    vectors, _ = long_and_short((30, 20, 30), 0)
    expected = clusters(pairs_with(vectors), 3)

    for _ in range(5):
        order = rng.permutation(80)
        monkeypatch.setattr(large, "local_order", lambda _, order=order: order)

        np.testing.assert_array_equal(clusters(pairs_with(vectors), 3), expected)


def test_large_clusters_end_where_nothing_moves(seed: int) -> None:
    seen = crowd(2000, 6, spread=1.0, seed=seed)
    pairs = solve(operator_under(graph_of(seen.weights)), 6)

    found = clusters(pairs, 6)

    np.testing.assert_array_equal(reclustered(pairs, 6, found, steps=1), found)


def test_a_row_that_is_nothing_but_rounding_has_no_direction() -> None:
    vectors = np.array([[0.6, 0.8], [1e-11, -1e-11], [0.8, 0.6]])

    actual = embedding(some_spectrum(vectors), 2, unit_rows=True)

    np.testing.assert_array_equal(actual[1], [0.0, 0.0])


LABELS = """
import numpy as np
from sklearn.datasets import load_digits
from tests.spectral.scenes import heaps, laplacian_under, operator_under
from likewise.affinity import auto
from likewise.spectral import *

for X, k in ((load_digits().data, 10), (heaps(4900), 3), (heaps(5100), 3)):
    W = auto(X).weights
    rows = embedding(lowest(laplacian_under(W), k + 5), k, unit_rows=True)
    print(W.indices.sum(), (W.indices * np.arange(W.nnz) % 1009).sum())
    print(*k_means(rows.astype(np.float64), k, ()))
    print(*clusters(solve(operator_under(graph_of(W)), k), k))
"""
KERNELS = {
    "one thread": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    "four threads": {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott", "OMP_NUM_THREADS": "2"},
    "without AVX": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"},
}


@pytest.mark.slow
def test_graphs_and_clusters_are_the_same_whatever_does_the_sums() -> None:
    """Digits, whose distances are often equal, and heaps whose gap is narrow."""
    said = {}
    for name, settings in KERNELS.items():
        paths = os.pathsep.join(path for path in sys.path if path)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", LABELS],
            env=os.environ | {"PYTHONPATH": paths} | settings,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        said[name] = done.stdout

    assert len(said["one thread"].split()) > 20_000
    assert {name for name in said if said[name] != said["one thread"]} == set()

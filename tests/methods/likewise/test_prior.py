"""What the method derives from a problem before any question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import make_moons
from tests.definitions import classes_of
from tests.methods.likewise.hand_made import prior_for
from tests.problems import Tiny, blobs, random_affinity, two_cliques_and_a_bridge
from tests.strategies import affinities

from likewise import LabelOracle, Session, _regime, jaccard, run
from likewise._arrays import Floats, Indices, Weights, dense
from likewise.affinity import auto
from likewise.knowledge import Constraints
from likewise.methods import problem_of
from likewise.methods._likewise import _prior
from likewise.methods._likewise._bases import SMOOTHING, factored_basis
from likewise.methods._likewise._prior import (
    CLEARLY,
    COVER_NOISE,
    MANY,
    Prior,
    Source,
    _cut,
    _spectrum,
    clear_heaps,
    count_groups,
    modularity,
    prior_of,
    soft_membership,
    start_clusters,
    upper,
)
from likewise.methods._likewise._regimes import EXACT, N_LOOKED, N_VECTORS, n_looked
from likewise.spectral import (
    ConstrainedWeights,
    k_means,
    known_blocks,
    lowest,
    signed_normalised,
)


@pytest.fixture
def prior(seed: int) -> Prior:
    return prior_for(blobs((30, 25, 20), spread=1.0, seed=seed), 3)


def normalised_laplacian(weights: Weights) -> Floats:
    W = dense(weights)
    degrees = W.sum(axis=1)
    return np.eye(len(W)) - W / np.sqrt(np.outer(degrees, degrees))


def test_vectors_are_eigenvectors_of_mean_square_1(prior: Prior) -> None:
    n = len(prior.start)
    L = normalised_laplacian(prior.weights)
    V = prior.vectors / np.sqrt(n)
    values = np.diag(V.T @ L @ V)

    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-8)
    np.testing.assert_allclose(L @ V, V * values, atol=1e-7)
    np.testing.assert_allclose((np.asarray(prior.vectors) ** 2).mean(axis=0), 1.0)


def test_vectors_are_the_lowest_ones(prior: Prior) -> None:
    lowest = np.linalg.eigvalsh(normalised_laplacian(prior.weights))
    V = prior.vectors / np.sqrt(len(prior.start))
    values = np.diag(V.T @ normalised_laplacian(prior.weights) @ V)

    np.testing.assert_allclose(values, lowest[: len(values)], atol=1e-7)


def test_the_rougher_a_vector_the_larger_its_precision(prior: Prior) -> None:
    assert (prior.precision > 0).all()
    assert (np.diff(prior.precision) >= 0).all()


def test_prior_variance_and_reach_leave_the_first_vector_out(prior: Prior) -> None:
    expected = [
        sum(row[j] ** 2 / prior.precision[j] for j in range(1, len(row)))
        for row in np.asarray(prior.vectors)
    ]

    np.testing.assert_allclose(prior.variance, expected)
    assert prior.reach == pytest.approx(np.mean(expected))
    assert prior.noise == pytest.approx(COVER_NOISE * prior.reach)


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [
        (30, 3, 30),
        (2 * N_VECTORS, 3, N_VECTORS),
        (2 * N_VECTORS, N_VECTORS // 4 + 5, N_VECTORS // 4 * 4 + 20),
    ],
    ids=["all", "a fixed number", "four for each group"],
)
def test_there_are_enough_vectors_for_the_groups(
    n: int, k: int, expected: int, rng: np.random.Generator
) -> None:
    tiny = Tiny(rng.standard_normal((n, 3)), np.zeros(n, dtype=np.intp))

    assert prior_for(tiny, k).vectors.shape == (n, expected)


def test_when_the_groups_are_not_known_there_are_vectors_for_those_counted(
    seed: int,
) -> None:
    # 30 heaps of 6: more vectors are needed than eigenvalues were looked at.
    tiny = blobs((6,) * 30, spread=0.01, seed=seed)
    assert min(len(tiny.X) // 3, N_LOOKED) < 4 * 30

    prior = prior_for(tiny)

    groups = len(prior.medoids)
    assert prior.n_groups is None
    assert prior.vectors.shape[1] == min(180, max(N_VECTORS, 4 * groups))
    assert groups > 10


def test_there_is_one_basis_for_the_graph_and_one_for_the_features(
    seed: int, rng: np.random.Generator
) -> None:
    tiny = blobs((10, 10), seed=seed)
    W = random_affinity(20, rng)
    without = prior_of(
        Source(problem_of(W, affinity="precomputed", n_clusters=2), 0, EXACT)
    )

    assert len(without.bases) == 1
    bases = prior_for(tiny, 2).bases
    assert len(bases) == 2
    np.testing.assert_array_equal(bases[1].array, factored_basis(tiny.X).array)


def test_the_first_classes_are_one_sample_of_each_cluster(prior: Prior) -> None:
    assert prior.n_groups == 3
    np.testing.assert_array_equal(prior.start[prior.medoids], np.arange(3))


def test_shares_are_the_clusters_softened(prior: Prior) -> None:
    expected = soft_membership(prior.weights, prior.start)

    np.testing.assert_allclose(prior.shares.toarray(), expected.toarray())


def test_the_same_problem_and_seed_give_the_same_prior(seed: int) -> None:
    tiny = blobs((15, 20), spread=1.5, seed=seed)

    first, second = prior_for(tiny), prior_for(tiny)

    for part in fields(Prior):
        if part.name not in ("weights", "shares", "bases", "n_groups"):
            np.testing.assert_array_equal(
                getattr(first, part.name), getattr(second, part.name)
            )


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("k", [None, 1])
def test_very_few_samples_have_a_prior(n: int, k: int | None) -> None:
    prior = prior_for(
        Tiny(np.arange(n, dtype=np.float64)[:, np.newaxis], np.arange(n)), k
    )

    assert prior.start.shape == (n,)
    assert prior.reach > 0
    assert (np.asarray(prior.variance) > 0).all()
    for basis in prior.bases:
        assert np.isfinite(basis.rows(np.arange(n))).all()


def test_a_graph_in_pieces_has_a_prior() -> None:
    clique = np.ones((4, 4)) - np.eye(4)
    W = sp.block_diag([clique, clique, np.zeros((2, 2))], format="csr")

    prior = prior_of(
        Source(problem_of(W, affinity="precomputed", n_clusters=2), 0, EXACT)
    )

    assert np.isfinite(prior.vectors).all()
    assert len({*prior.start[:4].tolist()}) == len({*prior.start[4:8].tolist()}) == 1


N = 6


def clusterings(n: int = N) -> st.SearchStrategy[Indices]:
    """Draw a cluster for each sample; some numbers may be unused."""
    return arrays(np.intp, n, elements=st.integers(0, 3))


def modularity_by_definition(W: Floats, labels: Indices) -> float:
    """Return the sum over pairs of one cluster of weight minus expected weight."""
    total = W.sum()
    if total == 0:
        return 0.0
    beyond = 0.0
    for i, j in np.ndindex(W.shape):
        if labels[i] == labels[j]:
            beyond += W[i, j] / total - W[i].sum() * W[j].sum() / total**2
    return beyond


def spectrum_of(W: Floats, k: int) -> tuple[Floats, Floats]:
    nothing = ConstrainedWeights.of(W, known_blocks(Constraints(), ()), 0.0)
    found = lowest(signed_normalised(nothing), k)
    return np.maximum(found.values, 0.0), found.vectors * np.sqrt(len(W))


def blobs_graph(sizes: tuple[int, ...], *, spread: float, seed: int) -> Floats:
    W: Floats = auto(blobs(sizes, spread=spread, seed=seed).X).weights.toarray()
    return W


def spectrum(*runs: tuple[int, float]) -> Floats:
    """Return eigenvalues: so many, evenly on from each place, steps of 0.001."""
    return np.concatenate([at + 0.001 * np.arange(count) for count, at in runs])


@given(affinities(N), clusterings())
def test_modularity_is_weight_inside_beyond_chance(W: Floats, labels: Indices) -> None:
    expected = modularity_by_definition(W, labels)

    assert modularity(W, labels) == pytest.approx(expected, abs=1e-12)
    assert modularity(sp.csr_array(W), labels) == pytest.approx(expected, abs=1e-12)


@given(affinities(N))
def test_the_modularity_of_one_cluster_is_zero(W: Floats) -> None:
    everything = np.zeros(N, dtype=np.intp)

    assert modularity(W, everything) == pytest.approx(0.0, abs=1e-12)


def test_two_cliques_are_more_modular_than_any_other_halves(
    rng: np.random.Generator,
) -> None:
    tiny = two_cliques_and_a_bridge()
    best = modularity(tiny.X, tiny.truth)

    for _ in range(20):
        assert modularity(tiny.X, rng.permutation(tiny.truth)) <= best + 1e-12


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
@given(W=affinities(N), labels=clusterings())
def test_membership_is_half_its_own_half_its_neighbours(
    convert: Any, W: Floats, labels: Indices
) -> None:
    own = np.eye(int(labels.max()) + 1)[labels]
    expected = np.empty_like(own)
    for i in range(N):
        degree = W[i].sum()
        around = sum(W[i, j] * own[j] for j in range(N)) / degree if degree else own[i]
        expected[i] = (own[i] + around) / 2

    actual = soft_membership(convert(W), labels).toarray()

    np.testing.assert_allclose(actual, expected, atol=1e-12)
    np.testing.assert_allclose(actual.sum(axis=1), 1.0)


def counted(values: Floats, n: int) -> int:
    """Count groups of a spectrum of which only the eigenvalues speak."""
    vectors = np.random.default_rng(0).standard_normal((n, len(values)))
    return count_groups(sp.csr_array(np.ones((n, n)) - np.eye(n)), values, vectors)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_a_clear_gap_after_few_eigenvalues_is_the_number_of_groups(k: int) -> None:
    values = spectrum((k, 0.0), (20, 0.5))
    assert k < MANY * 300

    assert counted(values, 300) == k


def kin(shape: tuple[int, int, int], links: tuple[float, float, float]) -> Floats:
    """Return a graph of families of groups: how a walk goes to group, family, all."""
    n_families, n_groups, size = shape
    group = np.repeat(np.arange(n_families * n_groups), size)
    family = group // n_groups
    is_kin = family[:, np.newaxis] == family
    is_own = group[:, np.newaxis] == group
    counts = size - 1, size * (n_groups - 1), len(group) - size * n_groups
    to_own, to_kin, to_all = np.divide(links, counts)
    W = np.where(is_own, to_own, np.where(is_kin, to_kin, to_all))
    np.fill_diagonal(W, 0.0)
    return W


def test_many_small_groups_are_counted_by_the_last_large_gap() -> None:
    # 28 groups in 7 families: the first gap is the largest, the second nearly so.
    W = kin((7, 4, 3), (0.3, 0.4, 0.3))
    values, vectors = spectrum_of(W, 40)
    gaps = np.diff(values)
    assert MANY * len(W) < np.argmax(gaps[1:]) + 2 == 7
    assert gaps[6] / 2 < gaps[27] < gaps[6]

    assert count_groups(W, values, vectors) == 28


def test_a_gap_that_is_much_smaller_does_not_count() -> None:
    W = kin((7, 4, 3), (0.22, 0.48, 0.3))
    values, vectors = spectrum_of(W, 40)
    gaps = np.diff(values)
    assert MANY * len(W) < np.argmax(gaps[1:]) + 2 == 7
    assert 0 < gaps[27] < gaps[6] / 2

    assert count_groups(W, values, vectors) == 7


def families(rng: np.random.Generator, shape: tuple[int, int], bond: float) -> Floats:
    """Return so many families of so many cliques of 20, each held by a bond."""
    clique = np.repeat(np.arange(shape[0] * shape[1]), 20)
    family = clique // shape[1]
    kin = np.where(family[:, np.newaxis] == family, bond, 1e-3)
    weight = np.where(clique[:, np.newaxis] == clique, 1.0, kin)
    return weight * random_affinity(len(clique), rng)


@pytest.mark.parametrize(
    ("shape", "bond", "expected"),
    [((3, 2), 0.01, 6), ((3, 2), 0.2, 3), ((2, 4), 0.06, 8)],
    ids=["a faint bond", "a strong bond", "families much less of a clustering"],
)
def test_few_groups_are_those_that_a_walk_stays_in(
    shape: tuple[int, int], bond: float, expected: int, rng: np.random.Generator
) -> None:
    W = families(rng, shape, bond)
    assert shape[0] * shape[1] < MANY * len(W)

    assert count_groups(W, *spectrum_of(W, 20)) == expected


@pytest.mark.parametrize("n", [1, 2])
def test_without_a_gap_every_eigenvalue_is_a_group(n: int) -> None:
    assert counted(np.zeros(n), n) == n


@given(st.lists(st.floats(0, 2), min_size=3, max_size=12), st.integers(12, 40))
def test_there_are_never_more_groups_than_eigenvalues(
    drawn: list[float], n_samples: int
) -> None:
    assert 2 <= counted(np.sort(drawn), n_samples) < len(drawn)


@pytest.mark.parametrize("sizes", [(20, 20, 20), (40, 12, 15), (11, 50), (60, 12)])
def test_heaps_that_are_far_apart_are_found(sizes: tuple[int, ...], seed: int) -> None:
    tiny = blobs(sizes, seed=seed)

    prior = prior_for(tiny, len(sizes))

    assert classes_of(prior.start.tolist()) == classes_of(tiny.truth.tolist())


@pytest.mark.parametrize("sizes", [(30, 30), (40, 6, 20), (4,) * 12, (9, 3, 5) * 4])
def test_cliques_of_any_size_are_counted_and_found(
    sizes: tuple[int, ...], rng: np.random.Generator
) -> None:
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    inside = truth[:, np.newaxis] == truth
    W = np.where(inside, 1.0, 1e-3) * random_affinity(len(truth), rng)

    prior = prior_of(
        Source(problem_of(W, affinity="precomputed", n_clusters=None), 0, EXACT)
    )

    assert classes_of(prior.start.tolist()) == classes_of(truth.tolist())


def heaps(
    sizes: Sequence[int], d: int, *, apart: float = 10.0, uneven: float = 1.0, seed: int
) -> Tiny:
    """Return heaps anywhere: centres so far apart, in units of the widest spread.

    The widest is `uneven` times as wide as the narrowest.
    """
    rng = np.random.default_rng(seed)
    spreads = rng.permutation(np.geomspace(1 / uneven, 1.0, len(sizes)))
    # A heap in many dimensions is a sphere: its radius grows with their number.
    apart *= max(1.0, np.sqrt(d) / 1.5)
    wide, centres = apart, np.zeros((1, d))
    while len(centres) < len(sizes):
        wide *= 1.01
        drawn = rng.uniform(-wide, wide, d)
        if np.linalg.norm(centres - drawn, axis=1).min() >= apart:
            centres = np.vstack([centres, drawn])
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    inside = rng.standard_normal((len(truth), d))
    return Tiny(centres[truth] + spreads[truth, np.newaxis] * inside, truth)


def groups_in(X: Floats) -> int:
    """Return how many groups are counted in samples."""
    problem = problem_of(X, affinity="auto", n_clusters=None)
    found = _spectrum(problem, n_looked(len(X)))
    return count_groups(problem.weights, found.values, found.vectors)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sizes", [(100, 100), (200, 200, 200), (30, 30), (400, 20)])
def test_large_heaps_that_are_far_apart_are_counted(
    sizes: tuple[int, ...], seed: int
) -> None:
    tiny = blobs(sizes, seed=seed)

    prior = prior_for(tiny)

    assert classes_of(prior.start.tolist()) == classes_of(tiny.truth.tolist())


@pytest.mark.parametrize("d", [2, 3, 10, 50])
@pytest.mark.parametrize(
    "sizes",
    [
        (30, 30),
        (300, 300),
        (60,) * 5,
        (25,) * 20,
        (15,) * 40,
        (300, 15),
        (20, 45, 90, 180, 400),
    ],
    ids=lambda sizes: f"{len(sizes)} of {min(sizes)} to {max(sizes)}",
)
def test_clear_heaps_are_counted_in_any_dimension(
    sizes: tuple[int, ...], d: int, seed: int
) -> None:
    assert groups_in(heaps(sizes, d, seed=seed).X) == len(sizes)


@given(
    sizes=st.lists(st.integers(25, 100), min_size=2, max_size=6),
    d=st.integers(2, 12),
    uneven=st.floats(1, 5),
    seed=st.integers(0, 2**16),
)
@settings(max_examples=12)
def test_clear_heaps_of_any_sizes_and_spreads_are_counted(
    sizes: list[int], d: int, uneven: float, seed: int
) -> None:
    assert groups_in(heaps(sizes, d, uneven=uneven, seed=seed).X) == len(sizes)


@pytest.mark.parametrize("d", [2, 10])
@pytest.mark.parametrize("k", [3, 8])
def test_heaps_that_nearly_touch_are_counted(d: int, k: int, seed: int) -> None:
    assert groups_in(heaps((100,) * k, d, apart=5.0, seed=seed).X) == k


@pytest.mark.slow
@pytest.mark.parametrize("n", [1633, 1700, 6000], ids=["exact", "large", "more"])
def test_three_large_heaps_are_found_by_either_solver(n: int, seed: int) -> None:
    tiny = blobs((n, n, n), seed=seed)

    prior = prior_for(tiny)

    assert classes_of(prior.start.tolist()) == classes_of(tiny.truth.tolist())


def ring(n: int, radius: float, rng: np.random.Generator) -> Floats:
    angle = rng.uniform(0, 2 * np.pi, n)
    around = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return around + 0.06 * rng.standard_normal((n, 2))


def stripe(n: int, at: float, rng: np.random.Generator) -> Floats:
    return np.column_stack([rng.uniform(0, 15, n), rng.normal(at, 0.2, n)])


@pytest.mark.parametrize("shape", [ring, stripe])
def test_long_shapes_are_counted_not_their_parts(
    shape: Callable[[int, float, np.random.Generator], Floats],
    rng: np.random.Generator,
) -> None:
    X = np.vstack([shape(200 * at, 3.0 * at, rng) for at in (1, 2, 3)])

    assert groups_in(X) == 3


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n", "d"), [(60, 2), (300, 2), (900, 2), (600, 5)])
def test_noise_is_not_many_groups(n: int, d: int, seed: int) -> None:
    X = np.random.default_rng(seed).uniform(size=(n, d))

    assert groups_in(X) <= 10


@pytest.mark.parametrize("d", [2, 10, 50])
@pytest.mark.parametrize(("k", "size"), [(30, 6), (60, 10), (100, 8)])
def test_many_small_heaps_are_counted(k: int, size: int, d: int, seed: int) -> None:
    # Two may be taken for one where a heap has fewer samples than neighbours.
    assert k - 1 <= groups_in(heaps((size,) * k, d, seed=seed).X) <= k


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 50])
def test_more_groups_than_can_be_looked_at_are_as_many_as_can(
    d: int, seed: int
) -> None:
    assert 0.9 * N_LOOKED <= groups_in(heaps((8,) * 210, d, seed=seed).X) < N_LOOKED


@pytest.mark.parametrize("sizes", [(300, 300), (200, 60, 30, 30), (40,) * 12])
def test_parts_that_nothing_links_are_counted(
    sizes: tuple[int, ...], rng: np.random.Generator
) -> None:
    parts = [auto(rng.standard_normal((size, 2))).weights for size in sizes]
    W = sp.block_diag(parts, format="csr")

    prior = prior_of(
        Source(problem_of(W, affinity="precomputed", n_clusters=None), 0, EXACT)
    )

    expected = np.repeat(np.arange(len(sizes)), sizes)
    assert classes_of(prior.start.tolist()) == classes_of(expected.tolist())


@given(
    scales=st.lists(st.floats(1e-3, 2e-2), min_size=2, max_size=9),
    d=st.integers(1, 6),
    faint=st.floats(0, 1e-5),
)
def test_heaps_whose_eigenvalues_grow_by_their_dimension_have_no_parts(
    scales: list[float], d: int, faint: float
) -> None:
    inside = np.multiply.outer(scales, np.arange(1, 20) ** (2 / d))
    apart = np.linspace(0, faint, len(scales))
    seen = inside[inside <= inside[:, -1].min()]  # of each heap all up to some value
    values = np.sort(np.concatenate([apart, seen]))

    assert clear_heaps(values) == len(scales)


@given(st.floats(0.001, 0.01), st.integers(1, 6))
def test_one_heap_is_no_clear_heap(scale: float, d: int) -> None:
    values = scale * np.arange(60, dtype=np.float64) ** (2 / d)

    assert clear_heaps(values) == 0


@pytest.mark.parametrize("seed", range(4))
def test_digits_that_no_solver_promises_change_no_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = problem_of(rng.uniform(size=(300, 2)), affinity="auto", n_clusters=None)
    found = _spectrum(problem, 100)
    expected = count_groups(problem.weights, found.values, found.vectors)

    for _ in range(5):
        values = np.sort(found.values + rng.normal(0, 1e-7, 100))
        assert count_groups(problem.weights, values, found.vectors) == expected


@given(affinities(N), st.integers(2, N - 1))
def test_no_cut_is_below_the_least_there_can_be(W: Floats, k: int) -> None:
    W = W + 0.1 * (1 - np.eye(N))
    values, vectors = spectrum_of(W, N)

    assert _cut(W, values, k_means(vectors[:, :k], k, ())) >= 1 - 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_after_true_answers_three_heaps_are_three_clusters(seed: int) -> None:
    tiny = blobs((300, 300, 300), seed=seed)
    session = Session(tiny.X, random_state=0)

    for view in run(session, LabelOracle(tiny.truth), 100):
        reached = jaccard(tiny.truth, view.labels)
        if view.n_questions % 10 == 0:
            assert session.progress.expected_jaccard <= reached + 0.1

    assert reached >= 0.99
    assert len(np.unique(session.labels)) == 3
    assert session.progress.expected_jaccard >= 0.95


def test_two_half_moons_of_which_too_many_were_counted_become_two(
    seed: int,
) -> None:
    X, truth = make_moons(1000, noise=0.08, random_state=seed)
    session = Session(X, random_state=0)

    for _ in run(session, LabelOracle(truth), 100):
        pass

    assert jaccard(truth, session.labels) >= 0.99
    assert len(np.unique(session.labels)) == 2


def beyond_the_nearest(coordinates: Floats, labels: Indices, medoids: Indices) -> float:
    """Return how much farther from its middle a medoid is than the nearest sample."""
    rows = coordinates / np.linalg.norm(coordinates, axis=1, keepdims=True)
    found = 0.0
    for cluster, medoid in enumerate(medoids.tolist()):
        members = np.flatnonzero(labels == cluster)
        apart = np.linalg.norm(rows - rows[members].mean(axis=0), axis=1)
        found = max(found, float(apart[medoid] - apart[members].min()))
    return found


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("seed", range(5))
def test_each_medoid_is_the_sample_of_its_cluster_nearest_to_the_middle(
    seed: int, k: int
) -> None:
    """But for rounding: of two members, both are equally near."""
    W = random_affinity(18, np.random.default_rng(seed))
    values, vectors = spectrum_of(W, 10)

    labels, medoids = start_clusters(W, values, vectors, k, seed)

    assert set(labels.tolist()) == set(range(len(medoids)))
    assert len(medoids) <= k
    np.testing.assert_array_equal(labels[medoids], np.arange(len(medoids)))
    # In the coordinates of whichever clustering was taken.
    smooth = vectors[:, 1:] / np.sqrt(values[1:] + SMOOTHING)
    beyond = [
        beyond_the_nearest(rows, labels, medoids) for rows in (vectors[:, :k], smooth)
    ]
    assert min(beyond) <= 1e-9


def test_another_clustering_is_taken_only_when_it_is_clearly_better(
    seed: int,
) -> None:
    W = blobs_graph((40, 12, 8), spread=1.5, seed=seed)
    values, vectors = spectrum_of(W, 20)
    rows = vectors[:, :3] / np.linalg.norm(vectors[:, :3], axis=1, keepdims=True)
    plain = k_means(rows, 3, ())

    labels, _ = start_clusters(W, values, vectors, 3, seed)

    is_plain = classes_of(labels.tolist()) == classes_of(plain.tolist())
    assert is_plain or modularity(W, labels) > modularity(W, plain) + CLEARLY


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_gives_the_same_start(seed: int) -> None:
    W = random_affinity(20, np.random.default_rng(seed))
    values, vectors = spectrum_of(W, 12)

    first, second = (start_clusters(W, values, vectors, 4, seed) for _ in range(2))

    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


@pytest.mark.parametrize("seed", range(4))
def test_sparse_weights_give_the_same_start(seed: int) -> None:
    W = random_affinity(20, np.random.default_rng(seed))
    values, vectors = spectrum_of(W, 12)

    expected, _ = start_clusters(W, values, vectors, 4, seed)
    actual, _ = start_clusters(sp.csr_array(W), values, vectors, 4, seed)

    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_few_samples_have_a_start(n: int) -> None:
    W = np.ones((n, n)) - np.eye(n)
    values, vectors = spectrum_of(W, n)

    for k in range(1, n + 1):
        labels, medoids = start_clusters(W, values, vectors, k, 0)
        assert labels.shape == (n,)
        np.testing.assert_array_equal(labels[medoids], np.arange(len(medoids)))


def test_samples_that_nothing_links_have_a_start() -> None:
    W = np.zeros((5, 5))
    values, vectors = spectrum_of(W, 5)

    labels, medoids = start_clusters(W, values, vectors, 2, 0)

    np.testing.assert_array_equal(labels[medoids], np.arange(len(medoids)))
    np.testing.assert_allclose(soft_membership(W, labels).sum(axis=1), 1.0)


def test_more_samples_than_can_be_linked_have_a_start(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(_regime, "FLAGSHIP_LINKED", 10)
    tiny = blobs((20, 20), seed=seed)

    prior = prior_for(tiny, 2)

    assert classes_of(prior.start.tolist()) == classes_of(tiny.truth.tolist())


def test_clusters_found_from_some_samples_hold_for_all(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(_regime, "FLAGSHIP_CLUSTERED", 30)
    tiny = blobs((40, 40, 40), seed=seed)

    prior = prior_for(tiny, 3)

    assert classes_of(prior.start.tolist()) == classes_of(tiny.truth.tolist())


def test_blocks_make_no_difference_to_modularity(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    W = sp.csr_array(random_affinity(30, rng))
    labels = rng.integers(0, 4, 30).astype(np.intp)
    expected = modularity(W, labels)

    monkeypatch.setattr(_prior, "ROWS", 7)

    assert modularity(W, labels) == expected


@pytest.fixture
def W(seed: int) -> Floats:
    """Return a symmetric matrix without a diagonal, most of it and one row empty."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((23, 23)) * (rng.random((23, 23)) < 0.3), 1)
    half[4], half[:, 4] = 0.0, 0.0
    return np.asarray(half + half.T)


def test_both_halves_make_the_whole(W: Floats, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_prior, "ROWS", 6)

    half = dense(upper(sp.csr_array(W)))

    np.testing.assert_array_equal(half, np.triu(W, 1))
    np.testing.assert_array_equal(half + half.T, W)


def test_half_a_sparse_matrix_keeps_the_kind_of_its_numbers(W: Floats) -> None:
    matrix = sp.csr_array(W.astype(np.float32))

    half = upper(matrix)

    assert half.dtype == np.float32
    assert half.indices.dtype == half.indptr.dtype == matrix.indices.dtype


@given(st.integers(0, 99), st.sampled_from([(np.float64, 1e-12), (np.float32, 1e-7)]))
def test_rounding_chooses_no_medoid(seed: int, kind: tuple[Any, float]) -> None:
    # Of two samples each is as far from the middle; so are all at one place.
    rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    noise = np.random.default_rng(seed).normal(size=rows.shape)

    medoids = _prior._medoids(
        (rows + kind[1] * noise).astype(kind[0]), np.array([0, 0, 1, 1, 1])
    )

    assert medoids.tolist() == [0, 2]


def test_groups_inside_of_clear_heaps_are_counted_where_they_stand_apart() -> None:
    """As of pictures of three kinds, of which two are more alike."""
    values = np.array([0.0, 0.049, 0.187, 0.501, 0.665, 0.69, 0.753, 0.844, 0.931])
    rest = np.linspace(0.96, 1.1, 9)
    spectrum = np.concatenate([values, rest])

    assert clear_heaps(spectrum) == 2
    assert counted(spectrum, 42) == 3

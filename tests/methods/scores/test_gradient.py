"""The speed of the eigenvectors, against the sums as written and finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.problems import random_affinity
from tests.spectral.scenes import (
    certain,
    crowd,
    exact_pairs,
    laplacian_under,
    operator_under,
)
from tests.strategies import affinities

from likewise._arrays import Floats, Indices
from likewise.knowledge import Constraints
from likewise.methods._scores._ambiguity_exact import entropy as entropy_of
from likewise.methods._scores._ambiguity_exact import neighbour_probabilities
from likewise.methods._scores._ambiguity_large import near_of, neighbour_entropy
from likewise.methods._scores._gradient import (
    MIN_GAP,
    directions,
    exact_gradient,
    paper_gradient,
)
from likewise.methods.constrained import Gradient
from likewise.spectral import (
    ConstrainedWeights,
    Laplacian,
    Pairs,
    Spectrum,
    clusters,
    graph_of,
    known_blocks,
    lowest,
    reclustered,
    signed_normalised,
    solve,
    unnormalised,
    updated,
)

MakeLaplacian = Callable[[ConstrainedWeights], Laplacian]
Coefficient = Callable[[int, int, int, int], float]
FORMS: dict[str, Any] = {
    "signed": signed_normalised,
    "literal": unnormalised,
}

form_each = pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
gradient_each = pytest.mark.parametrize("gradient", [exact_gradient, paper_gradient])


def laplacian_of(W: Floats, make: MakeLaplacian) -> Laplacian:
    nothing_known = known_blocks(Constraints(), ())
    return make(ConstrainedWeights.of(W, nothing_known, 0.0))


def spectrum_of(W: Floats, make: MakeLaplacian, p: int | None = None) -> Spectrum:
    return lowest(laplacian_of(W, make), len(W) if p is None else p)


def separated_affinity(n: int, make: MakeLaplacian, seed: int) -> Floats:
    """Return a similarity whose eigenvalues keep their distance from each other."""
    rng = np.random.default_rng(seed)
    while True:
        W = random_affinity(n, rng) ** 3
        values = np.linalg.eigvalsh(laplacian_of(W, make).toarray())
        if np.diff(values).min() > 0.005:
            return W


def paper_coefficient(spectrum: Spectrum) -> Coefficient:
    v = spectrum.vectors
    return lambda i, p, j, k: (v[j, i] - v[k, i]) * (v[j, p] - v[k, p])


def signed_coefficient(spectrum: Spectrum) -> Coefficient:
    u, values = spectrum.vectors * spectrum.scale[:, np.newaxis], spectrum.values
    return lambda i, p, j, k: (
        -(u[j, i] * u[k, p] + u[k, i] * u[j, p])
        + (1 - (values[i] + values[p]) / 2) * (u[j, i] * u[j, p] + u[k, i] * u[k, p])
    )


def literal(
    spectrum: Spectrum, n_clusters: int, anchors: Indices, coefficient: Coefficient
) -> Floats:
    """Return Eq. 7 by its sums: over i the lengths, over k and p the vectors."""
    values, v = spectrum.values, spectrum.vectors
    speeds = np.zeros(len(v))
    for j in range(len(v)):
        for i in range(n_clusters):
            moved = np.zeros(len(v))
            for k in anchors:
                for p in range(len(values)):
                    gap = values[i] - values[p]
                    if p != i and abs(gap) > MIN_GAP:
                        moved += coefficient(i, p, j, k) / gap * v[:, p]
            speeds[j] += np.linalg.norm(moved)
    return speeds


@form_each
@pytest.mark.parametrize("p", [4, 9])
@pytest.mark.parametrize("n_clusters", [1, 3])
def test_paper_gradient_is_the_double_sum(
    make: MakeLaplacian, p: int, n_clusters: int, rng: np.random.Generator
) -> None:
    spectrum = spectrum_of(random_affinity(9, rng), make, p)
    anchors = np.array([0, 4, 5])
    expected = literal(spectrum, n_clusters, anchors, paper_coefficient(spectrum))

    actual = paper_gradient(spectrum, n_clusters, anchors)

    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("n_clusters", [1, 3, 9])
def test_directions_are_as_long_as_the_gradient(
    n_clusters: int, rng: np.random.Generator
) -> None:
    spectrum = spectrum_of(random_affinity(9, rng), signed_normalised, 6)
    anchors, samples = np.array([0, 4, 5]), np.array([2, 7, 3])

    actual = directions(spectrum, n_clusters, anchors, samples)

    movements = actual.reshape(3, min(n_clusters, 6), 6)
    expected = paper_gradient(spectrum, n_clusters, anchors)[samples]
    np.testing.assert_allclose(
        np.linalg.norm(movements, axis=2).sum(axis=1), expected, rtol=1e-5
    )


@pytest.mark.parametrize("p", [4, 9])
@pytest.mark.parametrize("n_clusters", [1, 3])
def test_exact_gradient_of_the_signed_laplacian_is_the_double_sum(
    p: int, n_clusters: int, rng: np.random.Generator
) -> None:
    spectrum = spectrum_of(random_affinity(9, rng), signed_normalised, p)
    anchors = np.array([0, 4, 5])
    expected = literal(spectrum, n_clusters, anchors, signed_coefficient(spectrum))

    actual = exact_gradient(spectrum, n_clusters, anchors)

    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-7)


def test_exact_gradient_of_the_literal_laplacian_is_that_of_the_paper(
    rng: np.random.Generator,
) -> None:
    spectrum = spectrum_of(random_affinity(9, rng), unnormalised)
    anchors = np.array([2, 7])

    np.testing.assert_array_equal(
        exact_gradient(spectrum, 3, anchors), paper_gradient(spectrum, 3, anchors)
    )


@form_each
@pytest.mark.parametrize("offset", range(4))
def test_exact_gradient_is_the_slope_of_the_eigenvectors(
    make: MakeLaplacian, offset: int, seed: int
) -> None:
    W = separated_affinity(8, make, 10 * seed + offset)
    anchors, n_clusters, h = np.array([1, 6]), 3, 1e-6
    vectors = np.linalg.eigh(laplacian_of(W, make).toarray())[1]

    def moved(sample: int, step: float) -> Floats:
        bumped = W.copy()
        bumped[sample, anchors] += step
        bumped[anchors, sample] += step
        turned = np.linalg.eigh(laplacian_of(bumped, make).toarray())[1]
        return turned * np.sign((turned * vectors).sum(axis=0))

    others = np.setdiff1d(np.arange(8), anchors)
    slopes = [(moved(j, h) - moved(j, -h)) / (2 * h) for j in others.tolist()]
    expected = [np.linalg.norm(s[:, :n_clusters], axis=0).sum() for s in slopes]

    actual = exact_gradient(spectrum_of(W, make), n_clusters, anchors)

    np.testing.assert_allclose(actual[others], expected, rtol=1e-4)


@pytest.mark.parametrize("gap", [0.0, MIN_GAP / 2, MIN_GAP * 2])
def test_eigenvalues_nearer_than_the_smallest_gap_have_no_part(
    gap: float, rng: np.random.Generator
) -> None:
    values = np.array([0.0, gap, 0.5, 1.0])
    vectors, _ = np.linalg.qr(rng.standard_normal((6, 4)))
    spectrum = Spectrum(values, vectors, np.ones(6), is_normalised=False)
    anchors = np.array([0, 3])
    expected = literal(spectrum, 2, anchors, paper_coefficient(spectrum))

    actual = paper_gradient(spectrum, 2, anchors)

    np.testing.assert_allclose(actual, expected, rtol=1e-5)


@form_each
@gradient_each
def test_equal_eigenvalues_give_finite_scores(
    make: MakeLaplacian, gradient: Gradient
) -> None:
    clique = np.ones((5, 5)) - np.eye(5)
    cliques = np.block([[clique, 0 * clique], [0 * clique, clique]])

    actual = gradient(spectrum_of(cliques, make), 3, np.array([0, 5]))

    assert np.isfinite(actual).all()


@form_each
@gradient_each
@pytest.mark.parametrize("gap", [1e-5, 1e-6, 1e-7, 1e-9, 1e-12])
def test_nearly_equal_eigenvalues_give_finite_scores(
    make: MakeLaplacian, gradient: Gradient, gap: float
) -> None:
    clique = np.ones((5, 5)) - np.eye(5)
    cliques = np.block([[clique, gap * clique], [gap * clique, clique]])

    actual = gradient(spectrum_of(cliques, make), 3, np.array([0, 5]))

    assert np.isfinite(actual).all()


@form_each
@gradient_each
@given(W=affinities(7), n_clusters=st.integers(1, 4), data=st.data())
def test_scores_are_finite_and_never_negative(
    make: MakeLaplacian,
    gradient: Gradient,
    W: Floats,
    n_clusters: int,
    data: st.DataObject,
) -> None:
    anchors = data.draw(st.sets(st.integers(0, 6), min_size=1, max_size=4))

    actual = gradient(spectrum_of(W, make), n_clusters, np.array(sorted(anchors)))

    assert actual.shape == (7,)
    assert np.isfinite(actual).all()
    assert actual.min() >= 0


@form_each
@gradient_each
def test_permuting_samples_permutes_scores(
    make: MakeLaplacian, gradient: Gradient, seed: int
) -> None:
    W = separated_affinity(8, make, seed)
    order = np.random.default_rng(seed).permutation(8)
    anchors = np.array([1, 6])

    actual = gradient(
        spectrum_of(W[np.ix_(order, order)], make), 3, np.argsort(order)[anchors]
    )

    expected = gradient(spectrum_of(W, make), 3, anchors)[order]
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


@form_each
def test_the_signs_of_eigenvectors_do_not_matter(
    make: MakeLaplacian, rng: np.random.Generator
) -> None:
    spectrum = spectrum_of(random_affinity(8, rng), make)
    turned = Spectrum(
        spectrum.values,
        spectrum.vectors * rng.choice([-1.0, 1.0], 8),
        spectrum.scale,
        spectrum.is_normalised,
    )
    anchors = np.array([1, 6])

    np.testing.assert_allclose(
        exact_gradient(turned, 3, anchors),
        exact_gradient(spectrum, 3, anchors),
        rtol=1e-6,
    )


def test_more_clusters_than_eigenpairs_count_those_there_are(
    rng: np.random.Generator,
) -> None:
    spectrum = spectrum_of(random_affinity(4, rng), signed_normalised)
    anchors = np.array([0])

    np.testing.assert_array_equal(
        exact_gradient(spectrum, 9, anchors), exact_gradient(spectrum, 4, anchors)
    )


def in_double(pairs: Pairs, p: int) -> Spectrum:
    vectors = pairs.vectors[:, :p].astype(np.float64)
    return Spectrum(pairs.values[:p], vectors, pairs.scale, is_normalised=True)


def some_pairs(seed: int, *, unit: float = 1.0, device: str = "cpu") -> Pairs:
    seen = crowd(400, 5, seed=seed)
    known = certain(seen.truth, np.arange(25))
    return solve(operator_under(graph_of(unit * seen.weights, device=device), known), 5)


@gradient_each
@pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
@pytest.mark.parametrize("p", [5, 9, 15])
def test_pairs_in_float32_have_the_scores_of_the_same_in_float64(
    gradient: Gradient, p: int, device: str, seed: int
) -> None:
    pairs, anchors = some_pairs(seed, device=device), np.array([3, 50, 9])

    actual = gradient(pairs, 5, anchors, n_pairs=p)

    expected = gradient(in_double(pairs, p), 5, anchors)
    np.testing.assert_allclose(actual, expected, atol=3e-4 * expected.max())


@gradient_each
def test_pairs_that_guard_others_do_not_count_unless_asked_for(
    gradient: Gradient, seed: int
) -> None:
    pairs, anchors = some_pairs(seed), np.array([3, 50, 9])

    actual = gradient(pairs, 5, anchors)

    np.testing.assert_array_equal(actual, gradient(pairs, 5, anchors, n_pairs=5))


@gradient_each
def test_some_samples_have_the_scores_they_have_among_all(
    gradient: Gradient, seed: int
) -> None:
    pairs, anchors = some_pairs(seed), np.array([3, 50, 9])
    samples = np.array([7, 399, 0, 7])

    actual = gradient(pairs, 5, anchors, samples)

    np.testing.assert_allclose(actual, gradient(pairs, 5, anchors)[samples], rtol=1e-3)


@pytest.mark.parametrize("unit", [1e-30, 1e20])
def test_weights_of_any_size_give_finite_scores(unit: float, seed: int) -> None:
    """Before any answer the score only changes its unit with that of the weights."""
    seen, anchors = crowd(200, 3, seed=seed), np.array([3, 50])
    plain, scaled = (
        solve(operator_under(graph_of(factor * seen.weights)), 3)
        for factor in (1.0, unit)
    )

    actual = exact_gradient(scaled, 3, anchors) * unit

    expected = exact_gradient(plain, 3, anchors)
    np.testing.assert_allclose(actual, expected, atol=1e-3 * expected.max())


def test_no_anchor_no_movement(seed: int) -> None:
    actual = exact_gradient(some_pairs(seed), 5, np.zeros(0, dtype=np.intp))

    np.testing.assert_array_equal(actual, np.zeros(400))


@pytest.mark.parametrize("spread", [2.5, 0.8], ids=["easy", "hard"])
def test_after_many_answers_the_next_sample_is_that_of_exact_eigenvectors(
    spread: float, seed: int
) -> None:
    """Or one that is as good, but for what the solver leaves.

    Residuals of 0.002 at gaps of 0.05 and more leave vectors that are off by 0.04 at
    most, and mostly by far less: samples whose scores are that close may change places.
    """
    seen, k, count = crowd(800, 6, spread=spread, seed=seed), 6, 60
    graph = graph_of(seen.weights)
    near = near_of(graph, seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(20))), k)
    labels = clusters(pairs, k)
    for size in range(21, count + 1):
        known = certain(seen.truth, np.arange(size))
        pairs = updated(pairs, operator_under(graph, known))
        labels = reclustered(pairs, k, labels)
    anchors = np.array([int(np.argmax(seen.truth == c)) for c in range(k)])

    actual = neighbour_entropy(near, labels, k)[:] * exact_gradient(pairs, k, anchors)

    laplacian: Any = laplacian_under(seen.weights, known)
    spectrum = lowest(laplacian, pairs.wanted)
    steps = entropy_of(neighbour_probabilities(seen.weights, labels[:], k))
    expected = steps * exact_gradient(spectrum, k, anchors)
    best = count + int(actual[count:].argmax())
    assert expected[best] >= 0.95 * expected[count:].max()


def test_exact_pairs_have_the_scores_of_the_exact_spectrum(seed: int) -> None:
    seen, anchors = crowd(300, 4, seed=seed), np.array([1, 2])
    laplacian = laplacian_under(seen.weights)
    pairs = exact_pairs(operator_under(graph_of(seen.weights)), laplacian, 4)

    actual = exact_gradient(pairs, 4, anchors, n_pairs=14)

    expected = exact_gradient(lowest(laplacian, 14), 4, anchors)
    np.testing.assert_allclose(actual, expected, atol=1e-3 * expected.max())

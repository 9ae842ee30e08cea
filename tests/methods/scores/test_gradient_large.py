"""The speed of the eigenvectors, against the formulas in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from likewise.methods._scores._gradient_large import (
    exact_gradient_of_pairs,
    paper_gradient_of_pairs,
)
from tests.spectral.scenes import (
    certain,
    crowd,
    exact_pairs,
    laplacian_under,
    operator_under,
)

from likewise._arrays import Floats
from likewise.methods._scores import _gradient as definitions
from likewise.methods._scores._ambiguity_exact import entropy as entropy_of
from likewise.methods._scores._ambiguity_exact import neighbour_probabilities
from likewise.methods._scores._ambiguity_large import near_of, neighbour_entropy
from likewise.spectral import (
    Pairs,
    Spectrum,
    clusters,
    graph_of,
    lowest,
    reclustered,
    solve,
    updated,
)

Gradient = Callable[..., Floats]
FORMS: dict[str, tuple[Gradient, Gradient]] = {
    "exact": (exact_gradient_of_pairs, definitions.exact_gradient),
    "paper": (paper_gradient_of_pairs, definitions.paper_gradient),
}
form_each = pytest.mark.parametrize(("fast", "definition"), FORMS.values(), ids=FORMS)


def spectrum_of(pairs: Pairs, p: int) -> Spectrum:
    scale = pairs.operator.scale[pairs.operator.graph.place]
    vectors = pairs.vectors[:, :p].astype(np.float64)
    return Spectrum(pairs.values[:p], vectors, scale, is_normalised=True)


def some_pairs(seed: int, *, unit: float = 1.0, device: str = "cpu") -> Pairs:
    seen = crowd(400, 5, seed=seed)
    known = certain(seen.truth, np.arange(25))
    return solve(operator_under(graph_of(unit * seen.weights, device=device), known), 5)


@form_each
@pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
@pytest.mark.parametrize("p", [5, 9, 15])
def test_the_formula_is_kept(
    fast: Gradient, definition: Gradient, p: int, device: str, seed: int
) -> None:
    pairs, anchors = some_pairs(seed, device=device), np.array([3, 50, 9])

    actual = fast(pairs, 5, anchors, n_pairs=p)

    expected = definition(spectrum_of(pairs, p), 5, anchors)
    np.testing.assert_allclose(actual, expected, atol=3e-4 * expected.max())


@pytest.mark.parametrize("fast", [exact_gradient_of_pairs, paper_gradient_of_pairs])
def test_pairs_that_guard_others_do_not_count_unless_asked_for(
    fast: Gradient, seed: int
) -> None:
    pairs, anchors = some_pairs(seed), np.array([3, 50, 9])

    actual = fast(pairs, 5, anchors)

    np.testing.assert_array_equal(actual, fast(pairs, 5, anchors, n_pairs=5))


@pytest.mark.parametrize("fast", [exact_gradient_of_pairs, paper_gradient_of_pairs])
def test_some_samples_have_the_scores_they_have_among_all(
    fast: Gradient, seed: int
) -> None:
    pairs, anchors = some_pairs(seed), np.array([3, 50, 9])
    samples = np.array([7, 399, 0, 7])

    actual = fast(pairs, 5, anchors, samples)

    np.testing.assert_allclose(actual, fast(pairs, 5, anchors)[samples], rtol=1e-3)


@pytest.mark.parametrize("unit", [1e-30, 1e20])
def test_weights_of_any_size_give_finite_scores(unit: float, seed: int) -> None:
    """Before any answer the score only changes its unit with that of the weights."""
    seen, anchors = crowd(200, 3, seed=seed), np.array([3, 50])
    plain, scaled = (
        solve(operator_under(graph_of(factor * seen.weights)), 3)
        for factor in (1.0, unit)
    )

    actual = exact_gradient_of_pairs(scaled, 3, anchors) * unit

    expected = exact_gradient_of_pairs(plain, 3, anchors)
    np.testing.assert_allclose(actual, expected, atol=1e-3 * expected.max())


def test_no_anchor_no_movement(seed: int) -> None:
    actual = exact_gradient_of_pairs(some_pairs(seed), 5, np.zeros(0, dtype=np.intp))

    np.testing.assert_array_equal(actual, np.zeros(400))


def next_sample(scores: Floats, count: int) -> int:
    scores = scores.copy()
    scores[:count] = -1.0
    return int(np.argmax(scores))


@pytest.mark.parametrize("spread", [2.5, 0.8], ids=["easy", "hard"])
def test_after_many_answers_the_next_sample_is_that_of_exact_eigenvectors(
    spread: float,
) -> None:
    seen, k, count = crowd(800, 6, spread=spread), 6, 60
    graph = graph_of(seen.weights)
    near = near_of(graph, seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(20))), k)
    labels = clusters(pairs, k)
    for size in range(21, count + 1):
        known = certain(seen.truth, np.arange(size))
        pairs = updated(pairs, operator_under(graph, known))
        labels = reclustered(pairs, k, labels)
    anchors = np.array([int(np.argmax(seen.truth == c)) for c in range(k)])

    actual = neighbour_entropy(near, labels, k) * exact_gradient_of_pairs(
        pairs, k, anchors
    )

    laplacian: Any = laplacian_under(seen.weights, known)
    spectrum = lowest(laplacian, pairs.wanted)
    steps = entropy_of(neighbour_probabilities(seen.weights, labels, k))
    expected = steps * definitions.exact_gradient(spectrum, k, anchors)
    assert next_sample(actual, count) == next_sample(expected, count)


def test_exact_pairs_have_the_scores_of_the_exact_spectrum(seed: int) -> None:
    seen, anchors = crowd(300, 4, seed=seed), np.array([1, 2])
    laplacian = laplacian_under(seen.weights)
    pairs = exact_pairs(operator_under(graph_of(seen.weights)), laplacian, 4)

    actual = exact_gradient_of_pairs(pairs, 4, anchors, n_pairs=14)

    expected = definitions.exact_gradient(lowest(laplacian, 14), 4, anchors)
    np.testing.assert_allclose(actual, expected, atol=1e-3 * expected.max())

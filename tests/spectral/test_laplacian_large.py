"""The Laplacian of many samples against the exact one, entry by entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spectral.scenes import (
    certain,
    cliques,
    crowd,
    everything,
    isolated,
    laplacian_under,
    lattice,
    operator_under,
    ring_of_cliques,
)
from tests.strategies import affinities, links

from likewise._arrays import Floats, Sparse
from likewise.knowledge import Constraints, Verdict
from likewise.knowledge._constraints import Link
from likewise.spectral import Operator, graph_of, renumbered
from likewise.spectral._laplacian_large import local_order, places_of


@given(W=affinities(9))
def test_every_sample_has_one_place(W: Floats) -> None:
    order = local_order(sp.csr_array(W))

    assert sorted(order.tolist()) == list(range(9))
    np.testing.assert_array_equal(order[places_of(order)], np.arange(9))


@given(W=affinities(9))
def test_a_renumbered_matrix_has_the_entries_it_had(W: Floats) -> None:
    order = local_order(sp.csr_array(W))

    actual = renumbered(sp.csr_array(W), order)

    np.testing.assert_array_equal(actual.toarray(), W[np.ix_(order, order)])


def test_renumbered_rows_are_in_ascending_order(rng: np.random.Generator) -> None:
    W = sp.random_array((30, 30), density=0.3, rng=rng, format="csr")

    actual = renumbered(W, rng.permutation(30))

    assert all(
        (np.diff(actual.indices[a:b]) > 0).all()
        for a, b in zip(actual.indptr, actual.indptr[1:], strict=False)
    )


def test_neighbours_come_close_together(rng: np.random.Generator) -> None:
    n = 200
    ring = sp.csr_array(np.roll(np.eye(n), 1, axis=1))
    shuffled = renumbered(ring + ring.T, rng.permutation(n))

    rows, columns = renumbered(shuffled, local_order(shuffled)).nonzero()

    assert np.abs(rows - columns).max() <= 3


def test_samples_without_neighbours_have_places_too() -> None:
    W = sp.csr_array(sp.block_diag([isolated(3), cliques([4]), isolated(2)]))

    assert sorted(local_order(W).tolist()) == list(range(9))


N = 8
device_each = pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
cannot_link_each = pytest.mark.parametrize("cannot_link", [0.0, -1.0, -0.3])
some_weights = affinities(N)
some_links = links(N, max_size=12)
some_aside = st.sets(st.integers(0, N - 1), max_size=3)


def matrix_of(operator: Operator) -> Any:
    """Return all entries, in the order of the samples outside."""
    graph, n = operator.graph, operator.n_samples
    image = graph.outside(operator @ graph.backend.array(np.eye(n)))
    return image[:, graph.place]


@device_each
@cannot_link_each
@settings(max_examples=40)
@given(W=some_weights, told=some_links, aside=some_aside)
def test_operator_is_the_signed_normalised_laplacian(
    device: str, cannot_link: float, W: Floats, told: list[Link], aside: set[int]
) -> None:
    known = everything(Constraints().after_all(told))
    options: Any = {"cannot_link": cannot_link, "aside": sorted(aside)}

    actual = operator_under(graph_of(sp.csr_array(W), device=device), known, **options)

    expected = laplacian_under(sp.csr_array(W), known, **options)
    np.testing.assert_allclose(matrix_of(actual), expected.toarray(), atol=2e-6)


@cannot_link_each
@given(W=some_weights, told=some_links, aside=some_aside)
def test_scale_is_that_of_the_laplacian(
    cannot_link: float, W: Floats, told: list[Link], aside: set[int]
) -> None:
    known = everything(Constraints().after_all(told))
    options: Any = {"cannot_link": cannot_link, "aside": sorted(aside)}
    graph = graph_of(sp.csr_array(W))

    actual = operator_under(graph, known, **options).scale[graph.place]

    expected = laplacian_under(sp.csr_array(W), known, **options).scale
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


@device_each
@settings(max_examples=30)
@given(W=some_weights, told=some_links, drawn=st.sets(st.integers(0, N - 1)))
def test_some_rows_of_a_product_are_those_of_the_whole(
    device: str, W: Floats, told: list[Link], drawn: set[int]
) -> None:
    graph = graph_of(sp.csr_array(W), device=device)
    operator = operator_under(graph, everything(Constraints().after_all(told)))
    rows = np.union1d(operator.ties.samples, np.array(sorted(drawn), dtype=np.intp))
    X = graph.backend.array(np.random.default_rng(0).standard_normal((N, 3)))

    actual = graph.backend.host(operator.at(rows, X))

    np.testing.assert_allclose(
        actual, graph.backend.host(operator @ X)[rows], atol=2e-6
    )


@given(W=some_weights, told=some_links)
def test_shifted_and_scaled_is_what_it_says(W: Floats, told: list[Link]) -> None:
    operator = operator_under(
        graph_of(sp.csr_array(W)), everything(Constraints().after_all(told))
    )
    backend = operator.graph.backend
    X = backend.array(np.eye(N))

    actual = backend.host(operator.shifted(X, 0.7, -3.0))

    expected = backend.host(-3.0 * (operator @ X - 0.7 * X))
    np.testing.assert_allclose(actual, expected, atol=5e-6)


def test_a_product_leaves_what_came_in_as_it_was() -> None:
    seen = crowd(60, 3)
    operator = operator_under(graph_of(seen.weights), certain(seen.truth, np.arange(9)))
    X = operator.graph.backend.array(np.ones((60, 2)))

    operator @ X

    np.testing.assert_array_equal(X, 1.0)


@pytest.mark.parametrize("unit", [1e-30, 1e20])
def test_weights_of_any_size_are_fine(unit: float) -> None:
    seen = crowd(60, 3)

    actual = matrix_of(operator_under(graph_of(unit * seen.weights)))

    np.testing.assert_allclose(
        actual, laplacian_under(seen.weights).toarray(), atol=2e-6
    )


def test_a_faint_tie_that_is_left_loses_no_digits() -> None:
    """Of 0's edges all but the faintest go: what remains must not be a difference."""
    W = np.zeros((4, 4))
    W[0, 1:] = W[1:, 0] = 5.0, 5.0, 1e-7
    told = [(0, 1, Verdict.DIFFERENT), (0, 2, Verdict.DIFFERENT)]
    known = everything(Constraints().after_all(told))

    actual = matrix_of(operator_under(graph_of(sp.csr_array(W)), known))

    expected = laplacian_under(sp.csr_array(W), known).toarray()
    np.testing.assert_allclose(actual, expected, atol=2e-6)


def cuthill_mckee(W: Sparse) -> list[int]:
    """Return the order by its definition; of equal degrees the first sample goes on."""
    degrees, order = np.diff(W.indptr), list[int]()
    for start in np.argsort(degrees, kind="stable"):
        if start in order:
            continue
        at = len(order)
        order.append(int(start))
        while at < len(order):
            beside = np.setdiff1d(W[[order[at]]].indices, order)
            by_degree = np.argsort(degrees[beside], kind="stable")
            order.extend(beside[by_degree].tolist())
            at += 1
    return order[::-1]


@pytest.mark.parametrize(
    "W",
    [
        lattice(12),
        cliques([5, 3, 5, 9, 1, 1]),
        ring_of_cliques(40, 5, 0.1),
        isolated(50),
        crowd(200, 3).weights,
    ],
    ids=["lattice", "cliques", "ring", "isolated", "crowd"],
)
def test_of_samples_of_one_degree_the_first_leads(W: Sparse) -> None:
    assert local_order(W).tolist() == cuthill_mckee(W)

"""The engine's Laplacian against the package's own, entry by entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spectral.scenes import (
    certain,
    crowd,
    everything,
    laplacian_under,
    operator_under,
)
from tests.strategies import affinities, links

from likewise._arrays import Floats
from likewise.knowledge import Constraints, Verdict
from likewise.knowledge._constraints import Link
from likewise.spectral import Operator, graph_of
from likewise.spectral._laplacian_large import change_between

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
    X = np.eye(N, dtype=np.float32)

    actual = operator.shifted(X, 0.7, -3.0)

    np.testing.assert_allclose(actual, -3.0 * (operator @ X - 0.7 * X), atol=5e-6)


def test_a_product_leaves_what_came_in_as_it_was() -> None:
    seen = crowd(60, 3)
    operator = operator_under(graph_of(seen.weights), certain(seen.truth, np.arange(9)))
    X = np.ones((60, 2), dtype=np.float32)

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


@settings(max_examples=40)
@given(
    W=some_weights,
    first=some_links,
    then=some_links,
    aside=some_aside,
    cannot_link=st.sampled_from([0.0, -1.0]),
)
def test_rows_that_are_not_named_have_not_changed(
    W: Floats, first: list[Link], then: list[Link], aside: set[int], cannot_link: float
) -> None:
    graph, constraints = graph_of(sp.csr_array(W)), Constraints().after_all(first)
    before = operator_under(graph, everything(constraints), cannot_link=cannot_link)
    after = operator_under(
        graph,
        everything(constraints.after_all(then)),
        cannot_link=cannot_link,
        aside=sorted(aside),
    )
    X = np.eye(N, dtype=np.float32)

    rows = change_between(before, after).rows

    others = np.setdiff1d(np.arange(N), rows)
    np.testing.assert_array_equal((before @ X)[others], (after @ X)[others])


def test_one_more_certain_sample_changes_few_rows() -> None:
    seen = crowd(2000, 4)
    graph = graph_of(seen.weights)
    before, after = (
        operator_under(graph, certain(seen.truth, np.arange(count)))
        for count in (40, 41)
    )

    assert len(change_between(before, after).rows) < 250


def test_groups_that_are_new_are_named_with_their_members() -> None:
    graph = graph_of(crowd(30, 2).weights)
    first = Constraints().after_all(
        [(1, 2, Verdict.SAME), (3, 4, Verdict.DIFFERENT), (7, 8, Verdict.SAME)]
    )
    then = first.after_all([(1, 5, Verdict.SAME), (6, 3, Verdict.DIFFERENT)])

    change = change_between(
        operator_under(graph, everything(first)),
        operator_under(graph, everything(then)),
    )

    named = [sorted(graph.order[members].tolist()) for members in change.groups]
    assert sorted(named) == [[1, 2, 5], [6]]


def test_a_group_that_is_split_leaves_new_groups() -> None:
    graph = graph_of(crowd(30, 2).weights)
    split = Constraints().after(1, 2, Verdict.SAME)
    whole = split.after(2, 3, Verdict.SAME)

    change = change_between(
        operator_under(graph, everything(whole)),
        operator_under(graph, everything(split)),
    )

    assert [sorted(graph.order[members].tolist()) for members in change.groups] == [
        [1, 2]
    ]

"""Many components become one, by edges between near samples."""

from __future__ import annotations

from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from tests.definitions import euclidean

from likewise import _regime as regime
from likewise._arrays import AnyIndices, Floats, Sparse
from likewise.affinity import Search, nearest_neighbours
from likewise.affinity import _connect as linking
from likewise.affinity._connect import (
    Bridges,
    Lists,
    among_few,
    asked,
    bridges,
    joined,
    members,
    nearest_outside,
    shortest,
    spanning,
    sure,
)
from likewise.affinity._graph import FAINTEST, local_scale, neighbour_graph
from likewise.affinity._indexes import exact_index
from likewise.affinity._rows import Rows


def heaps(sizes: list[int], rng: np.random.Generator, d: int = 5) -> Floats:
    """Return tight heaps at random places, in mixed order."""
    places = 10 * rng.standard_normal((len(sizes), d))
    X = np.repeat(places, sizes, axis=0)
    return rng.permutation(X + 0.01 * rng.standard_normal(X.shape))


def graph_of(X: Floats | Sparse, kind: str = "whole") -> Sparse:
    near = nearest_neighbours(X, 20, search=Search(kind, X.shape[0], 100))
    return neighbour_graph(X, near, local_scale(near), 10)


def single_linkage(X: Floats, component: AnyIndices) -> set[tuple[int, int]]:
    """Return the edges of the minimum spanning tree of the components."""
    apart, found = euclidean(X), set()
    while len(np.unique(component)) > 1:
        outside = np.where(component[:, None] != component, apart, np.inf)
        i, j = np.unravel_index(outside.argmin(), outside.shape)
        found.add((min(int(i), int(j)), max(int(i), int(j))))
        component = np.where(component == component[j], component[i], component)
    return found


def pairs(found: Bridges) -> set[tuple[int, int]]:
    ends = np.sort([found.i, found.j], axis=0).T
    return {(int(i), int(j)) for i, j in ends}


def components(X: Floats, k: int = 10) -> AnyIndices:
    near = nearest_neighbours(X, k)
    n = len(X)
    ends = np.repeat(np.arange(n), k), near.indices.ravel()
    graph = sp.coo_array((np.ones(n * k), ends), shape=(n, n))
    found: AnyIndices = connected_components(graph, directed=False)[1]
    return found


@pytest.fixture
def all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """No component is searched alone, however few samples there are."""
    monkeypatch.setattr(regime, "EACH_ALONE", 0)


MIXED = [12] * 10 + [30, 30, 60, 150]


@pytest.mark.parametrize("sizes", [[12] * 20, [11, 400], [40] * 5, MIXED])
@pytest.mark.usefixtures("all_together")
def test_components_searched_together_get_the_same_edges(
    sizes: list[int], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = heaps(sizes, rng)
    actual = graph_of(X)
    monkeypatch.undo()

    expected = graph_of(X)

    np.testing.assert_allclose(actual.toarray(), expected.toarray(), rtol=1e-9)
    assert expected.nnz == actual.nnz


@pytest.mark.parametrize("sizes", [[12] * 20, [40] * 5, MIXED])
def test_edges_between_components_are_those_of_single_linkage(
    sizes: list[int], rng: np.random.Generator
) -> None:
    X = heaps(sizes, rng)
    component = components(X)

    found = bridges(component, repeat(partial(nearest_outside, X)))

    assert pairs(found) == single_linkage(X, component)


@pytest.mark.parametrize("width", [8, 32, 128])
def test_an_index_finds_only_edges_of_single_linkage(
    width: int, rng: np.random.Generator
) -> None:
    X = heaps(MIXED, rng)
    component = components(X)

    found = asked(exact_index(Rows(X)), width, component)

    assert pairs(found) <= single_linkage(X, component)
    assert bool(found.i.size) == (width > 12)


def test_lists_are_not_sure_beyond_their_reach() -> None:
    component = np.array([0, 0, 1])
    covers = np.array([True, True, False])
    near, apart = np.array([[1, 2], [0, -1]]), np.array([[1.0, 5.0], [1.0, 3.0]])

    found = sure(Lists(np.array([0, 1]), near, apart, covers), component)

    assert not found.i.size


def test_lists_that_speak_for_some_members_only_are_not_sure() -> None:
    component = np.array([0, 0, 1])
    near, apart = np.array([[1, 2]]), np.array([[1.0, 5.0]])

    found = sure(Lists(np.array([0]), near, apart, np.arange(3) == 0), component)

    assert not found.i.size


@pytest.mark.parametrize("width", [32, 128])
def test_an_index_is_not_asked_about_too_many_members(
    width: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linking, "N_LISTED", 100 * width)
    X = heaps(MIXED, rng)

    found = asked(exact_index(Rows(X)), width, components(X))

    assert found.i.size
    np.testing.assert_allclose(found.distance, euclidean(X)[found.i, found.j])


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("sizes", [[300, 300], [500, 20, 20], [50] * 8])
def test_few_members_connect_all_components(
    sizes: list[int], convert: Any, rng: np.random.Generator
) -> None:
    X = heaps(sizes, rng)
    component = components(X)

    found = bridges(component, repeat(partial(among_few, convert(X).__getitem__)))

    assert joined(component, found.i, found.j).max() == 0
    np.testing.assert_allclose(found.distance, euclidean(X)[found.i, found.j])


def test_few_members_lead_to_the_nearest() -> None:
    X = np.concatenate([np.arange(3000.0), 5000 + np.arange(3000.0)])[:, np.newaxis]
    component = np.repeat([0, 1], 3000)

    found = among_few(X.__getitem__, component)

    assert found.distance[0] <= 2010


@pytest.mark.parametrize("kind", ["flat", "hnsw", "blocks", "products"])
@pytest.mark.usefixtures("all_together")
def test_the_graph_of_every_search_is_connected(
    kind: str, rng: np.random.Generator
) -> None:
    X = heaps([15] * 10 + [100], rng)

    graph = graph_of(sp.csr_array(X) if kind == "products" else X, kind)

    entries = graph.toarray()
    np.testing.assert_array_equal(entries, entries.T)
    assert graph.data.min() >= np.float32(FAINTEST)
    assert graph.dtype == np.float32
    assert graph.indices.dtype == np.int32
    assert connected_components(graph, directed=False)[0] == 1


def test_large_components_of_many_samples_become_one(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regime, "EXACT_SEARCH", 0)

    graph = graph_of(heaps([300, 200, 12], rng), "flat")

    assert connected_components(graph, directed=False)[0] == 1


@pytest.mark.parametrize("kind", ["flat", "blocks"])
def test_the_graph_in_single_precision_is_that_in_double(
    kind: str, rng: np.random.Generator
) -> None:
    X = rng.standard_normal((300, 4))

    np.testing.assert_allclose(
        graph_of(X, kind).toarray(), graph_of(X).toarray(), rtol=1e-3, atol=1e-5
    )


@pytest.mark.usefixtures("all_together")
def test_heaps_of_duplicates_become_one_component() -> None:
    X = np.repeat(np.arange(6.0)[:, np.newaxis], 40, axis=0)

    graph = graph_of(X)

    assert connected_components(graph, directed=False)[0] == 1


def test_the_shortest_edge_of_each_component_is_kept() -> None:
    found = Bridges(np.array([0, 1, 2]), np.array([2, 2, 0]), np.array([3.0, 1.0, 3.0]))

    kept = shortest(np.array([0, 0, 1]), found)

    assert pairs(kept) == {(1, 2), (0, 2)}
    assert kept.i.tolist() == [1, 2]


def test_a_spanning_tree_has_no_circle_and_takes_edges_of_length_zero() -> None:
    i, j = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 1])
    found = Bridges(i, j, np.array([0.0, 2.0, 1.0, 5.0]))

    kept = spanning(np.arange(3), found)

    assert pairs(kept) == {(0, 1), (0, 2)}


def test_members_are_spread_evenly() -> None:
    component = np.tile([0, 1], 50)

    some = members(component, np.array([5, 50]))

    assert some[component[some] == 0].tolist() == [0, 20, 40, 60, 80]
    assert (component[some] == 1).sum() == 50


def test_many_components_are_compared_by_one_member_each(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, component = rng.standard_normal((300, 3)), np.arange(300)
    expected = among_few(X.__getitem__, component)
    monkeypatch.setattr(regime, "FEW_MEMBERS", 10)
    monkeypatch.setattr(linking, "all_squared", None)  # which compares all pairs

    found = among_few(X.__getitem__, component)

    assert pairs(found) == pairs(expected)


def test_members_of_many_components_are_fetched_together(
    rng: np.random.Generator,
) -> None:
    X, fetched = rng.standard_normal((2000, 3)), []

    def fetch(which: AnyIndices) -> Floats:
        fetched.append(len(which))
        return X[which]

    among_few(fetch, np.arange(2000) // 2)

    assert len(fetched) <= 5


def test_nothing_is_looked_for_where_all_are_connected() -> None:
    found = bridges(np.zeros(5, dtype=np.intp), iter(()))

    assert not found.i.size

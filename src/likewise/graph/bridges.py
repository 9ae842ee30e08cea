"""From many components to one, by edges between near samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from sklearn.metrics import pairwise_distances_argmin_min

from likewise.arrays import AnyFloats, AnyIndices, Samples


@dataclass(frozen=True, slots=True)
class Bridges:
    """Edges from components to samples outside.

    Attributes
    ----------
    i, j : ndarray of shape (m,)
        The two samples of each.
    distance : ndarray of shape (m,)
    """

    i: AnyIndices
    j: AnyIndices
    distance: AnyFloats


Look = Callable[[AnyIndices], Bridges]


def bridges(component: AnyIndices, looks: Iterable[Look]) -> Bridges:
    """Return edges that make one component of many.

    Parameters
    ----------
    component : ndarray of shape (n,)
        The component of each sample, 0..c-1.
    looks : iterable of callable
        Each ``look(component)`` returns edges between components, which are joined
        before the next one looks, until there is one component; none looks where there
        is one already.
    """
    found = no_bridges()
    remaining = iter(looks)
    while component.max() > 0:
        new = next(remaining)(component)
        found = together(found, new)
        component = joined(component, new.i, new.j)
    return found


def no_bridges() -> Bridges:
    """Return no edges."""
    none = np.zeros(0, dtype=np.intp)
    return Bridges(none, none, np.zeros(0))


def together(some: Bridges, others: Bridges) -> Bridges:
    """Return edges with others behind them."""
    return Bridges(
        np.concatenate([some.i, others.i]),
        np.concatenate([some.j, others.j]),
        np.concatenate([some.distance, others.distance]),
    )


def joined(component: AnyIndices, i: AnyIndices, j: AnyIndices) -> AnyIndices:
    """Return the components after samples i and j were joined, pair by pair.

    Examples
    --------
    >>> joined(np.array([0, 1, 1, 2]), np.array([0]), np.array([3]))
    array([0, 1, 1, 0], dtype=int32)
    """
    count = int(component.max()) + 1
    ends = component[i], component[j]
    graph = sp.coo_array((np.ones(len(i), np.int8), ends), shape=(count, count))
    whole: AnyIndices = connected_components(graph, directed=False)[1]
    return whole[component]


def shortest(component: AnyIndices, found: Bridges) -> Bridges:
    """Return the shortest edge of each component that has any."""
    mine = component[found.i]
    order = np.lexsort((found.distance, mine))
    return _only(found, order[np.unique(mine[order], return_index=True)[1]])


def spanning(component: AnyIndices, found: Bridges) -> Bridges:
    """Return the shortest of some edges that join as many components as all do.

    The minimum spanning tree of the components, as far as these edges go.
    """
    found = _only(found, np.argsort(found.distance, kind="stable"))
    count = int(component.max()) + 1
    a, b = np.sort([component[found.i], component[found.j]], axis=0)
    pair = a.astype(np.int64) * count + b
    found = _only(found, np.sort(np.unique(pair, return_index=True)[1]))
    ranks = np.arange(1.0, len(found.i) + 1)  # no edge is 0, which would be none
    ends = component[found.i], component[found.j]
    graph = sp.csr_array((ranks, ends), shape=(count, count))
    tree = minimum_spanning_tree(graph)
    return _only(found, np.sort(tree.data).astype(np.intp) - 1)


def _only(found: Bridges, which: AnyIndices) -> Bridges:
    return Bridges(found.i[which], found.j[which], found.distance[which])


def members(component: AnyIndices, counts: AnyIndices) -> AnyIndices:
    """Return so many samples of each component, evenly spread over it.

    Parameters
    ----------
    component : ndarray of shape (n,)
        0..c-1.
    counts : ndarray of shape (c,)
        At most as many as the component has.

    Examples
    --------
    >>> members(np.array([0, 0, 0, 0, 1, 1]), np.array([2, 0]))
    array([0, 2])
    """
    sizes = np.bincount(component)
    order = np.argsort(component, kind="stable")
    place = np.empty(len(component), dtype=np.intp)
    place[order] = np.arange(len(component)) - np.repeat(sizes.cumsum() - sizes, sizes)
    count, size = counts[component], sizes[component]
    return np.flatnonzero(place * count // size > (place - 1) * count // size)


def nearest_outside(X: Samples, component: AnyIndices) -> Bridges:
    """Return the nearest pair of each component and the rest, one after the other."""
    edges = [
        _nearest_pair(X, np.flatnonzero(component == c), component != c)
        for c in range(int(component.max()) + 1)
    ]
    i, j, distance = map(np.array, zip(*edges, strict=True))
    return Bridges(i, j, distance)


def _nearest_pair(
    X: Samples, inside: AnyIndices, outside: np.ndarray
) -> tuple[int, int, float]:
    others = np.flatnonzero(outside)
    nearest, distance = pairwise_distances_argmin_min(X[inside], X[others])
    best = int(np.argmin(distance))
    return int(inside[best]), int(others[nearest[best]]), float(distance[best])

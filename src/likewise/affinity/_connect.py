"""From many components to one, by edges between near samples.

A *look* finds some edges; looks follow each other until all is connected. Exact is
:func:`nearest_outside`. Among many samples, :func:`listed` and :func:`asked` find edges
that an exact look would find, and :func:`among_few` near ones in place of the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from likewise import _regime as regime
from likewise._arrays import AnyFloats, AnyIndices, Samples, significant, spans
from likewise.affinity._indexes import Index, Ranking
from likewise.affinity._knn import (
    N_SHARES,
    Neighbours,
    distances_of,
    indices_of,
    nearest_neighbours,
)
from likewise.affinity._rows import Pieces, all_squared, squared

WIDTHS = 32, 128  # neighbours that an index is asked for, one after the other
N_LISTED = 2**25  # neighbours that are asked for at a time
N_ASKED = 4096  # rows that an index is asked about at a time
N_TRIED = 2000  # members of two components among which the nearest are looked for
N_FETCHED = 2**15  # members that are fetched together
N_QUERIES = 1024  # rows that are compared at a time

Fetch: TypeAlias = Callable[[AnyIndices], Samples]


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


Look: TypeAlias = Callable[[AnyIndices], Bridges]


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
    order = np.lexsort((found.j, found.i, significant(found.distance), mine))
    return _only(found, order[np.unique(mine[order], return_index=True)[1]])


def spanning(component: AnyIndices, found: Bridges) -> Bridges:
    """Return the shortest of some edges that join as many components as all do.

    The minimum spanning tree of the components, as far as these edges go.
    """
    found = _only(found, np.lexsort((found.j, found.i, significant(found.distance))))
    count = int(component.max()) + 1
    a, b = np.sort([component[found.i], component[found.j]], axis=0)
    pair = a.astype(np.int64) * count + b
    found = _only(found, np.sort(np.unique(pair, return_index=True)[1]))
    ranks = np.arange(1.0, len(found.i) + 1)  # no edge is 0, which would be none
    i, j = component[found.i], component[found.j]
    ends = i.astype(np.int32), j.astype(np.int32)  # older scipy spans no wider indices
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
    from sklearn.metrics import pairwise_distances_argmin_min

    others = np.flatnonzero(outside)
    _, least = pairwise_distances_argmin_min(X[inside], X[others])
    best = inside[int(np.argmin(significant(least)))]
    apart = squared(X[others], X[np.full(len(others), best)])
    nearest = int(np.argmin(significant(apart)))
    return int(best), int(others[nearest]), float(np.sqrt(apart[nearest]))


@dataclass(frozen=True, slots=True)
class Lists:
    """Some samples, each with its nearest ones.

    Attributes
    ----------
    samples : ndarray of shape (q,)
    near : ndarray of shape (q, w)
        Nearest first; -1 where there is none.
    apart : ndarray of shape (q, w)
        How far they are.
    covers : ndarray of bool of shape (n,)
        The samples that those of the lists speak for: themselves, and others of their
        component where not all are listed.
    """

    samples: AnyIndices
    near: AnyIndices
    apart: AnyFloats
    covers: NDArray[np.bool_]


def listed(
    pieces: Pieces, near: Sequence[Neighbours], component: AnyIndices
) -> Bridges:
    """Return edges to known neighbours of other components.

    They are brought here from where they were found, unless these are too many.
    """
    covers = component != np.bincount(component).argmax()
    mine = np.flatnonzero(covers)
    most = len(component) if len(near) == 1 else N_LISTED // N_SHARES
    if not 0 < len(mine) <= most:
        return no_bridges()
    indices = pieces.gathered(indices_of, mine, near)
    distances = pieces.gathered(distances_of, mine, near)
    return sure(Lists(mine, indices, distances, covers), component)


def asked(index: Index, width: int, component: AnyIndices) -> Bridges:
    """Return edges to neighbours of other components that an index finds.

    It is asked about components that so many neighbours lead out of, and about each of
    their members unless these are too many.
    """
    sizes = np.bincount(component)
    counts = np.where(sizes < width, sizes, 0)
    if counts.sum() > N_LISTED // width:
        counts = np.minimum(counts, max(N_LISTED // width // len(counts), 1))
    mine, covers = members(component, counts), counts[component] > 0
    near, apart = _neighbours(index, mine, min(width, len(index)))
    return sure(Lists(mine, near, apart, covers), component)


def _neighbours(
    index: Index, samples: AnyIndices, width: int
) -> tuple[AnyIndices, AnyFloats]:
    near = np.empty((len(samples), width), dtype=np.int32)
    apart = np.empty((len(samples), width), dtype=index.at(samples[:0]).dtype)
    for block in spans(len(samples), N_ASKED):
        queries = index.at(samples[block])
        if isinstance(index, Ranking):
            near[block], squares = index.ranked(queries, width)
            apart[block] = np.sqrt(squares)
            continue
        near[block] = index.candidates(queries, width)
        for column, others in enumerate(near[block].T):
            apart[block, column] = np.sqrt(squared(index.at(others), queries))
    apart[near < 0] = np.inf
    return near, apart


def sure(lists: Lists, component: AnyIndices) -> Bridges:
    """Return those edges of the minimum spanning tree that lists are sure of.

    The shortest way out of a component is an edge of that tree. It is known when it is
    no longer than the list of any member reaches. Each one found makes larger
    components, whose ways out may be in the lists as well.
    """
    found = no_bridges()
    while True:
        reach = np.full(int(component.max()) + 1, np.inf)
        np.minimum.at(reach, component[lists.samples], lists.apart[:, -1])
        reach[component[~lists.covers]] = 0.0
        out = _ways_out(lists, component)
        is_sure = out.distance <= reach[component[out.i]]
        new = spanning(
            component, Bridges(out.i[is_sure], out.j[is_sure], out.distance[is_sure])
        )
        if not new.i.size:
            return found
        found = together(found, new)
        component = joined(component, new.i, new.j)


def _ways_out(lists: Lists, component: AnyIndices) -> Bridges:
    """Return the shortest edge out of each component that is in the lists."""
    mine = component[lists.samples, np.newaxis]
    is_out = (lists.near >= 0) & (component[lists.near] != mine)
    at = np.flatnonzero(is_out.any(axis=1))
    first = is_out[at].argmax(axis=1)
    found = Bridges(lists.samples[at], lists.near[at, first], lists.apart[at, first])
    return shortest(component, found)


def among_few(fetch: Fetch, component: AnyIndices) -> Bridges:
    """Return edges between components by a few members of each.

    Those members say which components are near each other; the edge is then moved to
    members that are nearer. Every component but the largest gets one.

    Parameters
    ----------
    fetch : callable
        ``fetch(indices)`` returns these samples.
    component : ndarray of shape (n,)
    """
    sizes = np.bincount(component)
    some = members(
        component, np.minimum(sizes, max(regime.FEW_MEMBERS // len(sizes), 1))
    )
    at, apart = _nearest_outside(fetch(some), component[some])
    edges = spanning(component, shortest(component, Bridges(some, some[at], apart)))
    order = np.argsort(component, kind="stable")
    inside = np.split(order, np.bincount(component).cumsum()[:-1])
    j, _ = _nearest_of(fetch, edges.i, edges.j, [inside[c] for c in component[edges.j]])
    i, distance = _nearest_of(
        fetch, j, edges.i, [inside[c] for c in component[edges.i]]
    )
    return Bridges(i, j, distance)


def _nearest_outside(X: Samples, component: AnyIndices) -> tuple[AnyIndices, AnyFloats]:
    """Return the nearest row of another component for each row, and its distance."""
    n = len(component)
    if (
        n > regime.FEW_MEMBERS
    ):  # one of each component: the nearest row is of another one
        near = nearest_neighbours(X, 1)
        return near.indices[:, 0], near.distances[:, 0]
    at, apart = np.empty(n, dtype=np.intp), np.empty(n)
    for block in spans(n, N_QUERIES):
        all_apart = all_squared(X[block], X)
        all_apart[component[block, np.newaxis] == component] = np.inf
        near = significant(np.maximum(all_apart, 0.0)).argmin(axis=1)
        at[block], apart[block] = near, all_apart[np.arange(len(near)), near]
    return at, np.sqrt(np.maximum(apart, 0.0))


def _nearest_of(
    fetch: Fetch, i: AnyIndices, known: AnyIndices, among: Sequence[AnyIndices]
) -> tuple[AnyIndices, AnyFloats]:
    """Return for each sample the nearest among some others, one of which is known.

    Where the others are many, they are that one and some that are evenly spread.
    """
    found, distance = known.copy(), np.empty(len(i))
    tried = [
        np.append(one, others[:: -(-len(others) // N_TRIED)])
        for one, others in zip(known, among, strict=True)
    ]
    lengths = np.array([len(some) for some in tried], dtype=np.intp)
    batch = lengths.cumsum() // N_FETCHED
    for ats in np.split(np.arange(len(i)), np.flatnonzero(np.diff(batch)) + 1):
        candidates = np.concatenate([tried[at] for at in ats])
        queries = np.repeat(i[ats], lengths[ats])
        apart = squared(fetch(candidates), fetch(queries))
        ends = lengths[ats].cumsum()
        for at, start, stop in zip(ats, ends - lengths[ats], ends, strict=True):
            best = start + int(significant(apart[start:stop]).argmin())
            found[at], distance[at] = candidates[best], np.sqrt(apart[best])
    return found, distance

"""Edges between components of many samples, in time proportional to their number.

Three looks, the cheapest first: into the neighbours that are known but make no edge,
into an index that is asked for more and more of them, and at few members of each
component, compared with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likewise.arrays import AnyFloats, AnyIndices, Samples
from likewise.graph.bridges import (
    Bridges,
    joined,
    members,
    no_bridges,
    shortest,
    spanning,
    together,
)
from likewise.graph.indexes import Index
from likewise.graph.neighbours import Neighbours, nearest_neighbours
from likewise.graph.rows import Rows, all_squared, spans, squared

WIDTHS = 32, 128  # neighbours that an index is asked for, one after the other
N_LISTED = 2**25  # neighbours that are asked for at a time
N_ASKED = 4096  # rows that an index is asked about at a time
N_FEW = 4096  # members that are compared with each other, if not one of each is more
N_TRIED = 2000  # members of two components among which the nearest are looked for
N_FETCHED = 2**15  # members that are fetched together
N_QUERIES = 1024  # rows that are compared at a time

Fetch = Callable[[AnyIndices], Samples]


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


def listed(near: Neighbours, component: AnyIndices) -> Bridges:
    """Return edges to known neighbours of other components."""
    covers = component != np.bincount(component).argmax()
    mine = np.flatnonzero(covers)
    lists = Lists(mine, near.indices[mine], near.distances[mine], covers)
    return sure(lists, component)


def asked(rows: Rows, index: Index, width: int, component: AnyIndices) -> Bridges:
    """Return edges to neighbours of other components that an index finds.

    It is asked about components that so many neighbours lead out of, and about each of
    their members unless these are too many.
    """
    sizes = np.bincount(component)
    counts = np.where(sizes < width, sizes, 0)
    if counts.sum() > N_LISTED // width:
        counts = np.minimum(counts, max(N_LISTED // width // len(counts), 1))
    mine, covers = members(component, counts), counts[component] > 0
    near, apart = _neighbours(rows, index, mine, min(width, len(rows)))
    return sure(Lists(mine, near, apart, covers), component)


def _neighbours(
    rows: Rows, index: Index, samples: AnyIndices, width: int
) -> tuple[AnyIndices, AnyFloats]:
    near = np.empty((len(samples), width), dtype=np.int32)
    apart = np.empty((len(samples), width), dtype=rows[:0].dtype)
    for block in spans(len(samples), N_ASKED):
        queries = rows[samples[block]]
        near[block] = index.candidates(queries, width)
        for column, others in enumerate(near[block].T):
            apart[block, column] = np.sqrt(squared(rows[others], queries))
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
    some = members(component, np.minimum(sizes, max(N_FEW // len(sizes), 1)))
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
    if n > N_FEW:  # one of each component: the nearest row is of another one
        near = nearest_neighbours(X, 1)
        return near.indices[:, 0], near.distances[:, 0]
    at, apart = np.empty(n, dtype=np.intp), np.empty(n)
    for block in spans(n, N_QUERIES):
        all_apart = all_squared(X[block], X)
        all_apart[component[block, np.newaxis] == component] = np.inf
        at[block], apart[block] = all_apart.argmin(axis=1), all_apart.min(axis=1)
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
            best = start + int(apart[start:stop].argmin())
            found[at], distance[at] = candidates[best], np.sqrt(apart[best])
    return found, distance

"""The graph of nearest neighbours, symmetric and connected."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from likewise._arrays import FEW, AnyFloats, Samples, Sparse
from likewise.affinity._connect import (
    WIDTHS,
    Bridges,
    Look,
    among_few,
    asked,
    bridges,
    listed,
    nearest_outside,
)
from likewise.affinity._indexes import exact_index
from likewise.affinity._knn import Neighbours
from likewise.affinity._rows import Rows, single_rows
from likewise.affinity._weights import directed_weights, self_tuning_weights

FEW_TIMES = 4_000_000  # samples times components, each searched alone


def neighbour_graph(
    X: Samples, near: Neighbours, scale: AnyFloats, n_edges: int | None = None
) -> Sparse:
    """Return the symmetric graph: neighbours either way, and made connected.

    Neighbours are chosen by distance and weighted afterwards: chosen by weight, samples
    in dense places would win all edges.

    Parameters
    ----------
    X : ndarray, memory map or csr_array of shape (n, d)
    near : Neighbours
    scale : ndarray of shape (n,)
        As :func:`~likewise.affinity.local_scale` returns it.
    n_edges : int, optional
        How many neighbours make the graph, all unless given; the others may help to
        connect it.

    Returns
    -------
    csr_array of shape (n, n)

    Notes
    -----
    Components are joined by their nearest samples: exactly, each searched alone, while
    that is affordable. Among more samples the edges are those of a minimum spanning
    tree over near pairs that are found in time proportional to the number of samples.
    """
    made = directed_weights(near if n_edges is None else near.first(n_edges), scale)
    return connected(X, near, scale, symmetric(made))


def symmetric(directed: Sparse) -> Sparse:
    """Return the graph of neighbours either way, of shape (n, n)."""
    return directed.maximum(directed.T).tocsr()


def connected(X: Samples, near: Neighbours, scale: AnyFloats, graph: Sparse) -> Sparse:
    """Return a symmetric graph with edges that make it one component."""
    count, component = connected_components(graph, directed=False)
    if count > 1:
        tied = bridge_weights(bridges(component, _looks(X, near, count)), scale)
        graph = graph.maximum(tied).tocsr()
    graph.sort_indices()
    return graph


def _looks(X: Samples, near: Neighbours, count: int) -> Iterator[Look]:
    """Yield ways to find edges, the cheapest first; the last one always finds some."""
    is_few = X.shape[0] <= FEW
    if is_few and X.shape[0] * count <= FEW_TIMES:
        yield from repeat(partial(nearest_outside, X))
    rows, index = single_rows(X), near.index
    if is_few and index is None:
        rows = Rows(X)
        index = exact_index(rows)
    yield partial(listed, near)
    if index is not None:
        yield from (partial(asked, rows, index, width) for width in WIDTHS)
    rest = partial(among_few, rows.__getitem__)
    yield from repeat(partial(nearest_outside, X) if is_few else rest)


def bridge_weights(found: Bridges, scale: AnyFloats) -> Sparse:
    """Return bridges as a symmetric graph.

    Parameters
    ----------
    found : Bridges
    scale : ndarray of shape (n,)

    Returns
    -------
    csr_array of shape (n, n)
    """
    i, j, squared = found.i, found.j, found.distance**2
    weight = self_tuning_weights(squared, scale[i], scale[j]).astype(scale.dtype)
    ends = i.astype(np.int32), j.astype(np.int32)
    tied = sp.csr_array((weight, ends), shape=(len(scale), len(scale)))
    return tied.maximum(tied.T).tocsr()

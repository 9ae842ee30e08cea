"""The graph of nearest neighbours: self-tuning weights, symmetric and connected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, repeat
from operator import getitem
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from likewise import _regime as regime
from likewise._arrays import (
    AnyFloats,
    AnyIndices,
    Indices,
    Samples,
    Sparse,
    significant,
    spans,
    with_short_indices,
)
from likewise.affinity._connect import (
    WIDTHS,
    Bridges,
    Look,
    among_few,
    asked,
    bridges,
    joined,
    listed,
    nearest_outside,
)
from likewise.affinity._indexes import Index, exact_index
from likewise.affinity._knn import Neighbours
from likewise.affinity._rows import (
    Pieces,
    Rows,
    Runner,
    pieces_here,
    single_rows,
)

Block = TypeVar("Block")

FAINTEST = 1e-6  # an edge is never weaker: a far neighbour is still a neighbour
N_SORTED = 2**20  # entries sorted at a time
RANK = 7  # the neighbour whose distance is the scale


def local_scale(near: Neighbours, rank: int = RANK) -> AnyFloats:
    """Return each sample's distance to its 7th neighbour, never zero.

    Among more than seven duplicates that distance is zero; the nearest neighbour that
    is no duplicate gives the scale then, and the typical scale where there is none.
    """
    return typical_where_none(own_scale(near, rank))


def scale_in(runner: Runner, near: Sequence[Neighbours]) -> AnyFloats:
    """Return the same for all samples, from the neighbours of each piece."""
    own = runner.results([runner.task(own_scale, found) for found in near])
    return typical_where_none(np.concatenate(own))


def own_scale(near: Neighbours, rank: int = RANK) -> AnyFloats:
    """Return each sample's scale by its neighbours alone; infinite where none is."""
    if near.distances.shape[1] == 0:
        return np.ones(len(near.distances))
    scale = near.distances[:, min(rank, near.distances.shape[1]) - 1].copy()
    among_equals = np.flatnonzero(scale == 0)
    apart = near.distances[among_equals]
    scale[among_equals] = np.where(apart > 0, apart, np.inf).min(axis=1)
    return scale


def typical_where_none(scale: AnyFloats) -> AnyFloats:
    """Return scales, with their median in place of infinite ones."""
    usual = scale[np.isfinite(scale)]
    typical = np.median(usual) if usual.size else 1.0
    return np.where(np.isfinite(scale), scale, typical).astype(scale.dtype)


def self_tuning_weights(
    squared: AnyFloats, scale_i: AnyFloats, scale_j: AnyFloats
) -> AnyFloats:
    r"""Return :math:`w_{ij} = \exp(-d_{ij}^2 / (r_i r_j))`, but at least ``FAINTEST``.

    References
    ----------
    L. Zelnik-Manor, P. Perona. Self-Tuning Spectral Clustering. NIPS 2004.
    """
    return np.maximum(np.exp(-squared / (scale_i * scale_j)), FAINTEST)


def directed_weights(near: Neighbours, scale: AnyFloats, start: int = 0) -> Sparse:
    """Return the weights from each sample to its neighbours, as a sparse matrix.

    Parameters
    ----------
    near : Neighbours
        Of m samples in a row.
    scale : ndarray of shape (n,)
        Of all samples.
    start : int
        The first of the m samples.

    Returns
    -------
    csr_array of shape (m, n)
    """
    m, k = near.indices.shape
    mine = scale[start : start + m, np.newaxis]
    weights = self_tuning_weights(near.distances**2, mine, scale[near.indices])
    is_short = m * k <= np.iinfo(np.int32).max  # half the memory, and faster
    kind = np.int32 if is_short else np.int64
    columns, starts = near.indices.ravel().astype(kind), np.arange(m + 1, dtype=kind)
    directed = sp.csr_array(
        (weights.ravel(), columns, k * starts), shape=(m, len(scale))
    )
    directed.sort_indices()
    return directed


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
        As :func:`local_scale` returns it.
    n_edges : int, optional
        How many neighbours make the graph, all unless given; the others may help to
        connect it.

    Returns
    -------
    csr_array of shape (n, n)
    """
    n = X.shape[0]
    middle = None if n <= regime.EXACT_SEARCH else single_rows(X).middle
    k = near.indices.shape[1] if n_edges is None else n_edges
    pieces = pieces_here(X, n, middle)
    return graph_in(pieces, [near], scale, k, as_is, index=near.index)[0]


def graph_in(
    pieces: Pieces,
    near: Sequence[Neighbours],
    scale: AnyFloats,
    k: int,
    keep: Callable[[int, Sparse], Block],
    *,
    index: Index | None = None,
) -> list[Block]:
    """Return the graph of samples in pieces, a block of rows for each.

    Edges are weighted and made symmetric where their neighbours are; only numbers for
    each sample come here, never its neighbours.

    Parameters
    ----------
    pieces : Pieces
    near : sequence of Neighbours
        Of each piece, or what stands for them.
    scale : ndarray of shape (n,)
    k : int
        How many neighbours make the graph.
    keep : callable
        ``keep(start, block)`` is called where a block of rows was made, `start` being
        the first of them; what it returns comes here.
    index : Index, optional
        Of all samples, around their middle.

    Notes
    -----
    Components are joined by their nearest samples: exactly, each searched alone, while
    that is affordable. Among more samples the edges are those of a minimum spanning
    tree over near pairs that are found in time proportional to the number of samples.
    """
    runner, starts = pieces.runner, [span.start for span in pieces.spans]
    held = runner.kept(scale)
    edges = [
        runner.task(edges_of, found, held, start, k)
        for found, start in zip(near, starts, strict=True)
    ]
    component = _components(pieces, edges)
    looks = _looks(pieces, near, int(component.max()) + 1, index)
    tied = bridge_weights(bridges(component, looks), scale)
    back = [runner.task(turned, piece, pieces.bounds) for piece in edges]
    blocks = [
        runner.task(
            _kept_block,
            keep,
            span.start,
            edges[at],
            tied[span],
            *(runner.task(getitem, cut, at) for cut in back),
        )
        for at, span in enumerate(pieces.spans)
    ]
    return runner.results(blocks)


def as_is(start: int, block: Sparse) -> Sparse:  # noqa: ARG001 - wherever it begins
    """Return a block of the graph."""
    return block


def _kept_block(
    keep: Callable[[int, Sparse], Block],
    start: int,
    edges: Sparse,
    tied: Sparse,
    *back: Sparse,
) -> Block:
    return keep(start, block_of(edges, tied, *back))


def edges_of(near: Neighbours, scale: AnyFloats, start: int, k: int) -> Sparse:
    """Return the weights from a piece's samples to their k nearest, of (m, n)."""
    return directed_weights(near.first(k), scale, start)


def turned(edges: Sparse, bounds: Indices) -> tuple[Sparse, ...]:
    """Return the transpose of a piece's edges, cut at the bounds of the pieces."""
    columns = edges.tocsc()
    if len(bounds) == 2:  # noqa: PLR2004 - one piece: nothing to cut
        return (columns.T,)
    return tuple(columns[:, a:b].T.tocsr() for a, b in pairwise(bounds))


def block_of(edges: Sparse, tied: Sparse, *back: Sparse) -> Sparse:
    """Return a block of the symmetric graph.

    Parameters
    ----------
    edges : csr_array of shape (m, n)
        From the block's samples.
    tied : csr_array of shape (m, n)
        Bridges of the block's samples.
    *back : csr_array
        Edges to the block's samples from each piece, as :func:`turned` returns them.
    """
    incoming = back[0] if len(back) == 1 else sp.hstack(back, format="csr")
    block = sp.csr_array(edges.maximum(incoming))
    if tied.nnz:
        block = sp.csr_array(block.maximum(tied))
    block.sort_indices()
    return with_short_indices(block)


def _components(pieces: Pieces, edges: Sequence[Sparse]) -> AnyIndices:
    """Return the component of each sample; edges are looked at where they are."""
    runner = pieces.runner
    if len(edges) == 1:
        return runner.results([runner.task(_component, edges[0])])[0]
    component: AnyIndices = np.arange(len(pieces))
    for piece, span in zip(edges, pieces.spans, strict=True):
        (joins,) = runner.results([runner.task(joins_of, piece, span.start)])
        component = joined(component, *joins)
    return component


def _component(edges: Sparse) -> AnyIndices:
    found: AnyIndices = connected_components(edges, directed=False)[1]
    return found


def joins_of(edges: Sparse, start: int) -> tuple[AnyIndices, AnyIndices]:
    """Return pairs of samples that join what a piece's edges join, few of them."""
    i = np.repeat(np.arange(start, start + edges.shape[0]), np.diff(edges.indptr))
    samples, ends = np.unique(np.concatenate([i, edges.indices]), return_inverse=True)
    a, b = ends.reshape(2, -1)
    graph = sp.coo_array((np.ones(len(a), np.int8), (a, b)), shape=2 * samples.shape)
    part = _component(graph)
    first = samples[np.unique(part, return_index=True)[1]]
    return samples, first[part]


def _looks(
    pieces: Pieces, near: Sequence[Neighbours], count: int, index: Index | None
) -> Iterator[Look]:
    """Yield ways to find edges, the cheapest first; the last one always finds some."""
    n = len(pieces)
    last: Look = partial(among_few, pieces.fetched)
    if n <= regime.EXACT_SEARCH:
        X = pieces.fetched(np.arange(n))
        last = partial(nearest_outside, X)
        if n * count <= regime.EACH_ALONE:
            yield from repeat(last)
        index = exact_index(Rows(X))
    yield partial(listed, pieces, near)
    if index is not None:
        yield from (partial(asked, index, width) for width in WIDTHS)
    yield from repeat(last)


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


def strongest(W: Sparse, k: int) -> Sparse:
    """Return each row's k largest entries; of equal ones, the first.

    Rows of as many entries are sorted together.

    Parameters
    ----------
    W : csr_array of shape (n, n)
    k : int

    Returns
    -------
    csr_array of shape (n, n)

    Examples
    --------
    >>> strongest(sp.csr_array([[0.0, 2.0, 5.0]]), 1).toarray()
    array([[0., 0., 5.]])
    """
    counts, is_kept = np.diff(W.indptr), np.ones(W.nnz, dtype=bool)
    order = np.argsort(counts, kind="stable")
    sizes, first = np.unique(counts[order], return_index=True)
    for size, rows in zip(sizes, np.split(order, first[1:]), strict=True):
        if size > k:
            for span in spans(len(rows), max(N_SORTED // int(size), 1)):
                entries = W.indptr[rows[span], np.newaxis] + np.arange(size)
                weights = -significant(W.data[entries])
                weak = np.argsort(weights, axis=1, kind="stable")[:, k:]
                is_kept[np.take_along_axis(entries, weak, axis=1)] = False
    starts = np.append(0, np.minimum(counts, k).cumsum()).astype(W.indptr.dtype)
    return sp.csr_array((W.data[is_kept], W.indices[is_kept], starts), W.shape)

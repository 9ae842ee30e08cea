"""What is done to one piece, or to two, on one worker."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from likewise._arrays import (
    AnyFloats,
    AnyIndices,
    Floats,
    Indices,
    Samples,
    Sparse,
    with_short_indices,
)
from likewise.affinity import (
    INDEXES,
    Best,
    Index,
    Neighbours,
    Rows,
    Search,
    directed_weights,
    nothing,
    searched,
    spans,
    without,
)
from likewise.distributed._blocks import saved
from likewise.distributed._pieces import rows_in


@dataclass(frozen=True, slots=True)
class How:
    """What all tasks of a search know.

    Attributes
    ----------
    search : Search
    middle : ndarray of shape (d,), or None
        Where zero is put.
    k : int
        How many rows are looked for, the sample itself among them.
    """

    search: Search
    middle: Floats | None
    k: int


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece that can be searched in.

    Attributes
    ----------
    start : int
        The first of its samples.
    index : Index
    """

    start: int
    index: Index


def shard_of(how: How, source: Any, start: int) -> Shard:
    """Return a piece that can be searched in."""
    rows = Rows(rows_in(source), how.middle)
    return Shard(start, INDEXES[how.search.kind](rows, lambda _: None))


def found_in(how: How, best: Best | None, shard: Shard, source: Any) -> Best:
    """Return the best for each row of a piece: those so far and those in a shard."""
    return _found(how, best, shard, Rows(rows_in(source), how.middle))


def found_between(
    how: How, best: Best | None, base: Any, start: int, source: Any
) -> Best:
    """Return the same, for a piece whose index is no work to make."""
    return found_in(how, best, shard_of(how, base, start), source)


def found_for(
    how: How, best: Best | None, base: Any, start: int, queries: Samples
) -> Best:
    """Return the same, for rows that are around `middle` already."""
    return _found(how, best, shard_of(how, base, start), Rows(queries))


def _found(how: How, best: Best | None, shard: Shard, queries: Rows) -> Best:
    before = best or nothing(len(queries))
    parts = [
        searched(
            Best(before.indices[span], before.squared[span]),
            shard.index,
            shard.start,
            queries[span],
            how.k,
        )
        for span in spans(len(queries), how.search.block)
    ]
    return Best(
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.squared for part in parts]),
    )


def others(best: Best, start: int) -> Neighbours:
    """Return the neighbours of a piece's samples, themselves left out."""
    found = without(best, np.arange(start, start + len(best.indices)))
    return Neighbours(found.indices, np.sqrt(found.squared))


def indices_of(near: Neighbours, which: AnyIndices) -> AnyIndices:
    """Return the neighbours of some samples of a piece."""
    return near.indices[which]


def distances_of(near: Neighbours, which: AnyIndices) -> AnyFloats:
    """Return how far the neighbours of some samples of a piece are."""
    return near.distances[which]


def edges_of(near: Neighbours, scale: AnyFloats, start: int, k: int) -> Sparse:
    """Return the weights from a piece's samples to their k nearest, of (m, n)."""
    own = np.arange(start, start + len(near.indices))[:, np.newaxis]
    there = near.indices[:, :k] >= 0
    columns = np.where(there, near.indices[:, :k], own).astype(np.int32)
    kept = Neighbours(columns, near.distances[:, :k])
    edges = directed_weights(kept, scale, start)
    if not there.all():  # links that have not found enough
        edges.data[edges.indices == np.repeat(own, np.diff(edges.indptr))] = 0.0
        edges.eliminate_zeros()
    return edges


def joins_of(edges: Sparse, start: int) -> tuple[AnyIndices, AnyIndices]:
    """Return pairs of samples that join what a piece's edges join, few of them."""
    i = np.repeat(np.arange(start, start + edges.shape[0]), np.diff(edges.indptr))
    samples, ends = np.unique(np.concatenate([i, edges.indices]), return_inverse=True)
    a, b = ends.reshape(2, -1)
    graph = sp.coo_array((np.ones(len(a), np.int8), (a, b)), shape=2 * samples.shape)
    _, part = connected_components(graph, directed=False)
    first = samples[np.unique(part, return_index=True)[1]]
    return samples, first[part]


def turned(edges: Sparse, bounds: Indices) -> tuple[Sparse, ...]:
    """Return the transpose of a piece's edges, cut at the bounds of the pieces."""
    columns = edges.tocsc()
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
    incoming = sp.hstack(back, format="csr")
    block = sp.csr_array(edges.maximum(incoming).maximum(tied))
    block.sort_indices()
    return with_short_indices(block)


def saved_block(
    folder: Path, start: int, recall: float, edges: Sparse, tied: Sparse, *back: Sparse
) -> Path:
    """Write a block of the symmetric graph, and return its file."""
    return saved(block_of(edges, tied, *back), folder, start, recall)

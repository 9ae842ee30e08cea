"""The k best of what was found in several places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.arrays import AnyFloats, AnyIndices, Samples
from likewise.graph.indexes import Index
from likewise.graph.rows import squared

SPARE = 4  # candidates beyond k and the sample itself, against rounding


@dataclass(frozen=True, slots=True)
class Best:
    """The nearest rows found so far for each of some queries, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (q, at most k)
        -1 where there is none.
    squared : ndarray of shape (q, at most k)
        Squared distances; infinite where there is none.
    """

    indices: AnyIndices
    squared: AnyFloats


def nothing(n_queries: int) -> Best:
    """Return what is found before any search."""
    empty = np.zeros((n_queries, 0))
    return Best(empty.astype(np.int32), empty.astype(np.float32))


def searched(best: Best, index: Index, start: int, queries: Samples, k: int) -> Best:
    """Return the k best among those found so far and those in one more shard.

    Parameters
    ----------
    best : Best
    index : Index
        Of the shard.
    start : int
        Where the shard begins among all samples.
    queries : ndarray or csr_array of shape (q, d)
    k : int

    Notes
    -----
    Rows at the same distance are taken in the order of the samples, so that the result
    does not depend on the order of the shards.
    """
    found = index.candidates(queries, min(k + SPARE, len(index)))
    there = found >= 0
    apart = np.empty(found.shape, dtype=np.float32)
    for column, rows in enumerate(found.T):
        apart[:, column] = squared(index.at(rows), queries)
    indices = np.where(there, found + start, -1).astype(np.int32)
    apart[~there] = np.inf
    return _first(
        np.hstack([best.indices, indices]), np.hstack([best.squared, apart]), k
    )


def without(best: Best, own: AnyIndices) -> Best:
    """Return the best without the queries themselves, one fewer for each.

    Parameters
    ----------
    best : Best
    own : ndarray of shape (q,)
        Which of the samples each query is.
    """
    is_own = best.indices == own[:, np.newaxis]
    indices = np.where(is_own, -1, best.indices)
    apart = np.where(is_own, np.float32(np.inf), best.squared)
    return _first(indices, apart, best.indices.shape[1] - 1)


def _first(indices: AnyIndices, apart: AnyFloats, k: int) -> Best:
    order = np.lexsort((indices, apart), axis=1)[:, :k]
    return Best(
        np.take_along_axis(indices, order, axis=1),
        np.take_along_axis(apart, order, axis=1),
    )

"""The k best of what was found in several places."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.neighbors import NearestNeighbors

from likewise._arrays import AnyFloats, AnyIndices, Samples
from likewise.affinity._indexes import INDEXES, Index
from likewise.affinity._rows import Rows, evenly, single_rows, spans, squared
from likewise.affinity._search import (
    Clock,
    Progress,
    Search,
    Watch,
    exact_search,
    search_for,
)

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


N_PROVED = 200  # rows searched exactly, to say how many neighbours links have missed
LEAST = 0.9  # recall, below which somebody should know
ROUNDING = 1e-5  # of a distance


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest neighbours of each sample, itself left out.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, k)
        Nearest first.
    distances : ndarray of shape (n_samples, k)
    recall : float
        The share of the true neighbours that were found: 1 for an exact search, else
        measured on 200 samples; :func:`recall_of` measures it again.
    index : Index or None
        What they were found in, where it can be asked for more.
    """

    indices: AnyIndices
    distances: AnyFloats
    recall: float = 1.0
    index: Index | None = field(default=None, repr=False, compare=False)

    def first(self, k: int) -> Neighbours:
        """Return the nearest k of them."""
        return replace(
            self, indices=self.indices[:, :k], distances=self.distances[:, :k]
        )


def nearest_neighbours(
    X: Samples,
    k: int,
    *,
    search: Search | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Neighbours:
    """Return the k nearest neighbours of each row by Euclidean distance.

    Parameters
    ----------
    X : ndarray, memory map or csr_array of shape (n_samples, n_features)
        Read a block at a time if there are more than 20,000 rows.
    k : int
        Fewer where there are fewer other rows.
    search : Search, optional
        How; :func:`~likewise.affinity.search_for` chooses unless given.
    progress : callable, optional
        Called as ``progress(done, total)``, in rows: those that can be searched in
        and those that were searched for.
    clock : callable, optional
        Returns seconds; with it, a search that will be slow says how slow.

    Returns
    -------
    Neighbours
        float64 and exact up to 20,000 rows; float32 and indices of 32 bits above.

    Examples
    --------
    >>> nearest_neighbours(np.array([[0.0], [1.0], [3.0]]), 1).indices.ravel()
    array([1, 0, 1])
    """
    k = min(k, X.shape[0] - 1)
    search = search or search_for(X)
    if k == 0:
        none = np.zeros((X.shape[0], 0))
        return Neighbours(none.astype(np.intp), none)
    if search.kind == "whole":
        distances, indices = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
        if progress is not None:
            progress(X.shape[0], X.shape[0])
        return Neighbours(indices.astype(np.intp), distances)
    watch = Watch(search, X.shape[0], progress, clock)
    return _by_blocks(single_rows(X), k, search, watch)


def recall_of(
    X: Samples, near: Neighbours, n_rows: int = 500, *, rng: np.random.Generator
) -> float:
    """Return the share of true neighbours among those found, on some rows.

    Parameters
    ----------
    X : ndarray, memory map or csr_array of shape (n_samples, n_features)
    near : Neighbours
        Of all rows of `X`.
    n_rows : int
        How many rows are drawn and searched exactly.
    rng : numpy.random.Generator

    Examples
    --------
    >>> X = np.arange(9.0)[:, np.newaxis]
    >>> recall_of(X, nearest_neighbours(X, 2), rng=np.random.default_rng(0))
    1.0
    """
    n = X.shape[0]
    some = np.sort(rng.choice(n, min(n, n_rows), replace=False))
    return _recall(single_rows(X), near, some)


def _by_blocks(rows: Rows, k: int, search: Search, watch: Watch) -> Neighbours:
    n, best = len(rows), _Table(len(rows), k + 1)
    for shard in spans(n, search.shard):
        index: Index | None = None  # the one before is let go first
        index = INDEXES[search.kind](rows.part(shard), watch.taken_in)
        for block in spans(n, search.block):
            best[block] = searched(best[block], index, shard.start, rows[block], k + 1)
            watch.searched(block.stop - block.start)
    if search.kind == "hnsw":
        _complete(rows, best)
    near = _without_own(best, search.block)
    is_exact = search.kind != "hnsw"
    recall = 1.0 if is_exact else _recall(rows, near, evenly(n, N_PROVED))
    if recall < LEAST:
        warnings.warn(
            f"Only {recall:.0%} of the nearest neighbours of {n} samples were found: "
            f"reduce them to fewer features, for example with scikit-learn's PCA.",
            stacklevel=4,
        )
    return replace(near, recall=recall, index=index if search.shard >= n else None)


class _Table:
    """The best of all rows while they are searched, seen by its maker only."""

    def __init__(self, n: int, k: int) -> None:
        self.indices = np.full((n, k), -1, dtype=np.int32)
        self.squared = np.full((n, k), np.inf, dtype=np.float32)

    def __getitem__(self, block: slice) -> Best:
        return Best(self.indices[block], self.squared[block])

    def __setitem__(self, block: slice | AnyIndices, found: Best) -> None:
        self.indices[block], self.squared[block] = found.indices, found.squared


def _without_own(best: _Table, block: int) -> Neighbours:
    n, k = best.indices.shape
    indices = np.empty((n, k - 1), dtype=np.int32)
    distances = np.empty((n, k - 1), dtype=np.float32)
    for span in spans(n, block):
        others = without(best[span], np.arange(span.start, span.stop))
        indices[span], distances[span] = others.indices, np.sqrt(others.squared)
    return Neighbours(indices, distances)


def _complete(rows: Rows, best: _Table) -> None:
    """Search exactly for rows of which links have not found enough."""
    short = np.flatnonzero(best.indices[:, -1] < 0)
    if short.size:
        best[short] = _exact(rows, short, best.indices.shape[1])


def _exact(rows: Rows, some: AnyIndices, k: int) -> Best:
    search = exact_search(rows.X)
    blocks = [some[block] for block in spans(len(some), search.block)]
    best = [nothing(len(block)) for block in blocks]
    for shard in spans(len(rows), search.shard):
        index = INDEXES[search.kind](rows.part(shard), lambda _: None)
        best = [
            searched(before, index, shard.start, rows[block], k)
            for before, block in zip(best, blocks, strict=True)
        ]
    return Best(
        np.concatenate([block.indices for block in best]),
        np.concatenate([block.squared for block in best]),
    )


def _recall(rows: Rows, near: Neighbours, some: AnyIndices) -> float:
    k = near.indices.shape[1]
    if k == 0:
        return 1.0
    true = without(_exact(rows, some, k + 1), some).squared[:, -1]
    return share_found(near.distances[some], np.sqrt(true))


def share_found(found: AnyFloats, farthest: AnyFloats) -> float:
    """Return the share of neighbours that are no farther than the farthest true one.

    Parameters
    ----------
    found : ndarray of shape (m, k)
        Their distances.
    farthest : ndarray of shape (m,)
        The distance of the true k-th neighbour. Where several are as far, any will do.
    """
    slack = ROUNDING * np.maximum(farthest, np.median(farthest))
    return float((found <= (farthest + slack)[:, np.newaxis]).mean())

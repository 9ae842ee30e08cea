"""Rows that can be searched in: exactly, or by links between near ones.

Exact are all pairs, compared by scikit-learn or faiss, and the products of sparse
rows. Links are made of many rows and compare few; they miss some neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyFloats, AnyIndices, Indices, Samples, Sparse, spans
from likewise.affinity._card import AllPairsByTorch
from likewise.affinity._cells import CellsByTorch
from likewise.affinity._rows import Rows, evenly, lengths
from likewise.errors import MissingExtraError

N_GROUP = 32  # columns of which first only the least is looked at
M = 16  # links of a row, twice as many on the lowest level
EF_CONSTRUCTION = 64
EF_SEARCH = 64, 128, 256, 512  # rows that a search goes on from: the first that do
ENOUGH = 0.95  # of the true neighbours
N_TRIED, N_FOUND = 200, 25  # rows searched to see whether they do, and for how many
ROUNDING = 1e-5  # of a squared distance
N_ADDED = 10_000  # rows linked between two words about progress
N_READ = 1000  # rows that are in memory at a time

Done: TypeAlias = Callable[[int], None]  # told how many rows were taken in


def unheard(_: int) -> None:
    """Tell nobody how many rows were taken in."""


class Index(Protocol):
    """Rows that can be searched in."""

    def __len__(self) -> int: ...

    def candidates(self, queries: Samples, k: int) -> AnyIndices:
        """Return for each query the positions of k rows near it, -1 where none."""

    def at(self, positions: AnyIndices) -> Samples:
        """Return the rows at some positions."""


@runtime_checkable
class Ranking(Protocol):
    """An index that measures and orders what it finds where it finds it."""

    def ranked(self, queries: Samples, k: int) -> tuple[AnyIndices, AnyFloats]:
        """Return the k nearest rows, of those as far the first, and squared distances.

        At most as many as there are rows.
        """


@dataclass(frozen=True, slots=True)
class AllPairs:
    """Dense rows, all of which are compared with the queries.

    Attributes
    ----------
    rows : ndarray of shape (n, d)
    nearest : callable
        ``nearest(queries, k)`` returns the positions of the k nearest rows.
    """

    rows: AnyFloats
    nearest: Callable[[AnyFloats, int], AnyIndices]

    @classmethod
    def by_sklearn(cls, rows: Rows, done: Done) -> AllPairs:
        """Return the index of some rows, which scikit-learn compares."""
        from sklearn.neighbors import NearestNeighbors

        done(len(rows))
        held = rows[:]
        search = NearestNeighbors(algorithm="brute").fit(held)
        return cls(held, partial(search.kneighbors, return_distance=False))

    @classmethod
    def by_faiss(cls, rows: Rows, done: Done) -> AllPairs:
        """Return the index of some rows, which faiss compares."""
        done(len(rows))
        held = rows[:]
        return cls(held, partial(_nearest_by_faiss, held))

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        return self.nearest(queries, k)

    def at(self, positions: AnyIndices) -> AnyFloats:
        """Return the rows at some positions."""
        return self.rows[positions]


def _nearest_by_faiss(rows: AnyFloats, queries: AnyFloats, k: int) -> AnyIndices:
    """Return the nearest by one thread: queries are shared out among cores, not sums.

    How a product is shared out would change its last digits, and which of candidates as
    far are named.
    """
    faiss = load_faiss()
    with _one_thread(faiss):
        found: AnyIndices = faiss.knn(queries, rows, k)[1]
    return found


@dataclass(frozen=True, slots=True)
class Products:
    """Sparse rows, compared by their products with the queries."""

    rows: Sparse
    columns: Sparse
    lengths: AnyFloats

    @classmethod
    def of(cls, rows: Rows, done: Done) -> Products:
        """Return the index of some rows."""
        done(len(rows))
        held = rows[:]
        return cls(held, held.T.tocsr(), lengths(held))

    def candidates(self, queries: Sparse, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        apart = (queries @ self.columns).toarray()
        apart *= -2
        apart += self.lengths
        return _smallest(apart, k)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def at(self, positions: AnyIndices) -> Sparse:
        """Return the rows at some positions."""
        return self.rows[positions]


def _smallest(values: AnyFloats, k: int) -> AnyIndices:
    """Return the columns of each row's k smallest entries, the smallest first.

    At least k entries are no larger than the k-th least of groups of columns, and few
    more than k: only those are sorted.
    """
    m = values.shape[1] // N_GROUP
    bounds = np.full(len(values), np.inf)
    if m >= k:
        least = values[:, : m * N_GROUP].reshape(len(values), N_GROUP, m).min(axis=1)
        bounds = np.partition(least, k - 1, axis=1)[:, k - 1]
    found = np.empty((len(values), k), dtype=np.intp)
    for at, (row, bound) in enumerate(zip(values, bounds, strict=True)):
        few = np.flatnonzero(row <= bound)
        found[at] = few[np.argsort(row[few], kind="stable")[:k]]
    return found


class FaissLinks(Protocol):
    """What is used of ``faiss.IndexHNSWFlat``, which has no types of its own."""

    d: int
    ntotal: int
    storage: object

    def add(self, rows: AnyFloats) -> None:
        """Link more rows."""

    def search(
        self, queries: AnyFloats, k: int, *, params: object
    ) -> tuple[AnyFloats, AnyIndices]:
        """Return squared distances and positions of k rows near each query."""


@dataclass(frozen=True, slots=True)
class Links:
    """Rows linked to near ones on several levels, of which few are compared.

    Equal rows are linked once: links between them would lead nowhere else.

    Attributes
    ----------
    index : faiss.IndexHNSWFlat
        Of the distinct rows.
    distinct : DistinctRows
    ef : int
        How many rows a search goes on from.

    References
    ----------
    Y. A. Malkov, D. A. Yashunin. Efficient and robust approximate nearest neighbor
    search using Hierarchical Navigable Small World graphs. IEEE TPAMI, 2020.
    """

    index: FaissLinks
    distinct: DistinctRows
    ef: int

    @classmethod
    def of(cls, rows: Rows, done: Done) -> Links:
        """Return the index of some rows; one thread, so that it is always the same."""
        faiss, distinct = load_faiss(), DistinctRows.of(rows)
        index = faiss.IndexHNSWFlat(rows.n_features, M)
        index.hnsw.efConstruction = EF_CONSTRUCTION
        _make_room(index, len(distinct.first))
        with _one_thread(faiss):
            for span in spans(len(distinct.first), N_ADDED):
                index.add(rows[distinct.first[span]])
                done(span.stop - span.start)
        done(len(rows) - len(distinct.first))
        return cls(index, distinct, _sufficient(index))

    def __len__(self) -> int:
        return len(self.distinct.number)

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of k rows that are, most of them, the nearest."""
        return self.distinct.members(_search(self.index, queries, k, self.ef)[1])

    def at(self, positions: AnyIndices) -> AnyFloats:
        """Return the rows at some positions."""
        return _held(self.index)[self.distinct.number[positions]]


def _sufficient(index: FaissLinks) -> int:
    """Return how many rows a search must go on from to find enough neighbours."""
    rows = _held(index)
    some, k = rows[evenly(len(rows), N_TRIED)], min(N_FOUND, len(rows))
    faiss = load_faiss()
    with _one_thread(faiss):
        farthest = faiss.knn(some, rows, k)[0][:, -1:]
    slack = ROUNDING * np.maximum(farthest, np.median(farthest))
    for ef in EF_SEARCH:
        found = _search(index, some, k, ef)[0]
        if (found <= farthest + slack).mean() >= ENOUGH:
            break
    return ef


def _search(
    index: FaissLinks, queries: AnyFloats, k: int, ef: int
) -> tuple[AnyFloats, AnyIndices]:
    """Return squared distances and positions of distinct rows; -1 where none."""
    faiss = load_faiss()
    how = faiss.SearchParametersHNSW(efSearch=max(ef, 2 * k))
    with _one_thread(faiss):
        found: tuple[AnyFloats, AnyIndices] = index.search(queries, k, params=how)
    return found


def _make_room(index: FaissLinks, n_rows: int) -> None:
    """Have the memory of all rows taken at once: growing would take twice as much."""
    numbers = load_faiss().downcast_index(index.storage).codes
    numbers.resize(n_rows * index.d * 4)
    numbers.resize(0)


def _held(index: FaissLinks) -> AnyFloats:
    """Return the rows as faiss holds them, not copied."""
    faiss = load_faiss()
    numbers = faiss.downcast_index(index.storage).get_xb()
    rows: AnyFloats = faiss.rev_swig_ptr(numbers, index.ntotal * index.d)
    return rows.reshape(index.ntotal, index.d)


@contextmanager
def _one_thread(faiss: ModuleType) -> Iterator[None]:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


@dataclass(frozen=True, slots=True)
class DistinctRows:
    """Rows by the distinct row that they are equal to.

    Attributes
    ----------
    first : ndarray of shape (m,)
        The first row of those that are equal.
    number : ndarray of shape (n,)
        Which of the distinct rows each is equal to, 0..m-1.
    order : ndarray of shape (n,)
        The rows, equal ones beside each other.
    starts : ndarray of shape (m + 1,)
        Where the rows equal to each distinct one begin in that order.
    """

    first: Indices
    number: AnyIndices
    order: AnyIndices
    starts: Indices

    @classmethod
    def of(cls, rows: Rows) -> DistinctRows:
        """Return the distinct ones of some rows."""
        first, number = np.unique(first_equals(rows), return_inverse=True)
        starts = np.append(0, np.bincount(number).cumsum())
        order = np.argsort(number, kind="stable")
        return cls(first, number.astype(np.int32), order.astype(np.int32), starts)

    def members(self, found: AnyIndices) -> AnyIndices:
        """Return the rows equal to distinct ones, as many as there are of these.

        Parameters
        ----------
        found : ndarray of shape (q, k)
            Distinct rows, the nearest first; -1 where there is none.

        Returns
        -------
        ndarray of shape (q, k)
            Rows in the same order; -1 where there is none.
        """
        if len(self.first) == len(self.number):
            return found
        place = np.arange(found.shape[1])
        sizes = np.where(found >= 0, np.diff(self.starts)[found], 0)
        ends = sizes.cumsum(axis=1)
        column = (ends[:, np.newaxis, :] <= place[:, np.newaxis]).sum(axis=2)
        is_there = column < found.shape[1]
        column = np.minimum(column, found.shape[1] - 1)
        within = place - np.take_along_axis(ends - sizes, column, axis=1)
        at = self.starts[np.take_along_axis(found, column, axis=1)] + within
        return np.where(is_there, self.order[np.where(is_there, at, 0)], -1)


def first_equals(rows: Rows) -> Indices:
    """Return for each row the first one that is equal to it, itself if it is that.

    Rows of one sum of their digits, each taken some odd number of times, are compared;
    a row that is not equal to the first of them counts as different from all.

    Parameters
    ----------
    rows : Rows
        Of dense samples, in float32.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], dtype=np.float32)
    >>> first_equals(Rows(X))
    array([0, 1, 0])
    """
    sums = np.concatenate([_sums(rows[span]) for span in spans(len(rows), N_READ)])
    _, at, group = np.unique(sums, return_index=True, return_inverse=True)
    first: Indices = at[group]
    later = np.flatnonzero(first != np.arange(len(rows)))
    for span in spans(len(later), N_READ):
        some = later[span]
        is_other = (rows[some] != rows[first[some]]).any(axis=1)
        first[some[is_other]] = some[is_other]
    return first


def _sums(some: AnyFloats) -> AnyFloats:
    digits = (some + np.float32(0.0)).view(np.uint32).astype(np.uint64)  # -0 becomes 0
    times = np.random.default_rng(0).integers(
        2**63, size=some.shape[1], dtype=np.uint64
    )
    mixed = digits * (2 * times + 1)
    mixed ^= mixed >> np.uint64(32)
    return mixed.sum(axis=1)


def load_faiss() -> ModuleType:
    """Return faiss, or say which extra brings it."""
    try:
        import faiss
    except ImportError:
        raise MissingExtraError("faiss", "scale") from None
    module: ModuleType = faiss
    return module


INDEXES: dict[str, Callable[[Rows, Done], Index]] = {
    "blocks": AllPairs.by_sklearn,
    "flat": AllPairs.by_faiss,
    "hnsw": Links.of,
    "products": Products.of,
    "cuda": partial(AllPairsByTorch.on, "cuda"),
    "torch-cpu": partial(AllPairsByTorch.on, "torch-cpu"),
    "cuda-cells": partial(CellsByTorch.on, "cuda"),
    "torch-cpu-cells": partial(CellsByTorch.on, "torch-cpu"),
}


def exact_index(rows: Rows) -> Index:
    """Return an exact index that needs no extra."""
    return INDEXES["products" if sp.issparse(rows.X) else "blocks"](rows, unheard)

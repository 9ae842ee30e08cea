"""An index of which few rows are compared: each is linked to near ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from likewise.arrays import AnyFloats, AnyIndices, Indices
from likewise.errors import MissingExtraError
from likewise.graph.equals import first_equals
from likewise.graph.rows import Rows, evenly, spans

M = 16  # links of a row, twice as many on the lowest level
EF_CONSTRUCTION = 64
EF_SEARCH = 64, 128, 256, 512  # rows that a search goes on from: the first that do
ENOUGH = 0.95  # of the true neighbours
N_TRIED, N_FOUND = 200, 25  # rows searched to see whether they do, and for how many
ROUNDING = 1e-5  # of a squared distance
N_ADDED = 10_000  # rows linked between two words about progress

Done = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Heaps:
    """Rows by the distinct row that they are equal to.

    Attributes
    ----------
    first : ndarray of shape (m,)
        The first row of each heap.
    heap : ndarray of shape (n,)
        The heap of each row, 0..m-1.
    order : ndarray of shape (n,)
        The rows, heap by heap.
    starts : ndarray of shape (m + 1,)
        Where each heap begins in that order.
    """

    first: Indices
    heap: AnyIndices
    order: AnyIndices
    starts: Indices

    @classmethod
    def of(cls, rows: Rows) -> Heaps:
        """Return the heaps of some rows."""
        first, heap = np.unique(first_equals(rows), return_inverse=True)
        starts = np.append(0, np.bincount(heap).cumsum())
        order = np.argsort(heap, kind="stable")
        return cls(first, heap.astype(np.int32), order.astype(np.int32), starts)

    def members(self, found: AnyIndices) -> AnyIndices:
        """Return the rows of heaps, as many as there are heaps.

        Parameters
        ----------
        found : ndarray of shape (q, k)
            Heaps, the nearest first; -1 where there is none.

        Returns
        -------
        ndarray of shape (q, k)
            Rows in the same order; -1 where there is none.
        """
        if len(self.first) == len(self.heap):
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


@dataclass(frozen=True, slots=True)
class Links:
    """Rows linked to near ones on several levels, of which few are compared.

    Equal rows are linked once: links between them would lead nowhere else.

    Attributes
    ----------
    index : faiss.IndexHNSWFlat
        Of the distinct rows.
    heaps : Heaps
    ef : int
        How many rows a search goes on from.

    References
    ----------
    Y. A. Malkov, D. A. Yashunin. Efficient and robust approximate nearest neighbor
    search using Hierarchical Navigable Small World graphs. IEEE TPAMI, 2020.
    """

    index: Any
    heaps: Heaps
    ef: int

    @classmethod
    def of(cls, rows: Rows, done: Done) -> Links:
        """Return the index of some rows; one thread, so that it is always the same."""
        faiss, heaps = load_faiss(), Heaps.of(rows)
        index = faiss.IndexHNSWFlat(rows.n_features, M)
        index.hnsw.efConstruction = EF_CONSTRUCTION
        _make_room(index, len(heaps.first))
        with _one_thread(faiss):
            for span in spans(len(heaps.first), N_ADDED):
                index.add(rows[heaps.first[span]])
                done(span.stop - span.start)
        done(len(rows) - len(heaps.first))
        return cls(index, heaps, _sufficient(index))

    def __len__(self) -> int:
        return len(self.heaps.heap)

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of k rows that are, most of them, the nearest."""
        return self.heaps.members(_search(self.index, queries, k, self.ef)[1])

    def at(self, positions: AnyIndices) -> AnyFloats:
        """Return the rows at some positions."""
        return _held(self.index)[self.heaps.heap[positions]]


def _sufficient(index: Any) -> int:
    """Return how many rows a search must go on from to find enough neighbours."""
    rows = _held(index)
    some, k = rows[evenly(len(rows), N_TRIED)], min(N_FOUND, len(rows))
    farthest = load_faiss().knn(some, rows, k)[0][:, -1:]
    slack = ROUNDING * np.maximum(farthest, np.median(farthest))
    for ef in EF_SEARCH:
        found = _search(index, some, k, ef)[0]
        if (found <= farthest + slack).mean() >= ENOUGH:
            break
    return ef


def _search(
    index: Any, queries: AnyFloats, k: int, ef: int
) -> tuple[AnyFloats, AnyIndices]:
    """Return squared distances and positions of distinct rows; -1 where none."""
    how = load_faiss().SearchParametersHNSW(efSearch=max(ef, 2 * k))
    found: tuple[AnyFloats, AnyIndices] = index.search(queries, k, params=how)
    return found


def _make_room(index: Any, n_rows: int) -> None:
    """Have the memory of all rows taken at once: growing would take twice as much."""
    numbers = load_faiss().downcast_index(index.storage).codes
    numbers.resize(n_rows * index.d * 4)
    numbers.resize(0)


def _held(index: Any) -> AnyFloats:
    """Return the rows as faiss holds them, not copied."""
    faiss = load_faiss()
    numbers = faiss.downcast_index(index.storage).get_xb()
    rows: AnyFloats = faiss.rev_swig_ptr(numbers, index.ntotal * index.d)
    return rows.reshape(index.ntotal, index.d)


@contextmanager
def _one_thread(faiss: Any) -> Iterator[None]:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def load_faiss() -> Any:
    """Return faiss, or say which extra brings it."""
    try:
        import faiss
    except ImportError:
        raise MissingExtraError("faiss", "scale") from None
    return faiss

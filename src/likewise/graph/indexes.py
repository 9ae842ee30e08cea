"""What a block of rows is searched in; each returns candidates, nearest first.

Distances are no part of it: they are taken anew from the rows found, in one way for
all, so that equal rows are at distance 0 and no result depends on how rows were cut
into blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from likewise.arrays import AnyFloats, AnyIndices, Samples, Sparse
from likewise.errors import MissingExtraError
from likewise.graph.rows import spans

M = 16  # links of a row, twice as many on the lowest level
EF_CONSTRUCTION = 64
EF_SEARCH = 64
N_GROUP = 32  # columns of which first only the least is looked at
N_ADDED = 10_000  # rows linked between two words about progress

Done = Callable[[int], None]


class Index(Protocol):
    """Rows that can be searched in."""

    def candidates(self, queries: Samples, k: int) -> AnyIndices:
        """Return for each query the positions of k rows near it, -1 where none."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All rows, compared by scikit-learn."""

    search: Any

    @classmethod
    def of(cls, rows: AnyFloats, done: Done) -> Pairs:
        """Return the index of some rows."""
        done(len(rows))
        return cls(NearestNeighbors(algorithm="brute").fit(rows))

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        found: AnyIndices = self.search.kneighbors(queries, k, return_distance=False)
        return found


@dataclass(frozen=True, slots=True)
class Flat:
    """All rows, compared by faiss."""

    rows: AnyFloats

    @classmethod
    def of(cls, rows: AnyFloats, done: Done) -> Flat:
        """Return the index of some rows."""
        done(len(rows))
        return cls(rows)

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        found: AnyIndices = _faiss().knn(queries, self.rows, k)[1]
        return found


@dataclass(frozen=True, slots=True)
class Links:
    """Rows linked to near ones on several levels, of which few are compared.

    References
    ----------
    Y. A. Malkov, D. A. Yashunin. Efficient and robust approximate nearest neighbor
    search using Hierarchical Navigable Small World graphs. IEEE TPAMI, 2020.
    """

    index: Any

    @classmethod
    def of(cls, rows: AnyFloats, done: Done) -> Links:
        """Return the index of some rows; one thread, so that it is always the same."""
        faiss = _faiss()
        index = faiss.IndexHNSWFlat(rows.shape[1], M)
        index.hnsw.efConstruction = EF_CONSTRUCTION
        with _one_thread(faiss):
            for span in spans(len(rows), N_ADDED):
                index.add(rows[span])
                done(span.stop - span.start)
        return cls(index)

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of k rows that are, most of them, the nearest."""
        how = _faiss().SearchParametersHNSW(efSearch=max(EF_SEARCH, 2 * k))
        found: AnyIndices = self.index.search(queries, k, params=how)[1]
        return found


@dataclass(frozen=True, slots=True)
class Products:
    """Sparse rows, compared by their products with the queries."""

    columns: Sparse
    lengths: AnyFloats

    @classmethod
    def of(cls, rows: Sparse, done: Done) -> Products:
        """Return the index of some rows."""
        done(rows.shape[0])
        lengths = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        return cls(rows.T.tocsr(), lengths)

    def candidates(self, queries: Sparse, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        apart = (queries @ self.columns).toarray()
        apart *= -2
        apart += self.lengths
        return _smallest(apart, k)


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


INDEXES: dict[str, Callable[[Any, Done], Index]] = {
    "blocks": Pairs.of,
    "flat": Flat.of,
    "hnsw": Links.of,
    "products": Products.of,
}


def exact_index(rows: Samples) -> Index:
    """Return an exact index that needs no extra."""
    return INDEXES["products" if sp.issparse(rows) else "blocks"](rows, lambda _: None)


@contextmanager
def _one_thread(faiss: Any) -> Iterator[None]:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise MissingExtraError("faiss", "scale") from None
    return faiss

"""What a block of rows is searched in; each returns candidates, nearest first.

Distances are no part of it: they are taken anew from the rows found, in one way for
all, so that equal rows are at distance 0 and no result depends on how rows were cut
into blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from likewise.arrays import AnyFloats, AnyIndices, Samples, Sparse
from likewise.graph.links import Done, Links, load_faiss
from likewise.graph.rows import Rows, lengths

N_GROUP = 32  # columns of which first only the least is looked at


class Index(Protocol):
    """Rows that can be searched in."""

    def __len__(self) -> int: ...

    def candidates(self, queries: Samples, k: int) -> AnyIndices:
        """Return for each query the positions of k rows near it, -1 where none."""

    def at(self, positions: AnyIndices) -> Samples:
        """Return the rows at some positions."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All rows, compared by scikit-learn."""

    rows: AnyFloats
    search: Any

    @classmethod
    def of(cls, rows: Rows, done: Done) -> Pairs:
        """Return the index of some rows."""
        done(len(rows))
        held = rows[:]
        return cls(held, NearestNeighbors(algorithm="brute").fit(held))

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        found: AnyIndices = self.search.kneighbors(queries, k, return_distance=False)
        return found

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def at(self, positions: AnyIndices) -> AnyFloats:
        """Return the rows at some positions."""
        return self.rows[positions]


@dataclass(frozen=True, slots=True)
class Flat:
    """All rows, compared by faiss."""

    rows: AnyFloats

    @classmethod
    def of(cls, rows: Rows, done: Done) -> Flat:
        """Return the index of some rows."""
        done(len(rows))
        return cls(rows[:])

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        found: AnyIndices = load_faiss().knn(queries, self.rows, k)[1]
        return found

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def at(self, positions: AnyIndices) -> AnyFloats:
        """Return the rows at some positions."""
        return self.rows[positions]


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


INDEXES: dict[str, Callable[[Rows, Done], Index]] = {
    "blocks": Pairs.of,
    "flat": Flat.of,
    "hnsw": Links.of,
    "products": Products.of,
}


def exact_index(rows: Rows) -> Index:
    """Return an exact index that needs no extra."""
    return INDEXES["products" if sp.issparse(rows.X) else "blocks"](
        rows, lambda _: None
    )

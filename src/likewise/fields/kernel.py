"""The bases of many samples: what is found from some of them, rows by blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from sklearn.metrics.pairwise import euclidean_distances

from likewise.arrays import AnyFloats, Floats, Samples
from likewise.fields.bases import (
    RANK,
    SMOOTHING,
    kernel_width,
    pivoted_factor,
    with_scores,
)
from likewise.fields.blocks import ROWS
from likewise.fields.lean import Columns
from likewise.graph.rows import evenly, spans

N_DRAWN = 5000  # samples that directions and normal scores are found from
N_KNOTS = 1000  # values of a feature whose normal scores are kept


@dataclass(frozen=True, slots=True)
class Scores:
    """Normal scores of features, from a table with straight lines between its values.

    Attributes
    ----------
    middle : ndarray of shape (d,)
        Where zero is put.
    tables : tuple of (ndarray, ndarray)
        For each feature some values, ascending, and their normal scores.
    """

    middle: Floats
    tables: tuple[tuple[Floats, Floats], ...]

    @classmethod
    def of(cls, some: Floats) -> Scores:
        """Return the table made of some samples, of shape (s, d)."""
        d = some.shape[1]
        both = with_scores(some)
        tables = []
        for values, scores in zip(both[:, :d].T, both[:, d:].T, strict=True):
            kept, at = np.unique(values, return_index=True)
            few = evenly(len(kept), N_KNOTS)
            tables.append((kept[few], scores[at[few]]))
        return cls(some.mean(axis=0), tuple(tables))

    def beside(self, X: AnyFloats) -> Floats:
        """Return features around zero and, beside each, its normal scores."""
        centred = X - self.middle
        scores = [
            np.interp(column, *table)
            for column, table in zip(centred.T, self.tables, strict=True)
        ]
        return np.hstack([centred, np.column_stack(scores)])


@dataclass(frozen=True, slots=True)
class Kernel:
    """A Gaussian kernel of the features, and its main directions.

    Attributes
    ----------
    scores : Scores or None
        None for sparse features, which stay as they are.
    pivots : ndarray or csr_array of shape (r, d)
        Samples that the others are compared with.
    width : float
    turn : ndarray of shape (r, r)
        From likeness with the pivots to coordinates along the directions.
    """

    scores: Scores | None
    pivots: Samples
    width: float
    turn: Floats

    @classmethod
    def of(cls, some: Samples, rank: int) -> Kernel:
        """Return the kernel of some samples, of shape (s, d)."""
        scores = None if sp.issparse(some) else Scores.of(some)
        rows = with_scores(some)
        width = kernel_width(rows)
        factor, pivots = pivoted_factor(rows, width, rank)
        turn = solve_triangular(factor[pivots], np.eye(len(pivots)), lower=True).T
        return cls(scores, rows[pivots], width, turn)

    def directions(self, X: Samples) -> Floats:
        """Return the coordinates of samples along the directions, of shape (s, r)."""
        rows = X if self.scores is None else self.scores.beside(X)
        squared = euclidean_distances(rows, self.pivots, squared=True)
        return np.exp(-squared / self.width) @ self.turn


def sampled_basis(X: Samples, rank: int = RANK) -> Columns:
    """Return the main directions of a Gaussian kernel of the features.

    The basis of :func:`~likewise.fields.bases.feature_basis`, its pivots and normal
    scores taken from at most 5,000 samples; only a block of features is in memory.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        May be a memory map.
    rank : int
    """
    n = X.shape[0]
    some = X[evenly(n, N_DRAWN)]
    kernel = Kernel.of(some if sp.issparse(some) else some.astype(np.float64), rank)
    found = np.empty((n, len(kernel.turn)), dtype=np.float32)
    total = np.zeros(found.shape[1])
    for part in spans(n, ROWS):
        found[part] = kernel.directions(X[part])
        total += found[part].sum(axis=0, dtype=np.float64)
    found -= (total / n).astype(np.float32)
    return Columns(found, np.full(found.shape[1], 1 / _size(found)))


def scaled_vectors(values: Floats, vectors: AnyFloats) -> Columns:
    """Return the eigenvectors weighted by how smooth they are, without a copy.

    The basis of :func:`~likewise.fields.bases.graph_basis`; the first vector, of which
    nothing is kept there, has no weight.
    """
    weights = np.append(0.0, 1 / (values[1:] + SMOOTHING))
    squares = np.array([np.vdot(column, column) for column in vectors.T])
    size = float(np.sqrt(weights**2 @ squares / len(vectors)))
    return Columns(vectors, weights / (size or 1.0))


def _size(array: AnyFloats) -> float:
    squares = sum(float(np.vdot(array[p], array[p])) for p in spans(len(array), ROWS))
    return float(np.sqrt(squares / len(array))) or 1.0

"""Which clusters may be one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from likewise.arrays import Floats, Indices, Sparse, Weights

N_ROWS = 100_000  # of a graph that are looked at together


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike clusters are.

    Attributes
    ----------
    values : ndarray of shape (k, k)
        The weight between two clusters as a share of all weight of the smaller one;
        0 on the diagonal.
    """

    values: Floats

    def nearest(
        self, cluster: int, besides: frozenset[int] = frozenset()
    ) -> int | None:
        """Return the cluster that is most like this one, or None."""
        row = self.values[cluster].copy()
        row[[cluster, *besides]] = 0.0
        best = int(np.argmax(row)) if len(row) else 0
        return best if len(row) and row[best] > 0 else None


def likeness_of(W: Weights, labels: Indices) -> Likeness:
    """Return how alike the clusters are.

    Parameters
    ----------
    W : ndarray or sparse array of shape (n, n)
        Similarities.
    labels : ndarray of shape (n,)
        0..k-1, or -1 for none.

    Examples
    --------
    >>> W = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> likeness_of(W, np.array([0, 0, 1])).values.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    k = int(labels.max(initial=-1)) + 1
    between = _by_edges(W, labels, k) if sp.issparse(W) else _by_products(W, labels, k)
    volume = between.sum(axis=1)
    smaller = np.maximum(np.minimum.outer(volume, volume), np.finfo(float).tiny)
    values = between / smaller
    np.fill_diagonal(values, 0.0)
    return Likeness(values)


def _by_products(W: Floats, labels: Indices, k: int) -> Floats:
    """Return the weight between clusters, of shape (k, k)."""
    placed = np.flatnonzero(labels >= 0)
    ones = np.ones(len(placed))
    Y = sp.csr_array((ones, (placed, labels[placed])), shape=(len(labels), k))
    return np.asarray(Y.T @ (W @ Y))


def _by_edges(W: Sparse, labels: Indices, k: int) -> Floats:
    """Return the weight between clusters, some rows of the graph at a time."""
    between = np.zeros(k * k)
    for start in range(0, len(labels), N_ROWS):
        rows = W[start : start + N_ROWS]
        one = np.repeat(labels[start : start + N_ROWS], np.diff(rows.indptr))
        other = labels[rows.indices]
        inside = (one >= 0) & (other >= 0)
        cell = (one * k + other)[inside]
        between += np.bincount(cell, rows.data[inside], minlength=k * k)
    return between.reshape(k, k)

"""Which clusters may be one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from likewise.arrays import Floats, Indices, Weights


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
    placed = np.flatnonzero(labels >= 0)
    k = int(labels.max(initial=-1)) + 1
    ones = np.ones(len(placed))
    Y = sp.csr_array((ones, (placed, labels[placed])), shape=(len(labels), k))
    between = np.asarray((Y.T @ (W @ Y)).todense() if sp.issparse(W) else Y.T @ (W @ Y))
    volume = between.sum(axis=1)
    smaller = np.maximum(np.minimum.outer(volume, volume), np.finfo(float).tiny)
    values = between / smaller
    np.fill_diagonal(values, 0.0)
    return Likeness(values)

"""Bases that class indicators are regressed on: the graph's and the features'."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.stats import norm, rankdata
from sklearn.metrics.pairwise import euclidean_distances

from likewise.arrays import Floats, Indices, Samples

SMOOTHING = 0.05  # added to eigenvalues: how fast the graph's prior falls off
WIDTH = 4.0  # of the kernel, in median squared distances
RANK = 100  # directions kept of the kernel of the features
TINY = 1e-9  # of the largest distance: rounding
EXPLAINED = 1e-6  # of a sample's variance: nothing is left
N_TYPICAL = 500  # samples whose distances set the kernel's width


def graph_basis(values: Floats, vectors: Floats) -> Floats:
    r"""Return the eigenvectors weighted by how smooth they are.

    A field :math:`f = B c` with :math:`c \sim N(0, I)` and columns
    :math:`b_j = v_j / (\lambda_j + 0.05)` varies slowly along the graph. The constant
    vector is left out; columns are scaled so that a field has mean variance 1.

    Parameters
    ----------
    values : ndarray of shape (k,)
    vectors : ndarray of shape (n, k)

    Returns
    -------
    ndarray of shape (n, k) with a leading column of ones
    """
    return _with_constant(vectors[:, 1:] / (values[1:] + SMOOTHING))


def feature_basis(X: Samples, rank: int = RANK) -> Floats:
    r"""Return the main directions of a Gaussian kernel of the features.

    :math:`k(x, y) = \exp(-d^2 / (4 \, \mathrm{median} \, d^2))` of the features and,
    beside each, its normal scores, by Cholesky factorisation with the pivots that are
    explained worst: O(n rank^2), no n x n.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    rank : int

    Returns
    -------
    ndarray of shape (n, at most rank + 1) with a leading column of ones
    """
    X = with_scores(X)
    factor, _ = pivoted_factor(X, kernel_width(X), rank)
    return _with_constant(factor - factor.mean(axis=0))


def pivoted_factor(X: Samples, width: float, rank: int) -> tuple[Floats, Indices]:
    """Return a factor of the kernel of the samples, and its pivots.

    Cholesky factorisation; the next pivot is always the sample explained worst.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    width : float
        The squared distance at which the kernel has fallen to 1/e.
    rank : int

    Returns
    -------
    factor : ndarray of shape (n, at most rank)
    pivots : ndarray of shape (at most rank,)
    """
    n = X.shape[0]
    factor = np.zeros((n, min(rank, n)))
    unexplained = np.ones(n)
    pivots: list[int] = []
    for column in range(factor.shape[1]):
        pivot = int(np.argmax(unexplained))
        if unexplained[pivot] < EXPLAINED:
            break
        kernel = np.exp(-euclidean_distances(X, X[[pivot]], squared=True)[:, 0] / width)
        rest = kernel - factor[:, :column] @ factor[pivot, :column]
        factor[:, column] = rest / np.sqrt(unexplained[pivot])
        unexplained = np.maximum(unexplained - factor[:, column] ** 2, 0.0)
        pivots.append(pivot)
    return factor[:, : len(pivots)], np.array(pivots, dtype=np.intp)


def with_scores(X: Samples) -> Samples:
    r"""Return the features and, beside each, its normal scores.

    :math:`s_j \Phi^{-1}(\mathrm{rank} / (n + 1))`, of the same spread s_j as the
    feature: a long tail says no more than its order. Sparse features stay as they are.
    """
    if sp.issparse(X):
        return X
    X = X - X.mean(axis=0)  # around zero, where distances lose no digits to rounding
    scores = norm.ppf(rankdata(X, axis=0) / (len(X) + 1))
    scores = scores - scores.mean(axis=0)
    spread = scores.std(axis=0)
    some = np.where(spread > 0, spread, 1.0)
    return np.hstack([X, scores * (X.std(axis=0) / some)])


def kernel_width(X: Samples) -> float:
    """Return the squared distance at which the kernel has fallen to 1/e."""
    return WIDTH * _median_square(X) or 1.0


def _median_square(X: Samples) -> float:
    n = X.shape[0]
    some = X[np.linspace(0, n - 1, min(n, N_TYPICAL)).astype(int)]
    squared = euclidean_distances(some, squared=True)
    pairs = squared[np.triu_indices_from(squared, 1)]
    if not pairs.size:
        return 1.0
    middle = float(np.median(pairs))
    return middle if middle > TINY * pairs.max() else float(pairs.mean())


def _with_constant(basis: Floats) -> Floats:
    size = np.sqrt((basis**2).sum(axis=1).mean()) if basis.size else 1.0
    return np.column_stack([np.ones(len(basis)), basis / (size or 1.0)])

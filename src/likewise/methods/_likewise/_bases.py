"""Bases that class indicators are regressed on: the graph's and the features'."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from likewise._arrays import AnyFloats, Floats, Indices, Samples
from likewise._cores import all_cores
from likewise._ties import first_best
from likewise.affinity import evenly
from likewise.methods._likewise._posterior import Basis
from likewise.methods._likewise._regimes import EXACT, Regime, parts
from likewise.spectral import DOUBLE, SINGLE, Array, Backend, backend_of

SMOOTHING = 0.05  # added to eigenvalues: how fast the graph's prior falls off
WIDTH = 4.0  # of the kernel, in median squared distances
RANK = 100  # directions kept of the kernel of the features
TINY = 1e-9  # of the largest distance: rounding
EXPLAINED = 1e-6  # of a sample's variance: nothing is left
N_TYPICAL = 500  # samples whose distances set the kernel's width
N_DRAWN = 5000  # of many samples, those that directions and normal scores come from
N_KNOTS = 1000  # values of a feature whose normal scores are kept


def graph_basis(values: Floats, vectors: Array) -> Basis:
    r"""Return the eigenvectors weighted by how smooth they are, without a copy.

    A field :math:`f = B c` with :math:`c \sim N(0, I)` and columns
    :math:`b_j = v_j / (\lambda_j + 0.05)` varies slowly along the graph. The constant
    vector has no weight; columns are scaled so that a field has mean variance 1.

    Parameters
    ----------
    values : ndarray of shape (k,)
    vectors : array of shape (n, k)
    """
    weights = np.append(0.0, 1 / (values[1:] + SMOOTHING))
    backend, squares = backend_of(vectors), np.zeros(len(values))
    for part in parts(vectors):
        squares += backend.column_sums(vectors[part] * vectors[part])
    size = float(np.sqrt(weights**2 @ squares / len(vectors)))
    return Basis(vectors, weights / (size or 1.0))


def feature_basis(X: Samples, regime: Regime, backend: Backend = SINGLE) -> Basis:
    r"""Return the main directions of a Gaussian kernel of the features.

    :math:`k(x, y) = \exp(-d^2 / (4 \, \mathrm{median} \, d^2))` of the features and,
    beside each, its normal scores, by Cholesky factorisation with the pivots that are
    explained worst: O(n rank^2), no n x n.

    The one piece that is there twice. Few samples are factored all, to all digits; of
    many, which may be larger than memory, pivots and normal scores come from some.
    """
    return factored_basis(X) if regime is EXACT else sampled_basis(X, backend=backend)


def factored_basis(X: Samples, rank: int = RANK) -> Basis:
    """Return the basis of the features of few samples, in float64.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    rank : int
        Directions at most.
    """
    X = with_scores(X)
    factor, _ = pivoted_factor(X, kernel_width(X), rank)
    return _scaled(DOUBLE.array(factor - factor.mean(axis=0)))


def sampled_basis(X: Samples, rank: int = RANK, backend: Backend = SINGLE) -> Basis:
    """Return the basis of the features of many samples, in float32.

    Only a block of features is in memory.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        May be a memory map.
    rank : int
        Directions at most.
    backend : Backend
        Where the basis is to be.
    """
    n = X.shape[0]
    some = X[evenly(n, N_DRAWN)]
    kernel = Kernel.of(some if sp.issparse(some) else some.astype(np.float64), rank)
    found, total = backend.zeros(n, len(kernel.turn)), np.zeros(len(kernel.turn))

    def fill(part: slice) -> Floats:
        found[part] = backend.narrow(kernel.directions(X[part], backend))
        return backend.column_sums(found[part])

    with all_cores():
        for sums in backend.each(fill, n):
            total += sums
    found -= backend.array(total / n)
    return _scaled(found)


def _scaled(array: Array) -> Basis:
    """Return a basis of columns scaled so that a field has mean variance 1."""
    backend, squares = backend_of(array), 0.0
    for part in parts(array):
        squares += float(backend.column_sums(array[part] * array[part]).sum())
    size = float(np.sqrt(squares / len(array))) or 1.0
    weights = np.full(array.shape[1], 1 / size)
    return Basis(backend.mirrored(array), weights)


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
    from sklearn.metrics.pairwise import euclidean_distances

    n = X.shape[0]
    factor = np.zeros((n, min(rank, n)))
    unexplained = np.ones(n)
    pivots: list[int] = []
    for column in range(factor.shape[1]):
        pivot = first_best(unexplained)
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
    from scipy.stats import norm, rankdata

    if sp.issparse(X):
        return X
    scores = norm.ppf(rankdata(X, axis=0) / (len(X) + 1))  # equal as they were given
    X = X - X.mean(axis=0)  # around zero, where distances lose no digits to rounding
    scores = scores - scores.mean(axis=0)
    spread = scores.std(axis=0)
    some = np.where(spread > 0, spread, 1.0)
    return np.hstack([X, scores * (X.std(axis=0) / some)])


def kernel_width(X: Samples) -> float:
    """Return the squared distance at which the kernel has fallen to 1/e."""
    return WIDTH * _median_square(X) or 1.0


def _median_square(X: Samples) -> float:
    from sklearn.metrics.pairwise import euclidean_distances

    n = X.shape[0]
    some = X[np.linspace(0, n - 1, min(n, N_TYPICAL)).astype(int)]
    squared = euclidean_distances(some, squared=True)
    pairs = squared[np.triu_indices_from(squared, 1)]
    if not pairs.size:
        return 1.0
    middle = float(np.median(pairs))
    return middle if middle > TINY * pairs.max() else float(pairs.mean())


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

    def beside(self, X: AnyFloats, backend: Backend = DOUBLE) -> Array:
        """Return features around zero and, beside each, its normal scores."""
        centred = backend.wide(X) - backend.wide(self.middle)
        return backend.beside([centred, backend.interpolated(centred, self.tables)])


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

    def directions(self, X: Samples, backend: Backend = DOUBLE) -> Array:
        """Return the coordinates of samples along the directions, of shape (s, r)."""
        from sklearn.metrics.pairwise import euclidean_distances

        if self.scores is None:
            found = euclidean_distances(X, self.pivots, squared=True)
            squared = backend.wide(found)
        else:
            rows, pivots = self.scores.beside(X, backend), backend.wide(self.pivots)
            squared = (rows * rows).sum(1)[:, None] - 2 * (rows @ pivots.T)
            squared += (pivots * pivots).sum(1)
        likeness = backend.exp(squared.clip(0.0) * (-1 / self.width))
        return likeness @ backend.wide(self.turn)

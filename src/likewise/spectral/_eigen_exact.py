"""From a Laplacian to its lowest eigenvectors, and on to clusters (paper, 3.1)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, qr
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from likewise._arrays import Floats, Indices
from likewise.spectral._eigen_cold import solve
from likewise.spectral._graph import graph_of
from likewise.spectral._laplacian import ConstrainedWeights, Laplacian
from likewise.spectral._operator import operator_of

SMALL = 400  # up to here a dense solve is as fast as an iterative one
LARGE = 5000  # up to here Lanczos, and a dense solve when it gives up, are affordable
TOLERANCE = 1e-8
FAINT = 1e-12  # a row this short has no direction


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The lowest eigenpairs of a Laplacian.

    Attributes
    ----------
    values : ndarray of shape (p,)
        Ascending.
    vectors : ndarray of shape (n, p)
        Orthonormal columns.
    scale : ndarray of shape (n,)
        The s of :class:`~likewise.spectral._laplacian.Laplacian`.
    is_normalised : bool
    """

    values: Floats
    vectors: Floats
    scale: Floats
    is_normalised: bool


def lowest(laplacian: Laplacian, p: int, *, device: str = "cpu") -> Spectrum:
    """Return the p lowest eigenpairs.

    Densely for few samples, by Lanczos for more. Of a large sparse graph that nothing
    is written into, by the engine: in float32, residuals below 0.001 of the largest
    eigenvalue, on the device that is named.
    """
    n = laplacian.weights.n_samples
    p = min(p, n)
    if n <= SMALL or 3 * p >= n:
        values, vectors = _dense(laplacian, p)
    elif n > LARGE and laplacian.is_normalised and _is_plain(laplacian.weights):
        graph = graph_of(laplacian.weights.kept, device=device)
        pairs = solve(operator_of(graph), p)
        values, vectors = pairs.values[:p], pairs.vectors[:, :p]
    else:
        values, vectors = _iterated(laplacian, n, p)
    return Spectrum(values, vectors, laplacian.scale, laplacian.is_normalised)


def _is_plain(weights: ConstrainedWeights) -> bool:
    return sp.issparse(weights.kept) and not weights.blocks.samples.size


def _dense(laplacian: Laplacian, p: int) -> tuple[Floats, Floats]:
    return eigh(laplacian.toarray(), subset_by_index=[0, p - 1])


def _iterated(laplacian: Laplacian, n: int, p: int) -> tuple[Floats, Floats]:
    """Return the eigenpairs by Lanczos; where many values coincide it may give up.

    Then a dense solution takes its place, or above ``LARGE`` samples a larger space.
    """
    try:
        return _lanczos(laplacian, n, p)
    except ArpackError:
        if n <= LARGE:
            return _dense(laplacian, p)
        return _lanczos(laplacian, n, p, size=min(n - 1, 5 * p + 50))


def _lanczos(
    laplacian: Laplacian, n: int, p: int, size: int | None = None
) -> tuple[Floats, Floats]:
    # The highest of -L converge as the lowest of L would; the start is fixed, so that
    # the same matrix always gives the same vectors.
    operator = LinearOperator((n, n), matvec=lambda x: -(laplacian @ x), dtype=float)
    start = np.random.default_rng(n).standard_normal(n)
    values, vectors = eigsh(
        operator, k=p, which="LA", v0=start, tol=TOLERANCE, ncv=size
    )
    order = np.argsort(-values, kind="stable")
    return -values[order], vectors[:, order]


def embedding(spectrum: Spectrum, k: int, *, unit_rows: bool) -> Floats:
    """Return the first k eigenvectors as coordinates, rows of length 1 if wished."""
    coordinates = spectrum.vectors[:, :k]
    if not unit_rows:
        return coordinates
    length = np.linalg.norm(coordinates, axis=1, keepdims=True)
    nothing = np.zeros_like(coordinates)
    return np.divide(coordinates, length, out=nothing, where=length > FAINT)


def pivoted_clusters(coordinates: Floats) -> Indices:
    """Return clusters from the embedding alone, without iterating or drawing.

    A pivoted QR factorisation finds k rows that are as different as rows can be, a
    polar factor turns the axes towards them, and each row goes to its largest
    coordinate.

    References
    ----------
    A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way spectral
    clustering. Information and Inference, 2019.
    """
    k = coordinates.shape[1]
    _, _, pivots = qr(coordinates.T, mode="economic", pivoting=True)
    left, _, right = np.linalg.svd(coordinates[pivots[:k]].T)
    turned = np.abs(coordinates @ (left @ right))
    return turned.argmax(axis=1)


def k_means(coordinates: Floats, k: int, seeds: Sequence[Sequence[int]]) -> Indices:
    """Return k clusters.

    The start is a function of the coordinates and the seeds alone: the centres of the
    pivoted clusters, of which each seed replaces the one that lies nearest to it.

    Parameters
    ----------
    coordinates : ndarray of shape (n, d)
    k : int
    seeds : sequence of at most k sequences of samples
        Samples known to be together.

    Returns
    -------
    ndarray of shape (n,)
        0..k-1.
    """
    if k == 1:
        return np.zeros(len(coordinates), dtype=np.intp)
    start = pivoted_clusters(coordinates)
    centres = np.array(
        [_mean(coordinates, np.flatnonzero(start == c)) for c in range(k)]
    )
    if seeds:
        wanted = np.array([coordinates[list(seed)].mean(axis=0) for seed in seeds])
        apart = ((wanted[:, np.newaxis] - centres) ** 2).sum(axis=2)
        _, nearest = linear_sum_assignment(apart)
        others = np.setdiff1d(np.arange(k), nearest)
        centres = np.vstack([wanted, centres[others]])
    with warnings.catch_warnings():
        # Samples known to be together may coincide: fewer clusters than k is an answer.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KMeans(k, init=centres, n_init=1, max_iter=100).fit(coordinates)
    return found.labels_.astype(np.intp)


def _mean(coordinates: Floats, members: Indices) -> Floats:
    if not members.size:
        return np.zeros(coordinates.shape[1])
    return coordinates[members].mean(axis=0)

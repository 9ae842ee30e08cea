"""Where samples lie along few directions: of their features, or of a graph of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata
from sklearn.decomposition import PCA, TruncatedSVD

from likewise.arrays import Floats, Samples, Weights
from likewise.constraints import Constraints
from likewise.operators import ConstrainedWeights, known_blocks, signed_normalised
from likewise.spectral import embedding, lowest

N_DIRECTIONS = 50  # of sparse features that are kept
N_VECTORS = 10  # of the spectrum that stand for features
N_STEPS = 4  # of the random walk
ALIKE = 1e-12  # of the largest value: samples that differ by rounding only
FLAT = 1e-6  # of the largest deviation: a direction that is rounding only
DIGITS = 9  # of a place that count for the order along an axis
LOPSIDED = 1e-4  # of the largest third moment possible; below, both sides are alike


def main_directions(X: Samples, k: int, random_state: int) -> Floats:
    """Return samples along their k main directions (PCA), as many as there are.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    k : int
    random_state : int

    Returns
    -------
    ndarray of shape (n_samples, at most k)
        Zeros where all samples are alike. The same signs whatever the solver returns.

    Examples
    --------
    >>> main_directions(np.array([[0.0, 7.0], [0.0, 7.0], [3.0, 7.0]]), 2, 0)[:, 0]
    array([-0.5, -0.5,  1. ])
    """
    X = _dense(X, random_state)
    centred = X / (np.abs(X).max() or 1.0)  # in a range where squares stay numbers
    centred -= centred.mean(axis=0)
    k = min(k, *X.shape)
    spread = np.abs(centred).max()
    if spread <= ALIKE:
        return np.zeros((len(X), k))
    found = PCA(k, random_state=random_state).fit_transform(centred / spread)
    return _upright(np.where(np.ptp(found, axis=0) > FLAT, found, 0.0))


def _dense(X: Samples, random_state: int) -> Floats:
    """Return sparse features by their main directions; dense ones as they are."""
    if not sp.issparse(X):
        return X
    if min(X.shape) <= N_DIRECTIONS:
        return X.toarray()
    with np.errstate(invalid="ignore", divide="ignore"):  # shares of no variance
        return TruncatedSVD(N_DIRECTIONS, random_state=random_state).fit_transform(X)


def _upright(points: Floats) -> Floats:
    """Return points with the longer tail of each axis on its positive side.

    Solvers may return either sign. Where both sides are alike, the numbers of the
    samples decide.
    """
    cubes = points**3
    tail = cubes.sum(axis=0)
    is_clear = np.abs(tail) > LOPSIDED * np.abs(cubes).sum(axis=0)
    by_number = np.sin(np.arange(1, len(points) + 1)) @ points
    return points * np.where(np.where(is_clear, tail, by_number) < 0, -1.0, 1.0)


def spectral_directions(W: Weights) -> Floats:
    r"""Return samples along the leading directions of a random walk, at length 1.

    Rows of :math:`(1 - \lambda_j)^4 v_j`, the lowest eigenpairs of the normalised
    Laplacian after four steps, which leave nothing of those that say nothing.

    Parameters
    ----------
    W : ndarray or csr_array of shape (n_samples, n_samples)

    Returns
    -------
    ndarray of shape (n_samples, at most 10)
    """
    nothing = known_blocks(Constraints(), ())
    found = lowest(signed_normalised(ConstrainedWeights(W, nothing)), N_VECTORS)
    walked = found.vectors * np.clip(1 - found.values, 0, 1) ** N_STEPS
    return embedding(replace(found, vectors=walked), N_VECTORS, unit_rows=True)


def of_size_1(points: Floats) -> Floats:
    """Return points around zero, their mean square length 1 unless all are alike."""
    centred = points - points.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / size if size > ALIKE else centred


def spread_out(points: Floats) -> Floats:
    """Return points half by their place along each axis and half by their rank.

    What lies in a heap comes apart, a few points far away do not press all others into
    a corner, and no two change sides.

    Parameters
    ----------
    points : ndarray of shape (n_samples, k)

    Returns
    -------
    ndarray of shape (n_samples, k)
        From 0 to 1 along each axis; 0 where all are alike.

    Examples
    --------
    >>> spread_out(np.array([[0.0], [1.0], [1.0], [100.0]])).ravel()
    array([0.   , 0.255, 0.255, 1.   ])
    """
    places = _from_0_to_1(points)
    return (places + _from_0_to_1(rankdata(places.round(DIGITS), axis=0))) / 2


def _from_0_to_1(points: Floats) -> Floats:
    size = np.ptp(points, axis=0)
    return (points - points.min(axis=0)) / np.where(size > 0, size, 1.0)

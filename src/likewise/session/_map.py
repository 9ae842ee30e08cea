"""Where samples lie along few directions: of their features, or of a graph of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import (
    Floats,
    Samples,
    SamplesLike,
    Weights,
    as_affinity,
    as_samples,
)
from likewise._regime import FEWEST_FOR_UMAP, MOST_FOR_UMAP
from likewise.affinity import nearest_neighbours
from likewise.errors import InputError, MissingExtraError
from likewise.knowledge import Constraints
from likewise.spectral import (
    ConstrainedWeights,
    embedding,
    known_blocks,
    lowest,
    signed_normalised,
)

N_KEPT = 50  # of sparse features that are kept
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
    from sklearn.decomposition import PCA

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
    from sklearn.decomposition import TruncatedSVD

    if not sp.issparse(X):
        return X
    if min(X.shape) <= N_KEPT:
        return X.toarray()
    with np.errstate(invalid="ignore", divide="ignore"):  # shares of no variance
        return TruncatedSVD(N_KEPT, random_state=random_state).fit_transform(X)


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
    from scipy.stats import rankdata

    places = _from_0_to_1(points)
    return (places + _from_0_to_1(rankdata(places.round(DIGITS), axis=0))) / 2


def _from_0_to_1(points: Floats) -> Floats:
    size = np.ptp(points, axis=0)
    return (points - points.min(axis=0)) / np.where(size > 0, size, 1.0)


Plane: TypeAlias = NDArray[np.float32]  # the place of each sample on the map
PACKAGE, EXTRA = "umap-learn", "map"
N_DIRECTIONS = 50  # in which UMAP looks for neighbours
N_NEIGHBOURS = 15
JITTER = 1e-4  # that parts duplicates before UMAP moves them
N_BESIDE = 10  # directions of the features that stand beside those of a graph
BESIDE = 0.5  # how much they count


def plane_of(X: SamplesLike, random_state: int, how: str = "auto") -> Plane:
    """Return a point of the plane for each sample; samples that are alike lie near.

    Parameters
    ----------
    X : array-like, DataFrame or scipy sparse matrix of shape (n_samples, n_features)
    random_state : int
        The same data and seed give the same points, on the same machine.
    how : {"auto", "pca", "umap"}
        "umap" needs the extra ``map``; "auto" takes it where it is installed and there
        are at least 100 samples, and at most 100,000.

    Returns
    -------
    ndarray of shape (n_samples, 2) and type float32
        Between 0 and 1.

    Notes
    -----
    UMAP is compiled when it is first used in a process, which takes longer than to draw
    some thousand samples.

    Examples
    --------
    >>> plane_of([[0.0, 0.0, 1.0], [0.0, 4.0, 1.0], [8.0, 2.0, 1.0]], 0).round(2)
    array([[0. , 0. ],
           [0. , 1. ],
           [1. , 0.5]], dtype=float32)
    """
    X = as_samples(X)
    return _framed(PLANES[way_of(how, X.shape[0])](X, random_state))


def plane_of_affinity(W: SamplesLike, random_state: int, how: str = "auto") -> Plane:
    """Return a point of the plane for each sample of which only similarities are known.

    Parameters
    ----------
    W : array-like or scipy sparse matrix of shape (n_samples, n_samples)
    random_state : int
    how : {"auto", "pca", "umap"}
        What to do with the leading spectral directions; see :func:`plane_of`.

    Returns
    -------
    ndarray of shape (n_samples, 2) and type float32

    Examples
    --------
    >>> plane_of_affinity([[0, 9, 1], [9, 0, 1], [1, 1, 0]], 0).shape
    (3, 2)
    """
    return plane_of(spectral_directions(as_affinity(W)), random_state, how)


def plane_of_graph(X: SamplesLike, W: SamplesLike, random_state: int) -> Plane:
    """Return a point of the plane for each sample, by its features and a graph of them.

    The graph tells groups apart that main directions of the features lay on each other;
    the features spread out what the graph lays on one point.

    Parameters
    ----------
    X : array-like, DataFrame or scipy sparse matrix of shape (n_samples, n_features)
    W : array-like or scipy sparse matrix of shape (n_samples, n_samples)
    random_state : int

    Returns
    -------
    ndarray of shape (n_samples, 2) and type float32

    Examples
    --------
    >>> from likewise.affinity import auto
    >>> X = [[0.0], [0.2], [0.4], [5.0], [5.2]]
    >>> plane_of_graph(X, auto(X).weights, 0).shape
    (5, 2)
    """
    graph = spectral_directions(as_affinity(W))
    features = main_directions(as_samples(X), N_BESIDE, random_state)
    both = np.hstack([of_size_1(graph), BESIDE * of_size_1(features)])
    return plane_of(both, random_state, "pca")


def way_of(how: str, n_samples: int) -> str:
    """Return the name of the way that is taken: "pca" or "umap".

    Examples
    --------
    >>> way_of("auto", 5)
    'pca'
    """
    if how == "auto":
        is_fit = FEWEST_FOR_UMAP <= n_samples <= MOST_FOR_UMAP
        return "umap" if is_fit and _is_installed() else "pca"
    if how not in PLANES:
        raise InputError(
            f"There is no way {how!r} to draw a map. Choose one of: auto, "
            f"{', '.join(PLANES)}."
        )
    return how


def _is_installed() -> bool:
    try:
        version(PACKAGE)
    except PackageNotFoundError:
        return False
    return True


# The two ways


def by_pca(X: Samples, random_state: int) -> Floats:
    """Return samples along their two main directions."""
    return main_directions(X, 2, random_state)


def by_umap(X: Samples, random_state: int) -> Floats:
    """Return samples such that neighbours stay neighbours (McInnes et al., 2018).

    It begins with the main directions, so that what is far apart stays apart.
    """
    umap = _umap()
    X = main_directions(X, N_DIRECTIONS, random_state)
    if len(X) <= 2 or not X.any():  # noqa: PLR2004 - a neighbour and another one
        return X
    near = nearest_neighbours(X, N_NEIGHBOURS - 1)
    itself = np.arange(len(X))[:, np.newaxis]
    indices = np.hstack([itself, near.indices])
    distances = np.hstack([0.0 * itself, near.distances]).astype(np.float32)
    with warnings.catch_warnings():
        # It says that points cannot be added later, which nobody wants.
        warnings.simplefilter("ignore")
        return umap.UMAP(
            n_neighbors=indices.shape[1],
            random_state=random_state,
            n_jobs=1,
            init=_start(X, random_state),
            precomputed_knn=(indices, distances, None),
        ).fit_transform(X)


def _umap() -> ModuleType:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about further packages that it could use
            import umap
    except ModuleNotFoundError:
        raise MissingExtraError(PACKAGE, EXTRA) from None
    return umap


def _start(X: Floats, random_state: int) -> NDArray[np.float32]:
    start = _two_columns(X) / np.abs(X).max()
    noise = np.random.default_rng(random_state).standard_normal(start.shape)
    return (start + JITTER * noise).astype(np.float32)


PLANES: dict[str, Callable[[Samples, int], Floats]] = {"pca": by_pca, "umap": by_umap}


def _framed(points: Floats) -> Plane:
    """Return points spread out from 0 to 1; in the middle of an axis that is flat."""
    places = spread_out(_two_columns(np.asarray(points, dtype=np.float64)))
    return (places + (1 - places.max(axis=0)) / 2).astype(np.float32)


def _two_columns(points: Floats) -> Floats:
    missing = max(2 - points.shape[1], 0)
    return np.pad(points, ((0, 0), (0, missing)))[:, :2]

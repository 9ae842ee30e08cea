"""From samples to similarities: how alike two of them are before anybody answers.

Each affinity is a function of the samples that returns an :class:`Affinity`. None of
them rescales the samples: scaling belongs to the data.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from likewise import _regime as regime
from likewise._arrays import (
    N_CHECKED,
    AnyFloats,
    Floats,
    Indices,
    Samples,
    SamplesLike,
    Sparse,
    Weights,
    as_affinity,
    as_samples,
    dense,
    described,
    spans,
    within_reach,
    without_diagonal,
)
from likewise._cached import Cache
from likewise.affinity._graph import (
    directed_weights,
    local_scale,
    neighbour_graph,
    strongest,
)
from likewise.affinity._knn import N_EDGES, N_SHARES, Clock, nearest_neighbours
from likewise.affinity._rows import Report
from likewise.errors import InputError

if TYPE_CHECKING:
    from likewise.affinity._scores import Scored

# How alike a sample is to each of others.
Closeness: TypeAlias = Callable[[int, Indices], Floats]

BANDWIDTHS = 2.0**-300, 2.0**300


@dataclass(frozen=True, slots=True)
class Affinity:
    """What the data say about which samples are alike.

    Attributes
    ----------
    weights : ndarray or csr_array of shape (n_samples, n_samples)
        W of the paper: symmetric, not negative, zero diagonal.
    neighbours : csr_array of shape (n_samples, n_samples)
        Weights from each sample to its nearest neighbours, at most 20 a row.
    closeness : callable
        ``closeness(i, others)`` orders other samples by likeness to sample i, also
        where the graph has no edge.
    features : ndarray or csr_array of shape (n_samples, n_features), or None
    recall : float
        The share of the true nearest neighbours that were found; below 1 only where
        there are too many samples to compare all pairs.
    scale : ndarray of shape (n_samples,), or None
        The distance that counts as near at each sample, where weights are made of it.
    cache : Cache or None
        Where what follows from it is kept.
    mark : str
        The digest of the features, where somebody has made it.
    scored : Scored or None
        The scores of pairs that weights are made of, where they are.
    """

    weights: Weights
    neighbours: Sparse
    closeness: Closeness
    features: Samples | None = None
    recall: float = 1.0
    scale: AnyFloats | None = None
    cache: Cache | None = None
    mark: str = ""
    scored: Scored | None = None


def auto(
    X: SamplesLike,
    *,
    device: str = "cpu",
    progress: Report | None = None,
    clock: Clock | None = None,
) -> Affinity:
    """Return the graph of 10 nearest neighbours with self-tuning weights.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        More than 20,000 samples may be a memory map that is larger than memory, of
        numbers of any size; their weights are float32.
    device : {"cpu", "cuda", "torch-cpu"}, default="cpu"
        Where neighbours among more than 20,000 dense samples are searched.
    progress : callable, optional
        Called as ``progress(done, total)`` while neighbours are searched.
    clock : callable, optional
        Returns seconds; with it, a search that will be slow says how slow.

    Examples
    --------
    >>> auto([[0.0], [0.1], [5.0], [5.2]]).weights.shape
    (4, 4)
    """
    return self_tuning(as_samples(X), device=device, progress=progress, clock=clock)


def self_tuning(
    X: Samples,
    *,
    device: str = "cpu",
    progress: Report | None = None,
    clock: Clock | None = None,
) -> Affinity:
    """Return the affinity "auto" of samples that were checked already."""
    X = _held(X)
    centred = _centred(X)
    with _trusted():
        near = nearest_neighbours(
            centred, N_SHARES, device=device, progress=progress, clock=clock
        )
        scale = local_scale(near)
        weights = neighbour_graph(centred, near, scale, N_EDGES)
    return Affinity(
        weights=weights,
        neighbours=directed_weights(near, scale),
        closeness=partial(scaled_closeness, X, scale),
        features=X,
        recall=near.recall,
        scale=scale,
    )


def found_before(
    X: Samples, weights: Sparse, neighbours: Sparse, scale: AnyFloats, recall: float
) -> Affinity:
    """Return the affinity "auto" of checked samples whose graph is there."""
    X = _held(X)
    closeness = partial(scaled_closeness, X, scale)
    return Affinity(weights, neighbours, closeness, X, recall, scale)


def _trusted() -> AbstractContextManager[None]:
    """Return within what nothing is checked that was checked once."""
    from sklearn import config_context

    found: AbstractContextManager[None] = config_context(assume_finite=True)
    return found


def _held(X: Samples) -> Samples:
    """Return few samples within reach; many are in single precision: see middle_of."""
    is_few = sp.issparse(X) or X.shape[0] <= regime.EXACT_SEARCH
    return within_reach(X)[0] if is_few else X


def gaussian(X: SamplesLike, *, bandwidth: float | None = None) -> Affinity:
    r"""Return dense :math:`w_{ij} = \exp(-d_{ij}^2 / 2 \sigma^2)`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    bandwidth : float, optional
        :math:`\sigma`; half the median distance between samples unless given.
    """
    from sklearn.metrics.pairwise import euclidean_distances

    given = None if bandwidth is None else _positive(bandwidth)
    X, exponent = within_reach(_few_enough(as_samples(X), "gaussian"))
    with _trusted():
        squared = euclidean_distances(_centred(X), squared=True)
    if given is None:
        bandwidth = 0.5 * _median_distance(squared)
    else:  # as far from the samples as this, all pairs are alike, or none
        bandwidth = float(np.clip(np.ldexp(given, -exponent), *BANDWIDTHS))
    return _from_dense(np.exp(-squared / (2 * bandwidth**2)), X)


def chi2(X: SamplesLike) -> Affinity:
    r"""Return dense :math:`w_{ij} = \exp(-\chi^2_{ij} / \overline{\chi^2})`.

    :math:`\chi^2_{ij} = \sum_f (x_{if} - x_{jf})^2 / (x_{if} + x_{jf})`, divided by its
    mean over all pairs; for histograms, whose entries are not negative.
    """
    from sklearn.metrics.pairwise import additive_chi2_kernel

    X, _ = within_reach(_few_enough(as_samples(X), "chi2"))
    if X.min() < 0:
        raise InputError(
            f"The chi-square kernel is for histograms, but the smallest entry is "
            f"{X.min():.6g}: use affinity='auto' or 'gaussian'."
        )
    with _trusted():
        distance = -additive_chi2_kernel(dense(X))
    typical = distance[~np.eye(len(distance), dtype=bool)]
    mean = typical.mean() if typical.size and typical.mean() > 0 else 1.0
    return _from_dense(np.exp(-distance / mean), X)


def cosine(X: SamplesLike) -> Affinity:
    """Return the dense cosine of the angle between samples, negative ones cut to 0."""
    from sklearn.metrics.pairwise import cosine_similarity

    X, _ = within_reach(_few_enough(as_samples(X), "cosine"))
    with _trusted():
        cosines = cosine_similarity(X, dense_output=True)
    return _from_dense(np.maximum(cosines, 0.0), X)


def precomputed(W: SamplesLike) -> Affinity:
    """Return a similarity that the caller made, dense or scipy sparse.

    Examples
    --------
    >>> precomputed(sp.csr_array([[0.0, 0.5], [0.5, 0.0]])).weights.nnz
    2
    """
    W = as_affinity(W)
    if not sp.issparse(W):
        return _from_dense(W, None)
    faintest = float(W.data.min(initial=1.0))
    closeness = partial(walk_closeness, W, faintest)
    return Affinity(W, strongest(W, N_SHARES), closeness)


# From samples to how alike they are.
Kernel: TypeAlias = Callable[[Samples], Affinity | Weights]
# Affinities of (n, n) matrices, not of features.
PAIRWISE = ("precomputed", "scores")
# Every affinity by its name.
AFFINITIES: dict[str, Callable[[SamplesLike], Affinity]] = {
    "auto": auto,
    "gaussian": gaussian,
    "chi2": chi2,
    "cosine": cosine,
    "precomputed": precomputed,
}


def affinity_of(
    X: SamplesLike,
    kind: str | Kernel,
    *,
    device: str = "cpu",
    progress: Report | None = None,
    clock: Clock | None = None,
) -> Affinity:
    """Return the affinity of samples by its name or by a function of them.

    Parameters
    ----------
    X : array-like, DataFrame or scipy sparse matrix
    kind : str or callable
        A name in ``AFFINITIES``, or a function that returns an (n, n) similarity or
        an :class:`Affinity`, for example ``partial(gaussian, bandwidth=2.0)``.
    device : str, default="cpu"
    progress, clock : callable, optional
        For ``"auto"``: see :func:`auto`.
    """
    if callable(kind):
        made = kind(X)
        found = made if isinstance(made, Affinity) else precomputed(made)
        return _of_size(found, X)
    if not isinstance(kind, str) or kind not in AFFINITIES:
        raise InputError(
            f"There is no affinity {kind!r}. Choose one of: {', '.join(AFFINITIES)}."
        )
    if kind == "auto":
        return auto(X, device=device, progress=progress, clock=clock)
    return AFFINITIES[kind](X)


def _of_size(found: Affinity, X: SamplesLike) -> Affinity:
    """Return the affinity that a function of the user's has made, if it is of X."""
    given: Any = X
    n = given.shape[0] if hasattr(given, "shape") else len(given)
    if found.weights.shape[0] != n:
        raise InputError(
            f"The affinity is of {found.weights.shape[0]} samples, but there are {n}: "
            f"let the function return a similarity of shape ({n}, {n})."
        )
    return found


def _positive(bandwidth: float) -> float:
    is_number = isinstance(bandwidth, int | float | np.integer | np.floating)
    is_number = is_number and not isinstance(bandwidth, bool)
    if not is_number or not 0 < bandwidth < np.inf:
        raise InputError(
            f"The bandwidth must be positive, but it is {described(bandwidth)}."
        )
    return float(bandwidth)


def _centred(X: Samples) -> Samples:
    """Return the samples around zero, where distances lose no digits to rounding.

    Many are not copied here: they are moved there a block at a time.
    """
    return (
        X if sp.issparse(X) or X.shape[0] > regime.EXACT_SEARCH else X - X.mean(axis=0)
    )


def _few_enough(X: Samples, name: str) -> Samples:
    if X.shape[0] > regime.MOST_DENSE:
        raise InputError(
            f"The affinity {name!r} keeps all pairs, too many for {X.shape[0]} "
            f"samples: use affinity='auto'."
        )
    if X.shape[0] > regime.EXACT_SEARCH:
        warnings.warn(
            f"The affinity {name!r} keeps all pairs, {8e-9 * X.shape[0] ** 2:.0f} GB "
            f"for {X.shape[0]} samples, and several times that while it is made: use "
            f"affinity='auto'.",
            stacklevel=4,
        )
    return X


def _median_distance(squared: Floats) -> float:
    distances = np.sqrt(squared[np.triu_indices_from(squared, 1)])
    middle = float(np.median(distances)) if distances.size else 1.0
    return middle or float(distances.max()) or 1.0


def _from_dense(W: Floats, X: Samples | None) -> Affinity:
    W = without_diagonal((W + W.T) / 2)
    return Affinity(W, strongest(sp.csr_array(W), N_SHARES), partial(_row, W), X)


def scaled_closeness(X: Samples, scale: AnyFloats, i: int, others: Indices) -> Floats:
    """Return the exponent of the self-tuning weight, which never rounds to a tie."""
    squared = np.empty(len(others))
    for span in spans(len(others), N_CHECKED):
        squared[span] = _squared_to(X, i, others[span])
    return -squared / (scale[i] * scale[others])


def _squared_to(X: Samples, i: int, others: Indices) -> Floats:
    from sklearn.metrics.pairwise import euclidean_distances

    if sp.issparse(X):
        return euclidean_distances(X[[i]], X[others], squared=True)[0]
    near = X[others].astype(np.float64, copy=False)
    return ((near - X[i]) ** 2).sum(axis=1)  # no products, which cancel far from zero


def _row(W: Floats, i: int, others: Indices) -> Floats:
    return W[i, others]


def walk_closeness(W: Sparse, faintest: float, i: int, others: Indices) -> Floats:
    """Return the weight; where there is no edge, that of two steps (never above it)."""
    row = W[[i]]
    one_step, two_steps = _entries(row, others), _entries(row @ W, others)
    largest = two_steps.max(initial=0.0) or 1.0
    fainter = 0.5 * faintest * two_steps / largest
    return np.where(one_step > 0, one_step, fainter)


def _entries(row: Sparse, others: Indices) -> Floats:
    """Return some entries of one sparse row."""
    row.sort_indices()
    at = np.searchsorted(row.indices, others)
    at = np.minimum(at, max(row.nnz - 1, 0))
    found = row.data[at] if row.nnz else np.zeros(len(others))
    is_there = row.indices[at] == others if row.nnz else False
    return np.where(is_there, found, 0.0)


# Ways to make features comparable; part of the data, never of an affinity


def standardised(X: ArrayLike) -> Floats:
    """Return columns with mean 0 and variance 1; a constant column becomes 0."""
    values = np.asarray(X, dtype=np.float64)
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def unit_length(X: ArrayLike) -> Floats:
    """Return rows of length 1."""
    values = np.asarray(X, dtype=np.float64)
    length = np.linalg.norm(values, axis=1, keepdims=True)
    return values / np.where(length > 0, length, 1.0)

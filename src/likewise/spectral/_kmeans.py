"""Clusters in the eigenspace: pivots to start from, then k-means.

Exact for few samples, by scikit-learn in float64 until nothing moves; large for many,
by matrix products on the device that the eigenvectors are on, on rows of length 1,
ending when hardly anything moves. The start is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.spectral._backend import Array, Backend
from likewise.spectral._eigen_cold import Pairs
from likewise.spectral._eigen_exact import Spectrum

NO_LENGTH = 1e-12  # an exact row this short has no direction


def embedding(spectrum: Spectrum, k: int, *, unit_rows: bool) -> Floats:
    """Return the first k eigenvectors as coordinates, rows of length 1 if wished."""
    coordinates = spectrum.vectors[:, :k]
    if not unit_rows:
        return coordinates
    length = np.linalg.norm(coordinates, axis=1, keepdims=True)
    nothing = np.zeros_like(coordinates)
    return np.divide(coordinates, length, out=nothing, where=length > NO_LENGTH)


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


FAINT = 1e-4  # of 1 / sqrt(n): a row this short is rounding and has no direction
WARM_STEPS = 2
COLD_STEPS = 50
SETTLED = 1e-3  # share of the samples that may still move when it ends


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The samples in the eigenspace, to be read as rows of length 1.

    Attributes
    ----------
    backend : Backend
    points : array of shape (n, k)
        As the eigenvectors give them.
    inverse : array of shape (n, 1)
        One over their lengths, 0 where a row has no direction.
    """

    backend: Backend
    points: Array
    inverse: Array

    def at(self, some: Array) -> AnyFloats:
        """Return some rows, of length 1."""
        found: AnyFloats = self.backend.host(self.points[some] * self.inverse[some])
        return found


def clusters(pairs: Pairs, k: int, seeds: Sequence[Sequence[int]] = ()) -> Indices:
    """Return k clusters, from nothing but the eigenvectors and the seeds.

    Parameters
    ----------
    pairs : Pairs
        At least k.
    k : int
    seeds : sequence of at most k sequences of samples
        Samples known to be together; the first clusters start from them.

    Returns
    -------
    ndarray of shape (n,)
        0..k-1.

    See Also
    --------
    likewise.spectral._eigen_exact.k_means : the same for a small number of samples.
    """
    rows = _rows(pairs, k)
    start = _pivoted(rows)
    centres = _centres(rows, start, k)
    if seeds:
        wanted, nearest, _ = _matched(pairs, rows, centres, seeds)
        others = np.setdiff1d(np.arange(k), nearest)
        centres = np.vstack([wanted, centres[others]])
    labels = _assigned(rows, centres)
    return _outside(pairs, _lloyd(rows, labels, k, COLD_STEPS))


def reclustered(
    pairs: Pairs,
    k: int,
    labels: Indices,
    seeds: Sequence[Sequence[int]] = (),
    *,
    steps: int = WARM_STEPS,
) -> Indices:
    """Return k clusters, from those of other eigenvectors.

    The start is the old labels, never the old centres: eigenvectors turn and change
    their signs from one operator to the next. A seed that has no cluster of its own
    there, since another is nearer to the same one, gets one.

    Parameters
    ----------
    pairs : Pairs
    k : int
    labels : ndarray of shape (n,)
        0..k-1; a cluster without members starts at the sample farthest from all others.
    seeds : sequence of at most k sequences of samples
        Samples known to be together.
    steps : int, default=2
        Lloyd steps at most.
    """
    rows, start = _rows(pairs, k), pairs.operator.graph.inside(labels)
    if seeds:
        centres = _centres(rows, start, k)
        wanted, nearest, is_apart = _matched(pairs, rows, centres, seeds)
        centres[nearest[is_apart]] = wanted[is_apart]
        start, steps = _assigned(rows, centres), steps - 1
    return _outside(pairs, _lloyd(rows, start, k, steps))


def embedded(pairs: Pairs, k: int) -> AnyFloats:
    """Return the samples in the eigenspace, rows of length 1, of shape (n, k)."""
    rows = _rows(pairs, k)
    found: AnyFloats = pairs.operator.graph.outside(rows.points * rows.inverse)
    return found


def _matched(
    pairs: Pairs, rows: Rows, centres: Floats, seeds: Sequence[Sequence[int]]
) -> tuple[Floats, Indices, Indices]:
    """Return the mean of each seed, its centre, and which seeds have a nearer one."""
    graph, sizes = pairs.operator.graph, np.array([len(seed) for seed in seeds])
    everyone = rows.at(graph.rows([sample for seed in seeds for sample in seed]))
    wanted = np.add.reduceat(everyone, np.cumsum(sizes) - sizes, axis=0)
    wanted = wanted / sizes[:, np.newaxis]
    apart = ((wanted[:, np.newaxis] - centres) ** 2).sum(axis=2)
    _, nearest = linear_sum_assignment(apart)
    return wanted, nearest, np.flatnonzero(nearest != apart.argmin(axis=1))


def _outside(pairs: Pairs, labels: Array) -> Indices:
    return pairs.operator.graph.outside_indices(labels)


def _rows(pairs: Pairs, k: int) -> Rows:
    backend, points = pairs.operator.graph.backend, pairs.ritz.basis[:, :k]
    inverse = backend.zeros(len(points), 1)
    faint = FAINT / np.sqrt(len(points))
    for rows in backend.chunks(len(points)):
        length = ((points[rows] * points[rows]).sum(1) ** 0.5)[:, None]
        is_faint = length <= faint
        inverse[rows] = ~is_faint / (length + is_faint)
    return Rows(backend, points, inverse)


def _lloyd(rows: Rows, labels: Array, k: int, steps: int) -> Array:
    for _ in range(steps):
        before = labels
        labels = _assigned(rows, _centres(rows, labels, k))
        if float((labels != before).sum()) <= SETTLED * len(labels):
            break
    return labels


def _centres(rows: Rows, labels: Array, k: int) -> Floats:
    """Return the means; an empty cluster gets the row farthest from all others."""
    backend, total = rows.backend, np.zeros((k, rows.points.shape[1]))
    numbers = backend.indices(np.arange(k))
    for part in backend.chunks(len(labels)):
        member = (labels[part][:, None] == numbers) * rows.inverse[part]
        total += backend.host(member.T @ rows.points[part])
    sizes = backend.host(backend.tally(labels, None, k))
    centres = total / np.maximum(sizes, 1)[:, np.newaxis]
    empty = np.flatnonzero(sizes == 0)
    if len(empty):
        farthest = _farthest(rows, centres[sizes > 0], len(empty))
        centres[empty[: len(farthest)]] = rows.at(backend.indices(farthest))
    return centres


def _assigned(rows: Rows, centres: Floats) -> Array:
    """Return the nearest centre of each row."""
    labels = rows.backend.indices(np.zeros(len(rows.points)))
    for part, near in _nearness(rows, centres):
        labels[part] = near.argmax(1)
    return labels


def _farthest(rows: Rows, centres: Floats, count: int) -> Indices:
    """Return the rows that are farthest from the centre that is nearest to them."""
    backend, nearest = rows.backend, np.zeros(len(rows.points))
    for part, near in _nearness(rows, centres):
        length = backend.host(rows.inverse[part, 0] > 0)
        nearest[part] = length / 2 - backend.host(near).max(axis=1)
    return np.argsort(-nearest, kind="stable")[:count]


def _nearness(rows: Rows, centres: Floats) -> Iterator[tuple[slice, Array]]:
    """Yield x c - c^2 / 2 for rows x and all centres c: the larger, the nearer."""
    backend, across = rows.backend, rows.backend.array(centres.T)
    half = backend.array((centres**2).sum(axis=1) / 2)
    for part in backend.chunks(len(rows.points)):
        yield part, (rows.points[part] @ across) * rows.inverse[part] - half


def _pivoted(rows: Rows) -> Array:
    """Return clusters from the embedding alone, without iterating or drawing.

    Rows that are as different as rows can be, a polar factor that turns the axes
    towards them, and each row to its largest coordinate: the ``pivoted_clusters`` of
    :mod:`likewise.spectral._eigen_exact`, with the pivots found one by one.
    """
    backend, k = rows.backend, rows.points.shape[1]
    left = 1.0 * (rows.inverse[:, 0] > 0)
    axes = np.zeros((0, k))
    pivots: list[Floats] = []
    for _ in range(k):
        at = int(left.argmax())
        row = backend.host(rows.points[at] * rows.inverse[at]).astype(np.float64)
        rest = row - (row @ axes.T) @ axes
        rest -= (rest @ axes.T) @ axes
        length = np.linalg.norm(rest)
        if length < FAINT:
            break
        pivots.append(row)
        axes = np.vstack([axes, rest / length])
        along = (rows.points @ backend.array(axes[-1])) * rows.inverse[:, 0]
        left -= along * along
        left[at] = -1.0
    one, _, other = np.linalg.svd(np.array(pivots).T, full_matrices=False)
    turned = backend.combined([rows.points], [one @ other])
    return abs(turned).argmax(1)

"""Clusters in the eigenspace: pivots to start from, then k-means.

Exact for few samples, in float64 until nothing moves; large for many, by matrix
products on the device that the eigenvectors are on, on rows of length 1, ending when
hardly anything moves. The start is the same. Of rows or centres that differ by no more
than rounding the first is taken, as the caller counts: rows of length 1 are all as
long, and another processor would take another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from likewise import _regime as regime
from likewise._arrays import AnyFloats, Floats, Indices
from likewise._cores import all_cores
from likewise.spectral._backend import Array, Backend
from likewise.spectral._clusters import DeviceClusters
from likewise.spectral._eigen_cold import Pairs
from likewise.spectral._eigen_exact import Spectrum
from likewise.spectral._laplacian_large import Graph

NO_LENGTH = 1e-7  # of 1 / sqrt(n): an exact row this short has no direction
SAME = 1e-5  # of the longest row: what differs by less is the same, also in float32
NO_PIVOT = 1e-4  # of the longest row: what is left of one that is no pivot
MOST_STEPS = 100
MOST_MOVES = 20  # of a centre into another cluster
N_TRIED = 2  # clusters with the largest squares, and centres that others could do for
N_TURNS = 5  # towards the direction of largest spread
LOWER = 1e-6  # of the sum of squares: what counts as lower
FEW = 8  # clusters whose rows are summed one after another
DIGITS = 5  # of distances over the largest; the rest may be rounding


def embedding(spectrum: Spectrum, k: int, *, unit_rows: bool) -> Floats:
    """Return the first k eigenvectors as coordinates, rows of length 1 if wished."""
    coordinates = spectrum.vectors[:, :k]
    if not unit_rows:
        return coordinates
    length = np.linalg.norm(coordinates, axis=1, keepdims=True)
    nothing, shortest = np.zeros_like(coordinates), NO_LENGTH / np.sqrt(len(length))
    return np.divide(coordinates, length, out=nothing, where=length > shortest)


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
    pivots = _pivot_rows(coordinates)
    if not len(pivots):
        return np.zeros(len(coordinates), dtype=np.intp)
    left, _, right = np.linalg.svd(pivots.T, full_matrices=False)
    return _first_largest(np.abs(coordinates @ (left @ right)))


def _pivot_rows(coordinates: Floats) -> Floats:
    """Return at most k rows: the longest, then the longest rest of another, and on."""
    squared = (coordinates**2).sum(axis=1)
    longest, axes = squared.max(initial=0.0), np.zeros((0, coordinates.shape[1]))
    pivots: list[Floats] = []
    while len(pivots) < coordinates.shape[1]:
        at = int(np.argmax(squared >= squared.max() - SAME * longest))
        rest = coordinates[at] - (coordinates[at] @ axes.T) @ axes
        rest -= (rest @ axes.T) @ axes
        length = np.linalg.norm(rest)
        if length <= NO_PIVOT * np.sqrt(longest):
            break
        pivots.append(coordinates[at])
        axes = np.vstack([axes, rest / length])
        squared = squared - (coordinates @ axes[-1]) ** 2
    return np.array(pivots)


def _first_largest(values: Floats) -> Indices:
    """Return the first column of each row that is as large as any."""
    largest = values.max(axis=1, keepdims=True)
    farthest = max(-values.min(initial=0.0), largest.max(initial=0.0))
    near = SAME * max(float(farthest), 1e-300)
    return (values >= largest - near).argmax(axis=1)


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
    from scipy.optimize import linear_sum_assignment

    if k == 1:
        return np.zeros(len(coordinates), dtype=np.intp)
    start = pivoted_clusters(coordinates)
    centres = np.array(
        [_mean(coordinates, np.flatnonzero(start == c)) for c in range(k)]
    )
    if seeds:
        wanted = np.array([coordinates[list(seed)].mean(axis=0) for seed in seeds])
        _, nearest = linear_sum_assignment(_apart(wanted, centres))
        others = np.setdiff1d(np.arange(k), nearest)
        centres = np.vstack([wanted, centres[others]])
    return _settled(coordinates, centres)[0]


def lowered_k_means(
    coordinates: Floats, k: int, seeds: Sequence[Sequence[int]]
) -> Indices:
    """Return k clusters as :func:`k_means` does, with a lower sum of squares.

    k-means ends where no single sample should move: often two clusters are one heap and
    another is two. A centre that others could do for goes into the cluster with the
    largest squares and halves it, for as long as that lowers their sum; not for many
    samples, and not where seeds say where all of them belong.

    Parameters
    ----------
    coordinates : ndarray of shape (n, d)
    k : int
    seeds : sequence of at most k sequences of samples

    Returns
    -------
    ndarray of shape (n,)
        0..k-1.
    """
    labels = k_means(coordinates, k, seeds)
    if k == 1 or len(seeds) == k or len(labels) > regime.LOWERED:
        return labels
    for _ in range(MOST_MOVES):
        lower = next(_with_a_centre_moved(coordinates, labels, k), None)
        if lower is None:
            break
        labels = lower
    return labels


def _settled(
    coordinates: Floats, centres: Floats, closeness: Floats | None = None
) -> tuple[Indices, Floats]:
    """Return the clusters that centres end in, and their means.

    Parameters
    ----------
    coordinates : ndarray of shape (n, d)
    centres : ndarray of shape (k, d)
    closeness : ndarray of shape (n, k), optional
        To those centres, if it is at hand; it is written over.

    Notes
    -----
    Hardly any centre moves after the first steps, and only to those that do the samples
    are compared anew.
    """
    near = _closeness(coordinates, centres) if closeness is None else closeness
    labels, before = _first_largest(near), None
    for _ in range(MOST_STEPS):
        old, centres = centres, _means(coordinates, labels, centres, before)
        moved = np.flatnonzero((centres != old).any(axis=1))
        near[:, moved] = _closeness(coordinates, centres[moved])
        before, labels = labels, _first_largest(near)
        if np.array_equal(labels, before):
            return labels, centres
    return labels, _means(coordinates, labels, centres, before)


def _with_a_centre_moved(
    coordinates: Floats, labels: Indices, k: int
) -> Iterator[Indices]:
    """Yield clusters with a lower sum of squares, each by moving one centre."""
    centres = _means(coordinates, labels, np.zeros((k, coordinates.shape[1])))
    closeness = _closeness(coordinates, centres)
    own, other = _two_nearest(coordinates, closeness, labels)
    squares, total = np.bincount(labels, own, k), max(float(own.sum()), 1e-300)
    dearer = np.bincount(labels, np.minimum(other, total) - own, k)
    largest = np.argsort(-np.round(squares / total, DIGITS), kind="stable")[:N_TRIED]
    spare = np.argsort(np.round(dearer / total, DIGITS), kind="stable")[:N_TRIED]
    for c, g in ((c, g) for c in largest for g in spare if c != g):
        moved, near = centres.copy(), closeness.copy()
        moved[[c, g]] = _halves(coordinates[labels == c], centres[c])
        near[:, [c, g]] = _closeness(coordinates, moved[[c, g]])
        found, means = _settled(coordinates, moved, near)
        if ((coordinates - means[found]) ** 2).sum() < (1 - LOWER) * total:
            yield found


def _two_nearest(
    coordinates: Floats, closeness: Floats, labels: Indices
) -> tuple[Floats, Floats]:
    """Return the squared distances from the own centre and from the nearest other."""
    apart = (coordinates**2).sum(axis=1)[:, np.newaxis] - 2 * closeness
    at = np.arange(len(labels))
    own = np.maximum(apart[at, labels], 0.0)
    apart[at, labels] = np.inf
    return own, np.maximum(apart.min(axis=1), own)


def _halves(rows: Floats, centre: Floats) -> Floats:
    """Return the middles of both halves along a direction of large spread.

    From the first of the rows that lie farthest out, by steps of the power method: of
    directions that are all alike, it stays at its own.
    """
    around = rows - centre
    far = (around**2).sum(axis=1)
    far = np.round(far / max(float(far.max()), 1e-300), DIGITS)
    direction = around[int(np.argmax(far))]
    for _ in range(N_TURNS):
        direction = around.T @ (around @ direction)
        direction = direction / max(float(np.linalg.norm(direction)), 1e-300)
    along = around @ direction
    largest = max(float(np.abs(along).max()), 1e-300)
    is_upper = np.round(along / largest, DIGITS) > 0
    if is_upper.all() or not is_upper.any():
        return np.array([centre, centre])
    return np.array([rows[~is_upper].mean(axis=0), rows[is_upper].mean(axis=0)])


def _apart(some: Floats, others: Floats, digits: int = DIGITS) -> Floats:
    """Return squared distances, to the digits that rounding leaves."""
    apart = ((some[:, np.newaxis] - others) ** 2).sum(axis=2)
    return np.round(apart / max(float(apart.max()), 1e-300), digits)


def _closeness(coordinates: Floats, centres: Floats) -> Floats:
    """Return how near centres are: half the square of a row, less half its distance's.

    The largest of a row is the nearest.
    """
    return coordinates @ centres.T - (centres**2).sum(axis=1) / 2


def _means(
    coordinates: Floats,
    labels: Indices,
    centres: Floats,
    before: Indices | None = None,
) -> Floats:
    """Return the means; an empty cluster gets the row farthest from its own, if any is.

    Samples known to be together may coincide: fewer clusters than k is an answer.

    Parameters
    ----------
    coordinates : ndarray of shape (n, d)
    labels : ndarray of shape (n,)
    centres : ndarray of shape (k, d)
        Those before.
    before : ndarray of shape (n,), optional
        The clusters that `centres` are the means of: what is in the same ones has the
        same mean.
    """
    sizes = np.bincount(labels, minlength=len(centres))
    is_empty = sizes == 0
    others = np.flatnonzero(~is_empty)
    if before is not None and not is_empty.any():
        is_moved = labels != before
        others = np.unique([labels[is_moved], before[is_moved]])
    means = centres.copy()
    means[others] = _sums(coordinates, labels, others) / sizes[others, np.newaxis]
    if is_empty.any():
        far = ((coordinates - means[labels]) ** 2).sum(axis=1)
        far = np.round(far / max(float(far.max()), 1e-300), DIGITS)
        farthest = np.argsort(-far, kind="stable")[: is_empty.sum()]
        means[np.flatnonzero(is_empty)[: len(farthest)]] = coordinates[farthest]
    return means


def _sums(coordinates: Floats, labels: Indices, clusters: Indices) -> Floats:
    """Return the sums of the rows of some clusters, each in the order of the rows."""
    if len(clusters) <= FEW:
        return np.array([coordinates[labels == c].sum(axis=0) for c in clusters])
    k, n = int(labels.max()) + 1, len(labels)
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    members = np.argsort(labels, kind="stable")
    sums: Floats = sp.csr_array((np.ones(n), members, starts), (k, n)) @ coordinates
    return sums[clusters]


def _mean(coordinates: Floats, members: Indices) -> Floats:
    if not members.size:
        return np.zeros(coordinates.shape[1])
    return coordinates[members].mean(axis=0)


FAINT = 1e-4  # of 1 / sqrt(n): a row this short is rounding and has no direction
WARM_STEPS = 2
COLD_STEPS = 50
SETTLED = 1e-3  # share of very many samples that may still move when it ends
NEAR = 1e-4  # rows of length 1 that differ by less are the same in float32
NEAR_DIGITS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The samples in the eigenspace, to be read as rows of length 1.

    Attributes
    ----------
    graph : Graph
        What the samples are of.
    points : array of shape (n, k)
        As the eigenvectors give them.
    inverse : array of shape (n, 1)
        One over their lengths, 0 where a row has no direction.
    """

    graph: Graph
    points: Array
    inverse: Array

    @property
    def backend(self) -> Backend:
        """Where they are."""
        return self.graph.backend

    def at(self, some: Array) -> AnyFloats:
        """Return some rows, of length 1."""
        found: AnyFloats = self.backend.host(self.points[some] * self.inverse[some])
        return found


@all_cores()
def clusters(
    pairs: Pairs, k: int, seeds: Sequence[Sequence[int]] = ()
) -> DeviceClusters:
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
    DeviceClusters
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
    return rows.graph.clusters(_lloyd(rows, labels, k, COLD_STEPS))


@all_cores()
def reclustered(
    pairs: Pairs,
    k: int,
    labels: Indices | DeviceClusters,
    seeds: Sequence[Sequence[int]] = (),
    *,
    steps: int = WARM_STEPS,
) -> DeviceClusters:
    """Return k clusters, from those of other eigenvectors.

    The start is the old labels, never the old centres: eigenvectors turn and change
    their signs from one operator to the next. A seed that has no cluster of its own
    there, since another is nearer to the same one, gets one.

    Parameters
    ----------
    pairs : Pairs
    k : int
    labels : DeviceClusters or ndarray of shape (n,)
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
    return rows.graph.clusters(_lloyd(rows, start, k, steps))


def embedded(pairs: Pairs, k: int) -> AnyFloats:
    """Return the samples in the eigenspace, rows of length 1, of shape (n, k)."""
    rows = _rows(pairs, k)
    found: AnyFloats = pairs.operator.graph.outside(rows.points * rows.inverse)
    return found


def _matched(
    pairs: Pairs, rows: Rows, centres: Floats, seeds: Sequence[Sequence[int]]
) -> tuple[Floats, Indices, Indices]:
    """Return the mean of each seed, its centre, and which seeds have a nearer one."""
    from scipy.optimize import linear_sum_assignment

    graph, sizes = pairs.operator.graph, np.array([len(seed) for seed in seeds])
    everyone = rows.at(graph.rows([sample for seed in seeds for sample in seed]))
    wanted = np.add.reduceat(everyone, np.cumsum(sizes) - sizes, axis=0)
    wanted = wanted / sizes[:, np.newaxis]
    apart = _apart(wanted, centres, NEAR_DIGITS)
    _, nearest = linear_sum_assignment(apart)
    return wanted, nearest, np.flatnonzero(nearest != apart.argmin(axis=1))


def _rows(pairs: Pairs, k: int) -> Rows:
    backend, points = pairs.operator.graph.backend, pairs.ritz.basis[:, :k]
    inverse = backend.zeros(len(points), 1)
    faint = FAINT / np.sqrt(len(points))

    def invert(rows: slice) -> None:
        length = ((points[rows] * points[rows]).sum(1) ** 0.5)[:, None]
        is_faint = length <= faint
        inverse[rows] = ~is_faint / (length + is_faint)

    backend.each(invert, len(points))
    return Rows(pairs.operator.graph, points, inverse)


def _lloyd(rows: Rows, labels: Array, k: int, steps: int) -> Array:
    n = len(labels)
    settled = SETTLED * n if n > regime.CLUSTERED_TO_THE_END else 0
    for _ in range(steps):
        before = labels
        labels = _assigned(rows, _centres(rows, labels, k))
        if float((labels != before).sum()) <= settled:
            break
    return labels


def _centres(rows: Rows, labels: Array, k: int) -> Floats:
    """Return the means; an empty cluster gets the row farthest from all others."""
    backend, total = rows.backend, np.zeros((k, rows.points.shape[1]))
    numbers = backend.indices(np.arange(k))

    def sums(part: slice) -> AnyFloats:
        member = (labels[part][:, None] == numbers) * rows.inverse[part]
        return backend.host(member.T @ rows.points[part])

    for found in backend.each(sums, len(labels)):
        total += found
    sizes = backend.host(backend.tally(labels, None, k))
    centres = total / np.maximum(sizes, 1)[:, np.newaxis]
    empty = np.flatnonzero(sizes == 0)
    if len(empty):
        farthest = _farthest(rows, centres[sizes > 0], len(empty))
        centres[empty[: len(farthest)]] = rows.at(backend.indices(farthest))
    return centres


def _assigned(rows: Rows, centres: Floats) -> Array:
    """Return the nearest centre of each row."""
    near = _nearness(rows, centres)
    found = rows.backend.each(lambda part: near(part).argmax(1), len(rows.points))
    return rows.backend.joined(found)


def _farthest(rows: Rows, centres: Floats, count: int) -> Indices:
    """Return the rows that are farthest from the centre that is nearest to them."""
    backend, nearest = rows.backend, np.zeros(len(rows.points))
    near = _nearness(rows, centres)
    for part in backend.chunks(len(nearest)):
        length = backend.host(rows.inverse[part, 0] > 0)
        nearest[part] = length / 2 - backend.host(near(part)).max(axis=1)
    rounded = np.round(nearest, NEAR_DIGITS)
    return np.lexsort((rows.graph.order, -rounded))[:count]


def _nearness(rows: Rows, centres: Floats) -> Callable[[slice], Array]:
    """Return x c - c^2 / 2 for rows x and all centres c: the larger, the nearer."""
    backend, across = rows.backend, rows.backend.array(centres.T)
    half = backend.array((centres**2).sum(axis=1) / 2)
    return lambda part: (rows.points[part] @ across) * rows.inverse[part] - half


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
        at = _first(rows.graph, left, float(left[int(left.argmax())]) - NEAR)
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
    if not pivots:
        return backend.indices(np.zeros(len(rows.points)))
    one, _, other = np.linalg.svd(np.array(pivots).T, full_matrices=False)
    turned = backend.combined([rows.points], [one @ other])
    return abs(turned).argmax(1)


def _first(graph: Graph, values: Array, bound: float) -> int:
    """Return the row of the first sample, as the caller counts, above some bound."""
    above = graph.backend.host_indices(graph.backend.flatnonzero(values > bound))
    return int(above[graph.order[above].argmin()])

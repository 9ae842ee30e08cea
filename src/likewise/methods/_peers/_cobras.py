"""COBRAS: super-instances that are split by questions, and merged by questions.

A super-instance is a region whose samples are taken to be of one class; one sample
speaks for it. The largest is split, again and again, into as many as a few questions
suggest, and the pieces are merged into clusters, the nearest first, each by one
question between two speakers. The number of classes is not needed.

References
----------
T. Van Craenendonck, S. Dumancic, E. Van Wolputte, H. Blockeel. COBRAS: Interactive
clustering with pairwise queries. Intelligent Data Analysis (IDA), 2018.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats, Indices, Samples
from likewise._ties import first_least, least_columns
from likewise.knowledge import Verdict
from likewise.methods._base import Method
from likewise.methods._peers._script import (
    Facts,
    Script,
    Talk,
    Turn,
    begin_scripted,
    by_place,
    learn_scripted,
    propose_scripted,
)
from likewise.methods._space import Space

N_STARTS = 10  # of k-means, the default of the library when the paper was written
MOST_STEPS = 300  # of k-means, likewise
A_PAIR = 2


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A super-instance.

    Attributes
    ----------
    samples : ndarray of shape (m,)
        Those in it.
    centre : ndarray of shape (d,)
        Their mean.
    speaker : int
        The sample nearest to it, which is asked about.
    """

    samples: Indices
    centre: Floats
    speaker: int


def region(X: Samples, samples: Indices) -> Region:
    """Return the super-instance of some samples."""
    from sklearn.metrics.pairwise import euclidean_distances

    rows = X[samples]
    centre = np.asarray(rows.mean(axis=0)).ravel()
    gaps = euclidean_distances(rows, centre[np.newaxis])[:, 0]
    return Region(samples, centre, int(samples[first_least(gaps)]))


def split(
    X: Samples, whole: Region, k: int, rng: np.random.Generator
) -> tuple[Region, ...]:
    """Return at least two parts of a super-instance with two samples or more.

    By k-means. Where all samples are at one place it finds one part only; then the
    first half of them is one and the rest the other, so that no question stays out of
    reach.
    """
    samples = whole.samples
    labels = k_means(X[samples], min(k, len(samples)), rng)
    if (labels == labels[0]).all():
        labels = 2 * np.arange(len(samples)) // len(samples)
    return tuple(region(X, samples[labels == c]) for c in np.unique(labels))


def k_means(X: Samples, k: int, rng: np.random.Generator) -> Indices:
    """Return k clusters or fewer: the best of several starts drawn by lot.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    k : int
        At most n.
    rng : Generator

    Notes
    -----
    Starts are drawn as in k-means++, without its greedy variant, and gone on with side
    by side. A cluster that loses all its samples stays where it was.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> k_means(X, 2, np.random.default_rng(0)) == [1, 1, 0, 0]
    array([ True,  True,  True,  True])
    """
    from sklearn.utils.extmath import row_norms

    squares = row_norms(X, squared=True)
    centres = _drawn_centres(X, squares, k, rng)
    labels = np.full((N_STARTS, X.shape[0]), -1)
    for _ in range(MOST_STEPS):
        before, (labels, inertia) = labels, _nearest(X, squares, centres)
        if np.array_equal(labels, before):
            break
        centres = _means(X, labels, centres)
    return labels[first_least(inertia)]


def _drawn_centres(
    X: Samples, squares: Floats, k: int, rng: np.random.Generator
) -> Floats:
    """Return centres for each start, of shape (N_STARTS, k, d).

    The first is any sample; each other is drawn in proportion to its squared distance
    from the nearest one before it.
    """
    n = X.shape[0]
    drawn = np.empty((N_STARTS, k), dtype=np.intp)
    drawn[:, 0] = rng.integers(n, size=N_STARTS)
    gaps = _squared(X, squares, drawn[:, 0])
    for at in range(1, k):
        mass = np.cumsum(gaps, axis=0)
        lots = rng.random(N_STARTS) * mass[-1]
        drawn[:, at] = np.minimum((mass <= lots).sum(axis=0), n - 1)
        gaps = np.minimum(gaps, _squared(X, squares, drawn[:, at]))
    rows = X[drawn.ravel()]
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    return np.asarray(rows, dtype=np.float64).reshape(N_STARTS, k, -1)


def _squared(X: Samples, squares: Floats, others: Indices) -> Floats:
    """Return squared distances from all samples to some, of shape (n, s)."""
    product = X @ X[others].T
    product = product.toarray() if hasattr(product, "toarray") else product
    return np.maximum(squares[:, np.newaxis] + squares[others] - 2 * product, 0.0)


def _nearest(X: Samples, squares: Floats, centres: Floats) -> tuple[Indices, Floats]:
    """Return the nearest centre of each sample in each start, and the sums of squares.

    Returns
    -------
    labels : ndarray of shape (N_STARTS, n)
    inertia : ndarray of shape (N_STARTS,)
    """
    from sklearn.utils.extmath import row_norms

    n_starts, k, d = centres.shape
    flat = centres.reshape(-1, d)
    apart = row_norms(flat, squared=True) - 2 * (X @ flat.T)
    apart = (apart + squares[:, np.newaxis]).reshape(-1, k)
    labels = least_columns(apart)
    least = np.maximum(apart[np.arange(len(apart)), labels], 0.0)
    return labels.reshape(-1, n_starts).T, least.reshape(-1, n_starts).sum(axis=0)


def _means(X: Samples, labels: Indices, before: Floats) -> Floats:
    """Return the mean of each cluster of each start; an empty one stays."""
    n_starts, k, d = before.shape
    slots = (labels + k * np.arange(n_starts)[:, np.newaxis]).T
    member = np.zeros((X.shape[0], n_starts * k))
    np.put_along_axis(member, slots, 1.0, axis=1)
    sizes = member.sum(axis=0)[:, np.newaxis]
    sums = np.asarray((X.T @ member).T)
    means = np.where(sizes > 0, sums / np.maximum(sizes, 1), before.reshape(-1, d))
    return means.reshape(before.shape)


class Clusters:
    """Clusters of super-instances, and how near they are; changed by one script only.

    Attributes
    ----------
    parts : list of list of Region
        The super-instances of each cluster; the speakers of one are known to be of one
        class.
    gaps : ndarray of shape (c, c)
        Least distances between the centres of their super-instances.
    closed : ndarray of bool of shape (c, c)
        Pairs of clusters that are not to be compared any more.
    """

    def __init__(self) -> None:
        self.parts: list[list[Region]] = []
        self.gaps: Floats = np.zeros((0, 0))
        self.closed: NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)

    def add(self, regions: Sequence[Region]) -> None:
        """Make a cluster of its own of each region."""
        for new in regions:
            self.parts.append([new])
            self.gaps = np.pad(self.gaps, (0, 1))
            self.closed = np.pad(self.closed, (0, 1))
            self._measure(len(self.parts) - 1)

    def take_largest(self) -> Region | None:
        """Take out the super-instance with most samples; None when all are single."""
        sizes = [(len(r.samples), -c, -a) for c, a, r in self._regions()]
        most, c, at = max(sizes, default=(0, 0, 0))
        if most < A_PAIR:
            return None
        found = self.parts[-c].pop(-at)
        if self.parts[-c]:
            self._measure(-c)
        else:
            self._drop(-c)
        return found

    def nearest(self) -> tuple[int, int] | None:
        """Return the nearest clusters that may be compared, earlier one first."""
        a, b = np.triu_indices(len(self.parts), 1)
        free = np.flatnonzero(~self.closed[a, b])
        if not free.size:
            return None
        best = free[first_least(self.gaps[a[free], b[free]])]
        return int(a[best]), int(b[best])

    def close(self, a: int, b: int) -> None:
        """Compare two clusters no more."""
        self.closed[a, b] = self.closed[b, a] = True

    def merge(self, a: int, b: int) -> None:
        """Make one cluster of two, in the place of the first."""
        self.parts[a] += self.parts[b]
        self.gaps[a] = self.gaps[:, a] = np.minimum(self.gaps[a], self.gaps[b])
        self.closed[a] = self.closed[:, a] = self.closed[a] | self.closed[b]
        self._drop(b)

    def labels(self, n: int) -> Indices:
        """Return the cluster of each of n samples; 0 for those in none."""
        labels = np.zeros(n, dtype=np.intp)
        for c, _, part in self._regions():
            labels[part.samples] = c
        return labels

    def _regions(self) -> list[tuple[int, int, Region]]:
        return [
            (c, a, r) for c, its in enumerate(self.parts) for a, r in enumerate(its)
        ]

    def _measure(self, cluster: int) -> None:
        """Measure how far a cluster is from all of them."""
        from sklearn.metrics.pairwise import euclidean_distances

        mine = np.array([r.centre for r in self.parts[cluster]])
        everyone = np.array([r.centre for _, _, r in self._regions()])
        apart = euclidean_distances(mine, everyone).min(axis=0)
        starts = np.cumsum([0, *map(len, self.parts)])[:-1]
        nearest = np.minimum.reduceat(apart, starts)
        self.gaps[cluster] = self.gaps[:, cluster] = nearest

    def _drop(self, cluster: int) -> None:
        del self.parts[cluster]
        for axis in (0, 1):
            self.gaps = np.delete(self.gaps, cluster, axis)
            self.closed = np.delete(self.closed, cluster, axis)


def script(space: Space, kept: Indices, seed: int) -> Script:
    """Return COBRAS on the samples that are in the game."""
    return partial(_talk, space, kept, seed)


def _talk(space: Space, kept: Indices, seed: int, _: Facts) -> Talk:
    n, rng = space.problem.n_samples, np.random.default_rng(seed)
    labels = np.zeros(n, dtype=np.intp)
    if len(kept) < A_PAIR:
        return labels
    X, clusters = space.coordinates, Clusters()
    largest: Region | None = region(X, by_place(X, kept))
    while largest is not None:
        is_first = not clusters.parts
        level = yield from _split_level(X, largest, labels, rng)
        clusters.add(split(X, largest, 2**level, rng))
        yield from _merging(clusters, None if is_first else labels, n)
        labels = clusters.labels(n)
        largest = clusters.take_largest()
    return labels


def _split_level(
    X: Samples, whole: Region, labels: Indices, rng: np.random.Generator
) -> Generator[Turn, Verdict, int]:
    r"""Find out how fine to split: into :math:`2^{\max(d, 1)}` parts.

    The super-instance is halved, and the smaller half of it again, d times, until the
    two speakers are the same, or nobody can tell, or nothing is left to be halved.
    """
    depth, part = 0, whole
    while True:
        first, second, *_ = split(X, part, 2, rng)
        told = yield Turn((first.speaker, second.speaker), labels)
        if told is not Verdict.DIFFERENT:
            return max(depth, 1)
        depth += 1
        larger = [r for r in (first, second) if len(r.samples) >= A_PAIR]
        if not larger:
            return depth
        part = min(larger, key=lambda r: len(r.samples))


def _merging(
    clusters: Clusters, labels: Indices | None, n: int
) -> Generator[Turn, Verdict, None]:
    """Merge clusters, the nearest first, until all that are left are apart.

    Meanwhile the labels are those before the split; where there are none, the clusters
    as far as they are merged.
    """
    while (nearest := clusters.nearest()) is not None:
        a, b = nearest
        pair = clusters.parts[a][0].speaker, clusters.parts[b][0].speaker
        told = yield Turn(pair, clusters.labels(n) if labels is None else labels)
        if told is Verdict.SAME:
            clusters.merge(a, b)
        else:
            clusters.close(a, b)


COBRAS = Method(
    "cobras",
    "COBRAS: splits the largest region as finely as a few answers suggest, and merges "
    "the parts that are near, by the samples in their middle.",
    partial(begin_scripted, script),
    learn_scripted,
    propose_scripted,
)

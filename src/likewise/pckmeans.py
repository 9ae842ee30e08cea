r"""PCKMeans: k-means in which every violated pair has its price.

Over labels :math:`l` and centres :math:`\mu` it descends on

.. math::
    J = \sum_i \tfrac12 \|x_i - \mu_{l_i}\|^2
        + w \sum_{\text{must-links}} [l_i \ne l_j]
        + w \sum_{\text{cannot-links}} [l_i = l_j],

the links being all pairs that follow from the answers. They are never listed: with
:math:`C_{gh}` the samples of known group g in cluster h, and A the groups known to be
apart, cluster h costs a sample of group g, up to a constant,

.. math:: \tfrac12 \|x_i - \mu_h\|^2 + w \, ((A C)_{gh} - C_{gh}).

References
----------
S. Basu, A. Banerjee, R. J. Mooney. Active semi-supervision for pairwise constrained
clustering. SIAM International Conference on Data Mining, 2004.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from likewise.arrays import Floats, Indices, Samples
from likewise.operators import Blocks

MAX_ROUNDS = 100
TURNS = 30  # of the power iteration for a main direction, which need not be exact
SLIGHT = 1e-12  # a gain this small, against w, may be rounding
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Clusters:
    """Where the samples are put.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        0..k-1; a cluster may be empty.
    centres : ndarray of shape (k, d)
    """

    labels: Indices
    centres: Floats


def pck_means(
    X: Samples,
    k: int,
    blocks: Blocks,
    seeds: Sequence[Sequence[int]],
    weight: float | None = None,
) -> Clusters:
    r"""Return k clusters that trade distances against violated pairs.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    k : int
    blocks : Blocks
        The known groups, and which of them are apart.
    seeds : sequence of sequences of int
        Neighbourhoods: samples known to be together, and apart from the other seeds.
        The largest k of them make the first centres.
    weight : float, optional
        w, the price of a violated pair; :func:`typical_weight` unless given.

    Returns
    -------
    Clusters
        No sample by itself could move to a cluster where it costs less.

    Notes
    -----
    Departures from the paper, so that the result is a function of the data and not of
    their order. Samples are put greedily in an order: the paper's is random, here the
    surest come first, by how much farther the second nearest centre is. The samples of
    a seed begin in its cluster. Where there are fewer seeds than clusters, the paper
    perturbs the mean of all samples; here, again and again, the cluster of largest
    scatter is halved across its main direction (the centre of a seed stays where it
    is). The paper's w is a constant, which means something else on each scale.
    """
    weight = typical_weight(X) if weight is None else weight
    *_, found = rounds(X, k, blocks, seeds, weight)
    return found


def typical_weight(X: Samples) -> float:
    r"""Return :math:`\frac1n \sum_i \|x_i - \bar x\|^2`, or 1 where that is 0.

    A violated pair then costs twice what a typical sample costs at the mean of all.
    """
    centre = _means(X, np.zeros(X.shape[0], dtype=np.intp), np.zeros((1, X.shape[1])))
    return float(_squared(X, centre).mean()) or 1.0


def rounds(
    X: Samples, k: int, blocks: Blocks, seeds: Sequence[Sequence[int]], weight: float
) -> Iterator[Clusters]:
    """Yield the clusters after each round; J never rises from one to the next."""
    seeds = sorted(seeds, key=len, reverse=True)[:k]
    centres = _first_centres(X, k, seeds)
    labels = np.full(X.shape[0], NOWHERE)
    for cluster, seed in enumerate(seeds):
        labels[list(seed)] = cluster
    for _ in range(MAX_ROUNDS):
        before = labels
        labels = _assigned(0.5 * _squared(X, centres), labels, blocks, weight)
        centres = _means(X, labels, centres)
        yield Clusters(labels, centres)
        if np.array_equal(labels, before):
            return


def _assigned(half: Floats, labels: Indices, blocks: Blocks, weight: float) -> Indices:
    """Return the labels after each sample moved to the cluster that costs it least.

    Parameters
    ----------
    half : ndarray of shape (n, k)
        Half the squared distances to the centres.
    labels : ndarray of shape (n,)
        NOWHERE for samples that are in no cluster yet, and violate nothing.
    blocks : Blocks
    weight : float
    """
    moved, near = _best(half, labels, weight), half[blocks.samples]
    tally = _Tally(blocks, labels[blocks.samples], half.shape[1])
    cost = near + weight * tally.prices(np.arange(len(near)))
    changes = np.flatnonzero(_best(cost, tally.labels, weight) != tally.labels)
    for at in changes[_surest_first(near[changes])]:
        here = np.array([at])
        cost = near[here] + weight * tally.prices(here)
        tally.move(at, _best(cost, tally.labels[here], weight)[0])
    moved[blocks.samples] = tally.labels
    return moved


class _Tally:
    """The known samples by group and cluster, while they are being moved."""

    def __init__(self, blocks: Blocks, labels: Indices, k: int) -> None:
        self.blocks, self.labels = blocks, labels.copy()
        self.table = np.zeros((blocks.apart.shape[0], k))
        placed = labels != NOWHERE
        np.add.at(self.table, (blocks.group[placed], labels[placed]), 1.0)
        self.barred = blocks.apart @ self.table

    def prices(self, at: Indices) -> Floats:
        """Return what each cluster costs samples by their links, up to a constant."""
        groups, labels = self.blocks.group[at], self.labels[at]
        prices: Floats = self.barred[groups] - self.table[groups]
        placed = np.flatnonzero(labels != NOWHERE)
        prices[placed, labels[placed]] += 1.0  # a sample is no link to itself
        return prices

    def move(self, at: int, then: int) -> None:
        apart, group, now = self.blocks.apart, self.blocks.group[at], self.labels[at]
        others = apart.indices[slice(*apart.indptr[group : group + 2])]
        for cluster, change in ((now, -1.0), (then, 1.0)):
            if cluster != NOWHERE:
                self.table[group, cluster] += change
                self.barred[others, cluster] += change
        self.labels[at] = then


def _best(cost: Floats, labels: Indices, weight: float) -> Indices:
    """Return the cheapest cluster of each row; the present one unless that is dearer.

    Only a real gain is a reason to move, so that the rounds come to an end.
    """
    rows = np.arange(len(labels))
    best = cost.argmin(axis=1)
    gain = cost[rows, labels] - cost[rows, best]
    stays = (labels != NOWHERE) & (gain <= SLIGHT * weight)
    return np.where(stays, labels, best)


def _surest_first(near: Floats) -> Indices:
    """Return the order of rows by how much the second smallest entry is larger."""
    ordered = np.sort(near, axis=1)
    second = ordered[:, min(1, near.shape[1] - 1)]
    return np.argsort(ordered[:, 0] - second, kind="stable")


def _means(X: Samples, labels: Indices, before: Floats) -> Floats:
    """Return the centres of the clusters; that of an empty one stays."""
    centres = before.copy()
    for cluster in np.unique(labels):
        centres[cluster] = _mean(X[labels == cluster])
    return centres


def _mean(X: Samples) -> Floats:
    return np.asarray(X.mean(axis=0)).ravel()


def _squared(X: Samples, centres: Floats) -> Floats:
    return euclidean_distances(X, centres, squared=True)


def _first_centres(X: Samples, k: int, seeds: Sequence[Sequence[int]]) -> Floats:
    """Return the centres of the seeds, and others by halving clusters, k in all."""
    centres = np.array([_mean(X[list(seed)]) for seed in seeds] or [_mean(X)])
    while len(centres) < k:
        squared = _squared(X, centres)
        nearest = squared.argmin(axis=1)
        scatter = np.bincount(nearest, squared.min(axis=1), len(centres))
        widest = int(scatter.argmax())
        near, far = _halves(X[nearest == widest], centres[widest])
        if widest >= len(seeds):
            centres[widest] = near
        centres = np.vstack([centres, far])
    return centres


def _halves(X: Samples, centre: Floats) -> tuple[Floats, Floats]:
    """Return the centres of the halves across the main direction, farther one last."""
    mean = _mean(X)
    farthest = int(_squared(X, mean[np.newaxis]).argmax())
    axis = _mean(X[[farthest]]) - mean
    for _ in range(TURNS):
        along = X @ axis - mean @ axis
        turned = X.T @ along - mean * along.sum()
        axis = turned / (np.linalg.norm(turned) or 1.0)
    along = X @ axis - mean @ axis
    if centre @ axis - mean @ axis > 0:
        along = -along
    beyond = along > 0
    if not beyond.any():
        return mean, mean
    return _mean(X[~beyond]), _mean(X[beyond])

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
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from likewise._arrays import Floats, Indices, Samples
from likewise._ties import exceeds, first_best, least_columns, ranked
from likewise.knowledge import (
    Answer,
    Constraints,
    Knowledge,
    Question,
    Verdict,
    respect,
)
from likewise.methods._base import Method
from likewise.methods._outlook import ClusteredModel
from likewise.methods._problem import Problem
from likewise.methods._rivals._exploring import (
    explore,
    question_in_order,
    space_for,
)
from likewise.methods._space import Space
from likewise.methods.clustering import UNKNOWN
from likewise.methods.sampling import begun, opened, unplaced
from likewise.spectral import Blocks, known_blocks

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
    best = least_columns(cost)
    gain = cost[rows, labels] - cost[rows, best]
    stays = (labels != NOWHERE) & (gain <= SLIGHT * weight)
    return np.where(stays, labels, best)


def _surest_first(near: Floats) -> Indices:
    """Return the order of rows by how much the second smallest entry is larger."""
    ordered = np.sort(near, axis=1)
    second = ordered[:, min(1, near.shape[1] - 1)]
    return ranked(second - ordered[:, 0], float(near.max(initial=0.0)))


def _means(X: Samples, labels: Indices, before: Floats) -> Floats:
    """Return the centres of the clusters; that of an empty one stays."""
    centres = before.copy()
    for cluster in np.unique(labels):
        centres[cluster] = _mean(X[labels == cluster])
    return centres


def _mean(X: Samples) -> Floats:
    return np.asarray(X.mean(axis=0)).ravel()


def _squared(X: Samples, centres: Floats) -> Floats:
    from sklearn.metrics.pairwise import euclidean_distances

    return euclidean_distances(X, centres, squared=True)


def _first_centres(X: Samples, k: int, seeds: Sequence[Sequence[int]]) -> Floats:
    """Return the centres of the seeds, and others by halving clusters, k in all."""
    centres = np.array([_mean(X[list(seed)]) for seed in seeds] or [_mean(X)])
    while len(centres) < k:
        squared = _squared(X, centres)
        nearest = least_columns(squared)
        scatter = np.bincount(nearest, squared.min(axis=1), len(centres))
        widest = first_best(scatter)
        near, far = _halves(X[nearest == widest], centres[widest])
        if widest >= len(seeds):
            centres[widest] = near
        centres = np.vstack([centres, far])
    return centres


def _halves(X: Samples, centre: Floats) -> tuple[Floats, Floats]:
    """Return the centres of the halves across the main direction, farther one last."""
    mean = _mean(X)
    farthest = first_best(_squared(X, mean[np.newaxis])[:, 0])
    axis = _mean(X[[farthest]]) - mean
    for _ in range(TURNS):
        along = X @ axis - mean @ axis
        turned = X.T @ along - mean * along.sum()
        axis = turned / (np.linalg.norm(turned) or 1.0)
    along = X @ axis - mean @ axis
    widest = float(np.abs(along).max())
    if exceeds(centre @ axis - mean @ axis, 0.0, widest):
        along = -along
    beyond = exceeds(along, 0.0, widest)
    if not beyond.any():
        return mean, mean
    return _mean(X[~beyond]), _mean(X[beyond])


@dataclass(frozen=True)
class FarthestFirstModel(ClusteredModel):
    """PCKMeans under the answers so far.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    space : Space
        Where distances are measured: the features, or spectral coordinates where there
        are none.
    start : int
        The sample that is the first neighbourhood until somebody answers.
    """

    space: Space
    start: int

    @property
    def n_clusters(self) -> int:
        """As given, or 2, and growing with the certain sets."""
        given = self.problem.n_clusters or UNKNOWN
        n_kept = self.problem.n_samples - len(self.known.aside)
        return max(min(max(given, len(self.known.certain)), n_kept), 1)

    @cached_property
    def assumed(self) -> Constraints:
        """What is known, and what follows if the number of clusters is right.

        A group that is apart from all certain sets but one belongs to that one.
        """
        known, sets = self.known, frozenset(self.known.certain)
        constraints = known.constraints
        if not all_found(self.problem, known):
            return constraints
        groups = [group for group in constraints.members if group not in sets]
        left = [(group, sets - constraints.apart_from(group)) for group in groups]
        return constraints.after_all(
            (group, next(iter(last)), Verdict.SAME)
            for group, last in left
            if len(last) == 1
        )

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of PCKMeans; samples set aside take no part in making them."""
        from sklearn.metrics.pairwise import euclidean_distances

        X, everyone = self.space.coordinates, np.arange(self.problem.n_samples)
        kept = np.setdiff1d(everyone, list(self.known.aside))
        kept = kept if kept.size else everyone
        blocks = _among(kept, known_blocks(self.assumed, tuple(self.assumed.members)))
        seeds = [_positions(kept, self.members(group)) for group in self.known.certain]
        found = pck_means(X[kept], self.n_clusters, blocks, seeds)
        labels = least_columns(euclidean_distances(X, found.centres))
        labels[kept] = found.labels
        return Clusters(labels, found.centres)

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample, with every known pair respected."""
        from sklearn.metrics.pairwise import euclidean_distances

        X, found = self.space.coordinates, self.clusters
        squared = euclidean_distances(X, found.centres, squared=True)
        likeness = 1 / (1 + squared / typical_weight(X))
        sets = [self.assumed.group(group) for group in self.known.certain]
        return respect(found.labels, likeness, self.assumed, sets)

    def members(self, group: int) -> tuple[int, ...]:
        """Return the samples of a certain set, those assumed to be of it among them."""
        return self.assumed.samples(self.assumed.group(group))


def all_found(problem: Problem, known: Knowledge) -> bool:
    """Tell whether there are as many certain sets as there should be clusters.

    Where there are more, or nobody knows how many there are, nothing follows from it.
    """
    return len(known.certain) == problem.n_clusters


def begin(
    problem: Problem, known: Knowledge, rng: np.random.Generator
) -> FarthestFirstModel:
    """Make the model of any state of the answers."""
    start = int(rng.integers(problem.n_samples))
    problem = problem.without(known.aside)
    return FarthestFirstModel(problem, known, space_for(problem, known), start)


def learn(model: FarthestFirstModel, known: Knowledge, _: Answer) -> FarthestFirstModel:
    """Take one answer more into account, when somebody looks."""
    space = space_for(model.problem, known, model.space)
    return replace(model, known=known, space=space)


def propose(
    model: FarthestFirstModel,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Explore until all neighbourhoods are found, then consolidate them.

    Notes
    -----
    With k neighbourhoods known, at most k - 1 questions place a sample: the last
    neighbourhood is assumed, not asked about. The answers alone do not say so, and k
    may be wrong, so what was assumed is confirmed when nothing else is left to ask, by
    exploring again: farthest samples first, which find the classes that k denied.

    Where nobody knows k, exploring goes on until every sample is placed. Where more
    neighbourhoods than k are found, nothing is assumed any more.
    """
    known = opened(known, model.start)
    k = model.problem.n_clusters
    question = None
    if k is not None and len(known.certain) >= k:
        question = consolidate(model, known, rng, pending)
    return question or explore(model.space, known, rng, pending)


def consolidate(
    model: FarthestFirstModel,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Ask about a sample drawn by lot, nearest neighbourhood first, until it is placed.

    Parameters
    ----------
    model, rng, pending
        As for every method.
    known : Knowledge
        With at least one certain set.

    Notes
    -----
    Near is a neighbourhood whose centroid is near. The sample is compared with a member
    drawn by lot: the paper takes any.
    """
    from sklearn.metrics.pairwise import euclidean_distances

    taken = {question.sample for question in pending}
    centroids = _centroids(model, known)
    for sample in _by_lot(known, rng):
        if sample not in taken and not _is_assumed(model.problem, known, sample):
            X = model.space.coordinates[[sample]]
            gaps = euclidean_distances(X, centroids)[0]
            sets = [known.certain[t] for t in ranked(-gaps, float(gaps.max()))]
            question = question_in_order(sample, sets, known, rng)
            if question is not None:
                return question
    return None


def _by_lot(known: Knowledge, rng: np.random.Generator) -> Iterator[int]:
    yield from begun(known)
    yield from rng.permutation(unplaced(known)).tolist()


def _is_assumed(problem: Problem, known: Knowledge, sample: int) -> bool:
    constraints = known.constraints
    apart = constraints.apart_from(constraints.group(sample))
    n_ruled_out = sum(group in apart for group in known.certain)
    return all_found(problem, known) and n_ruled_out >= len(known.certain) - 1


def _centroids(model: FarthestFirstModel, known: Knowledge) -> Floats:
    """Return the mean of each certain set, of shape (m, d)."""
    X = model.space.coordinates
    kept = [
        [s for s in model.members(group) if s not in known.aside]
        for group in known.certain
    ]
    return np.array([np.asarray(X[rows].mean(axis=0)).ravel() for rows in kept])


def _among(kept: Indices, blocks: Blocks) -> Blocks:
    """Return the blocks of the samples kept, by their positions among these."""
    stays = np.isin(blocks.samples, kept)
    samples = np.searchsorted(kept, blocks.samples[stays])
    return replace(blocks, samples=samples, group=blocks.group[stays])


def _positions(kept: Indices, samples: tuple[int, ...]) -> list[int]:
    return np.flatnonzero(np.isin(kept, samples)).tolist()


FFQS = Method(
    "ffqs",
    "Farthest-first: looks for a member of every class among far samples, then places "
    "samples by lot, the nearest class first.",
    begin,
    learn,
    propose,
)

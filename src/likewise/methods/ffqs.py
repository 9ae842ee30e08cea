"""FFQS: farthest-first exploration, then consolidation, clustered by PCKMeans.

References
----------
S. Basu, A. Banerjee, R. J. Mooney. Active semi-supervision for pairwise constrained
clustering. SIAM International Conference on Data Mining, 2004.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from likewise.arrays import Floats, Indices
from likewise.constraints import Constraints, Verdict
from likewise.knowledge import Answer, Knowledge, Question
from likewise.labelling import respect
from likewise.methods.base import Method
from likewise.methods.clustering import UNKNOWN
from likewise.methods.exploring import Space, explore, question_in_order, space_for
from likewise.methods.outlook import ClusteredModel
from likewise.operators import Blocks, known_blocks
from likewise.pckmeans import Clusters, pck_means, typical_weight
from likewise.placement import begun, opened, unplaced
from likewise.problem import Problem


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
        X, everyone = self.space.coordinates, np.arange(self.problem.n_samples)
        kept = np.setdiff1d(everyone, list(self.known.aside))
        kept = kept if kept.size else everyone
        blocks = _among(kept, known_blocks(self.assumed, tuple(self.assumed.members)))
        seeds = [_positions(kept, self.members(group)) for group in self.known.certain]
        found = pck_means(X[kept], self.n_clusters, blocks, seeds)
        labels = euclidean_distances(X, found.centres).argmin(axis=1)
        labels[kept] = found.labels
        return Clusters(labels, found.centres)

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample, with every known pair respected."""
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
    taken = {question.sample for question in pending}
    centroids = _centroids(model, known)
    for sample in _by_lot(known, rng):
        if sample not in taken and not _is_assumed(model.problem, known, sample):
            X = model.space.coordinates[[sample]]
            gaps = euclidean_distances(X, centroids)[0]
            sets = [known.certain[t] for t in np.argsort(gaps, kind="stable")]
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

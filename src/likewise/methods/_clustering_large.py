"""Constrained spectral clustering of many samples, each going on from the last.

What one answer changes is worked out from what was there before: eigenpairs by the
engine, clusters from those that no answer has touched, scores where they are not zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.methods._problem import Problem
from likewise.methods._scores import (
    Mixture,
    Near,
    directions,
    exact_gradient_of_pairs,
    near_of,
    neighbour_entropy,
    paper_gradient_of_pairs,
    shares,
)
from likewise.methods.constrained import N_EXTRA, Constrained
from likewise.spectral import (
    Graph,
    Operator,
    Pairs,
    Spectrum,
    clusters,
    embedded,
    graph_of,
    operator_of,
    reclustered,
    solve,
    updated,
)

N_AHEAD = 8  # eigenvectors asked for at once when the clusters become more
TOLERANCE = 2e-4  # of residuals: 1e-3 asks otherwise in 3 of 50 states without a gap
MOST_STEPS, FEWEST_STEPS = 20, 5  # of k-means, for few samples and for very many
N_MOVED = 500_000  # samples that are given a cluster in all steps together, in between


@dataclass(eq=False, slots=True)
class Workbench:
    """What is kept of a problem from one answer to the next, and may be dropped.

    Attributes
    ----------
    graph : Graph
    near : Near
    plain : Pairs or None
        The last ones that no answer has touched.
    latest : Pairs or None
        The last ones.
    mixture : Mixture or None
        The last one.
    """

    graph: Graph
    near: Near
    plain: Pairs | None = None
    latest: Pairs | None = None
    mixture: Mixture | None = field(default=None, repr=False)

    @classmethod
    def of(cls, problem: Problem) -> Workbench:
        """Return the workbench of a problem, empty the first time only."""

        def derive() -> Workbench:
            graph = graph_of(problem.weights, device=problem.device)
            return cls(graph, near_of(graph, problem.neighbours))

        return problem.once("workbench", derive)

    def plain_pairs(self, operator: Operator, n: int) -> Pairs:
        """Return the n lowest eigenpairs, or more, of the graph as it is."""
        self.plain = _brought(self.plain, operator, n)
        return self.plain

    def pairs(self, operator: Operator, n: int) -> Pairs:
        """Return the n lowest eigenpairs, or more, with what is known written in."""
        self.latest = _brought(self.latest or self.plain, operator, n)
        return self.latest


def _brought(pairs: Pairs | None, operator: Operator, n: int) -> Pairs:
    if pairs is None:
        return solve(operator, n, tolerance=TOLERANCE)
    wanted = pairs.wanted if n <= pairs.wanted else n + N_AHEAD
    return updated(pairs, operator, wanted=wanted, tolerance=TOLERANCE)


@dataclass(frozen=True)
class WarmClustering(Constrained):
    """A clustering of many samples.

    Attributes
    ----------
    plain : WarmClustering or None
        The clustering that no answer has touched; None for that one itself.

    Notes
    -----
    k-means starts from the plain clusters and the certain sets, never from the clusters
    before: but for what the solver leaves open, the result is a function of the answers
    and not of the way to them. A sample that is set aside is cut out of the graph, but
    its neighbours may still count it among theirs.
    """

    plain: WarmClustering | None = None

    @property
    def bench(self) -> Workbench:
        """What was kept from the clustering before."""
        return Workbench.of(self.problem)

    @cached_property
    def pairs(self) -> Pairs:
        """The lowest n_c eigenpairs, and others that guard them."""
        bench, blocks, n = self.bench, self.blocks, self._n_accurate
        aside = sorted(self.known.aside)
        if self.plain is None:
            return bench.plain_pairs(operator_of(bench.graph, aside=aside), n)
        if not blocks.samples.size:
            return self.plain.pairs
        operator = operator_of(
            bench.graph,
            blocks.samples,
            blocks.group,
            blocks.apart,
            cannot_link=self.recipe.cannot_link,
            aside=aside,
        )
        return bench.pairs(operator, n)

    @property
    def _n_accurate(self) -> int:
        """How many eigenpairs are to be accurate.

        A known number of clusters ends at a gap, and those beyond it hardly count.
        Where nobody knows it there may be none, and the last vector must not be mixed
        with the next.
        """
        is_known = self.n_clusters == self.problem.n_clusters
        wanted = self.n_clusters + (0 if is_known else N_EXTRA)
        return min(wanted, self.problem.n_samples)

    @cached_property
    def raw(self) -> Indices:
        """The clusters of k-means, before known pairs are enforced."""
        k = self.n_clusters
        if self.plain is None:
            return clusters(self.pairs, k)
        if not self.blocks.samples.size:
            return self.plain.raw
        steps = N_MOVED // self.problem.n_samples
        steps = min(max(steps, FEWEST_STEPS), MOST_STEPS)
        start = self.plain.raw
        return reclustered(self.pairs, k, start, self.seeds, steps=steps)

    @property
    def shares(self) -> Shares:
        """P(c | x) by the neighbours of each sample (Eq. 9), of shape (n, n_c)."""
        return Shares(self.bench.near, self.raw, self.n_clusters)

    @cached_property
    def doubt(self) -> Floats:
        """The entropy of clusters among each sample's neighbours (Eqs. 9, 12)."""
        return neighbour_entropy(self.bench.near, self.raw, self.n_clusters)

    @cached_property
    def mixture_doubt(self) -> Floats:
        """The entropy of clusters under a mixture in the eigenspace (Eqs. 11, 12)."""
        rows = embedded(self.pairs, self.n_clusters)
        bench = self.bench
        bench.mixture = Mixture.fitted(rows, self.raw, self.n_clusters, bench.mixture)
        return bench.mixture.entropy(rows)

    def speeds(self, gradient: str, anchors: Indices, samples: Indices) -> Floats:
        """Return how fast the eigenvectors move when some samples become certain."""
        speed = SPEEDS[gradient]
        k = self.n_clusters
        return speed(self.pairs, k, anchors, samples, n_pairs=k + N_EXTRA)

    def pulls(self, anchors: Indices, samples: Indices) -> Floats:
        """Return in which directions they move, one row for each of some samples."""
        n = self.n_clusters + N_EXTRA
        both = np.concatenate([anchors, samples])
        rows = self.pairs.rows(both)[:, :n].astype(np.float64)
        values, scale = self.pairs.values[:n], np.ones(len(rows))
        some = Spectrum(values, rows, scale, is_normalised=True)
        at = np.split(np.arange(len(both)), [len(anchors)])
        return directions(some, self.n_clusters, *at)


SPEEDS = {"exact": exact_gradient_of_pairs, "paper": paper_gradient_of_pairs}


@dataclass(frozen=True, slots=True)
class Shares:
    """P(c | x) by the neighbours, for the samples that are looked at."""

    near: Near
    labels: Indices
    k: int

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and clusters."""
        return len(self.labels), self.k

    def __getitem__(self, rows: Indices) -> Floats:
        return shares(self.near, self.labels, self.k, rows)

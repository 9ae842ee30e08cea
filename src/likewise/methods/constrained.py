"""Spectral clustering with known groups written into the weights (paper, 3.1).

One seam, :class:`Constrained`, and two halves behind it. The exact one solves for each
spectrum from nothing, to all digits, whatever the weights and the Laplacian; the large
one works out what an answer changes from what was there before, which is not the same
to the last digit but takes a hundredth of the time where samples are many.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Protocol, TypeAlias

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._cached import Form
from likewise.knowledge import AnyClusters, Knowledge, Likeness
from likewise.methods._problem import Problem
from likewise.methods._recipe import LAPLACIANS, N_EXTRA, Recipe
from likewise.methods._scores import (
    Mixture,
    Near,
    directions,
    entropy,
    exact_gradient,
    exact_speed,
    mixture_probabilities,
    near_of,
    neighbour_entropy,
    neighbour_probabilities,
    paper_gradient,
    paper_speed,
    shares,
)
from likewise.spectral import (
    Array,
    Blocks,
    ConstrainedWeights,
    DeviceClusters,
    DeviceNumbers,
    Eigenpairs,
    Graph,
    Operator,
    Pairs,
    Spectrum,
    clusters,
    embedded,
    embedding,
    form_of_pairs,
    graph_of,
    known_blocks,
    lowered_k_means,
    lowest,
    operator_of,
    reclustered,
    solve,
    updated,
)


class Gradient(Protocol):
    """How fast the eigenvectors move when some samples become certain."""

    def __call__(
        self,
        pairs: Eigenpairs,
        n_clusters: int,
        anchors: Indices,
        samples: Indices | None = None,
        *,
        n_pairs: int | None = None,
    ) -> AnyFloats:
        """Return a number for each of the samples."""


GRADIENTS: dict[str, Gradient] = {"exact": exact_gradient, "paper": paper_gradient}
SPEEDS = {"exact": exact_speed, "paper": paper_speed}  # where the eigenvectors are
Steps: TypeAlias = "AnyFloats | DeviceNumbers"


@dataclass(frozen=True)
class Constrained(ABC):
    """A spectral clustering that is computed when it is first looked at.

    Attributes
    ----------
    problem : Problem
    recipe : Recipe
    n_clusters : int
        n_c of the paper.
    known : Knowledge
    groups : tuple of int
        The known groups that are written into the weights; the certain sets first.
    """

    problem: Problem
    recipe: Recipe
    n_clusters: int
    known: Knowledge
    groups: tuple[int, ...] = ()

    @property
    @abstractmethod
    def pairs(self) -> Eigenpairs:
        """The lowest n_c eigenpairs, and some more."""

    @property
    @abstractmethod
    def raw(self) -> AnyClusters:
        """The clusters of k-means, before known pairs are enforced."""

    @property
    @abstractmethod
    def shares(self) -> Likeness:
        """P(c | x) by the neighbours of each sample (Eq. 9), of shape (n, n_c)."""

    @property
    @abstractmethod
    def doubt(self) -> Steps:
        """The entropy of clusters among each sample's neighbours (Eqs. 9, 12)."""

    @property
    @abstractmethod
    def mixture_doubt(self) -> Floats:
        """The entropy of clusters under a mixture in the eigenspace (Eqs. 11, 12)."""

    def speeds(self, gradient: str, anchors: Indices, samples: Indices) -> AnyFloats:
        """Return how fast the eigenvectors move when some samples become certain.

        Parameters
        ----------
        gradient : {"exact", "paper"}
        anchors : ndarray of shape (m,)
            One sample of each certain set.
        samples : ndarray of shape (s,)

        Returns
        -------
        ndarray of shape (s,)
        """
        speed, k = GRADIENTS[gradient], self.n_clusters
        return speed(self.pairs, k, anchors, samples, n_pairs=self.n_pairs)

    def speeds_at(self, gradient: str, anchors: Indices, at: Array) -> Array:
        """Return the same of samples that stand there, where the eigenvectors are."""
        speed, k = SPEEDS[gradient], self.n_clusters
        return speed(self.pairs, k, anchors, at, self.n_pairs)

    def pulls(self, anchors: Indices, samples: Indices) -> Floats:
        """Return in which directions they move, one row for each of some samples."""
        k = self.n_clusters
        return directions(self.pairs, k, anchors, samples, n_pairs=self.n_pairs)

    @property
    def n_pairs(self) -> int:
        """Over how many eigenpairs the inner sum of the gradient runs."""
        return self.recipe.n_pairs(self.n_clusters, self.problem.n_samples)

    @cached_property
    def blocks(self) -> Blocks:
        """The known samples by group."""
        return known_blocks(self.known.constraints, self.groups)

    @property
    def seeds(self) -> list[tuple[int, ...]]:
        """The certain sets among the groups, if k-means starts from them."""
        if not self.recipe.seeded:
            return []
        return [
            self.known.constraints.samples(group)
            for group in self.groups
            if group in self.known.certain
        ]

    def holds(self, known: Knowledge, groups: tuple[int, ...]) -> bool:
        """Tell whether a clustering under `known` would be this one."""
        if groups != self.groups:
            return False
        then, now, among = self.known.constraints, known.constraints, frozenset(groups)
        return all(
            now.samples(group) == then.samples(group)
            and _same_within(among, now.apart_from(group), then.apart_from(group))
            for group in groups
        )


def _same_within(
    among: frozenset[int], some: frozenset[int], others: frozenset[int]
) -> bool:
    """Tell whether two sets are the same among some groups; most are one object."""
    return some is others or some & among == others & among


@dataclass(frozen=True)
class ExactClustering(Constrained):
    """A clustering of not too many samples: each spectrum from nothing, exactly."""

    @cached_property
    def weights(self) -> ConstrainedWeights:
        """The similarities with the answers written in."""
        cannot_link = self.recipe.cannot_link
        return ConstrainedWeights.of(self.problem.weights, self.blocks, cannot_link)

    @cached_property
    def pairs(self) -> Spectrum:
        """The lowest n_c eigenpairs, and some more."""
        laplacian = LAPLACIANS[self.recipe.laplacian](self.weights)
        return lowest(laplacian, self.n_pairs)

    @cached_property
    def coordinates(self) -> Floats:
        """The samples in the eigenspace, of shape (n, n_c)."""
        unit_rows = self.recipe.unit_rows
        return embedding(self.pairs, self.n_clusters, unit_rows=unit_rows)

    @cached_property
    def raw(self) -> Indices:
        """The clusters of k-means, before known pairs are enforced."""
        return lowered_k_means(self.coordinates, self.n_clusters, self.seeds)

    @cached_property
    def shares(self) -> Floats:
        """P(c | x) by the neighbours of each sample (Eq. 9), of shape (n, n_c)."""
        return neighbour_probabilities(
            self.problem.neighbours, self.raw, self.n_clusters
        )

    @property
    def doubt(self) -> Floats:
        """The entropy of clusters among each sample's neighbours (Eqs. 9, 12)."""
        return entropy(self.shares)

    @property
    def mixture_doubt(self) -> Floats:
        """The entropy of clusters under a mixture in the eigenspace (Eqs. 11, 12)."""
        shares = mixture_probabilities(self.coordinates, self.raw, self.n_clusters)
        return entropy(shares)


N_AHEAD = 8  # eigenvectors asked for at once when the clusters become more
MOST_STEPS, FEWEST_STEPS = 20, 5  # of k-means, for few samples and for very many
N_MOVED = 500_000  # samples that are given a cluster in all steps together, in between


@dataclass(frozen=True, slots=True, eq=False)
class Warm:
    """What a clustering of many samples hands on to the next one.

    Attributes
    ----------
    pairs : Pairs or None
        The last that were worked out.
    mixture : Mixture or None
        The last one.
    """

    pairs: Pairs | None = None
    mixture: Mixture | None = None


@dataclass(eq=False, slots=True)
class Found:
    """What a clustering has worked out; empty until somebody looks."""

    pairs: Pairs | None = None
    mixture: Mixture | None = None


@dataclass(frozen=True)
class LargeClustering(Constrained):
    """A clustering of many samples, from what the one before has handed on.

    Attributes
    ----------
    plain : LargeClustering or None
        The clustering that no answer has touched; None for that one itself.
    before : Warm
        What was at hand when this one was made.

    Notes
    -----
    k-means starts from the plain clusters and the certain sets, never from the clusters
    before: but for what the solver leaves open, the result is a function of the answers
    and not of the way to them. A sample that is set aside is cut out of the graph, but
    its neighbours may still count it among theirs.
    """

    plain: LargeClustering | None = None
    before: Warm = Warm()
    _found: Found = field(default_factory=Found, init=False, repr=False, compare=False)

    @property
    def warm(self) -> Warm:
        """What it hands on: its own as far as somebody has looked, else what it got."""
        mine, before = self._found, self.before
        return Warm(mine.pairs or before.pairs, mine.mixture or before.mixture)

    @property
    def graph(self) -> Graph:
        """The graph before any answer, made once for a problem."""
        problem = self.problem
        return problem.once(
            "graph", lambda: graph_of(problem.weights, device=problem.device)
        )

    @property
    def near(self) -> Near:
        """The neighbours of each sample, made once for a problem."""
        problem = self.problem
        return problem.once("near", lambda: near_of(self.graph, problem.neighbours))

    @property
    def pairs(self) -> Pairs:
        """The lowest n_c eigenpairs, and others that guard them."""
        if self.plain is not None and not self.blocks.samples.size:
            return self.plain.pairs
        if self._found.pairs is None:
            at_hand = self.before.pairs
            if at_hand is None and self.plain is not None:
                at_hand = self.plain.warm.pairs
            self._found.pairs = self._pairs_from(at_hand)
        return self._found.pairs

    def _pairs_from(self, at_hand: Pairs | None) -> Pairs:
        wanted, used, operator = self._n_accurate, self.n_clusters, self.operator
        if at_hand is not None:
            return _brought(at_hand, operator, wanted, used)
        cold = partial(solve, operator, wanted, used=used)
        if not self._is_first:
            return cold()
        form = form_of_pairs(operator)
        return self.problem.kept("pairs", (wanted, used), cold, form)

    @property
    def _is_first(self) -> bool:
        """Whether it follows from the data alone."""
        return self.plain is None and not self.known.aside

    @property
    def operator(self) -> Operator:
        """The Laplacian with what is known written in."""
        blocks = self.blocks
        return operator_of(
            self.graph,
            blocks.samples,
            blocks.group,
            blocks.apart,
            cannot_link=self.recipe.cannot_link,
            aside=sorted(self.known.aside),
        )

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
    def raw(self) -> DeviceClusters:
        """The clusters of k-means, before known pairs are enforced."""
        k = self.n_clusters
        if self._is_first and self.before.pairs is None:
            found, key = partial(clusters, self.pairs, k), (k, self._n_accurate)
            return self.problem.kept("clusters", key, found, form_in(self.graph))
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
        return Shares(self.near, self.raw, self.n_clusters)

    @cached_property
    def doubt(self) -> DeviceNumbers:
        """The entropy of clusters among each sample's neighbours (Eqs. 9, 12)."""
        return neighbour_entropy(self.near, self.raw, self.n_clusters)

    @cached_property
    def mixture_doubt(self) -> Floats:
        """The entropy of clusters under a mixture in the eigenspace (Eqs. 11, 12)."""
        rows, before = embedded(self.pairs, self.n_clusters), self.before.mixture
        mixture = Mixture.fitted(rows, self.raw, self.n_clusters, before)
        self._found.mixture = mixture
        return mixture.entropy(rows)


def form_in(graph: Graph) -> Form[DeviceClusters]:
    """Return how clusters of the samples of a graph are kept."""
    return Form(
        lambda found: {"labels": found[:]},
        lambda arrays: graph.clusters(graph.inside(arrays["labels"])),
    )


def _brought(pairs: Pairs, operator: Operator, n: int, used: int) -> Pairs:
    """Return the n lowest eigenpairs, or more, from those at hand."""
    wanted = pairs.wanted if n <= pairs.wanted else n + N_AHEAD
    return updated(pairs, operator, wanted=wanted, used=used)


@dataclass(frozen=True, slots=True)
class Shares:
    """P(c | x) by the neighbours, for the samples that are looked at."""

    near: Near
    labels: DeviceClusters
    k: int

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and clusters."""
        return len(self.labels), self.k

    def __getitem__(self, rows: Indices) -> Floats:
        return shares(self.near, self.labels, self.k, rows)

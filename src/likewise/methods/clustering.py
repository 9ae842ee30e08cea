"""Spectral clustering under the answers so far (paper, 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.knowledge import Answer, Knowledge
from likewise.labelling import respect
from likewise.methods.outlook import ClusteredModel
from likewise.operators import (
    Blocks,
    ConstrainedWeights,
    Laplacian,
    additive,
    known_blocks,
    signed_normalised,
    unnormalised,
)
from likewise.problem import Problem
from likewise.scores.ambiguity import neighbour_probabilities
from likewise.spectral import Spectrum, embedding, k_means, lowest

N_EXTRA = 5  # eigenvectors beyond n_c, for the inner sum of the gradient
UNKNOWN = 2  # clusters to start with when nobody knows how many there are (paper, 3)

LAPLACIANS: dict[str, Callable[[ConstrainedWeights], Laplacian]] = {
    "signed": signed_normalised,
    "literal": unnormalised,
    "kamvar": additive,
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the answers enter the spectrum.

    Attributes
    ----------
    laplacian : str
        A name in ``LAPLACIANS``: "signed" normalised, the paper's "literal" D - W, or
        "kamvar", the additive normalisation of spectral learning.
    cannot_link : float
        The weight of a cannot-linked pair: 0, or the paper's -1.
    """

    laplacian: str = "signed"
    cannot_link: float = 0.0


Which = Callable[[Knowledge], tuple[int, ...]]


def settled(known: Knowledge) -> tuple[int, ...]:
    """Return the groups that hold while a sample is half placed: certain sets first."""
    groups = known.constraints.members
    return known.certain + tuple(
        group
        for group in groups
        if len(groups[group]) > 1 and group not in known.certain
    )


def everything(known: Knowledge) -> tuple[int, ...]:
    """Return all groups that any answer touched: certain sets first."""
    groups = known.constraints.members
    return known.certain + tuple(
        group for group in groups if group not in known.certain
    )


@dataclass(frozen=True)
class ConstrainedClustering:
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

    @cached_property
    def weights(self) -> ConstrainedWeights:
        """The similarities with the answers written in."""
        cannot_link = self.recipe.cannot_link
        return ConstrainedWeights.of(self.problem.weights, self.blocks, cannot_link)

    @cached_property
    def spectrum(self) -> Spectrum:
        """The lowest n_c eigenpairs and a few more."""
        laplacian = LAPLACIANS[self.recipe.laplacian](self.weights)
        return lowest(laplacian, self.n_clusters + N_EXTRA)

    @cached_property
    def coordinates(self) -> Floats:
        """The samples in the eigenspace, of shape (n, n_c)."""
        unit_rows = self.recipe.laplacian != "literal"
        return embedding(self.spectrum, self.n_clusters, unit_rows=unit_rows)

    @cached_property
    def raw(self) -> Indices:
        """The clusters of k-means, before known pairs are enforced."""
        seeds = [
            self.known.constraints.samples(group)
            for group in self.groups
            if group in self.known.certain
        ]
        return k_means(self.coordinates, self.n_clusters, seeds)

    @cached_property
    def blocks(self) -> Blocks:
        """The known samples by group."""
        return known_blocks(self.known.constraints, self.groups)

    @cached_property
    def shares(self) -> Floats:
        """P(c | x) by the neighbours of each sample (Eq. 9), of shape (n, n_c)."""
        return neighbour_probabilities(
            self.problem.neighbours, self.raw, self.n_clusters
        )

    def holds(self, known: Knowledge, groups: tuple[int, ...]) -> bool:
        """Tell whether a clustering under `known` would be this one."""
        return groups == self.groups and all(
            known.constraints.samples(group) == self.known.constraints.samples(group)
            and known.constraints.apart_from(group).intersection(groups)
            == self.known.constraints.apart_from(group).intersection(groups)
            for group in groups
        )


@dataclass(frozen=True)
class SpectralModel(ClusteredModel):
    """A constrained clustering, and what the answers since then rule out.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    clustering : ConstrainedClustering
    plain : ConstrainedClustering
        The clustering of the same number of clusters that no answer has touched.
    start : int
        The sample that is the first certain set until somebody answers (paper, 3).
    """

    clustering: ConstrainedClustering
    plain: ConstrainedClustering
    start: int

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample, with every known pair respected.

        The constrained clustering counts only if it agrees better with the answers than
        the plain one does: answers must not make the result worse than asking nothing.
        """
        known, found, blocks = self.known, self.plain, self.clustering.blocks
        if _agreement(self.clustering.raw, blocks) > _agreement(found.raw, blocks):
            found = self.clustering
        return respect(found.raw, found.shares, known.constraints, known.certain)


def begin_spectral(
    recipe: Recipe,
    which: Which,
    problem: Problem,
    known: Knowledge,
    rng: np.random.Generator,
) -> SpectralModel:
    """Make the model of any state of the answers; the ``begin`` of spectral methods."""
    start = int(rng.integers(problem.n_samples))
    k = _n_clusters(problem, known)
    problem = problem.without(known.aside)
    plain = ConstrainedClustering(problem, recipe, k, Knowledge(problem.n_samples))
    clustering = replace(plain, known=known, groups=which(known))
    return SpectralModel(problem, known, clustering, plain, start)


def learn_spectral(
    which: Which, model: SpectralModel, known: Knowledge, _: Answer
) -> SpectralModel:
    """Cluster anew only when a group has changed; the ``learn`` of spectral methods."""
    groups = which(known)
    if model.clustering.holds(known, groups):
        return replace(model, known=known)
    plain, k = model.plain, _n_clusters(model.plain.problem, known)
    if plain.n_clusters != k:
        plain = replace(plain, n_clusters=k)
    clustering = replace(plain, known=known, groups=groups)
    return replace(model, clustering=clustering, plain=plain, known=known)


def _n_clusters(problem: Problem, known: Knowledge) -> int:
    """Return n_c: as given, or 2, and growing with the certain sets (paper, 3)."""
    given = problem.n_clusters or UNKNOWN
    return min(max(given, len(known.certain)), problem.n_samples)


def _agreement(raw: Indices, blocks: Blocks) -> float:
    """Return how far clusters agree with the known pairs, between 0 and 2.

    The share of must-linked pairs that are together, plus the share of cannot-linked
    pairs that are apart.
    """
    table = np.zeros((len(blocks.sizes), int(raw.max()) + 1))
    np.add.at(table, (blocks.group, raw[blocks.samples]), 1.0)
    linked, sizes = (blocks.sizes * (blocks.sizes - 1)).sum(), blocks.sizes
    together = (table * (table - 1)).sum() / linked if linked else 1.0
    barred = sizes @ (blocks.apart @ sizes)
    mixed = (table * (blocks.apart @ table)).sum() / barred if barred else 0.0
    return float(together + 1.0 - mixed)

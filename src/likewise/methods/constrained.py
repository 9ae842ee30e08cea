"""Spectral clustering with known groups written into the weights (paper, 3.1)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from likewise._arrays import Floats, Indices
from likewise.knowledge import Knowledge, Likeness
from likewise.methods._problem import Problem
from likewise.methods._scores import (
    directions,
    entropy,
    exact_gradient,
    mixture_probabilities,
    neighbour_probabilities,
    paper_gradient,
)
from likewise.spectral import (
    Blocks,
    ConstrainedWeights,
    Laplacian,
    Spectrum,
    additive,
    embedding,
    k_means,
    known_blocks,
    lowest,
    signed_normalised,
    unnormalised,
)

N_EXTRA = 5  # eigenvectors beyond n_c, for the inner sum of the gradient
N_EXACT = 2000  # samples up to which eigenvectors are solved for to all digits

LAPLACIANS: dict[str, Callable[[ConstrainedWeights], Laplacian]] = {
    "signed": signed_normalised,
    "literal": unnormalised,
    "kamvar": additive,
}
GRADIENTS: dict[str, Callable[[Spectrum, int, Indices], Floats]] = {
    "exact": exact_gradient,
    "paper": paper_gradient,
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the answers enter the spectrum, and how it is solved for.

    Attributes
    ----------
    laplacian : str
        A name in ``LAPLACIANS``: "signed" normalised, the paper's "literal" D - W, or
        "kamvar", the additive normalisation of spectral learning.
    cannot_link : float
        The weight of a cannot-linked pair: 0, or the paper's -1.
    n_exact : int
        Samples up to which each spectrum is solved for from nothing, to all digits.
        Above, that of a sparse graph with the "signed" Laplacian goes on from the one
        before, to a residual of 0.0002.
    """

    laplacian: str = "signed"
    cannot_link: float = 0.0
    n_exact: int = N_EXACT


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
    def raw(self) -> Indices:
        """The clusters of k-means, before known pairs are enforced."""

    @property
    @abstractmethod
    def shares(self) -> Likeness:
        """P(c | x) by the neighbours of each sample (Eq. 9), of shape (n, n_c)."""

    @property
    @abstractmethod
    def doubt(self) -> Floats:
        """The entropy of clusters among each sample's neighbours (Eqs. 9, 12)."""

    @property
    @abstractmethod
    def mixture_doubt(self) -> Floats:
        """The entropy of clusters under a mixture in the eigenspace (Eqs. 11, 12)."""

    @abstractmethod
    def speeds(self, gradient: str, anchors: Indices, samples: Indices) -> Floats:
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

    @abstractmethod
    def pulls(self, anchors: Indices, samples: Indices) -> Floats:
        """Return in which directions they move, one row for each of some samples."""

    @cached_property
    def blocks(self) -> Blocks:
        """The known samples by group."""
        return known_blocks(self.known.constraints, self.groups)

    @property
    def seeds(self) -> list[tuple[int, ...]]:
        """The certain sets among the groups, which k-means starts from."""
        return [
            self.known.constraints.samples(group)
            for group in self.groups
            if group in self.known.certain
        ]

    def holds(self, known: Knowledge, groups: tuple[int, ...]) -> bool:
        """Tell whether a clustering under `known` would be this one."""
        return groups == self.groups and all(
            known.constraints.samples(group) == self.known.constraints.samples(group)
            and known.constraints.apart_from(group).intersection(groups)
            == self.known.constraints.apart_from(group).intersection(groups)
            for group in groups
        )


@dataclass(frozen=True)
class ConstrainedClustering(Constrained):
    """A clustering of not too many samples: each spectrum from nothing, exactly."""

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
        return k_means(self.coordinates, self.n_clusters, self.seeds)

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

    def speeds(self, gradient: str, anchors: Indices, samples: Indices) -> Floats:
        """Return how fast the eigenvectors move when some samples become certain."""
        speed = GRADIENTS[gradient]
        return speed(self.spectrum, self.n_clusters, anchors)[samples]

    def pulls(self, anchors: Indices, samples: Indices) -> Floats:
        """Return in which directions they move, one row for each of some samples."""
        return directions(self.spectrum, self.n_clusters, anchors, samples)

"""The model of spectral methods: a clustering under the answers so far (paper, 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Indices
from likewise.knowledge import Answer, AnyClusters, Knowledge, numbered, respect
from likewise.methods._base import Method, Propose
from likewise.methods._outlook import ClusteredModel
from likewise.methods._problem import Problem
from likewise.methods._recipe import OURS, Recipe
from likewise.methods.constrained import (
    Constrained,
    ExactClustering,
    LargeClustering,
    Warm,
)
from likewise.spectral import Blocks

UNKNOWN = 2  # clusters to start with when nobody knows how many there are (paper, 3)

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
class SpectralModel(ClusteredModel):
    """A constrained clustering, and what the answers since then rule out.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    clustering : Constrained
    plain : Constrained
        The clustering of the same number of clusters that no answer has touched.
    start : int
        The sample that is the first certain set until somebody answers (paper, 3).
    """

    clustering: Constrained
    plain: Constrained
    start: int

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample; known pairs are kept where the recipe says so.

        Otherwise they are the clusters of k-means, and only called after the certain
        sets.
        """
        known, found = self.known, self.counted
        labelled = respect if found.recipe.enforced else numbered
        return labelled(found.raw, found.shares, known.constraints, known.certain)

    @property
    def counted(self) -> Constrained:
        """The clustering that counts.

        Where the recipe is guarded, the constrained one only if it agrees better with
        the answers than the plain one does: answers must not make the result worse than
        asking nothing.
        """
        mine, plain, blocks = self.clustering, self.plain, self.clustering.blocks
        if not mine.recipe.guarded:
            return mine
        is_better = _agreement(mine.raw, blocks) > _agreement(plain.raw, blocks)
        return mine if is_better else plain


def spectral_method(
    name: str,
    about: str,
    propose: Propose[SpectralModel],
    which: Which = settled,
    most_clusters: int | None = None,
    recipe: Recipe = OURS,
) -> Method[SpectralModel]:
    """Compose a method that clusters spectrally; it can be had under any recipe.

    Parameters
    ----------
    name, about : str
    propose : callable
        Chooses the next question.
    which : callable
        Says which groups are written into the weights.
    most_clusters : int, optional
    recipe : Recipe

    Examples
    --------
    >>> def nothing(model, known, rng, pending=()):
    ...     return None
    >>> mine = spectral_method("mine", "Asks nothing.", nothing)
    >>> mine.under(Recipe.paper()).name
    'mine'
    """
    return Method(
        name,
        about,
        partial(begin_spectral, recipe, which),
        partial(learn_spectral, which),
        propose,
        most_clusters,
        resume=partial(resume_spectral, recipe, which),
        under=partial(spectral_method, name, about, propose, which, most_clusters),
    )


def begin_spectral(
    recipe: Recipe,
    which: Which,
    problem: Problem,
    known: Knowledge,
    rng: np.random.Generator,
) -> SpectralModel:
    """Make the model of any state of the answers; the ``begin`` of spectral methods."""
    start = int(rng.integers(problem.n_samples))
    plain = _plain(problem, recipe, _n_clusters(problem, known), known.aside)
    clustering = _under(plain, known, which(known))
    return SpectralModel(plain.problem, known, clustering, plain, start)


def resume_spectral(
    recipe: Recipe,
    which: Which,
    model: SpectralModel,
    problem: Problem,
    known: Knowledge,
) -> SpectralModel:
    """Make it from one of other answers; the ``resume`` of spectral methods.

    What still holds is kept as it is, and what does not goes on from what was there.
    """
    plain = _plain(problem, recipe, _n_clusters(problem, known), known.aside)
    plain = _gone_on(plain, model.plain)
    if plain is model.plain:
        return _learned(which, model, known)
    clustering = _under(plain, known, which(known), model.clustering)
    return SpectralModel(plain.problem, known, clustering, plain, model.start)


def learn_spectral(
    which: Which, model: SpectralModel, known: Knowledge, _: Answer
) -> SpectralModel:
    """Cluster anew only when a group has changed; the ``learn`` of spectral methods."""
    return _learned(which, model, known)


def _learned(which: Which, model: SpectralModel, known: Knowledge) -> SpectralModel:
    groups = which(known)
    if model.clustering.holds(known, groups):
        return replace(model, known=known)
    k = _n_clusters(model.plain.problem, known)
    plain = _gone_on(replace(model.plain, n_clusters=k), model.plain)
    clustering = _under(plain, known, groups, model.clustering)
    return replace(model, clustering=clustering, plain=plain, known=known)


def _plain(
    problem: Problem, recipe: Recipe, k: int, aside: frozenset[int]
) -> Constrained:
    """Return the clustering that no answer has touched, exact or large.

    The exact one is made once for a problem, whoever looks at it.
    """
    n = problem.n_samples
    if n > recipe.n_exact and recipe.goes_on and sp.issparse(problem.weights):
        return LargeClustering(problem, recipe, k, Knowledge(n, aside=aside))
    kept = problem.without(aside)
    return kept.once(
        ("plain clustering", recipe, k),
        lambda: ExactClustering(kept, recipe, k, Knowledge(n)),
    )


def _gone_on(plain: Constrained, before: Constrained) -> Constrained:
    """Return the one before where it is the same, else the new one from it."""
    is_same_graph = plain.problem is before.problem
    is_same_aside = plain.known.aside == before.known.aside
    if is_same_graph and is_same_aside and plain.n_clusters == before.n_clusters:
        return before
    return _warmed(plain, before)


def _under(
    plain: Constrained,
    known: Knowledge,
    groups: tuple[int, ...],
    before: Constrained | None = None,
) -> Constrained:
    """Return the clustering with groups written in, from the one before."""
    if isinstance(plain, LargeClustering):
        under = replace(plain, known=known, groups=groups, plain=plain, before=Warm())
        return _warmed(under, before)
    return replace(plain, known=known, groups=groups)


def _warmed(clustering: Constrained, before: Constrained | None) -> Constrained:
    """Return a clustering that goes on from another one of the same problem."""
    if not isinstance(clustering, LargeClustering):
        return clustering
    if not isinstance(before, LargeClustering):
        return clustering
    if clustering.problem is not before.problem:
        return clustering
    return replace(clustering, before=before.warm)


def _n_clusters(problem: Problem, known: Knowledge) -> int:
    """Return n_c: as given, or 2, and growing with the certain sets (paper, 3)."""
    given = problem.n_clusters or UNKNOWN
    return min(max(given, len(known.certain)), problem.n_samples)


def _agreement(raw: AnyClusters, blocks: Blocks) -> float:
    """Return how far clusters agree with the known pairs, between 0 and 2.

    The share of must-linked pairs that are together, plus the share of cannot-linked
    pairs that are apart.
    """
    where = raw[blocks.samples]
    table = np.zeros((len(blocks.sizes), int(where.max(initial=0)) + 1))
    np.add.at(table, (blocks.group, where), 1.0)
    linked, sizes = (blocks.sizes * (blocks.sizes - 1)).sum(), blocks.sizes
    together = (table * (table - 1)).sum() / linked if linked else 1.0
    barred = sizes @ (blocks.apart @ sizes)
    mixed = (table * (blocks.apart @ table)).sum() / barred if barred else 0.0
    return float(together + 1.0 - mixed)

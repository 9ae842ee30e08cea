"""The constrained spanning forest as a model, and how a pair is asked about on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.constraints import Verdict
from likewise.forest import (
    Barriers,
    Edges,
    Flags,
    Forest,
    barriers,
    edges_of,
    spanning_forest,
)
from likewise.knowledge import Answer, Knowledge, Question
from likewise.labelling import respect
from likewise.methods.clustering import UNKNOWN
from likewise.methods.outlook import ClusteredModel
from likewise.problem import Problem


@dataclass(frozen=True)
class Pairs:
    """The pairs of a problem, sorted when they are first looked at.

    Attributes
    ----------
    problem : Problem
    aside : frozenset of int
        Samples that are out of the game, so that no edge leads to them.
    """

    problem: Problem
    aside: frozenset[int]

    @cached_property
    def edges(self) -> Edges:
        """The pairs without those that are out of the game, the nearest first."""
        edges = edges_of(self.problem)
        if not self.aside:
            return edges
        return edges.only(self.active[edges.first] & self.active[edges.second])

    @cached_property
    def active(self) -> Flags:
        """Which samples are in the game, of shape (n,)."""
        active = np.ones(self.problem.n_samples, dtype=bool)
        active[list(self.aside)] = False
        return active


@dataclass(frozen=True)
class ForestModel(ClusteredModel):
    """A spanning forest that denies no answer, grown when it is first looked at.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    pairs : Pairs

    Notes
    -----
    Where nobody knows the number of clusters it is 2, and the cannot-links raise it by
    themselves: groups that are pairwise apart are trees of their own.
    """

    pairs: Pairs

    @cached_property
    def start(self) -> Indices:
        """The group of each sample that answers have made known, 0..g-1."""
        name = np.arange(self.problem.n_samples)
        for group, members in self.known.constraints.members.items():
            name[list(members)] = group
        _, start = np.unique(name, return_inverse=True)
        return start.astype(np.intp)

    @cached_property
    def n_wanted(self) -> int:
        """Trees to stop at: the clusters, and the groups that are out of the game."""
        sizes = self.sizes(self.start)
        return (self.problem.n_clusters or UNKNOWN) + int((sizes == 0).sum())

    @cached_property
    def forest(self) -> Forest:
        """The minimum spanning forest under the answers."""
        bars = self.bars(self.start)
        return spanning_forest(self.pairs.edges, self.start, bars, self.n_wanted)

    @cached_property
    def raw(self) -> Indices:
        """The tree of each sample."""
        return self.forest.parts(len(self.forest.joins))

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample; only the numbers differ from those of trees."""
        # No likeness is needed to break ties: each group is in one tree as a whole.
        likeness = np.zeros((len(self.raw), int(self.raw.max()) + 1))
        constraints, certain = self.known.constraints, self.known.certain
        return respect(self.raw, likeness, constraints, certain)

    def sizes(self, parts: Indices) -> Floats:
        """Return how many samples of each part are in the game."""
        return np.bincount(parts, weights=self.pairs.active).astype(np.float64)

    def bars(self, parts: Indices) -> Barriers:
        """Return which parts are known to be apart."""
        return barriers(parts, self.known.constraints)


Choice: TypeAlias = Callable[[ForestModel, Flags], int | None]


def begin_forest(
    problem: Problem,
    known: Knowledge,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
) -> ForestModel:
    """Make the model of any state of the answers."""
    problem = problem.without(known.aside)
    return ForestModel(problem, known, Pairs(problem, known.aside))


def learn_forest(model: ForestModel, known: Knowledge, _: Answer) -> ForestModel:
    """Grow anew when somebody looks, on the pairs that are sorted already."""
    return replace(model, known=known)


def chance(rank: Floats, n_clusters: int) -> Floats:
    r"""Return how likely pairs are of one class, by their distance alone.

    .. math:: p = \frac{1/k}{1/k + r}

    with r the share of all pairs that are at most as far from each other. Of k classes
    of one size about 1/k of all pairs are together; a pair is of one class by even
    chance where as many pairs are nearer than that.

    Parameters
    ----------
    rank : ndarray
        r above.
    n_clusters : int

    Notes
    -----
    The papers leave the estimate open. This one needs no label and no scale, falls as
    distance grows, and does not change under any monotone function of the distance.
    """
    return 1 / (1 + n_clusters * rank)


def propose_edge(
    choose: Choice,
    model: ForestModel,
    known: Knowledge,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Ask about the edge that is chosen; where there is none, about any open pair.

    Parameters
    ----------
    choose : callable
        ``choose(model, askable)`` returns the position of an edge that may be asked
        about and whose relation is not known, or None.
    model, known, rng, pending
        As for every method. A pending question counts as one that nobody can tell,
        and its samples are left alone while there are others.
    """
    known = known.after_all(Answer(open_, Verdict.UNSURE) for open_ in pending)
    taken = frozenset(sample for open_ in pending for sample in open_.pair)
    for avoided in dict.fromkeys((taken, frozenset[int]())):
        edge = choose(model, _askable(model.pairs.edges, known, avoided))
        if edge is not None:
            edges = model.pairs.edges
            return _asked(known, int(edges.first[edge]), int(edges.second[edge]))
        if question := _any_open(known, known.aside | avoided):
            return question
    return None


def _askable(edges: Edges, known: Knowledge, avoided: frozenset[int]) -> Flags:
    askable = np.ones(len(edges.length), dtype=bool)
    if known.unsure:
        n = known.n_samples
        doubted = [i * n + j for i, others in known.unsure.items() for j in others]
        askable &= ~np.isin(edges.first * n + edges.second, doubted)
    if avoided:
        away = np.ones(known.n_samples, dtype=bool)
        away[list(avoided)] = False
        askable &= away[edges.first] & away[edges.second]
    return askable


def _asked(known: Knowledge, i: int, j: int) -> Question:
    """Return the question that places the sample of which less is known."""
    constraints = known.constraints
    mine, theirs = (len(constraints.samples(constraints.group(s))) for s in (i, j))
    return Question(j, i) if mine > theirs else Question(i, j)


def _any_open(known: Knowledge, avoided: frozenset[int]) -> Question | None:
    """Return an open pair of the largest groups, for when no edge is left."""
    constraints = known.constraints
    names = dict.fromkeys(map(constraints.group, range(known.n_samples)))
    groups = sorted(names, key=lambda group: -len(constraints.samples(group)))
    for a, b in combinations(groups, 2):
        if b not in constraints.apart_from(a):
            for i, j in product(constraints.samples(a), constraints.samples(b)):
                unsure = known.unsure.get(i, frozenset())
                if j not in unsure and not avoided & {i, j}:
                    return _asked(known, i, j)
    return None

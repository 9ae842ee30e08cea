"""The constrained minimum spanning forest: single linkage that denies no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from likewise import _regime as regime
from likewise._arrays import Floats, Indices, Samples, dense
from likewise._ties import first_least, levelled
from likewise.knowledge import (
    Answer,
    Constraints,
    Knowledge,
    Question,
    Verdict,
    respect,
)
from likewise.methods._outlook import ClusteredModel
from likewise.methods._problem import Problem
from likewise.methods.clustering import UNKNOWN

STRAIGHT = 1e-12  # distances that tie: they come straight from the data
BATCH = 4  # edges looked at together, in multiples of the number of samples

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Edges:
    """Pairs of samples, the shortest first.

    Attributes
    ----------
    first, second : ndarray of shape (m,)
        The two samples of each edge.
    length : ndarray of shape (m,)
        Ascending; only the order matters.
    """

    first: Indices
    second: Indices
    length: Floats

    @cached_property
    def rank(self) -> Floats:
        """The share of all edges that are at most as long as each one, of (m,)."""
        upto = np.searchsorted(self.length, self.length, side="right")
        return upto / max(len(self.length), 1)

    def only(self, kept: Flags) -> Edges:
        """Return some of the edges, in the same order."""
        return Edges(self.first[kept], self.second[kept], self.length[kept])


@dataclass(frozen=True)
class Forest:
    """A forest that grew edge by edge.

    Attributes
    ----------
    edges : Edges
        Those it could choose from.
    start : ndarray of shape (n,)
        The must-linked group of each sample, 0..g-1.
    joins : ndarray of shape (t,)
        Positions of the edges that were taken, in the order of their length.
    """

    edges: Edges
    start: Indices
    joins: Indices

    def parts(self, n_joins: int) -> Indices:
        """Return the tree of each sample after some of the joins, 0..g-n_joins-1."""
        taken = self.joins[:n_joins]
        n_groups = int(self.start.max()) + 1
        ends = (
            self.start[self.edges.first[taken]],
            self.start[self.edges.second[taken]],
        )
        graph = sp.coo_array((np.ones(len(taken)), ends), shape=(n_groups, n_groups))
        _, tree = connected_components(graph, directed=False)
        return tree[self.start].astype(np.intp)


@dataclass(frozen=True, slots=True)
class Barriers:
    """Which parts are known to be apart, without a row for those that are not.

    Attributes
    ----------
    row : ndarray of shape (n_parts,)
        The row of each part in `apart`; 0 for parts that are apart from none.
    apart : ndarray of bool of shape (r, r)
    """

    row: Indices
    apart: Flags

    def between(self, a: Indices, b: Indices) -> Flags:
        """Tell for pairs of parts whether they are known to be apart."""
        found: Flags = self.apart[self.row[a], self.row[b]]
        return found


def barriers(parts: Indices, constraints: Constraints) -> Barriers:
    """Return which parts hold groups that are known to be apart.

    Parameters
    ----------
    parts : ndarray of shape (n,)
        The part of each sample, 0..p-1; must-linked samples are in one part.
    constraints : Constraints
    """
    links = [(a, b) for a, others in constraints.apart.items() for b in others]
    ends = parts[np.array(links, dtype=np.intp).reshape(-1, 2)]
    tied = np.unique(ends)
    row = np.zeros(int(parts.max()) + 1, dtype=np.intp)
    row[tied] = np.arange(1, len(tied) + 1)
    apart = np.zeros((len(tied) + 1, len(tied) + 1), dtype=bool)
    apart[row[ends[:, 0]], row[ends[:, 1]]] = True
    return Barriers(row, apart)


def spanning_forest(edges: Edges, start: Indices, bars: Barriers, k: int) -> Forest:
    """Return the forest that Kruskal's algorithm grows between known groups.

    The groups are trees from the start. Edges are taken from the shortest on, unless
    they close a circle or join two trees that hold groups known to be apart, until k
    trees are left.

    Parameters
    ----------
    edges : Edges
    start : ndarray of shape (n,)
        The must-linked group of each sample, 0..g-1.
    bars : Barriers
        Between these groups.
    k : int
        Trees at which to stop; more remain where cannot-links, or edges that lack,
        leave no choice.

    Notes
    -----
    This is single linkage under constraints: the two nearest trees that may be one
    become one. A minimum spanning tree made beforehand is not enough, because an edge
    outside of it is needed where one inside is barred; so all edges are gone through,
    many at a time. Like single linkage it chains: far outliers are trees of their own
    while large heaps that touch are one.
    """
    growth = _Growth(start, bars, k)
    size = BATCH * max(len(start), 1)
    for low in range(0, len(edges.length), size):
        if growth.n_trees <= k:
            break
        growth.take(edges, slice(low, low + size))
    return Forest(edges, start, np.array(growth.joins, dtype=np.intp))


class _Growth:
    """A forest while it grows, seen by its maker only."""

    def __init__(self, start: Indices, bars: Barriers, k: int) -> None:
        self.tree = start.copy()
        self.row, self.apart = bars.row.copy(), bars.apart.copy()
        self.n_trees, self.k = len(bars.row), k
        self.joins: list[int] = []

    def take(self, edges: Edges, batch: slice) -> None:
        a, b = self.tree[edges.first[batch]], self.tree[edges.second[batch]]
        free = (a != b) & ~self.apart[self.row[a], self.row[b]]
        for edge in (batch.start + np.flatnonzero(free)).tolist():
            if self.n_trees <= self.k:
                return
            a, b = self.tree[edges.first[edge]], self.tree[edges.second[edge]]
            if a != b and not self.apart[self.row[a], self.row[b]]:
                self._join(int(a), int(b))
                self.joins.append(edge)

    def _join(self, a: int, b: int) -> None:
        self.tree[self.tree == b] = a
        self.n_trees -= 1
        kept, gone = self.row[a], self.row[b]
        if kept and gone:
            self.apart[kept] |= self.apart[gone]
            self.apart[:, kept] |= self.apart[:, gone]
        self.row[a] = kept or gone


def first_between(
    place: Indices, numbers: Indices, m: int, none: int | None = None
) -> Indices:
    """Return the first edge between each two of m parts, of shape (m, m).

    Parameters
    ----------
    place : ndarray of shape (e,)
        Of edges in some order: m times the part of one end, and the part of the other.
    numbers : ndarray of shape (e,)
        Their ascending numbers.
    m : int
    none : int, optional
        Where there is no edge; larger than all numbers. How many edges there are,
        unless given.
    """
    found = np.full(m * m, len(place) if none is None else none, dtype=np.intp)
    found[place[::-1]] = numbers[::-1]  # of writes to one place the last counts
    square = found.reshape(m, m)
    return np.minimum(square, square.T)


def edges_of(problem: Problem) -> Edges:
    """Return the pairs of a problem's samples, the nearest first.

    Notes
    -----
    Lengths are Euclidean between features; where only similarities were given they
    are the negative closeness, so that pairs without any likeness are the farthest.
    Up to ``FOREST_PAIRS`` samples every pair is an edge, and the forest is exact.
    Above, edges are those of the neighbours' graph, and where features are known the
    pieces of this graph are connected, all with all, by the samples nearest to their
    means.
    """
    if problem.n_samples > regime.FOREST_PAIRS:
        first, second = _graph_pairs(problem)
        return _sorted(first, second, _lengths(problem, first, second))
    first, second = np.triu_indices(problem.n_samples, 1)
    return _sorted(first, second, _all_lengths(problem))


def _sorted(first: Indices, second: Indices, length: Floats) -> Edges:
    order = np.argsort(length, kind="stable")
    length = levelled(length[order], STRAIGHT)
    order = order[np.lexsort((order, length))]
    return Edges(first[order], second[order], length)


def _all_lengths(problem: Problem) -> Floats:
    """Return the lengths of all pairs, row after row of the upper triangle."""
    from scipy.spatial.distance import pdist
    from sklearn.metrics.pairwise import euclidean_distances

    X, n = problem.features, problem.n_samples
    upper = np.triu_indices(n, 1)
    if X is None:
        others = np.arange(n)
        close = np.array([problem.closeness(i, others) for i in range(n)])
        return -np.maximum(close, close.T)[upper]
    if sp.issparse(X):
        return euclidean_distances(X)[upper]
    return pdist(X) if n > 1 else np.zeros(0)


def _graph_pairs(problem: Problem) -> tuple[Indices, Indices]:
    graph = sp.csr_array(problem.neighbours + problem.weights)
    graph = sp.triu(graph + graph.T, 1).tocoo()
    first, second = graph.coords
    if problem.features is None:
        return first.astype(np.intp), second.astype(np.intp)
    _, piece = connected_components(graph, directed=False)
    centres = _centres(problem, piece)
    a, b = np.triu_indices(len(centres), 1)
    return (
        np.concatenate([first, centres[a]]).astype(np.intp),
        np.concatenate([second, centres[b]]).astype(np.intp),
    )


def _centres(problem: Problem, piece: Indices) -> Indices:
    """Return the sample of each piece that is nearest to the piece's mean."""
    from sklearn.metrics.pairwise import euclidean_distances

    X: Samples = problem.features
    found: list[int] = []
    for p in range(int(piece.max()) + 1):
        members = np.flatnonzero(piece == p)
        mean = np.asarray(X[members].mean(axis=0)).reshape(1, -1)
        found.append(int(members[first_least(euclidean_distances(X[members], mean))]))
    return np.array(found, dtype=np.intp)


def _lengths(problem: Problem, first: Indices, second: Indices) -> Floats:
    from sklearn.metrics.pairwise import paired_distances

    if problem.features is not None:
        X = problem.features
        lengths: Floats = paired_distances(X[first], X[second])
        return lengths
    weights = sp.csr_array(problem.weights)
    return -dense(weights[first, second]).ravel()


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

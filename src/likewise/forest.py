"""The constrained minimum spanning forest: single linkage that denies no answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import euclidean_distances, paired_distances

from likewise.arrays import Floats, Indices, Samples, dense
from likewise.constraints import Constraints
from likewise.problem import Problem

ALL_PAIRS = 2500  # samples up to which every pair is an edge; graph edges above
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

    def sides(self, weights: Floats) -> Floats:
        """Return what the two trees weighed that each join made one, of (t, 2).

        Parameters
        ----------
        weights : ndarray of shape (n,)
            Of the samples.
        """
        tree, mass = self.start.copy(), np.bincount(self.start, weights=weights)
        found = np.empty((len(self.joins), 2))
        for at, edge in enumerate(self.joins):
            a, b = tree[self.edges.first[edge]], tree[self.edges.second[edge]]
            found[at] = mass[[a, b]]
            mass[a] += mass[b]
            tree[tree == b] = a
        return found


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


def edges_of(problem: Problem) -> Edges:
    """Return the pairs of a problem's samples, the nearest first.

    Notes
    -----
    Lengths are Euclidean between features; where only similarities were given they
    are the negative closeness, so that pairs without any likeness are the farthest.
    Up to ``ALL_PAIRS`` samples every pair is an edge, and the forest is exact. Above,
    edges are those of the neighbours' graph, and where features are known the pieces
    of this graph are connected, all with all, by the samples nearest to their means.
    """
    if problem.n_samples > ALL_PAIRS:
        first, second = _graph_pairs(problem)
        return _sorted(first, second, _lengths(problem, first, second))
    first, second = np.triu_indices(problem.n_samples, 1)
    return _sorted(first, second, _all_lengths(problem))


def _sorted(first: Indices, second: Indices, length: Floats) -> Edges:
    order = np.argsort(length, kind="stable")
    return Edges(first[order], second[order], length[order])


def _all_lengths(problem: Problem) -> Floats:
    """Return the lengths of all pairs, row after row of the upper triangle."""
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
    X: Samples = problem.features
    found: list[int] = []
    for p in range(int(piece.max()) + 1):
        members = np.flatnonzero(piece == p)
        mean = np.asarray(X[members].mean(axis=0)).reshape(1, -1)
        found.append(int(members[np.argmin(euclidean_distances(X[members], mean))]))
    return np.array(found, dtype=np.intp)


def _lengths(problem: Problem, first: Indices, second: Indices) -> Floats:
    if problem.features is not None:
        X = problem.features
        lengths: Floats = paired_distances(X[first], X[second])
        return lengths
    weights = sp.csr_array(problem.weights)
    return -dense(weights[first, second]).ravel()

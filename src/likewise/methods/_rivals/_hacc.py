"""How a forest would have grown had one pair been known to be apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._ties import tied_best
from likewise.methods._base import Method
from likewise.methods._rivals._forest import (
    Flags,
    ForestModel,
    begin_forest,
    chance,
    learn_forest,
    propose_edge,
)

NEVER = -1  # in place of the nearest edge of trees that must not be joined


@dataclass(frozen=True, slots=True)
class Units:
    """The trees before the last joins: all that is looked at happens between them.

    Attributes
    ----------
    sizes : ndarray of shape (m,)
        Samples in the game.
    reach : ndarray of int of shape (m, m)
        Position of the nearest edge; NEVER where units are apart, or one.
    nearest, farthest : ndarray of int of shape (m, m)
        Positions of the nearest and farthest edges that may be asked about; the number
        of edges, and -1, where there is none.
    joins : list of (int, int, int)
        Units at the ends of the last joins, and the positions of these edges.
    n_wanted, n_edges : int
        Trees to stop at, and the number of edges.
    """

    sizes: Floats
    reach: Indices
    nearest: Indices
    farthest: Indices
    joins: list[tuple[int, int, int]]
    n_wanted: int
    n_edges: int


class History:
    """The trees that there ever are while a forest grows until none may be joined.

    Trees 0..m-1 are the units; tree m + s is the one that join s made. It grows beyond
    the number of trees wanted, as a forest that lacks a join takes one of the next.

    Attributes
    ----------
    reach : ndarray of int of shape (2 m - 1, 2 m - 1)
        As in :class:`Units`, between all trees; NEVER if one holds the other.
    members : list of ndarray
        The units of each tree.
    sides : list of (int, int)
        The two trees that each join made one.
    born, gone : list of int
        Positions of the edges that made each tree, and that made it part of another.
    parent : list of int
        This other tree, or NEVER.
    """

    def __init__(self, units: Units) -> None:
        m = len(units.sizes)
        self.units, self.n_units, self.n_taken = units, m, len(units.joins)
        self.reach = np.full((2 * m - 1, 2 * m - 1), NEVER)
        self.reach[:m, :m] = units.reach
        self.members = [np.array([unit]) for unit in range(m)]
        self.sides: list[tuple[int, int]] = []
        self.born, self.gone = [NEVER] * m, [units.n_edges] * m
        self.parent = [NEVER] * m
        top = np.arange(m)
        for i, j, edge in units.joins:
            self._join(top, int(top[i]), int(top[j]), edge)
        while (found := self._nearest(np.unique(top))) is not None:
            self._join(top, *found)
        self.reach = self.reach[: len(self.born), : len(self.born)]

    def _join(self, top: Indices, a: int, b: int, edge: int) -> None:
        new = len(self.members)
        # The smaller number wins, and NEVER is smaller than any edge.
        np.minimum(self.reach[a], self.reach[b], out=self.reach[new])
        self.reach[:, new] = self.reach[new]
        self.members.append(np.concatenate([self.members[a], self.members[b]]))
        self.sides.append((a, b))
        self.born.append(edge)
        self.gone.append(self.units.n_edges)
        self.gone[a] = self.gone[b] = edge
        self.parent.append(NEVER)
        self.parent[a] = self.parent[b] = new
        top[self.members[new]] = new

    def _nearest(self, trees: Indices) -> tuple[int, int, int] | None:
        square = self.reach[np.ix_(trees, trees)]
        # Unsigned, NEVER is the largest number of all.
        a, b = divmod(int(square.view(np.uintp).argmin()), len(trees))
        edge = int(square[a, b])
        if not 0 <= edge < self.units.n_edges:
            return None
        return int(trees[a]), int(trees[b]), edge

    def trees(self, n_joins: int) -> Indices:
        """Return the trees that there are after some of the joins."""
        parts = [side for pair in self.sides[:n_joins] for side in pair]
        return np.setdiff1d(np.arange(self.n_units + n_joins), parts)

    @cached_property
    def lives(self) -> Indices:
        """When each tree was born and gone, of shape (2, t)."""
        return np.array([self.born, self.gone], dtype=np.intp)

    @cached_property
    def shares(self) -> Floats:
        """How many samples each tree has of each present cluster, of shape (t, k)."""
        present = self.trees(self.n_taken)
        shares = np.zeros((len(self.members), len(present)))
        for cluster, tree in enumerate(present):
            units = self.members[tree]
            shares[units, cluster] = self.units.sizes[units]
        for new, (a, b) in enumerate(self.sides, start=self.n_units):
            shares[new] = shares[a] + shares[b]
        return shares

    @cached_property
    def pairs(self) -> Floats:
        """Pairs that each tree holds, all and those of one cluster, of shape (t, 2)."""
        return _held(self.shares)

    @cached_property
    def sums(self) -> Floats:
        """The same of all trees after each number of joins, of shape (joins + 1, 2)."""
        sides = np.array(self.sides, dtype=np.intp).reshape(-1, 2)
        more = self.pairs[self.n_units :] - self.pairs[sides].sum(axis=1)
        first = self.pairs[: self.n_units].sum(axis=0, keepdims=True)
        return np.cumsum(np.concatenate([first, more]), axis=0)


class Regrowth:
    """The forest from one of its joins on, if that is not allowed.

    Where it grows as it did nothing is done: only new trees, which the history does
    not have, are gone into. Each is named after a tree of the history that it holds.

    Attributes
    ----------
    rows : dict of int to ndarray
        Reach from each new tree to all trees, those of the history and new ones.
    shares : dict of int to ndarray
        As in :class:`History`.
    broken : set of int
        Trees of the history that new trees have taken apart, at this time.
    gone : ndarray of shape (t,)
        As in the history; the number of edges for new trees, NEVER for those that
        are not there any more.
    """

    def __init__(self, history: History, join: int) -> None:
        self.history, broken = history, history.n_units + join
        born, gone = history.lives
        self.born, self.gone = born, np.where(gone > born[broken], gone, NEVER)
        self.rows: dict[int, Indices] = {}
        self.shares: dict[int, Floats] = {}
        self.next: dict[int, tuple[int, int]] = {}
        self.broken: set[int] = set()
        self._break(broken)
        a, b = history.sides[join]
        self.rows[a][b] = self.rows[b][a] = NEVER

    def change(self) -> float:
        """Return 1 - J between the present clusters and those grown anew."""
        history = self.history
        n_joins = self._grow()
        shares = np.array(list(self.shares.values()))
        other, both = (
            history.sums[n_joins]
            - history.pairs[list(self.broken)].sum(axis=0)
            + _held(shares).sum(axis=0)
        )
        either = history.sums[history.n_taken, 0] + other - both
        return float(1 - both / either) if either else 0.0

    def _grow(self) -> int:
        """Grow until all is joined, and return the joins of the history until then."""
        history = self.history
        n_fewer = history.n_units - history.units.n_wanted
        while True:
            edge, a, b = self._nearest()
            broken = min(self.broken, key=history.gone.__getitem__)
            now = min(edge, history.gone[broken])
            n_joins = n_fewer + len(self.rows) - len(self.broken)
            if n_joins <= len(history.sides):
                if history.born[history.n_units + n_joins - 1] < now:
                    return n_joins
            elif now == history.units.n_edges:
                return len(history.sides)
            if edge == now:
                self._join(a, b)
            else:
                self._break(history.parent[broken])

    def _nearest(self) -> tuple[int, int, int]:
        """Return the edge that joins a new tree next, and the two trees."""
        n_edges = self.history.units.n_edges
        best = (n_edges, NEVER, NEVER)
        for tree, row in self.rows.items():
            edge, other = self.next.get(tree, (n_edges, NEVER))
            if not (row[other] == edge < self.gone[other]):
                # An edge counts while there is the tree that it leads to.
                free = np.where((row > self.born) & (row < self.gone), row, n_edges)
                other = int(free.argmin())
                edge = int(free[other])
            self.next[tree] = edge, other
            best = min(best, (edge, tree, other))
        return best

    def _join(self, a: int, b: int) -> None:
        """Make a new tree one with another, new or of the history."""
        if b in self.rows:
            row, share = self.rows.pop(b), self.shares.pop(b)
        else:
            row, share = self.history.reach[b], self.history.shares[b]
            self.broken.add(b)
        self.gone[b] = NEVER
        self.rows[a], self.shares[a] = (
            np.minimum(self.rows[a], row),
            self.shares[a] + share,
        )
        del self.next[a]
        for tree, its in self.rows.items():
            if tree != a:
                its[a] = self.rows[a][tree] = edge = min(its[a], its[b])
                if NEVER < edge < self.next[tree][0]:
                    self.next[tree] = int(edge), a

    def _break(self, tree: int) -> None:
        """Keep the sides of a tree of the history apart, as new trees."""
        self.broken.add(tree)
        self.gone[tree] = NEVER
        for side in self.history.sides[tree - self.history.n_units]:
            if side in self.broken:
                self.broken.remove(side)
            else:
                self._add(side)

    def _add(self, tree: int) -> None:
        row = self.history.reach[tree].copy()
        for other, its in self.rows.items():
            row[other] = its[tree]
        self.rows[tree], self.shares[tree] = row, self.history.shares[tree]
        self.gone[tree] = self.history.units.n_edges


def _held(shares: Floats) -> Floats:
    """Return the pairs in each tree, all and those of one cluster, of shape (t, 2)."""
    return np.column_stack(
        [n_pairs(shares.sum(axis=1, keepdims=True)), n_pairs(shares)]
    )


def n_pairs(counts: Floats) -> Floats:
    """Return the number of pairs inside of heaps, along the last axis."""
    return (counts * (counts - 1)).sum(axis=-1) / 2


LISTED = 100  # joins, the longest of the forest, whose undoing is looked at


def greatest_expected_change(model: ForestModel, askable: Flags) -> int | None:
    r"""Return the edge whose other answer is expected to change most, or None.

    With C the present clusters and J the Jaccard coefficient of pairs, the expected
    change is

    .. math::
        (1 - p_{ij}) \, (1 - J(C, C \mid i \neq j)) \quad \text{if together in C},

        p_{ij} \, (1 - J(C, C \mid i = j)) \quad \text{if apart in C},

    C under one more answer being the forest grown anew.

    Parameters
    ----------
    model : ForestModel
    askable : ndarray of bool of shape (m,)
        Which edges may be asked about.

    Notes
    -----
    All pairs that one join brought together have the same J, so the farthest of them
    is best; all pairs of two trees that are not known to be apart have the same J too,
    so the nearest is best. Two shortlists are ours: of the joins only the ``LISTED``
    longest that the forest took are looked at, and a pair across two trees that are
    known to be apart is not asked, as a pair inside one of them tells the same.
    The list is for speed: the change of each join on it is exact, see
    :func:`cut_changes`, and up to ``LISTED`` joins nothing is left out. A short list
    fails where one tree holds most samples, as the joins that matter are not among the
    longest.
    p is :func:`likewise.methods._rivals._forest.chance`.
    """
    history = History(units_of(model, askable))
    cut, joined = cut_changes(history), joined_changes(history)
    edges = np.concatenate([cut[0], joined[0]])
    if not edges.size:
        return None
    likely = chance(model.pairs.edges.rank[edges], int(model.raw.max()) + 1)
    likely[: len(cut[0])] = 1 - likely[: len(cut[0])]
    gains = likely * np.concatenate([cut[1], joined[1]])
    return int(edges[tied_best(gains)].min())


def units_of(model: ForestModel, askable: Flags) -> Units:
    """Return the trees before the longest joins, and how they lie to each other."""
    edges, forest = model.pairs.edges, model.forest
    n_early = max(len(forest.joins) - LISTED, 0)
    unit = forest.parts(n_early)
    m, late = int(unit.max()) + 1, forest.joins[n_early:]
    a, b = unit[edges.first], unit[edges.second]
    place, position = a * m + b, np.arange(len(a))
    listed = position if askable.all() else np.flatnonzero(askable)
    nearest = _nearest(place, listed, m)
    reach = nearest if listed is position else _nearest(place, position, m)
    bars = model.bars(unit)
    barred = bars.apart[bars.row][:, bars.row] | np.eye(m, dtype=bool)
    return Units(
        model.sizes(unit),
        np.where(barred, NEVER, reach),
        nearest,
        _farthest(place, listed, m),
        list(zip(a[late].tolist(), b[late].tolist(), late.tolist(), strict=True)),
        model.n_wanted,
        len(place),
    )


def cut_changes(history: History) -> tuple[Indices, Floats]:
    r"""Return, for each late join, its farthest pair and 1 - J if that is cut.

    Notes
    -----
    With one cannot-link more, Kruskal's algorithm takes the same edges until it comes
    to the one that joined the two trees. From there on it differs only in trees that
    hold a part of these, or of what has become different since; the others grow as
    they did. So only joins of such trees are gone through, each at the cost of one row.
    """
    edges: list[int] = []
    changes: list[float] = []
    for join, (a, b) in enumerate(history.sides[: history.n_taken]):
        sides = np.ix_(history.members[a], history.members[b])
        farthest = int(history.units.farthest[sides].max())
        if farthest >= 0:
            edges.append(farthest)
            changes.append(Regrowth(history, join).change())
    return np.array(edges, dtype=np.intp), np.array(changes)


def joined_changes(history: History) -> tuple[Indices, Floats]:
    r"""Return, for each two trees that may be one, the nearest pair and 1 - J.

    A must-link is one join more, so the last of the others is not taken where the
    number of trees is reached: with X and Y the trees which that joined, and A and B
    those of the pair, pairs inside trees stay together, and :math:`|X| |Y|` and
    :math:`|A| |B|` pairs are together in one clustering only.
    """
    units, n_joins = history.units, history.n_taken
    is_full = n_joins > 0 and history.n_units - n_joins == units.n_wanted
    trees = history.trees(n_joins - is_full)
    sizes = history.shares[trees].sum(axis=1)
    members = [history.members[tree] for tree in trees]
    order = np.concatenate(members)
    starts = np.cumsum([0, *map(len, members[:-1])])
    rows = np.minimum.reduceat(units.nearest[order], starts, axis=0)
    nearest = np.minimum.reduceat(rows[:, order], starts, axis=1)
    reach = history.reach[np.ix_(trees, trees)]
    free, undone = (reach != NEVER) & (nearest < units.n_edges), 0.0
    if is_full:
        x, y = np.searchsorted(trees, sorted(history.sides[n_joins - 1]))
        undone = sizes[x] * sizes[y]
        free[x, y] = False  # this pair is together now
    a, b = np.nonzero(np.triu(free, 1))
    kept, moved = n_pairs(sizes), undone + sizes[a] * sizes[b]
    return nearest[a, b], moved / (kept + moved)


def _nearest(place: Indices, listed: Indices, m: int) -> Indices:
    """Return the first edge of each place; of writes to one place the last counts."""
    found = np.full(m * m, len(place), dtype=np.intp)
    found[place[listed[::-1]]] = listed[::-1]
    square = found.reshape(m, m)
    return np.minimum(square, square.T)


def _farthest(place: Indices, listed: Indices, m: int) -> Indices:
    found = np.full(m * m, -1, dtype=np.intp)
    found[place[listed]] = listed
    square = found.reshape(m, m)
    return np.maximum(square, square.T)


ACTIVE_HACC = Method(
    "active-hacc",
    "Active-HACC: asks about the pair whose other answer should change most.",
    begin_forest,
    learn_forest,
    partial(propose_edge, greatest_expected_change),
)

"""Active-HACC: ask about the pair whose other answer should change most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._ties import exceeds, tied_best
from likewise.errors import InputError
from likewise.methods._base import Method
from likewise.methods._rivals._ensemble import Likeness, likeness_of
from likewise.methods._rivals._forest import (
    Flags,
    ForestModel,
    begin_forest,
    first_between,
    learn_forest,
    propose_edge,
)

NEVER = -1  # in place of the nearest edge of trees that must not be joined
NOT_ASKED = 1  # in place of the unlikeliest pair, where there is none to ask about


@dataclass(frozen=True, slots=True)
class Units:
    """The trees before the last joins: all that is looked at happens between them.

    Attributes
    ----------
    sizes : ndarray of shape (m,)
        Samples in the game.
    reach : ndarray of int of shape (m, m)
        Position of the nearest edge; NEVER where units are apart, or one.
    likeliest : ndarray of int of shape (m, m)
        Place of the likeliest edge that may be asked about among all edges by falling
        likelihood; the number of edges where there is none.
    unlikeliest : ndarray of int of shape (m, m)
        The negative place of the unlikeliest; NOT_ASKED where there is none.
    joins : list of (int, int, int)
        Units at the ends of the last joins, and the positions of these edges.
    n_wanted, n_edges : int
        Trees to stop at, and the number of edges.
    """

    sizes: Floats
    reach: Indices
    likeliest: Indices
    unlikeliest: Indices
    joins: list[tuple[int, int, int]]
    n_wanted: int
    n_edges: int


class History:
    """The trees that there ever are while a forest grows until none may be joined.

    Trees 0..m-1 are the units; tree m + s is the one that join s made. It grows beyond
    the number of trees wanted, as a forest that lacks a join takes one of the next.

    Attributes
    ----------
    reach, likeliest, unlikeliest : ndarray of int of shape (2 m - 1, 2 m - 1)
        As in :class:`Units`, between all trees; without meaning, or NEVER, if one
        holds the other.
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
        # In all of them the smaller number wins; NEVER is smaller than any edge.
        self.between = np.full((3, 2 * m - 1, 2 * m - 1), NEVER)
        self.between[:, :m, :m] = units.reach, units.likeliest, units.unlikeliest
        self.members = [np.array([unit]) for unit in range(m)]
        self.sides: list[tuple[int, int]] = []
        self.born, self.gone = [NEVER] * m, [units.n_edges] * m
        self.parent = [NEVER] * m
        top = np.arange(m)
        for i, j, edge in units.joins:
            self._join(top, int(top[i]), int(top[j]), edge)
        while (found := self._nearest(np.unique(top))) is not None:
            self._join(top, *found)
        self.between = self.between[:, : len(self.born), : len(self.born)]
        self.reach, self.likeliest, self.unlikeliest = self.between

    def _join(self, top: Indices, a: int, b: int, edge: int) -> None:
        new = len(self.members)
        row = np.minimum(self.between[:, a], self.between[:, b])
        self.between[:, new] = self.between[:, :, new] = row
        self.members.append(np.concatenate([self.members[a], self.members[b]]))
        self.sides.append((a, b))
        self.born.append(edge)
        self.gone.append(self.units.n_edges)
        self.gone[a] = self.gone[b] = edge
        self.parent.append(NEVER)
        self.parent[a] = self.parent[b] = new
        top[self.members[new]] = new

    def _nearest(self, trees: Indices) -> tuple[int, int, int] | None:
        square = self.between[0][np.ix_(trees, trees)]
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

    @property
    def is_full(self) -> bool:
        """Whether it was the number of trees that ended the growth."""
        n_trees = self.n_units - self.n_taken
        return self.n_taken > 0 and n_trees == self.units.n_wanted

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
    def sizes(self) -> Floats:
        """How many samples each tree has, of shape (t,)."""
        sizes: Floats = self.shares.sum(axis=1)
        return sizes

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
    """The forest from one of its joins on, if it grows in another way from there.

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
        self.broken = {broken}
        self.gone[broken] = NEVER
        for side in history.sides[join]:
            self._add(side)

    @classmethod
    def cut(cls, history: History, join: int) -> Regrowth:
        """Return the forest in which the two sides of a join are known to be apart."""
        forest = cls(history, join)
        a, b = history.sides[join]
        forest.rows[a][b] = forest.rows[b][a] = NEVER
        return forest

    @classmethod
    def linked(cls, history: History, join: int, side: int, tree: int) -> Regrowth:
        """Return the forest in which one side of a join is one with another tree.

        That tree is known to be apart from the other side, so the join is not taken.
        """
        forest = cls(history, join)
        forest._join(side, tree)
        return forest

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
        self.next.pop(a, None)
        for tree, its in self.rows.items():
            if tree != a:
                its[a] = self.rows[a][tree] = edge = min(its[a], its[b])
                if tree in self.next and NEVER < edge < self.next[tree][0]:
                    self.next[tree] = int(edge), a

    def _break(self, tree: int) -> None:
        """Take a tree of the history apart when it would be made.

        A side that is taken apart already is there as new trees. The other one is most
        often joined by the same edge all the same, with one of them.
        """
        self.broken.add(tree)
        self.gone[tree] = NEVER
        edge = self.history.born[tree]
        for side in self.history.sides[tree - self.history.n_units]:
            if side in self.broken:
                self.broken.remove(side)
                continue
            home = next(
                (new for new, row in self.rows.items() if row[side] == edge), side
            )
            if home == side:
                self._add(side)
            else:
                self._take(home, side)

    def _take(self, home: int, side: int) -> None:
        """Make a new tree one with a tree of the history that nothing else has."""
        kept, gone = sorted((home, side))
        row = np.minimum(self.rows.pop(home), self.history.reach[side])
        self.rows[kept] = row
        self.shares[kept] = self.shares.pop(home) + self.history.shares[side]
        self.gone[kept], self.gone[gone] = self.history.units.n_edges, NEVER
        self.next.pop(home, None)
        for tree, its in self.rows.items():
            if tree != kept:
                its[kept] = row[tree] = edge = min(its[home], its[side])
                if tree in self.next and NEVER < edge < self.next[tree][0]:
                    self.next[tree] = int(edge), kept

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


@dataclass(frozen=True, slots=True)
class Listing:
    """Which pairs are looked at.

    Attributes
    ----------
    n_joins : int or None
        Of the joins of the forest, the longest, whose undoing is looked at; None: all.
    n_barred : int or None
        Of the links across trees that are known to be apart, the most promising ones;
        None: all.
    """

    n_joins: int | None = None
    n_barred: int | None = None


LISTINGS = {"listed": Listing(n_joins=100, n_barred=30), "all": Listing()}


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs that may be asked about, each for all those with the same change.

    Attributes
    ----------
    edges : ndarray of shape (c,)
        Positions of the pairs.
    likely : ndarray of shape (c,)
        How likely the clusters are wrong about each.
    changes : ndarray of shape (c,)
        1 - J under the answer that the clusters deny.
    """

    edges: Indices
    likely: Floats
    changes: Floats

    @property
    def gains(self) -> Floats:
        """The expected change of each."""
        return self.likely * self.changes

    @property
    def best(self) -> float:
        """The greatest expected change; 0 where there is none."""
        return float(self.gains.max(initial=0.0))


def greatest_expected_change(
    listing: Listing, model: ForestModel, askable: Flags
) -> int | None:
    r"""Return the edge whose other answer is expected to change most, or None.

    With C the present clusters, J the Jaccard coefficient of pairs and p the
    probability that a pair is of one class (:func:`likeness_of`), the expected change
    is

    .. math::
        (1 - p_{ij}) \, (1 - J(C, C \mid i \neq j)) \quad \text{if together in C},

        p_{ij} \, (1 - J(C, C \mid i = j)) \quad \text{if apart in C},

    C under one more answer being the forest grown anew.

    Parameters
    ----------
    listing : Listing
    model : ForestModel
    askable : ndarray of bool of shape (m,)
        Which edges may be asked about.

    Notes
    -----
    Every open pair is in one of three kinds of sets, and all pairs of a set have the
    same J, so that only the one with the extreme p is looked at: the pairs that one
    join brought together (:func:`cut_changes`), those of two trees that may be one
    (:func:`joined_changes`), and those of two trees that became barred from each other
    at the same join (:func:`barred_changes`). All changes are exact. Without limits in
    the listing so is the choice; with them it is the best of the joins that are listed,
    of all pairs of trees that may be one, and of the barred pairs that are listed.
    Left out are pairs that early joins brought together, which lie near each other,
    and most links across trees that are known to be apart.

    Where the ensemble leaves no doubt about any pair, all expected changes are 0, and
    the largest change counts. Of pairs that tie the nearest is taken.
    """
    likeness = model.problem.once(
        ("likeness", model.known.aside), lambda: likeness_of(model.pairs)
    )
    history = History(units_of(model, askable, likeness, listing.n_joins))
    joined = joined_changes(history, likeness)
    cut = cut_changes(history, likeness, joined.best)
    floor = max(joined.best, cut.best)
    barred = barred_changes(history, likeness, floor, listing.n_barred)
    found = (joined, cut, barred)
    edges = np.concatenate([those.edges for those in found])
    if not edges.size:
        return None
    gains = np.concatenate([those.gains for those in found])
    if not gains.any():
        gains = np.concatenate([those.changes for those in found])
    return int(edges[tied_best(gains)].min())


def units_of(
    model: ForestModel, askable: Flags, likeness: Likeness, n_joins: int | None
) -> Units:
    """Return the trees before the longest joins, and how they lie to each other."""
    edges, forest = model.pairs.edges, model.forest
    n_early = 0 if n_joins is None else max(len(forest.joins) - n_joins, 0)
    unit = forest.parts(n_early)
    m, late = int(unit.max()) + 1, forest.joins[n_early:]
    a, b = unit[edges.first], unit[edges.second]
    place, order = a * m + b, likeness.order
    listed = np.arange(len(order))
    if not askable.all():
        listed = np.flatnonzero(askable[order])
    asked = place[order[listed]]
    bars = model.bars(unit)
    barred = bars.apart[bars.row][:, bars.row] | np.eye(m, dtype=bool)
    return Units(
        model.sizes(unit),
        np.where(barred, NEVER, first_between(place, np.arange(len(place)), m)),
        first_between(asked, listed, m, none=len(place)),
        first_between(asked[::-1], -listed[::-1], m, none=NOT_ASKED),
        list(zip(a[late].tolist(), b[late].tolist(), late.tolist(), strict=True)),
        model.n_wanted,
        len(place),
    )


def joined_changes(history: History, likeness: Likeness) -> Candidates:
    r"""Return, for each two trees that may be one, the likeliest pair and 1 - J.

    A must-link is one join more, so the last of the others is not taken where the
    number of trees is reached: with X and Y the trees which that joined, and A and B
    those of the pair, pairs inside trees stay together, and :math:`|X| |Y|` and
    :math:`|A| |B|` pairs are together in one clustering only.
    """
    n_joins, undone = history.n_taken, 0.0
    trees = history.trees(n_joins - history.is_full)
    sizes = history.sizes[trees]
    square = np.ix_(trees, trees)
    likeliest = history.likeliest[square]
    free = (history.reach[square] != NEVER) & (likeliest < history.units.n_edges)
    if history.is_full:
        x, y = np.searchsorted(trees, sorted(history.sides[n_joins - 1]))
        undone = sizes[x] * sizes[y]
        free[x, y] = False  # this pair is together now
    a, b = np.nonzero(np.triu(free, 1))
    kept, moved = n_pairs(sizes), undone + sizes[a] * sizes[b]
    edges = likeness.order[likeliest[a, b]]
    return Candidates(edges, likeness.chance[edges], moved / (kept + moved))


def cut_changes(history: History, likeness: Likeness, floor: float = 0.0) -> Candidates:
    r"""Return, for joins of the forest, the unlikeliest pair and 1 - J if that is cut.

    Parameters
    ----------
    history : History
    likeness : Likeness
    floor : float
        Joins that cannot be expected to change as much are left out.

    Notes
    -----
    With one cannot-link more, Kruskal's algorithm takes the same edges until it comes
    to the one that joined the two trees. From there on it differs only in trees that
    hold a part of these, or of what has become different since; the others grow as
    they did. So only joins of such trees are gone through, each at the cost of one row.
    """
    sides = np.array(history.sides[: history.n_taken], dtype=np.intp).reshape(-1, 2)
    places = history.unlikeliest[sides[:, 0], sides[:, 1]]
    joins = np.flatnonzero(places != NOT_ASKED)
    edges = likeness.order[-places[joins]]
    likely = 1 - likeness.chance[edges]
    moved = history.sizes[sides[joins]].min(axis=1)
    return _promising(
        edges,
        likely,
        likely * moved,
        floor,
        lambda at: Regrowth.cut(history, int(joins[at])).change(),
    )


def barred_changes(
    history: History,
    likeness: Likeness,
    floor: float = 0.0,
    most: int | None = None,
) -> Candidates:
    r"""Return, for two trees that a join barred, the likeliest pair and 1 - J.

    Two samples whose relation is open may be in trees that are known to be apart
    through others: a must-link between them moves samples from tree to tree.

    Parameters
    ----------
    history : History
    likeness : Likeness
    floor : float
        Links that cannot be expected to change as much are left out.
    most : int, optional
        Of the links only those with the largest :math:`p \min(|A|, |T|)` are looked
        at, about as many samples being expected to move; all, unless given.

    Notes
    -----
    With a must-link between i and j, Kruskal's algorithm takes the same edges as long
    as the trees of i and j are not known to be apart, and has these two as one. At the
    first join of the tree A of i (or of j) with one that is apart from the tree T of
    the other, it goes another way. So all pairs of A and T have the same J.
    """
    links = np.array(_barred_links(history), dtype=np.intp).reshape(-1, 3)
    places = history.likeliest[links[:, 1], links[:, 2]]
    links = links[places < history.units.n_edges]
    edges = likeness.order[places[places < history.units.n_edges]]
    likely = likeness.chance[edges]
    promise = likely * history.sizes[links[:, 1:]].min(axis=1)
    kept = np.argsort(-promise, kind="stable")[:most]
    return _promising(
        edges[kept],
        likely[kept],
        promise[kept],
        floor,
        lambda at: Regrowth.linked(history, *links[kept[at]].tolist()).change(),
    )


def _promising(
    edges: Indices,
    likely: Floats,
    promise: Floats,
    floor: float,
    change: Callable[[int], float],
) -> Candidates:
    """Return the candidates that may be best of all, the most promising tried first.

    No change is larger than 1, so a pair that is less likely to be wrong than another
    one is expected to change, `floor` or more, need not be looked at.
    """
    kept: list[int] = []
    changes: list[float] = []
    for at in np.argsort(-promise, kind="stable").tolist():
        if not exceeds(floor, likely[at]):
            kept.append(at)
            changes.append(change(at))
            floor = max(floor, likely[at] * changes[-1])
    tried = np.array(kept, dtype=np.intp)
    return Candidates(edges[tried], likely[tried], np.array(changes))


def _barred_links(history: History) -> list[tuple[int, int, int]]:
    """Return the joins that bar two trees: the join, its side, and the other tree."""
    found: list[tuple[int, int, int]] = []
    alive = np.zeros(len(history.born), dtype=bool)
    alive[: history.n_units] = True
    for join, (a, b) in enumerate(history.sides[: history.n_taken - history.is_full]):
        alive[[a, b]] = False
        apart = history.reach[[a, b]] == NEVER
        for side, others in ((a, apart[1] & ~apart[0]), (b, apart[0] & ~apart[1])):
            trees = np.flatnonzero(others & alive).tolist()
            found += [(join, side, tree) for tree in trees]
        alive[history.n_units + join] = True
    return found


def active_hacc(
    name: str = "active-hacc", pairs: Literal["listed", "all"] = "listed"
) -> Method[ForestModel]:
    """Return Active-HACC, looking at the pairs of a list or at all of them.

    Parameters
    ----------
    name : str
    pairs : {"listed", "all"}
        "all" is the original: every pair whose relation is open counts, which takes
        several times as long. "listed" looks at the 100 longest joins of the forest,
        at all pairs of trees that may be one, and at 30 links across trees that are
        known to be apart.

    Examples
    --------
    >>> from likewise import Session
    >>> exact = active_hacc("exact", pairs="all")
    >>> X = [[0.0], [1.0], [2.5], [5.0], [6.1]]
    >>> Session(X, method=exact, n_clusters=2).ask().pair
    (0, 2)

    References
    ----------
    A. Biswas, D. Jacobs. Active image clustering: seeking constraints from humans to
    complement algorithms. CVPR, 2012.
    """
    if pairs not in LISTINGS:
        known = " or ".join(repr(each) for each in LISTINGS)
        raise InputError(f"pairs must be {known}, but it is {pairs!r}.")
    return Method(
        name,
        "Active-HACC: asks about the pair whose other answer should change most.",
        begin_forest,
        learn_forest,
        partial(propose_edge, partial(greatest_expected_change, LISTINGS[pairs])),
    )


ACTIVE_HACC = active_hacc()

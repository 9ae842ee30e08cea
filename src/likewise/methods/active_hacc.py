"""Active-HACC: ask about the pair whose other answer would change most."""

from __future__ import annotations

from functools import partial

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.forest import Flags
from likewise.methods.base import Method
from likewise.methods.hierarchy import (
    ForestModel,
    begin_forest,
    chance,
    learn_forest,
    propose_edge,
)
from likewise.methods.regrowth import NEVER, History, Regrowth, Units, n_pairs

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
    p is :func:`likewise.methods.hierarchy.chance`.
    """
    history = History(units_of(model, askable))
    cut, joined = cut_changes(history), joined_changes(history)
    edges = np.concatenate([cut[0], joined[0]])
    if not edges.size:
        return None
    likely = chance(model.pairs.edges.rank[edges], int(model.raw.max()) + 1)
    likely[: len(cut[0])] = 1 - likely[: len(cut[0])]
    gains = likely * np.concatenate([cut[1], joined[1]])
    return int(edges[np.lexsort((edges, -gains))[0]])


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

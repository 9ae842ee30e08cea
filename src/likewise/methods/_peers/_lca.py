r"""Local clusters and their alternatives, after the idea of LCA.

Pairs have weights, positive where two samples seem to be the same. A clustering scores

.. math:: \sum_{\text{together}} w_{ij} - \sum_{\text{apart}} w_{ij}.

An alternative changes one cluster or two: they are merged, one is split, or something
moves from one to the other. Alternatives that score higher are taken. When there is
none, the one that comes nearest is looked at: of the pairs in which it differs, the one
of the largest weight is shown to a person, whose answer weighs more than all else.

References
----------
C. V. Stewart and others. wbia-lca: Local clusters and their alternatives, part of
Wildbook, software for the identification of animals (WildMe).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._ties import best_first, first_best
from likewise.knowledge import Verdict
from likewise.methods._base import Method
from likewise.methods._peers._script import (
    Facts,
    Script,
    Talk,
    Turn,
    begin_scripted,
    by_place,
    learn_scripted,
    propose_scripted,
)
from likewise.methods._space import Space

GAIN = 1e-6  # of a score that is more than rounding
SLIGHT = 1e-12  # of all weights: numbers that differ by less tie
NOWHERE = -1


def weights(gaps: Floats, n_clusters: int | None) -> Floats:
    r"""Return :math:`w = -\ln(k r)` of each pair, 0 for i = j.

    These are the log odds of :math:`p = 1 / (1 + k r)`, r being the share of all pairs
    that are at most as far apart: of k classes of one size about one pair in k is
    together.

    Parameters
    ----------
    gaps : ndarray of shape (m, m)
        Distances.
    n_clusters : int or None
        k; :math:`\sqrt{m / 2}`, a rule of thumb, where nobody knows.

    Notes
    -----
    The original has weights of a matcher of pictures, calibrated on labelled pairs.
    Here no label is used, and no scale of the distances matters. Where a matcher's
    scores are given, these are the weights, calibrated on the answers.
    """
    m = len(gaps)
    k = n_clusters or max(round(np.sqrt(m / 2)), 2)
    upper = np.triu_indices(m, 1)
    length = np.round(gaps[upper] / max(float(gaps.max()), 1e-300), 9)
    rank = np.searchsorted(np.sort(length), length, side="right") / len(length)
    found = np.zeros((m, m))
    found[upper] = -np.log(k * rank)
    return found + found.T


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another clustering of one cluster or two.

    Attributes
    ----------
    delta : float
        By how much it scores higher.
    moved : ndarray of shape (u,)
        The units that go elsewhere.
    into : int
        The cluster that they go to; NOWHERE for one of their own.
    """

    delta: float
    moved: Indices
    into: int


class Board:
    """Units, which are samples known to be together, and their clusters.

    Parameters
    ----------
    W : ndarray of shape (m, m)
        Symmetric, 0 on the diagonal. Each sample is a unit at the beginning.
    """

    def __init__(self, W: Floats) -> None:
        m = len(W)
        self.W = W.copy()
        self.total = float(np.abs(W).sum()) / 2
        self.verdict = 3 * self.total + 1  # what an answer weighs
        self.units = [[at] for at in range(m)]
        self.unit_of, self.home = np.arange(m), np.arange(m)
        self._cuts: dict[int, Alternative] = {}
        self._gather()
        self.sums = np.zeros((m, m))  # of the weights of a unit and a cluster
        for unit, cluster in enumerate(self.home):
            self.sums[:, cluster] += self.W[:, unit]

    def _gather(self) -> None:
        """Merge clusters, those of the largest weight between them first."""
        between = self.W.copy()
        np.fill_diagonal(between, -np.inf)
        while between.size:
            a, b = divmod(
                first_best(between.ravel(), self.total, within=SLIGHT), len(between)
            )
            if not between[a, b] > GAIN:
                return
            self.home[self.home == b] = a
            between[a] += between[b]
            between[:, a] += between[:, b]
            between[a, a] = between[b] = between[:, b] = -np.inf

    def alternatives(self) -> Iterator[Alternative]:
        """Yield alternatives that deny no answer, the highest score first."""
        units = np.flatnonzero(self.home != NOWHERE)
        live, at_home = np.unique(self.home[units], return_inverse=True)
        sums, rows = self.sums[np.ix_(units, live)], np.arange(len(units))
        mine, c = sums[rows, at_home], len(live)
        moves = 2 * (sums - mine[:, np.newaxis])
        moves[rows, at_home] = -np.inf
        alone = np.where(np.bincount(at_home)[at_home] > 1, -2 * mine, -np.inf)
        order = np.argsort(at_home, kind="stable")
        starts = np.searchsorted(at_home[order], np.arange(c))
        between = 2 * np.add.reduceat(sums[order], starts, axis=0)
        merged = np.where(np.tri(c, k=-1) > 0, between, -np.inf)
        halves = [self._halves(int(cluster)) for cluster in live]
        cuts = np.array([half.delta for half in halves])
        deltas = np.concatenate([moves.ravel(), alone, merged.ravel(), cuts])
        ends = np.cumsum([moves.size, alone.size, merged.size]).tolist()
        for at in self._best_first(deltas):
            delta = float(deltas[at])
            if at < ends[0]:
                yield Alternative(delta, units[[at // c]], int(live[at % c]))
            elif at < ends[1]:
                yield Alternative(delta, units[[at - ends[0]]], NOWHERE)
            elif at < ends[2]:
                a, b = divmod(at - ends[1], c)
                yield Alternative(delta, self._members(int(live[a])), int(live[b]))
            else:
                yield halves[at - ends[2]]

    def _members(self, cluster: int) -> Indices:
        return np.flatnonzero(self.home == cluster)

    def _best_first(self, deltas: Floats) -> Iterator[int]:
        """Yield positions of those that deny no answer, the largest first."""
        allowed = np.flatnonzero(deltas > -2 * self.total - 1)
        for at in best_first(deltas[allowed], self.total, within=SLIGHT):
            yield int(allowed[at])

    def _halves(self, cluster: int) -> Alternative:
        """Return the split between the two units of a cluster that are least alike."""
        if cluster not in self._cuts:
            self._cuts[cluster] = self._cut(self._members(cluster))
        return self._cuts[cluster]

    def _cut(self, members: Indices) -> Alternative:
        if len(members) < 3:  # noqa: PLR2004 - two are split by moving one
            return Alternative(-np.inf, members, NOWHERE)
        W = self.W[np.ix_(members, members)]
        a, b = divmod(first_best(-W.ravel(), self.total, within=SLIGHT), len(W))
        goes = W[:, b] > W[:, a] + GAIN
        goes[[a, b]] = False, True
        delta = -2 * float(W[np.ix_(goes, ~goes)].sum())
        return Alternative(delta, members[goes], NOWHERE)

    def take(self, change: Alternative) -> None:
        """Move the units of an alternative."""
        source = int(self.home[change.moved[0]])
        free = np.setdiff1d(np.arange(len(self.home)), self.home)
        into = int(free[0]) if change.into == NOWHERE else change.into
        pulled = self.W[:, change.moved].sum(axis=1)
        self.sums[:, source] -= pulled
        self.sums[:, into] += pulled
        self.home[change.moved] = into
        self._forget(source, into)

    def _forget(self, *clusters: int) -> None:
        for cluster in clusters:
            self._cuts.pop(cluster, None)

    def differing(self, change: Alternative) -> Iterator[tuple[int, int]]:
        """Yield the pairs of units that an alternative puts otherwise, heaviest first.

        Pairs whose answer is known are left out.
        """
        source = int(self.home[change.moved[0]])
        others = np.setdiff1d(self._members(source), change.moved)
        if change.into != NOWHERE:
            others = np.concatenate([others, self._members(change.into)])
        size = np.abs(self.W[np.ix_(change.moved, others)])
        moved, its = np.nonzero(size <= self.total + GAIN)
        for at in best_first(size[moved, its], self.total, within=SLIGHT):
            yield int(change.moved[moved[at]]), int(others[its[at]])

    def together(self, i: int, j: int) -> None:
        """Make one unit of two."""
        kept, gone = int(self.unit_of[i]), int(self.unit_of[j])
        if kept == gone:
            return
        here = int(self.home[kept])
        if self.home[gone] != here:
            self.take(Alternative(0.0, np.array([gone]), here))
        both = self.W[kept] + self.W[gone]
        is_barred = np.minimum(self.W[kept], self.W[gone]) < -self.total - GAIN
        row = np.where(is_barred, -self.verdict, both)
        row[[kept, gone]] = 0.0
        self.sums[:, here] += row - both
        self.W[gone] = self.W[:, gone] = 0.0
        self.W[kept] = self.W[:, kept] = row
        self.home[gone] = NOWHERE
        live = np.flatnonzero(self.home != NOWHERE)
        self.sums[kept] = np.bincount(self.home[live], row[live], len(row))
        self.unit_of[self.unit_of == gone] = kept
        self.units[kept] += self.units[gone]
        self._forget(here)

    def apart(self, i: int, j: int) -> None:
        """Write that two units are apart."""
        a, b = int(self.unit_of[i]), int(self.unit_of[j])
        change = -self.verdict - self.W[a, b]
        self.W[a, b] = self.W[b, a] = -self.verdict
        self.sums[a, self.home[b]] += change
        self.sums[b, self.home[a]] += change
        self._forget(int(self.home[a]), int(self.home[b]))


def script(space: Space, kept: Indices, seed: int) -> Script:  # noqa: ARG001
    """Return the verification of the samples in the game; nothing is left to chance."""
    return partial(_talk, space, kept)


def _talk(space: Space, kept: Indices, facts: Facts) -> Talk:

    labels = np.zeros(space.problem.n_samples, dtype=np.intp)
    if len(kept) < 2:  # noqa: PLR2004 - a pair
        return labels
    X = space.coordinates
    kept = by_place(X, kept)
    board = Board(_weights_of(space, kept))
    while (pair := _wanted(board, kept, facts)) is not None:
        i, j = pair
        labels = _labels(board, kept, len(labels))
        told = yield Turn((int(kept[i]), int(kept[j])), labels)
        if told is Verdict.SAME:
            board.together(i, j)
        elif told is Verdict.DIFFERENT:
            board.apart(i, j)
    return _labels(board, kept, len(labels))


def _weights_of(space: Space, kept: Indices) -> Floats:
    """Return the weights of a matcher's scores; of distances where there are none."""
    scored, X = space.problem.affinity.scored, space.coordinates
    if scored is None:
        from sklearn.metrics.pairwise import euclidean_distances

        return weights(euclidean_distances(X[kept]), space.problem.n_clusters)
    found = scored.odds_among(kept)
    np.fill_diagonal(found, 0.0)
    return found


def _labels(board: Board, kept: Indices, n: int) -> Indices:
    labels = np.zeros(n, dtype=np.intp)
    labels[kept] = board.home[board.unit_of]
    return labels


def _wanted(board: Board, kept: Indices, facts: Facts) -> tuple[int, int] | None:
    """Take what scores higher, then return the pair that the nearest one turns on."""
    while True:
        for change in board.alternatives():
            if change.delta > GAIN:
                board.take(change)
                break
            for a, b in board.differing(change):
                for i, j in product(board.units[a], board.units[b]):
                    pair = int(kept[i]), int(kept[j])
                    if facts.relation(*pair) is not Verdict.UNSURE:
                        return i, j
        else:
            return None


LCA = Method(
    "lca",
    "After the idea of LCA: verifies the pair on which the best other clustering of a "
    "cluster or two turns.",
    partial(begin_scripted, script),
    learn_scripted,
    propose_scripted,
)

r"""How likely two records are the same thing: Fellegi and Sunter, taught by answers.

Each field of a pair is at one *level*: missing, far, faint, near, very near, moved (the
value stands in another field of the other record) or equal. With :math:`m_{fl}` and
:math:`u_{fl}` how often field f is at level l in pairs that are duplicates and in pairs
that are not, the log odds of a pair are

.. math:: \eta = \mathrm{logit}\, \lambda + \sum_f \log (m_{fl} / u_{fl})

(Fellegi and Sunter, 1969). u is counted in pairs of records drawn by lot; of equal
values it is the share of the records that have this very value, so that to agree on
a rare one says more. m and :math:`\lambda` are found by EM (Winkler, 1988) over *all*
pairs, those that blocking left out being taken for different.

Answers teach the weights: :math:`\theta_{fl}`, at first the logarithm above, is fitted
to the pairs that were answered by logistic regression with the prior
:math:`N(\theta^0_{fl}, \sigma^2)`, the mode with its curvature (Laplace). So fields
that say the same twice, or less than they should, are found out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from likewise._arrays import AnyFloats, Floats, Indices, Samples, dense, spans
from likewise.affinity import are_fields, cosines, ids_of, shares_of
from likewise.knowledge import logistic_fit
from likewise.methods._problem import Problem

MISSING, FAR, FAINT, NEAR, VERY_NEAR, MOVED, EQUAL = range(7)
N_LEVELS = 7
EDGES = (0.5, 0.7, 0.85)  # cosines from which on a value is faint, near, very near
ROUNDING = 1e-4  # of a cosine in float32: one that is just at an edge is above it
M_START = np.array([1.0, 0.04, 0.03, 0.07, 0.1, 0.01, 0.75])
M_WEIGHT = 20.0  # duplicates that the start counts for
N_DRAWN = 1000  # records, of which all pairs say how often values agree by chance
U_WEIGHT = 1.0  # pairs at each level that were not seen among them, added
STEPS = 50  # of EM
STILL = 1e-6  # change of the number of duplicates, relative, from which on EM is done
FEWEST = 1.0  # duplicates that there are taken to be at least
SPREAD = 1.0  # sigma of a level's weight
SPREAD_RARE = 0.2  # sigma of what rareness is worth
SPREAD_BIAS = 2.0  # sigma of the constant
SLOPE = 8.0  # of scores: log odds that a pair gains where it is e times as rare
SPREAD_PLACE = 3.0  # sigma of the constant there: nobody knows how many are the same
SPREAD_FAR = 3.0  # sigma of what it says there that one of the two has a closer one
FAINTEST = 1e-3  # weight of pairs without an edge, as a share of the typical one
ANCHORED = 6.0  # log odds beyond which a pair holds the weights where they are
N_ANCHORS = 200  # such pairs on either side
ANCHOR = 0.25  # answers that each counts for

Levels = NDArray[np.int8]  # of shape (n_pairs, n_fields)


@dataclass(frozen=True, eq=False)
class Compared:
    """Pairs of records, field by field.

    Attributes
    ----------
    levels : ndarray of shape (n_pairs, n_fields), int8
    rare : ndarray of shape (n_pairs, n_fields)
        Minus the logarithm of the share of the records that have the value, where both
        have the same; else 0.
    """

    levels: Levels
    rare: AnyFloats

    @property
    def design(self) -> Floats:
        """What the weights are multiplied with, of shape (n_pairs, n_weights).

        For each field its level, and how rare; last, a constant.
        """
        n, n_fields = self.levels.shape
        rows = np.zeros((n, n_fields, N_LEVELS + 1))
        np.put_along_axis(rows, self.levels[:, :, np.newaxis].astype(np.intp), 1.0, 2)
        rows[:, :, N_LEVELS] = self.rare
        return np.hstack([rows.reshape(n, n_fields * (N_LEVELS + 1)), np.ones((n, 1))])

    def odds(self, weights: Floats) -> Floats:
        """Return the log odds of each pair under weights, without a large matrix."""
        table = weights[:-1].reshape(-1, N_LEVELS + 1)
        total = np.full(len(self.levels), weights[-1])
        for f, column in enumerate(self.levels.T):
            total += table[f, column] + table[f, N_LEVELS] * self.rare[:, f]
        return total

    def some(self, at: Indices) -> Compared:
        """Return some of the pairs."""
        return Compared(self.levels[at], self.rare[at])


@dataclass(frozen=True, eq=False)
class Records:
    """Records whose pairs can be compared.

    Attributes
    ----------
    X : ndarray of shape (n, n_fields * 128)
    """

    X: Samples

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """Equal numbers for equal values, of shape (n, n_fields); -1 for missing."""
        return ids_of(self.X)

    @cached_property
    def rare(self) -> AnyFloats:
        """Minus the logarithm of the share of records with the same value."""
        columns = [-np.log(shares_of(column)) for column in self.ids.T]
        return np.column_stack(columns).astype(np.float32)

    def compared(self, first: Indices, second: Indices) -> Compared:
        """Return pairs, field by field."""
        near = cosines(self.X, first, second)
        a, b = self.ids[first], self.ids[second]
        levels = (FAR + np.digitize(near + ROUNDING, EDGES)).astype(np.int8)
        moved = _is_in(a, b) | _is_in(b, a)
        levels[moved & (levels < VERY_NEAR)] = MOVED
        levels[a == b] = EQUAL
        levels[(a < 0) | (b < 0)] = MISSING
        return Compared(levels, np.where(levels == EQUAL, self.rare[first], 0.0))

    def by_chance(self) -> Floats:
        """Return how often each level is met by chance, of shape (n_fields, 7).

        In all pairs of records that are drawn by what they hold, not by where they
        stand.
        """
        lot = (self.ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).sum(axis=1)
        drawn = np.argsort(lot ^ (lot >> np.uint64(29)), kind="stable")[:N_DRAWN]
        i, j = np.triu_indices(len(drawn), 1)
        counts = np.zeros((self.ids.shape[1], N_LEVELS))
        part = Records(np.asarray(self.X[drawn], dtype=np.float32))
        for span in spans(len(i), 1 << 15):
            for f, column in enumerate(part.compared(i[span], j[span]).levels.T):
                counts[f] += np.bincount(column, minlength=N_LEVELS)
        counts[:, MISSING] = 0.0
        counts[:, FAR:] += U_WEIGHT
        found: Floats = counts / counts.sum(axis=1, keepdims=True)
        return found


def _is_in(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which values of a stand in another field of b."""
    found = np.zeros(a.shape, dtype=bool)
    for step in range(1, a.shape[1]):
        found |= a == np.roll(b, step, axis=1)
    return found


@dataclass(frozen=True, eq=False)
class Prior:
    """What is believed of pairs before anybody answers.

    Attributes
    ----------
    first, second : ndarray of shape (n_pairs,)
        The pairs that may be duplicates, smaller index first.
    pairs : Compared
    mean, spread : ndarray of shape (n_weights,)
        Of the weights, a normal distribution.
    source : Records or Graph
        Where any other pairs can be compared.
    n_anchors : int
        Pairs that hold the weights, on either side.
    """

    first: Indices
    second: Indices
    pairs: Compared
    mean: Floats
    spread: Floats
    source: Records | Graph | Scores
    n_anchors: int = N_ANCHORS

    def compared(self, first: Indices, second: Indices) -> Compared:
        """Return any pairs, compared in the same way."""
        return self.source.compared(first, second)

    @cached_property
    def anchors(self) -> tuple[Floats, Floats]:
        """Pairs that nobody needs to be asked about, and how likely they are the same.

        Answers are about doubtful pairs only; these keep the weights from what would
        suit those and nothing else.
        """
        odds = np.round(self.pairs.odds(self.mean), 6)
        order = np.argsort(odds, kind="stable")
        rising = odds[order]
        sure = order[np.searchsorted(rising, ANCHORED) :]
        out = order[: np.searchsorted(rising, -ANCHORED)]
        near = out[np.searchsorted(odds[out], -2 * ANCHORED) :]
        kept = np.concatenate([_evenly(side, self.n_anchors) for side in (sure, near)])
        return self.pairs.some(kept).design, expit(odds[kept])


def _evenly(order: Indices, most: int) -> Indices:
    """Return some of many, from the first to the last."""
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).astype(np.intp)]


@dataclass(frozen=True, eq=False)
class Graph:
    """Samples of which only a graph is known: one field, as rare as its weight.

    Attributes
    ----------
    weights : csr_array of shape (n, n)
    typical : float
        The weight whose logarithm is taken for 0.
    """

    weights: sp.csr_array
    typical: float

    def compared(self, first: Indices, second: Indices) -> Compared:
        """Return pairs, by the logarithm of their weight."""
        found = np.asarray(dense(self.weights[first, second])).reshape(-1)
        levels = np.full((len(first), 1), FAR, dtype=np.int8)
        rare = np.log(np.maximum(found / self.typical, FAINTEST))
        return Compared(levels, rare[:, np.newaxis])


@dataclass(frozen=True, eq=False)
class Scores:
    """Samples of which only scores of pairs are known: one field, as rare as its score.

    It is equal where neither of the two is scored higher with anybody else, and far
    where one is. Those that are asked about are often of groups that hold already,
    beside which a pair of that score is rarely the same; without the difference, such
    answers would speak against all other pairs of that score, too.

    Attributes
    ----------
    rarity : csr_array of shape (n, n)
        N / r, by rank r among all N pairs.
    """

    rarity: sp.csr_array

    @cached_property
    def highest(self) -> Floats:
        """The rarity of each sample's highest score; 1 where it has none."""
        found = dense(self.rarity.max(axis=1)).reshape(-1)
        return np.maximum(np.asarray(found, dtype=np.float64), 1.0)

    def compared(self, first: Indices, second: Indices) -> Compared:
        """Return pairs, by the logarithm of their rarity.

        That is 0 where n / 2 pairs score as high: as many as are the same where there
        are two of each. A pair without a score is one with the lowest.
        """
        found = np.asarray(dense(self.rarity[first, second])).reshape(-1)
        found = np.maximum(found, 1.0)
        is_highest = found >= np.maximum(self.highest[first], self.highest[second])
        levels = np.where(is_highest, EQUAL, FAR).astype(np.int8)
        rare = np.log(found / max(self.rarity.shape[0] - 1.0, 1.0))
        return Compared(levels[:, np.newaxis], rare[:, np.newaxis])


def prior_of(problem: Problem) -> Prior:
    """Return what is believed of the pairs in a problem's graph, or of those scored."""
    scored = problem.affinity.scored
    W = sp.csr_array(problem.weights) if scored is None else scored.rarity
    half = sp.coo_array(sp.triu(W, 1))
    order = np.lexsort((half.col, half.row))
    first, second = half.row[order].astype(np.intp), half.col[order].astype(np.intp)
    X, mean, spread = (
        problem.features,
        np.zeros(N_LEVELS + 2),
        np.full(N_LEVELS + 2, SPREAD),
    )
    if scored is not None:
        source = Scores(W)
        mean[N_LEVELS], spread[-1], spread[FAR] = SLOPE, SPREAD_PLACE, SPREAD_FAR
        pairs = source.compared(first, second)
        return Prior(first, second, pairs, mean, spread, source, n_anchors=0)
    if X is None or not are_fields(X):
        graph = Graph(W, float(np.median(W.data)) if W.nnz else 1.0)
        mean[N_LEVELS] = 2.0
        return Prior(first, second, graph.compared(first, second), mean, spread, graph)
    records = Records(X)
    pairs = records.compared(first, second)
    mean = expected_weights(pairs, records.by_chance(), problem.n_samples)
    return Prior(first, second, pairs, mean, _spreads(pairs.levels.shape[1]), records)


def _spreads(n_fields: int) -> Floats:
    one = np.full((n_fields, N_LEVELS + 1), SPREAD)
    one[:, N_LEVELS] = SPREAD_RARE
    one[:, MISSING] = SPREAD / 2
    return np.append(one.ravel(), SPREAD_BIAS)


def expected_weights(pairs: Compared, u: Floats, n: int) -> Floats:
    """Return the weights that EM finds, of shape (n_weights,).

    Parameters
    ----------
    pairs : Compared
        All pairs that may be duplicates.
    u : ndarray of shape (n_fields, 7)
        How often each level is met by chance.
    n : int
        Records.
    """
    n_pairs, n_fields = max(n * (n - 1) / 2, 1), len(u)
    m = np.tile(M_START, (n_fields, 1))
    found = min(max(n / 10, FEWEST), n_pairs / 2)
    for _ in range(STEPS):
        weights = _weights(m, u, found / n_pairs)
        chance = expit(pairs.odds(weights))
        before, found = found, max(float(chance.sum()), FEWEST)
        found = min(found, n_pairs / 2)
        for f, column in enumerate(pairs.levels.T):
            seen = np.bincount(column, chance, N_LEVELS) + M_WEIGHT * M_START
            m[f, FAR:] = seen[FAR:] / seen[FAR:].sum()
        if abs(found - before) < STILL * before:
            break
    return _weights(m, u, found / n_pairs)


def _weights(m: Floats, u: Floats, share: float) -> Floats:
    """Return the log odds of each level, what rareness is worth, and the constant."""
    table = np.zeros((len(u), N_LEVELS + 1))
    table[:, FAR:EQUAL] = np.log(m[:, FAR:EQUAL] / u[:, FAR:EQUAL])
    table[:, EQUAL] = np.log(m[:, EQUAL])
    table[:, N_LEVELS] = 1.0
    return np.append(table.ravel(), np.log(share / (1 - share)))


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights after answers: a normal distribution.

    Attributes
    ----------
    mean : ndarray of shape (n_weights,)
    cov : ndarray of shape (n_weights, n_weights)
    """

    mean: Floats
    cov: Floats


def fitted(prior: Prior, rows: Floats, same: NDArray[np.bool_]) -> Weights:
    """Return the weights after pairs were answered.

    Parameters
    ----------
    prior : Prior
    rows : ndarray of shape (n_answers, n_weights)
        The design of the pairs.
    same : ndarray of shape (n_answers,)
    """
    if not len(rows):
        return Weights(prior.mean, np.diag(prior.spread**2))
    held, likely = prior.anchors
    counts = np.append(np.ones(len(rows)), np.full(len(held), ANCHOR))
    rows, target = np.vstack([rows, held]), np.append(same, likely)
    mean, curve = logistic_fit(rows, target, prior.mean, prior.spread**-2, counts)
    return Weights(mean, np.asarray(np.linalg.inv(curve), dtype=np.float64))

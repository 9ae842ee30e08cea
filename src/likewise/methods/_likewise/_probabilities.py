"""What the model thinks of samples and pairs of classes, at one moment.

Ballots concern few samples: everything is computed for all without them, a block of
rows at a time, and put right where there are some. Logistic maps lead from what the
model says of two classes to what answers say, learned in two numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._ties import best_columns
from likewise.knowledge import logistic_fit
from likewise.methods._likewise._beliefs import (
    Beliefs,
    Evidence,
    Rates,
    estimated_rates,
    evidence_of,
    lifted,
    weighed,
)
from likewise.methods._likewise._prior import Prior
from likewise.methods._likewise._regimes import parts
from likewise.methods._likewise._surroundings import SLIGHT, Surroundings
from likewise.spectral import Array, Backend, DeviceClusters, backend_of

TINY = 1e-6
APART = 0.02  # probability of "same" below which two classes count as apart
CLOSED = 0.1  # expected number of mistakes among k classes that are all apart
PROMISED = 0.3  # share of the merges that k asks for, promised by the pairs
MOST_LIFT = 4.0  # of log odds
CROWDING = 0.5  # log odds against a pair twice as large as a group, over log 2
MATES = 0.4  # of a class, what others may promise before a pair is promised less
SURE = 0.999  # the most that elimination concludes


def logit(p: AnyFloats) -> Floats:
    """Return log(p / (1 - p)), p kept away from 0 and 1."""
    p = np.clip(p, TINY, 1 - TINY)
    return np.log(p / (1 - p))


def sigmoid(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-np.clip(x, -500, 500)))


@lru_cache(maxsize=64)
def fitted_map(
    seen: tuple[tuple[float, bool], ...],
    prior: tuple[float, float],
    slopes: tuple[float, float],
) -> tuple[float, float]:
    r"""Return (a, b) of :math:`P(\text{same}) = \sigma(a + b \, \mathrm{logit} \, x)`.

    The most probable ones given the answers, with a normal prior of precision (1, 4)
    around `prior`.

    Parameters
    ----------
    seen : tuple of (x, same)
    prior : (float, float)
    slopes : (float, float)
        The least and the largest b.
    """
    if not seen:
        return prior
    x, same = np.array(seen, dtype=np.float64).T
    rows = np.column_stack([np.ones(len(x)), logit(np.clip(x, 1e-3 * TINY, 1))])
    w, _ = logistic_fit(rows, same, np.array(prior), np.array([1.0, 4.0]))
    return float(w[0]), float(np.clip(w[1], *slopes))


def chance_of(links: Floats) -> Floats:
    r"""Return the chance that a step from the smaller of two classes ends in the other.

    :math:`x_{gh} = R_{gh} / \min(\mathrm{vol}_g, \mathrm{vol}_h)`,
    :math:`R = Q^T W Q`, Q the membership of shape (n, m).

    Parameters
    ----------
    links : ndarray of shape (m, m)
        R: the weight between the classes.
    """
    volume = np.maximum(links.sum(axis=1), 1e-300)
    return links / np.minimum.outer(volume, volume)


def crowding(shares: Floats, k: int) -> Floats:
    r"""Return what speaks against joining two classes into more than a group.

    :math:`\frac12 \log(k (s_g + s_h))` in log odds where that is positive, s the
    classes' shares of all samples: a pair that would be larger than groups are on
    average.
    """
    return CROWDING * np.log(np.maximum(k * np.add.outer(shares, shares), 1.0))


def with_few_mates(same: Floats) -> Floats:
    """Return P(same) of classes, none of which is one with many others.

    A hundred pairs of two in a hundred each would make a class one with two others.
    What the others promise both of a pair is at most 0.4 of a class: beyond, the pair
    has so much less.

    Examples
    --------
    >>> same = np.full((101, 101), 0.02) - 0.02 * np.eye(101)
    >>> with_few_mates(same)[0].sum().round(2)
    np.float64(0.4)
    """
    total = same.sum(axis=1)
    others = np.maximum.outer(total, total) - same
    return same / np.maximum(others / MATES, 1.0)


def apart_of(same: Floats, votes: Floats) -> NDArray[np.bool_]:
    """Tell which classes are known to be apart: told so, and unlikely to be one."""
    return (votes < 0) & (same < APART)


def main_of(same: Floats, votes: Floats, members: Sequence[int], k: int) -> list[int]:
    """Return the k classes that are all apart, with little doubt; nothing before.

    Parameters
    ----------
    same, votes : ndarray of shape (m, m)
        P(same) and ballots for minus against.
    members : sequence of m int
        How many samples are settled in each class; larger ones are taken first.
    k : int
    """
    apart = apart_of(same, votes)
    if k < 2 or apart.sum() < k * (k - 1):  # noqa: PLR2004 - a pair
        return []
    found: list[int] = []
    for g in np.argsort(-np.asarray(members), kind="stable"):
        if apart[g, found].all():
            found.append(int(g))
    doubt = same[np.ix_(found, found)].sum() / 2
    return found if len(found) == k and doubt <= CLOSED else []


def shared_out(same: Floats, main: Sequence[int]) -> Floats:
    """Return P(same) given that every other class is one of the k main ones.

    Its odds to them are shared out, so that they sum to 1.
    """
    same, kept = same.copy(), np.asarray(main, dtype=np.intp)
    others = np.setdiff1d(np.arange(len(same)), kept)
    odds = same[np.ix_(others, kept)]
    odds = odds / (1 - odds)
    shares = odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-300)
    same[np.ix_(others, kept)] = np.minimum(shares, SURE)
    same[np.ix_(kept, others)] = same[np.ix_(others, kept)].T
    return same


def pressed(same: Floats, votes: Floats, k: int) -> Floats:
    """Return P(same) with room for k classes.

    m classes are k after m - k merges at least. Log odds are raised by one number until
    the open pairs promise 0.3 (m - k) of them.
    """
    surplus, open_pairs = len(same) - k, np.triu(votes >= 0, 1)
    if surplus <= 0 or not open_pairs.any():
        return same
    odds = logit(same[open_pairs])
    for lift in np.arange(0.0, MOST_LIFT, 0.2):
        raised = sigmoid(odds + lift)
        if raised.sum() >= PROMISED * surplus:
            break
    same = same.copy()
    same[open_pairs] = raised
    same.T[open_pairs] = raised
    return same


CLASS_PRIOR, CLASS_SLOPES = (0.7, 1.0), (0.2, 10.0)
TRUST_PRIOR, TRUST_SLOPES = (0.0, 1.0), (0.1, 3.0)

Rows = tuple[AnyFloats, AnyFloats]  # P(class), of shape (s, m), and P(new), (s,)
Likeliest = tuple[
    Array, Array, Array
]  # class of each sample, P(class), others' squares
Blocked = Mapping[int, Sequence[int]]  # columns that a sample cannot be compared with


@dataclass(frozen=True)
class Probabilities:
    """Probabilities for samples and classes, from the fields and the ballots.

    Columns are the classes in the order of ``around.classes``.

    Attributes
    ----------
    beliefs : Beliefs
    around : Surroundings
        Those that hold for the beliefs.
    aside : frozenset of int
        Samples out of the game.
    """

    beliefs: Beliefs
    around: Surroundings
    aside: frozenset[int]

    @property
    def prior(self) -> Prior:
        """What was there before any answer."""
        return self.around.prior

    @cached_property
    def backend(self) -> Backend:
        """What works on all samples."""
        return backend_of(self.prior.vectors)

    @property
    def classes(self) -> tuple[int, ...]:
        """Names of the classes, in the order of the columns."""
        return self.around.classes

    @property
    def settled(self) -> tuple[Indices, Indices]:
        """The settled samples, and the column of each one's class."""
        return self.around.settled

    @cached_property
    def is_free(self) -> NDArray[np.bool_]:
        """Which samples have no class and are in the game, of shape (n,)."""
        free = np.ones(len(self.prior.start), dtype=bool)
        free[self.settled[0]] = False
        free[list(self.aside)] = False
        return free

    @cached_property
    def free(self) -> Indices:
        """The samples without a class that are in the game."""
        return np.flatnonzero(self.is_free)

    @cached_property
    def not_free(self) -> Indices:
        """The samples that have a class, or are out of the game; ascending."""
        aside = np.array(sorted(self.aside), dtype=np.intp)
        return np.union1d(self.settled[0], aside)

    @property
    def n_free(self) -> int:
        """How many samples are free."""
        return len(self.prior.start) - len(self.not_free)

    @cached_property
    def told(self) -> Indices:
        """The free samples on which ballots say something, ascending.

        Not those whose ballots cancel, or are on samples that have no class any more.
        """
        asked = self.evidence.asked[self.is_free[self.evidence.asked]]
        return asked[self.evidence.votes(asked).any(axis=1)]

    @cached_property
    def _is_told(self) -> NDArray[np.bool_]:
        is_told = np.zeros(len(self.prior.start), dtype=bool)
        is_told[self.told] = True
        return is_told

    @cached_property
    def evidence(self) -> Evidence:
        """The ballots counted."""
        return evidence_of(self.beliefs)

    @property
    def far(self) -> Array:
        """1 where nothing is settled nearby, 0 at a settled sample."""
        return self.around.far

    def near(self, samples: Indices) -> AnyFloats:
        """Return P(class | sample) by the settled samples nearby."""
        return self.around.near(samples)

    @cached_property
    def sizes(self) -> Floats:
        """Expected size of each class."""
        samples, rows = self._moved
        return self.around.sizes + (rows - self._held(samples)).sum(axis=0)

    @property
    def share(self) -> Floats:
        """The size of each class, as a share of all samples."""
        return self.sizes / len(self.prior.start)

    @cached_property
    def purity(self) -> float:
        """How often a sample far from settled ones is of its start cluster's class."""
        seen = self.beliefs.calibration
        return seen.hits / (seen.hits + seen.misses)

    @cached_property
    def novelty(self) -> float:
        """How often a sample that missed is of a new class.

        Those under way count by their present chance of being new.
        """
        if self.main:
            return 0.0
        seen, plain = self.beliefs.calibration, self._plain_novelty
        waiting = sorted(set(self.beliefs.under_way) - self.aside)
        if not waiting:
            return plain
        at, around = np.array(waiting, dtype=np.intp), self.around
        far = around.far_at(at)
        rows, new = self.mixed(around.near(at), around.own(at), far, plain)
        votes = self.evidence.votes(at)
        chance = weighed(rows, new, votes, self.rates.strength)[1].sum()
        return float((seen.new + chance) / (seen.new + seen.old + len(waiting)))

    @property
    def _plain_novelty(self) -> float:
        seen = self.beliefs.calibration
        return seen.new / (seen.new + seen.old)

    @cached_property
    def rates(self) -> Rates:
        """The share of wrong answers, and of samples on which the fields are silent."""
        rows, new, samples = self._left_out
        return estimated_rates(rows, new, *self.evidence.on(samples), self.share)

    @cached_property
    def closeness(self) -> Floats:
        """For two classes, the chance that a step from one ends in the other."""
        samples, rows = self._moved
        if not len(samples):
            return chance_of(self.around.links)
        W = sp.csr_array(self.prior.weights[samples])
        near, column = np.unique(W.indices, return_inverse=True)
        shape = len(samples), len(near)
        here = sp.csr_array((W.data, column, W.indptr), shape=shape)
        change = rows - self._held(samples)
        moved = change.T @ (here @ self._held(near.astype(np.intp)))
        twice = change.T @ (W[:, samples] @ change)
        return chance_of(self.around.links + moved + moved.T + twice)

    @cached_property
    def pairs(self) -> Floats:
        r"""P(same) of two classes, of shape (m, m), zero diagonal.

        :math:`p_{gh} = \sigma(a + b \, \mathrm{logit} \, x_{gh} + l N_{gh})`, (a, b)
        learned from the answers about classes, and none is one with many others. If k
        is known, less what speaks against groups that are too large, and adapted to
        there being k.
        """
        self._begin()
        votes = self.evidence.classes
        a, b = fitted_map(self.beliefs.calibration.groups, CLASS_PRIOR, CLASS_SLOPES)
        odds = a + b * logit(self.closeness) + self.rates.strength * votes
        k = self.prior.n_groups
        if k is not None:
            odds = odds - crowding(self.share, k)
        same = sigmoid(odds)
        np.fill_diagonal(same, 0.0)
        same = with_few_mates(same)
        if k is None:
            return same
        main = main_of(same, votes, self._members, k)
        return shared_out(same, main) if main else pressed(same, votes, k)

    def _begin(self) -> None:
        """Let a card begin with all samples while the few are worked on here."""
        _ = self.around.membership, self.around.left_out, self.evidence

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """Which classes are known to be apart, of shape (m, m)."""
        return apart_of(self.pairs, self.evidence.classes)

    @cached_property
    def main(self) -> list[int]:
        """The k classes that are all apart, or nothing while they are not found."""
        k = self.prior.n_groups
        if k is None:
            return []
        return main_of(self.pairs, self.evidence.classes, self._members, k)

    @property
    def _members(self) -> list[int]:
        return [len(members) for members in self.beliefs.members.values()]

    @cached_property
    def checked(self) -> tuple[AnyFloats, AnyFloats, Indices]:
        """P(class) and P(new) of settled samples, by fields and ballots; and which."""
        rows, new, samples = self._left_out
        rows, new = self.silenced(rows, new)
        votes = self.evidence.votes(samples)
        return *weighed(rows, new, votes, self.rates.strength), samples

    def belonging(self, samples: Indices) -> AnyFloats:
        """Return the soft membership of some samples, of shape (s, m), for output."""
        found, (moved, rows) = self._held(samples), self._moved
        if len(moved):
            at = np.minimum(np.searchsorted(moved, samples), len(moved) - 1)
            is_moved = moved[at] == samples
            found[is_moved] = rows[at[is_moved]]
        return found

    def grouped(self, joined: Floats, names: Indices) -> DeviceClusters:
        """Return the name of where each sample most is, of membership times `joined`.

        Where columns tie in few digits, they are compared to all digits. As long as the
        start is held, only it says where a sample is that nothing was said about.
        """
        backend, Q, (moved, rows) = self.backend, self.around.membership, self._moved
        weights, called = backend.array(joined), backend.indices(names)
        blocks: list[Array] = []
        doubtful: list[Indices] = []
        for part in parts(Q):
            sums = self._loose(part) @ weights
            best, is_tied = backend.best_and_tied(sums)
            blocks.append(called[best])
            if self.prior.regime.dtype != np.float64:
                tied = backend.flatnonzero(is_tied)
                doubtful.append(part.start + backend.host_indices(tied))
        found = backend.joined(blocks)
        for close in doubtful:
            exact = self.around.membership_at(close) @ joined
            backend.put(found, close, names[best_columns(exact)])
        backend.put(found, moved, names[best_columns(rows @ joined)])
        return DeviceClusters(found)

    def _loose(self, part: slice) -> Array:
        """Return the membership of a block, held to the start as long as that is."""
        Q, loosened = self.around.membership[part], self._loosened
        if loosened < 1:
            return loosened * Q + (1 - loosened) * self.around.own_over(part)
        return Q

    @property
    def _loosened(self) -> float:
        """0 while the start is held; then, in as many questions again, up to 1."""
        n_asked, n_held = len(self.settled[0]) - len(self.classes), self.prior.n_held
        return 1.0 if not n_held else min(max(n_asked / n_held - 1.0, 0.0), 1.0)

    def rows_of(self, samples: Indices) -> Rows:
        """Return P(class) and P(new) of free samples before the ballots on them."""
        near, own = self.near(samples), self.around.own(samples)
        return self.mixed(near, own, self.around.far_at(samples), self.novelty)

    def questioned_of(self, samples: Indices) -> Rows:
        """Return the same with the ballots counted.

        A sample that was asked about already may be one the fields are silent on.
        """
        return self.questioned(samples, self.rows_of(samples))

    def questioned(self, samples: Indices, before: Rows) -> Rows:
        """Return what becomes of rows of free samples by the ballots on them."""
        told = np.flatnonzero(self._is_told[samples])
        if not len(told):
            return before
        rows, new = (part.copy() for part in before)
        rows[told], new[told] = self.doubted(samples[told], (rows[told], new[told]))
        return rows, new

    def doubted(self, samples: Indices, before: Rows) -> Rows:
        """Return the same, were the fields as often silent as on settled samples."""
        rows, new = self.silenced(*before)
        return weighed(rows, new, self.evidence.votes(samples), self.rates.strength)

    def likeliest(self, blocked: Blocked) -> Likeliest:
        """Return the likeliest class of samples that they may be asked about.

        Its column, its probability, and the sum of the others' squares; of all samples,
        though only those of free ones mean anything.
        """
        backend = self.backend
        blocks = [self._likeliest_in(part) for part in parts(self.around.membership)]
        top, p, others = map(backend.joined, zip(*blocks, strict=True))
        special = np.union1d(self.told, np.array([*blocked], dtype=np.intp))
        if len(special):
            found = self.likeliest_of(special, blocked)
            for whole, instead in zip((top, p, others), found, strict=True):
                backend.put(whole, special, instead)
        return top, p, others

    def _likeliest_in(self, part: slice) -> Likeliest:
        """Return the same of a block, without ballots."""
        backend, (rows, new, total) = self.backend, self._quiet(part)
        top = backend.best_columns(rows)
        p = backend.entries(rows, top) / total
        # left out, not subtracted: what is left may be tiny
        rows = backend.with_entries(rows, top, 0.0)
        squares = backend.row_sums(rows * rows)
        others = (squares + new * new) / (total * total)
        return top, backend.doubled(p), backend.doubled(others)

    def likeliest_of(
        self, samples: Indices, blocked: Blocked
    ) -> tuple[Indices, AnyFloats, AnyFloats]:
        """Return the same of some free samples, ascending, to all digits."""
        rows, new = self.questioned_of(samples)
        askable = rows.copy()
        for at, sample in enumerate(samples.tolist() if blocked else ()):
            askable[at, list(blocked.get(sample, ()))] = 0.0
        return likeliest(askable, rows, new)

    def by_block(self) -> Iterator[tuple[slice, Array]]:
        """Yield P(class) of all samples, by and by: which, and a row for each."""
        m, (samples, columns) = len(self.classes), self.settled
        aside = self._set_aside
        exceptions = (
            (self.told, self.questioned_of(self.told)[0]),
            (samples, np.eye(m)[columns]),
            (aside, np.zeros((len(aside), m))),
            (self.checked[2], self.checked[0]),
        )
        for part in parts(self.around.membership):
            rows, _, total = self._quiet(part)
            rows = rows.clip(0.0) / total[:, None]
            for which, instead in exceptions:
                some = slice(*np.searchsorted(which, [part.start, part.stop]))
                self.backend.put(rows, which[some] - part.start, instead[some])
            yield part, rows

    def mixed(
        self, near: AnyFloats, own: AnyFloats, far: AnyFloats, novelty: float
    ) -> Rows:
        r"""Return P(i, g) and P(i, new), normalised together.

        .. math::
            P(i, g) = (1 - f) \, near(i, g) + f [\pi \, own(i, g)
                      + (1 - \pi)(1 - \nu) s_g / n], \quad
            P(i, new) = f (1 - \pi) \nu
        """
        impure = 1 - self.purity
        f = far[:, np.newaxis]
        known = (1 - f) * near + f * (
            self.purity * own + impure * (1 - novelty) * self.share
        )
        new = far * impure * novelty
        total = known.sum(axis=1) + new + 1e-12
        return known / total[:, np.newaxis], new / total

    def silenced(self, rows: AnyFloats, new: AnyFloats) -> Rows:
        """Return rows mixed with the class shares, as far as fields are silent."""
        silent = self.rates.silent
        return (1 - silent) * rows + silent * self.share, (1 - silent) * new

    @cached_property
    def _moved(self) -> tuple[Indices, AnyFloats]:
        """Samples that belong elsewhere than the fields say, and where; ascending.

        Those told of belong where the ballots say, those set aside nowhere.
        """
        aside = self._set_aside
        found = self._held(self.told).astype(np.float64)
        rows = lifted(found, self.evidence.votes(self.told))
        samples = np.concatenate([self.told, aside])
        order = np.argsort(samples)
        rows = np.vstack([rows, np.zeros((len(aside), rows.shape[1]))])
        return samples[order], rows[order]

    @property
    def _set_aside(self) -> Indices:
        """The samples out of the game that have no class, ascending."""
        aside = self.aside.difference(self.beliefs.class_of)
        return np.array(sorted(aside), dtype=np.intp)

    @cached_property
    def _left_out(self) -> tuple[AnyFloats, AnyFloats, Indices]:
        """What would be thought of each settled sample, had it not been settled."""
        near, own, far, samples = self.around.left_out
        return *self.mixed(near, own, far, self._plain_novelty), samples

    def _held(self, samples: Indices) -> AnyFloats:
        """Return the membership of some samples, by the fields alone."""
        return self.backend.rows(self.around.membership, samples)

    def _quiet(self, part: slice) -> tuple[Array, Array, Array]:
        """Return P(class) and P(new) of a block without ballots, and their sums.

        By the formula of :meth:`mixed`, from the membership.
        """
        around = self.around
        impure = around.far[part] * (1 - self.purity)
        rows = around.membership[part] * around.totals[part][:, None]
        rows -= SLIGHT
        share = self.backend.array((1 - self.novelty) * self.share)
        rows += impure[:, None] * (share - around.own_over(part))
        new = impure * self.novelty
        return rows, new, self.backend.row_sums(rows) + new + 1e-12


def trusted(probabilities: Probabilities, rows: AnyFloats) -> AnyFloats:
    """Return P(class) of free samples, as far as such rows have been right.

    The likeliest class of a free sample is trusted as far as first questions have
    borne it out: a logistic map of its probability, learned from the run's own hits.
    """
    backend = backend_of(rows)
    return backend.host(trusted_rows(probabilities, backend.array(rows)))


def trusted_rows(probabilities: Probabilities, rows: Array) -> Array:
    """Return the same of rows that are where the backend keeps them."""
    firsts, backend = probabilities.beliefs.calibration.firsts, backend_of(rows)
    a, b = fitted_map(firsts, TRUST_PRIOR, TRUST_SLOPES)
    top = backend.best_columns(rows)
    p = backend.doubled(backend.entries(rows, top)).clip(1e-4, 1 - 1e-4)
    odds = a + b * (backend.log(p) - backend.log(1 - p))
    sure = 1 / (1 + backend.exp(-odds))
    scaled = rows * backend.narrow((1 - sure) / (1 - p))[:, None]
    return backend.with_entries(scaled, top, sure)


def likeliest(
    askable: AnyFloats, rows: AnyFloats, new: AnyFloats
) -> tuple[Indices, AnyFloats, AnyFloats]:
    """Return the likeliest class of each row, its probability, the others' squares."""
    at, top = np.arange(len(rows)), best_columns(askable)
    squares = rows**2
    squares[at, top] = 0.0  # left out, not subtracted: what is left may be tiny
    return top, askable[at, top], squares.sum(axis=1) + new**2

"""What the model thinks of every sample and every pair of classes, at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from likewise.arrays import Floats, Indices, dense
from likewise.fields.evidence import (
    Evidence,
    Rates,
    estimated_rates,
    evidence_of,
    weighed,
)
from likewise.fields.ground import Ground
from likewise.fields.maps import fitted_map, logit, sigmoid
from likewise.fields.pairs import (
    apart_of,
    crowding,
    main_of,
    pressed,
    shared_out,
    step_chance,
)
from likewise.fields.state import State, settled_of

FOUNDER = 4.0  # samples that a medoid counts for in its cluster: it is typical
FLOOR = 1e-3  # of a field, in units of its largest value at a sample
TEMPER = 0.5  # of the experts' likelihoods
CLASS_PRIOR, CLASS_SLOPES = (0.0, 1.5), (0.2, 10.0)


@dataclass(frozen=True)
class Picture:
    """Probabilities for samples and classes, from the fields and the ballots.

    Columns are the classes in the order of ``state.classes``.

    Attributes
    ----------
    ground : Ground
    state : State
    aside : frozenset of int
        Samples out of the game.
    """

    ground: Ground
    state: State
    aside: frozenset[int]

    @cached_property
    def settled(self) -> tuple[Indices, Indices]:
        """The settled samples, and the column of each one's class."""
        return settled_of(self.state.beliefs)

    @cached_property
    def free(self) -> Indices:
        """The samples without a class that are in the game."""
        free = np.ones(len(self.ground.start), dtype=bool)
        free[self.settled[0]] = False
        free[list(self.aside)] = False
        return np.flatnonzero(free)

    @cached_property
    def evidence(self) -> Evidence:
        """The ballots counted."""
        return evidence_of(self.state.beliefs, len(self.ground.start))

    @cached_property
    def experts(self) -> Floats:
        r"""The weight of each field, by leave-one-out likelihood.

        :math:`w_e \propto \exp(\frac12 \sum_i \log(0.01 + 0.99 P_{e,-i}(c_i)))` over
        the settled samples whose class has two members at least.
        """
        samples, columns = self.settled
        shared = np.bincount(columns, minlength=1)[columns] > 1
        samples, columns = samples[shared], columns[shared]
        rows = np.arange(len(samples))
        scores = [
            np.log(0.01 + 0.99 * sharpened(field.left_out(samples, columns)))[
                rows, columns
            ].sum()
            for field in self.state.fields
        ]
        weights = np.exp(TEMPER * (np.array(scores) - max(scores)))
        return weights / weights.sum()

    def near(self, samples: Indices) -> Floats:
        """Return P(class | sample) by the settled samples nearby, experts mixed."""
        return self._mixed([field.mean[samples] for field in self.state.fields])

    def _mixed(self, means: list[Floats]) -> Floats:
        parts = [
            w * sharpened(mean) for w, mean in zip(self.experts, means, strict=True)
        ]
        return sum(parts[1:], parts[0])

    @cached_property
    def far(self) -> Floats:
        """1 where nothing is settled nearby, 0 at a settled sample."""
        coverage = self.state.coverage.variance / self.ground.prior_variance
        return np.clip(coverage, 0.0, 1.0)

    @cached_property
    def _counts(self) -> Floats:
        """Settled samples by start cluster and class, the medoids for several."""
        samples, columns = self.settled
        shape = (self.ground.shares.shape[1], len(self.state.classes))
        at = np.ravel_multi_index((self.ground.start[samples], columns), shape)
        counts = np.bincount(at, self._weights(samples), minlength=shape[0] * shape[1])
        return np.asarray(counts, dtype=np.float64).reshape(shape)

    def _weights(self, samples: Indices) -> Floats:
        return np.where(np.isin(samples, self.ground.medoids), FOUNDER, 1.0)

    @cached_property
    def parts(self) -> tuple[Floats, Floats]:
        """For free samples: P by settled ones nearby, and by the start cluster."""
        own = self.ground.shares[self.free] @ _shares(self._counts)
        return self.near(self.free), own

    @cached_property
    def membership(self) -> Floats:
        """Q: soft membership of all samples, of shape (n, m), for sizes and output."""
        n, m = len(self.ground.start), len(self.state.classes)
        full = np.zeros((n, m))
        samples, columns = self.settled
        full[samples, columns] = 1.0
        near, own = self.parts
        far = self.far[self.free, np.newaxis]
        rows = (1 - far) * near + far * own + 1e-6
        votes = self.evidence.samples[self.free]
        told = np.flatnonzero(votes.any(axis=1))
        rows[told] *= 10.0 ** (9 * np.sign(votes[told]))
        full[self.free] = rows / rows.sum(axis=1, keepdims=True)
        return full

    @cached_property
    def sizes(self) -> Floats:
        """Expected size of each class."""
        return self.membership.sum(axis=0)

    @cached_property
    def purity(self) -> float:
        """How often a sample far from settled ones is of its start cluster's class."""
        tally = self.state.beliefs.tally
        return tally.hits / (tally.hits + tally.misses)

    @cached_property
    def rates(self) -> Rates:
        """The share of wrong answers, and of samples on which the fields are silent."""
        rows, new, samples = self._left_out
        share = self.sizes / len(self.ground.start)
        told = self.evidence
        return estimated_rates(
            rows, new, told.pro[samples], told.contra[samples], share
        )

    @cached_property
    def closeness(self) -> Floats:
        """For two classes, the chance that a step from one ends in the other."""
        return step_chance(self.ground.weights, self.membership)

    @cached_property
    def pairs(self) -> Floats:
        r"""P(same) of two classes, of shape (m, m), zero diagonal.

        :math:`p_{gh} = \sigma(a + b \, \mathrm{logit} \, x_{gh} + l N_{gh})`, (a, b)
        learned from the answers about classes; if k is known, less what speaks against
        groups that are too large, and adapted to there being k.
        """
        tally, votes = self.state.beliefs.tally, self.evidence.classes
        a, b = fitted_map(tally.groups, CLASS_PRIOR, CLASS_SLOPES)
        odds = a + b * logit(self.closeness) + self.rates.strength * votes
        k = self.ground.n_groups
        if k is not None:
            odds = odds - crowding(self.sizes / len(self.ground.start), k)
        same = sigmoid(odds)
        np.fill_diagonal(same, 0.0)
        if k is None:
            return same
        main = main_of(same, votes, self._members, k)
        return shared_out(same, main) if main else pressed(same, votes, k)

    @cached_property
    def apart(self) -> np.ndarray:
        """Which classes are known to be apart, of shape (m, m)."""
        return apart_of(self.pairs, self.evidence.classes)

    @cached_property
    def main(self) -> list[int]:
        """The k classes that are all apart, or nothing while they are not found."""
        k = self.ground.n_groups
        if k is None:
            return []
        return main_of(self.pairs, self.evidence.classes, self._members, k)

    @property
    def _members(self) -> list[int]:
        return [len(members) for members in self.state.beliefs.members.values()]

    @cached_property
    def rows(self) -> tuple[Floats, Floats]:
        """P(class) and P(new) of the free samples before the ballots on them."""
        tally = self.state.beliefs.tally
        waiting = [int(i) for i in self.state.beliefs.under_way]
        new, old = tally.new, tally.old
        if self.main:
            return self._rows(*self.parts, self.far[self.free], 0.0)
        rows = self._rows(*self.parts, self.far[self.free], new / (new + old))
        at = np.isin(self.free, waiting)
        if not at.any():
            return rows
        # Those under way count by their present chance of being new.
        votes = self.evidence.samples[self.free[at]]
        chance = weighed(rows[0][at], rows[1][at], votes, self.rates.strength)[1].sum()
        novelty = (new + chance) / (new + old + at.sum())
        return self._rows(*self.parts, self.far[self.free], novelty)

    def _rows(
        self, near: Floats, own: Floats, far: Floats, novelty: float
    ) -> tuple[Floats, Floats]:
        r"""Return P(i, g) and P(i, new), normalised together.

        .. math::
            P(i, g) = (1 - f) \, near(i, g) + f [\pi \, own(i, g)
                      + (1 - \pi)(1 - \nu) s_g / n], \quad
            P(i, new) = f (1 - \pi) \nu
        """
        impure = 1 - self.purity
        share = self.sizes / len(self.ground.start)
        f = far[:, np.newaxis]
        known = (1 - f) * near + f * (
            self.purity * own + impure * (1 - novelty) * share
        )
        new = far * impure * novelty
        total = known.sum(axis=1) + new + 1e-12
        return known / total[:, np.newaxis], new / total

    @cached_property
    def _left_out(self) -> tuple[Floats, Floats, Indices]:
        """What would be thought of each settled sample, had it not been settled.

        Founders are left out: nothing was said about them.
        """
        samples, columns = self.settled
        founders = np.isin(samples, self.state.classes)
        samples, columns = samples[~founders], columns[~founders]
        near = self._mixed([f.left_out(samples, columns) for f in self.state.fields])
        noise, variance = (
            self.state.coverage.noise,
            self.state.coverage.variance[samples],
        )
        widened = variance * noise / np.maximum(noise - variance, 1e-9 * noise)
        far = np.clip(widened / self.ground.prior_variance[samples], 0.0, 1.0)
        own = self._own_without(samples, columns)
        tally = self.state.beliefs.tally
        novelty = tally.new / (tally.new + tally.old)
        return *self._rows(near, own, far, novelty), samples

    def _own_without(self, samples: Indices, columns: Indices) -> Floats:
        """Return the start cluster's shares, each sample's own count left out."""
        start, at = self.ground.start[samples], np.arange(len(samples))
        own = self.ground.shares[samples] @ _shares(self._counts)
        mine = dense(self.ground.shares[samples])[at, start][:, np.newaxis]
        less = self._counts[start]
        less[at, columns] -= self._weights(samples)
        return own + mine * (_shares(less) - _shares(self._counts[start]))

    @cached_property
    def questioned(self) -> tuple[Floats, Floats]:
        """P(class) and P(new) of the free samples, ballots counted.

        A sample that was asked about already may be one the fields are silent on.
        """
        votes = self.evidence.samples[self.free]
        rows, new = weighed(*self.rows, votes, self.rates.strength)
        doubted = votes.any(axis=1)
        rows[doubted], new[doubted] = (part[doubted] for part in self.doubted)
        return rows, new

    @cached_property
    def doubted(self) -> tuple[Floats, Floats]:
        """The same, were the fields as often silent as on settled samples."""
        rows, new = self.silenced(*self.rows)
        votes = self.evidence.samples[self.free]
        return weighed(rows, new, votes, self.rates.strength)

    @cached_property
    def checked(self) -> tuple[Floats, Floats, Indices]:
        """P(class) and P(new) of settled samples, by fields and ballots; and which."""
        rows, new, samples = self._left_out
        rows, new = self.silenced(rows, new)
        votes = self.evidence.samples[samples]
        return *weighed(rows, new, votes, self.rates.strength), samples

    def silenced(self, rows: Floats, new: Floats) -> tuple[Floats, Floats]:
        """Return rows mixed with the class shares, as far as fields are silent."""
        silent = self.rates.silent
        share = self.sizes / len(self.ground.start)
        return (1 - silent) * rows + silent * share, (1 - silent) * new


def sharpened(mean: Floats) -> Floats:
    """Return U^3, floored at 0.001 of the largest entry of a row, normalised."""
    top = np.maximum(mean.max(axis=1, keepdims=True), 1e-9)
    raised = np.maximum(mean / top, FLOOR)
    raised = raised * raised * raised
    return raised / raised.sum(axis=1, keepdims=True)


def _shares(counts: Floats) -> Floats:
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-12)

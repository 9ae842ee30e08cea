"""What the model thinks of samples and pairs of classes, at one moment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.methods._likewise._evidence import (
    Evidence,
    Rates,
    estimated_rates,
    evidence_of,
    weighed,
)
from likewise.methods._likewise._merges import (
    apart_of,
    crowding,
    fitted_map,
    logit,
    main_of,
    pressed,
    shared_out,
    sigmoid,
)
from likewise.methods._likewise._prior import Ground
from likewise.methods._likewise._state import State

CLASS_PRIOR, CLASS_SLOPES = (0.0, 1.5), (0.2, 10.0)

Rows = tuple[AnyFloats, AnyFloats]  # P(class), of shape (s, m), and P(new), (s,)
Thoughts = tuple[slice, AnyFloats, NDArray[np.bool_]]  # which, P(class), which are free
Blocked = Mapping[int, Sequence[int]]  # columns that a sample cannot be compared with


@dataclass(frozen=True)
class Picture(ABC):
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

    @abstractmethod
    def _sized(self) -> Floats:
        """Return the expected size of each class."""

    @abstractmethod
    def _closeness(self) -> Floats:
        """Return the chance of a step between any two classes."""

    @abstractmethod
    def belonging(self, samples: Indices) -> AnyFloats:
        """Return the soft membership of some samples, of shape (s, m), for output."""

    @abstractmethod
    def grouped(self, joined: Floats) -> Indices:
        """Return the column of membership times `joined` where each sample most is."""

    @abstractmethod
    def rows_of(self, samples: Indices) -> Rows:
        """Return P(class) and P(new) of free samples before the ballots on them."""

    @abstractmethod
    def questioned_of(self, samples: Indices) -> Rows:
        """Return the same with the ballots counted.

        A sample that was asked about already may be one the fields are silent on.
        """

    @abstractmethod
    def doubted_of(self, samples: Indices) -> Rows:
        """Return the same, were the fields as often silent as on settled samples."""

    @abstractmethod
    def likeliest(self, blocked: Blocked) -> tuple[Indices, AnyFloats, AnyFloats]:
        """Return the likeliest class of all free samples that they may be asked about.

        Its column, its probability, and the sum of the others' squares.
        """

    @abstractmethod
    def thoughts(self) -> Iterator[Thoughts]:
        """Yield P(class) of all samples, by and by: which, rows, which are free."""

    @property
    def settled(self) -> tuple[Indices, Indices]:
        """The settled samples, and the column of each one's class."""
        return self.state.around.settled

    @cached_property
    def is_free(self) -> NDArray[np.bool_]:
        """Which samples have no class and are in the game, of shape (n,)."""
        free = np.ones(len(self.ground.start), dtype=bool)
        free[self.settled[0]] = False
        free[list(self.aside)] = False
        return free

    @cached_property
    def free(self) -> Indices:
        """The samples without a class that are in the game."""
        return np.flatnonzero(self.is_free)

    @cached_property
    def evidence(self) -> Evidence:
        """The ballots counted."""
        return evidence_of(self.state.beliefs)

    @property
    def far(self) -> AnyFloats:
        """1 where nothing is settled nearby, 0 at a settled sample."""
        return self.state.around.far

    def near(self, samples: Indices) -> AnyFloats:
        """Return P(class | sample) by the settled samples nearby."""
        return self.state.around.near(samples)

    @cached_property
    def sizes(self) -> Floats:
        """Expected size of each class."""
        return self._sized()

    @cached_property
    def closeness(self) -> Floats:
        """For two classes, the chance that a step from one ends in the other."""
        return self._closeness()

    @property
    def share(self) -> Floats:
        """The size of each class, as a share of all samples."""
        return self.sizes / len(self.ground.start)

    @cached_property
    def purity(self) -> float:
        """How often a sample far from settled ones is of its start cluster's class."""
        tally = self.state.beliefs.tally
        return tally.hits / (tally.hits + tally.misses)

    @cached_property
    def rates(self) -> Rates:
        """The share of wrong answers, and of samples on which the fields are silent."""
        rows, new, samples = self._left_out
        return estimated_rates(rows, new, *self.evidence.on(samples), self.share)

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
            odds = odds - crowding(self.share, k)
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
    def novelty(self) -> float:
        """How often a sample that missed is of a new class.

        Those under way count by their present chance of being new.
        """
        if self.main:
            return 0.0
        tally = self.state.beliefs.tally
        plain = tally.new / (tally.new + tally.old)
        waiting = sorted(set(self.state.beliefs.under_way) - self.aside)
        if not waiting:
            return plain
        at, around = np.array(waiting, dtype=np.intp), self.state.around
        rows, new = self.mixed(around.near(at), around.own(at), self.far[at], plain)
        votes = self.evidence.votes(at)
        chance = weighed(rows, new, votes, self.rates.strength)[1].sum()
        return float((tally.new + chance) / (tally.new + tally.old + len(waiting)))

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
    def _left_out(self) -> tuple[AnyFloats, AnyFloats, Indices]:
        """What would be thought of each settled sample, had it not been settled."""
        near, own, far, samples = self.state.around.left_out
        tally = self.state.beliefs.tally
        novelty = tally.new / (tally.new + tally.old)
        return *self.mixed(near, own, far, novelty), samples

    @cached_property
    def checked(self) -> tuple[AnyFloats, AnyFloats, Indices]:
        """P(class) and P(new) of settled samples, by fields and ballots; and which."""
        rows, new, samples = self._left_out
        rows, new = self.silenced(rows, new)
        votes = self.evidence.votes(samples)
        return *weighed(rows, new, votes, self.rates.strength), samples

"""Who may be compared with whom, and who speaks best for a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.arrays import AnyFloats, Indices
from likewise.fields.picture import Blocked, Picture
from likewise.knowledge import Knowledge

N_TYPICAL = 5  # members of a class that may speak for it
PATIENCE = 2  # members tried before a sample and a class are left open


@dataclass(frozen=True, slots=True)
class Partners:
    """Samples that a sample, or a class, may be compared with.

    Attributes
    ----------
    picture : Picture
    known : Knowledge
    """

    picture: Picture
    known: Knowledge

    def blocked(self) -> Blocked:
        """Return the classes that nobody could compare a free sample with."""
        state, is_free = self.picture.state, self.picture.is_free
        class_of = state.beliefs.class_of
        found: dict[int, list[int]] = {}
        for sample, unsure in self.known.unsure.items():
            told = [class_of[o] for o in unsure if o in class_of]
            names = {name for name in told if told.count(name) >= PATIENCE}
            if names and is_free[sample]:
                found[sample] = [state.classes.index(name) for name in names]
        return found

    def of(self, sample: int, column: int) -> int | None:
        """Return the most typical member of a class not yet compared with a sample."""
        members = self._open_members(sample, column)
        if not members:
            return None
        typical = self._typical(members, column)
        return members[int(np.argmax(typical))]

    def likeliest(self, sample: int, askable: AnyFloats) -> tuple[int, int | None]:
        """Return the likeliest class that has a member to compare with, and which."""
        for column in np.argsort(-askable, kind="stable"):
            if askable[column] <= 0:
                break
            partner = self.of(sample, int(column))
            if partner is not None:
                return int(column), partner
        return -1, None

    def pair(self, g: int, h: int) -> tuple[int, int] | None:
        """Return typical members of two classes that were not compared yet."""
        first, second = self._speakers(g), self._speakers(h)
        unsure, compared = self.known.unsure, self.known.compared
        shrugs = sum(j in unsure.get(i, ()) for i in first for j in second)
        if shrugs >= PATIENCE:
            return None
        pairs = ((i, j) for i in first for j in second)
        return next(((i, j) for i, j in pairs if j not in compared.get(i, ())), None)

    def is_known(self, i: int, j: int) -> bool:
        """Tell whether the relation of two samples follows from earlier answers."""
        return self.known.constraints.relation(i, j) is not None

    def _open_members(self, sample: int, column: int) -> list[int]:
        members = self._members(column)
        nobody: frozenset[int] = frozenset()
        if len(self.known.unsure.get(sample, nobody).intersection(members)) >= PATIENCE:
            return []
        done = self.known.compared.get(sample, nobody) | self.known.aside | {sample}
        return [s for s in members if s not in done]

    def _speakers(self, column: int) -> list[int]:
        members = [s for s in self._members(column) if s not in self.known.aside]
        typical = self._typical(members, column)
        order = np.argsort(-typical, kind="stable")[:N_TYPICAL]
        return [members[int(at)] for at in order]

    def _members(self, column: int) -> tuple[int, ...]:
        name = self.picture.state.classes[column]
        return self.picture.state.beliefs.members[name]

    def _typical(self, members: list[int], column: int) -> AnyFloats:
        """Return how typical members are of their class; rounding must not choose."""
        rows: Indices = np.array(members, dtype=np.intp)
        near = self.picture.near(rows)[:, column]
        return np.round(near, self.picture.ground.scale.digits)

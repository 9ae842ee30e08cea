"""The posteriors for the present classes, brought up to date by rank-one changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from likewise.arrays import Indices
from likewise.fields.beliefs import Beliefs
from likewise.fields.ground import Ground
from likewise.fields.posterior import Coverage, Field

FIELD_NOISE = 0.3
AFRESH = 40  # changed samples from which on everything is computed anew


@dataclass(frozen=True, slots=True)
class State:
    """Posteriors given the settled samples.

    Attributes
    ----------
    beliefs : Beliefs
        The classes that they hold for.
    classes : tuple of int
        Names of the classes, in the order of the columns.
    coverage : Coverage
    fields : tuple of Field
        One for each basis of the ground.
    """

    beliefs: Beliefs
    classes: tuple[int, ...]
    coverage: Coverage
    fields: tuple[Field, ...]

    @classmethod
    def of(cls, ground: Ground, beliefs: Beliefs) -> State:
        """Return the state in one go."""
        classes = tuple(beliefs.members)
        settled, columns = settled_of(beliefs)
        coverage = Coverage.of(ground.vectors, ground.precision, ground.noise, settled)
        fields = tuple(
            Field.of(basis, FIELD_NOISE, settled, columns, len(classes))
            for basis in ground.bases
        )
        return cls(beliefs, classes, coverage, fields)

    def brought_to(self, ground: Ground, beliefs: Beliefs) -> State:
        """Return the state for other beliefs, one settled sample at a time."""
        before, now = self.beliefs.class_of, beliefs.class_of
        renamed = _renamed(self.beliefs, beliefs)
        gone = [s for s in before if s not in now or now[s] != renamed.get(before[s])]
        come = [s for s in now if renamed.get(before.get(s, -1)) != now[s]]
        if len(gone) + len(come) > AFRESH:
            return State.of(ground, beliefs)
        coverage, fields = self.coverage, self.fields
        for sample in gone:
            column = self.classes.index(before[sample])
            coverage = coverage.after(sample, -1)
            fields = tuple(field.after(sample, column, -1) for field in fields)
        classes = tuple(beliefs.members)
        sources: list[list[int]] = [[] for _ in classes]
        for column, name in enumerate(self.classes):
            if renamed.get(name) in beliefs.members:
                sources[classes.index(renamed[name])].append(column)
        if sources != [[c] for c in range(len(self.classes))]:
            fields = tuple(field.with_columns(sources) for field in fields)
        for sample in come:
            column = classes.index(now[sample])
            coverage = coverage.after(sample)
            fields = tuple(field.after(sample, column) for field in fields)
        return replace(
            self, beliefs=beliefs, classes=classes, coverage=coverage, fields=fields
        )


def settled_of(beliefs: Beliefs) -> tuple[Indices, Indices]:
    """Return the settled samples, ascending, and the column of each one's class."""
    column = {name: index for index, name in enumerate(beliefs.members)}
    samples = np.array(sorted(beliefs.class_of), dtype=np.intp)
    columns = [column[beliefs.class_of[int(s)]] for s in samples]
    return samples, np.array(columns, dtype=np.intp)


def _renamed(before: Beliefs, now: Beliefs) -> dict[int, int]:
    """Return the present name of each former class: its own, or what it merged into."""
    names: dict[int, int] = {}
    for name, members in before.members.items():
        heirs = {now.class_of[s] for s in members if s in now.class_of}
        if len(heirs) == 1:
            names[name] = next(iter(heirs))
        elif name in now.members:
            names[name] = name
    return names

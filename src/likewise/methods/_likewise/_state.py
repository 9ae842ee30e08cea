"""The posteriors for the present classes, brought up to date by rank-one changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from likewise._arrays import Indices
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._prior import Ground
from likewise.methods._likewise._scale import Covering, Telling
from likewise.methods._likewise._surroundings import Surroundings

FIELD_NOISE = 0.3
AFRESH = 40  # changed samples from which on everything is computed anew


@dataclass(frozen=True, slots=True)
class State:
    """Posteriors given the settled samples.

    Attributes
    ----------
    beliefs : Beliefs
        The classes that they hold for.
    around : Surroundings
        The posteriors, and what follows from them alone.
    """

    beliefs: Beliefs
    around: Surroundings

    @classmethod
    def of(
        cls, ground: Ground, beliefs: Beliefs, coverage: Covering | None = None
    ) -> State:
        """Return the state in one go; the coverage, too, unless it is there already."""
        classes = tuple(beliefs.members)
        settled, columns = settled_of(beliefs)
        scale = ground.scale
        if coverage is None:
            coverage = scale.coverage(
                ground.vectors, ground.precision, ground.noise, settled
            )
        fields = tuple(
            scale.field(basis, FIELD_NOISE, settled, columns, len(classes))
            for basis in ground.bases
        )
        around = scale.around(ground, classes, (settled, columns), coverage, fields)
        return cls(beliefs, around)

    @property
    def classes(self) -> tuple[int, ...]:
        """Names of the classes, in the order of the columns."""
        return self.around.classes

    @property
    def coverage(self) -> Covering:
        """How well the settled samples cover the others."""
        return self.around.coverage

    @property
    def fields(self) -> tuple[Telling, ...]:
        """Which class is near, by each basis of the ground."""
        return self.around.fields

    def holds(self, beliefs: Beliefs) -> bool:
        """Tell whether the posteriors are those for other beliefs, too."""
        is_same = self.classes == tuple(beliefs.members)
        return is_same and self.beliefs.class_of == beliefs.class_of

    def brought_to(self, ground: Ground, beliefs: Beliefs) -> State:
        """Return the state for other beliefs, one settled sample at a time."""
        if self.holds(beliefs):
            return State(beliefs, self.around)
        before, now = self.beliefs.class_of, beliefs.class_of
        renamed = _renamed(self.beliefs, beliefs)
        gone = [s for s in before if s not in now or now[s] != renamed.get(before[s])]
        come = [s for s in now if renamed.get(before.get(s, -1)) != now[s]]
        if len(gone) + len(come) > AFRESH:
            return State.of(ground, beliefs)
        coverage: Any = self.coverage
        fields: tuple[Any, ...] = self.fields
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
        settled = settled_of(beliefs)
        around = ground.scale.around(ground, classes, settled, coverage, fields)
        return State(beliefs, around)


def always(state: State, beliefs: Beliefs) -> State:  # noqa: ARG001
    """Return what to go on from where a change is cheaper than to start anew."""
    return state


@dataclass(frozen=True, slots=True)
class Remains:
    """What is kept of a state of many samples: a few numbers for each.

    Attributes
    ----------
    beliefs : Beliefs
    coverage : Covering
    """

    beliefs: Beliefs
    coverage: Covering

    def holds(self, beliefs: Beliefs) -> bool:  # noqa: ARG002
        """Tell that it is no state for any beliefs."""
        return False

    def brought_to(self, ground: Ground, beliefs: Beliefs) -> State:
        """Return the state for other beliefs, its coverage by rank-one changes."""
        before, now = self.beliefs.class_of.keys(), beliefs.class_of.keys()
        gone, come = sorted(before - now), sorted(now - before)
        if len(gone) + len(come) > AFRESH:
            return State.of(ground, beliefs)
        coverage = self.coverage
        for sample in gone:
            coverage = coverage.after(sample, -1)
        for sample in come:
            coverage = coverage.after(sample)
        return State.of(ground, beliefs, coverage)


def while_it_holds(state: State | Remains, beliefs: Beliefs) -> State | Remains:
    """Return what to go on from where all of a state would take up memory."""
    return state if state.holds(beliefs) else Remains(state.beliefs, state.coverage)


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

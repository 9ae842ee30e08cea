"""The picture of few samples: everything is computed at once, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.methods._likewise._evidence import lifted, weighed
from likewise.methods._likewise._gain import likeliest
from likewise.methods._likewise._merges import step_chance
from likewise.methods._likewise._picture import Blocked, Picture, Rows, Thoughts
from likewise.methods._likewise._surroundings import SLIGHT


@dataclass(frozen=True)
class Whole(Picture):
    """A picture that keeps its rows for all samples."""

    @cached_property
    def membership(self) -> Floats:
        """Q: soft membership of all samples, of shape (n, m), for sizes and output."""
        n, m = len(self.ground.start), len(self.state.classes)
        full = np.zeros((n, m))
        samples, columns = self.settled
        full[samples, columns] = 1.0
        near, own = self.parts
        far = self.far[self.free, np.newaxis]
        rows = (1 - far) * near + far * own + SLIGHT
        full[self.free] = lifted(rows, self.evidence.votes(self.free))
        return full

    def _sized(self) -> Floats:
        return self.membership.sum(axis=0)

    def _closeness(self) -> Floats:
        return step_chance(self.ground.weights, self.membership)

    @cached_property
    def parts(self) -> tuple[AnyFloats, AnyFloats]:
        """For free samples: P by settled ones nearby, and by the start cluster."""
        around = self.state.around
        return around.near(self.free), around.own(self.free)

    @cached_property
    def rows(self) -> Rows:
        """P(class) and P(new) of the free samples before the ballots on them."""
        return self.mixed(*self.parts, self.far[self.free], self.novelty)

    @cached_property
    def questioned(self) -> Rows:
        """P(class) and P(new) of the free samples, ballots counted."""
        votes = self.evidence.votes(self.free)
        rows, new = weighed(*self.rows, votes, self.rates.strength)
        doubted = votes.any(axis=1)
        rows[doubted], new[doubted] = (part[doubted] for part in self.doubted)
        return rows, new

    @cached_property
    def doubted(self) -> Rows:
        """The same, were the fields as often silent as on settled samples."""
        rows, new = self.silenced(*self.rows)
        votes = self.evidence.votes(self.free)
        return weighed(rows, new, votes, self.rates.strength)

    def belonging(self, samples: Indices) -> AnyFloats:
        """Return the soft membership of some samples."""
        return self.membership[samples]

    def grouped(self, joined: Floats) -> Indices:
        """Return the column of membership times `joined` where each sample most is."""
        return (self.membership @ joined).argmax(axis=1)

    def rows_of(self, samples: Indices) -> Rows:
        """Return P(class) and P(new) of free samples before the ballots on them."""
        return self._at(samples, self.rows)

    def questioned_of(self, samples: Indices) -> Rows:
        """Return the same with the ballots counted."""
        return self._at(samples, self.questioned)

    def doubted_of(self, samples: Indices) -> Rows:
        """Return the same, were the fields as often silent as on settled samples."""
        return self._at(samples, self.doubted)

    def likeliest(self, blocked: Blocked) -> tuple[Indices, AnyFloats, AnyFloats]:
        """Return the likeliest class of all free samples that they may be asked about.

        Its column, its probability, and the sum of the others' squares.
        """
        rows, new = self.questioned
        askable = rows.copy()
        for sample, columns in blocked.items():
            askable[np.searchsorted(self.free, sample), columns] = 0.0
        return likeliest(askable, rows, new)

    def thoughts(self) -> Iterator[Thoughts]:
        """Yield P(class) of all samples at once: which, rows, which are free."""
        full = self.membership.copy()
        full[self.free] = self.questioned[0]
        checked, _, samples = self.checked
        full[samples] = checked
        yield slice(0, len(full)), full, self.is_free

    def _at(self, samples: Indices, rows: Rows) -> Rows:
        at = np.searchsorted(self.free, samples)
        return rows[0][at], rows[1][at]

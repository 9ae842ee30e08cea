"""The surroundings of many samples: what is needed of all of them, in one go."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from likewise.arrays import AnyFloats, Floats, Indices
from likewise.fields.blocks import ROWS
from likewise.fields.surroundings import SLIGHT, Surroundings, mixed
from likewise.graph.rows import spans

FAINT = 1e-6  # weight of an expert that is not asked about all samples


@dataclass(frozen=True)
class Survey(Surroundings):
    """Surroundings that keep one row for each sample, and sums over all of them."""

    def near(self, samples: slice | Indices) -> AnyFloats:
        """Return P(class | sample) by the settled samples nearby, experts mixed.

        Of a block, without the experts that hardly count.
        """
        if not isinstance(samples, slice):
            return super().near(samples)
        heard = self.experts > FAINT
        means = [self.fields[e].at(samples) for e in np.flatnonzero(heard)]
        return mixed(self.experts[heard].tolist(), means)

    @property
    def membership(self) -> AnyFloats:
        """Soft membership of all samples before any ballot, of shape (n, m)."""
        return self._blended[0]

    @property
    def totals(self) -> AnyFloats:
        """What each row of the membership was divided by, of shape (n,)."""
        return self._blended[1]

    @property
    def sizes(self) -> Floats:
        """Expected size of each class."""
        return self._sums[0]

    @property
    def links(self) -> Floats:
        """The weight between any two classes: Q'WQ, of shape (m, m)."""
        return self._sums[1]

    @cached_property
    def _blended(self) -> tuple[AnyFloats, AnyFloats]:
        n, dtype = len(self.ground.start), self.ground.scale.dtype
        full = np.empty((n, len(self.classes)), dtype=dtype)
        totals = np.empty(n, dtype=dtype)
        for part in spans(n, ROWS):
            far = self.far[part, np.newaxis]
            rows = (1 - far) * self.near(part) + far * self.own(part) + SLIGHT
            totals[part] = rows.sum(axis=1)
            np.divide(rows, totals[part, np.newaxis], out=full[part])
        samples, columns = self.settled
        full[samples] = 0.0
        full[samples, columns] = 1.0
        return full, totals

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        Q, m = self.membership, len(self.classes)
        sizes, links = np.zeros(m), np.zeros((m, m))
        for part in spans(len(Q), ROWS):
            sizes += Q[part].sum(axis=0)
            links += Q[part].T @ (self.ground.upper[part] @ Q)
        return sizes, links + links.T

"""The picture of many samples: a block of rows at a time, hardly anything is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.affinity import spans
from likewise.methods._likewise._blocks import ROWS
from likewise.methods._likewise._evidence import lifted, weighed
from likewise.methods._likewise._gain import likeliest
from likewise.methods._likewise._merges import chance_of
from likewise.methods._likewise._picture import Blocked, Picture, Rows, Thoughts
from likewise.methods._likewise._surroundings import SLIGHT, Survey


@dataclass(frozen=True)
class Panorama(Picture):
    """A picture that looks at all samples in passing.

    Ballots concern few samples: everything is computed without them, and put right
    where there are some.
    """

    @property
    def survey(self) -> Survey:
        """What the settled samples and the start say of all the others."""
        return cast(Survey, self.state.around)

    @cached_property
    def told(self) -> Indices:
        """The free samples that there are ballots on, ascending."""
        asked = self.evidence.asked
        return asked[self.is_free[asked]]

    @cached_property
    def changed(self) -> tuple[Indices, AnyFloats]:
        """Samples that belong elsewhere than the survey says, and where; ascending.

        Those told of belong where the ballots say, those set aside nowhere.
        """
        aside = np.array(sorted(self.aside), dtype=np.intp)
        aside = np.setdiff1d(aside, self.settled[0])
        found = self.survey.membership[self.told].astype(np.float64)
        rows = lifted(found, self.evidence.votes(self.told))
        samples = np.concatenate([self.told, aside])
        order = np.argsort(samples)
        rows = np.vstack([rows, np.zeros((len(aside), rows.shape[1]))])
        return samples[order], rows[order]

    def _sized(self) -> Floats:
        samples, rows = self.changed
        return self.survey.sizes + (rows - self.survey.membership[samples]).sum(axis=0)

    def _closeness(self) -> Floats:
        samples, rows = self.changed
        W, Q = self.ground.weights[samples], self.survey.membership
        change = rows - Q[samples]
        moved = change.T @ (W @ Q)
        twice = change.T @ (W[:, samples] @ change)
        return chance_of(self.survey.links + moved + moved.T + twice)

    def belonging(self, samples: Indices) -> AnyFloats:
        """Return the soft membership of some samples."""
        found, (changed, rows) = self.survey.membership[samples], self.changed
        is_changed = np.isin(samples, changed)
        found[is_changed] = rows[np.searchsorted(changed, samples[is_changed])]
        return found

    def grouped(self, joined: Floats) -> Indices:
        """Return the column of membership times `joined` where each sample most is."""
        Q, (changed, rows) = self.survey.membership, self.changed
        found, weights = np.empty(len(Q), dtype=np.intp), joined.astype(Q.dtype)
        for part in spans(len(Q), ROWS):
            (Q[part] @ weights).argmax(axis=1, out=found[part])
        found[changed] = (rows @ joined).argmax(axis=1)
        return found

    def rows_of(self, samples: Indices) -> Rows:
        """Return P(class) and P(new) of free samples before the ballots on them."""
        near, own = self.near(samples), self.survey.own(samples)
        return self.mixed(near, own, self.far[samples], self.novelty)

    def questioned_of(self, samples: Indices) -> Rows:
        """Return the same with the ballots counted."""
        rows, new = self.rows_of(samples)
        is_told = np.isin(samples, self.told)
        rows[is_told], new[is_told] = self.doubted_of(samples[is_told])
        return rows, new

    def doubted_of(self, samples: Indices) -> Rows:
        """Return the same, were the fields as often silent as on settled samples."""
        votes = self.evidence.votes(samples)
        rows, new = self.silenced(*self.rows_of(samples))
        return weighed(rows, new, votes, self.rates.strength)

    def likeliest(self, blocked: Blocked) -> tuple[Indices, AnyFloats, AnyFloats]:
        """Return the likeliest class of all free samples that they may be asked about.

        Its column, its probability, and the sum of the others' squares.
        """
        n = len(self.ground.start)
        top, (p, others) = np.empty(n, dtype=np.intp), np.empty((2, n))
        for part in spans(n, ROWS):
            rows, new, total = self._quiet(part)
            rows.argmax(axis=1, out=top[part])
            p[part] = rows.max(axis=1) / total
            squares = np.einsum("ij,ij->i", rows, rows) + new**2
            others[part] = np.maximum(squares / total**2 - p[part] ** 2, 0.0)
        special = np.union1d(self.told, np.array([*blocked], dtype=np.intp))
        rows, new = self.questioned_of(special)
        askable = rows.copy()
        for sample, columns in blocked.items():
            askable[np.searchsorted(special, sample), columns] = 0.0
        top[special], p[special], others[special] = likeliest(askable, rows, new)
        return top[self.free], p[self.free], others[self.free]

    def thoughts(self) -> Iterator[Thoughts]:
        """Yield P(class) of all samples, by and by: which, rows, which are free."""
        m, (samples, columns) = len(self.state.classes), self.settled
        aside = np.setdiff1d(np.array(sorted(self.aside), dtype=np.intp), samples)
        exceptions = (
            (self.told, self.questioned_of(self.told)[0]),
            (samples, np.eye(m)[columns]),
            (aside, np.zeros((len(aside), m))),
            (self.checked[2], self.checked[0]),
        )
        for part in spans(len(self.ground.start), ROWS):
            rows, _, total = self._quiet(part)
            rows = np.maximum(rows, 0.0) / total[:, np.newaxis]
            for which, instead in exceptions:
                some = slice(*np.searchsorted(which, [part.start, part.stop]))
                rows[which[some] - part.start] = instead[some]
            yield part, rows, self.is_free[part]

    def _quiet(self, part: slice) -> tuple[AnyFloats, AnyFloats, AnyFloats]:
        """Return P(class) and P(new) of a block without ballots, and their sums.

        By the formula of :meth:`mixed`, from the membership.
        """
        survey, dtype = self.survey, self.ground.scale.dtype
        impure = survey.far[part] * (1 - self.purity)
        rows = survey.membership[part] * survey.totals[part, np.newaxis] - SLIGHT
        share = ((1 - self.novelty) * self.share).astype(dtype)
        rows += impure[:, np.newaxis] * (share - survey.own(part))
        new = impure * self.novelty
        return rows, new, rows.sum(axis=1) + new + 1e-12

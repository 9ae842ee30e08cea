"""Questions about one sample: a free one, or a settled one again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from likewise.answers import GO_ON, NEW, STAY, Prediction, Question
from likewise.arrays import AnyFloats, Indices
from likewise.fields.candidate import LIKELY, WORTH_A_CHECK, Candidate
from likewise.fields.evidence import weighed
from likewise.fields.gain import best_first, entry_of, likeliest, uncertainty_drop
from likewise.fields.partners import Partners
from likewise.fields.picture import Picture
from likewise.fields.scale import Covering

FOUNDING = 0.15  # a sample with no class this likely founds one


@dataclass(frozen=True, slots=True)
class SampleQuestions:
    """What may be asked about samples.

    Attributes
    ----------
    picture : Picture
    partners : Partners
    coverage : Covering
        With the pending questions answered.
    taken : sequence of int
        Samples that are asked about elsewhere.
    """

    picture: Picture
    partners: Partners
    coverage: Covering
    taken: Sequence[int]

    def free(self) -> Iterator[Candidate]:
        """Yield the free samples with their likeliest class, best first."""
        free, blocked = self.picture.free, self.partners.blocked()
        if not len(free):
            return
        gain = self._gain(*self.picture.likeliest(blocked))
        for at in self._order(gain):
            sample = int(free[at])
            row = self.picture.questioned_of(free[[at]])[0][0]
            askable = row.copy()
            askable[list(blocked.get(sample, ()))] = 0.0
            column, partner = self.partners.likeliest(sample, askable)
            if partner is None or gain[at] < 0:
                continue
            predicted = self._expected(sample, column, partner, float(row[column]))
            worth = float(gain[at])
            first = np.inf if sample in self._under_way else worth
            yield Candidate(first, worth, Question(sample, partner, predicted))

    def settled(self) -> Iterator[Candidate]:
        """Yield settled samples that may be in the wrong class, best first."""
        picture = self.picture
        rows, new, samples = picture.checked
        kept = ~np.isin(samples, [*picture.aside, *self.taken])
        if not kept.any():
            return
        rows, new, samples = rows[kept], new[kept], samples[kept]
        top, p, others = likeliest(rows, rows, new)
        gain = uncertainty_drop(p, others, picture.rates.wrong) * self._weight(top)
        gain = gain * self._reach(samples, -1)
        for at in best_first(gain, picture.ground.scale.digits):
            if gain[at] < WORTH_A_CHECK:
                return
            sample, column = int(samples[at]), int(top[at])
            partner = self.partners.of(sample, column)
            if partner is None:
                continue
            meaning = self._if_not(rows[at], float(new[at]), sample, column)
            kind = "check" if self.partners.is_known(sample, partner) else "sample"
            predicted = Prediction(float(p[at]), kind, if_different=meaning)
            worth = float(gain[at])
            yield Candidate(worth, worth, Question(sample, partner, predicted))

    @property
    def _under_way(self) -> tuple[int, ...]:
        return self.picture.state.beliefs.under_way

    def _gain(self, top: Indices, p: AnyFloats, others: AnyFloats) -> AnyFloats:
        """Return what a question on each free sample is worth; -1 for none at all."""
        picture, free, wrong = self.picture, self.picture.free, self.picture.rates.wrong
        gain = uncertainty_drop(p, others, wrong) * self._weight(top)
        gain = gain * self._reach(free, 1) * self._left(free)
        gain[(p <= 0) | np.isin(free, self.taken)] = -1.0
        best = int(np.argmax(gain))
        # As much doubt in the fields as there is on settled samples, for all alike.
        rows, new = picture.doubted_of(free[[best]])
        doubted = uncertainty_drop(*entry_of(rows, new, 0, int(top[best])), wrong)
        plain = uncertainty_drop(p[best], others[best], wrong)
        return gain * max(float(doubted) / max(float(plain), 1e-9), 1.0)

    def _order(self, gain: AnyFloats) -> Iterator[int]:
        """Yield positions: those under way, latest first, then by gain."""
        free, is_free = self.picture.free, self.picture.is_free
        for sample in reversed(self._under_way):
            at = int(np.searchsorted(free, sample))
            if is_free[sample] and gain[at] >= 0:
                yield at
        for at in best_first(gain, self.picture.ground.scale.digits):
            if free[at] not in self._under_way:
                yield at

    def _expected(self, sample: int, column: int, partner: int, p: float) -> Prediction:
        picture, wrong = self.picture, self.picture.rates.wrong
        believed = p * (1 - wrong) > (1 - p) * wrong
        kind = "check" if self.partners.is_known(sample, partner) else "sample"
        far = float(picture.far[sample])
        meaning = self._if_different(sample, column)
        return Prediction(p, kind, far, bool(believed), meaning)

    def _if_different(self, sample: int, column: int) -> int:
        """Return what "different" would mean for a free sample."""
        picture, at = self.picture, np.array([sample])
        votes = picture.evidence.votes(at)
        votes[0, column] -= 1
        rows, new = picture.silenced(*picture.rows_of(at))
        after = weighed(rows, new, votes, picture.rates.strength)[0][0]
        if picture.main:
            left = [g for g in picture.main if votes[0, g] >= 0]
            if len(left) == 1 and after[left[0]] > LIKELY:
                return picture.state.classes[left[0]]
        return GO_ON if after.max() >= FOUNDING else NEW

    def _if_not(self, row: AnyFloats, new: float, sample: int, column: int) -> int:
        """Return what "different" would mean for a settled sample."""
        state = self.picture.state
        home = state.classes.index(state.beliefs.class_of[sample])
        after = row * np.exp(
            -self.picture.rates.strength * (np.arange(len(row)) == column)
        )
        stays = after[home] / (after.sum() + new) >= LIKELY
        return STAY if stays else GO_ON

    def _weight(self, columns: Indices) -> AnyFloats:
        """Return the pairs that hang on a sample: sqrt(n s), s the size of its class.

        The geometric mean asks about small classes more than their size alone would.
        """
        return np.sqrt(len(self.picture.ground.start) * self.picture.sizes[columns])

    def _reach(self, samples: Indices, sign: int) -> AnyFloats:
        r"""Return how many samples are decided together with each (V-optimality).

        :math:`r(i) = 1 + (n / v_0) |C v_i|^2 / (\sigma^2 + v_i^T C v_i)`; minus for a
        sample that is settled already.
        """
        coverage, ground = self.coverage, self.picture.ground
        noise = coverage.noise + sign * coverage.variance[samples]
        noise = np.maximum(noise, 1e-9 * coverage.noise)
        return 1 + len(ground.start) / ground.reach * coverage.lengths(samples) / noise

    def _left(self, samples: Indices) -> AnyFloats:
        """Return how much of each sample's uncertainty the pending answers leave."""
        if not self.taken:
            return np.ones(len(samples))
        now = self.picture.state.coverage.variance[samples]
        share = self.coverage.variance[samples] / np.maximum(now, 1e-12)
        return np.clip(share, 0.0, 1.0)

"""Which question is worth most: the expected number of pairs that it changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.fields.evidence import weighed
from likewise.fields.gain import (
    DIGITS,
    best_first,
    entry_of,
    likeliest,
    uncertainty_drop,
)
from likewise.fields.maps import logit, sigmoid
from likewise.fields.picture import Picture
from likewise.fields.posterior import Coverage
from likewise.knowledge import GO_ON, NEW, STAY, Knowledge, Prediction, Question

LIKELY = 0.5  # more likely than not
FOUNDING = 0.15  # a sample with no class this likely founds one
MISPLACED = 0.2  # samples that a merge may misplace, in expectation
N_TYPICAL = 5  # members of a class that may speak for it
WORTH_A_CHECK = 0.1  # pairs that asking again must be expected to change
PATIENCE = 2  # members tried before a sample and a class are left open


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be asked.

    Attributes
    ----------
    gain : float
        What it counts when it is chosen; infinite for a sample under way.
    worth : float
        The pairs that its answer is expected to change.
    question : Question
    """

    gain: float
    worth: float
    question: Question


def best_question(
    picture: Picture, known: Knowledge, pending: tuple[Question, ...] = ()
) -> Candidate | None:
    """Return the question that is worth most; samples under way go first.

    How well settled samples cover the others does not depend on what is answered, so
    the pending questions count as answered there: what they will tell is not asked
    again. A sample is asked about once at a time, and so is a class.
    """
    coverage = picture.state.coverage
    for question in pending:
        if question.predicted is None or not question.predicted.kind.endswith("groups"):
            coverage = coverage.after(question.sample)
    asker = _Asker(picture, known, coverage, pending, _compared(known))
    kinds = (asker.samples(), asker.checks(), asker.groups())
    found = [first for kind in kinds if (first := next(kind, None)) is not None]
    return max(found, key=lambda candidate: candidate.gain, default=None)


@dataclass(frozen=True, slots=True)
class _Asker:
    picture: Picture
    known: Knowledge
    coverage: Coverage
    pending: tuple[Question, ...]
    compared: Mapping[int, set[int]]  # what each sample was compared with already

    def samples(self) -> Iterator[Candidate]:
        """Yield the free samples with their likeliest class, best first."""
        picture, rates = self.picture, self.picture.rates
        free = picture.free
        if not len(free):
            return
        rows, new = picture.questioned
        askable = np.where(self._blocked(), 0.0, rows)
        top, p, others = likeliest(askable, rows, new)
        gain = uncertainty_drop(p, others, rates.wrong) * self._weight(top)
        gain = gain * self._reach(free, 1) * self._left(free)
        gain[(p <= 0) | np.isin(free, self._taken())] = -1.0
        best = int(np.argmax(gain))
        # As much doubt in the fields as there is on settled samples, for all alike.
        p_doubted, others_doubted = entry_of(*picture.doubted, best, int(top[best]))
        doubted = uncertainty_drop(p_doubted, others_doubted, rates.wrong)
        plain = uncertainty_drop(p[best], others[best], rates.wrong)
        gain = gain * max(float(doubted) / max(float(plain), 1e-9), 1.0)
        for at in self._order(gain, free):
            sample = int(free[at])
            column, partner = self._likeliest_partner(sample, askable[at])
            if partner is None or gain[at] < 0:
                continue
            predicted = self._expect_sample(at, column, partner)
            worth = float(gain[at])
            first = np.inf if sample in picture.state.beliefs.under_way else worth
            yield Candidate(first, worth, Question(sample, partner, predicted))

    def _order(self, gain: Floats, free: Indices) -> Iterator[int]:
        """Yield positions: those under way, latest first, then by gain."""
        waiting = self.picture.state.beliefs.under_way
        position = {int(s): at for at, s in enumerate(free)} if waiting else {}
        for sample in reversed(waiting):
            if sample in position and gain[position[sample]] >= 0:
                yield position[sample]
        for at in best_first(gain):
            if free[at] not in waiting:
                yield at

    def _blocked(self) -> np.ndarray:
        """Tell which classes nobody could compare a free sample with."""
        picture = self.picture
        blocked = np.zeros((len(picture.free), len(picture.state.classes)), dtype=bool)
        if not self.known.unsure:
            return blocked
        column = {name: c for c, name in enumerate(picture.state.classes)}
        class_of = picture.state.beliefs.class_of
        for at, sample in enumerate(picture.free):
            unsure = self.known.unsure.get(int(sample), ())
            told = [class_of[o] for o in unsure if o in class_of]
            for name in {name for name in told if told.count(name) >= PATIENCE}:
                blocked[at, column[name]] = True
        return blocked

    def _expect_sample(self, at: int, column: int, partner: int) -> Prediction:
        picture, wrong = self.picture, self.picture.rates.wrong
        p = float(picture.questioned[0][at, column])
        believed = p * (1 - wrong) > (1 - p) * wrong
        sample = int(picture.free[at])
        kind = "check" if self._is_known(sample, partner) else "sample"
        far = float(picture.far[sample])
        return Prediction(p, kind, far, bool(believed), self._if_different(at, column))

    def _if_different(self, at: int, column: int) -> int:
        """Return what "different" would mean for a free sample."""
        picture = self.picture
        votes = picture.evidence.samples[picture.free[[at]]].copy()
        votes[0, column] -= 1
        rows, new = (part[[at]] for part in picture.rows)
        rows, new = picture.silenced(rows, new)
        after = weighed(rows, new, votes, picture.rates.strength)[0][0]
        if picture.main:
            left = [g for g in picture.main if votes[0, g] >= 0]
            if len(left) == 1 and after[left[0]] > LIKELY:
                return picture.state.classes[left[0]]
        return GO_ON if after.max() >= FOUNDING else NEW

    def checks(self) -> Iterator[Candidate]:
        """Yield settled samples that may be in the wrong class, best first."""
        picture = self.picture
        rows, new, samples = picture.checked
        kept = ~np.isin(samples, [*picture.aside, *self._taken()])
        if not kept.any():
            return
        rows, new, samples = rows[kept], new[kept], samples[kept]
        top, p, others = likeliest(rows, rows, new)
        gain = uncertainty_drop(p, others, picture.rates.wrong) * self._weight(top)
        gain = gain * self._reach(samples, -1)
        for at in best_first(gain):
            if gain[at] < WORTH_A_CHECK:
                return
            sample, column = int(samples[at]), int(top[at])
            partner = self._partner(sample, column)
            if partner is None:
                continue
            home = picture.state.classes.index(picture.state.beliefs.class_of[sample])
            after = rows[[at]] * np.exp(
                -picture.rates.strength * (np.arange(rows.shape[1]) == column)
            )
            stays = after[0, home] / (after.sum() + new[at]) >= LIKELY
            meaning = STAY if stays else GO_ON
            kind = "check" if self._is_known(sample, partner) else "sample"
            predicted = Prediction(float(p[at]), kind, if_different=meaning)
            worth = float(gain[at])
            yield Candidate(worth, worth, Question(sample, partner, predicted))

    def groups(self) -> Iterator[Candidate]:
        """Yield pairs of classes that may be one, best first."""
        picture = self.picture
        m = len(picture.state.classes)
        if m < 2:  # noqa: PLR2004 - a pair
            return
        same = picture.pairs / np.maximum(picture.pairs.sum(axis=1, keepdims=True), 1.0)
        alone = np.maximum(1 - same.sum(axis=1, keepdims=True), 0.0)
        others = (same**2).sum(axis=1, keepdims=True) + alone**2 - same**2
        gain = uncertainty_drop(same, others, picture.rates.wrong)
        gain = gain * np.outer(picture.sizes, picture.sizes)
        np.fill_diagonal(gain, -1.0)
        taken = self._taken_classes()
        gain[taken], gain[:, taken] = -1.0, -1.0
        for at in best_first(gain.ravel()):
            g, h = divmod(at, m)
            pair = self._pair(g, h) if gain[g, h] >= 0 else None
            if pair is None:
                continue
            if gain[g, h] < WORTH_A_CHECK and self._is_known(*pair):
                continue
            worth = float(gain[g, h])
            predicted = self._expect_groups(g, h, pair)
            yield Candidate(worth, worth, Question(*pair, predicted))

    def _expect_groups(self, g: int, h: int, pair: tuple[int, int]) -> Prediction:
        picture = self.picture
        p = float(picture.pairs[g, h])
        strength = picture.rates.strength
        after = float(sigmoid(logit(np.array(p)) + strength))
        members = [len(m) for m in picture.state.beliefs.members.values()]
        misplaced = (1 - after) * min(members[g], members[h])
        believed = after > LIKELY and misplaced <= MISPLACED
        kind = "check groups" if self._is_known(*pair) else "groups"
        return Prediction(
            p, kind, float(picture.closeness[g, h]), bool(believed), self._rest(g, h)
        )

    def _rest(self, g: int, h: int) -> int:
        """Return the class that g must be of, were it different from h."""
        main, apart = self.picture.main, self.picture.apart
        if g in main or h not in main:
            return GO_ON
        left = [c for c in main if c != h and not apart[g, c]]
        return self.picture.state.classes[left[0]] if len(left) == 1 else GO_ON

    def _weight(self, columns: Indices) -> Floats:
        """Return the pairs that hang on a sample: sqrt(n s), s the size of its class.

        The geometric mean asks about small classes more than their size alone would.
        """
        return np.sqrt(len(self.picture.ground.start) * self.picture.sizes[columns])

    def _taken(self) -> list[int]:
        return [question.sample for question in self.pending]

    def _taken_classes(self) -> list[int]:
        """Return the columns of classes that a pending question is about."""
        beliefs, names = self.picture.state.beliefs, self.picture.state.classes
        ends = [
            end
            for question in self.pending
            if question.predicted and question.predicted.kind.endswith("groups")
            for end in question.pair
        ]
        told = {beliefs.class_of[end] for end in ends if end in beliefs.class_of}
        return [names.index(name) for name in told]

    def _left(self, samples: Indices) -> Floats:
        """Return how much of each sample's uncertainty the pending answers leave."""
        if not self.pending:
            return np.ones(len(samples))
        now = self.picture.state.coverage.variance[samples]
        share = self.coverage.variance[samples] / np.maximum(now, 1e-12)
        return np.clip(share, 0.0, 1.0)

    def _reach(self, samples: Indices, sign: int) -> Floats:
        r"""Return how many samples are decided together with each (V-optimality).

        :math:`r(i) = 1 + (n / v_0) |C v_i|^2 / (\sigma^2 + v_i^T C v_i)`; minus for a
        sample that is settled already.
        """
        coverage, ground = self.coverage, self.picture.ground
        length = (coverage.projected[samples] ** 2).sum(axis=1)
        noise = coverage.noise + sign * coverage.variance[samples]
        n = len(ground.start)
        return 1 + n / ground.reach * length / np.maximum(noise, 1e-9 * coverage.noise)

    def _likeliest_partner(
        self, sample: int, askable: Floats
    ) -> tuple[int, int | None]:
        """Return the likeliest class that has a member to compare with, and which."""
        for column in np.argsort(-askable, kind="stable"):
            if askable[column] <= 0:
                break
            partner = self._partner(sample, int(column))
            if partner is not None:
                return int(column), partner
        return -1, None

    def _partner(self, sample: int, column: int) -> int | None:
        """Return the most typical member of a class not yet compared with a sample."""
        members = self._open_members(column, sample)
        if not members:
            return None
        typical = self._typical(np.array(members, dtype=np.intp), column)
        return members[int(np.argmax(np.round(typical, DIGITS)))]

    def _open_members(self, column: int, sample: int) -> list[int]:
        name = self.picture.state.classes[column]
        members = self.picture.state.beliefs.members[name]
        if (
            len(self.known.unsure.get(sample, frozenset()).intersection(members))
            >= PATIENCE
        ):
            return []
        done = self.compared.get(sample, set()) | self.known.aside | {sample}
        return [s for s in members if s not in done]

    def _typical(self, members: Indices, column: int) -> Floats:
        return self.picture.near(members)[:, column]

    def _pair(self, g: int, h: int) -> tuple[int, int] | None:
        """Return typical members of two classes that were not compared yet."""
        beliefs, names = self.picture.state.beliefs, self.picture.state.classes
        sides = []
        for column in (g, h):
            members = [
                s for s in beliefs.members[names[column]] if s not in self.known.aside
            ]
            typical = self._typical(np.array(members, dtype=np.intp), column)
            order = np.argsort(-np.round(typical, DIGITS), kind="stable")[:N_TYPICAL]
            sides.append([members[int(at)] for at in order])
        unsure = self.known.unsure
        shrugs = sum(j in unsure.get(i, ()) for i in sides[0] for j in sides[1])
        if shrugs >= PATIENCE:
            return None
        for i in sides[0]:
            done = self.compared.get(i, set())
            for j in sides[1]:
                if j not in done:
                    return i, j
        return None

    def _is_known(self, i: int, j: int) -> bool:
        return self.known.constraints.relation(i, j) is not None


def _compared(known: Knowledge) -> dict[int, set[int]]:
    compared: dict[int, set[int]] = defaultdict(set)
    for answer in known.answers:
        i, j = answer.question.pair
        compared[i].add(j)
        compared[j].add(i)
    return dict(compared)

"""A question that may be asked, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from likewise._arrays import AnyFloats, Indices
from likewise.knowledge import GO_ON, NEW, STAY, Knowledge, Prediction, Question
from likewise.methods._likewise._evidence import weighed
from likewise.methods._likewise._gain import (
    best_first,
    entry_of,
    likeliest,
    uncertainty_drop,
)
from likewise.methods._likewise._merges import logit, sigmoid
from likewise.methods._likewise._picture import Blocked, Picture
from likewise.methods._likewise._scale import Covering

WORTH_A_CHECK = 0.1  # pairs that asking again must be expected to change
LIKELY = 0.5  # more likely than not


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


MISPLACED = 0.2  # samples that a merge may misplace, in expectation


def class_questions(
    picture: Picture, partners: Partners, taken: Sequence[int]
) -> Iterator[Candidate]:
    """Yield pairs of classes that may be one, best first.

    Parameters
    ----------
    picture : Picture
    partners : Partners
    taken : sequence of int
        Columns of classes that are asked about elsewhere.
    """
    m = len(picture.state.classes)
    if m < 2:  # noqa: PLR2004 - a pair
        return
    same = picture.pairs / np.maximum(picture.pairs.sum(axis=1, keepdims=True), 1.0)
    alone = np.maximum(1 - same.sum(axis=1, keepdims=True), 0.0)
    others = (same**2).sum(axis=1, keepdims=True) + alone**2 - same**2
    gain = uncertainty_drop(same, others, picture.rates.wrong)
    gain = gain * np.outer(picture.sizes, picture.sizes)
    np.fill_diagonal(gain, -1.0)
    gain[taken], gain[:, taken] = -1.0, -1.0
    for at in best_first(gain.ravel(), picture.ground.scale.digits):
        g, h = divmod(at, m)
        pair = partners.pair(g, h) if gain[g, h] >= 0 else None
        if pair is None:
            continue
        is_known, worth = partners.is_known(*pair), float(gain[g, h])
        if worth < WORTH_A_CHECK and is_known:
            continue
        kind = "check groups" if is_known else "groups"
        predicted = _expected(picture, g, h, kind)
        yield Candidate(worth, worth, Question(*pair, predicted))


def _expected(picture: Picture, g: int, h: int, kind: str) -> Prediction:
    p = float(picture.pairs[g, h])
    after = float(sigmoid(logit(np.array(p)) + picture.rates.strength))
    members = [len(m) for m in picture.state.beliefs.members.values()]
    misplaced = (1 - after) * min(members[g], members[h])
    believed = after > LIKELY and misplaced <= MISPLACED
    close = float(picture.closeness[g, h])
    return Prediction(p, kind, close, bool(believed), _rest(picture, g, h))


def _rest(picture: Picture, g: int, h: int) -> int:
    """Return the class that g must be of, were it different from h."""
    main, apart = picture.main, picture.apart
    if g in main or h not in main:
        return GO_ON
    left = [c for c in main if c != h and not apart[g, c]]
    return picture.state.classes[left[0]] if len(left) == 1 else GO_ON


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
        if not _is_about_classes(question):
            coverage = coverage.after(question.sample)
    partners = Partners(picture, known)
    taken = [question.sample for question in pending]
    samples = SampleQuestions(picture, partners, coverage, taken)
    kinds = (
        samples.free(),
        samples.settled(),
        class_questions(picture, partners, _taken_classes(picture, pending)),
    )
    found = [first for kind in kinds if (first := next(kind, None)) is not None]
    return max(found, key=lambda candidate: candidate.gain, default=None)


def _is_about_classes(question: Question) -> bool:
    predicted = question.predicted
    return predicted is not None and predicted.kind.endswith("groups")


def _taken_classes(picture: Picture, pending: tuple[Question, ...]) -> list[int]:
    """Return the columns of classes that a pending question is about."""
    class_of, names = picture.state.beliefs.class_of, picture.state.classes
    ends = [end for q in pending if _is_about_classes(q) for end in q.pair]
    told = {class_of[end] for end in ends if end in class_of}
    return [names.index(name) for name in told]

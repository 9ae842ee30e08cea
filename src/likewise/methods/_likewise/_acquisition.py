"""Which question is worth most: what answers are worth, and what they would mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._ties import best_first, first_best, reaches
from likewise.knowledge import (
    GO_ON,
    NEW,
    SCREENED,
    STAY,
    Knowledge,
    Prediction,
    Question,
)
from likewise.methods._likewise._beliefs import weighed
from likewise.methods._likewise._posterior import Coverage
from likewise.methods._likewise._probabilities import (
    Blocked,
    Likeliest,
    Probabilities,
    Rows,
    likeliest,
    logit,
    sigmoid,
)
from likewise.methods._likewise._surroundings import parts_of
from likewise.spectral import Array

WORTH_A_CHECK = 0.1  # pairs that asking again must be expected to change
CHECKS = ("check", "check groups")  # kinds of questions about what is known
SHARE_OF_CHECKS = 0.04  # of the questions, and one, as long as they have found nothing
EARNED = 10  # further checks for each answer denied and each settled sample let go
LIKELY = 0.5  # more likely than not
N_TYPICAL = 5  # members of a class that may speak for it
PATIENCE = 2  # members tried before a sample and a class are left open
MISPLACED = 0.2  # samples that a merge may misplace, in expectation
NEARLY, N_NEARLY = 1e-3, 1024  # best gains in few digits that are worked out in all
ELIMINATED = 0.95  # a class this likely once others are ruled out needs no question
BY_SIZE = 0.7  # how far the size of a class counts: not at all 0, wholly 1
FOUNDING = 0.15  # a sample with no class this likely founds one


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


class Checked(NamedTuple):
    """Settled samples: P(class), P(new), their likeliest class, and what it is worth.

    Of shape (t,), but for `rows` of shape (t, m).
    """

    samples: Indices
    rows: AnyFloats
    new: AnyFloats
    top: Indices
    p: AnyFloats
    drop: AnyFloats


class Gains(NamedTuple):
    """What questions on free samples are worth.

    Attributes
    ----------
    plain : array of shape (n,)
        As if the fields were never silent; -1 for none at all, and minus infinity for
        samples that are not free.
    lift : float
        By how much that is to be lifted, for all alike: there is as much doubt in the
        fields as there is on settled samples.
    best : int
        The sample of most gain; of ties, the first.
    """

    plain: Array
    lift: float
    best: int


@dataclass(frozen=True)
class Partners:
    """Samples that a sample, or a class, may be compared with.

    What is worked out here holds whatever is pending, and is worked out once.

    Attributes
    ----------
    probabilities : Probabilities
    known : Knowledge
    """

    probabilities: Probabilities
    known: Knowledge
    _spoken: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False)
    _rows: dict[int, Rows] = field(default_factory=dict, init=False, repr=False)
    _how_typical: dict[int, dict[int, float]] = field(
        default_factory=dict, init=False, repr=False
    )
    _covered: dict[tuple[int, ...], Coverage] = field(
        default_factory=dict, init=False, repr=False
    )

    @cached_property
    def likeliest_class(self) -> Likeliest:
        """The likeliest class of all free samples; see ``Probabilities.likeliest``."""
        return self.probabilities.likeliest(self.blocked)

    @cached_property
    def drop(self) -> Array:
        """How much an answer on each free sample lowers the uncertainty of pairs."""
        probabilities, (top, p, others) = self.probabilities, self.likeliest_class
        weights = weight_of(probabilities, np.arange(len(probabilities.classes)))
        drop: Array = uncertainty_drop(p, others, probabilities.rates.wrong)
        return drop * probabilities.backend.wide(weights)[top]

    @cached_property
    def checked(self) -> Checked:
        """The settled samples, and what asking about each again is worth."""
        rows, new, samples = self.probabilities.checked
        if out := self.probabilities.aside:
            kept = ~np.isin(samples, list(out))
            rows, new, samples = rows[kept], new[kept], samples[kept]
        if not len(samples):
            return Checked(samples, rows, new, samples, new, new)
        top, p, others = likeliest(rows, rows, new)
        drop = drop_of(self.probabilities, top, p, others)
        return Checked(samples, rows, new, top, p, drop)

    @cached_property
    def class_gain(self) -> AnyFloats:
        """What asking about two classes is worth, of shape (m, m)."""
        probabilities = self.probabilities
        same = probabilities.pairs / np.maximum(
            probabilities.pairs.sum(axis=1, keepdims=True), 1.0
        )
        alone = np.maximum(1 - same.sum(axis=1, keepdims=True), 0.0)
        others = sums_of_others(same**2) + alone**2
        gain = uncertainty_drop(same, others, probabilities.rates.wrong)
        gain = gain * np.outer(probabilities.sizes, probabilities.sizes)
        np.fill_diagonal(gain, -1.0)
        return gain

    @cached_property
    def may_check(self) -> bool:
        """Whether a question whose answer is known may be asked.

        Checks are paid for by what they find: one question in 25 as long as they all
        held, and ten more for each answer that another one denies and each settled
        sample that had to be let go. True answers lead to neither, so they cost no more
        than that on any data. What was overlooked on a sheet is looked for on sheets;
        what a second reader is asked on purpose is no check of this kind.
        """
        asked = [answer.question.predicted for answer in self.known.answers]
        n_checks = sum(p is not None and p.kind in CHECKS for p in asked)
        seen, answers = self.probabilities.beliefs.calibration, self.known.answers
        denied = sum(answers[at].how not in SCREENED for at in self.known.doubtful)
        n_found = denied + seen.n_released - seen.n_missed
        n_asked = sum(answer.how not in SCREENED for answer in answers)
        return n_checks <= SHARE_OF_CHECKS * n_asked + EARNED * n_found

    @cached_property
    def concluded(self) -> NDArray[np.bool_]:
        """Which settled samples are where they are because they are nowhere else.

        Of those in ``checked``; nobody has said it, so asking is no check.
        """
        samples = self.checked.samples
        if self.probabilities.prior.n_groups is not None:  # by which it is certain
            return np.zeros(len(samples), dtype=bool)
        pro, contra = self.probabilities.evidence.on(samples)
        return np.asarray(contra.any(axis=1) & ~pro.any(axis=1))

    def rows_of(self, sample: int) -> Rows:
        """Return what is thought of a free sample before the ballots."""
        if sample not in self._rows:
            self._rows[sample] = self.probabilities.rows_of(np.array([sample]))
        return self._rows[sample]

    def coverage(self, pending: tuple[int, ...]) -> Coverage:
        """Return the coverage once some samples are settled too.

        Several questions are looked for one after the other, each besides one more.
        """
        there = next((key for key in self._covered if key == pending[: len(key)]), ())
        found = self._covered.get(there, self.probabilities.around.coverage)
        for sample in pending[len(there) :]:
            found = found.after(sample)
        self._covered.clear()
        self._covered[pending] = found
        return found

    @cached_property
    def blocked(self) -> Blocked:
        """The classes that nobody could compare a free sample with."""
        classes, is_free = self.probabilities.classes, self.probabilities.is_free
        class_of = self.probabilities.beliefs.class_of
        found: dict[int, list[int]] = {}
        for sample, unsure in self.known.unsure.items():
            told = [class_of[o] for o in unsure if o in class_of]
            names = {name for name in told if told.count(name) >= PATIENCE}
            if names and is_free[sample]:
                found[sample] = [classes.index(name) for name in names]
        return found

    def of(self, sample: int, column: int) -> int | None:
        """Return the most typical member of a class not yet compared with a sample."""
        members = self._open_members(sample, column)
        if not members:
            return None
        typical = self._typical(column)
        return members[first_best([typical[member] for member in members])]

    def likeliest(self, sample: int, askable: AnyFloats) -> tuple[int, int | None]:
        """Return the likeliest class that has a member to compare with, and which."""
        for column in best_first(askable):
            if askable[column] <= 0:
                break
            partner = self.of(sample, column)
            if partner is not None:
                return column, partner
        return -1, None

    def pair(self, g: int, h: int) -> tuple[int, int] | None:
        """Return typical members of two classes that were not compared yet."""
        first, second = self.speakers(g), self.speakers(h)
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

    def speakers(self, column: int) -> list[int]:
        """Return the most typical members of a class, looked for once."""
        if column not in self._spoken:
            self._spoken[column] = self._most_typical(column)
        return self._spoken[column]

    def _most_typical(self, column: int) -> list[int]:
        members = [s for s in self._members(column) if s not in self.known.aside]
        typical = self._typical(column)
        order = best_first([typical[member] for member in members])
        return [members[at] for at in islice(order, N_TYPICAL)]

    def _members(self, column: int) -> tuple[int, ...]:
        name = self.probabilities.classes[column]
        return self.probabilities.beliefs.members[name]

    def _typical(self, column: int) -> dict[int, float]:
        """Return how typical members are of their class, to all digits."""
        if column not in self._how_typical:
            members = self._members(column)
            near = self.probabilities.near(np.array(members, dtype=np.intp))[:, column]
            self._how_typical[column] = dict(zip(members, near.tolist(), strict=True))
        return self._how_typical[column]


def drop_of(
    probabilities: Probabilities, top: Indices, p: AnyFloats, others: AnyFloats
) -> AnyFloats:
    """Return how much answers about samples and classes lower the doubt about pairs."""
    drop = uncertainty_drop(p, others, probabilities.rates.wrong)
    return drop * weight_of(probabilities, top)


def weight_of(probabilities: Probabilities, columns: Indices) -> AnyFloats:
    """Return the pairs that hang on samples: n^0.3 s^0.7, s the size of their class.

    Small classes are asked about more than their size alone would.
    """
    n = len(probabilities.prior.start)
    return n ** (1 - BY_SIZE) * probabilities.sizes[columns] ** BY_SIZE


def class_questions(
    probabilities: Probabilities, partners: Partners, taken: Sequence[int]
) -> Iterator[Candidate]:
    """Yield pairs of classes that may be one, best first.

    Parameters
    ----------
    probabilities : Probabilities
    partners : Partners
    taken : sequence of int
        Columns of classes that are asked about elsewhere.
    """
    m = len(probabilities.classes)
    if m < 2:  # noqa: PLR2004 - a pair
        return
    gain = partners.class_gain.copy()
    gain[taken], gain[:, taken] = -1.0, -1.0
    for at in best_first(gain.ravel(), within=probabilities.prior.regime.slight):
        g, h = divmod(at, m)
        pair = partners.pair(g, h) if gain[g, h] >= 0 else None
        if pair is None:
            continue
        is_known, worth = partners.is_known(*pair), float(gain[g, h])
        if is_known and (worth < WORTH_A_CHECK or not partners.may_check):
            continue
        kind = "check groups" if is_known else "groups"
        predicted = expected_of_classes(probabilities, g, h, kind)
        yield Candidate(worth, worth, Question(*pair, predicted))


def expected_of_classes(
    probabilities: Probabilities, g: int, h: int, kind: str
) -> Prediction:
    """Return what is expected of a question about two classes."""
    p = float(probabilities.pairs[g, h])
    after = float(sigmoid(logit(np.array(p)) + probabilities.rates.strength))
    members = [len(m) for m in probabilities.beliefs.members.values()]
    misplaced = (1 - after) * min(members[g], members[h])
    believed = reaches(after, LIKELY) and misplaced <= MISPLACED
    close = float(probabilities.closeness[g, h])
    return Prediction(p, kind, close, bool(believed), _rest(probabilities, g, h))


def _rest(probabilities: Probabilities, g: int, h: int) -> int:
    """Return the class that g must be of, were it different from h."""
    main, apart = probabilities.main, probabilities.apart
    if g in main or h not in main:
        return GO_ON
    left = [c for c in main if c != h and not apart[g, c]]
    return probabilities.classes[left[0]] if len(left) == 1 else GO_ON


@dataclass(frozen=True, slots=True)
class SampleQuestions:
    """What may be asked about samples.

    Attributes
    ----------
    probabilities : Probabilities
    partners : Partners
    coverage : Coverage
        With the pending questions answered.
    taken : sequence of int
        Samples that are asked about elsewhere.
    """

    probabilities: Probabilities
    partners: Partners
    coverage: Coverage
    taken: Sequence[int]

    def free(self) -> Iterator[Candidate]:
        """Yield the free samples with their likeliest class, best first."""
        blocked = self.partners.blocked
        if not self.probabilities.n_free:
            return
        gains = self.gains(blocked)
        for sample, plain in self._order(gains):
            before = self.partners.rows_of(sample)
            row = self.probabilities.questioned(np.array([sample]), before)[0][0]
            askable = row.copy()
            askable[list(blocked.get(sample, ()))] = 0.0
            column, partner = self.partners.likeliest(sample, askable)
            if partner is None or plain < 0:
                continue
            predicted = self.expected(sample, partner, column, float(row[column]))
            if predicted.kind == "check" and not self._may_check(sample):
                continue
            worth = plain * gains.lift
            first = np.inf if sample in self._under_way else worth
            yield Candidate(first, worth, Question(sample, partner, predicted))

    def settled(self) -> Iterator[Candidate]:
        """Yield settled samples that may be in the wrong class, best first."""
        samples, rows, new, top, p, drop = self.partners.checked
        may_ask = self.partners.concluded | self.partners.may_check
        if not may_ask.any():
            return
        shares = parts_of(self.probabilities.beliefs.faint, samples)
        gain = drop * self.reach(self.coverage.spread_at(samples), -1, shares)
        is_idle = (gain < WORTH_A_CHECK) & ~self.partners.concluded
        gain[np.isin(samples, self.taken) | ~may_ask | is_idle] = -1.0
        for at in best_first(gain, within=self.probabilities.prior.regime.slight):
            if gain[at] < 0:
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

    def _may_check(self, sample: int) -> bool:
        """Tell whether a free sample may be asked about what is known of it.

        One that is apart from all of k groups contradicts something, and so does one
        that was passed by and then let go: that is found out.
        """
        ballots = self.probabilities.beliefs.ballots.get(sample, ())
        was_passed = any(passed for _, _, _, passed, _ in ballots)
        is_odd = bool(self.probabilities.main) or was_passed
        return (is_odd and sample in self._under_way) or self.partners.may_check

    @property
    def _under_way(self) -> tuple[int, ...]:
        return self.probabilities.beliefs.under_way

    def gains(self, blocked: Blocked) -> Gains:
        """Return what a question on each free sample is worth."""
        probabilities, regime = self.probabilities, self.probabilities.prior.regime
        backend, wrong = probabilities.backend, probabilities.rates.wrong
        gain = self._gain_of_all()
        if regime.dtype != np.float64:  # those that rounding might choose among
            few = backend.tied_best(gain, within=NEARLY)[:N_NEARLY]
            found = probabilities.likeliest_of(few, blocked)
            backend.put(gain, few, self._gain_of(few, found))
        best = int(backend.tied_best(gain, within=regime.slight)[0])
        at = np.array([best])
        top, p, others = probabilities.likeliest_of(at, blocked)
        rows, new = probabilities.doubted(at, self.partners.rows_of(best))
        doubted = uncertainty_drop(*entry_of(rows, new, 0, int(top[0])), wrong)
        plain = uncertainty_drop(p[0], others[0], wrong)
        lift = max(float(doubted) / max(float(plain), 1e-9), 1.0)
        return Gains(gain, lift, best)

    def _gain_of_all(self) -> Array:
        """Return what a question on each sample is worth, in few digits."""
        probabilities, coverage = self.probabilities, self.coverage
        spread, backend = (coverage.variance, coverage.lengths), probabilities.backend
        gain: Array = self.partners.drop * self.reach(spread, 1)
        if self.taken:  # what is left of their uncertainty
            now = probabilities.around.coverage.variance
            gain = gain * (spread[0] / now.clip(1e-12)).clip(0.0, 1.0)
        gain = gain * 1.0  # nobody else's
        gain[self.partners.likeliest_class[1] <= 0] = -1.0
        backend.put(gain, np.array(sorted({*self.taken}), dtype=np.intp), -1.0)
        backend.put(gain, probabilities.not_free, -np.inf)
        return gain

    def _gain_of(
        self, samples: Indices, found: tuple[Indices, AnyFloats, AnyFloats]
    ) -> AnyFloats:
        """Return the same of some samples and their likeliest classes, in all."""
        spread = self.coverage.spread_at(samples)
        gain: AnyFloats = drop_of(self.probabilities, *found) * self.reach(spread, 1)
        if self.taken:
            now = self.probabilities.around.coverage.variance_at(samples)
            gain = gain * np.clip(spread[0] / np.maximum(now, 1e-12), 0.0, 1.0)
        gain[(found[1] <= 0) | np.isin(samples, self.taken)] = -1.0
        return gain

    def _order(self, gains: Gains) -> Iterator[tuple[int, float]]:
        """Yield samples and gains: those under way, latest first, then by gain."""
        backend, regime = self.probabilities.backend, self.probabilities.prior.regime
        gain, first = gains.plain, gains.best
        waiting = [s for s in self._under_way if self.probabilities.is_free[s]]
        values = backend.rows(gain, np.array(waiting, dtype=np.intp)).tolist()
        for sample, value in reversed([*zip(waiting, values, strict=True)]):
            if value >= 0:
                yield sample, value
        if first not in self._under_way:
            yield first, float(gain[first])
        whole = backend.host(gain)
        for at in best_first(whole, within=regime.slight):
            if not np.isfinite(whole[at]):
                return
            if at != first and at not in self._under_way:
                yield at, float(whole[at])

    def expected(self, sample: int, partner: int, column: int, p: float) -> Prediction:
        """Return what is expected of a question about a free sample and a class."""
        if_different = self._if_different(sample, column, self.partners.rows_of(sample))
        wrong = self.probabilities.rates.wrong
        believed = p * (1 - wrong) > (1 - p) * wrong
        kind = "check" if self.partners.is_known(sample, partner) else "sample"
        far = float(self.probabilities.around.far_at(np.array([sample]))[0])
        return Prediction(p, kind, far, bool(believed), if_different)

    def _if_different(self, sample: int, column: int, before: Rows) -> int:
        """Return what "different" would mean for a free sample."""
        probabilities, at = self.probabilities, np.array([sample])
        votes = probabilities.evidence.votes(at)
        votes[0, column] -= 1
        rows, new = probabilities.silenced(*before)
        after = weighed(rows, new, votes, probabilities.rates.strength)[0][0]
        if probabilities.main:
            left = [g for g in probabilities.main if votes[0, g] >= 0]
            if len(left) == 1 and reaches(after[left[0]], LIKELY):
                return probabilities.classes[left[0]]
        best = first_best(np.where(votes[0] < 0, 0.0, after))
        is_open = probabilities.prior.n_groups is None
        if is_open and reaches(after[best], ELIMINATED):
            return probabilities.classes[best]
        if (votes[0] < -bool(probabilities.main)).all():  # whatever the fields say
            return NEW
        return GO_ON if after.max() >= FOUNDING else NEW

    def _if_not(self, row: AnyFloats, new: float, sample: int, column: int) -> int:
        """Return what "different" would mean for a settled sample."""
        class_of = self.probabilities.beliefs.class_of
        home = self.probabilities.classes.index(class_of[sample])
        after = row * np.exp(
            -self.probabilities.rates.strength * (np.arange(len(row)) == column)
        )
        stays = after[home] / (after.sum() + new)
        return STAY if reaches(stays, LIKELY) else GO_ON

    def reach(self, spread: Any, sign: int, shares: Floats | None = None) -> Any:
        r"""Return how many samples are decided together with each (V-optimality).

        :math:`r(i) = 1 + (n / v_0) |C v_i|^2 / (\sigma^2 + v_i^T C v_i)`; minus for a
        sample that is settled already. Of the arrays that `spread` is made of.
        """
        (variance, lengths), prior = spread, self.probabilities.prior
        alone = self.coverage.noise if shares is None else self.coverage.noise / shares
        noise = (alone + sign * variance).clip(1e-9 * self.coverage.noise)
        return 1 + len(prior.start) / prior.reach * lengths / noise


def best_question(
    probabilities: Probabilities, known: Knowledge, pending: tuple[Question, ...] = ()
) -> Candidate | None:
    """Return the question that is worth most; samples under way go first.

    How well settled samples cover the others does not depend on what is answered, so
    the pending questions count as answered there: what they will tell is not asked
    again. A sample is asked about once at a time, and so is a class.
    """
    return best_besides(Partners(probabilities, known), pending)


def best_besides(partners: Partners, pending: tuple[Question, ...]) -> Candidate | None:
    """Return what :func:`best_question` does, with what was worked out before."""
    probabilities = partners.probabilities
    settling = [q.sample for q in pending if not _is_about_classes(q)]
    coverage = partners.coverage(tuple(settling))
    taken = [question.sample for question in pending]
    samples = SampleQuestions(probabilities, partners, coverage, taken)
    kinds = (
        samples.free(),
        samples.settled(),
        class_questions(
            probabilities, partners, _taken_classes(probabilities, pending)
        ),
    )
    found = [first for kind in kinds if (first := next(kind, None)) is not None]
    if not found:
        return None
    within = probabilities.prior.regime.slight
    return found[first_best([candidate.gain for candidate in found], within=within)]


def _is_about_classes(question: Question) -> bool:
    predicted = question.predicted
    return predicted is not None and predicted.kind.endswith("groups")


def _taken_classes(
    probabilities: Probabilities, pending: tuple[Question, ...]
) -> list[int]:
    """Return the columns of classes that a pending question is about."""
    class_of, names = probabilities.beliefs.class_of, probabilities.classes
    ends = [end for q in pending if _is_about_classes(q) for end in q.pair]
    told = {class_of[end] for end in ends if end in class_of}
    return [names.index(name) for name in told]


def uncertainty_drop(p: Any, others: Any, wrong: float) -> Any:
    r"""Return how much an answer lowers the Gini uncertainty, in expectation.

    For an entry of probability p, the squares of the others summing to S, and a share e
    of wrong answers, with :math:`q = p(1-e) + (1-p)e`,

    .. math::
        D = \frac{p^2 (1-e)^2 + e^2 S}{q} + \frac{p^2 e^2 + (1-e)^2 S}{1-q} - p^2 - S
          = (1 - 2e)^2 \, p^2 \, \frac{(1-p)^2 + S}{q (1-q)}.

    Only the second form is right to all digits where p is near 0 or 1. Of arrays of any
    backend.
    """
    q = (p * (1 - wrong) + (1 - p) * wrong).clip(1e-12, 1 - 1e-12)
    return (1 - 2 * wrong) ** 2 * p**2 * ((1 - p) ** 2 + others) / (q * (1 - q))


def entry_of(
    rows: AnyFloats, new: AnyFloats, row: int, column: int
) -> tuple[AnyFloats, AnyFloats]:
    """Return the probability of one class of a row, and the others' squares."""
    others = np.delete(rows[row], column)
    return rows[row, column], (others**2).sum() + new[row] ** 2


def sums_of_others(rows: AnyFloats) -> AnyFloats:
    """Return for each entry the sum of the others in its row, nothing subtracted.

    Examples
    --------
    >>> sums_of_others(np.array([[1.0, 2.0, 4.0]]))
    array([[6., 5., 3.]])
    """
    before, after = np.zeros_like(rows), np.zeros_like(rows)
    before[:, 1:] = rows[:, :-1].cumsum(axis=1)
    after[:, :-1] = rows[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return before + after

"""What the method learns from its own hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from likewise.knowledge import GO_ON, NEW, STAY, Answer, Prediction, Verdict


@dataclass(frozen=True, slots=True)
class Tally:
    """What the method learns from its own hits; the starting counts are its priors.

    Attributes
    ----------
    hits, misses : float
        First questions on a sample, weighted by how far it was from settled ones: was
        it of its likeliest class.
    new, old : float
        Samples that missed: how many founded a class, how many found one.
    groups : tuple of (float, bool)
        For each question about two classes: how close they were, and whether same.
    firsts : tuple of (float, bool)
        For each first question on a sample: the probability given, and whether same.
    """

    hits: float = 4.0
    misses: float = 1.0
    new: float = 1.0
    old: float = 1.0
    groups: tuple[tuple[float, bool], ...] = ()
    firsts: tuple[tuple[float, bool], ...] = ()

    def after(self, predicted: Prediction, sign: int, *, is_first: bool) -> Tally:
        """Return the tally with one more answer in it."""
        same = sign > 0
        if predicted.kind == "groups":
            return replace(self, groups=(*self.groups, (predicted.aux, same)))
        if predicted.kind != "sample" or not is_first:
            return self
        return replace(
            self,
            hits=self.hits + predicted.aux * same,
            misses=self.misses + predicted.aux * (not same),
            firsts=(*self.firsts, (predicted.same, same)),
        )


GIVEN = 3  # ballots that an answer known from the start counts for: nobody slipped

# The sample it was compared with, for (+) or against (-), and whether it is on both.
Ballot = tuple[int, int, bool]


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Classes of settled samples, and what is under way.

    Attributes
    ----------
    class_of : mapping of int to int
        The class of each settled sample, named after its founder.
    members : mapping of int to tuple of int
        The samples of each class, oldest class first.
    ballots : mapping of int to tuple of Ballot
        What was said about each sample.
    under_way : tuple of int
        Samples whose questions have begun and that have no class yet.
    tally : Tally

    Examples
    --------
    >>> from likewise.knowledge._knowledge import Question
    >>> start = Beliefs.of([0, 5])
    >>> start.after(Answer(Question(3, 5), Verdict.SAME)).class_of[3]
    5
    """

    class_of: Mapping[int, int]
    members: Mapping[int, tuple[int, ...]]
    ballots: Mapping[int, tuple[Ballot, ...]] = field(default_factory=dict)
    under_way: tuple[int, ...] = ()
    tally: Tally = field(default_factory=Tally)

    @classmethod
    def of(cls, founders: Iterable[int]) -> Beliefs:
        """Return the beliefs before any answer: each founder is a class."""
        founders = [int(founder) for founder in founders]
        return cls({f: f for f in founders}, {f: (f,) for f in founders})

    def after(self, answer: Answer) -> Beliefs:
        """Return the beliefs after one more answer."""
        return self.after_all([answer])

    def after_all(self, answers: Iterable[Answer]) -> Beliefs:
        """Return the beliefs after many answers.

        One copy serves all, so a long list costs time in proportion to its length.
        """
        draft = _Draft(self)
        for answer in answers:
            draft.take(answer)
        return draft.beliefs

    def votes(self, sample: int) -> Counter[int]:
        """Return the ballots on a sample, summed by the classes they speak of.

        "Same" about two classes speaks of their samples only once they are one class.
        """
        total: Counter[int] = Counter()
        home = self.class_of.get(sample)
        for other, sign, mutual in self.ballots.get(sample, ()):
            spoken_of = self.class_of.get(other)
            if spoken_of is not None and (sign < 0 or not mutual or spoken_of == home):
                total[spoken_of] += sign
        return total

    def fits(self, answer: Answer) -> bool:
        """Tell whether an answer says of two samples what is believed of them."""
        if answer.verdict is Verdict.UNSURE:
            return True
        a = self.class_of.get(answer.question.sample)
        is_same = a is not None and a == self.class_of.get(answer.question.against)
        return is_same == (answer.verdict is Verdict.SAME)


class _Draft:
    """A copy of the beliefs that may still be changed, by its maker only."""

    def __init__(self, start: Beliefs) -> None:
        self.class_of = dict(start.class_of)
        self.members = dict(start.members)
        self.ballots = dict(start.ballots)
        self.under_way = start.under_way
        self.tally = start.tally

    @property
    def beliefs(self) -> Beliefs:
        return Beliefs(
            self.class_of, self.members, self.ballots, self.under_way, self.tally
        )

    def take(self, answer: Answer) -> None:
        i, j = answer.question.sample, answer.question.against
        if answer.verdict is Verdict.UNSURE:
            self._stop(i)
            return
        sign = 1 if answer.verdict is Verdict.SAME else -1
        predicted = answer.question.predicted
        if predicted is None:
            i, j, predicted = self._unasked(i, j, sign)
        else:
            first = i not in self.under_way and i not in self.class_of
            self.tally = self.tally.after(predicted, sign, is_first=first)
        mutual = predicted.kind.endswith("groups") or j not in self.class_of
        weight = sign * (GIVEN if answer.how == "given" else 1)
        self._count(i, j, weight, mutual=mutual)
        if predicted.kind.endswith("groups"):
            self._decide_groups(i, j, sign, predicted)
        else:
            self._decide_sample(i, j, sign, predicted)

    def _unasked(self, i: int, j: int, sign: int) -> tuple[int, int, Prediction]:
        """Say what an answer without a prediction is about."""
        if i in self.class_of and j not in self.class_of:
            i, j = j, i
        elif i not in self.class_of and j not in self.class_of and sign > 0:
            self._found(j)
        a, b = self.class_of.get(i), self.class_of.get(j)
        if a is None:
            return i, j, Prediction(0.5, "sample", if_different=STAY)
        return i, j, Prediction(0.5, "check" if a == b else "groups")

    def _count(self, i: int, j: int, sign: int, *, mutual: bool) -> None:
        self.ballots[i] = (*self.ballots.get(i, ()), (j, sign, mutual))
        if mutual:
            self.ballots[j] = (*self.ballots.get(j, ()), (i, sign, mutual))

    def _decide_groups(self, i: int, j: int, sign: int, predicted: Prediction) -> None:
        a, b = self.class_of.get(i), self.class_of.get(j)
        rest = predicted.if_different
        if sign > 0 and predicted.if_same and a is not None and b is not None:
            self._merge(a, b)
        elif sign < 0 and rest >= 0 and a is not None and rest in self.class_of:
            self._merge(self.class_of[rest], a)

    def _decide_sample(self, i: int, j: int, sign: int, predicted: Prediction) -> None:
        rest = predicted.if_different
        if i in self.class_of:
            if sign > 0 or rest != STAY:
                self._reconsider(i)
        elif sign > 0:
            if not (predicted.if_same and self._is_backed(i, self.class_of.get(j))):
                self._begin(i)
            else:
                self._join(i, self.class_of[j])
        elif rest >= 0 and rest in self.class_of:
            self._join(i, self.class_of[rest])
        elif rest == NEW:
            self.tally = replace(self.tally, new=self.tally.new + 1)
            self._found(i)
        elif rest == GO_ON:
            self._begin(i)

    def _reconsider(self, i: int) -> None:
        """Let a settled sample go whose ballots do not back its class any more."""
        if not self._is_backed(i, self.class_of[i]):
            self._release(i)
            self._begin(i)

    def _is_backed(self, i: int, target: int | None) -> bool:
        """Tell whether the ballots on a sample speak for a class above all others."""
        votes = self.beliefs.votes(i)
        own = votes.pop(target, 0) if target is not None else 0
        return own > max([0, *votes.values()])

    def _join(self, i: int, target: int) -> None:
        if i in self.under_way:
            self.tally = replace(self.tally, old=self.tally.old + 1)
        self._stop(i)
        self.class_of[i] = target
        self.members[target] = (*self.members[target], i)

    def _found(self, i: int) -> None:
        self._stop(i)
        self.class_of[i] = i
        self.members[i] = (i,)

    def _release(self, i: int) -> None:
        home = self.class_of.pop(i)
        left = tuple(s for s in self.members[home] if s != i)
        name = left[0] if left and i == home else home  # a founder takes its name along
        self.members = {
            name if old == home else old: left if old == home else samples
            for old, samples in self.members.items()
            if old != home or left
        }
        self.class_of.update(dict.fromkeys(left, name))

    def _merge(self, a: int, b: int) -> None:
        if a == b:
            return
        kept, gone = sorted((a, b), key=list(self.members).index)
        moved = self.members.pop(gone)
        self.members[kept] += moved
        self.class_of.update(dict.fromkeys(moved, kept))

    def _begin(self, i: int) -> None:
        if i not in self.under_way and i not in self.class_of:
            self.under_way = (*self.under_way, i)

    def _stop(self, i: int) -> None:
        if i in self.under_way:
            self.under_way = tuple(s for s in self.under_way if s != i)

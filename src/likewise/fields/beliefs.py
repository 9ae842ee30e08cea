"""Which answers are believed, and the classes that follow: a fold over the journal.

A class is a set of samples held to be together. Every answer about a sample is a ballot
for or against the class of the sample it was compared with; a sample belongs where its
ballots say. What a single answer is enough for was decided when the question was asked
and is kept with it (:class:`~likewise.knowledge.Prediction`), so the fold needs no
model and costs next to nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from likewise.constraints import Verdict
from likewise.knowledge import GO_ON, NEW, STAY, Answer, Prediction

GIVEN = 3  # ballots that an answer known from the start counts for: nobody slipped

# The sample it was compared with, for (+) or against (-), and whether it is on both.
Ballot = tuple[int, int, bool]


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
    >>> from likewise.knowledge import Question
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
        i, j = answer.question.sample, answer.question.against
        if answer.verdict is Verdict.UNSURE:
            return self._without(i)
        sign = 1 if answer.verdict is Verdict.SAME else -1
        state, predicted = self, answer.question.predicted
        if predicted is None:
            i, j, predicted, state = self._unasked(i, j, sign)
        else:
            first = i not in self.under_way and i not in self.class_of
            tally = self.tally.after(predicted, sign, is_first=first)
            state = replace(self, tally=tally)
        mutual = predicted.kind.endswith("groups") or j not in state.class_of
        weight = sign * (GIVEN if answer.how == "given" else 1)
        state = state._with_ballots(i, j, weight, mutual=mutual)
        if predicted.kind.endswith("groups"):
            return state._decide_groups(i, j, sign, predicted)
        return state._decide_sample(i, j, sign, predicted)

    def after_all(self, answers: Iterable[Answer]) -> Beliefs:
        """Return the beliefs after many answers."""
        state = self
        for answer in answers:
            state = state.after(answer)
        return state

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

    def _unasked(
        self, i: int, j: int, sign: int
    ) -> tuple[int, int, Prediction, Beliefs]:
        """Say what an answer without a prediction is about."""
        state = self
        if i in self.class_of and j not in self.class_of:
            i, j = j, i
        elif i not in self.class_of and j not in self.class_of and sign > 0:
            state = self._founded(j)
        a, b = state.class_of.get(i), state.class_of.get(j)
        if a is None:
            return i, j, Prediction(0.5, "sample", if_different=STAY), state
        return i, j, Prediction(0.5, "check" if a == b else "groups"), state

    def _with_ballots(self, i: int, j: int, sign: int, *, mutual: bool) -> Beliefs:
        ballots = {**self.ballots, i: (*self.ballots.get(i, ()), (j, sign, mutual))}
        if mutual:
            ballots[j] = (*ballots.get(j, ()), (i, sign, mutual))
        return replace(self, ballots=ballots)

    def _decide_groups(
        self, i: int, j: int, sign: int, predicted: Prediction
    ) -> Beliefs:
        a, b = self.class_of.get(i), self.class_of.get(j)
        if sign > 0 and predicted.if_same and a is not None and b is not None:
            return self._merged(a, b)
        rest = predicted.if_different
        if sign < 0 and rest >= 0 and a is not None and rest in self.class_of:
            return self._merged(self.class_of[rest], a)
        return self

    def _decide_sample(
        self, i: int, j: int, sign: int, predicted: Prediction
    ) -> Beliefs:
        target = self.class_of.get(j)
        if i in self.class_of:
            stays = sign < 0 and predicted.if_different == STAY
            return self if stays else self._reconsidered(i)
        if sign > 0:
            return self._settled(i, target) if predicted.if_same else self._begun(i)
        rest = predicted.if_different
        if rest >= 0 and rest in self.class_of:
            return self._joined(i, self.class_of[rest])
        if rest == NEW:
            tally = replace(self.tally, new=self.tally.new + 1)
            return replace(self, tally=tally)._without(i)._founded(i)
        return self._begun(i) if rest == GO_ON else self

    def _reconsidered(self, i: int) -> Beliefs:
        """Let a settled sample go whose ballots do not back its class any more."""
        votes = self.votes(i)
        own = votes.pop(self.class_of[i], 0)
        if own > max([0, *votes.values()]):
            return self
        return self._released(i)._begun(i)

    def _settled(self, i: int, target: int | None) -> Beliefs:
        votes = self.votes(i)
        own = votes.pop(target, 0) if target is not None else 0
        if target is None or own <= max([0, *votes.values()]):
            return self._begun(i)
        return self._joined(i, target)

    def _joined(self, i: int, target: int) -> Beliefs:
        tally = self.tally
        if i in self.under_way:
            tally = replace(tally, old=tally.old + 1)
        return replace(
            self._without(i),
            tally=tally,
            class_of={**self.class_of, i: target},
            members={**self.members, target: (*self.members[target], i)},
        )

    def _founded(self, i: int) -> Beliefs:
        return replace(
            self._without(i),
            class_of={**self.class_of, i: i},
            members={**self.members, i: (i,)},
        )

    def _released(self, i: int) -> Beliefs:
        home = self.class_of[i]
        left = tuple(s for s in self.members[home] if s != i)
        name = left[0] if left and i == home else home  # a founder takes its name along
        members = {
            name if old == home else old: left if old == home else samples
            for old, samples in self.members.items()
            if old != home or left
        }
        class_of = {s: c for s, c in self.class_of.items() if s != i}
        class_of.update(dict.fromkeys(left, name))
        return replace(self, class_of=class_of, members=members)

    def _merged(self, a: int, b: int) -> Beliefs:
        if a == b:
            return self
        order = list(self.members)
        kept, gone = sorted((a, b), key=order.index)
        members = dict(self.members)
        moved = members.pop(gone)
        members[kept] = members[kept] + moved
        return replace(
            self,
            class_of={**self.class_of, **dict.fromkeys(moved, kept)},
            members=members,
        )

    def _begun(self, i: int) -> Beliefs:
        if i in self.under_way or i in self.class_of:
            return self
        return replace(self, under_way=(*self.under_way, i))

    def _without(self, i: int) -> Beliefs:
        if i not in self.under_way:
            return self
        return replace(self, under_way=tuple(s for s in self.under_way if s != i))

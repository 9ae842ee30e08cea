"""Classes of settled samples, what was said about samples, and how well it fits.

The fold of answers into classes and ballots; below it, the ballots as numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.knowledge import (
    DECIDED,
    GO_ON,
    NEW,
    PASSED,
    STAY,
    TAPPED,
    Answer,
    Prediction,
    Verdict,
)

GIVEN = 3  # ballots that what was known from the start, or decided, counts for
WRONG = (0.75, 49.25)  # prior counts of wrong and right answers: 1.5 % are wrong
MISSED = (1.0, 19.0)  # prior counts of what was overlooked, and of what was tapped
SILENT = (1.0, 9.0)  # prior counts of samples on which the fields are silent, or not
N_STEPS = 3  # of expectation and maximisation
LIFT = 9  # digits by which ballots raise or lower a membership
NOWHERE = -1  # the column of samples without a class

PUT = "group"  # the kind of what is said when samples are put into a group
FAINTEST = 0.02  # of an observation, what an expected answer on a sheet counts for

# The sample it was compared with, for (+) or against (-), whether it is on both,
# whether nobody said it: it was left untapped; and what its reader's word is worth.
Ballot = tuple[int, int, bool, bool, float]
# What a reader's word is worth; that of all who are not in it is worth 1.
Trust = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Calibration:
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
    n_released : int
        How often a settled sample was let go: true answers about k groups, if so many
        were told, never lead there.
    n_tapped, n_missed : int
        How often something was tapped on a screen, and how often something was let go
        that should have been.
    """

    hits: float = 4.0
    misses: float = 1.0
    new: float = 1.0
    old: float = 1.0
    groups: tuple[tuple[float, bool], ...] = ()
    firsts: tuple[tuple[float, bool], ...] = ()
    n_released: int = 0
    n_tapped: int = 0
    n_missed: int = 0

    @property
    def missed(self) -> float:
        """The share of what should be tapped and is not."""
        missed, tapped = MISSED[0] + self.n_missed, MISSED[1] + self.n_tapped
        return missed / (missed + tapped)

    def after(self, predicted: Prediction, sign: int, *, is_first: bool) -> Calibration:
        """Return the counts with one more answer in it."""
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
    calibration : Calibration
    faint : mapping of int to float
        Of samples that were settled on a sheet, what part of an observation they count
        for: as much as it was unexpected. Whoever looks through a group settles all of
        it, which says little of what lies around.
    trust : mapping of str to float
        What each reader's word is worth; what is worth nothing is as if it had not been
        said.

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
    calibration: Calibration = field(default_factory=Calibration)
    faint: Mapping[int, float] = field(default_factory=dict)
    trust: Trust = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        founders: Iterable[int],
        beside: Mapping[int, int] | None = None,
        trust: Trust | None = None,
    ) -> Beliefs:
        """Return the beliefs before any answer: each founder is a class.

        Another sample may stand beside a founder, as one of its class.
        """
        others = beside or {}
        members = {
            int(f): (int(f), others[f]) if f in others else (int(f),) for f in founders
        }
        class_of = {s: f for f, samples in members.items() for s in samples}
        return cls(class_of, members, trust=trust or {})

    def with_founders(self, founders: Iterable[int]) -> Beliefs:
        """Return the beliefs with more classes of one sample each, which has none yet.

        Examples
        --------
        >>> Beliefs.of([0, 5]).with_founders([7]).members
        {0: (0,), 5: (5,), 7: (7,)}
        """
        more = {int(f): (int(f),) for f in founders}
        return replace(
            self,
            class_of={**self.class_of, **dict(zip(more, more, strict=True))},
            members={**self.members, **more},
            under_way=tuple(s for s in self.under_way if s not in more),
        )

    def after(self, answer: Answer, clusters: Indices | None = None) -> Beliefs:
        """Return the beliefs after one more answer."""
        return self.after_all([answer], clusters)

    def after_all(
        self, answers: Iterable[Answer], clusters: Indices | None = None
    ) -> Beliefs:
        """Return the beliefs after many answers.

        One copy serves all, so a long list costs time in proportion to its length.

        Parameters
        ----------
        answers : iterable of Answer
        clusters : ndarray of shape (n,), optional
            Those before any answer. What another model took for a member of a class
            when it asked, and of which nothing is known here, founds one; and a founder
            in its cluster of whom nobody has said anything makes way for it.
        """
        draft = _Draft(self, clusters)
        for answer in answers:
            draft.take(answer)
        return draft.beliefs

    @property
    def unheard(self) -> frozenset[str]:
        """Readers of whom no answer is worth anything."""
        return frozenset(by for by, worth in self.trust.items() if not worth)

    def votes(self, sample: int) -> dict[int, float]:
        """Return the ballots on a sample, summed by the classes they speak of.

        "Same" about two classes speaks of their samples only once they are one class.
        """
        total: dict[int, float] = defaultdict(float)
        home = self.class_of.get(sample)
        for other, sign, mutual, _, worth in self.ballots.get(sample, ()):
            spoken_of = self.class_of.get(other)
            if spoken_of is not None and (sign < 0 or not mutual or spoken_of == home):
                total[spoken_of] += sign * worth
        return total

    def fits(self, answer: Answer) -> bool:
        """Tell whether an answer says of two samples what is believed of them."""
        if answer.verdict is Verdict.UNSURE:
            return True
        if answer.by in self.unheard:
            return False
        a = self.class_of.get(answer.question.sample)
        is_same = a is not None and a == self.class_of.get(answer.question.against)
        return is_same == (answer.verdict is Verdict.SAME)


class _Draft:
    """A copy of the beliefs that may still be changed, by its maker only."""

    def __init__(self, start: Beliefs, clusters: Indices | None = None) -> None:
        self._clusters = clusters
        self.class_of = dict(start.class_of)
        self.members = dict(start.members)
        self.ballots = dict(start.ballots)
        self.under_way = start.under_way
        self.calibration = start.calibration
        self.faint = dict(start.faint)
        self.trust = start.trust

    @property
    def beliefs(self) -> Beliefs:
        return Beliefs(
            self.class_of,
            self.members,
            self.ballots,
            self.under_way,
            self.calibration,
            self.faint,
            self.trust,
        )

    def take(self, answer: Answer) -> None:
        i, j = answer.question.sample, answer.question.against
        if answer.verdict is Verdict.UNSURE:
            self._stop(i)
            return
        sign = 1 if answer.verdict is Verdict.SAME else -1
        worth = self.trust.get(answer.by, 1.0)
        if not worth:
            return
        predicted = answer.question.predicted
        if predicted is None:
            i, j, predicted = self._unasked(i, j, sign)
        else:
            self._welcome(i, j, sign, predicted)
            first = i not in self.under_way and i not in self.class_of
            self.calibration = self.calibration.after(predicted, sign, is_first=first)
        mutual = predicted.kind.endswith("groups") or j not in self.class_of
        weight = sign * (GIVEN if answer.how in ("given", DECIDED) else 1)
        self._count(i, j, (weight, mutual, answer.how == PASSED, worth))
        self._note(i, sign, predicted, answer.how)
        if predicted.kind.endswith("groups"):
            self._decide_groups(i, j, sign, predicted)
        else:
            self._decide_sample(i, j, sign, predicted)

    def _welcome(self, i: int, j: int, sign: int, predicted: Prediction) -> None:
        """Let those found classes that whoever asked took for members of some."""
        if self._clusters is None:
            return
        spoken_of = [i, j] if predicted.kind.endswith("groups") else [j]
        if sign < 0 and predicted.if_different >= 0:
            spoken_of.append(predicted.if_different)
        for sample in spoken_of:
            is_known = sample in self.class_of or sample in self.under_way
            if not is_known and sample not in self.ballots:
                self._make_way(self._clusters == self._clusters[sample])
                self._found(sample)

    def _make_way(self, is_here: NDArray[np.bool_]) -> None:
        """Drop the classes in a cluster of which nobody has said anything."""
        told = {other for ballots in self.ballots.values() for other, *_ in ballots}
        told.update(self.ballots)
        for name, samples in list(self.members.items()):
            if is_here[name] and told.isdisjoint(samples):
                del self.members[name]
                for sample in samples:
                    del self.class_of[sample]

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

    def _count(self, i: int, j: int, said: tuple[int, bool, bool, float]) -> None:
        self.ballots[i] = (*self.ballots.get(i, ()), (j, *said))
        if said[1]:
            self.ballots[j] = (*self.ballots.get(j, ()), (i, *said))

    def _note(self, i: int, sign: int, predicted: Prediction, how: str) -> None:
        """Note what a sample counts for from now on, and what was tapped."""
        seen = self.calibration
        if how == TAPPED:
            self.calibration = replace(seen, n_tapped=seen.n_tapped + 1)
        self.faint.pop(i, None)
        if how in (TAPPED, PASSED) and sign > 0 and i not in self.class_of:
            self.faint[i] = max(1 - predicted.same, FAINTEST)

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
            self._decide_settled(i, j, sign, predicted)
        elif sign > 0:
            if not (predicted.if_same and self._is_backed(i, self.class_of.get(j))):
                self._begin(i)
            else:
                self._join(i, self.class_of[j])
        elif rest >= 0 and rest in self.class_of:
            self._join(i, self.class_of[rest])
        elif rest == NEW:
            self.calibration = replace(self.calibration, new=self.calibration.new + 1)
            self._found(i)
        elif rest == GO_ON:
            self._begin(i)

    def _decide_settled(self, i: int, j: int, sign: int, predicted: Prediction) -> None:
        """Let a sample go that is not backed; it joins a group that it was put into."""
        if sign > 0 or predicted.if_different != STAY:
            self._reconsider(i)
        was_put = predicted.kind == PUT and i not in self.class_of
        if was_put and self._is_backed(i, self.class_of.get(j)):
            self._join(i, self.class_of[j])

    def _reconsider(self, i: int) -> None:
        """Let a settled sample go whose ballots do not back its class any more."""
        if not (
            self._is_backed(i, self.class_of[i]) or self._is_left_with_its_class(i)
        ):
            seen = self.calibration
            overlooked = any(passed for _, _, _, passed, _ in self.ballots.get(i, ()))
            self.calibration = replace(
                seen,
                n_released=seen.n_released + 1,
                n_missed=seen.n_missed + overlooked,
            )
            self._release(i)
            self._begin(i)

    def _is_backed(self, i: int, target: int | None) -> bool:
        """Tell whether the ballots on a sample speak for a class above all others."""
        votes = self.beliefs.votes(i)
        own = votes.pop(target, 0) if target is not None else 0
        return own > max([0, *votes.values()])

    def _is_left_with_its_class(self, i: int) -> bool:
        """Tell whether a sample is in its class because it is in no other one.

        Nobody has compared it with that class; another "different" from one of the
        others is what was expected.
        """
        votes = self.beliefs.votes(i)
        told = {self.class_of.get(other) for other, *_ in self.ballots.get(i, ())}
        return self.class_of[i] not in told and max([0, *votes.values()]) == 0

    def _join(self, i: int, target: int) -> None:
        if i in self.under_way:
            self.calibration = replace(self.calibration, old=self.calibration.old + 1)
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """Ballots counted.

    Attributes
    ----------
    asked : ndarray of shape (t,)
        The samples that there are ballots on, ascending.
    pro, contra : ndarray of shape (t, m)
        Ballots for and against, for each of them and each class.
    classes : ndarray of shape (m, m)
        N: for minus against, for pairs of classes.
    """

    asked: Indices
    pro: Floats
    contra: Floats
    classes: Floats

    def on(self, samples: Indices) -> tuple[Floats, Floats]:
        """Return the ballots for and against of some samples, of shape (s, m)."""
        pro, contra = np.zeros((2, len(samples), len(self.classes)))
        if len(self.asked):
            at = np.searchsorted(self.asked, samples)
            at = np.minimum(at, len(self.asked) - 1)
            told = np.flatnonzero(self.asked[at] == samples)
            pro[told], contra[told] = self.pro[at[told]], self.contra[at[told]]
        return pro, contra

    def votes(self, samples: Indices) -> Floats:
        """Return L: for minus against, for some samples and each class."""
        pro, contra = self.on(samples)
        return pro - contra


def evidence_of(beliefs: Beliefs) -> Evidence:
    """Count the ballots by the present classes."""
    asked, m = sorted(beliefs.ballots), len(beliefs.members)
    row, home, there, sign, is_mutual = _cast(beliefs, asked)
    is_placed = there != NOWHERE
    counts = is_placed & ((sign < 0) | ~is_mutual | (there == home))
    pro = _summed(row, there, sign, counts & (sign > 0), (len(asked), m))
    contra = _summed(row, there, -sign, counts & (sign < 0), (len(asked), m))
    is_across = is_placed & (home != NOWHERE) & (home != there)
    is_across &= (sign < 0) | is_mutual
    once = np.where(is_mutual, sign / 2, sign)  # a mutual ballot is there twice
    classes = _summed(home, there, once, is_across, (m, m))
    return Evidence(np.array(asked, dtype=np.intp), pro, contra, classes + classes.T)


# For each ballot: its row, two columns, its weight and sign, whether it is mutual.
Cast = tuple[Indices, Indices, Indices, Floats, NDArray[np.bool_]]


def _cast(beliefs: Beliefs, asked: Sequence[int]) -> Cast:
    """Return for each ballot: its row, two columns, its weight, whether it is mutual.

    The columns are those of the class of the sample asked about, and of the class that
    is spoken of.
    """
    column = {name: index for index, name in enumerate(beliefs.members)}
    column_of = {s: column[name] for s, name in beliefs.class_of.items()}
    cast = [beliefs.ballots[sample] for sample in asked]
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(cast)), dtype=np.float64)
    others, sign, is_mutual, is_passed, worth = flat.reshape(-1, 5).T
    weight = sign * worth
    weight[is_passed > 0] *= passed_weight(beliefs.calibration)
    row = np.repeat(np.arange(len(asked)), [len(ballots) for ballots in cast])
    home, there = (
        np.array([column_of.get(s, NOWHERE) for s in samples], dtype=np.intp)
        for samples in (asked, others.astype(np.intp).tolist())
    )
    return row, home[row], there, weight, is_mutual.astype(bool)


def passed_weight(seen: Calibration) -> float:
    r"""Return how much weaker it is not to be tapped than to be answered.

    With a share o of what should be tapped overlooked, and e of wrong answers,
    :math:`\log((1 - e) / o) / \log((1 - e) / e)`.
    """
    wrong = WRONG[0] / sum(WRONG)
    right = np.log(1 - wrong)
    return float((right - np.log(seen.missed)) / (right - np.log(wrong)))


def _summed(
    rows: Indices,
    columns: Indices,
    weights: Floats,
    kept: NDArray[np.bool_],
    shape: tuple[int, int],
) -> Floats:
    """Return the sums of the weights that are kept, by row and column."""
    at = rows[kept] * shape[1] + columns[kept]
    sums = np.bincount(at, weights[kept], minlength=shape[0] * shape[1])
    return np.asarray(sums, dtype=np.float64).reshape(shape)


def lifted(rows: AnyFloats, votes: Floats) -> AnyFloats:
    """Return memberships, of which ballots make all or nothing."""
    told = np.flatnonzero(votes.any(axis=1))  # few samples were asked about
    rows[told] *= 10.0 ** (LIFT * np.sign(votes[told]))
    return rows / rows.sum(axis=1, keepdims=True)


def weighed(
    rows: AnyFloats, new: AnyFloats, votes: Floats, strength: float
) -> tuple[AnyFloats, AnyFloats]:
    r"""Return rows times :math:`e^{l L}`, normalised together with "new".

    Parameters
    ----------
    rows : ndarray of shape (s, m)
        Probabilities of classes before the ballots.
    new : ndarray of shape (s,)
        Probability of a class of its own.
    votes : ndarray of shape (s, m)
        L.
    strength : float
        :math:`l = \log((1 - e) / e)`, what one answer is worth.
    """
    weighted, rest = rows.copy(), new.copy()
    told = np.flatnonzero(votes.any(axis=1))  # few samples were asked about
    exponent = strength * votes[told]
    top = np.maximum(exponent.max(axis=1, initial=0.0), 0.0)
    weighted[told] *= np.exp(exponent - top[:, np.newaxis])
    rest[told] *= np.exp(-top)
    total = weighted.sum(axis=1) + rest + 1e-300
    weighted /= total[:, np.newaxis]
    return weighted, rest / total


@dataclass(frozen=True, slots=True)
class Rates:
    """What is estimated of the answers and of the fields.

    Attributes
    ----------
    wrong : float
        e: the share of answers that are wrong.
    silent : float
        The share of samples on which the fields say nothing.
    """

    wrong: float = WRONG[0] / sum(WRONG)
    silent: float = SILENT[0] / sum(SILENT)

    @property
    def strength(self) -> float:
        """What one answer is worth, in log odds."""
        return float(np.log((1 - self.wrong) / self.wrong))


def estimated_rates(
    rows: AnyFloats, new: AnyFloats, pro: Floats, contra: Floats, share: Floats
) -> Rates:
    r"""Return the rates by expectation and maximisation over the settled samples.

    With M the rows mixed with the class shares, :math:`M = (1 - \kappa) B + \kappa s`,
    and Post = M times the ballots: an answer is wrong with the probability that Post
    gives to its opposite, and a sample is silent with the share of s in its Post.

    Parameters
    ----------
    rows, new : ndarray of shape (t, m) and (t,)
        B: what the fields say of each settled sample, had it not been settled.
    pro, contra : ndarray of shape (t, m)
        Ballots for and against.
    share : ndarray of shape (m,)
        The size of each class, as a share of all samples.
    """
    rates = Rates()
    votes, n_ballots = pro - contra, pro.sum() + contra.sum()
    for _ in range(N_STEPS):
        mixed = (1 - rates.silent) * rows + rates.silent * share
        post, _ = weighed(mixed, (1 - rates.silent) * new, votes, rates.strength)
        wrong = pro * (1 - post) + contra * post
        silent = post * (rates.silent * share / np.maximum(mixed, 1e-300))
        rates = Rates(
            float((WRONG[0] + wrong.sum()) / (sum(WRONG) + n_ballots)),
            float((SILENT[0] + silent.sum()) / (sum(SILENT) + len(rows))),
        )
    return rates

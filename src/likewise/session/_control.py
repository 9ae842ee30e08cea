"""Check questions: what is known already, asked again, so that slips are noticed.

A pair whose relation follows from earlier answers is asked by no method that has no
doubts of its own, so a wrong answer could stay for ever. A check is drawn from such
pairs, where the neighbours speak most against what the answers imply; nobody is told
that it is one. How likely it is to fail is kept with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from likewise._arrays import Floats, Indices, Sparse, spans
from likewise._ties import first_best, tied_best
from likewise.knowledge import (
    PASSED,
    PILED,
    TAPPED,
    Answer,
    Knowledge,
    Prediction,
    Question,
    Verdict,
)
from likewise.methods import WRONG
from likewise.session._html import as_html

USUAL = WRONG[0] / sum(WRONG)  # the share of wrong answers that checks reckon with
LEAST = 2  # answers that an implied pair rests on, at least
N_DRAWN = 200  # samples looked at for one check
N_CHAINS = 3  # partners of the chosen sample, of which the farthest is taken
DOUBTED = 0.8  # log odds against an answer from which on it is asked again
N_LATEST = 300  # answers among which a doubted one is looked for
PUT = "group"  # how answers came that were implied by placing a sample
SAID = ("asked", PUT, TAPPED, PASSED, PILED)  # answers that may be asked for again
SMOOTH = 0.1  # added to shares of neighbours: a handful of them is no proof


def is_drawn(question: Question) -> bool:
    """Tell a check that was drawn here from one by which a method settles a doubt.

    A method asks again where it expects to have been misled, which says nothing of the
    other answers.
    """
    predicted = question.predicted
    return predicted is not None and question.is_check and predicted.aux >= LEAST


def is_check_told(answer: Answer) -> bool:
    """Tell whether an answer is one by which checks are counted.

    It says "same" or "different" to a check that was drawn.

    Examples
    --------
    >>> asked = Question(0, 2, Prediction(0.9, "check", aux=2))
    >>> [is_check_told(Answer(asked, told)) for told in (Verdict.SAME, Verdict.UNSURE)]
    [True, False]
    """
    is_told = answer.how in ("asked", TAPPED, PASSED)
    is_told = is_told and answer.verdict is not Verdict.UNSURE
    return is_told and is_drawn(answer.question)


def is_due(answers: Sequence[Answer], every: int) -> bool:
    """Tell whether a person is to be asked a check now.

    Parameters
    ----------
    answers : sequence of Answer
        Those of one person, oldest first.
    every : int
        One question in so many is a check, but never two in a row; 0 for none.

    Examples
    --------
    >>> asked = [Answer(Question(at, 9), Verdict.SAME) for at in range(4)]
    >>> is_due(asked, 5), is_due(asked, 6), is_due(asked, 0)
    (True, False, False)
    """
    n_since = 0
    for answer in reversed(answers):
        if is_drawn(answer.question) or n_since >= every:
            break
        n_since += answer.how == "asked"
    return every > 0 and n_since >= max(every - 1, 1)


def check_of(
    known: Knowledge,
    neighbours: Sparse,
    labels: Indices,
    rng: np.random.Generator,
    pending: Iterable[Question] = (),
) -> Question | None:
    """Draw a pair whose relation is implied, to be asked again.

    "Same" as often as "different", where both are implied. Samples that were never
    checked go first; of those, the one whose neighbours speak most against what is
    implied, compared with one at the end of a long chain of answers. Pairs that were
    answered, that are pending or that answers disagree about are left alone.

    Parameters
    ----------
    known : Knowledge
    neighbours : csr_array of shape (n_samples, n_samples)
        Weights from each sample to its nearest neighbours.
    labels : ndarray of shape (n_samples,)
        The present clusters, 0..k-1.
    rng : Generator
    pending : iterable of Question
        Open with other people.

    Returns
    -------
    Question or None
        None when there is nothing to check.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> told = [Answer(Question(i, i + 1), Verdict.SAME) for i in range(2)]
    >>> known, labels = Knowledge(3).after_all(told), np.zeros(3, dtype=np.intp)
    >>> check_of(known, csr_array((3, 3)), labels, np.random.default_rng(0)).pair
    (0, 2)
    """
    samples = _drawn(known, rng)
    if not len(samples):
        return None
    pool = _Pool(known, samples, neighbours[samples], labels, tuple(pending))
    kinds = [v for v in (Verdict.SAME, Verdict.DIFFERENT) if pool.askable(v).any()]
    if not kinds:
        return None
    implied = kinds[int(rng.integers(len(kinds)))]
    row, columns, doubt = pool.most_doubted(implied)
    sample, few = int(samples[row]), rng.permutation(columns)[:N_CHAINS]
    lengths = {int(s): len(known.evidence(sample, int(s))) for s in samples[few]}
    against = max(lengths, key=lengths.__getitem__)
    n_groups = int(labels.max()) + 1
    predicted = _prediction(implied, lengths[against], n_groups, doubt)
    return Question(sample, against, predicted)


def recheck_of(
    known: Knowledge,
    doubt: Callable[[Answer], float],
    left_out: Collection[int] = (),
    pending: Iterable[Question] = (),
) -> Question | None:
    """Return the pair of an answer that is hardly to be believed, to be asked again.

    An answer that no other one confirms and that was not asked for again yet, and which
    all that is known besides speaks against. Whoever is asked is not told. The question
    does not count as a check that was drawn: see :func:`is_drawn`.

    Parameters
    ----------
    known : Knowledge
    doubt : callable
        ``doubt(answer)`` returns how unlikely an answer is, in log odds.
    left_out : collection of int
        Ids of answers that are not asked for again now.
    pending : iterable of Question
        Open with other people.

    Returns
    -------
    Question or None
        None when no answer is doubted so much.

    Examples
    --------
    >>> told = Answer(Question(0, 1), Verdict.SAME, 1)
    >>> recheck_of(Knowledge(3).after(told), lambda answer: 4.0).pair
    (0, 1)
    >>> recheck_of(Knowledge(3).after(told), lambda answer: 0.0) is None
    True
    """
    taken = {sample for question in pending for sample in question.pair}
    contested = [known.answers[at].question.pair for at in known.doubtful]
    out = taken.union(known.aside, *contested)
    times = Counter(answer.question.pair for answer in known.answers)
    found = [
        answer
        for answer in known.answers[-N_LATEST:]
        if answer.how in SAID and answer.verdict is not Verdict.UNSURE
        if not answer.question.is_check and times[answer.question.pair] == 1
        if answer.id not in left_out and out.isdisjoint(answer.question.pair)
    ]
    doubts = np.array([doubt(answer) for answer in found])
    if not len(doubts) or doubts.max() < DOUBTED:
        return None
    at = first_best(doubts)
    return _asked_again(found[at], float(doubts[at]))


def _asked_again(answer: Answer, doubt: float) -> Question:
    """Return the question of an answer again, with what is expected of it now.

    It rests on one answer alone, which is less than a check that was drawn does.
    """
    against = doubt if answer.verdict is Verdict.SAME else -doubt
    same = float(1 / (1 + np.exp(against)))
    asked = Prediction(same, "check groups", LEAST - 1.0, if_same=False)
    return replace(answer.question, predicted=asked)


def as_check(known: Knowledge, answer: Answer) -> Answer:
    """Return an answer about an implied pair as one to a check, any other as it is.

    Whoever picks a group for a sample that has one speaks of that sample, and does not
    say that two groups are one.
    """
    i, j = answer.question.pair
    implied = known.constraints.relation(i, j)
    if implied is None:
        return answer
    length = max(len(known.evidence(i, j)), LEAST)
    predicted = _prediction(implied, length, len(known.certain), 1.0)
    return replace(answer, question=replace(answer.question, predicted=predicted))


def _drawn(known: Knowledge, rng: np.random.Generator) -> Indices:
    told = [s for s in known.constraints.group_of if s not in known.aside]
    samples = np.array(told, dtype=np.intp)
    if len(samples) <= N_DRAWN:
        return samples
    return rng.choice(samples, N_DRAWN, replace=False)


@dataclass(frozen=True)
class _Pool:
    """Some samples that answers speak of, and what could be asked about them again."""

    known: Knowledge
    samples: Indices  # of shape (d,)
    rows: Sparse  # their weights to their neighbours, of shape (d, n_samples)
    labels: Indices  # of all samples
    pending: tuple[Question, ...]

    def askable(self, implied: Verdict) -> np.ndarray:
        """Tell which pairs of this relation may be asked, of shape (d, d)."""
        names, column = np.unique(self._groups, return_inverse=True)
        related = np.eye(len(names), dtype=bool)
        if implied is Verdict.DIFFERENT:
            apart = map(self.known.constraints.apart_from, names.tolist())
            related = np.array([np.isin(names, list(one)) for one in apart])
        return self._open & related[np.ix_(column, column)]

    @cached_property
    def _groups(self) -> Indices:
        group = self.known.constraints.group
        return np.array([group(int(s)) for s in self.samples], dtype=np.intp)

    @cached_property
    def _at(self) -> dict[int, int]:
        return {int(sample): at for at, sample in enumerate(self.samples)}

    @cached_property
    def _open(self) -> np.ndarray:
        """Pairs that are neither answered, nor pending, nor disagreed about."""
        pairs = ~np.eye(len(self.samples), dtype=bool)
        asked = [answer.question for answer in self.known.answers]
        for question in chain(asked, self.pending):
            i, j = self._at.get(question.sample), self._at.get(question.against)
            if i is not None and j is not None:
                pairs[i, j] = pairs[j, i] = False
        pairs[np.isin(self.samples, [q.sample for q in self.pending])] = False
        for at in self.known.doubtful:
            self._leave(pairs, asked[at].pair)
        return pairs

    def _leave(self, pairs: np.ndarray, contested: tuple[int, int]) -> None:
        """Leave alone what people have to decide first: one slip is not two."""
        g, h = map(self.known.constraints.group, contested)
        one, other = self._groups == g, self._groups == h
        if g == h:
            one, other = np.isin(self.samples, contested), np.ones_like(one)
        pairs[np.ix_(one, other)] = pairs[np.ix_(other, one)] = False

    def most_doubted(self, implied: Verdict) -> tuple[int, Indices, float]:
        """Return the row of a sample, the columns of partners, and how much is doubted.

        The sample is the most doubted of those that were checked least often. A doubt
        of 1 is that of a usual pair.
        """
        pairs, n_checks = self.askable(implied), self._n_checks()
        doubts = np.where(pairs, self._doubts(implied), 0.0)
        doubts /= doubts[pairs].mean()
        here = pairs.any(axis=1)
        here &= n_checks == n_checks[here].min()
        row = first_best(np.where(here, doubts.max(axis=1), -1.0))
        doubted = np.flatnonzero(tied_best(doubts[row]))
        return row, doubted, float(doubts[row].max())

    def _n_checks(self) -> Indices:
        asked = [a.question for a in self.known.answers if a.question.is_check]
        rows = [self._at[q.sample] for q in asked if q.sample in self._at]
        return np.bincount(np.array(rows, dtype=np.intp), minlength=len(self.samples))

    def _doubts(self, implied: Verdict) -> Floats:
        """Return the odds against a relation by the neighbours, of shape (d, d)."""
        shares, home = self._shares, self.labels[self.samples]
        own = shares[np.arange(len(home)), home][:, np.newaxis]
        other = shares[:, home] if implied is Verdict.DIFFERENT else 1 - own
        return np.broadcast_to((other + SMOOTH) / (own + SMOOTH), (len(home),) * 2)

    @property
    def _shares(self) -> Floats:
        """The share of each cluster among the neighbours of each, of shape (d, k)."""
        d, k = len(self.samples), int(self.labels.max()) + 1
        row = np.repeat(np.arange(d), np.diff(self.rows.indptr))
        cell = row * k + self.labels[self.rows.indices]
        mass = np.bincount(cell, self.rows.data, minlength=d * k).reshape(d, k)
        total = mass.sum(axis=1, keepdims=True)
        return np.divide(mass, total, out=np.full((d, k), 1 / k), where=total > 0)


def _prediction(
    implied: Verdict, length: int, n_groups: int, doubt: float
) -> Prediction:
    """Say how likely "same" is if the usual share of answers is wrong.

    It has ballots on both samples counted and concludes nothing by itself: a method
    that counts them looks at both again, and others keep a failed check as doubtful.
    """
    n_exposed = float(length)
    if implied is Verdict.DIFFERENT:
        # A wrong "same" on the way leads into that very group only now and then.
        n_exposed = 1 + (length - 1) / max(n_groups - 1, 1)
    odds = doubt * ((1 - USUAL) ** -n_exposed - 1)
    misled = odds / (1 + odds)
    fails = misled * (1 - USUAL) + (1 - misled) * USUAL
    same = 1 - fails if implied is Verdict.SAME else fails
    return Prediction(same, "check groups", float(length), if_same=False)


RATES = (np.arange(1000) + 0.5) / 2000  # shares of wrong answers that may be
TAILS = (0.05, 0.95)
AT_ONCE = 8  # odds that are multiplied before a logarithm is taken: none gets too large


@dataclass(frozen=True, slots=True)
class Reliability:
    """What checks have shown.

    Attributes
    ----------
    n_checks : int
        Checks that were answered "same" or "different".
    n_failed : int
        Those of them that contradict earlier answers.
    rate : float
        The estimated share of wrong answers; before any check, what is usual.
    low, high : float
        Where the share is with a probability of 90 %.
    """

    n_checks: int
    n_failed: int
    rate: float
    low: float
    high: float

    def _repr_html_(self) -> str:
        checks = f"{self.n_failed:,} of {self.n_checks:,} checks failed"
        return as_html(
            f"{checks}: about {self.rate:.1%} of the answers are wrong "
            f"({self.low:.1%} to {self.high:.1%})"
        )


def reliability(known: Knowledge, by: str | None = None) -> Reliability:
    r"""Estimate the share e of wrong answers.

    A check fails when one of the answers is wrong that it rests on, or its own: with
    :math:`1 - (1 - e)^L` if there are L of them, and more often where the neighbours
    spoke against what they imply. Its odds are therefore those that were predicted for
    the usual share, times the odds of e by the usual ones. The prior of e is that of
    the flagship, Beta(0.75, 49.25).

    Parameters
    ----------
    known : Knowledge
    by : str, optional
        The reader whose checks count; everybody's unless given. What a check rests on
        others have said too: of a careful one among careless ones this says too much.

    Examples
    --------
    >>> from likewise.knowledge._knowledge import Prediction, Question
    >>> check = Question(0, 2, Prediction(0.95, "check", aux=2))
    >>> found = reliability(Knowledge(3).after(Answer(check, Verdict.SAME)))
    >>> found.n_checks, found.n_failed, found.rate < USUAL
    (1, 0, True)
    """
    checks = [
        at
        for at, answer in enumerate(known.answers)
        if is_check_told(answer) and by in (None, answer.by)
    ]
    failed = np.isin(checks, list(known.doubtful))
    told = np.array([_chance_told(known.answers[at]) for at in checks])
    posterior = _posterior(np.where(failed, told, 1 - told), failed)
    low, high = RATES[np.searchsorted(posterior.cumsum(), TAILS)]
    rate = float(posterior @ RATES)
    return Reliability(len(checks), int(failed.sum()), rate, float(low), float(high))


def _chance_told(answer: Answer) -> float:
    """Return the probability that was given to what was then answered."""
    predicted = answer.question.predicted
    same = USUAL if predicted is None else predicted.same
    return same if answer.verdict is Verdict.SAME else 1 - same


def _posterior(predicted: Floats, failed: np.ndarray) -> Floats:
    """Return the probability of each of ``RATES``.

    Parameters
    ----------
    predicted : ndarray of shape (c,)
        How likely each check was to fail, at the usual share of wrong answers.
    failed : ndarray of bool of shape (c,)
    """
    times = np.exp(_logit(RATES) - _logit(np.array(USUAL)))
    total = (WRONG[0] - 1) * np.log(RATES) + (WRONG[1] - 1) * np.log1p(-RATES)
    for some in spans(len(predicted), AT_ONCE):
        odds = np.exp(_logit(predicted[some]))[:, np.newaxis] * times
        odds[failed[some]] = 1 / odds[failed[some]]
        total -= np.log((1 + odds).prod(axis=0))
    weights: Floats = np.exp(total - total.max())
    return weights / weights.sum()


def _logit(p: Floats) -> Floats:
    return np.log(p) - np.log1p(-p)

r"""Scores from elsewhere, taken to mean what the answers say that they mean.

Answers to pairs that have been asked about fit a and b of the log odds
:math:`a + b \ln (N / r)` (see :mod:`likewise.affinity`) by logistic regression with a
normal prior around what they are at first (Platt, 1999). They are fitted anew after 8,
16, 32, ... of them, from the first 8, 16, 32, ...: so what scores mean is a function of
the answers alone, whatever was asked, told or undone on the way, and the cost of
beginning anew doubles only when the answers do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats, Indices
from likewise.affinity import Scored, usual_odds
from likewise.knowledge import Answer, Knowledge, Question, Verdict, logistic_fit
from likewise.methods._base import (
    AnyMethod,
    Chances,
    Expectation,
    Method,
    Model,
    errors_by,
)
from likewise.methods._problem import Problem
from likewise.methods._readers import Errors
from likewise.methods._screens import Prospect

FIRST = 8  # answers from which on scores are calibrated
SPREADS = np.array([2.0, 1.0])  # sigma of the log odds where they are 0, of the slope
LEAST_SLOPE = 0.05  # more never means less alike
DIGITS = 6  # of the fit; the rest may be rounding
UNASKED = ("given", "group")  # told because of what they are, which would mislead


@dataclass(frozen=True)
class ScoredModel:
    """What a method makes of scores, calibrated on the answers.

    Attributes
    ----------
    model : Model
        Of the method, on the calibrated scores.
    scored : Scored
        These.
    known : Knowledge
    given : Problem
        With the scores as they came.
    seed : int
        By which all of it may be made again.
    """

    model: Model
    scored: Scored
    known: Knowledge
    given: Problem
    seed: int

    @property
    def labels(self) -> Indices:
        """The cluster of each sample."""
        return self.model.labels

    @property
    def confidence(self) -> Floats:
        """The probability that each sample is in the right cluster."""
        return self.model.confidence

    @property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be."""
        return self.model.expectation

    def chances(self, sample: int) -> Chances:
        """Return the groups that a sample may belong to."""
        return self.model.chances(sample)


@dataclass(frozen=True, eq=False)
class _ByScores:
    """A method at work on calibrated scores."""

    method: AnyMethod

    def begin(
        self, given: Problem, known: Knowledge, rng: np.random.Generator
    ) -> ScoredModel:
        return self._made(given, known, int(rng.integers(2**31)))

    def _made(self, given: Problem, known: Knowledge, seed: int) -> ScoredModel:
        scored = calibrated(given, known)
        problem = Problem(scored.affinity, given.n_clusters, given.device)
        model = self.method.begin(problem, known, np.random.default_rng(seed))
        return ScoredModel(model, scored, known, given, seed)

    def learn(
        self, model: ScoredModel, known: Knowledge, answer: Answer
    ) -> ScoredModel:
        if _used(known) != _used(model.known):
            return self._made(model.given, known, model.seed)
        learnt = self.method.learn(model.model, known, answer)
        return replace(model, model=learnt, known=known)

    def propose(
        self,
        model: ScoredModel,
        known: Knowledge,
        rng: np.random.Generator,
        pending: tuple[Question, ...] = (),
    ) -> Question | None:
        return self.method.propose(model.model, known, rng, pending)

    def prospect(self, model: ScoredModel, pending: tuple[Question, ...]) -> Prospect:
        assert self.method.prospect is not None  # see by_scores
        return self.method.prospect(model.model, pending)

    def errors(self, model: ScoredModel) -> Mapping[str, Errors]:
        return errors_by(self.method, model.model, model.known)


def by_scores(method: AnyMethod, problem: Problem) -> AnyMethod:
    """Return a method; for a problem made of scores, one that learns what they mean.

    Parameters
    ----------
    method : Method
    problem : Problem
    """
    if problem.affinity.scored is None:
        return method
    at_work = _ByScores(method)
    return Method(
        method.name,
        method.about,
        at_work.begin,
        at_work.learn,
        at_work.propose,
        most_clusters=method.most_clusters,
        prospect=at_work.prospect if method.prospect is not None else None,
        errors=at_work.errors,
        affinity=method.affinity,
    )


def calibrated(problem: Problem, known: Knowledge) -> Scored:
    """Return the scores of a problem, taken to mean what answers say."""
    scored = problem.affinity.scored
    assert scored is not None
    usual = np.array(usual_odds(problem.n_samples, problem.n_clusters))
    told = _used(known)
    if not told:
        return scored.meaning(*usual.tolist())
    i, j = np.array([answer.question.pair for answer in told], dtype=np.intp).T
    same = np.array([answer.verdict is Verdict.SAME for answer in told])
    return scored.meaning(*fitted(scored.evidence(i, j), same, usual))


def _used(known: Knowledge) -> list[Answer]:
    """Return the answers that scores are calibrated on."""
    told = [
        answer
        for at, answer in enumerate(known.answers)
        if answer.verdict is not Verdict.UNSURE
        and answer.how not in UNASKED
        and at not in known.doubtful
    ]
    doublings = (len(told) // FIRST).bit_length()
    return told[: FIRST << doublings >> 1] if doublings else []


def fitted(
    evidence: Floats, same: NDArray[np.bool_], usual: Floats
) -> tuple[float, float]:
    """Return the offset and slope that answers speak for.

    Parameters
    ----------
    evidence : ndarray of shape (n_answers,)
        ln(N / r) of the pairs.
    same : ndarray of shape (n_answers,), bool
    usual : ndarray of shape (2,)
        What both are before any answer.

    Examples
    --------
    >>> evidence = np.array([1.0, 2.0, 3.0, 4.0])
    >>> fitted(evidence, evidence > 2, np.array([-2.5, 1.0]))[1] > 1
    True
    """
    even = -usual[0] / usual[1]  # the evidence at which both are as likely at first
    rows = np.column_stack([np.ones_like(evidence), evidence - even])
    start = np.array([0.0, usual[1]])
    found, _ = logistic_fit(rows, same, start, SPREADS**-2)
    slope = max(float(found[1]), LEAST_SLOPE)
    offset = float(found[0]) - slope * float(even)
    return round(offset, DIGITS), round(slope, DIGITS)

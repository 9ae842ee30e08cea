"""How many of the answers are wrong, by the checks among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.arrays import Floats
from likewise.checks import USUAL, is_drawn
from likewise.constraints import Verdict
from likewise.fields.evidence import WRONG
from likewise.knowledge import Answer, Knowledge

RATES = (np.arange(1000) + 0.5) / 2000  # shares of wrong answers that may be
TAILS = (0.05, 0.95)


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


def reliability(known: Knowledge) -> Reliability:
    r"""Estimate the share e of wrong answers.

    A check fails when one of the answers is wrong that it rests on, or its own: with
    :math:`1 - (1 - e)^L` if there are L of them, and more often where the neighbours
    spoke against what they imply. Its odds are therefore those that were predicted for
    the usual share, times the odds of e by the usual ones. The prior of e is that of
    the flagship, Beta(0.75, 49.25).

    Examples
    --------
    >>> from likewise.knowledge import Prediction, Question
    >>> check = Question(0, 2, Prediction(0.95, "check", aux=2))
    >>> found = reliability(Knowledge(3).after(Answer(check, Verdict.SAME)))
    >>> found.n_checks, found.n_failed, found.rate < USUAL
    (1, 0, True)
    """
    checks = [at for at, answer in enumerate(known.answers) if _counts(answer)]
    failed = np.isin(checks, list(known.doubtful))
    told = np.array([_chance_told(known.answers[at]) for at in checks])
    posterior = _posterior(np.where(failed, told, 1 - told), failed)
    low, high = RATES[np.searchsorted(posterior.cumsum(), TAILS)]
    rate = float(posterior @ RATES)
    return Reliability(len(checks), int(failed.sum()), rate, float(low), float(high))


def _counts(answer: Answer) -> bool:
    is_told = answer.how == "asked" and answer.verdict is not Verdict.UNSURE
    return is_told and is_drawn(answer.question)


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
    odds = _logit(predicted)[:, np.newaxis] + _logit(RATES) - _logit(np.array(USUAL))
    logs = -np.logaddexp(0.0, np.where(failed[:, np.newaxis], -odds, odds))
    prior = (WRONG[0] - 1) * np.log(RATES) + (WRONG[1] - 1) * np.log1p(-RATES)
    total = prior + logs.sum(axis=0)
    weights: Floats = np.exp(total - total.max())
    return weights / weights.sum()


def _logit(p: Floats) -> Floats:
    return np.log(p) - np.log1p(-p)

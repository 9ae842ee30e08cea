"""How far a model is believed: blind checks, its error, and the band that is its own.

People are given some of what a model has answered, without being told. Where they say
otherwise, the model was wrong; how often, and at which confidences, says what may be
left to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, expit, logit

from likewise._arrays import Floats
from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Event,
    Verdict,
    logistic_fit,
    standing,
    told_in,
)
from likewise.session import Rate, is_model

LIMIT = 0.02  # of its answers, those that may be wrong
WORTH = 0.06  # the share of wrong answers from which on a model is of no use
FEWEST = 6  # checks before a model is given up
SILENT = 6  # questions in a row that it is not sure of, from which on that is said
PRIOR = (1.0, 9.0)  # counts of wrong and right answers before any check
TAILS = (0.05, 0.95)
SPREAD = (0.3, 0.15)  # of the offset and of the slope of the map, around the identity
LEAST, SUREST = 0.5, 0.999  # confidences: below it is the other answer; none is surer
N_GRID, GRID_COUNTS = 100, 10.0  # confidences that may come, and the checks they are
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Check:
    """What a reader said of a pair, and what people say of it.

    Attributes
    ----------
    answer : Answer
        Of the reader.
    truth : Verdict
        "Same" or "different", as most people say.
    """

    answer: Answer
    truth: Verdict

    @property
    def is_right(self) -> bool:
        """Whether the reader said what people say."""
        return self.answer.verdict is self.truth


def heard(events: Iterable[Event], who: str) -> tuple[Answer, ...]:
    """Return all that a reader ever said, and what others said that stands.

    What the reader took back because people know better must count against it; what
    people took back is no truth.

    Examples
    --------
    >>> from likewise import Question
    >>> from likewise.knowledge import Retracted, Told
    >>> told = Told((Answer(Question(0, 1), Verdict.SAME, 1, by="model:a"),))
    >>> len(heard([told, Retracted((1,))], "model:a"))
    1
    """
    listed = list(events)
    ever = (answer for event in listed for answer in told_in(event))
    others = (answer for answer in standing(listed).answers if answer.by != who)
    return *(answer for answer in ever if answer.by == who), *others


def checked(answers: Iterable[Answer], who: str) -> tuple[Check, ...]:
    """Return the pairs of a reader that people answered too: its blind checks.

    Of the reader the first answer to a pair counts, of each person the last. Where
    several people answered, most of them are right; where as many say one thing as the
    other, nobody knows. "Unsure" says nothing, and neither do other models.

    Parameters
    ----------
    answers : iterable of Answer
        Oldest first; see :func:`heard`.
    who : str
        The reader.

    Examples
    --------
    >>> from likewise import Question
    >>> said = [("model:a", 1, "same"), ("ann", 1, "same"), ("model:a", 2, "same"),
    ...         ("ann", 2, "different"), ("model:a", 3, "same")]
    >>> told = [Answer(Question(0, j), Verdict(v), by=by) for by, j, v in said]
    >>> [check.is_right for check in checked(told, "model:a")]
    [True, False]
    """
    mine: dict[Pair, Answer] = {}
    people: dict[Pair, dict[str, Verdict]] = {}
    for answer in answers:
        pair = answer.question.pair
        if answer.verdict is Verdict.UNSURE or answer.how == "given":
            continue
        if answer.by == who:
            mine.setdefault(pair, answer)
        elif not is_model(answer.by):
            people.setdefault(pair, {})[answer.by] = answer.verdict
    truths = {pair: _most(people[pair]) for pair in mine if pair in people}
    return tuple(
        Check(mine[pair], truth) for pair, truth in truths.items() if truth is not None
    )


def _most(votes: Mapping[str, Verdict]) -> Verdict | None:
    n_same = sum(verdict is Verdict.SAME for verdict in votes.values())
    if 2 * n_same == len(votes):
        return None
    return Verdict.SAME if 2 * n_same > len(votes) else Verdict.DIFFERENT


def error_of(checks: Iterable[Check]) -> Rate:
    """Return the share of a reader's answers that are wrong, with its interval of 90 %.

    The prior is Beta(1, 9): what models are usually wrong in, one answer in ten, worth
    ten checks. So no model is praised or given up for the first three of them, and
    after thirty it hardly matters.

    Examples
    --------
    >>> found = error_of(())
    >>> round(found.mean, 2), round(found.low, 3), round(found.high, 2)
    (0.1, 0.006, 0.28)
    """
    right = [check.is_right for check in checks]
    return _rate(len(right) - sum(right), len(right))


def _rate(n_wrong: int, n: int) -> Rate:
    a, b = PRIOR[0] + n_wrong, PRIOR[1] + n - n_wrong
    low, high = (float(betaincinv(a, b, tail)) for tail in TAILS)
    return Rate(a / (a + b), low, high)


@dataclass(frozen=True, slots=True)
class Calibration:
    r"""How likely a model is right that says it is so sure.

    .. math:: P = 1 / (1 + e^{-(a + b \operatorname{logit} c)}).
    """

    offset: float = 0.0
    slope: float = 1.0

    def __call__(self, confidences: Sequence[float] | Floats) -> Floats:
        """Return the probabilities of being right.

        Examples
        --------
        >>> Calibration()([0.5, 0.9]).round(6).tolist()
        [0.5, 0.9]
        """
        return np.asarray(expit(self.offset + self.slope * _logits(confidences)))


def calibrated(confidences: Sequence[float], right: Sequence[bool]) -> Calibration:
    r"""Return the map from confidences to probabilities that checks suggest.

    The likeliest offset and slope, of which the identity is the prior (normal, with a
    spread of 0.3 and of 0.15): few checks leave confidences as they are.

    Examples
    --------
    >>> calibrated([], [])
    Calibration(offset=0.0, slope=1.0)
    >>> found = calibrated([0.95] * 40, [True, False] * 20)
    >>> 0.5 < float(found([0.95])[0]) < 0.8
    True
    """
    x = np.stack([np.ones(len(confidences)), _logits(confidences)], axis=1)
    start, precision = np.array([0.0, 1.0]), 1 / np.square(SPREAD)
    weights, _ = logistic_fit(x, np.asarray(right), start, precision)
    # Who is surer is never righter the less: a slope below 0 would be noise.
    return Calibration(float(weights[0]), max(float(weights[1]), 0.0))


def _logits(confidences: Sequence[float] | Floats) -> Floats:
    given = np.asarray(confidences, dtype=np.float64)
    return np.asarray(logit(np.clip(given, LEAST, SUREST)))


@dataclass(frozen=True, slots=True)
class Band:
    """What a model may answer by itself.

    Attributes
    ----------
    least : float or None
        The confidence from which on its answers may stand; None for none at all.
    error : Rate
        How many of its answers are wrong, by the checks.
    n_checks, n_wrong : int
        Pairs that people answered too, and those on which they say otherwise.
    calibration : Calibration
    n_left : int
        Questions in a row, up to now, that it was not sure enough of.
    own : Rate or None
        How many answers are wrong of which it is just sure enough, by how often it
        contradicts itself; None where nobody has looked.
    """

    least: float | None
    error: Rate
    n_checks: int
    n_wrong: int
    calibration: Calibration = Calibration()
    n_left: int = 0
    own: Rate | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether the model is found not to be worth it."""
        return self.least is None

    @property
    def is_silent(self) -> bool:
        """Whether the model is asked, but answers nothing: it is never that sure."""
        return not self.is_stopped and self.n_left >= SILENT

    @property
    def sentence(self) -> str:
        """What it means, in words.

        Examples
        --------
        >>> band([0.95] * 20, [True, False] * 10).sentence
        'People checked 20 answers of the model: 10 were wrong. That is 37 % (23 to 51 %) of all, too many: it is stopped, and people answer the rest.'
        """  # noqa: E501 - one sentence for people
        if not self.is_silent:
            return self._trust
        return (
            f"{self._trust} It was not sure enough of any of the last {self.n_left:,} "
            f"that it was asked: it is silent, and people answer."
        )

    @property
    def _trust(self) -> str:
        if self.is_stopped and not self.n_checks and self.own is not None:
            return (
                f"The model contradicts itself: of the answers that it is just sure "
                f"enough of, {_percent(self.own)} must be wrong, too many. It is "
                f"stopped, and people answer."
            )
        if not self.n_checks:
            return "No answer of the model was checked by people yet."
        answers = "1 answer" if self.n_checks == 1 else f"{self.n_checks} answers"
        wrong = {0: "none was", 1: "1 was"}.get(self.n_wrong, f"{self.n_wrong} were")
        share = f"{_percent(self.error)} of all"
        found = f"People checked {answers} of the model: {wrong} wrong. That is {share}"
        if self.least is None:
            return f"{found}, too many: it is stopped, and people answer the rest."
        return f"{found}; it answers where it is at least {self.least:.0%} sure."


def _percent(rate: Rate) -> str:
    low, high = f"{100 * rate.low:.0f}", f"{100 * rate.high:.0f}"
    return f"{100 * rate.mean:.0f} % ({low} to {high} %)"


def band(
    confidences: Sequence[float],
    right: Sequence[bool],
    limit: float = LIMIT,
    *,
    least: float = LEAST,
    worth: float = WORTH,
) -> Band:
    """Return from which confidence on the answers of a model may stand.

    It is the lowest one at which the expected share of wrong answers among those above
    stays under the limit, by confidences that are calibrated on the checks. What is
    above are the checked answers, and ten more that are spread evenly up to the surest:
    before there are checks, nothing is known of how sure the model will be.

    None at all, once six checks or more leave hardly a doubt (95 %) that more is wrong
    than is worth it. With 5 % of wrong answers a clustering takes about twice as many,
    which checks of one in ten make a fifth of what people would give alone; with 10 %
    it takes three times as many or more, and is worse for them. So the default lies
    between.

    Parameters
    ----------
    confidences : sequence of float
        Of the answers that were checked, as the model stated them, from 0.5 on.
    right : sequence of bool
        Whether people say the same.
    limit : float
    least : float
        It is not below this.
    worth : float

    Examples
    --------
    >>> round(band([], []).least, 3)
    0.967
    >>> round(band([0.97] * 30, [True] * 29 + [False]).least, 3)
    0.972
    >>> band([0.97] * 30, [True, False, False] * 10).least is None
    True
    """
    if len(confidences) != len(right):
        raise InputError("There must be as many confidences as answers that are right.")
    n, n_wrong = len(right), len(right) - sum(right)
    error, found = _rate(n_wrong, n), calibrated(confidences, right)
    if n >= FEWEST and error.low > worth:
        return Band(None, error, n, n_wrong, found)
    return Band(
        max(least, _threshold(found, confidences, limit)), error, n, n_wrong, found
    )


def _threshold(map_: Calibration, confidences: Sequence[float], limit: float) -> float:
    """Return the lowest confidence above which few enough are wrong."""
    grid = LEAST + (SUREST - LEAST) * (np.arange(N_GRID) + 0.5) / N_GRID
    above = np.concatenate([grid, np.clip(confidences, LEAST, SUREST)])
    counts = np.full(len(above), 1.0)
    counts[:N_GRID] = GRID_COUNTS / N_GRID
    order = np.argsort(-above, kind="stable")
    wrong = np.cumsum((counts * (1 - map_(above)))[order])
    shares = wrong / np.cumsum(counts[order])
    fine = np.flatnonzero(shares <= limit)
    return float(above[order][fine[-1]]) if len(fine) else SUREST


def overruled(checks: Iterable[Check], stands: Iterable[Answer]) -> tuple[int, ...]:
    """Return the ids of a reader's answers that stand and that people deny."""
    there = {answer.id for answer in stands}
    denied = (check.answer.id for check in checks if not check.is_right)
    return tuple(id_ for id_ in denied if id_ in there)

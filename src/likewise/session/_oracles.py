"""Anything that answers questions by itself, and the loop that lets it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from likewise._arrays import as_whole, described
from likewise.errors import InputError
from likewise.knowledge import Question, Said, Verdict
from likewise.session._session import Session
from likewise.session._summary import View

# What answers questions; a person is no oracle but drives ask and tell.
Oracle: TypeAlias = Callable[[Question], Said]
PairFunction: TypeAlias = Callable[[int, int], Said]  # the same, of two sample numbers


class LabelOracle:
    """Answer from known labels, sometimes wrongly, sometimes not at all.

    Whether a pair is answered wrongly depends on the seed and the pair alone, in either
    order: asking again gives the same answer, so that asking twice is no cure.

    Parameters
    ----------
    labels : sequence of n_samples classes
    error_rate : float, default=0
        The probability that "same" and "different" are swapped.
    unsure_rate : float, default=0
        The probability of "unsure".
    seed : int, default=0

    Examples
    --------
    >>> oracle = LabelOracle([0, 0, 1])
    >>> oracle(Question(0, 1)), oracle(Question(0, 2))
    (<Verdict.SAME: 'same'>, <Verdict.DIFFERENT: 'different'>)
    """

    def __init__(
        self,
        labels: Sequence[object] | ArrayLike,
        *,
        error_rate: float = 0.0,
        unsure_rate: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._labels = _checked_labels(labels)
        self._error_rate = _rate("error_rate", error_rate)
        self._unsure_rate = _rate("unsure_rate", unsure_rate)
        self._seed = as_whole(seed, "seed")

    def __call__(self, question: Question) -> Verdict:
        if not isinstance(question, Question):
            raise InputError(
                f"An oracle is asked a Question, not {described(question)}."
            )
        n = len(self._labels)
        if not 0 <= min(question.pair) <= max(question.pair) < n:
            raise InputError(
                f"There are labels of {n} samples, but samples {question.sample} and "
                f"{question.against} were asked about: give a label for each sample."
            )
        if self._error_rate or self._unsure_rate:
            # One draw for each pair, whatever was asked before.
            slip, shrug = np.random.default_rng((self._seed, *question.pair)).random(2)
        else:
            slip = shrug = 1.0
        if shrug < self._unsure_rate:
            return Verdict.UNSURE
        same = self._labels[question.sample] == self._labels[question.against]
        return (
            Verdict.SAME
            if bool(same) != (slip < self._error_rate)
            else Verdict.DIFFERENT
        )


class FunctionOracle:
    """Answer by a plain function ``f(i, j)`` that returns True, False, None or a word.

    Examples
    --------
    >>> FunctionOracle(lambda i, j: i % 2 == j % 2)(Question(1, 3))
    <Verdict.SAME: 'same'>
    """

    def __init__(self, function: PairFunction) -> None:
        if not callable(function):
            raise InputError(
                f"An oracle is a function of two sample numbers, not "
                f"{described(function)}."
            )
        self._function = function

    def __call__(self, question: Question) -> Verdict:
        return Verdict.of(self._function(question.sample, question.against))


def as_oracle(oracle: object) -> Oracle:
    """Return an oracle as it is, and a plain ``f(i, j)`` as an oracle."""
    if not callable(oracle):
        raise InputError(
            f"An oracle must be callable, but this is a {type(oracle).__name__}: pass "
            f"LabelOracle(y) or a function of two sample numbers."
        )
    if _takes_question(oracle):
        return cast("Oracle", oracle)
    return FunctionOracle(cast("PairFunction", oracle))


def run(session: Session, oracle: Oracle | PairFunction, budget: int) -> Iterator[View]:
    """Let an oracle answer up to ``budget`` questions, one step for each.

    Parameters
    ----------
    session : Session
    oracle : callable
        ``oracle(question)``, or a plain function ``f(i, j)`` of two sample numbers.
    budget : int
        Questions to answer at most; fewer when nothing is left to ask.

    Yields
    ------
    View
        What is known after each answer; its labels are computed when looked at.

    Examples
    --------
    >>> session = Session([[0.0], [0.1], [3.0], [3.1]], n_clusters=2)
    >>> views = list(run(session, LabelOracle([0, 0, 1, 1]), budget=3))
    >>> [view.n_questions for view in views]
    [1, 2, 3]
    """
    if not isinstance(session, Session):
        raise InputError(f"run drives a Session, but this is {described(session)}.")
    return _run(session, as_oracle(oracle), as_whole(budget, "budget"))


def _run(session: Session, answer: Oracle, budget: int) -> Iterator[View]:
    for _ in range(budget):
        question = session.ask()
        if question is None:
            return
        session.tell(question, answer(question), on_conflict="keep")
        yield session.view


def _checked_labels(labels: Sequence[object] | ArrayLike) -> NDArray[Any]:
    try:
        found = np.asarray(labels)
    except ValueError:  # of other lengths, or of kinds that have no common one
        found = np.zeros((0, 0))
    if np.ma.is_masked(labels) or found.ndim != 1:
        raise InputError(
            f"Labels are one class for each sample, but these are {described(labels)}."
        )
    return found


def _rate(name: str, rate: float) -> float:
    is_number = isinstance(rate, int | float | np.integer | np.floating)
    if not is_number or not 0 <= rate <= 1:
        raise InputError(
            f"{name} must be between 0 and 1, but it is {described(rate)}."
        )
    return float(rate)


def _takes_question(oracle: Callable[..., object]) -> bool:
    """Tell ``oracle(question)`` from ``f(i, j)`` by the number of its arguments."""
    try:
        inspect.signature(oracle).bind(None, None)
    except TypeError:
        return True
    return False

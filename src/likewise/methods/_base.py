"""The one interface that every active clustering method has."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.errors import AssumptionWarning, InputError
from likewise.knowledge import Answer, Knowledge, Question
from likewise.methods._problem import Problem
from likewise.methods._readers import Errors, errors_told
from likewise.methods._recipe import Recipe
from likewise.methods._screens import Prospect


@dataclass(frozen=True, slots=True)
class Found:
    """How many duplicates a method has found, by its own estimate.

    Attributes
    ----------
    n_records : int
        Records that are together with another one.
    recall : float
        Of all pairs that are the same thing, the share that is together.
    precision : float
        Of all pairs that are together, the share that is the same thing.
    """

    n_records: int
    recall: float
    precision: float


@dataclass(frozen=True, slots=True)
class Expectation:
    """How good the labels are expected to be, by the method's own estimate.

    Attributes
    ----------
    jaccard : float
    wrong_pairs : float
        Pairs that are together and should not be, or the other way round.
    n_settled : int
        Samples whose group is known.
    is_enough : bool
        Whether more questions would hardly change anything.
    right : float
        Share of the samples in the right group, each group being one of the clusters.
    interval : tuple of float
        From where to where that share is, in four cases of five.
    until : tuple of (int or None)
        About how many more questions it takes until that share is 0.95, and until it is
        0.98: 0 when it is, None when the method cannot say.
    seeks : {"groups", "duplicates"}
        What the samples are sorted for: right means with all that are the same, and
        with no others.
    found : Found or None
        Of a method that looks for duplicates: how many of them it has found.
    """

    jaccard: float
    wrong_pairs: float
    n_settled: int
    is_enough: bool
    right: float
    interval: tuple[float, float]
    until: tuple[int | None, int | None]
    seeks: str = "groups"
    found: Found | None = None


@dataclass(frozen=True, slots=True)
class Chances:
    """Where a sample may belong.

    Attributes
    ----------
    groups : tuple of (tuple of int, float)
        The samples of each group that is known, and the probability that it is the
        sample's; likeliest first.
    new : float
        The probability that it is of none of them.
    """

    groups: tuple[tuple[tuple[int, ...], float], ...]
    new: float


class Model(Protocol):
    """What a method makes of a problem and the answers so far."""

    @property
    def labels(self) -> Indices:
        """The cluster of each sample, 0..k-1; no known pair is violated.

        But under a recipe that does not enforce them, such as the paper's.
        """

    @property
    def confidence(self) -> Floats:
        """The probability that each sample is in the right cluster."""

    @property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be."""

    def chances(self, sample: int) -> Chances:
        """Return the groups that a sample may belong to."""


ModelT = TypeVar("ModelT", bound=Model)
AskedT = TypeVar("AskedT", bound=Model, contravariant=True)


class Propose(Protocol[AskedT]):
    """How a method chooses the next question."""

    def __call__(
        self,
        model: AskedT,
        known: Knowledge,
        rng: np.random.Generator,
        pending: tuple[Question, ...] = (),
        /,
    ) -> Question | None:
        """Return the question, or None when there is none left."""


@dataclass(frozen=True, slots=True)
class Method(Generic[ModelT]):
    """A way to cluster what is known and to choose the next question.

    Three pure functions on values. ``learn`` after ``learn`` equals ``begin`` on the
    longer list of answers: the same labels and the same next question. All of them are
    lazy: nothing is clustered before somebody looks at the labels or asks.

    Attributes
    ----------
    name : str
    about : str
        One sentence for people.
    begin : callable
        ``begin(problem, known, rng)`` makes the model of any state in one go. Samples
        in ``known.aside`` are in the problem still: the method leaves them out.
    learn : callable
        ``learn(model, known, answer)`` makes the model one answer further; `known`
        contains the answer already.
    propose : callable
        ``propose(model, known, rng, pending=())`` chooses the next question, or None
        when there is none left. `pending` are questions that are open with other
        people: what it proposes should be worth asking whatever they answer.
    most_clusters : int or None
        How many groups it can tell apart at most; None for any number.
    resume : callable or None
        ``resume(model, problem, known)`` makes what ``begin`` would out of a model of
        the same problem under other answers, where that is less work: after an undo,
        say. None where it is not.
    prospect : callable or None
        ``prospect(model, pending)`` says what items and groups are worth on a screen.
        None where it is estimated from the clusters, see
        :func:`~likewise.methods._screens.estimated_prospect`.
    errors : callable or None
        ``errors(model)`` says how often each reader is wrong, by what the others say.
        None where that is estimated from what was expected when they were asked.
    affinity : str or None
        The affinity that it takes where "auto" is asked for; None for "auto" itself.
    under : callable or None
        ``under(recipe)`` is the same method on another recipe. None where neither the
        recipe nor the affinity changes anything.
    """

    name: str
    about: str
    begin: Callable[[Problem, Knowledge, np.random.Generator], ModelT]
    learn: Callable[[ModelT, Knowledge, Answer], ModelT]
    propose: Propose[ModelT]
    most_clusters: int | None = None
    resume: Callable[[ModelT, Problem, Knowledge], ModelT] | None = None
    prospect: Callable[[ModelT, tuple[Question, ...]], Prospect] | None = None
    errors: Callable[[ModelT], Mapping[str, Errors]] | None = None
    affinity: str | None = None
    under: Callable[[Recipe], Method[ModelT]] | None = None


AnyMethod = Method[Any]  # a method, whatever its model is


def suited(problem: Problem, method: AnyMethod) -> Problem:
    """Return the problem with the number of groups that a method is to look for.

    A method that can tell only so many apart refuses more, and takes that many, with a
    warning, when nobody knows.
    """
    most, k = method.most_clusters, problem.n_clusters
    if most is None or (k is not None and k <= most):
        return problem
    if k is not None:
        raise InputError(
            f"The method {method.name!r} can tell only {most} groups apart, but "
            f"n_clusters is {k}: choose another method."
        )
    warnings.warn(
        f"The method {method.name!r} can tell only {most} groups apart, so it takes "
        f"{most} where the number is unknown.",
        AssumptionWarning,
        stacklevel=4,
    )
    return replace(problem, n_clusters=min(most, problem.n_samples))


def errors_by(
    method: AnyMethod, model: object, known: Knowledge
) -> Mapping[str, Errors]:
    """Return how often each reader is wrong, by the method or by what was expected.

    Parameters
    ----------
    method : Method
    model : object
        Its model under what is known.
    known : Knowledge
    """
    if method.errors is None:
        return errors_told(known.answers)
    return method.errors(model)

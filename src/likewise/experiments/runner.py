"""One simulated session, scored after every answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from likewise.experiments._metrics import METRICS
from likewise.methods import AnyMethod
from likewise.session import LabelOracle, Session, run


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate.

    Attributes
    ----------
    X : array-like of shape (n_samples, n_features), or Problem
        A problem made beforehand says how many groups there are and how alike samples
        are, and is shared with others; see :class:`~likewise.Session`.
    y : ndarray of shape (n_samples,)
        The true classes.
    method : str or Method
    budget : int
        Questions to answer at most.
    n_clusters : int or None
    affinity : str or callable
    error_rate, unsure_rate : float
        How often the simulated person errs, or cannot tell.
    points : sequence of int, optional
        The numbers of questions at which to score; after every answer unless given.
        Methods that cluster only when looked at are faster when looked at less.
    """

    X: Any
    y: Any
    method: str | AnyMethod
    budget: int
    n_clusters: int | None = None
    affinity: str | Callable[[Any], Any] = "auto"
    error_rate: float = 0.0
    unsure_rate: float = 0.0
    points: Sequence[int] | None = None


@dataclass(slots=True)
class Curve:
    """Scores against answered questions; the first entry is before any question.

    Attributes
    ----------
    seed : int
    questions : list of int
        The numbers of answered questions at which scores were taken.
    scores : dict of str to list of float
        By metric, one value for each of them.
    seconds : float
        What the session took so far, without scoring.
    """

    seed: int
    questions: list[int] = field(default_factory=list)
    scores: dict[str, list[float]] = field(
        default_factory=lambda: {metric: [] for metric in METRICS}
    )
    seconds: float = 0.0
    _labels: Any = field(default=None, init=False, repr=False, compare=False)

    def record(self, n_questions: int, truth: Any, labels: Any) -> None:
        """Append the scores of one labeling; one that did not change is not scored."""
        self.questions.append(n_questions)
        is_same = self._labels is not None and np.array_equal(labels, self._labels)
        for metric, score in METRICS.items():
            values = self.scores[metric]
            values.append(values[-1] if is_same else score(truth, labels))
        self._labels = labels

    def as_dict(self) -> dict[str, Any]:
        """Return the curve as plain values, as ``simulate --json`` prints it."""
        return {
            "seed": self.seed,
            "questions": self.questions,
            **self.scores,
            "seconds": self.seconds,
        }


def simulate(
    plan: Plan, seed: int, watch: Callable[[Curve], None] = lambda _: None
) -> Curve:
    """Run one session against the true classes and score it after every answer.

    Parameters
    ----------
    plan : Plan
    seed : int
        Of the session and of the simulated person.
    watch : callable
        Called with the curve so far after every answer.

    Examples
    --------
    >>> plan = Plan([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], "random", 3, 2)
    >>> simulate(plan, seed=0).scores["jaccard"][-1]
    1.0
    """
    with threadpool_limits(1):  # small matrices: a second thread only gets in the way
        return _simulate(plan, seed, watch)


def _simulate(plan: Plan, seed: int, watch: Callable[[Curve], None]) -> Curve:
    start = time.perf_counter()
    rates = {"error_rate": plan.error_rate, "unsure_rate": plan.unsure_rate}
    oracle = LabelOracle(plan.y, seed=seed, **rates)
    session = Session(plan.X, plan.method, plan.n_clusters, plan.affinity, seed)
    wanted = None if plan.points is None else frozenset(plan.points)
    curve = Curve(seed)
    scoring = _recorded(curve, 0, plan.y, session.labels)
    curve.seconds = time.perf_counter() - start - scoring
    asked = 0
    for asked, view in enumerate(run(session, oracle, plan.budget), start=1):
        if wanted is None or asked in wanted:
            scoring += _recorded(curve, asked, plan.y, view.labels)
        curve.seconds = time.perf_counter() - start - scoring
        watch(curve)
    if asked > curve.questions[-1]:  # it ended between two points
        curve.record(asked, plan.y, session.labels)
    return curve


def _recorded(curve: Curve, n_questions: int, truth: Any, labels: Any) -> float:
    """Record the scores, and return the seconds that it took."""
    start = time.perf_counter()
    curve.record(n_questions, truth, labels)
    return time.perf_counter() - start

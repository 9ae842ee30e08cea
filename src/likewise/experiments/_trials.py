"""Trials: what is simulated, what came out of it, and what that amounts to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from likewise.datasets import Dataset
from likewise.experiments.runner import Plan, simulate
from likewise.methods import AnyMethod, farthest_first, urasc

LEVELS = (0.8, 0.9, 0.95)  # of the Jaccard coefficient
N_POINTS = 50  # evenly spaced points of a curve, besides those of the log grid
SHORTLISTED = {"urasc+n": "nonparametric", "urasc+p": "parametric"}


@dataclass(frozen=True, slots=True)
class Trial:
    """The coordinates of one simulated session.

    Attributes
    ----------
    data, method : str
    seed : int
        Of the session and of the simulated person.
    budget : int
        Questions to answer at most.
    k : {"known", "unknown"}
        Whether the session is told the number of classes.
    noise : float
        Rate of wrong answers.
    opening : {"none", "farthest-first"}
    shortlist : int
        b of the paper for URASC with both step and gradient; 0 for none.
    affinity : str
    """

    data: str
    method: str
    seed: int
    budget: int
    k: str = "known"
    noise: float = 0.0
    opening: str = "none"
    shortlist: int = 0
    affinity: str = "auto"


@dataclass(frozen=True)
class Outcome:
    """What came out of a trial.

    Attributes
    ----------
    trial : Trial
    questions : tuple of int
        :func:`points_of` the budget.
    scores : mapping of str to tuple of float
        By metric, a value for each of them; a session that ended keeps its last one.
    seconds : tuple of float
        Since the start of the session, for each of them.
    """

    trial: Trial
    questions: tuple[int, ...]
    scores: Mapping[str, tuple[float, ...]]
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A trial that did not end well, and why."""

    trial: Trial
    reason: str


@dataclass(frozen=True, slots=True)
class Job:
    """A trial with what it needs, to be sent to another process.

    Attributes
    ----------
    trial : Trial
    method : Method
    load : callable
        ``load(folder)`` returns the data set.
    folder : Path or None
    """

    trial: Trial
    method: AnyMethod
    load: Callable[[Path | None], Dataset]
    folder: Path | None

    def __call__(self) -> Outcome | Failure:
        """Run the trial; whatever goes wrong is its result, not the end of the grid."""
        try:
            return self._run()
        except Exception as error:
            return Failure(self.trial, f"{type(error).__name__}: {error}")

    def _run(self) -> Outcome:
        trial, dataset = self.trial, self.load(self.folder)
        kernel = dataset.paper_affinity if trial.affinity == "paper" else trial.affinity
        points = points_of(trial.budget)
        plan = Plan(
            X=dataset.samples_for(kernel),
            y=dataset.y,
            method=self.method,
            budget=trial.budget,
            n_clusters=dataset.n_classes if trial.k == "known" else None,
            affinity=kernel,
            error_rate=trial.noise,
            points=points,
        )
        curve = simulate(plan, trial.seed)
        at = np.searchsorted(curve.questions, points, side="right") - 1
        return Outcome(
            trial,
            tuple(points),
            {name: _picked(values, at) for name, values in curve.scores.items()},
            _picked(curve.clock, at),
        )


def budget_of(n_samples: int, n_classes: int, cap: int = 1300) -> int:
    """Return min(max(200, 1.2 n, 20 k), cap), how many questions a set is worth.

    Examples
    --------
    >>> budget_of(150, 3), budget_of(400, 20), budget_of(1797, 10)
    (200, 480, 1300)
    """
    return int(min(max(200, 1.2 * n_samples, 20 * n_classes), cap))


def log_grid(budget: int) -> list[int]:
    """Return 0 and 10 * 1.41**i rounded down, up to the budget.

    Examples
    --------
    >>> log_grid(100)
    [0, 10, 14, 19, 28, 39, 55, 78]
    """
    steps = (int(10 * 1.41**i) for i in count())
    return [0, *takewhile(lambda question: question <= budget, steps)]


def questions_to(level: float, values: Sequence[float]) -> int | None:
    """Return the first number of questions at which a level is reached, or None."""
    return next((at for at, value in enumerate(values) if value >= level), None)


def points_of(budget: int) -> list[int]:
    """Return the numbers of questions at which a trial is scored.

    Examples
    --------
    >>> points_of(10)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    even = np.linspace(0, budget, N_POINTS + 1).round().astype(int).tolist()
    return sorted({*even, *log_grid(budget)})


def score_at(outcome: Outcome, question: float, metric: str = "jaccard") -> float:
    """Return the score at the last point that is not beyond a number of questions."""
    position = np.searchsorted(outcome.questions, question, side="right") - 1
    return outcome.scores[metric][int(position)]


def area(outcome: Outcome, metric: str = "jaccard") -> float:
    """Return the mean score over the log-spaced numbers of questions."""
    points = log_grid(outcome.trial.budget)
    return float(np.mean([score_at(outcome, point, metric) for point in points]))


def method_of(trial: Trial, found: AnyMethod) -> AnyMethod:
    """Return the method as a trial wants it: with its shortlist and its opening."""
    if trial.shortlist and trial.method in SHORTLISTED:
        step = SHORTLISTED[trial.method]
        found = urasc(trial.method, step=step, shortlist=trial.shortlist)
    return farthest_first(found) if trial.opening == "farthest-first" else found


def _picked(values: Any, at: Any) -> tuple[float, ...]:
    return tuple(np.asarray(values)[at].tolist())

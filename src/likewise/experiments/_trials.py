"""Trials: what is simulated, what came out of it, and what that amounts to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from likewise._arrays import Samples
from likewise.affinity import Affinity, affinity_of
from likewise.datasets import Dataset, coded
from likewise.experiments._recipes import RECIPES
from likewise.experiments.runner import Plan, simulate
from likewise.methods import (
    METHODS,
    AnyMethod,
    Problem,
    farthest_first,
    problem_of,
    urasc,
)

DIGITS = 4  # of scores and seconds that are kept
LEVELS = (0.8, 0.9, 0.95)  # of the Jaccard coefficient
N_POINTS = 25  # evenly spaced points of a curve, besides those of the log grid
SHORTLISTED = {"urasc+n": "nonparametric", "urasc+p": "parametric"}


@dataclass(frozen=True, slots=True)
class Trial:
    """The coordinates of one simulated session.

    Attributes
    ----------
    data, method : str
    seed : int
        The repeat: which nine tenths of the samples, the session's own draws, and what
        the simulated person gets wrong. All methods of one repeat see the same.
    budget : int
        Questions to answer at most.
    k : {"known", "unknown"}
        Whether the session is told the number of classes.
    noise : float
        Rate of wrong answers.
    opening : {"none", "farthest-first"}
    shortlist : int
        b of the paper for URASC with both step and gradient; 0 for none.
    recipe : str
        A name in ``RECIPES``: the affinity, and how answers become clusters.
    """

    data: str
    method: str
    seed: int
    budget: int
    k: str = "known"
    noise: float = 0.0
    opening: str = "none"
    shortlist: int = 0
    recipe: str = "ours"


@dataclass(frozen=True)
class Outcome:
    """What came out of a trial.

    Attributes
    ----------
    trial : Trial
    questions : tuple of int
        :func:`points_of` the budget.
    scores : mapping of str to tuple of float
        By metric, a value for each of them, of four decimals; a session that ended
        keeps its last one.
    seconds : float
        What the session took, without scoring.
    answered : int
        Questions answered: fewer than the budget where nothing was left to ask.
    """

    trial: Trial
    questions: tuple[int, ...]
    scores: Mapping[str, tuple[float, ...]]
    seconds: float
    answered: int


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
    cost : float
        About how much work it is, beside others.
    """

    trial: Trial
    method: AnyMethod
    load: Callable[[Path | None], Dataset]
    folder: Path | None
    cost: float = 1.0

    def __call__(self, shared: Shared | None = None) -> Outcome | Failure:
        """Run the trial; whatever goes wrong is its result, not the end of the grid."""
        try:
            return self._run(Shared() if shared is None else shared)
        except Exception as error:
            return Failure(self.trial, f"{type(error).__name__}: {error}")

    def _run(self, shared: Shared) -> Outcome:
        trial, points = self.trial, points_of(self.trial.budget)
        part = shared.part(self)
        plan = Plan(
            X=shared.problem(self),
            y=part.y,
            method=self.method,
            budget=trial.budget,
            error_rate=trial.noise,
            points=points,
        )
        curve = simulate(plan, trial.seed)
        at = np.searchsorted(curve.questions, points, side="right") - 1
        return Outcome(
            trial,
            tuple(points),
            {name: _picked(values, at) for name, values in curve.scores.items()},
            round(curve.seconds, DIGITS),
            curve.questions[-1],
        )


@dataclass(frozen=True, slots=True)
class Shared:
    """What trials have in common, worked out when the first of them needs it.

    Samples, affinities and problems: a problem keeps what methods derive from it alone,
    such as the spectrum that no answer has touched.
    """

    _parts: dict[Hashable, Dataset] = field(default_factory=dict)
    _affinities: dict[Hashable, Affinity] = field(default_factory=dict)
    _problems: dict[Hashable, Problem] = field(default_factory=dict)

    def part(self, job: Job) -> Dataset:
        """Return the samples that a trial is about."""
        key = (job.trial.data, job.trial.seed)
        if key not in self._parts:
            self._parts[key] = part_of(job.load(job.folder), job.trial.seed)
        return self._parts[key]

    def problem(self, job: Job) -> Problem:
        """Return the problem that a trial is about."""
        part, trial = self.part(job), job.trial
        kernel = kernel_of(trial, part, job.method)
        n_clusters = part.n_classes if trial.k == "known" else None
        alike = (trial.data, trial.seed, kernel)
        key = (*alike, n_clusters)
        if key not in self._problems:
            made = problem_of(
                part.samples_for(kernel),
                affinity=lambda X: self._affinity(alike, X),
                n_clusters=n_clusters,
            )
            self._problems[key] = made
        return self._problems[key]

    def _affinity(self, key: tuple[str, int, str], X: Samples) -> Affinity:
        if key not in self._affinities:
            self._affinities[key] = affinity_of(X, key[-1])
        return self._affinities[key]


@dataclass(frozen=True, slots=True)
class Batch:
    """Trials of one subset, run one after another with what they share.

    Attributes
    ----------
    jobs : tuple of Job
    """

    jobs: tuple[Job, ...]

    def __call__(self) -> list[Outcome | Failure]:
        """Run all of them."""
        shared = Shared()
        return [job(shared) for job in self.jobs]


def kernel_of(trial: Trial, part: Dataset, method: AnyMethod) -> str:
    """Return the affinity of a trial: its recipe's, the data set's, the method's own.

    The paper's recipe takes the kernel that the paper had for data of this kind.
    """
    wanted = RECIPES[trial.recipe].affinity
    if wanted == "paper":
        return part.paper_affinity
    return method.affinity or wanted if wanted == "auto" else wanted


def part_of(dataset: Dataset, seed: int) -> Dataset:
    """Return the nine tenths of the samples that a repeat is about.

    Classes of which no sample was drawn are gone, and the others are numbered anew.

    Examples
    --------
    >>> ten = Dataset("ten", np.zeros((10, 1)), np.arange(10), "as it is")
    >>> part_of(ten, seed=0).n_classes
    9
    """
    part = dataset.nine_tenths(seed)
    return replace(part, y=coded(part.y))


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
    at = np.searchsorted(outcome.questions, points, side="right") - 1
    return float(np.mean(np.asarray(outcome.scores[metric])[at]))


def has_recipes(method: str) -> bool:
    """Tell whether a recipe changes anything about a method; not of unknown ones."""
    return method in METHODS and METHODS[method].under is not None


def method_of(trial: Trial, found: AnyMethod) -> AnyMethod:
    """Return the method as a trial wants it: shortlist, recipe and opening."""
    if trial.shortlist and trial.method in SHORTLISTED:
        step = SHORTLISTED[trial.method]
        found = urasc(trial.method, step=step, shortlist=trial.shortlist)
    if found.under is not None:
        found = found.under(RECIPES[trial.recipe].recipe)
    return farthest_first(found) if trial.opening == "farthest-first" else found


def _picked(values: Any, at: Any) -> tuple[float, ...]:
    return tuple(np.round(np.asarray(values)[at], DIGITS).tolist())

"""Runs of the benchmark on questions, and the tables that they amount to.

A run is an outcome of a trial, with what else this benchmark asks for: on which part of
the samples, under which tag, and what the session expected of itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from likewise.experiments import LEVELS, Outcome, Trial, area, log_grid, score_at

MARKS = (20, 50, 100, 200, 400)
HEADER = (
    "data",
    "method",
    "runs",
    "area",
    "of ARI",
    *(f"to {level}" for level in LEVELS),
    "below the start",
    "below a level",
    "checks",
    "all in one",
    "s/question",
)
NOTHING = "–"

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Cell:
    """One run that is wanted.

    Attributes
    ----------
    tag : str
        Which state of the program.
    subset : str
        "full", the seed of a random 90 % of the samples, or "thin" and a seed.
    trial : Trial
    """

    tag: str
    subset: str
    trial: Trial


@dataclass(frozen=True, slots=True)
class Run:
    """What came out of one cell.

    Attributes
    ----------
    cell : Cell
    outcome : Outcome
        Scored at :func:`points_of` the budget; its seconds are processor time of all
        answers, without the scoring.
    reached : list of int or None
        For each of ``LEVELS``, the first question at which Jaccard was as high.
    expected : list of float
        The session's own expected Jaccard at :func:`marks_of` the budget.
    all_in_one : float
        The Jaccard coefficient of one big cluster.
    n_checks : int
        Those of them whose answer was known already.
    curve : list of float
        Jaccard before any question and after each answer.
    """

    cell: Cell
    outcome: Outcome
    reached: list[int | None]
    expected: list[float]
    all_in_one: float
    n_checks: int
    curve: list[float]

    @property
    def seconds(self) -> float:
        """What all answers took."""
        return self.outcome.seconds

    @property
    def answered(self) -> int:
        """Questions answered."""
        return self.outcome.answered

    def scores(self, metric: str) -> tuple[float, ...]:
        """Return the scores at the points."""
        return self.outcome.scores[metric]


def as_line(run: Run) -> str:
    """Return a run as one line of JSON."""
    return json.dumps(asdict(run))


def of_line(line: str) -> Run:
    """Return the run that a line of JSON holds."""
    fields = json.loads(line)
    cell, outcome = fields.pop("cell"), fields.pop("outcome")
    trial = Trial(**cell.pop("trial"))
    scores = {name: tuple(values) for name, values in outcome["scores"].items()}
    took = outcome["seconds"], outcome["answered"]
    found = Outcome(trial, tuple(outcome["questions"]), scores, *took)
    return Run(Cell(trial=trial, **cell), found, **fields)


def marks_of(budget: int) -> list[int]:
    """Return 0 and the round numbers of questions within the budget."""
    return [0, *(mark for mark in MARKS if mark <= budget)]


def points_of(budget: int) -> list[int]:
    """Return every number of questions at which scores are taken."""
    return sorted({*log_grid(budget), *marks_of(budget)})


def carried(values: Sequence[float], points: Iterable[int]) -> list[float]:
    """Return the values at some points; after its end a run keeps its last value.

    Parameters
    ----------
    values : sequence of float
        One for each number of answered questions, from 0 on.
    points : iterable of int

    Examples
    --------
    >>> carried([0.5, 0.7, 1.0], [0, 1, 10])
    [0.5, 0.7, 1.0]
    """
    last = len(values) - 1
    return [values[min(point, last)] for point in points]


def fall(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Return how far values fall below the first of them, 0 when they never do."""
    return float(values[0] - np.min(values))


def setback(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Return how far values fall below the largest before them.

    Examples
    --------
    >>> setback([0.2, 0.5, 0.25, 0.5])
    0.25
    """
    return float(np.max(np.maximum.accumulate(values) - values))


def mean_curve(runs: Sequence[Run]) -> NDArray[np.float64]:
    """Return the mean Jaccard after each answer; an ended run keeps its last."""
    points = range(max(len(run.curve) for run in runs))
    curves = [carried(run.curve, points) for run in runs]
    return np.asarray(np.mean(curves, axis=0), dtype=np.float64)


def share_of_checks(runs: Sequence[Run]) -> float:
    """Return the share of all questions that were checks."""
    return sum(r.n_checks for r in runs) / max(sum(r.answered for r in runs), 1)


def grouped(
    runs: Iterable[Run], key: Callable[[Cell], Key]
) -> dict[Key, tuple[Run, ...]]:
    """Return the runs by what `key` says of their cells, in the order they came."""
    groups: dict[Key, tuple[Run, ...]] = {}
    for run in runs:
        groups[key(run.cell)] = (*groups.get(key(run.cell), ()), run)
    return groups


def by_method(runs: Iterable[Run]) -> dict[str, tuple[Run, ...]]:
    """Return the runs of each method."""
    return grouped(runs, lambda cell: cell.trial.method)


def by_data(runs: Iterable[Run]) -> dict[str, tuple[Run, ...]]:
    """Return the runs on each data set."""
    return grouped(runs, lambda cell: cell.trial.data)


def area_on(runs: Iterable[Run], metric: str = "jaccard") -> float:
    """Return the mean area of runs on one data set."""
    return float(np.mean([area(run.outcome, metric) for run in runs]))


def mean_area(runs: Iterable[Run], metric: str = "jaccard") -> float:
    """Return the mean over the data sets of the mean area on each."""
    return float(np.mean([area_on(on, metric) for on in by_data(runs).values()]))


def best_methods(runs: Sequence[Run], n_methods: int) -> list[str]:
    """Return the methods of largest mean area, in the order they came."""
    methods = by_method(runs)
    best = sorted(methods, key=lambda name: -mean_area(methods[name]))[:n_methods]
    return [name for name in methods if name in best]


def table_row(runs: Sequence[Run]) -> list[str]:
    """Return what ``HEADER`` names, for runs of one method on one data set."""
    trial = runs[0].cell.trial
    seconds = sum(run.seconds for run in runs) / max(sum(r.answered for r in runs), 1)
    curve = mean_curve(runs)
    return [
        trial.data,
        trial.method,
        str(len(runs)),
        f"{area_on(runs):.3f}",
        f"{area_on(runs, 'ari'):.3f}",
        *(_mean_reached(runs, position) for position in range(len(LEVELS))),
        f"{fall(curve):.3f}",
        f"{setback(curve):.3f}",
        f"{share_of_checks(runs):.3f}",
        f"{np.mean([run.all_in_one for run in runs]):.3f}",
        f"{seconds:.4f}",
    ]


def table_rows(runs: Iterable[Run]) -> list[list[str]]:
    """Return one row for each data set and method."""
    groups = grouped(runs, lambda cell: (cell.trial.data, cell.trial.method))
    return [table_row(group) for group in groups.values()]


def area_rows(runs: Iterable[Run]) -> list[list[str]]:
    """Return method, mean areas and number of data sets, best first."""
    methods = by_method(runs)
    order = sorted(methods, key=lambda name: -mean_area(methods[name]))
    return [
        [
            name,
            f"{mean_area(methods[name]):.3f}",
            f"{mean_area(methods[name], 'ari'):.3f}",
            str(len(by_data(methods[name]))),
        ]
        for name in order
    ]


def calibration_rows(runs: Iterable[Run]) -> list[list[str]]:
    """Return, for each method and mark, predicted / true Jaccard (absolute error)."""
    return [
        [name, *(_calibration(group, mark) for mark in (0, *MARKS))]
        for name, group in by_method(runs).items()
    ]


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table.

    Examples
    --------
    >>> print(markdown(["data", "area"], [["wine", "0.93"]]))
    | data | area |
    |---|---|
    | wine | 0.93 |
    """
    lines = [f"| {' | '.join(row)} |" for row in (header, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(header), *lines[1:]])


def _mean_reached(runs: Sequence[Run], position: int) -> str:
    """Return the mean; a run that did not get there counts as its budget: '>'."""
    first = [run.reached[position] for run in runs]
    budgets = [run.cell.trial.budget for run in runs]
    filled = [b if q is None else q for q, b in zip(first, budgets, strict=True)]
    return f"{'>' if None in first else ''}{np.mean(filled):.0f}"


def _calibration(runs: Sequence[Run], mark: int) -> str:
    pairs = [
        (
            run.expected[marks_of(run.cell.trial.budget).index(mark)],
            score_at(run.outcome, mark),
        )
        for run in runs
        if mark <= run.cell.trial.budget
    ]
    if not pairs:
        return NOTHING
    predicted, true = np.array(pairs).T
    error = np.abs(predicted - true).mean()
    return f"{predicted.mean():.2f} / {true.mean():.2f} ({error:.2f})"

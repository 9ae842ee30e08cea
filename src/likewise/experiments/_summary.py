"""What simulated sessions amount to: areas, questions to a level, falls, tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import count, takewhile
from typing import TypeVar

import numpy as np

from likewise._arrays import Floats

LEVELS = (0.8, 0.9, 0.95)
MARKS = (20, 50, 100, 200, 400)
HEADER = (
    "data",
    "method",
    "runs",
    "area",
    *(f"to {level}" for level in LEVELS),
    *(f"ARI {mark}" for mark in MARKS),
    "fall of Jaccard",
    "fall of ARI",
    "all in one",
    "s/question",
)
NOTHING = "–"

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Cell:
    """What was simulated: the coordinates of one run.

    Attributes
    ----------
    tag : str
        Which state of the program.
    data, method : str
    subset : str
        "full", or the seed of a random 90 % of the samples.
    k : {"known", "unknown"}
        Whether the session was told the number of classes.
    noise : float
        Rate of wrong answers.
    budget : int
        Questions to answer at most.
    """

    tag: str
    data: str
    method: str
    subset: str
    k: str
    noise: float
    budget: int


@dataclass(frozen=True, slots=True)
class Run:
    """What came out of one cell.

    Attributes
    ----------
    cell : Cell
    questions : list of int
        :func:`points_of` the budget, at which the scores were taken.
    jaccard, v_measure, ari : list of float
        The scores there; a run that ended early keeps its last one.
    reached : list of int or None
        For each of ``LEVELS``, the first question at which Jaccard was as high.
    expected : list of float
        The session's own expected Jaccard at :func:`marks_of` the budget.
    all_in_one : float
        The Jaccard coefficient of one big cluster.
    answered : int
        Questions answered.
    seconds : float
        Processor time they took, without the scoring.
    """

    cell: Cell
    questions: list[int]
    jaccard: list[float]
    v_measure: list[float]
    ari: list[float]
    reached: list[int | None]
    expected: list[float]
    all_in_one: float
    answered: int
    seconds: float


def as_line(run: Run) -> str:
    """Return a run as one line of JSON."""
    return json.dumps(asdict(run))


def of_line(line: str) -> Run:
    """Return the run that a line of JSON holds."""
    fields = json.loads(line)
    return Run(Cell(**fields.pop("cell")), **fields)


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


def questions_to(level: float, values: Sequence[float]) -> int | None:
    """Return the first number of questions at which a level is reached, or None."""
    return next((at for at, value in enumerate(values) if value >= level), None)


def fall(values: Sequence[float] | Floats) -> float:
    """Return how far values fall below the first of them, 0 when they never do."""
    return float(values[0] - np.min(values))


def area(run: Run) -> float:
    """Return the mean Jaccard over the log-spaced numbers of questions."""
    return float(np.mean([_at(run, point) for point in log_grid(run.cell.budget)]))


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
    return grouped(runs, lambda cell: cell.method)


def by_data(runs: Iterable[Run]) -> dict[str, tuple[Run, ...]]:
    """Return the runs on each data set."""
    return grouped(runs, lambda cell: cell.data)


def mean_area(runs: Iterable[Run]) -> float:
    """Return the mean over the data sets of the mean area on each."""
    return float(
        np.mean([np.mean([area(run) for run in on]) for on in by_data(runs).values()])
    )


def best_methods(runs: Sequence[Run], n_methods: int) -> list[str]:
    """Return the methods of largest mean area, in the order they came."""
    methods = by_method(runs)
    best = sorted(methods, key=lambda name: -mean_area(methods[name]))[:n_methods]
    return [name for name in methods if name in best]


def table_row(runs: Sequence[Run]) -> list[str]:
    """Return what ``HEADER`` names, for runs of one method on one data set."""
    cell = runs[0].cell
    seconds = sum(run.seconds for run in runs) / max(sum(r.answered for r in runs), 1)
    ari = np.mean([run.ari for run in runs], axis=0)
    at = dict(zip(runs[0].questions, ari, strict=True))
    return [
        cell.data,
        cell.method,
        str(len(runs)),
        f"{np.mean([area(run) for run in runs]):.3f}",
        *(_mean_reached(runs, position) for position in range(len(LEVELS))),
        *(f"{at[mark]:.3f}" if mark in at else NOTHING for mark in MARKS),
        f"{fall(np.mean([run.jaccard for run in runs], axis=0)):.3f}",
        f"{fall(ari):.3f}",
        f"{np.mean([run.all_in_one for run in runs]):.3f}",
        f"{seconds:.4f}",
    ]


def table_rows(runs: Iterable[Run]) -> list[list[str]]:
    """Return one row for each data set and method."""
    groups = grouped(runs, lambda cell: (cell.data, cell.method))
    return [table_row(group) for group in groups.values()]


def area_rows(runs: Iterable[Run]) -> list[list[str]]:
    """Return method, mean area and number of data sets, best first."""
    methods = by_method(runs)
    order = sorted(methods, key=lambda name: -mean_area(methods[name]))
    return [
        [name, f"{mean_area(methods[name]):.3f}", str(len(by_data(methods[name])))]
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


def _at(run: Run, point: int) -> float:
    return run.jaccard[run.questions.index(point)]


def _mean_reached(runs: Sequence[Run], position: int) -> str:
    """Return the mean; a run that did not get there counts as its budget: '>'."""
    first = [run.reached[position] for run in runs]
    budgets = [run.cell.budget for run in runs]
    filled = [b if q is None else q for q, b in zip(first, budgets, strict=True)]
    return f"{'>' if None in first else ''}{np.mean(filled):.0f}"


def _calibration(runs: Sequence[Run], mark: int) -> str:
    pairs = [
        (run.expected[marks_of(run.cell.budget).index(mark)], _at(run, mark))
        for run in runs
        if mark <= run.cell.budget
    ]
    if not pairs:
        return NOTHING
    predicted, true = np.array(pairs).T
    error = np.abs(predicted - true).mean()
    return f"{predicted.mean():.2f} / {true.mean():.2f} ({error:.2f})"

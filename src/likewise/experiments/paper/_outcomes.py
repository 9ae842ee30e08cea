"""What outcomes amount to: areas, questions to a level, and rankings of methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from likewise.experiments._trials import LEVELS, Outcome, Trial, area
from likewise.experiments.paper._plans import Figure, Line, Panel

Curves: TypeAlias = Mapping[tuple[Panel, Line], tuple[Outcome, ...]]


@dataclass(frozen=True, slots=True)
class Level:
    """How many questions it took to a Jaccard coefficient.

    Attributes
    ----------
    questions : float
        The mean; a run that did not get there counts as its budget.
    by_all : bool
        Whether every run got there.
    """

    questions: float
    by_all: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What the runs behind one curve amount to.

    Attributes
    ----------
    runs : int
    area, spread : float
        Mean and standard deviation of :func:`area`.
    levels : tuple of Level
        For each of ``LEVELS``.
    final : mapping of str to float
        By metric, the mean score at the end of the budget.
    seconds : float
        For each answered question, over all runs.
    """

    runs: int
    area: float
    spread: float
    levels: tuple[Level, ...]
    final: Mapping[str, float]
    seconds: float


@dataclass(frozen=True, slots=True)
class Rank:
    """One line of a figure over its plots.

    Attributes
    ----------
    line : Line
    mean : float
        Mean area over the plots on which it was run.
    plots : int
        On how many it was run.
    """

    line: Line
    mean: float
    plots: int


def curves_of(figure: Figure, outcomes: Iterable[Outcome]) -> Curves:
    """Return the runs behind each curve of a figure, plot by plot, where there are any.

    An outcome belongs to a curve when its trial, the seed aside, is that of the curve.
    """
    cells: dict[Trial, tuple[Outcome, ...]] = {}
    for outcome in outcomes:
        cell = replace(outcome.trial, seed=0)
        cells[cell] = (*cells.get(cell, ()), outcome)
    wanted = {
        (panel, line): figure.trial(panel, line, seed=0)
        for panel in figure.panels
        for line in figure.lines
    }
    return {key: cells[cell] for key, cell in wanted.items() if cell in cells}


def on_plot(
    figure: Figure, curves: Curves, panel: Panel, recipe: str
) -> dict[Line, tuple[Outcome, ...]]:
    """Return the curves of one plot: a panel on a recipe."""
    keys = ((panel, line) for line in figure.lines_on(recipe))
    return {key[1]: curves[key] for key in keys if key in curves}


def mean_of(runs: Sequence[Outcome], measure: Callable[[Outcome], float]) -> float:
    """Return the mean of a measure over runs."""
    return float(np.mean([measure(run) for run in runs]))


def level_of(runs: Sequence[Outcome], level: float) -> Level:
    """Return how many questions runs took to a level of Jaccard.

    Notes
    -----
    Scores are known at the points of a trial only, so that a level counts as reached at
    the first point at which it is.
    """
    first = [
        next((q for q, v in pairs if v >= level), None)
        for pairs in (
            zip(run.questions, run.scores["jaccard"], strict=True) for run in runs
        )
    ]
    budgets = [run.trial.budget for run in runs]
    filled = [b if q is None else q for q, b in zip(first, budgets, strict=True)]
    return Level(float(np.mean(filled)), None not in first)


def standing_of(runs: Sequence[Outcome]) -> Standing:
    """Return what the runs behind one curve amount to."""
    areas = [area(run) for run in runs]
    took = sum(run.seconds for run in runs)
    return Standing(
        runs=len(runs),
        area=float(np.mean(areas)),
        spread=float(np.std(areas)),
        levels=tuple(level_of(runs, level) for level in LEVELS),
        final={
            metric: float(np.mean([run.scores[metric][-1] for run in runs]))
            for metric in runs[0].scores
        },
        seconds=took / max(sum(run.answered for run in runs), 1),
    )


def ranking_of(curves: Curves) -> list[Rank]:
    """Return the lines of a figure by their mean area, best first.

    Each plot counts once. Means over different plots do not compare, so lines that
    were run on fewer plots come behind those that were run on more.
    """
    areas: dict[Line, list[float]] = {}
    for (_, line), runs in curves.items():
        areas.setdefault(line, []).append(mean_of(runs, area))
    ranks = [
        Rank(line, float(np.mean(values)), len(values))
        for line, values in areas.items()
    ]
    return sorted(ranks, key=lambda rank: (-rank.plots, -rank.mean))

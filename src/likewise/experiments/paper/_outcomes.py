"""What outcomes amount to: areas, questions to a level, rankings, single steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from likewise.experiments._trials import LEVELS, Outcome, Trial, area
from likewise.experiments.paper._intervals import Interval, interval_of
from likewise.experiments.paper._plans import Figure, Line, Panel

Curves: TypeAlias = Mapping[tuple[Panel, Line], tuple[Outcome, ...]]

METRICS = ("jaccard", "ari")  # side by side wherever scores are told
STARTER = "urasc+n"  # whose start is the start of a plot
NEAR_ONE = 0.02  # of the Jaccard coefficient of one big cluster
NOTHING_FOUND = 0.05  # an adjusted Rand index below says next to nothing
SOLVED = 0.995  # a Jaccard coefficient that is written as 1.00
HOPELESS = 0.1  # a Jaccard coefficient


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
    areas, ends : mapping of str to Interval
        By metric: of :func:`area`, and of the score at the end of the budget.
    levels : tuple of Level
        For each of ``LEVELS``.
    seconds : float
        For each answered question, over all runs.
    """

    areas: Mapping[str, Interval]
    ends: Mapping[str, Interval]
    levels: tuple[Level, ...]
    seconds: float

    @property
    def runs(self) -> int:
        """How many there are."""
        return self.areas[METRICS[0]].n


@dataclass(frozen=True, slots=True)
class Rank:
    """One line of a figure over its plots.

    Attributes
    ----------
    line : Line
    areas : mapping of str to Interval
        By metric, the mean area over the plots on which it was run.
    plots : int
        On how many it was run.
    """

    line: Line
    areas: Mapping[str, Interval]
    plots: int


@dataclass(frozen=True, slots=True)
class Step:
    """A recipe that is one step away from another, on one plot or over all.

    Attributes
    ----------
    area : Interval
        Of a method on it.
    difference : Interval
        The same less that on the recipe from which the step leads away.
    """

    area: Interval
    difference: Interval


def curves_of(figure: Figure, outcomes: Iterable[Outcome]) -> Curves:
    """Return the runs behind each curve of a figure, plot by plot, where there are any.

    An outcome belongs to a curve when its trial, the seed aside, is that of the curve.
    """
    cells: dict[Trial, list[Outcome]] = {}
    for outcome in outcomes:
        cells.setdefault(replace(outcome.trial, seed=0), []).append(outcome)
    wanted = {
        (panel, line): figure.trial(panel, line, seed=0)
        for panel in figure.panels
        for line in figure.lines
    }
    return {key: tuple(cells[cell]) for key, cell in wanted.items() if cell in cells}


def on_plot(
    figure: Figure, curves: Curves, panel: Panel, recipe: str
) -> dict[Line, tuple[Outcome, ...]]:
    """Return the curves of one plot: a panel on a recipe."""
    keys = ((panel, line) for line in figure.lines_on(recipe))
    return {key[1]: curves[key] for key in keys if key in curves}


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
    asked = sum(run.answered for run in runs)
    return Standing(
        areas={m: interval_of(area(run, m) for run in runs) for m in METRICS},
        ends={m: interval_of(run.scores[m][-1] for run in runs) for m in METRICS},
        levels=tuple(level_of(runs, level) for level in LEVELS),
        seconds=sum(run.seconds for run in runs) / max(asked, 1),
    )


def ranking_of(figure: Figure, curves: Curves, recipe: str) -> list[Rank]:
    """Return the lines of a recipe by their mean area of Jaccard, best first.

    Each plot counts once, in each repeat that all plots of a line have. Means over
    different plots do not compare, so lines that were run on fewer plots come behind
    those that were run on more.
    """
    ranks = []
    for line in figure.lines_on(recipe):
        plots = [runs for (_, where), runs in curves.items() if where == line]
        areas = {metric: over_plots(plots, metric) for metric in METRICS}
        if plots and all(found.n for found in areas.values()):
            ranks.append(Rank(line, areas, len(plots)))
    return sorted(ranks, key=lambda rank: (-rank.plots, -rank.areas["jaccard"].mean))


def over_plots(plots: Sequence[Sequence[Outcome]], metric: str) -> Interval:
    """Return the mean area over plots, an interval over the repeats that all have."""
    by_seed = [{run.trial.seed: area(run, metric) for run in runs} for runs in plots]
    shared = set.intersection(*(set(found) for found in by_seed)) if by_seed else set()
    return interval_of(
        float(np.mean([found[seed] for found in by_seed])) for seed in sorted(shared)
    )


def flag_of(lines: Mapping[Line, Sequence[Outcome]], all_in_one: float | None) -> str:
    """Return why a plot cannot show much, in a few words, or nothing.

    Parameters
    ----------
    lines : mapping of Line to sequence of Outcome
        The curves of the plot.
    all_in_one : float or None
        The Jaccard coefficient of one big cluster there, if it is known.

    Notes
    -----
    By means over repeats. "Starts as one big cluster": before any question urasc+n (or
    the first line, where that was not run) has a Jaccard coefficient within 0.02 of
    that of one big cluster, and an adjusted Rand index below 0.05. "Starts at 1.00":
    its Jaccard coefficient is 0.995 at least. "Stays below 0.1": that of no line ever
    reaches it.
    """
    if not lines:
        return ""
    named = {line.title: runs for line, runs in lines.items()}
    runs = named.get(STARTER, next(iter(named.values())))
    first = {m: np.mean([run.scores[m][0] for run in runs]) for m in METRICS}
    if first["jaccard"] >= SOLVED:
        return "starts at 1.00"
    highest = max(
        np.mean([run.scores["jaccard"] for run in runs], axis=0).max()
        for runs in lines.values()
    )
    if highest < HOPELESS:
        return "stays below 0.1"
    near = all_in_one is not None and abs(first["jaccard"] - all_in_one) <= NEAR_ONE
    return "starts as one big cluster" if near and first["ari"] < NOTHING_FOUND else ""


def steps_of(
    figure: Figure, curves: Curves, method: str, metric: str, origin: str = "paper"
) -> dict[str, dict[str, Step]]:
    """Return what each single step away from a recipe changes.

    Returns
    -------
    dict of str to dict of str to Step
        By recipe, the origin first, then by title of the plot; "mean" is that over all
        plots that both recipes have.
    """
    base = _by_panel(figure, curves, method, origin)
    found = {}
    for recipe in dict.fromkeys((origin, *figure.recipes)):
        here = _by_panel(figure, curves, method, recipe)
        shared = [panel for panel in here if panel in base]
        steps = {p.title: _step([here[p]], [base[p]], metric) for p in shared}
        if len(shared) > 1:
            whole = _step([here[p] for p in shared], [base[p] for p in shared], metric)
            steps["mean"] = whole
        if steps:
            found[recipe] = steps
    return found


def _by_panel(
    figure: Figure, curves: Curves, method: str, recipe: str
) -> dict[Panel, tuple[Outcome, ...]]:
    line = Line(method, recipe=recipe)
    return {p: curves[p, line] for p in figure.panels if (p, line) in curves}


def _step(
    here: Sequence[Sequence[Outcome]], base: Sequence[Sequence[Outcome]], metric: str
) -> Step:
    both = [
        ({r.trial.seed: r for r in left}, {r.trial.seed: r for r in right})
        for left, right in zip(here, base, strict=True)
    ]
    seeds = set.intersection(*(set(left) & set(right) for left, right in both))
    gaps = [
        float(np.mean([area(x[seed], metric) - area(y[seed], metric) for x, y in both]))
        for seed in sorted(seeds)
    ]
    return Step(over_plots(here, metric), interval_of(gaps))

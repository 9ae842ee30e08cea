"""What became of a claim, by the comparisons, plot by plot, on which it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TypeAlias

import numpy as np

from likewise.experiments._trials import Outcome, area, score_at
from likewise.experiments.paper._intervals import Interval, Shown, all_of, interval_of
from likewise.experiments.paper._outcomes import METRICS, curves_of, on_plot
from likewise.experiments.paper._plans import Figure, Panel

EARLY = 0.2  # of the budget: where a gap that grows is looked at first


class Finding(Enum):
    """What became of a claim."""

    HOLDS = "holds"
    IN_PART = "in part"
    FAILS = "does not hold"
    OPEN = "open"
    NOT_RUN = "not run"


class Source(Enum):
    """Whose claim it is."""

    PAPER = "the paper"
    BESIDE = "the paper, beside the sixteen"
    CONTROL = "not the paper's"
    OURS = "likewise"


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison.

    Attributes
    ----------
    where : str
        The plot.
    left, right : str
        What is compared with what.
    difference : Interval
        Left less right, repeat by repeat.
    shown : Shown
        Whether it came out as claimed.
    closest : str
        Where several are compared with at once, the one to which the difference is.
    """

    where: str
    left: str
    right: str
    difference: Interval
    shown: Shown
    closest: str = ""

    @property
    def name(self) -> str:
        """What is compared where."""
        return f"{self.where}: {self.left} against {self.right}"


@dataclass(frozen=True, slots=True)
class Found:
    """The cases that bear on a claim, on one recipe and by one metric.

    Attributes
    ----------
    cases : tuple of Case
    needed : float
        The share of the cases that must be a yes for the claim to hold.
    absent : tuple of str
        Methods that it speaks of and that were run nowhere; without them it cannot
        hold in full.
    """

    cases: tuple[Case, ...]
    needed: float = 1.0
    absent: tuple[str, ...] = ()

    def count(self, shown: Shown) -> int:
        """Return how many cases are a yes, a no, or open."""
        return sum(case.shown is shown for case in self.cases)

    @property
    def finding(self) -> Finding:
        """What stands whichever way the open cases fall; open if nothing does."""
        if not self.cases:
            return Finding.NOT_RUN
        yes, open_ = self.count(Shown.YES), self.count(Shown.OPEN)
        worst, best = self._grade(yes), self._grade(yes + open_)
        return worst if worst is best else Finding.OPEN

    @property
    def counts(self) -> str:
        """How many cases are a yes, a no and open, as "6 / 3 / 1"."""
        return " / ".join(str(self.count(shown)) for shown in Shown)

    def _grade(self, yes: int) -> Finding:
        share = yes / len(self.cases)
        if share >= self.needed and not self.absent:
            return Finding.HOLDS
        return Finding.IN_PART if share >= self.needed / 2 else Finding.FAILS


Runs: TypeAlias = Mapping[int, Outcome]
Evidence: TypeAlias = Mapping[Panel, Mapping[str, Runs]]
Measure: TypeAlias = Callable[[Outcome, str], float]
Contrast: TypeAlias = Callable[[Outcome, Outcome, str], float]
Test: TypeAlias = Callable[[Interval], Shown]


@dataclass(frozen=True)
class View:
    """What was run on one recipe, to be looked at through one metric.

    Attributes
    ----------
    recipe, metric : str
    figures : mapping of str to Evidence
        By name of the figure.
    """

    recipe: str
    metric: str
    figures: Mapping[str, Evidence]

    def of(self, *names: str) -> Evidence:
        """Return the runs behind some figures; a plot of several counts once."""
        merged: dict[Panel, dict[str, Runs]] = {}
        for name in names:
            for panel, runs in self.figures.get(name, {}).items():
                merged[panel] = {**runs, **merged.get(panel, {})}
        return merged


Compare: TypeAlias = Callable[[View], tuple[Case, ...]]


@dataclass(frozen=True)
class Claim:
    """A claim, and how it is put to the test.

    Attributes
    ----------
    title : str
    said : str
        What is claimed, in our words.
    reading : str
        What is compared here, and when a case counts as kept.
    compare : callable
        ``compare(view)`` returns the cases.
    figures : tuple of str
        Those on which it stands.
    methods : tuple of str
        Those it speaks of.
    needed : float
        The share of the cases that must be a yes.
    source : Source
    """

    title: str
    said: str
    reading: str
    compare: Compare
    figures: tuple[str, ...]
    methods: tuple[str, ...] = ()
    needed: float = 1.0
    source: Source = Source.PAPER

    def found(self, view: View) -> Found:
        """Return what a view says of it."""
        ran = {name for runs in view.of(*self.figures).values() for name in runs}
        absent = tuple(method for method in self.methods if method not in ran)
        return Found(self.compare(view), self.needed, absent)


@dataclass(frozen=True)
class Judged:
    """A claim with what was found of it.

    Attributes
    ----------
    claim : Claim
    found : mapping of (str, str) to Found
        By recipe and metric.
    """

    claim: Claim
    found: Mapping[tuple[str, str], Found]

    @property
    def was_run(self) -> bool:
        """Whether anything bears on it."""
        return any(found.cases for found in self.found.values())


def views_of(
    figures: Iterable[Figure], outcomes: Iterable[Outcome], recipes: Sequence[str]
) -> list[View]:
    """Return the runs on each recipe, through each metric."""
    plans, runs = list(figures), list(outcomes)
    found = {
        recipe: {plan.name: evidence_of(plan, runs, recipe) for plan in plans}
        for recipe in recipes
    }
    return [View(r, metric, found[r]) for r in recipes for metric in METRICS]


def evidence_of(figure: Figure, outcomes: Iterable[Outcome], recipe: str) -> Evidence:
    """Return the runs behind a figure on a recipe, by plot, by line and by repeat."""
    if recipe not in figure.recipes:
        return {}
    curves = curves_of(figure, outcomes)
    return {
        panel: {
            line.title: {run.trial.seed: run for run in runs}
            for line, runs in on_plot(figure, curves, panel, recipe).items()
        }
        for panel in figure.panels
    }


def only(evidence: Evidence, sets: Iterable[str]) -> Evidence:
    """Return the runs on some data sets, in whatever features they come.

    Examples
    --------
    >>> leaves = {Panel("leaf", 1): {}, Panel("leaf-shape", 1): {}}
    >>> len(only(leaves, ["leaf"]))
    2
    """
    wanted = set(sets)
    return {p: r for p, r in evidence.items() if p.data.split("-")[0] in wanted}


def start(outcome: Outcome, metric: str) -> float:
    """Return the score before any question."""
    return outcome.scores[metric][0]


def end(outcome: Outcome, metric: str) -> float:
    """Return the score at the end of the budget."""
    return outcome.scores[metric][-1]


def early(outcome: Outcome, metric: str) -> float:
    """Return the score after the first part of the budget."""
    return score_at(outcome, EARLY * outcome.trial.budget, metric)


def gain(outcome: Outcome, metric: str) -> float:
    """Return by how much all questions raised the score."""
    return end(outcome, metric) - start(outcome, metric)


def less(measure: Measure) -> Contrast:
    """Return the difference of a measure between two runs."""
    return partial(_difference, measure)


def _difference(measure: Measure, left: Outcome, right: Outcome, metric: str) -> float:
    return measure(left, metric) - measure(right, metric)


def growth(left: Outcome, right: Outcome, metric: str) -> float:
    """Return by how much the gap at the end is larger than the early one."""
    late = _difference(end, left, right, metric)
    return late - _difference(early, left, right, metric)


def beyond_twice(left: Outcome, right: Outcome, metric: str) -> float:
    """Return what left gained beyond twice what right did; a loss counts as nothing."""
    return gain(left, metric) - 2 * max(gain(right, metric), 0.0)


def more_than(threshold: float) -> Test:
    """Return the test whether a difference is more than a threshold."""
    return lambda interval: interval.above(threshold)


def inside(bound: float) -> Test:
    """Return the test whether a difference lies between minus and plus a bound."""
    return lambda interval: interval.within(bound)


def paired(left: Runs, right: Runs, contrast: Contrast, metric: str) -> Interval | None:
    """Return a contrast over the repeats that both have, if there are any."""
    shared = sorted(left.keys() & right.keys())
    values = [contrast(left[seed], right[seed], metric) for seed in shared]
    return interval_of(values) if values else None


def each(
    evidence: Evidence,
    pairs: Iterable[tuple[str, str]],
    metric: str,
    test: Test,
    contrast: Contrast,
) -> tuple[Case, ...]:
    """Compare pairs of methods on each plot on which both were run."""
    wanted = list(pairs)
    cases = []
    for panel, runs in evidence.items():
        for left, right in wanted:
            found = paired(runs.get(left, {}), runs.get(right, {}), contrast, metric)
            if found is not None:
                cases.append(Case(panel.title, left, right, found, test(found)))
    return tuple(cases)


def all_at_once(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Return one case for each method on each plot: against all of the others there.

    It is a yes where every comparison is, and a no where one is; the difference is that
    to the one that comes closest.
    """
    grouped: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        grouped.setdefault((case.where, case.left), []).append(case)
    return tuple(map(_at_once, grouped.values()))


def _at_once(group: Sequence[Case]) -> Case:
    nearest = min(group, key=lambda case: case.difference.mean)
    shown = all_of(case.shown for case in group)
    return replace(nearest, right="all others", shown=shown, closest=nearest.right)


def overall(
    evidence: Evidence, pairs: Iterable[tuple[str, str]], metric: str, test: Test
) -> tuple[Case, ...]:
    """Compare mean areas of pairs of methods over the plots that they share.

    The difference of a repeat is its mean over those plots; the repeats are those that
    all of them have.
    """
    cases = []
    for left, right in pairs:
        shared = [r for r in evidence.values() if r.get(left) and r.get(right)]
        seeds = [runs[left].keys() & runs[right].keys() for runs in shared]
        common = sorted(set.intersection(*map(set, seeds))) if seeds else []
        if common:
            means = [_mean_gap(shared, left, right, seed, metric) for seed in common]
            where = f"mean over {len(shared)} plots" if shared[1:] else "one plot"
            found = interval_of(means)
            cases.append(Case(where, left, right, found, test(found)))
    return tuple(cases)


def _mean_gap(
    plots: Iterable[Mapping[str, Runs]], left: str, right: str, seed: int, metric: str
) -> float:
    gaps = (_difference(area, r[left][seed], r[right][seed], metric) for r in plots)
    return float(np.mean(list(gaps)))


def changes(
    evidence: Evidence, method: str, metric: str, test: Test
) -> tuple[Case, ...]:
    """Look at how much lower a method ends than it began."""
    cases = []
    for panel, runs in evidence.items():
        if runs.get(method):
            found = interval_of(-gain(run, metric) for run in runs[method].values())
            names = (f"{method} at the start", "at the end")
            cases.append(Case(panel.title, *names, found, test(found)))
    return tuple(cases)


def without_and_with_noise(
    clean: Evidence, noisy: Evidence, methods: Iterable[str], metric: str, test: Test
) -> tuple[Case, ...]:
    """Compare methods where all answers are true with themselves where some are not."""
    wanted = tuple(methods)
    cases = []
    for panel, runs in noisy.items():
        others = clean.get(replace(panel, noise=0.0), {})
        for method in wanted:
            before, after = others.get(method, {}), runs.get(method, {})
            found = paired(before, after, less(area), metric)
            if found is not None:
                names = (f"{method}, all answers true", "as here")
                cases.append(Case(panel.title, *names, found, test(found)))
    return tuple(cases)

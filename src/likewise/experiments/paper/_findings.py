"""What became of a claim, by the comparisons, plot by plot, on which it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

import numpy as np

from likewise.experiments._trials import Outcome, area, score_at
from likewise.experiments.paper._outcomes import curves_of, mean_of, on_plot
from likewise.experiments.paper._plans import Figure, Panel


class Finding(Enum):
    """What became of a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison.

    Attributes
    ----------
    where : str
        The plot.
    left, right : str
        What is compared with what.
    left_value, right_value : float
    holds : bool
        Whether it came out as claimed.
    """

    where: str
    left: str
    left_value: float
    right: str
    right_value: float
    holds: bool

    def __str__(self) -> str:
        return (
            f"{self.where} ({self.left} {self.left_value:.3f}, "
            f"{self.right} {self.right_value:.3f})"
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and the cases that bear on it.

    Attributes
    ----------
    title : str
    said : str
        What is claimed, in our words.
    reading : str
        What was compared here, and when a case counts as kept.
    cases : tuple of Case
    needed : float
        The share of the cases that must be kept for the claim to hold.
    ours : bool
        Whether it is this project's claim and not the paper's.
    absent : tuple of str
        Methods that it speaks of and that were run nowhere; without them it cannot
        hold in full.
    """

    title: str
    said: str
    reading: str
    cases: tuple[Case, ...]
    needed: float = 1.0
    ours: bool = False
    absent: tuple[str, ...] = ()

    @property
    def kept(self) -> int:
        """In how many cases it came out as claimed."""
        return sum(case.holds for case in self.cases)

    @property
    def finding(self) -> Finding:
        """The needed share kept: holds; at least half of it: in part; less: not."""
        if not self.cases:
            return Finding.NOT_RUN
        share = self.kept / len(self.cases)
        if share >= self.needed and not self.absent:
            return Finding.HOLDS
        return Finding.IN_PART if share >= self.needed / 2 else Finding.FAILS

    @property
    def measured(self) -> str:
        """What was found, in words; the exceptions with their numbers."""
        if not self.cases:
            return "Nothing that bears on it was run."
        exceptions = [str(case) for case in self.cases if not case.holds]
        found = f"{self.kept} of {len(self.cases)} cases."
        if exceptions:
            found += f" Not so: {'; '.join(exceptions)}."
        return found + (f" Not run: {', '.join(self.absent)}." if self.absent else "")


PAR = 0.01  # areas that differ by no more are on par
SIMILAR = 0.05  # and by no more than this they are similar
EARLY = 0.2  # of the budget: where a gap that grows is looked at first

Evidence: TypeAlias = Mapping[Panel, Mapping[str, tuple[Outcome, ...]]]
Measure: TypeAlias = Callable[[Outcome], float]
Test: TypeAlias = Callable[[float, float], bool]


def above(left: float, right: float) -> bool:
    """Tell whether left is higher by more than what is on par."""
    return left - right > PAR


def higher(left: float, right: float) -> bool:
    """Tell whether left is higher at all."""
    return left > right


def lower(left: float, right: float) -> bool:
    """Tell whether left is lower at all."""
    return left < right


def less_than_half(left: float, right: float) -> bool:
    """Tell whether left is less than half of what right gained, if that gained."""
    return 2 * left < right and right > 0


def not_below(by: float, left: float, right: float) -> bool:
    """Tell whether left is higher, or lower by no more than something."""
    return right - left <= by


def below(by: float, left: float, right: float) -> bool:
    """Tell whether left is lower by more than something."""
    return right - left > by


def similar(left: float, right: float) -> bool:
    """Tell whether the two differ by little."""
    return abs(left - right) <= SIMILAR


def evidence_of(
    figure: Figure | None, outcomes: Iterable[Outcome], recipe: str = "ours"
) -> Evidence:
    """Return the runs behind a figure on a recipe, by plot and by title of line.

    A figure that is not there has none.
    """
    if figure is None:
        return {}
    curves = curves_of(figure, outcomes)
    return {
        panel: {
            line.title: runs
            for line, runs in on_plot(figure, curves, panel, recipe).items()
        }
        for panel in figure.panels
    }


def joined(first: Evidence, second: Evidence) -> Evidence:
    """Return the runs of both; a plot that both have counts once."""
    panels = dict.fromkeys((*first, *second))
    return {p: {**second.get(p, {}), **first.get(p, {})} for p in panels}


def only(evidence: Evidence, sets: Iterable[str]) -> Evidence:
    """Return the runs on some data sets."""
    wanted = set(sets)
    return {panel: runs for panel, runs in evidence.items() if panel.data in wanted}


def absent(evidence: Evidence, methods: Iterable[str]) -> tuple[str, ...]:
    """Return those of some methods that were run on no plot."""
    ran = {name for runs in evidence.values() for name in runs}
    return tuple(method for method in methods if method not in ran)


def start(outcome: Outcome) -> float:
    """Return Jaccard before any question."""
    return outcome.scores["jaccard"][0]


def end(outcome: Outcome) -> float:
    """Return Jaccard at the end of the budget."""
    return outcome.scores["jaccard"][-1]


def gain(outcome: Outcome) -> float:
    """Return by how much all questions raised Jaccard."""
    return end(outcome) - start(outcome)


def early(outcome: Outcome) -> float:
    """Return Jaccard after the first part of the budget."""
    return score_at(outcome, EARLY * outcome.trial.budget)


def by_plot(
    evidence: Evidence,
    left: Sequence[str],
    right: Sequence[str],
    keeps: Test,
    measure: Measure = area,
) -> tuple[Case, ...]:
    """Compare the best of some methods with the best of others on each plot.

    Plots on which none of the one or none of the other was run are no cases.
    """
    cases = []
    for panel, runs in evidence.items():
        ours, theirs = _best(runs, left, measure), _best(runs, right, measure)
        if ours and theirs:
            cases.append(_case(panel.title, ours, theirs, keeps))
    return tuple(cases)


def overall(
    evidence: Evidence, left: Sequence[str], rivals: Sequence[str], keeps: Test
) -> tuple[Case, ...]:
    """Compare mean areas: the best of some methods with each rival.

    The means are over the plots on which the rival and all of the methods were run.
    """
    cases = []
    for rival in rivals:
        shared = [r for r in evidence.values() if all(m in r for m in (*left, rival))]
        if not shared:
            continue
        means = {
            name: float(np.mean([mean_of(runs[name], area) for runs in shared]))
            for name in (*left, rival)
        }
        best = max(left, key=means.__getitem__)
        where = f"mean over {len(shared)} plots" if shared[1:] else "one plot"
        theirs = (rival, means[rival])
        cases.append(_case(where, (best, means[best]), theirs, keeps))
    return tuple(cases)


def growing(
    evidence: Evidence, left: Sequence[str], right: Sequence[str]
) -> tuple[Case, ...]:
    """Compare the gap between the best of each at the end with that early on."""
    late = by_plot(evidence, left, right, above, end)
    soon = by_plot(evidence, left, right, above, early)
    return tuple(
        _case(b.where, ("gap at the end", _gap(b)), ("gap early on", _gap(a)), higher)
        for a, b in zip(soon, late, strict=True)
    )


def changes(evidence: Evidence, method: str, keeps: Test) -> tuple[Case, ...]:
    """Compare a method at the end of the budget with itself before any question."""
    return tuple(
        _case(
            panel.title,
            (f"{method} at the end", mean_of(runs[method], end)),
            ("at the start", mean_of(runs[method], start)),
            keeps,
        )
        for panel, runs in evidence.items()
        if method in runs
    )


def with_and_without_noise(
    noisy: Evidence, clean: Evidence, methods: Sequence[str], keeps: Test
) -> tuple[Case, ...]:
    """Compare methods where answers are wrong at times with themselves otherwise."""
    cases = []
    for panel, runs in noisy.items():
        others = clean.get(replace(panel, noise=0.0), {})
        for method in (m for m in methods if m in runs and m in others):
            left = (f"{method} with noise", mean_of(runs[method], area))
            right = ("without", mean_of(others[method], area))
            cases.append(_case(panel.title, left, right, keeps))
    return tuple(cases)


def _best(
    runs: Mapping[str, tuple[Outcome, ...]], methods: Sequence[str], measure: Measure
) -> tuple[str, float] | None:
    values = {name: mean_of(runs[name], measure) for name in methods if name in runs}
    best = max(values, key=values.__getitem__, default=None)
    return None if best is None else (best, values[best])


def _case(
    where: str, left: tuple[str, float], right: tuple[str, float], keeps: Test
) -> Case:
    return Case(where, *left, *right, keeps(left[1], right[1]))


def _gap(case: Case) -> float:
    return case.left_value - case.right_value

"""Outcomes made by hand."""

from __future__ import annotations

from collections.abc import Callable

from likewise.experiments._trials import Outcome, points_of
from likewise.experiments.paper import Figure
from likewise.experiments.paper._plans import Line, Panel


def outcome(
    figure: Figure,
    panel: Panel,
    line: Line,
    curve: Callable[[float], float],
    seed: int = 0,
) -> Outcome:
    """Return a trial whose scores are a function of the share of the budget."""
    points = tuple(points_of(panel.budget))
    values = tuple(curve(point / panel.budget) for point in points)
    scores = dict.fromkeys(("jaccard", "v_measure", "ari"), values)
    trial = figure.trial(panel, line, seed)
    return Outcome(trial, points, scores, 0.5 * panel.budget, panel.budget)


def flat(height: float) -> Callable[[float], float]:
    return lambda _: height


def rising(start: float, end: float) -> Callable[[float], float]:
    return lambda share: start + (end - start) * share

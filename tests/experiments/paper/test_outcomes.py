"""What outcomes amount to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.outcomes import flat, outcome, rising

from likewise.experiments._trials import Outcome, area, log_grid, score_at
from likewise.experiments.paper import Figure
from likewise.experiments.paper._outcomes import (
    curves_of,
    level_of,
    ranking_of,
    standing_of,
)
from likewise.experiments.paper._plans import Panel

WINE, SONAR = Panel("wine", 100), Panel("sonar", 60)
FIGURE = Figure("mine", "Mine", "", (WINE, SONAR), ("a", "b"))
A, B = FIGURE.lines


def a_run(end: float, seed: int = 0) -> Outcome:
    return outcome(FIGURE, WINE, A, rising(0, end), seed)


def test_an_area_is_the_mean_over_the_log_grid() -> None:
    expected = np.mean([point / 100 for point in log_grid(100)])

    assert area(a_run(1.0)) == pytest.approx(expected)


def test_a_score_is_that_of_the_last_point_before() -> None:
    assert score_at(a_run(1.0), 52) == score_at(a_run(1.0), 52.9) == 0.52


def test_a_run_that_misses_a_level_counts_as_its_budget() -> None:
    level = level_of([a_run(1.0), a_run(0.5, seed=1)], 0.8)

    assert level.questions == (80 + 100) / 2
    assert not level.by_all


def test_a_curve_has_the_runs_of_its_own_trial_only() -> None:
    stranger = a_run(1.0)
    noisy = replace(stranger, trial=replace(stranger.trial, noise=0.1))
    runs = [a_run(0.2), noisy, a_run(0.4, seed=3)]

    curves = curves_of(FIGURE, runs)

    assert curves == {(WINE, A): (runs[0], runs[2])}


def test_seconds_are_those_of_an_answered_question() -> None:
    ended = a_run(1.0)

    assert standing_of([ended]).seconds == 0.5
    assert standing_of([replace(ended, answered=50)]).seconds == 1.0


def test_methods_on_all_plots_are_ranked_before_those_on_some() -> None:
    runs = [
        outcome(FIGURE, WINE, A, flat(0.5)),
        outcome(FIGURE, WINE, B, flat(0.6)),
        outcome(FIGURE, SONAR, A, flat(0.6)),
    ]

    first, second = ranking_of(curves_of(FIGURE, runs))

    assert (first.line, first.plots, second.plots) == (A, 2, 1)
    assert first.mean == pytest.approx(0.55)
    assert second.mean == pytest.approx(0.6)

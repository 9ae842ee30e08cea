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
    flag_of,
    level_of,
    on_plot,
    ranking_of,
    standing_of,
    steps_of,
)
from likewise.experiments.paper._plans import Line, Panel

WINE, SONAR = Panel("wine", 100), Panel("sonar", 60)
FIGURE = Figure("mine", "Mine", "", (WINE, SONAR), ("a", "b"))
A, B = FIGURE.lines
SPECTRAL = Figure(
    "ours", "", "", (WINE, SONAR), ("urasc+n", "ffqs"), recipes=("paper", "ours")
)


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


def test_a_plot_has_its_recipe_and_the_methods_without_any() -> None:
    lines = [Line("urasc+n", recipe="paper"), Line("urasc+n"), Line("ffqs")]
    runs = [outcome(SPECTRAL, WINE, line, flat(0.5)) for line in lines]
    curves = curves_of(SPECTRAL, runs)

    assert list(on_plot(SPECTRAL, curves, WINE, "paper")) == [lines[0], lines[2]]
    assert list(on_plot(SPECTRAL, curves, WINE, "ours")) == [lines[1], lines[2]]


def test_seconds_are_those_of_an_answered_question() -> None:
    run = a_run(1.0)

    assert standing_of([run]).seconds == 0.5
    assert standing_of([replace(run, answered=40)]).seconds == 50 / 40


def test_an_area_comes_with_its_interval_by_each_metric() -> None:
    runs = [a_run(end, seed) for seed, end in enumerate((0.5, 0.7, 0.9))]

    standing = standing_of(runs)

    assert set(standing.areas) == {"jaccard", "ari"}
    assert standing.runs == 3
    assert standing.areas["ari"].is_known
    assert standing.ends["jaccard"].mean == pytest.approx(0.7)


def test_methods_on_all_plots_are_ranked_before_those_on_some() -> None:
    runs = [
        outcome(FIGURE, WINE, A, flat(0.5)),
        outcome(FIGURE, WINE, B, flat(0.6)),
        outcome(FIGURE, SONAR, A, flat(0.6)),
    ]

    first, second = ranking_of(FIGURE, curves_of(FIGURE, runs), "ours")

    assert (first.line, first.plots, second.plots) == (A, 2, 1)
    assert first.areas["jaccard"].mean == pytest.approx(0.55)
    assert second.areas["jaccard"].mean == pytest.approx(0.6)


def test_the_mean_over_plots_varies_as_its_repeats_do() -> None:
    runs = [
        outcome(FIGURE, panel, A, flat(0.5 + sign * seed / 10), seed)
        for panel, sign in ((WINE, 1), (SONAR, -1))
        for seed in range(4)
    ]

    [rank] = ranking_of(FIGURE, curves_of(FIGURE, runs), "ours")

    assert rank.areas["jaccard"].half == pytest.approx(0, abs=1e-9)  # they even out


def scored(jaccard: tuple[float, float], ari: float, method: str) -> Outcome:
    """Return a run that goes from one Jaccard to another, with one ARI."""
    run = outcome(SPECTRAL, WINE, Line(method), rising(*jaccard))
    return replace(run, scores={**run.scores, "ari": (ari,) * len(run.questions)})


@pytest.mark.parametrize(
    ("first", "last", "ari", "flag"),
    [
        (0.33, 0.9, 0.04, "starts as one big cluster"),
        (0.33, 0.9, 0.06, ""),
        (0.37, 0.9, 0.04, ""),
        (0.996, 1.0, 0.99, "starts at 1.00"),
        (0.02, 0.09, 0.0, "stays below 0.1"),
        (0.02, 0.11, 0.0, ""),
    ],
)
def test_a_plot_that_cannot_show_much_says_why(
    first: float, last: float, ari: float, flag: str
) -> None:
    runs = {
        Line("ffqs"): [scored((0.05, 0.06), 0.5, "ffqs")],
        Line("urasc+n"): [scored((first, last), ari, "urasc+n")],
    }

    assert flag_of(runs, 0.345) == flag
    assert flag_of({}, 0.345) == ""


def test_a_step_is_told_repeat_by_repeat() -> None:
    figure = replace(SPECTRAL, recipes=("paper", "graph"), kind="table")
    runs = [
        outcome(
            figure,
            panel,
            Line("urasc+n", recipe=recipe),
            flat(0.5 + seed / 10 + 0.02 * (recipe == "graph") * (panel == WINE)),
            seed,
        )
        for panel in figure.panels
        for recipe in figure.recipes
        for seed in range(3)
    ]

    steps = steps_of(figure, curves_of(figure, runs), "urasc+n", "ari")

    assert list(steps) == ["paper", "graph"]
    assert list(steps["graph"]) == ["wine", "sonar", "mean"]
    wine, mean = steps["graph"]["wine"], steps["graph"]["mean"]
    assert wine.difference.mean == pytest.approx(0.02)
    assert wine.difference.half == pytest.approx(0, abs=1e-9)
    assert wine.area.half > 0.1
    assert mean.difference.mean == pytest.approx(0.01)

"""What the runs of the benchmark on questions amount to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import runs as summary
from benchmarks.runs import Cell, Run
from hypothesis import given
from hypothesis import strategies as st

from likewise.experiments import Outcome, Trial, area, budget_of, questions_to
from likewise.experiments.paper import COLOURS, draw_panels
from likewise.experiments.runner import Curve

TRIAL = Trial("wine", "urasc+n", 0, budget=14)  # scored at 0, 10, 14
CELL = Cell("test", "full", TRIAL)

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)
budgets = st.integers(0, 3000)


def run_of(jaccard: list[float], cell: Cell = CELL) -> Run:
    """Return a run scored at 0, 10 and 14 questions (and 20, as the budget allows)."""
    points = tuple(summary.points_of(cell.trial.budget))
    halves = tuple(value / 2 for value in jaccard)
    scores = {"jaccard": tuple(jaccard), "v_measure": tuple(jaccard), "ari": halves}
    return Run(
        cell=cell,
        outcome=Outcome(cell.trial, points, scores, 2.0, 10),
        reached=[10, 14, None],
        expected=[0.5] * len(summary.marks_of(cell.trial.budget)),
        all_in_one=0.33,
        n_checks=1,
        curve=[0.5, 0.6, 0.4, jaccard[-1]],
    )


def cell_of(**changes: Any) -> Cell:
    return replace(CELL, trial=replace(TRIAL, **changes))


@pytest.mark.parametrize(
    ("n_samples", "n_classes", "expected"),
    [(150, 3, 200), (500, 3, 600), (500, 50, 1000), (990, 99, 1300)],
)
def test_a_budget_grows_with_samples_and_classes_up_to_a_cap(
    n_samples: int, n_classes: int, expected: int
) -> None:
    assert budget_of(n_samples, n_classes) == expected
    assert budget_of(n_samples, n_classes, cap=200) == 200


def test_points_are_the_log_grid_and_the_marks() -> None:
    expected = [0, 10, 14, 19, 20, 28, 39, 50, 55, 78, 100, 110, 156, 200]

    assert summary.points_of(200) == expected


@given(budgets)
def test_points_are_ordered_and_within_the_budget(budget: int) -> None:
    points = summary.points_of(budget)

    assert points == sorted(set(points))
    assert points[0] == 0
    assert points[-1] <= budget


@given(scores, budgets)
def test_after_its_end_a_run_keeps_its_last_value(
    values: list[float], budget: int
) -> None:
    longer = values + [values[-1]] * (budget + 1)
    points = summary.points_of(budget)

    assert summary.carried(values, points) == [longer[point] for point in points]


@given(scores, st.floats(0, 1))
def test_a_level_is_first_reached_where_nothing_before_was_as_high(
    values: list[float], level: float
) -> None:
    first = questions_to(level, values)

    assert all(value < level for value in values[:first])
    assert first is None or values[first] >= level


@given(scores)
def test_a_fall_is_measured_from_the_first_value(values: list[float]) -> None:
    assert summary.fall(values) == max(values[0] - value for value in values)
    assert summary.fall(sorted(values)) == 0


def test_an_area_is_the_mean_over_the_log_grid_without_the_marks() -> None:
    run = run_of([0.2, 0.4, 0.6, 0.8, 1.0], cell_of(budget=20))

    assert run.outcome.questions == (0, 10, 14, 19, 20)
    assert area(run.outcome) == pytest.approx((0.2 + 0.4 + 0.6 + 0.8) / 4)


def test_a_run_is_the_same_after_a_line_of_json() -> None:
    run = run_of([0.1, 0.2, 1 / 3])

    line = summary.as_line(run)

    assert "\n" not in line
    assert summary.of_line(line) == run


def test_a_row_holds_means_over_the_runs() -> None:
    whole = run_of([0.6, 0.2, 1.0])
    other = run_of([0.6, 0.8, 1.0])
    longer = replace(other.outcome, answered=30)
    part = replace(other, reached=[8, 10, 12], outcome=longer)

    [row] = summary.table_rows([whole, part])

    shown = dict(zip(summary.HEADER, row, strict=True))
    assert shown == {
        "data": "wine",
        "method": "urasc+n",
        "runs": "2",
        "area": "0.700",
        "of ARI": "0.350",
        "to 0.8": "9",
        "to 0.9": "12",
        "to 0.95": ">13",  # 14, the budget, and 12
        "below the start": "0.100",
        "below a level": "0.200",
        "checks": "0.050",
        "all in one": "0.330",
        "s/question": "0.1000",
    }


@given(scores)
def test_a_setback_is_measured_from_the_highest_before(values: list[float]) -> None:
    falls = [max(values[: at + 1]) - value for at, value in enumerate(values)]

    assert summary.setback(values) == max(falls)


def test_a_run_that_has_ended_keeps_its_last_value_in_the_mean() -> None:
    short, long = (replace(run_of([0.0] * 3), curve=c) for c in ([0.2, 1.0], [0.4] * 4))

    np.testing.assert_allclose(summary.mean_curve([short, long]), [0.3, 0.7, 0.7, 0.7])


def test_each_data_set_counts_once_in_a_mean_area() -> None:
    runs = [
        run_of([0.4] * 3),
        run_of([0.6] * 3, replace(CELL, subset="0")),
        run_of([1.0] * 3, cell_of(data="iris")),
        run_of([0.9] * 3, cell_of(method="random")),
    ]

    rows = summary.area_rows(runs)

    assert rows == [
        ["random", "0.900", "0.450", "1"],
        ["urasc+n", "0.750", "0.375", "2"],
    ]


def test_the_best_methods_keep_the_order_they_came_in() -> None:
    means = {"a": 0.5, "b": 0.1, "c": 0.9}
    runs = [run_of([mean] * 3, cell_of(method=name)) for name, mean in means.items()]

    assert summary.best_methods(runs, 2) == ["a", "c"]


def test_calibration_compares_predicted_with_true_at_each_mark() -> None:
    longer = cell_of(budget=20)
    runs = [
        replace(run_of([0.6, 0, 0]), expected=[0.5]),
        replace(run_of([0.8, 0, 0, 0, 1.0], longer), expected=[1.0, 0.7]),
    ]

    [row] = summary.calibration_rows(runs)

    assert row[:3] == ["urasc+n", "0.75 / 0.70 (0.15)", "0.70 / 1.00 (0.30)"]
    assert set(row[3:]) == {"–"}


def test_groups_keep_every_run_in_its_order() -> None:
    methods = ["b", "a", "b"]
    runs = [run_of([0.1] * 3, cell_of(method=name)) for name in methods]

    groups = summary.by_method(runs)

    assert list(groups) == ["b", "a"]
    assert groups["b"] == (runs[0], runs[2])


def test_a_table_has_as_many_cells_in_each_line() -> None:
    lines = summary.markdown(summary.HEADER, [["x"] * len(summary.HEADER)]).split("\n")

    assert np.ptp([line.count("|") for line in lines]) == 0


@pytest.mark.parametrize("n_sets", [1, 5])
def test_panels_are_drawn_of_as_many_methods_as_there_are_colours(
    tmp_path: Path, n_sets: int
) -> None:
    methods = [f"method-{number}" for number in range(len(COLOURS) + 1)]
    curves = [Curve(0, [0, 10, 14], {"jaccard": [0.2, 0.5, value]}) for value in (1, 0)]
    panels = {
        f"set-{number}": dict.fromkeys(methods[number:], curves)
        for number in range(n_sets)
    }
    path = tmp_path / "panels.svg"

    draw_panels(panels, "A title", path)

    picture = path.read_text(encoding="utf-8")
    assert all(f"<!-- {shown} -->" in picture for shown in (*methods[:-1], *panels))
    assert methods[-1] not in picture

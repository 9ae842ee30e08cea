"""Simulated sessions and the curves drawn of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from likewise import LabelOracle, Session, jaccard, run
from likewise.datasets import load
from likewise.experiments.paper._figures import draw_curves, mean_and_band
from likewise.experiments.runner import Curve, Plan, simulate


def test_a_curve_holds_the_scores_of_the_session_after_each_answer() -> None:
    iris = load("iris")
    plan = Plan(iris.X, iris.y, "urasc+n", 15, 3)

    curve = simulate(plan, seed=1)

    session = Session(iris.X, "urasc+n", 3, random_state=1)
    expected = [jaccard(iris.y, session.labels)]
    oracle = LabelOracle(iris.y, seed=1)
    expected += [jaccard(iris.y, view.labels) for view in run(session, oracle, 15)]
    assert curve.questions == list(range(16))
    np.testing.assert_allclose(curve.scores["jaccard"], expected)


def test_a_run_that_ends_early_keeps_its_last_score() -> None:
    short = Curve(0, [0, 1], {"jaccard": [0.0, 1.0]})
    long = Curve(1, [0, 1, 2], {"jaccard": [0.0, 0.0, 0.0]})

    grid, mean, half = mean_and_band([short, long], "jaccard")

    assert grid.tolist() == [0, 1, 2]
    assert mean.tolist() == [0, 0.5, 0.5]
    assert half.tolist() == [0, 0, 0]  # of two nothing is said


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_curves_are_drawn_into_a_file(tmp_path: Path, suffix: str) -> None:
    curve = Curve(0, [0, 1], {"jaccard": [0.2, 1.0]})
    path = tmp_path / f"curve{suffix}"

    draw_curves({"urasc+n": [curve]}, "A title", path)

    assert path.stat().st_size > 1000

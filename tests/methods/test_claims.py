"""What the project claims of itself, measured; slow."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from likewise import METHODS
from likewise.datasets import load
from likewise.experiments.runner import Plan, simulate

pytestmark = pytest.mark.slow

SHARED = Path(
    os.environ.get("LIKEWISE_DATA", Path(__file__).parents[2] / "shared/data")
)


def _mean_jaccard(name: str, method: str, budget: int, seeds: int) -> np.ndarray:
    dataset = load(name)
    plan = Plan(dataset.X, dataset.y, method, budget, dataset.n_classes)
    curves = [simulate(plan, seed).scores["jaccard"] for seed in range(seeds)]
    return np.mean(curves, axis=0)


def test_urasc_sorts_wine_in_60_questions_and_chance_does_not() -> None:
    assert _mean_jaccard("wine", "urasc+n", 100, seeds=5)[60] >= 0.97
    assert _mean_jaccard("wine", "random", 100, seeds=5)[60] < 0.95


def test_urasc_sorts_digits_in_400_questions_and_answers_do_not_hurt() -> None:
    curve = _mean_jaccard("digits", "urasc+n", 400, seeds=3)

    assert curve[400] >= 0.93
    assert curve.min() >= curve[0] - 0.05


@pytest.mark.filterwarnings("ignore::likewise.errors.AssumptionWarning")
@pytest.mark.parametrize("known_k", [True, False], ids=["known k", "unknown k"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["wine", "sonar", "face-2"])
def test_every_method_runs_with_wrong_answers(
    name: str, method: str, known_k: bool
) -> None:
    if name != "wine" and not SHARED.exists():
        pytest.skip("there is no data folder")
    dataset = load(name, SHARED)
    if dataset.n_classes > (METHODS[method].most_clusters or dataset.n_classes):
        pytest.skip("the method is for fewer classes")
    n_clusters = dataset.n_classes if known_k else None
    plan = Plan(
        dataset.X, dataset.y, method, 120, n_clusters, error_rate=0.02, unsure_rate=0.02
    )

    curve = simulate(plan, seed=0)

    assert curve.questions[-1] == 120

"""Two runs of the evaluation, compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.reproduced import compared, table

from likewise.datasets import DATASETS
from likewise.experiments import Outcome, Trial
from likewise.experiments._trials import Job, method_of
from likewise.experiments.paper import Results
from likewise.methods import METHODS

HEIGHTS = (0.4, 0.5, 0.6)
KEPT = Path(__file__).parents[2] / "docs" / "evaluation" / "results.csv.gz"


def run_of(heights: tuple[float, ...], method: str = "a") -> dict[Trial, Outcome]:
    return {
        trial: Outcome(
            trial, (0, 1), {"jaccard": (height, 0.9), "ari": (0.0, 0.0)}, 1.0, 1
        )
        for seed, height in enumerate(heights)
        for trial in [Trial("wine", method, seed, 1)]
    }


def test_the_same_run_is_the_same_in_every_trial() -> None:
    found = compared(run_of(HEIGHTS), run_of(HEIGHTS))

    assert [one.metric for one in found] == ["jaccard", "ari"]
    assert all(one.is_within and one.n_same == one.n == 3 for one in found)
    assert all(one.largest == 0 for one in found)


@pytest.mark.parametrize(("last", "is_within"), [(0.65, True), (1.5, False)])
def test_a_mean_within_the_first_interval_comes_back(
    last: float, is_within: bool
) -> None:
    jaccard, ari = compared(run_of(HEIGHTS), run_of((0.4, 0.5, last)))

    assert jaccard.is_within == is_within
    assert jaccard.n_same == 2
    assert jaccard.largest == pytest.approx((last - 0.6) / 3)
    assert ari.is_within


def test_where_the_first_run_does_not_vary_rounding_alone_is_allowed() -> None:
    same, other = (run_of((h,) * 3) for h in (0.5, 0.501))

    assert not compared(same, other)[0].is_within


def test_curves_and_repeats_of_one_run_alone_do_not_count() -> None:
    first = {**run_of(HEIGHTS), **run_of(HEIGHTS, "b")}
    second = {t: o for t, o in run_of(HEIGHTS).items() if t.seed < 2}

    found = compared(first, second)

    assert {(one.trial.method, one.n) for one in found} == {("a", 2)}


def test_the_table_has_a_line_for_each_set_and_recipe() -> None:
    first = run_of(HEIGHTS)
    paper = {
        replace(t, recipe="paper"): replace(o, trial=replace(t, recipe="paper"))
        for t, o in first.items()
    }
    both = {**first, **paper}

    *_, ours, theirs = table(compared(both, both))

    assert ours == "| wine | ours | 2 | 2 | 0.0000 | 100% |"
    assert theirs.startswith("| wine | paper |")


@pytest.mark.parametrize("recipe", ["paper", "ours"])
def test_wine_shows_again_what_is_kept(recipe: str) -> None:
    first = Results(KEPT).read()
    again = {}
    for name in ("urasc+n", "urasc-go", "lot", "random", "likewise"):
        trial = next(
            t
            for t in first
            if (t.data, t.method, t.seed) == ("wine", name, 0)
            and (
                t.recipe in (recipe, "ours")
                if name == "likewise"
                else t.recipe == recipe
            )
            and (t.k, t.noise, t.opening) == ("known", 0.0, "none")
        )
        method = method_of(trial, METHODS[name])
        outcome = Job(trial, method, DATASETS.find("wine").load, None)()
        assert isinstance(outcome, Outcome), outcome
        again[trial] = outcome

    found = compared(first, again)

    assert len(found) == 2 * len(again)
    assert [one.name for one in found if not one.is_within] == []

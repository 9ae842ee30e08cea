"""Variants are judged on kinds of data that they were not chosen on."""

from __future__ import annotations

from benchmarks.leave_out import chosen, fold_rows, left_out
from benchmarks.sets import FOLDS, SETS, SUITE, WEAK, fold_of

from likewise.datasets import DATASETS

LEVEL = dict.fromkeys(SETS, (0.5, 0.5))


def raised(by: float, *names: str) -> dict[str, tuple[float, float]]:
    return {
        name: (0.5 + by * (name in names), 0.5 + by * (name in names)) for name in SETS
    }


def test_every_set_is_in_one_fold() -> None:
    assert len(SETS) == len(set(SETS)) == 28 + len(WEAK)
    assert set(SETS) <= set(DATASETS) | set(SUITE)
    assert all(name in FOLDS[fold_of(name)] for name in SETS)


def test_a_fold_has_no_say_in_what_is_judged_on_it() -> None:
    variants = {"before": LEVEL, "tuned": raised(0.1, *FOLDS["pictures"])}

    found = left_out(variants, "before")

    assert found["pictures"] == ("before", FOLDS["pictures"])
    assert {tag for fold, (tag, _) in found.items() if fold != "pictures"} == {"tuned"}
    assert fold_rows(variants, "before")[-1][2:6] == ["0.500"] * 4


def test_a_variant_that_costs_one_set_much_is_not_taken() -> None:
    better = raised(0.1, *SETS)

    assert chosen({"before": LEVEL, "new": better}, "before", SETS) == "new"
    harmed = {**better, "wine": (0.47, 0.47)}
    assert chosen({"before": LEVEL, "new": harmed}, "before", SETS) == "before"
    # By one measure only: the other says that nothing is lost.
    harmed = {**better, "wine": (0.47, 0.5)}
    assert chosen({"before": LEVEL, "new": harmed}, "before", SETS) == "new"

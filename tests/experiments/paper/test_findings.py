"""Comparisons repeat by repeat, and what they make of a claim."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.outcomes import flat, outcome, rising

from likewise.experiments._trials import Outcome, area
from likewise.experiments.paper import Figure
from likewise.experiments.paper._findings import (
    Case,
    Evidence,
    Finding,
    Found,
    all_at_once,
    beyond_twice,
    changes,
    each,
    evidence_of,
    growth,
    inside,
    less,
    more_than,
    only,
    overall,
    paired,
    without_and_with_noise,
)
from likewise.experiments.paper._intervals import Shown, interval_of
from likewise.experiments.paper._plans import Line, Panel

WINE, SONAR = Panel("wine", 100), Panel("sonar", 60)
FIGURE = Figure(
    "f", "", "", (WINE, SONAR), ("urasc+n", "ffqs"), recipes=("paper", "ours")
)
N, F = Line("urasc+n", recipe="paper"), Line("ffqs")
LUCK = (0.0, 0.2, 0.35, 0.1, 0.3)  # what a repeat adds to all methods
SPARE = (0.01, 0.02, 0.01, 0.02, 0.015)  # what a method has beyond another


def runs(
    line: Line, heights: Mapping[int, float], panel: Panel = WINE
) -> dict[int, Outcome]:
    return {
        seed: outcome(FIGURE, panel, line, flat(height), seed)
        for seed, height in heights.items()
    }


def test_a_difference_is_taken_repeat_by_repeat() -> None:
    left = runs(N, {i: 0.3 + luck + SPARE[i] for i, luck in enumerate(LUCK)})
    right = runs(F, {i: 0.3 + luck for i, luck in enumerate(LUCK)})

    found = paired(left, right, less(area), "jaccard")

    assert found is not None
    assert found.mean == pytest.approx(np.mean(SPARE))
    assert found.above() is Shown.YES  # the luck of the repeats is far larger


def test_only_repeats_that_both_have_are_compared() -> None:
    left = runs(N, {0: 0.5, 1: 0.6, 2: 0.7, 7: 0.0})
    right = runs(F, {9: 1.0, 2: 0.6, 1: 0.5, 0: 0.4})

    found = paired(left, right, less(area), "jaccard")

    assert found is not None
    assert found.n == 3
    assert found.mean == pytest.approx(0.1)
    assert paired(left, {}, less(area), "jaccard") is None


def test_a_gap_that_grows_is_that_at_the_end_less_the_early_one() -> None:
    left = outcome(FIGURE, WINE, N, rising(0.2, 0.8))
    right = outcome(FIGURE, WINE, F, flat(0.2))

    assert growth(left, right, "jaccard") == pytest.approx(0.6 - 0.6 * 0.2)


@pytest.mark.parametrize(
    ("mine", "theirs", "beyond"),
    [(0.5, 0.1, 0.3), (0.5, -0.4, 0.5), (-0.2, -0.4, -0.2)],
)
def test_what_is_gained_beyond_twice(mine: float, theirs: float, beyond: float) -> None:
    left = outcome(FIGURE, WINE, N, rising(0.4, 0.4 + mine))
    right = outcome(FIGURE, WINE, F, rising(0.4, 0.4 + theirs))

    assert beyond_twice(left, right, "ari") == pytest.approx(beyond)


EVIDENCE: Evidence = {
    WINE: {
        "a": runs(N, dict(enumerate((0.5, 0.6, 0.7)))),
        "b": runs(F, dict(enumerate((0.4, 0.5, 0.6)))),
        "c": runs(F, dict(enumerate((0.45, 0.65, 0.7)))),
    },
    SONAR: {
        "a": runs(N, dict(enumerate((0.5, 0.6, 0.7))), SONAR),
        "b": runs(F, dict(enumerate((0.9, 0.9, 1.0))), SONAR),
    },
}


def test_each_pair_is_a_case_where_both_were_run() -> None:
    cases = each(EVIDENCE, product("a", "bc"), "jaccard", more_than(0.0), less(area))

    assert [(case.where, case.right, case.shown) for case in cases] == [
        ("wine", "b", Shown.YES),
        ("wine", "c", Shown.OPEN),
        ("sonar", "b", Shown.NO),
    ]


def test_against_all_the_closest_counts() -> None:
    cases = each(EVIDENCE, product("a", "bc"), "jaccard", more_than(0.0), less(area))

    wine, sonar = all_at_once(cases)

    assert (wine.shown, wine.closest) == (Shown.OPEN, "c")
    assert (sonar.shown, sonar.closest) == (Shown.NO, "b")


def test_overall_a_repeat_is_its_mean_over_the_plots() -> None:
    b, c = overall(EVIDENCE, product("a", "bc"), "jaccard", more_than(0.0))

    assert b.where == "mean over 2 plots"
    assert c.where == "one plot"
    by_hand = [(0.1 + 0.5 - 0.9) / 2, (0.1 + 0.6 - 0.9) / 2, (0.1 + 0.7 - 1.0) / 2]
    assert b.difference.mean == pytest.approx(np.mean(by_hand))
    assert b.difference.half == pytest.approx(interval_of(by_hand).half)


def test_a_loss_is_what_was_there_before_any_question() -> None:
    fallen = {s: outcome(FIGURE, WINE, N, rising(0.5, 0.4), s) for s in range(3)}

    [case] = changes({WINE: {"random": fallen}}, "random", "ari", more_than(0.0))

    assert case.difference.mean == pytest.approx(0.1)
    assert case.shown is Shown.YES


def test_wrong_answers_are_compared_with_true_ones_of_the_same_set() -> None:
    noisy = Panel("wine", 100, noise=0.02)
    clean = {WINE: {"a": runs(N, dict.fromkeys(range(3), 0.6))}}
    wrong = {noisy: {"a": runs(N, dict.fromkeys(range(3), 0.5))}}

    [case] = without_and_with_noise(clean, wrong, "ab", "jaccard", more_than(0.0))

    assert case.difference.mean == pytest.approx(0.1)


def test_evidence_is_that_of_a_recipe_and_of_methods_without_any() -> None:
    found = [
        *runs(N, {0: 0.5}).values(),
        *runs(Line("urasc+n"), {0: 0.9}).values(),
        *runs(F, {0: 0.4}).values(),
    ]

    paper, ours = (evidence_of(FIGURE, found, r)[WINE] for r in ("paper", "ours"))

    assert area(paper["urasc+n"][0]) == pytest.approx(0.5)
    assert area(ours["urasc+n"][0]) == pytest.approx(0.9)
    assert paper["ffqs"] == ours["ffqs"]
    assert evidence_of(FIGURE, found, "graph") == {}


def test_a_set_is_named_whatever_its_features() -> None:
    evidence: Evidence = {Panel(n, 1): {} for n in ("dog", "dog-mid", "wine")}

    assert [panel.data for panel in only(evidence, ["dog"])] == ["dog", "dog-mid"]


def found_of(shown: list[Shown], needed: float, absent: tuple[str, ...] = ()) -> Found:
    zero = interval_of([0.0, 0.0, 0.0])
    cases = tuple(Case(str(i), "a", "b", zero, s) for i, s in enumerate(shown))
    return Found(cases, needed, absent)


def by_definition(kept: list[Shown], needed: float, is_whole: bool) -> Finding:
    share = kept.count(Shown.YES) / len(kept)
    if share >= needed and is_whole:
        return Finding.HOLDS
    return Finding.IN_PART if share >= needed / 2 else Finding.FAILS


@given(
    st.lists(st.sampled_from(Shown), min_size=1, max_size=7),
    st.sampled_from([0.51, 1.0]),
    st.booleans(),
)
def test_a_finding_stands_whichever_way_the_open_cases_fall(
    shown: list[Shown], needed: float, is_whole: bool
) -> None:
    choices = [(s,) if s is not Shown.OPEN else (Shown.YES, Shown.NO) for s in shown]
    ways = {by_definition(list(way), needed, is_whole) for way in product(*choices)}

    found = found_of(shown, needed, () if is_whole else ("gone",)).finding

    assert found is (ways.pop() if len(ways) == 1 else Finding.OPEN)


def test_no_case_is_no_finding() -> None:
    assert Found(()).finding is Finding.NOT_RUN


def test_cases_are_counted() -> None:
    shown = [Shown.YES, Shown.OPEN, Shown.NO, Shown.YES]

    assert found_of(shown, 1.0).counts == "2 / 1 / 1"


def test_similar_is_inside_a_bound() -> None:
    assert inside(0.05)(interval_of(SPARE)) is Shown.YES
    assert inside(0.005)(interval_of(SPARE)) is Shown.NO

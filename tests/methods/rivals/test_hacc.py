"""Active-HACC: the expected change, against growing anew and counting pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import answers
from tests.problems import Tiny
from tests.strategies import links

from likewise import Verdict
from likewise._arrays import Floats
from likewise.experiments import jaccard
from likewise.experiments.runner import Plan, simulate
from likewise.knowledge import Knowledge
from likewise.knowledge._constraints import Link
from likewise.methods import problem_of
from likewise.methods._rivals import _hacc as active_hacc
from likewise.methods._rivals._forest import ForestModel, begin_forest, chance
from likewise.methods._rivals._hacc import (
    ACTIVE_HACC,
    History,
    cut_changes,
    greatest_expected_change,
    joined_changes,
    units_of,
)

SAME, DIFFERENT = Verdict.SAME, Verdict.DIFFERENT
N = 10


def model_of(X: Floats, told: list[Link], k: int | None) -> ForestModel:
    problem = problem_of(X, affinity="auto", n_clusters=k)
    known = Knowledge(len(X)).after_all(answers(told))
    return begin_forest(problem, known, np.random.default_rng(0))


def change(model: ForestModel, i: int, j: int) -> float:
    """Return 1 - J between the clusters and those with the pair inverted."""
    together = model.raw[i] == model.raw[j]
    told = answers([(i, j, DIFFERENT if together else SAME)])
    rng = np.random.default_rng(0)
    other = begin_forest(model.problem, model.known.after_all(told), rng)
    return 1 - jaccard(model.raw, other.raw)


def is_listed(model: ForestModel, i: int, j: int) -> bool:
    """Tell whether a pair is open, and not across trees that are known to be apart."""
    if model.known.constraints.relation(i, j) is not None:
        return False
    n_joins = len(model.forest.joins)
    trees = model.forest.parts(n_joins)
    if trees[i] != trees[j] and trees.max() + 1 == model.n_wanted:
        trees = model.forest.parts(max(n_joins - 1, 0))
    bars = model.bars(trees)
    return trees[i] == trees[j] or not bars.apart[tuple(bars.row[trees[[i, j]]])]


@settings(max_examples=25)
@given(told=links(N, max_size=12), k=st.integers(1, 6), seed=st.integers(0, 500))
def test_each_change_is_that_of_growing_anew(
    told: list[Link], k: int, seed: int
) -> None:
    model = model_of(np.random.default_rng(seed).standard_normal((N, 2)), told, k)
    edges = model.pairs.edges
    history = History(units_of(model, np.ones(len(edges.length), dtype=bool)))

    for found, changes in (cut_changes(history), joined_changes(history)):
        for edge, expected in zip(found, changes, strict=True):
            i, j = int(edges.first[edge]), int(edges.second[edge])
            assert change(model, i, j) == pytest.approx(expected)


@settings(max_examples=8)
@given(n_told=st.integers(20, 60), k=st.integers(2, 12), seed=st.integers(0, 500))
def test_a_cut_that_lets_many_other_trees_go_is_that_of_growing_anew(
    n_told: int, k: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    truth, X = rng.integers(5, size=40), rng.standard_normal((40, 2))
    ends = [rng.choice(40, 2, replace=False).tolist() for _ in range(n_told)]
    told = [(i, j, SAME if truth[i] == truth[j] else DIFFERENT) for i, j in ends]
    model = model_of(X, told, k)
    edges = model.pairs.edges

    history = History(units_of(model, np.ones(len(edges.length), dtype=bool)))

    for edge, expected in zip(*cut_changes(history), strict=True):
        i, j = int(edges.first[edge]), int(edges.second[edge])
        assert change(model, i, j) == pytest.approx(expected)


@settings(max_examples=25)
@given(told=links(N, max_size=12), k=st.integers(1, 6), seed=st.integers(0, 500))
def test_the_pair_chosen_has_the_greatest_expected_change_of_all(
    told: list[Link], k: int, seed: int
) -> None:
    model = model_of(np.random.default_rng(seed).standard_normal((N, 2)), told, k)
    edges = model.pairs.edges
    p = chance(edges.rank, int(model.raw.max()) + 1)
    gains = np.zeros(len(p))
    for at, (i, j) in enumerate(zip(edges.first, edges.second, strict=True)):
        if is_listed(model, int(i), int(j)):
            wrong = 1 - p[at] if model.raw[i] == model.raw[j] else p[at]
            gains[at] = wrong * change(model, int(i), int(j))

    chosen = greatest_expected_change(model, np.ones(len(p), dtype=bool))

    if chosen is None:
        assert not gains.any()
    else:
        assert gains[chosen] == pytest.approx(gains.max())


def test_a_short_list_of_joins_leaves_their_changes_as_they_are(
    blurred_blobs: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(blurred_blobs.X, [(0, 1, SAME), (2, 3, DIFFERENT)], 3)
    everything = np.ones(len(model.pairs.edges.length), dtype=bool)
    whole = [cut_changes, joined_changes]
    long = [of(History(units_of(model, everything))) for of in whole]

    monkeypatch.setattr(active_hacc, "LISTED", 6)
    short = [of(History(units_of(model, everything))) for of in whole]

    np.testing.assert_array_equal(short[0][0], long[0][0][-6:])
    np.testing.assert_allclose(short[0][1], long[0][1][-6:])
    # Trees are numbered as they were made, so pairs of them come in another order.
    there, here = np.argsort(long[1][0]), np.argsort(short[1][0])
    np.testing.assert_array_equal(short[1][0][here], long[1][0][there])
    np.testing.assert_allclose(short[1][1][here], long[1][1][there])


def test_two_heaps_that_a_bridge_made_one_are_asked_about() -> None:
    heap = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.12], [0.11, 0.13]])
    X = np.concatenate([heap, heap + np.array([1.0, 0.0]), [[9.0, 9.0]]])

    chosen = greatest_expected_change(
        model := model_of(X, [], 2), np.ones(36, dtype=bool)
    )

    assert chosen is not None
    ends = model.pairs.edges.first[chosen], model.pairs.edges.second[chosen]
    assert min(ends) < 4 <= max(ends) < 8


def test_heaps_that_run_into_each_other_are_found(blurred_blobs: Tiny) -> None:
    curve = simulate(Plan(blurred_blobs.X, blurred_blobs.truth, ACTIVE_HACC, 60, 3), 0)

    assert curve.scores["jaccard"][-1] == 1.0
    assert curve.questions[-1] < len(list(combinations(range(24), 2))) / 3

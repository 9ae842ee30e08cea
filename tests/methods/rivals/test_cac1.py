"""CAC1: large clusters that are near each other come first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import answers
from tests.problems import Tiny
from tests.strategies import links

from likewise import Verdict
from likewise._arrays import Floats
from likewise.experiments.runner import Plan, simulate
from likewise.knowledge import Knowledge
from likewise.knowledge._constraints import Link
from likewise.methods import problem_of
from likewise.methods._rivals._cac1 import CAC1, largest_and_nearest
from likewise.methods._rivals._forest import ForestModel, begin_forest, chance

SAME, DIFFERENT = Verdict.SAME, Verdict.DIFFERENT
N = 10


def model_of(X: Floats, told: list[Link], k: int) -> ForestModel:
    problem = problem_of(X, affinity="auto", n_clusters=k)
    known = Knowledge(len(X)).after_all(answers(told))
    return begin_forest(problem, known, np.random.default_rng(0))


def chosen(model: ForestModel) -> tuple[int, int] | None:
    edges = model.pairs.edges
    edge = largest_and_nearest(model, np.ones(len(edges.length), dtype=bool))
    return None if edge is None else (int(edges.first[edge]), int(edges.second[edge]))


def scores(model: ForestModel) -> dict[tuple[int, int], float]:
    """Return the score of each pair, as it is defined."""
    edges, forest = model.pairs.edges, model.forest
    p = chance(edges.rank, int(model.raw.max()) + 1)
    join_of = {int(edge): at for at, edge in enumerate(forest.joins)}
    found = {}
    for at, (i, j) in enumerate(zip(edges.first, edges.second, strict=True)):
        parts = forest.parts(join_of.get(at, len(forest.joins)))
        a, b = (set(np.flatnonzero(parts == parts[s]).tolist()) for s in (i, j))
        relation = model.known.constraints.relation
        if a != b and all(relation(s, t) is None for s in a for t in b):
            found[int(i), int(j)] = min(len(a), len(b)) * p[at]
    return found


@settings(max_examples=30)
@given(told=links(N, max_size=12), k=st.integers(1, 6), seed=st.integers(0, 500))
def test_the_pair_chosen_has_the_largest_score(
    told: list[Link], k: int, seed: int
) -> None:
    model = model_of(np.random.default_rng(seed).standard_normal((N, 2)), told, k)
    expected, pair = scores(model), chosen(model)

    if pair is None:
        assert not expected
    else:
        assert expected[pair] == pytest.approx(max(expected.values()))


def heaps(*sizes_and_centres: tuple[int, float]) -> Floats:
    """Return samples on a line, 0.1 apart from each other around some centres."""
    steps = [c + 0.1 * np.arange(n) ** 1.01 for n, c in sizes_and_centres]
    return np.concatenate(steps)[:, np.newaxis]


def test_two_large_heaps_come_before_a_large_and_a_small_one() -> None:
    X = heaps((8, 0.0), (8, 3.0), (1, 5.0))

    confirmed: list[Link] = [(s, s + 1, SAME) for s in (*range(7), *range(8, 15))]

    assert chosen(model_of(X, confirmed, 3)) == (7, 8)


def test_of_heaps_of_one_size_the_nearest_come_first() -> None:
    X = heaps((5, 0.0), (5, 3.0), (5, 5.0))
    confirmed: list[Link] = [(s, s + 1, SAME) for s in range(14) if s % 5 != 4]

    assert chosen(model_of(X, confirmed, 3)) == (9, 10)


def test_nothing_is_chosen_when_all_is_known() -> None:
    told: list[Link] = [(0, 1, SAME), (1, 2, DIFFERENT)]

    assert chosen(model_of(np.array([[0.0], [1.0], [2.0]]), told, 2)) is None


def test_heaps_that_run_into_each_other_are_found(blurred_blobs: Tiny) -> None:
    curve = simulate(Plan(blurred_blobs.X, blurred_blobs.truth, CAC1, 90, 3), 0)

    assert curve.scores["jaccard"][-1] == 1.0

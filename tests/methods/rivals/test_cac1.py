"""CAC1: large clusters that are near each other come first."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import answers, euclidean, truth_of
from tests.problems import Tiny
from tests.strategies import links

from likewise import Session, Verdict
from likewise._arrays import Floats
from likewise.experiments.runner import Plan, simulate
from likewise.knowledge import Knowledge
from likewise.knowledge._constraints import Link
from likewise.methods import problem_of
from likewise.methods._rivals._cac1 import CAC1, chance, largest_and_nearest
from likewise.methods._rivals._forest import ForestModel, begin_forest

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


def scores(model: ForestModel, X: Floats) -> dict[tuple[int, int], float]:
    """Return the score of each two clusters that may be one, by their nearest pair."""
    D, relation = euclidean(X), model.known.constraints.relation
    clusters = [np.flatnonzero(model.raw == c) for c in range(model.raw.max() + 1)]
    upto = np.sort(D[np.triu_indices(len(X), 1)])
    found = {}
    for a, b in combinations(clusters, 2):
        pairs = list(product(a.tolist(), b.tolist()))
        if all(relation(i, j) is None for i, j in pairs):
            i, j = min(pairs, key=lambda pair: D[pair])
            share = np.mean(upto <= D[i, j] + 1e-12)
            p = 1 / (1 + len(clusters) * share)
            found[min(i, j), max(i, j)] = float(p * len(a) * len(b))
    return found


@settings(max_examples=40)
@given(told=links(N, max_size=12), k=st.integers(1, 6), seed=st.integers(0, 500))
def test_the_pair_chosen_is_the_best_of_all_pairs_of_clusters(
    told: list[Link], k: int, seed: int
) -> None:
    X = np.random.default_rng(seed).standard_normal((N, 2))
    model = model_of(X, told, k)
    expected, pair = scores(model, X), chosen(model)

    if expected:
        assert pair is not None
        assert expected[pair] == pytest.approx(max(expected.values()))
    elif pair is not None:  # all clusters are apart: inside of one, or where known
        assert model.known.constraints.relation(*pair) is None


@pytest.mark.parametrize("seed", range(4))
def test_the_first_questions_are_between_two_clusters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(6, size=60)
    X = 2 * rng.standard_normal((6, 3))[truth] + rng.standard_normal((60, 3))
    session = Session(X, method="cac1", n_clusters=6)

    for _ in range(12):
        question = session.ask()
        assert question is not None
        i, j = question.pair
        assert session.labels[i] != session.labels[j]
        session.tell(question, truth_of(truth.tolist(), i, j))


def test_when_all_clusters_are_apart_parts_of_them_are_asked_about() -> None:
    X = heaps((4, 0.0), (4, 0.9), (3, 9.0))

    assert chosen(model_of(X, [(0, 8, DIFFERENT)], 2)) == (3, 4)


def heaps(*sizes_and_centres: tuple[int, float]) -> Floats:
    """Return samples on a line, 0.1 apart from each other around some centres."""
    steps = [c + 0.1 * np.arange(n) ** 1.01 for n, c in sizes_and_centres]
    return np.concatenate(steps)[:, np.newaxis]


def test_two_large_heaps_come_before_a_large_and_a_small_one() -> None:
    X = heaps((8, 0.0), (8, 3.0), (1, 5.0))

    assert chosen(model_of(X, [], 3)) == (7, 8)


def test_of_heaps_of_one_size_the_nearest_come_first() -> None:
    X = heaps((5, 0.0), (5, 3.0), (5, 5.0))

    assert chosen(model_of(X, [], 3)) == (9, 10)


def test_nothing_is_chosen_when_all_is_known() -> None:
    told: list[Link] = [(0, 1, SAME), (1, 2, DIFFERENT)]

    assert chosen(model_of(np.array([[0.0], [1.0], [2.0]]), told, 2)) is None


def test_chance_is_a_probability_that_falls_with_distance() -> None:
    p = chance(np.linspace(0, 1, 50), 4)

    assert (np.diff(p) < 0).all()
    assert p[0] == 1.0
    assert chance(np.array([0.25]), 4)[0] == 0.5


def test_heaps_that_run_into_each_other_are_found(blurred_blobs: Tiny) -> None:
    curve = simulate(Plan(blurred_blobs.X, blurred_blobs.truth, CAC1, 90, 3), 0)

    assert curve.scores["jaccard"][-1] == 1.0

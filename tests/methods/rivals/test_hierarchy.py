"""The forest as a model: lazy, sound, and always with something to ask."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import answers, classes_of
from tests.problems import Tiny
from tests.strategies import links

from likewise import Question, Verdict
from likewise.knowledge import Knowledge
from likewise.knowledge._constraints import Link
from likewise.methods import Problem, problem_of
from likewise.methods._rivals._forest import (
    Flags,
    ForestModel,
    begin_forest,
    chance,
    learn_forest,
    propose_edge,
)

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
N = 24


@pytest.fixture
def problem(blurred_blobs: Tiny) -> Problem:
    return problem_of(blurred_blobs.X, affinity="auto", n_clusters=3)


def begin(
    problem: Problem, told: list[Link], aside: frozenset[int] = frozenset()
) -> ForestModel:
    known = Knowledge(problem.n_samples, aside=aside).after_all(answers(told))
    rng = np.random.default_rng(0)
    return begin_forest(problem.without(aside), known, rng)


def shortest(_: ForestModel, askable: Flags) -> int | None:
    return int(np.argmax(askable)) if askable.any() else None


def nothing(_model: ForestModel, _askable: Flags) -> int | None:
    return None


def ask(model: ForestModel, choose: object = shortest, *pending: Question) -> Question:
    assert callable(choose)
    rng = np.random.default_rng(0)
    question = propose_edge(choose, model, model.known, rng, pending)
    assert question is not None
    return question


def test_nothing_is_sorted_or_grown_before_somebody_looks(problem: Problem) -> None:
    model = begin(problem, [(0, 1, SAME)])

    assert not {"forest", "raw", "labels"} & vars(model).keys()
    assert "edges" not in vars(model.pairs)


def test_the_pairs_are_sorted_once_for_all_answers(problem: Problem) -> None:
    model = begin(problem, [])
    (answer,) = answers([(0, 1, SAME)])

    learned = learn_forest(model, model.known.after(answer), answer)

    assert learned.pairs is model.pairs


@given(told=links(8), k=st.sampled_from([None, 1, 3, 8]))
def test_labels_are_the_trees_under_other_numbers(
    told: list[Link], k: int | None
) -> None:
    X = np.random.default_rng(len(told)).standard_normal((8, 2))
    model = begin(problem_of(X, affinity="auto", n_clusters=k), told)

    assert classes_of(model.labels.tolist()) == classes_of(model.raw.tolist())
    for label, group in enumerate(model.known.certain):
        members = list(model.known.constraints.samples(group))
        assert set(model.labels[members].tolist()) == {label}


def test_an_unknown_number_of_clusters_grows_with_the_cannot_links(
    blurred_blobs: Tiny,
) -> None:
    problem = problem_of(blurred_blobs.X, affinity="auto", n_clusters=None)

    for n_apart in (2, 3, 5):
        told = [(i, j, DIFFERENT) for i, j in combinations(range(n_apart), 2)]
        assert begin(problem, told).labels.max() == n_apart - 1


def test_samples_set_aside_hold_no_tree_together_and_count_for_none() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0]])
    problem = problem_of(X, affinity="auto", n_clusters=2)

    model = begin(problem, [], aside=frozenset({1, 2}))

    left = model.labels[[0, 3, 4, 5]]
    assert classes_of(left.tolist()) == {frozenset({0, 1}), frozenset({2, 3})}


def test_a_must_link_through_a_sample_set_aside_still_holds() -> None:
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    problem = problem_of(X, affinity="auto", n_clusters=2)

    model = begin(problem, [(0, 2, SAME), (2, 4, SAME)], aside=frozenset({2}))

    assert model.labels[0] == model.labels[4]


def test_chance_is_a_probability_that_falls_with_distance() -> None:
    p = chance(np.linspace(0, 1, 50), 4)

    assert (np.diff(p) < 0).all()
    assert p[0] == 1.0
    assert chance(np.array([0.25]), 4)[0] == 0.5


def test_a_pair_is_not_asked_again_or_while_it_is_pending(problem: Problem) -> None:
    first = ask(begin(problem, []))
    unsure = begin(problem, [(*first.pair, UNSURE)])
    second = ask(unsure)

    assert second.pair != first.pair
    assert not set(ask(unsure, shortest, second).pair) & set(second.pair)


def test_a_pending_sample_is_asked_about_where_there_is_no_other() -> None:
    problem = problem_of([[0.0], [1.0], [3.0]], affinity="auto", n_clusters=2)

    assert ask(begin(problem, []), shortest, Question(0, 1)).pair == (1, 2)


def test_any_open_pair_is_asked_where_no_edge_is_chosen() -> None:
    problem = problem_of([[0.0], [1.0], [3.0]], affinity="auto", n_clusters=2)
    told = [(0, 1, UNSURE), (1, 2, DIFFERENT)]

    assert ask(begin(problem, told), nothing).pair == (0, 2)


def test_the_sample_of_the_smaller_group_is_placed(problem: Problem) -> None:
    i, j = ask(begin(problem, [])).pair
    other = next(s for s in range(N) if s not in (i, j))

    for known, lone in ((i, j), (j, i)):
        question = ask(begin(problem, [(known, other, SAME)]))
        assert (question.sample, question.against) == (lone, known)

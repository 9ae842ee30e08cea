"""Exploring: far samples first, until each class has a member."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from tests.definitions import answers, euclidean, truth_of
from tests.problems import Tiny, blobs

from likewise import METHODS, LabelOracle, Session, Verdict, run
from likewise._arrays import Samples
from likewise.affinity import auto
from likewise.knowledge import Answer, Knowledge, Question
from likewise.knowledge._constraints import Link
from likewise.methods import farthest_first, problem_of
from likewise.methods._rivals._exploring import (
    ExploringModel,
    explore,
    question_in_order,
    space_for,
)
from likewise.methods.sampling import opened

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
LINE = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])


def after(n: int, told: list[Link], *, how: str = "asked") -> Knowledge:
    return Knowledge(n).after_all(answers(told, how=how))


def asked(X: Samples, known: Knowledge, *pending: Question) -> Question | None:
    """Return what is explored next from a first neighbourhood at sample 0."""
    problem = problem_of(X, affinity="auto", n_clusters=3)
    space, rng = space_for(problem, known), np.random.default_rng(0)
    return explore(space, opened(known, 0), rng, pending)


def test_the_farthest_sample_is_asked_about_first() -> None:
    assert asked(LINE, Knowledge(5)) == Question(4, 0)


def test_the_next_is_far_from_every_neighbourhood() -> None:
    assert asked(LINE, after(5, [(4, 0, DIFFERENT)])) == Question(3, 0)


def test_far_is_what_lies_far_from_all_members(blurred_blobs: Tiny, seed: int) -> None:
    X, truth = blurred_blobs.X, blurred_blobs.truth.tolist()
    rng = np.random.default_rng(seed)
    told = [
        (int(i), 0, truth_of(truth, int(i), 0)) for i in rng.permutation(23)[:6] + 1
    ]
    known = after(24, told, how="given")
    members = [s for g in known.certain for s in known.constraints.samples(g)]
    gaps = euclidean(X)[:, members].min(axis=1)

    question = asked(X, known)

    assert question is not None
    assert gaps[question.sample] == pytest.approx(gaps.max())


def test_a_sample_whose_questions_have_begun_goes_first() -> None:
    known = after(5, [(4, 0, DIFFERENT), (1, 0, DIFFERENT)])

    assert asked(LINE, known) == Question(1, 4)


def test_the_nearest_neighbourhood_is_tried_first() -> None:
    X = np.array([[0.0], [20.0], [13.0]])

    assert asked(X, after(3, [(1, 0, DIFFERENT)])) == Question(2, 1)


def test_samples_that_others_are_asked_about_are_left_alone() -> None:
    question = asked(LINE, Knowledge(5), Question(4, 0), Question(3, 0))

    assert question is not None
    assert question.sample in (1, 2)


def test_a_batch_spreads_over_the_samples() -> None:
    X = np.array([[0.0], [10.0], [10.1], [10.2], [-9.0]])

    assert asked(X, Knowledge(5), Question(3, 0)) == Question(4, 0)


def test_every_member_may_be_the_one_compared_with() -> None:
    known = after(5, [(1, 0, SAME), (2, 0, SAME)])

    drawn = {
        question_in_order(4, known.certain, known, np.random.default_rng(seed))
        for seed in range(30)
    }

    assert drawn == {Question(4, 0), Question(4, 1), Question(4, 2)}


def test_a_set_is_left_open_when_nobody_could_tell_twice() -> None:
    known = after(5, [(1, 0, SAME), (2, 0, SAME), (4, 0, UNSURE)])
    rng = np.random.default_rng(0)

    again = question_in_order(4, known.certain, known, rng)
    assert again in (Question(4, 1), Question(4, 2))

    known = known.after(Answer(again, UNSURE))
    assert question_in_order(4, known.certain, known, rng) is None


def test_nothing_is_left_to_explore_when_all_is_placed() -> None:
    told = [(i, 0, SAME) for i in range(1, 5)]

    assert asked(LINE, after(5, told)) is None


def test_sparse_features_are_explored_like_dense_ones(blurred_blobs: Tiny) -> None:
    X = blurred_blobs.X

    assert asked(sp.csr_array(X), Knowledge(24)) == asked(X, Knowledge(24))


def test_similarities_alone_place_heaps_far_apart(three_blobs: Tiny) -> None:
    W = auto(three_blobs.X).weights
    problem = problem_of(W, affinity="precomputed", n_clusters=3)

    X = space_for(problem, Knowledge(24)).coordinates

    together = three_blobs.truth[:, np.newaxis] == three_blobs.truth
    assert X.shape == (24, 3)
    assert euclidean(X)[together].max() < euclidean(X)[~together].min() / 2


def test_a_member_of_each_far_heap_is_found_without_a_detour(seed: int) -> None:
    tiny = blobs((9, 9, 9, 9), seed=seed)
    session = Session(tiny.X, farthest_first(METHODS["random"]), 4, random_state=seed)

    for _ in run(session, LabelOracle(tiny.truth), budget=1 + 2 + 3):
        pass

    assert len(session.groups) == 4
    assert all(group.is_certain for group in session.groups)


@pytest.mark.parametrize("name", ["random", "urasc+n", "likewise"])
def test_labels_are_those_of_the_method_itself(name: str, blurred_blobs: Tiny) -> None:
    X, method = blurred_blobs.X, METHODS[name]
    told = answers([(0, 1, DIFFERENT), (2, 1, DIFFERENT), (3, 4, SAME)])

    explored = Session(X, farthest_first(method), 3, answers=told)
    plain = Session(X, method, 3, answers=told)

    np.testing.assert_array_equal(explored.labels, plain.labels)
    assert explored.progress == plain.progress
    assert explored.candidates(7) == plain.candidates(7)


@pytest.mark.parametrize("n_clusters", [2, None])
def test_the_method_asks_once_the_sets_are_found(
    n_clusters: int | None, blurred_blobs: Tiny
) -> None:
    X, method = blurred_blobs.X, METHODS["urasc+n"]
    told = answers([(0, 1, DIFFERENT)])

    explored = Session(X, farthest_first(method), n_clusters, answers=told)
    plain = Session(X, method, n_clusters, answers=told)

    assert explored.ask(4) == plain.ask(4)


def test_exploring_goes_on_while_sets_are_missing(blurred_blobs: Tiny) -> None:
    told = answers([(0, 1, DIFFERENT)], how="given")
    session = Session(
        blurred_blobs.X, farthest_first(METHODS["urasc+n"]), 3, answers=told
    )

    question = session.ask()

    gaps = euclidean(blurred_blobs.X)[:, [0, 1]].min(axis=1)
    assert question is not None
    assert gaps[question.sample] == pytest.approx(gaps.max())


def test_name_sentence_and_limits_are_kept() -> None:
    method = METHODS["urasc+n"]

    explored = farthest_first(method)

    assert explored.name == method.name
    assert explored.about == method.about
    assert explored.most_clusters == method.most_clusters


@pytest.mark.parametrize("name", ["random", "urasc+n", "likewise"])
def test_a_composed_method_and_its_model_can_be_pickled(
    name: str, blurred_blobs: Tiny
) -> None:
    method = pickle.loads(pickle.dumps(farthest_first(METHODS[name])))
    session = Session(blurred_blobs.X, method, 3)

    model = pickle.loads(pickle.dumps(session.view.model))

    assert isinstance(model, ExploringModel)
    np.testing.assert_array_equal(model.labels, session.labels)

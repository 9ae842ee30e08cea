"""NPU: the sample whose neighbourhood is least certain for the questions it takes."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.definitions import classes_of
from tests.problems import Tiny, blobs

from likewise import LabelOracle, Session, Verdict, run
from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.knowledge import Question
from likewise.methods._peers._npu import (
    N_TREES,
    NPU,
    UncertaintyModel,
    normalised_uncertainty,
    places,
    probabilities,
)
from likewise.methods.sampling import opened, unplaced

some_leaves = arrays(np.intp, (8, 5), elements=st.integers(0, 3))
SETS = [np.array([0]), np.array([1, 2]), np.array([5])]


@given(some_leaves)
def test_probabilities_are_those_of_the_definition(leaves: Indices) -> None:
    actual = probabilities(leaves, np.array([3, 4, 7]), SETS)

    for row, x in enumerate((3, 4, 7)):
        near = [
            np.mean(
                [
                    np.mean([a == b for a, b in zip(leaves[x], leaves[z], strict=True)])
                    for z in s
                ]
            )
            for s in SETS
        ]
        for at, mine in enumerate(near):
            expected = mine / sum(near) if sum(near) > 0 else 1 / 3
            assert actual[row, at] == pytest.approx(expected)


def test_places_are_those_in_each_column() -> None:
    X = np.array([[0.1 + 0.2, -5.0], [0.3, 2.0], [0.1, 2.0], [9.0, -7.0]])

    actual = places(X)

    np.testing.assert_array_equal(actual, [[1, 1], [1, 2], [0, 2], [2, 0]])
    np.testing.assert_array_equal(places(0.7 * X), actual)


def score_of_the_paper(p: list[float]) -> float:
    """Return the entropy over the questions to expect, term by term."""
    entropy = -sum(mine * math.log2(mine) for mine in p if mine > 0)
    questions = sum(i * mine for i, mine in enumerate(sorted(p, reverse=True), 1))
    return entropy / questions


@given(arrays(np.float64, (4, 3), elements=st.integers(0, 9).map(float)))
def test_the_score_is_that_of_the_definition(counts: Floats) -> None:
    p = (counts + 1e-3) / (counts + 1e-3).sum(axis=1, keepdims=True)

    actual = normalised_uncertainty(p)

    expected = [score_of_the_paper(row.tolist()) for row in p]
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


def test_the_order_of_the_sets_is_no_matter() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.2, 0.7, 0.1]])

    actual = normalised_uncertainty(p)

    np.testing.assert_allclose(actual, actual[0])


def test_few_questions_are_worth_more_than_many() -> None:
    # Ten sets alike hold more bits than two, but take five questions and a half.
    two, ten = np.zeros(10), np.full(10, 0.1)
    two[:2] = 0.5

    of_two, of_ten = normalised_uncertainty(np.array([two, ten]))

    assert of_two == pytest.approx(1 / 1.5)
    assert of_ten == pytest.approx(math.log2(10) / 5.5)
    assert of_two > of_ten


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Three heaps of 8 that run into each other."""
    return blobs((8, 8, 8), spread=2.5, seed=seed)


def model_of(session: Session) -> UncertaintyModel:
    model = session.view.model
    assert isinstance(model, UncertaintyModel)
    return model


def chances_of(session: Session) -> tuple[Indices, list[int], Floats]:
    """Return the free samples, the sets, and p by leaves that are compared in loops."""
    model = model_of(session)
    known = opened(model.known, model.start)
    sets = [known.constraints.samples(group) for group in known.certain]
    free, leaves = unplaced(known), model.leaves
    p = np.zeros((len(free), len(sets)))
    for row, x in enumerate(free):
        near = [np.mean([(leaves[x] == leaves[z]).mean() for z in s]) for s in sets]
        p[row] = near if sum(near) > 0 else np.ones(len(sets))
    return free, list(known.certain), p / p.sum(axis=1, keepdims=True)


def test_each_choice_is_that_of_the_definition(mixed: Tiny) -> None:
    session, oracle = Session(mixed.X, NPU, 3), LabelOracle(mixed.truth)
    n_chosen = n_followed = 0

    for _ in range(24):
        question, model = session.ask(), model_of(session)
        assert question is not None
        if model.earlier is None:
            free, sets, p = chances_of(session)
            scores = [score_of_the_paper(row.tolist()) for row in p]
            at = free.tolist().index(question.sample)
            assert scores[at] == pytest.approx(max(scores))
            in_order = sorted(p[at], reverse=True)
            n_chosen += max(scores) > 0
        known = opened(model.known, model.start)
        asked = sets.index(known.constraints.group(question.against))
        assert p[at, asked] == pytest.approx(in_order.pop(0))
        n_followed += len(in_order) + 1 < len(sets)
        session.tell(question, oracle(question))

    assert n_chosen > 5
    assert n_followed > 2


def test_a_forest_grows_once_for_each_sample(mixed: Tiny) -> None:
    session, oracle = Session(mixed.X, NPU, 3), LabelOracle(mixed.truth)

    for _ in range(12):
        question, before = session.ask(), model_of(session)
        assert question is not None
        session.tell(question, oracle(question))
        after = model_of(session)
        chooser = before if before.earlier is None else before.earlier
        placed = after.known.is_placed(question.sample)
        assert after.earlier is (None if placed else chooser)


def test_begun_anew_it_asks_what_it_would_have_asked(mixed: Tiny) -> None:
    session, oracle, n_within = Session(mixed.X, NPU, 3), LabelOracle(mixed.truth), 0

    for _ in range(12):
        question = session.ask()
        assert question is not None
        session.tell(question, oracle(question))
        n_within += model_of(session).earlier is not None
        learned = session.ask()
        session.undo()
        session.tell(question, oracle(question))
        assert session.ask() == learned

    assert n_within > 2


def test_the_classes_of_the_forest_are_the_clusters(mixed: Tiny) -> None:
    model = model_of(Session(mixed.X, NPU, 3))

    assert model.leaves.shape == (24, N_TREES)
    together = (model.leaves[:, np.newaxis] == model.leaves).mean(axis=2)
    same = model.labels[:, np.newaxis] == model.labels
    assert together[same].mean() > 4 * together[~same].mean()


def test_chance_is_an_argument(mixed: Tiny) -> None:
    def asked(seed: int) -> list[Question]:
        session = Session(mixed.X, NPU, 3, random_state=seed)
        for _ in run(session, LabelOracle(mixed.truth), budget=5):
            pass
        return [answer.question for answer in session.history]

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


def test_all_is_placed_in_the_end(mixed: Tiny) -> None:
    session = Session(mixed.X, NPU, 3)

    for _ in run(session, LabelOracle(mixed.truth), budget=1000):
        pass

    assert session.progress.settled == 1.0
    assert classes_of(session.labels.tolist()) == classes_of(mixed.truth.tolist())


def test_samples_set_aside_take_no_part(mixed: Tiny) -> None:
    session = Session(mixed.X, NPU, 3)
    for _ in run(session, LabelOracle(mixed.truth), budget=6):
        pass
    aside = {session.history[0].question.against, 23}
    for sample in aside:
        session.set_aside(sample)

    for _ in run(session, LabelOracle(mixed.truth), budget=10):
        assert not aside & set(session.history[-1].question.pair)


def test_questions_for_many_people_are_about_different_samples(mixed: Tiny) -> None:
    session = Session(mixed.X, NPU, 3)
    for _ in run(session, LabelOracle(mixed.truth), budget=6):
        pass

    batch = session.ask(5)

    assert len({question.sample for question in batch}) == 5


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_similarities_alone_will_do(convert: type, three_blobs: Tiny) -> None:
    W = convert(auto(three_blobs.X).weights.toarray())
    session = Session(W, NPU, 3, "precomputed")

    for _ in run(session, LabelOracle(three_blobs.truth), budget=5):
        pass

    expected = classes_of(three_blobs.truth.tolist())
    assert classes_of(session.labels.tolist()) == expected


def test_sparse_features_will_do(three_blobs: Tiny) -> None:
    session = Session(sp.csr_array(three_blobs.X), NPU, 3)

    for _ in run(session, LabelOracle(three_blobs.truth), budget=5):
        assert session.history[-1].verdict in Verdict

    expected = classes_of(three_blobs.truth.tolist())
    assert classes_of(session.labels.tolist()) == expected


def test_a_method_and_its_model_can_be_pickled(mixed: Tiny) -> None:
    session = Session(mixed.X, pickle.loads(pickle.dumps(NPU)), 3)

    model = pickle.loads(pickle.dumps(session.view.model))

    np.testing.assert_array_equal(model.labels, session.labels)

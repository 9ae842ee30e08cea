"""FFQS: explore, consolidate, and confirm what was only assumed."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp
from tests.definitions import answers, classes_of, euclidean
from tests.problems import Tiny, blobs

from likewise import LabelOracle, Session, Verdict, run
from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.knowledge import Question
from likewise.knowledge._constraints import Link
from likewise.methods._rivals._ffqs import FFQS, FarthestFirstModel

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
LINE = np.array([[0.0], [1.0], [9.0], [10.0], [20.0], [21.0], [13.0]])
APART: list[Link] = [(0, 2, DIFFERENT), (4, 0, DIFFERENT), (4, 2, DIFFERENT)]


def start(X: Floats, k: int | None, told: list[Link], seed: int = 0) -> Session:
    given = answers(told, how="given")
    return Session(X, FFQS, k, random_state=seed, answers=given)


def model_of(session: Session) -> FarthestFirstModel:
    model = session.view.model
    assert isinstance(model, FarthestFirstModel)
    return model


def questions(session: Session, truth: Indices) -> Iterator[Question]:
    for view in run(session, LabelOracle(truth), budget=1000):
        assert view.answer is not None
        yield view.answer.question


def test_it_explores_while_neighbourhoods_are_missing() -> None:
    for seed in range(7):
        question = start(LINE, 3, [], seed).ask()
        assert question is not None
        gaps = euclidean(LINE)[question.against]
        assert gaps[question.sample] == gaps.max()


def test_any_unplaced_sample_may_be_consolidated_next() -> None:
    asked = {start(LINE, 3, APART, seed).ask() for seed in range(40)}

    assert {question.sample for question in asked if question} == {1, 3, 5, 6}


def test_the_nearest_centroid_is_asked_about_first() -> None:
    told = [*APART, (3, 2, SAME), (5, 4, SAME), (1, 0, SAME)]

    question = start(LINE, 3, told).ask()

    assert question is not None
    assert question.sample == 6
    assert question.against in (2, 3)


def test_a_sample_is_asked_about_until_it_is_placed() -> None:
    session = start(LINE, 3, APART)
    first = session.ask()
    assert first is not None

    session.tell(first, "different")

    second = session.ask()
    assert second is not None
    assert second.sample == first.sample


def test_the_last_neighbourhood_is_assumed_and_not_asked_about() -> None:
    session = start(LINE, 3, [*APART, (6, 2, DIFFERENT), (6, 4, DIFFERENT)])

    question = session.ask()

    assert question is not None
    assert question.sample != 6
    assert session.labels[6] == session.labels[0]
    assert set(model_of(session).members(0)) == {0, 6}


def test_what_was_assumed_is_confirmed_when_nothing_else_is_left() -> None:
    placed: list[Link] = [(1, 0, SAME), (3, 2, SAME), (5, 4, SAME)]
    ruled_out: list[Link] = [(6, 2, DIFFERENT), (6, 4, DIFFERENT)]

    question = start(LINE, 3, APART + placed + ruled_out).ask()

    assert question is not None
    assert question.sample == 6
    assert question.against in (0, 1)


@pytest.mark.parametrize("k", [2, None])
def test_nothing_is_assumed_where_the_number_is_unknown_or_wrong(k: int | None) -> None:
    session = start(LINE, k, [*APART, (6, 2, DIFFERENT), (6, 4, DIFFERENT)])

    assert model_of(session).assumed == session.view.known.constraints


def test_consolidating_needs_at_most_one_question_less_than_classes(seed: int) -> None:
    tiny = blobs((6, 6, 6), spread=3.0, seed=seed)
    session = Session(tiny.X, FFQS, 3, random_state=seed)
    counts: Counter[int] = Counter()

    for question in questions(session, tiny.truth):
        left = 18 - sum(len(group.samples) for group in session.groups)
        if len(session.groups) >= 3 and left > len(_assumed(session)):
            counts[question.sample] += 1

    assert max(counts.values()) <= 2


def _assumed(session: Session) -> set[int]:
    """Return the samples that only the number of clusters places."""
    model, known = model_of(session), session.view.known
    return {
        sample
        for group in known.certain
        for sample in model.members(group)
        if sample not in known.constraints.samples(group)
    }


def test_with_a_wrong_number_the_missing_class_is_found_in_the_end(seed: int) -> None:
    tiny = blobs((5, 5, 5), seed=seed)
    session = Session(tiny.X, FFQS, 2, random_state=seed)

    for _ in questions(session, tiny.truth):
        pass

    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())
    assert session.progress.settled == 1.0


def test_heaps_far_apart_need_one_question_a_class_more_or_less(
    three_blobs: Tiny, seed: int
) -> None:
    session = Session(three_blobs.X, FFQS, 3, random_state=seed)

    for _ in run(session, LabelOracle(three_blobs.truth), budget=3):
        pass

    assert len(session.groups) == 3
    expected = classes_of(three_blobs.truth.tolist())
    assert classes_of(session.labels.tolist()) == expected


def test_samples_set_aside_do_not_pull_at_the_clusters() -> None:
    X = np.array([[0.0], [1.0], [5.0], [6.0], [1000.0]])
    session = Session(X, FFQS, 2)

    session.set_aside(4)

    assert session.labels.tolist() in ([0, 0, 1, 1, -1], [1, 1, 0, 0, -1])


def test_everything_may_be_set_aside() -> None:
    session = Session([[0.0], [1.0], [2.0]], FFQS, 2)

    for sample in range(3):
        session.set_aside(sample)

    assert session.ask() is None
    assert session.labels.tolist() == [-1, -1, -1]


def test_sparse_features_give_the_same_questions_and_labels(
    blurred_blobs: Tiny,
) -> None:
    X, truth = blurred_blobs.X, blurred_blobs.truth
    thick, thin = Session(X, FFQS, 3), Session(sp.csr_array(X), FFQS, 3)

    for one, other in zip(questions(thick, truth), questions(thin, truth), strict=True):
        assert one == other
        np.testing.assert_array_equal(thick.labels, thin.labels)


def test_similarities_are_clustered_by_their_eigenvectors(three_blobs: Tiny) -> None:
    W = auto(three_blobs.X).weights

    session = Session(W, FFQS, 3, "precomputed")

    expected = classes_of(three_blobs.truth.tolist())
    assert classes_of(session.labels.tolist()) == expected


def test_nothing_is_computed_before_somebody_looks(blurred_blobs: Tiny) -> None:
    model = model_of(start(blurred_blobs.X, 3, APART))

    assert not {"assumed", "clusters", "labels"} & vars(model).keys()
    assert "coordinates" not in vars(model.space)


def test_the_space_stays_while_answers_come(bridge: Tiny) -> None:
    session = Session(bridge.X, FFQS, 2, "precomputed")
    before = model_of(session).space

    for _ in run(session, LabelOracle(bridge.truth), budget=4):
        assert model_of(session).space is before


def test_a_method_and_its_model_can_be_pickled(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, pickle.loads(pickle.dumps(FFQS)), 3)

    model = pickle.loads(pickle.dumps(session.view.model))

    np.testing.assert_array_equal(model.labels, session.labels)

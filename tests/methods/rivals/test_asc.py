"""ASC: a graph cut in two, and the pair that the cut should get most wrong."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import answers, classes_of, truth_of
from tests.problems import Tiny, blobs
from tests.strategies import labelings, links, pairs

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats
from likewise.knowledge import Knowledge, Verdict
from likewise.knowledge._constraints import Link
from likewise.methods._rivals._asc import ASC, CutModel, sides_of

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Two heaps of 10 that run into each other."""
    return blobs((10, 10), spread=2.5, seed=seed)


def after(told: list[Link], n: int) -> Knowledge:
    return Knowledge(n).after_all(answers(told))


def model_of(session: Session) -> CutModel:
    model = session.view.model
    assert isinstance(model, CutModel)
    return model


@st.composite
def two_groups(draw: st.DrawFn) -> tuple[list[int], list[Link]]:
    """Draw samples of two groups, and true answers about some of their pairs."""
    labels = draw(labelings(max_size=8, n_classes=2))
    drawn = draw(st.lists(pairs(len(labels)), max_size=10))
    return labels, [(i, j, truth_of(labels, i, j)) for i, j in drawn]


@given(two_groups())
def test_sides_are_those_of_the_two_groups(drawn: tuple[list[int], list[Link]]) -> None:
    labels, told = drawn
    found = sides_of(after(told, len(labels)))

    for i, j in combinations(range(len(labels)), 2):
        if found.cluster[i] == found.cluster[j]:
            assert (found.side[i] == found.side[j]) == (labels[i] == labels[j])


@given(two_groups())
def test_samples_joined_by_answers_are_tied_and_no_others(
    drawn: tuple[list[int], list[Link]],
) -> None:
    labels, told = drawn
    n = len(labels)
    reached = np.eye(n, dtype=bool)
    for i, j, _ in told:
        reached[i, j] = reached[j, i] = True
    for k in range(n):
        reached |= np.outer(reached[:, k], reached[k])

    cluster = sides_of(after(told, n)).cluster

    np.testing.assert_array_equal(cluster[:, np.newaxis] == cluster, reached)


def test_two_samples_apart_from_a_third_are_together() -> None:
    found = sides_of(after([(0, 1, DIFFERENT), (1, 2, DIFFERENT)], 4))

    assert found.side[0] == found.side[2] == -found.side[1]
    np.testing.assert_array_equal(np.abs(found.columns()).sum(axis=1), [1, 1, 1, 0])


def test_an_answer_that_needs_a_third_group_is_left_out() -> None:
    told: list[Link] = [(0, 1, DIFFERENT), (1, 2, DIFFERENT)]

    found = sides_of(after([*told, (0, 2, DIFFERENT)], 3))

    np.testing.assert_array_equal(found.side, sides_of(after(told, 3)).side)


@given(links(6))
def test_any_answers_at_all_have_sides(told: list[Link]) -> None:
    columns = sides_of(after(told, 6)).columns()

    assert (np.abs(columns).sum(axis=1) <= 1).all()
    assert (np.abs(columns).sum(axis=0) >= 2).all()


def expected_errors(u: Floats, Q: Floats) -> Floats:
    """Return the error of every pair, with P(Q_ij) from the rank-one part of Q."""
    values, vectors = np.linalg.eigh(Q)
    rank_one = max(values[-1], 0.0) * np.outer(vectors[:, -1], vectors[:, -1])
    same = (1 + np.clip(rank_one, -1, 1)) / 2
    together = np.outer(u, u)
    return same * (together - 1) ** 2 + (1 - same) * (together + 1) ** 2


def test_it_asks_about_the_open_pair_with_the_largest_expected_error(
    mixed: Tiny,
) -> None:
    session, n = Session(mixed.X, ASC, 2), len(mixed.X)

    for _ in run(session, LabelOracle(mixed.truth), budget=n - 2):
        question, model = session.ask(), model_of(session)
        assert question is not None
        sides = model.sides.columns()
        Q = sides @ sides.T
        errors = np.where(Q == 0, expected_errors(model.indicator, Q), -np.inf)
        np.fill_diagonal(errors, -np.inf)
        assert errors[question.pair] == pytest.approx(errors.max())


def test_the_first_question_compares_the_far_ends(bridge: Tiny) -> None:
    session = Session(bridge.X, ASC, 2, "precomputed")

    question, u = session.ask(), np.abs(model_of(session).indicator)

    assert question is not None
    assert sorted(u[list(question.pair)]) == pytest.approx(sorted(u)[-2:])


def test_the_first_cut_parts_the_cliques(bridge: Tiny) -> None:
    labels = Session(bridge.X, ASC, 2, "precomputed").labels

    assert classes_of(np.delete(labels, 4).tolist()) == {
        frozenset(range(4)),
        frozenset(range(4, 8)),
    }


def test_one_question_a_sample_tells_everything(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2)

    for _ in run(session, LabelOracle(mixed.truth), budget=len(mixed.X) - 1):
        assert set(session.labels.tolist()) <= {0, 1}

    assert classes_of(session.labels.tolist()) == classes_of(mixed.truth.tolist())


def test_what_follows_from_two_groups_is_asked_last(mixed: Tiny) -> None:
    session, n = Session(mixed.X, ASC, 2), len(mixed.X)

    for _ in run(session, LabelOracle(mixed.truth), budget=n - 2):
        cluster, question = model_of(session).sides.cluster, session.ask()
        assert question is not None
        assert cluster[question.sample] != cluster[question.against]


def test_what_follows_from_two_groups_is_asked_in_the_end(mixed: Tiny) -> None:
    told = [(0, i, truth_of(mixed.truth.tolist(), 0, i)) for i in range(1, 20)]
    session = Session(mixed.X, ASC, 2, answers=told)
    apart = {i for _, i, verdict in told if verdict is DIFFERENT}

    for _ in run(session, LabelOracle(mixed.truth), budget=1000):
        assert set(session.history[-1].question.pair) <= apart

    assert session.progress.settled == 1.0


def test_it_asks_about_the_sample_that_fewer_answers_tie(mixed: Tiny) -> None:
    session, n = Session(mixed.X, ASC, 2), len(mixed.X)

    for _ in run(session, LabelOracle(mixed.truth), budget=n - 2):
        cluster, question = model_of(session).sides.cluster, session.ask()
        assert question is not None
        tied = np.bincount(cluster)[cluster]
        assert tied[question.sample] <= tied[question.against]


def test_questions_for_many_people_are_about_different_samples(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2)
    for _ in run(session, LabelOracle(mixed.truth), budget=4):
        pass

    batch = session.ask(6)

    assert len({question.sample for question in batch}) == 6


def test_answers_keep_the_cuts_of_the_graph(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2)
    before = model_of(session).cuts

    session.tell_pair(0, 1, SAME)

    assert model_of(session).cuts is before


def test_nothing_is_computed_before_somebody_looks(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2, answers=[(0, 1, SAME), (2, 3, UNSURE)])

    model = model_of(session)

    assert not {"labels", "indicator", "sides"} & vars(model).keys()
    assert "basis" not in vars(model.cuts)


def test_one_cluster_is_one_cluster_until_answers_part_it(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 1)
    assert set(session.labels.tolist()) == {0}

    session.tell_pair(0, 1, DIFFERENT)

    assert session.labels[0] != session.labels[1]


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(ASC)).name == "asc"

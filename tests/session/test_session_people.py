"""Batches, the group picker and explanations: what people and apps use."""

from __future__ import annotations

import numpy as np
import pytest

from likewise import (
    METHODS,
    InputError,
    LabelOracle,
    Question,
    Session,
    jaccard,
    run,
)
from likewise.datasets import Dataset, load
from likewise.session._session import MOST_BEHIND


@pytest.fixture(scope="module")
def iris() -> Dataset:
    return load("iris")


def irises(method: str, iris: Dataset) -> Dataset:
    """Return irises of as many kinds as the method can tell apart."""
    kinds = METHODS[method].most_clusters or 3
    return iris.subset(np.flatnonzero(iris.y < kinds))


@pytest.mark.parametrize("method", METHODS)
def test_a_batch_stays_open_until_it_is_told(method: str, iris: Dataset) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    oracle = LabelOracle(iris.y)

    batch = session.ask(5)

    assert session.ask(5) == batch
    assert session.ask() == batch[0]
    assert len({question.pair for question in batch}) == 5
    for question in reversed(batch):  # in any order
        session.tell(question, oracle(question))
        batch.remove(question)
        assert session.ask(len(batch)) == batch
    assert session.n_questions == 5


@pytest.mark.parametrize("method", [name for name in METHODS if name != "random"])
def test_a_batch_asks_about_different_samples(method: str, iris: Dataset) -> None:
    iris = irises(method, iris)
    batch = Session(iris.X, method, iris.n_classes).ask(8)

    assert len({question.sample for question in batch}) == 8


@pytest.mark.parametrize("method", METHODS)
def test_batches_end_like_single_questions(method: str) -> None:
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    most = METHODS[method].most_clusters
    truth = [0, 0, 1, 1, 2 if most is None else 0]
    session = Session(X, method, most)
    oracle = LabelOracle(truth)
    for _ in range(100):
        batch = session.ask(3)
        if not batch:
            break
        for question in batch:
            session.tell(question, oracle(question), on_conflict="keep")

    assert session.ask(3) == []
    assert jaccard(truth, session.labels) == 1.0


def test_batches_of_eight_sort_about_as_well(iris: Dataset) -> None:
    single, batched = Session(iris.X, n_clusters=3), Session(iris.X, n_clusters=3)
    oracle = LabelOracle(iris.y)
    for _ in run(single, oracle, 64):
        pass
    for _ in range(8):
        for question in batched.ask(8):
            batched.tell(question, oracle(question), on_conflict="keep")

    ahead = jaccard(iris.y, single.labels) - jaccard(iris.y, batched.labels)
    assert ahead < 0.1


@pytest.mark.parametrize("method", METHODS)
def test_a_question_besides_open_ones_is_another(method: str, iris: Dataset) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    first = session.ask()
    assert first is not None

    second = session.ask_besides([first])

    assert second is not None
    assert second.pair != first.pair
    assert session.ask() == first


@pytest.mark.parametrize("verdict", ["same", "different", "unsure"])
@pytest.mark.parametrize("method", METHODS)
def test_looking_ahead_shows_the_next_question_and_changes_nothing(
    method: str, verdict: str, iris: Dataset
) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    for _ in run(session, LabelOracle(iris.y), 6):
        pass
    question = session.ask()
    assert question is not None

    expected = session.ahead(question, verdict)

    assert (session.n_questions, session.ask()) == (6, question)
    session.tell(question, verdict)
    assert session.ask() == expected


def test_an_answer_nobody_asked_for_closes_the_batch(iris: Dataset) -> None:
    session = Session(iris.X, n_clusters=3)
    session.ask(4)

    session.tell_pair(0, 1, "same")

    fresh = Session(iris.X, n_clusters=3, answers=session.history)
    assert session.ask(4) == fresh.ask(4)


@pytest.mark.parametrize("method", METHODS)
def test_candidates_are_ranked_with_probabilities(method: str, iris: Dataset) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    for _ in run(session, LabelOracle(iris.y), 20):
        pass
    question = session.ask()
    assert question is not None

    found = session.candidates(question.sample)

    chances = [candidate.probability for candidate in found]
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= p <= 1 for p in chances)
    assert sum(chances) <= 1 + 1e-9
    groups = [sample for candidate in found for sample in candidate.group.samples]
    assert len(groups) == len(set(groups))


def test_the_likeliest_candidate_is_mostly_right(iris: Dataset) -> None:
    session = Session(iris.X, n_clusters=3)
    for _ in run(session, LabelOracle(iris.y), 60):
        pass

    right = [
        iris.y[session.candidates(i)[0].group.id] == iris.y[i] for i in range(0, 150, 5)
    ]

    assert np.mean(right) > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_a_sample_put_into_a_group_is_in_it(method: str, iris: Dataset) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    for _ in run(session, LabelOracle(iris.y), 10):
        pass
    group = session.groups[0]
    sample = next(
        i for i in range(len(iris.y)) if all(i not in g.samples for g in session.groups)
    )

    session.tell_group(sample, group)

    assert session.labels[sample] == session.labels[group.id]
    assert session.history[-1].how == "group"


@pytest.mark.parametrize("method", METHODS)
def test_a_new_group_is_apart_from_all_others_in_one_act(
    method: str, iris: Dataset
) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    for _ in run(session, LabelOracle(iris.y), 10):
        pass
    before = session.history
    sample = next(
        i for i in range(len(iris.y)) if all(i not in g.samples for g in session.groups)
    )
    shown = [candidate.group for candidate in session.candidates(sample)]

    session.tell_group(sample, "new")

    labels = session.labels
    assert all(labels[sample] != labels[group.id] for group in shown)
    session.undo()
    assert session.history == before


def test_a_first_group_of_its_own_is_nothing_to_record() -> None:
    session = Session([[0.0], [1.0], [9.0]], "urasc+n")

    session.tell_group(0, "new")

    assert session.undo() is None


def test_a_word_that_is_no_group_is_refused(iris: Dataset) -> None:
    with pytest.raises(InputError, match="'new'"):
        Session(iris.X).tell_group(0, "oak")


@pytest.mark.parametrize("method", METHODS)
def test_an_explanation_is_one_sentence_about_both_samples(
    method: str, iris: Dataset
) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    for view in run(session, LabelOracle(iris.y), 60):
        assert view.answer is not None
        question = view.answer.question
        words = session.explain(question)
        assert words.endswith(".")
        assert str(question.sample) in words
        assert str(question.against) in words


def test_progress_grows_towards_a_good_place_to_stop(iris: Dataset) -> None:
    session = Session(iris.X, n_clusters=3)
    start = session.progress
    for _ in run(session, LabelOracle(iris.y), 150):
        pass
    end = session.progress

    assert not start.is_good_place_to_stop
    assert end.is_good_place_to_stop
    assert start.settled < end.settled
    assert start.expected_wrong_pairs > end.expected_wrong_pairs
    assert end.expected_jaccard > 0.95


def test_groups_that_were_looked_at_and_rejected_are_told_too(iris: Dataset) -> None:
    session = Session(iris.X, n_clusters=3)
    session.tell_pair(0, 50, "different")

    session.tell_group(60, 50, unlike=[0])

    assert session.n_questions == 3
    assert [str(a.verdict) for a in session.history[1:]] == ["different", "same"]
    assert len(session.acts) == 2


def test_any_act_that_stands_can_be_undone(iris: Dataset) -> None:
    session = Session(iris.X, n_clusters=3)
    session.tell_pair(0, 1, "same")
    session.rename(0, "setosa")
    session.tell_pair(0, 50, "different")

    session.undo(0)

    assert session.acts == (1, 2)
    assert session.names == {0: "setosa"}
    assert [a.question.pair for a in session.history] == [(0, 50)]
    with pytest.raises(InputError, match="There is no act 0 to undo"):
        session.undo(0)


# A moment to work on while answers come in


@pytest.mark.parametrize("method", METHODS)
def test_a_moment_stays_as_it_is_while_answers_come_in(
    method: str, iris: Dataset
) -> None:
    iris = irises(method, iris)
    session = Session(iris.X, method, iris.n_classes)
    oracle = LabelOracle(iris.y)
    question = session.ask()
    assert question is not None
    then = session.view
    session.tell(question, oracle(question))

    assert session.ask_besides((), at=then) == question
    assert session.ask_besides(()) == session.ask() != question


def test_answers_that_nobody_looked_at_are_learned_together(iris: Dataset) -> None:
    """As many as one likes, and the next question is that of a session that looked."""
    oracle = LabelOracle(iris.y)
    looking, busy = Session(iris.X), Session(iris.X)
    busy.ask()
    for at in range(MOST_BEHIND + 10):
        i, j = at, (7 * at + 1) % len(iris.y)
        verdict = oracle(Question(i, j))
        looking.tell_pair(i, j, verdict, on_conflict="keep")
        busy.tell_pair(i, j, verdict, on_conflict="keep")
        looking.ask()

    assert len(busy._behind) < MOST_BEHIND
    assert busy.ask() == looking.ask()
    assert np.array_equal(busy.labels, looking.labels)

"""A coarse start: a part of the samples is asked about, in the name of all."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.problems import Tiny, blobs

from likewise import Session, _regime
from likewise.knowledge import GO_ON, Answer, Prediction, Question, Verdict
from likewise.methods import (
    coarse,
    find_method,
    part_of,
    problem_of,
    samples_of,
    whole_of,
)
from likewise.methods._coarse import Part, Places

COUNT = 24


@pytest.fixture(params=["likewise", "urasc+n"])
def method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tiny(seed: int) -> Tiny:
    return blobs((30, 25, 20), spread=1.2, seed=seed)


@pytest.fixture
def part(tiny: Tiny, method: str) -> Part:
    return part_of(tiny.X, find_method(method), None, COUNT, 0)


def started(tiny: Tiny, method: str, part: Part, **how: Any) -> Session:
    return Session(whole_of(tiny.X, part), coarse(find_method(method), part), **how)


def answer(session: Session, tiny: Tiny, n: int) -> list[Question]:
    """Answer questions rightly, and return them."""
    asked: list[Question] = []
    while len(asked) < n and (question := session.ask()) is not None:
        truly = tiny.truth[question.sample] == tiny.truth[question.against]
        session.tell(question, bool(truly))
        asked.append(question)
    return asked


def test_a_part_is_drawn_by_its_seed(tiny: Tiny) -> None:
    method = find_method("likewise")
    one, same, other = (
        part_of(tiny.X, method, None, COUNT, seed) for seed in (0, 0, 1)
    )

    assert one.rows.tolist() == same.rows.tolist() == sorted(set(one.rows.tolist()))
    assert len(one.rows) == COUNT
    assert one.rows.tolist() != other.rows.tolist()


def test_everybody_is_with_the_nearest_of_the_part(tiny: Tiny, part: Part) -> None:
    apart = ((tiny.X[:, np.newaxis] - tiny.X[part.rows]) ** 2).sum(axis=2)

    assert np.array_equal(part.nearest, apart.argmin(axis=1))


def test_the_questions_are_those_of_the_part_alone(tiny: Tiny) -> None:
    part = part_of(tiny.X, find_method("likewise"), None, COUNT, 0)
    few = Session(tiny.X[part.rows])
    all_ = started(tiny, "likewise", part)
    for _ in range(12):
        mine, theirs = few.ask(), all_.ask()
        assert mine is not None
        assert theirs is not None
        ends = mine.sample, mine.against
        assert [theirs.sample, theirs.against] == part.rows[list(ends)].tolist()
        truly = bool(tiny.truth[theirs.sample] == tiny.truth[theirs.against])
        few.tell(mine, truly)
        all_.tell(theirs, truly)

    assert np.array_equal(all_.labels, few.labels[part.nearest])


def test_to_learn_is_to_begin_on_more_answers(
    tiny: Tiny, method: str, part: Part
) -> None:
    session = started(tiny, method, part)
    answer(session, tiny, 8)
    again = started(tiny, method, part, answers=session.history)

    assert again.ask() == session.ask()
    assert np.array_equal(again.labels, session.labels)


def test_what_is_said_of_other_samples_counts(
    tiny: Tiny, method: str, part: Part
) -> None:
    session = started(tiny, method, part)
    answer(session, tiny, 4)
    out = np.setdiff1d(np.arange(len(tiny.X)), part.rows)[:6].tolist()
    for i, j in pairwise(out):
        session.tell_pair(i, j, bool(tiny.truth[i] == tiny.truth[j]))
    answer(session, tiny, 4)

    relation, labels = session.known.constraints.relation, session.labels
    for i in out:
        for j in out:
            if i != j and (said := relation(i, j)) is not None:
                assert (labels[i] == labels[j]) == (said is Verdict.SAME)
    again = started(tiny, method, part, answers=session.history)
    assert again.ask() == session.ask()


def test_nobody_is_asked_about_what_was_set_aside(
    tiny: Tiny, method: str, part: Part
) -> None:
    session = started(tiny, method, part)
    question = session.ask()
    assert question is not None
    session.set_aside(question.sample)
    session.set_aside(int(np.setdiff1d(np.arange(len(tiny.X)), part.rows)[0]))
    asked = answer(session, tiny, 20)

    assert all(question.sample not in one.pair for one in asked)
    assert (session.labels == -1).sum() == 2


def test_screens_show_samples_of_the_part(tiny: Tiny, method: str, part: Part) -> None:
    session = started(tiny, method, part)
    answer(session, tiny, 4)
    sheet = session.ask_screen(kinds=["sheet"])
    assert sheet is not None

    shown = {s for question in sheet.questions for s in question.pair}
    assert shown <= set(part.rows.tolist())
    session.tell_sheet(sheet, tapped=[])  # type: ignore[arg-type]
    assert session.n_questions > 4


def test_others_are_asked_besides_what_is_open(
    tiny: Tiny, method: str, part: Part
) -> None:
    session = started(tiny, method, part)
    first = session.ask_besides(())
    assert first is not None
    out = int(np.setdiff1d(np.arange(len(tiny.X)), part.rows)[0])
    beside = session.ask_besides([first, Question(out, first.against)])

    assert beside is not None
    assert beside.sample != first.sample
    assert beside.pair != first.pair


def test_no_part_says_that_it_is_enough(tiny: Tiny, method: str, part: Part) -> None:
    session = started(tiny, method, part)
    answer(session, tiny, 60)

    assert not session.progress.is_good_place_to_stop
    assert 0 < session.progress.expected_right <= 1
    assert sum(p for _, p in session.view.model.chances(0).groups) <= 1 + 1e-9
    assert session.view.model.confidence.shape == (len(tiny.X),)


def test_the_graph_of_all_ties_each_to_its_nearest(tiny: Tiny, part: Part) -> None:
    whole = whole_of(tiny.X, part)
    W = whole.weights.toarray()
    inside = np.ix_(part.rows, part.rows)
    alone = problem_of(tiny.X[part.rows], affinity="auto", n_clusters=None)

    assert np.allclose(W, W.T)
    assert np.allclose(W[inside], alone.weights.toarray())
    for sample in np.setdiff1d(np.arange(len(tiny.X)), part.rows).tolist():
        nearest = part.rows[part.nearest[sample]]
        assert np.flatnonzero(W[sample]).tolist() == [nearest]


def test_what_an_answer_means_is_carried_over() -> None:
    places = Places(np.array([3, 5, 9]))
    instead = Question(3, 9, Prediction(0.4, if_different=5))
    answers = [Answer(instead, Verdict.DIFFERENT), Answer(Question(5, 3), Verdict.SAME)]
    inside = places.answers_in(answers)

    assert samples_of(answers) == {3, 5, 9}
    assert inside[0].question.pair == (0, 2)
    assert inside[0].question.predicted == Prediction(0.4, if_different=1)
    back = places.question_out(inside[0].question)
    assert back == instead
    assert back.predicted == instead.predicted
    plain = Question(0, 1, Prediction(0.4, if_different=GO_ON))
    out = places.question_out(plain)
    assert out is not None
    assert out.predicted == plain.predicted


# The method that takes over


def test_answers_settle_what_they_settled(
    monkeypatch: pytest.MonkeyPatch, tiny: Tiny, seed: int
) -> None:
    monkeypatch.setattr(_regime, "COARSE_FROM", 0)  # as if they were many
    part = part_of(tiny.X, find_method("likewise"), None, COUNT, seed)
    early = started(tiny, "likewise", part)
    answer(early, tiny, 12)
    full = Session(tiny.X, answers=early.history)
    believed = full.view.model.beliefs.class_of  # type: ignore[attr-defined]

    told = [a for a in early.history if a.verdict is Verdict.SAME]
    assert told
    for question in (a.question for a in told):
        if question.predicted is not None and question.predicted.if_same:
            assert believed[question.sample] == believed[question.against]


def test_to_take_over_is_to_begin_with_all_answers(tiny: Tiny, method: str) -> None:
    part = part_of(tiny.X, find_method(method), None, COUNT, 0)
    early = started(tiny, method, part)
    answer(early, tiny, 10)
    at_once = Session(tiny.X, method, answers=early.history)
    in_turn = Session(tiny.X, method, answers=early.history[:4])
    in_turn.ask()
    for told in early.history[4:]:
        in_turn.tell(told.question, told.verdict)

    assert in_turn.ask() == at_once.ask()
    assert np.array_equal(in_turn.labels, at_once.labels)

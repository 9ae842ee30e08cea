"""A model that reads first, and people who check it and answer the rest."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import blobs

from likewise import (
    Answer,
    InputError,
    LabelOracle,
    Question,
    Session,
    Verdict,
    jaccard,
)
from likewise.knowledge import Said
from likewise.readers import FirstReader
from likewise.readers._first import Read

TINY = blobs((10, 10, 10))


class Counted:
    """People who are always right, and count."""

    def __init__(self) -> None:
        self.truth, self.n = LabelOracle(TINY.truth), 0

    def __call__(self, question: Question) -> Verdict:
        self.n += 1
        return self.truth(question)


def model(error: float, sure: float = 0.99, seed: int = 0) -> Read:
    """A model that is wrong in a share of pairs, and always as sure."""
    wrong = LabelOracle(TINY.truth, error_rate=error, seed=seed)
    return lambda question: (wrong(question), sure)


def test_people_answer_little_where_the_model_is_right() -> None:
    people = Counted()
    first = FirstReader(Session(TINY.X), model(0.0), people)

    *_, last = first.run(most_people=200)

    assert jaccard(TINY.truth, last.labels) == 1
    assert last.n_model > 3 * last.n_people
    assert last.n_people == people.n
    assert {answer.by for answer in first.session.history} <= {"model:first", "person"}


def test_a_bad_model_is_noticed_and_all_it_said_is_taken_back() -> None:
    people, groups = Counted(), LabelOracle(np.arange(30) % 3)
    often = FirstReader(  # what it says fits together, so that only people can tell
        Session(TINY.X), lambda q: (groups(q), 0.9999), people, share=0.5, readings=1
    )

    *_, last = often.run(most_people=400)

    assert last.band.is_stopped
    assert last.band.n_checks
    assert "it is stopped" in last.band.sentence
    assert {answer.by for answer in often.session.history} == {"person"}
    assert jaccard(TINY.truth, last.labels) == 1


def test_one_that_contradicts_itself_is_not_let_in() -> None:
    people = Counted()
    first = FirstReader(Session(TINY.X), model(0.5, sure=0.9999), people)

    *_, last = first.run(most_people=400)

    assert last.band.is_stopped
    assert "contradicts itself" in last.band.sentence
    assert (last.n_model, last.band.n_checks) == (0, 0)
    alone = Session(TINY.X)
    while (question := alone.ask()) is not None:
        alone.tell(question, people.truth(question), by="person")
    assert [a.question for a in first.session.history] == [
        a.question for a in alone.history
    ]


def test_nothing_is_read_twice() -> None:
    truth, asked = LabelOracle(TINY.truth), []

    def read(question: Question) -> tuple[Said, float]:
        asked.append(question.pair)
        return truth(question), 0.9

    first = FirstReader(Session(TINY.X), read, Counted())
    *_, last = first.run(most_people=20)

    assert len(set(asked)) == len(asked) == last.n_readings


def test_what_people_said_stays_as_it_is_when_the_model_is_given_up() -> None:
    often, people = model(0.5, sure=0.9999), Counted()

    def read(question: Question) -> tuple[Said, float]:
        return often(question) if people.n > 4 else ("unsure", 0.5)

    first = FirstReader(Session(TINY.X), read, people, share=0.5)
    before: tuple[Answer, ...] = ()
    for moment in first.run(most_people=400):
        if moment.band.is_stopped:
            break
        before = first.session.history

    assert moment.band.is_stopped
    theirs = [a for a in before if a.by == "person" and a.question.predicted]
    assert theirs
    assert {*theirs} <= {*first.session.history}


def test_what_the_model_is_not_sure_of_is_left_to_people() -> None:
    first = FirstReader(Session(TINY.X), model(0.0, sure=0.5), Counted())

    *_, last = first.run(most_people=200)

    assert last.n_model == 0
    assert jaccard(TINY.truth, last.labels) == 1


def test_a_model_that_is_never_sure_enough_is_said_to_be_silent() -> None:
    first = FirstReader(Session(TINY.X), model(0.0, sure=0.6), Counted(), readings=1)

    *_, last = first.run(most_people=20)

    assert last.band.is_silent
    assert not last.band.is_stopped
    assert "it is silent, and people answer" in last.band.sentence


def test_a_model_that_answers_is_not_silent() -> None:
    first = FirstReader(Session(TINY.X), model(0.0), Counted())

    assert not any(m.band.is_silent for m in first.run(8) if m.by == first.who)


def test_where_a_person_differs_theirs_counts() -> None:
    first = FirstReader(
        Session(TINY.X), model(0.3), Counted(), share=1.0, worth=1.0, readings=1
    )
    for moment in first.run(most_people=10):
        if moment.by == "person":
            told = [a for a in first.session.history if a.by == "model:first"]
            right = LabelOracle(TINY.truth)
            assert all(answer.verdict is right(answer.question) for answer in told)


def test_its_answers_can_be_limited_and_the_same_seed_tells_the_same() -> None:
    traces = []
    for _ in range(2):
        first = FirstReader(Session(TINY.X), model(0.1), Counted(), most=5, seed=3)
        traces.append([(m.n_people, m.n_model) for m in first.run(most_people=60)])
        assert first.n_model == 5

    assert traces[0] == traces[1]


def test_somebody_has_to_check() -> None:
    with pytest.raises(InputError, match="nobody checks"):
        FirstReader(Session(np.eye(3)), model(0.0), Counted(), share=0.0)

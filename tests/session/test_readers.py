"""Who answers: names beside answers, and how often each one errs."""

from __future__ import annotations

import numpy as np
import pytest

from likewise import LabelOracle, Question, Session, Sheet
from likewise.datasets import load
from likewise.errors import InputError
from likewise.knowledge import MemoryJournal
from likewise.storage import Author, ProjectJournal, open_store

X = [[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]]


def begun(journal: MemoryJournal | ProjectJournal | None = None) -> Session:
    return Session(X, n_clusters=2, journal=journal)


def test_each_way_of_telling_says_whose_answer_it_is() -> None:
    session = begun()
    session.tell(Question(0, 1), "same", by="ann")
    session.tell_pair(0, 3, "different", by="bob")
    session.tell_group(4, 3, by="eve")
    session.revise(session.repairs.confirm([2, 0]), by="ida")

    assert [answer.by for answer in session.history] == ["ann", "bob", "eve", "ida"]
    assert [reader.name for reader in session.readers] == ["ann", "bob", "eve", "ida"]


def test_a_sheet_and_an_overview_are_by_who_filled_them_in() -> None:
    session = begun()
    sheet = session.ask_screen(kinds=["sheet"])
    assert isinstance(sheet, Sheet)
    session.tell_sheet(sheet, by="ann", seconds=4.0)

    assert {answer.by for answer in session.history} == {"ann"}
    assert session.readers[0].seconds == 4.0


def test_what_was_known_from_the_start_nobody_gave() -> None:
    session = Session(X, n_clusters=2, known={0: "a", 3: "b"})

    assert session.readers == ()
    assert {answer.by for answer in session.history} == {""}


def test_a_name_must_be_one() -> None:
    with pytest.raises(InputError, match="name"):
        begun().tell_pair(0, 1, "same", by="  ")


def test_names_come_back_with_the_journal() -> None:
    journal = MemoryJournal()
    begun(journal).tell_pair(0, 1, "same", by="ann")

    assert begun(journal).history[0].by == "ann"


def test_in_a_project_answers_are_by_who_acts() -> None:
    project = open_store("memory://").create("leaves", {}, now=0.0)
    journal = ProjectJournal(project, "ann", lambda: 60.0)
    session = begun(journal)
    session.tell_pair(0, 1, "same")
    with journal.by(Author("bob")):
        session.tell_pair(0, 3, "different")
    session.tell_pair(3, 4, "same", by="eve")  # ann writes down what eve said

    again = begun(ProjectJournal(project, "ida", lambda: 61.0))
    assert [answer.by for answer in again.history] == ["ann", "bob", "eve"]
    assert again.history == session.history
    assert again.readers == session.readers


def test_what_is_taken_back_counts_no_more() -> None:
    session = begun()
    session.tell(Question(0, 1), "same", by="ann", seconds=3.0)
    session.tell(Question(0, 3), "unsure", by="ann", seconds=5.0)
    session.undo()

    (ann,) = session.readers
    assert (ann.n_answers, ann.n_unsure, ann.seconds) == (1, 0, 3.0)


def test_whoever_cannot_tell_is_seen_to() -> None:
    session = begun()
    for other in (1, 2, 3):
        session.tell(Question(0, other), "unsure", by="ann")
    session.tell(Question(4, 5), "same", by="bob")

    ann, bob = session.readers
    assert (ann.n_unsure, bob.n_unsure) == (3, 0)
    assert ann.unsure.mean > bob.unsure.mean


def test_checks_are_counted_for_who_answered_them() -> None:
    session = begun()
    session.tell_pair(0, 1, "same", by="ann")
    session.tell_pair(1, 2, "same", by="ann")
    check = session.check()
    assert check is not None
    session.tell(check, "different", by="bob")

    ann, bob = session.readers
    assert (ann.reliability.n_checks, bob.reliability.n_checks) == (0, 1)
    assert bob.reliability.n_failed == 1
    assert bob.reliability.rate > ann.reliability.rate


def test_one_reader_has_the_rate_that_checks_show() -> None:
    session = begun()
    session.tell_pair(0, 1, "same", by="ann")

    (ann,) = session.readers
    assert ann.reliability == session.reliability


def test_a_name_changes_nothing_for_one_reader() -> None:
    wine = load("wine")
    named, plain = (Session(wine.X, n_clusters=3) for _ in range(2))
    oracle = LabelOracle(wine.y, error_rate=0.05)
    for _ in range(25):
        question = plain.ask()
        assert question is not None
        assert named.ask() == question
        plain.tell(question, oracle(question), on_conflict="keep")
        named.tell(question, oracle(question), on_conflict="keep", by="ann")

    np.testing.assert_array_equal(named.labels, plain.labels)

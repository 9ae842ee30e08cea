"""The log of answers: what it says, and that it can be read in again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exports.piles import (
    KEYS,
    LINE,
    acting,
    answered,
    as_sets,
    project_of,
    session_of,
)
from tests.lines import ask, told
from tests.stores import KINDS, reopener
from tests.strategies import VERDICTS, pairs

from likewise import Question, Session, Verdict
from likewise.exports import (
    Incoming,
    answer_chunks,
    export_chunks,
    read_answers,
    record,
)
from likewise.knowledge import Numbered, Prediction, Renamed, Undone, with_numbers
from likewise.storage import Item, Project, ProjectJournal

Act: TypeAlias = tuple[str, int, int, Verdict]


def lines(project: Project) -> list[dict[str, Any]]:
    whole = b"".join(answer_chunks(project)).decode()
    return [json.loads(line) for line in whole.split("\n")[:-1]]


def moved(project: Project, into: Project) -> Incoming:
    """Export the answers of one project and import them into another."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_bytes(b"".join(answer_chunks(project)))
        incoming = read_answers(path, into)
    record(incoming, into, who="bob", now=99.0)
    return incoming


def do(session: Session, act: Act) -> None:
    """Do one of the acts that a person can do."""
    kind, i, j, verdict = act
    kinds: dict[str, Callable[[], object]] = {
        "tell": lambda: session.tell_pair(i, j, verdict, on_conflict="keep"),
        "answer": lambda: answer(session, verdict),
        "undo": session.undo,
        "retract": lambda: retract(session, i),
        "rename": lambda: session.rename(i, f"name {j}" if j % 3 else ""),
        "aside": lambda: session.set_aside(i % 2),
        "back": lambda: session.put_back(i % 2),
    }
    kinds[kind]()


def answer(session: Session, verdict: Verdict) -> None:
    question = session.ask()
    if question is not None:
        session.tell(question, verdict, on_conflict="keep")


def retract(session: Session, which: int) -> None:
    history = session.history
    if history:
        session.retract(history[which % len(history)].id)


def acts(*kinds: str) -> st.SearchStrategy[list[Act]]:
    act = st.tuples(st.sampled_from(kinds), pairs(12), st.sampled_from(VERDICTS))
    flat = act.map(lambda drawn: (drawn[0], *drawn[1], drawn[2]))
    return st.lists(flat, max_size=12)


CHEAP = ("tell", "undo", "retract", "rename", "aside", "back")


# What a line says


def test_a_line_says_who_when_what_and_about_which_items() -> None:
    project = answered(lambda s: s.tell_pair(3, 5, "same"))

    (line,) = lines(project)

    assert (line["number"], line["who"]) == (0, "ann")
    assert line["at"] == "1970-01-01T00:01:00.000Z"
    assert line["what"]["told"][0]["verdict"] == "same"
    assert line["items"] == {"3": KEYS[3], "5": KEYS[5]}
    assert (line["undone"], line["retracted"]) == (False, [])


def test_a_line_names_the_item_that_a_question_had_in_mind() -> None:
    meant = Question(3, 5, Prediction(0.4, if_different=7))
    project = project_of()
    acting(project).tell(meant, "different")

    assert lines(project)[0]["items"].keys() == {"3", "5", "7"}


def test_what_was_undone_is_in_the_log_and_marked() -> None:
    project = answered(lambda s: s.tell_pair(3, 5, "same"), lambda s: s.undo())

    assert [line["undone"] for line in lines(project)] == [True, False]


def test_an_answer_that_was_taken_back_is_marked() -> None:
    project = answered(
        lambda s: s.tell_pair(3, 5, "same"),
        lambda s: s.tell_pair(3, 4, "same"),
        lambda s: s.retract(1),
    )

    assert [line["retracted"] for line in lines(project)] == [[1], [], []]


def test_a_retraction_that_was_undone_leaves_no_mark() -> None:
    project = answered(
        lambda s: s.tell_pair(3, 5, "same"), lambda s: s.retract(1), lambda s: s.undo()
    )

    assert lines(project)[0]["retracted"] == []


def test_the_log_stays_as_it_was_while_it_is_read() -> None:
    project = answered(lambda s: s.tell_pair(3, 5, "same"))
    chunks = answer_chunks(project)
    acting(project).tell_pair(1, 2, "same")

    assert len(b"".join(chunks).splitlines()) == 1


def test_a_project_without_answers_has_an_empty_log() -> None:
    assert lines(project_of()) == []


def test_the_page_gets_the_same_log() -> None:
    project = answered(lambda s: s.tell_pair(3, 5, "same"))

    chunks = export_chunks("answers", project, session_of(project))

    assert b"".join(chunks) == b"".join(answer_chunks(project))


# Round trips


@given(acts(*CHEAP))
def test_everything_that_stands_comes_in_again(
    done: list[Act],
) -> None:
    project, other = project_of(), project_of()
    session = acting(project)
    for act in done:
        do(session, act)
    if not (session.history or session.names or session.view.known.aside):
        return

    moved(project, other)

    again = session_of(other)
    assert told(again) == told(session)
    assert [a.how for a in again.history] == [a.how for a in session.history]
    assert again.view.known.aside == session.view.known.aside
    assert again.view.known.certain == session.view.known.certain
    assert {s: n for s, n in again.names.items() if n} == {
        s: n for s, n in session.names.items() if n
    }


@settings(max_examples=20)
@given(acts("answer", "answer", "answer", *CHEAP))
def test_an_import_gives_the_same_labels_groups_and_next_question(
    done: list[Act],
) -> None:
    project, other = project_of(), project_of()
    session = acting(project)
    session.tell(ask(session), "different")
    for act in done:
        do(session, act)
    if not session.history:
        return

    moved(project, other)

    again = session_of(other)
    np.testing.assert_array_equal(again.labels, session.labels)
    assert again.groups == session.groups
    assert again.ask() == session.ask()


@pytest.mark.parametrize("kind", KINDS)
def test_an_export_of_every_store_comes_in_again(kind: str, tmp_path: Path) -> None:
    store = reopener(kind, tmp_path)()
    source, target = (store.create(name, {}, now=0.0) for name in ("one", "two"))
    for project in (source, target):
        project.add_items(Item(key, "image") for key in KEYS)
        project.put_array("features", LINE)
    session = Session(LINE, journal=ProjectJournal(source, "ann", lambda: 60.0))
    for _ in range(4):
        session.tell(ask(session), "different", on_conflict="keep")
    session.set_aside(11)
    session.rename(0, "oak")

    moved(source, target)

    again = session_of(target)
    np.testing.assert_array_equal(again.labels, session.labels)
    assert again.groups == session.groups


def test_answers_follow_the_files_into_another_order() -> None:
    shuffled = tuple(reversed(KEYS))
    project = answered(
        lambda s: s.tell_pair(0, 1, "same"),
        lambda s: s.tell_pair(0, 6, "different"),
        lambda s: s.rename(0, "oak"),
    )
    other = project_of(shuffled, LINE[::-1])

    moved(project, other)

    again = session_of(other)
    assert as_sets(again, shuffled) == as_sets(session_of(project))
    assert again.names == {11: "oak"}


def test_all_answers_are_one_act() -> None:
    project = answered(
        lambda s: s.tell_pair(0, 1, "same"), lambda s: s.tell_pair(0, 6, "different")
    )
    other = project_of()

    moved(project, other)

    (act,) = other.acts()
    assert (act.who, act.at) == ("bob", 99.0)


def test_the_same_log_again_changes_nothing() -> None:
    project, other = answered(lambda s: s.tell_pair(0, 1, "same")), project_of()
    for _ in range(2):
        moved(project, other)

    assert len(other.acts()) == 1


def test_answers_about_files_that_are_not_there_are_counted() -> None:
    project = answered(
        lambda s: s.tell_pair(0, 1, "same"), lambda s: s.tell_pair(0, 11, "different")
    )
    other = project_of(KEYS[:11], LINE[:11])

    incoming = moved(project, other)

    assert (incoming.unknown, incoming.n_left_out) == ((KEYS[11],), 1)
    assert len(incoming.answers) == 1


def test_lines_that_somebody_took_out_are_no_harm(tmp_path: Path) -> None:
    project = answered(
        lambda s: s.tell_pair(0, 1, "same"),
        lambda s: s.tell_pair(2, 3, "same"),
        lambda s: s.undo(),
        lambda s: s.tell_pair(4, 5, "same"),
    )
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"".join(b"".join(answer_chunks(project)).splitlines(True)[1:]))

    incoming = read_answers(path, project_of())

    assert [answer.question.pair for answer in incoming.answers] == [(4, 5)]


def test_numbers_of_groups_are_not_in_the_log() -> None:
    project, numbers = project_of(), Numbered(((1, 4),))
    for event in (numbers, with_numbers(Renamed(1, "oak"), numbers), Undone(1)):
        project.act(event, who="ann", now=60.0)

    found = lines(project)

    assert [line["number"] for line in found] == [1, 2]
    assert [line["what"] for line in found] == [
        {"renamed": 1, "name": "oak"},
        {"undone": 1},
    ]
    assert [line["undone"] for line in found] == [True, False]

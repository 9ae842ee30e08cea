"""Promises kept by every journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from likewise import Answer, LabelOracle, Question, Session, Verdict, run
from likewise.datasets import load
from likewise.knowledge import (
    Authored,
    Event,
    Journal,
    Kept,
    MemoryJournal,
    Numbered,
    Prediction,
    Renamed,
    Retracted,
    SetAside,
    Together,
    Told,
    Undone,
    signed,
)
from likewise.storage import JsonLinesJournal, ProjectJournal, Store, open_store

Reopen = Callable[[], Journal]

EVENTS: list[Event] = [
    Told(
        (
            Answer(
                Question(3, 1, Prediction(0.25, "check", 0.5, False, 7)),
                Verdict.SAME,
                1,
                "asked",
            ),
        )
    ),
    Told(
        (
            Answer(Question(4, 1), Verdict.DIFFERENT, 2, "group"),
            Answer(Question(4, 3), Verdict.UNSURE, 3, "told"),
        )
    ),
    Renamed(3, 'oak, "red" – ÄÖ'),
    SetAside(7),
    SetAside(7, aside=False),
    Retracted((2,)),
    Kept((1,)),
    Together(
        (
            Retracted((3,)),
            Told((Answer(Question(4, 3), Verdict.SAME, 4, "review"),)),
            SetAside(5),
        )
    ),
    Undone(2),
    Numbered(((1, 3), (2, 4))),
    Together((Renamed(3, "elm"), Numbered(((2, 5),)))),
]


@pytest.fixture(params=["memory", "jsonl", "project", "sqlite"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reopen]:
    """Return a function that opens the same journal again."""
    stores: list[Store] = []
    if request.param == "memory":
        journal = MemoryJournal()
        yield lambda: journal
    elif request.param == "jsonl":
        yield lambda: JsonLinesJournal(tmp_path / "answers.jsonl")
    else:
        is_file = request.param == "sqlite"
        stores.append(open_store(tmp_path / "a.db" if is_file else "memory://"))
        stores[0].create("leaves", {}, now=0.0)
        yield lambda: ProjectJournal(stores[0].project("leaves"), "ann", lambda: 1.0)
    for store in stores:
        store.close()


def test_events_come_back_as_they_went_in(reopen: Reopen) -> None:
    """Answers that name nobody are by who acts, where the journal knows who that is."""
    for event in EVENTS:
        reopen().append(event)

    journal = reopen()
    who = journal.who if isinstance(journal, Authored) else ""
    assert list(journal.read()) == [signed(event, who) for event in EVENTS]
    first = next(iter(reopen().read()))
    assert isinstance(first, Told)
    predicted = first.answers[0].question.predicted  # no part of equality
    assert predicted == Prediction(0.25, "check", 0.5, False, 7)


def test_a_new_journal_is_empty(reopen: Reopen) -> None:
    assert list(reopen().read()) == []


def test_a_session_goes_on_where_it_stopped(reopen: Reopen) -> None:
    wine = load("wine")
    session = Session(wine.X, n_clusters=3, journal=reopen())
    for _ in run(session, LabelOracle(wine.y), 12):
        pass
    session.undo()
    session.rename(session.groups[0], "oak")

    resumed = Session(wine.X, n_clusters=3, journal=reopen())

    assert resumed.history == session.history
    assert resumed.groups == session.groups
    assert resumed.ask() == session.ask()

"""The journal is the only state of a session: undo, retract, resume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.definitions import truth_of
from tests.lines import LINE, ask, told
from tests.problems import Tiny, blobs

from likewise import (
    METHODS,
    Answer,
    InputError,
    LabelOracle,
    Question,
    Session,
    Verdict,
    run,
)
from likewise.knowledge import (
    Knowledge,
    MemoryJournal,
    Numbered,
    Renamed,
    Retracted,
    SetAside,
    Told,
    with_numbers,
)
from likewise.methods import AnyMethod, Problem
from likewise.session import Numbers, Revision


@pytest.fixture
def session() -> Session:
    """Two rows of six samples, 0 to 5 and 6 to 11, far from each other."""
    return Session(LINE, n_clusters=2)


def test_undo_takes_back_the_last_answer(session: Session) -> None:
    first = ask(session)
    session.tell(first, "same")
    second = ask(session)
    session.tell(second, "different")

    undone = session.undo()

    assert undone == Told((Answer(second, Verdict.DIFFERENT, 2, "asked"),))
    assert session.ask() == second
    assert told(session) == [(first.sample, first.against, "same")]


def test_undo_reaches_back_to_the_beginning(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, n_clusters=3)
    seen = [(session.ask(), session.labels.tolist())]
    steps = run(session, LabelOracle(blurred_blobs.truth), budget=10)
    seen += [(session.ask(), view.labels.tolist()) for view in steps]

    while seen:
        assert (session.ask(), session.labels.tolist()) == seen.pop()
        session.undo()
    assert session.history == ()


def test_there_is_nothing_to_undo_at_the_beginning(session: Session) -> None:
    assert session.undo() is None


@pytest.mark.parametrize("act", ["rename", "aside", "back", "retract"])
def test_undo_takes_back_any_act(session: Session, act: str) -> None:
    session.tell_pair(0, 1, "same")
    session.rename(0, "left")
    session.set_aside(5)
    before = session.groups, session.labels.tolist(), session.history

    acts = {
        "rename": lambda: session.rename(1, "right"),
        "aside": lambda: session.set_aside(7),
        "back": lambda: session.put_back(5),
        "retract": lambda: session.retract(1),
    }
    acts[act]()
    assert (session.groups, session.labels.tolist(), session.history) != before
    undone = session.undo()

    expected = {
        "rename": Renamed(1, "right"),
        "aside": SetAside(7),
        "back": SetAside(5, aside=False),
        "retract": Retracted((1,)),
    }
    assert undone == expected[act]
    assert (session.groups, session.labels.tolist(), session.history) == before


def test_any_answer_can_be_retracted(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.tell_pair(1, 2, "same")
    session.tell_pair(6, 7, "same")

    session.retract(2)

    assert told(session) == [(0, 1, "same"), (6, 7, "same")]
    assert [group.samples for group in session.groups] == [(0, 1), (6, 7)]


@pytest.mark.parametrize("number", [0, 2, -1])
def test_an_answer_that_does_not_stand_cannot_be_retracted(
    session: Session, number: int
) -> None:
    session.tell_pair(0, 1, "same")

    with pytest.raises(InputError, match=f"no answer {number}:"):
        session.retract(number)


def test_an_answer_cannot_be_retracted_twice(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.retract(1)

    with pytest.raises(InputError, match="no answer 1:"):
        session.retract(1)


def test_numbers_of_answers_are_stable_and_never_used_again(session: Session) -> None:
    for i in range(4):
        session.tell_pair(i, i + 1, "same")
    session.retract(2)
    session.undo()
    session.undo()
    session.tell_pair(6, 7, "same")

    assert [answer.id for answer in session.history] == [1, 2, 3, 5]


def test_a_journal_is_taken_up_again(blurred_blobs: Tiny) -> None:
    journal = MemoryJournal()
    session = Session(blurred_blobs.X, n_clusters=3, journal=journal)
    for _ in run(session, LabelOracle(blurred_blobs.truth), budget=9):
        pass
    session.retract(3)
    session.rename(int(session.groups[0].id), "oak")
    session.set_aside(2)

    resumed = Session(blurred_blobs.X, n_clusters=3, journal=journal)

    assert resumed.history == session.history
    assert resumed.groups == session.groups
    assert resumed.labels.tolist() == session.labels.tolist()
    assert resumed.ask() == session.ask()
    assert resumed.undo() == SetAside(2)


def test_a_journal_with_answers_is_not_given_them_again() -> None:
    journal = MemoryJournal()
    Session(LINE, answers=[(0, 1, "same")], journal=journal)

    resumed = Session(LINE, answers=[(0, 1, "same")], journal=journal)

    assert told(resumed) == [(0, 1, "same")]


def random_act(session: Session, truth: list[int], rng: np.random.Generator) -> None:
    """Undo, retract, tell something or answer a question, by lot."""
    lot, question = rng.random(), session.ask()
    if lot < 0.12:
        session.undo()
    elif lot < 0.22 and session.history:
        session.retract(int(rng.choice([answer.id for answer in session.history])))
    elif lot < 0.45 or question is None:
        i, j = rng.choice(len(truth), 2, replace=False).tolist()
        is_wrong = rng.random() < 0.1
        verdict = (truth_of(truth, i, j) is Verdict.SAME) != is_wrong
        session.tell_pair(i, j, verdict, on_conflict="keep")
    else:
        oracle = LabelOracle(truth, error_rate=0.05, unsure_rate=0.1)
        session.tell(question, oracle(question), on_conflict="keep")


@pytest.mark.parametrize("method", ["urasc+n", "random"])
def test_a_long_session_is_a_function_of_the_answers_that_stand(
    method: str, seed: int
) -> None:
    tiny = blobs((12, 10, 8, 6), spread=1.2, seed=seed)
    rng = np.random.default_rng(seed)
    journal = MemoryJournal()
    session = Session(tiny.X, method, n_clusters=4, journal=journal)

    n_answers = 0
    while n_answers < 300:
        random_act(session, tiny.truth.tolist(), rng)
        n_answers = sum(isinstance(event, Told) for event in journal.read())
        if n_answers % 60 == 0:
            fresh = Session(tiny.X, method, n_clusters=4, answers=session.history)
            assert fresh.labels.tolist() == session.labels.tolist()
            assert fresh.ask() == session.ask()
    assert told(fresh) == told(session)
    assert len(session.doubtful) > 0


def test_what_others_wrote_to_the_journal_is_taken_in() -> None:
    journal = MemoryJournal()
    mine, theirs = Session(LINE, journal=journal), Session(LINE, journal=journal)
    theirs.tell_pair(0, 1, "same")

    mine.reload()

    assert mine.history == theirs.history
    assert mine.ask() == theirs.ask()


# What is not worked out again


@dataclass
class Counting:
    """A method that counts how often it begins and learns."""

    name: str
    n_begun: int = 0
    n_learned: int = 0

    @property
    def method(self) -> AnyMethod:
        plain = METHODS[self.name]

        def begin(problem: Problem, known: Knowledge, rng: np.random.Generator) -> Any:
            self.n_begun += 1
            return plain.begin(problem, known, rng)

        def learn(model: Any, known: Knowledge, answer: Answer) -> Any:
            self.n_learned += 1
            return plain.learn(model, known, answer)

        return replace(plain, begin=begin, learn=learn)


def undone(act: Callable[[Session], object]) -> Callable[[Session], object]:
    def do(session: Session) -> None:
        act(session)
        session.undo()

    return do


QUIET: dict[str, Callable[[Session], object]] = {
    "rename": lambda session: session.rename(0, "oak"),
    "undo a name": undone(lambda session: session.rename(0, "oak")),
    "keep": lambda session: session.keep(3),
    "undo what was kept": undone(lambda session: session.keep(3)),
    "number": lambda session: session.number(Numbered(((1, 0), (2, 6)))),
    "rename in a review": lambda session: session.revise(
        Revision(renamed=((0, "oak"), (6, "elm")))
    ),
    "put back what is there": lambda session: session.put_back(4),
    "read again": lambda session: session.reload(),
}


@pytest.mark.parametrize("act", QUIET)
@pytest.mark.parametrize("name", ["likewise", "urasc+n"])
def test_what_changes_no_number_leaves_model_and_question(name: str, act: str) -> None:
    counting = Counting(name)
    session = Session(LINE, counting.method, n_clusters=2)
    session.tell_pair(0, 1, "same")
    session.tell_pair(1, 2, "same")
    session.tell_pair(0, 2, "different", on_conflict="keep")
    batch, model = session.ask(3), session.view.model
    expected = session.ahead(batch[0], "same")
    before = session.labels.tolist(), counting.n_begun, counting.n_learned

    QUIET[act](session)

    assert session.view.model is model
    assert all(a is b for a, b in zip(session.ask(3), batch, strict=True))
    assert (session.labels.tolist(), counting.n_begun, counting.n_learned) == before
    session.tell(batch[0], "same", on_conflict="keep")
    session.ask()
    assert (counting.n_begun, counting.n_learned) == before[1:]  # it was known ahead
    fresh = Session(LINE, name, n_clusters=2, answers=session.history)
    assert fresh.ask() == expected


@pytest.mark.parametrize("name", ["likewise", "urasc+n"])
def test_what_others_have_answered_meanwhile_is_learned(name: str) -> None:
    counting, journal = Counting(name), MemoryJournal()
    mine = Session(LINE, counting.method, n_clusters=2, journal=journal)
    theirs = Session(LINE, name, n_clusters=2, journal=journal)
    mine.ahead(mine.ask() or Question(0, 1), "same")
    for pair, verdict in (((0, 1), "same"), ((1, 2), "same"), ((0, 6), "different")):
        theirs.tell_pair(*pair, verdict)

    mine.reload()

    fresh = Session(LINE, name, n_clusters=2, answers=theirs.history)
    assert mine.labels.tolist() == fresh.labels.tolist()
    assert mine.ask() == fresh.ask()
    assert counting.n_begun == 1
    assert mine.known == fresh.known


@pytest.mark.parametrize("act", ["retract", "set_aside", "undo"])
def test_what_changes_a_number_begins_anew(act: str) -> None:
    counting = Counting("likewise")
    session = Session(LINE, counting.method, n_clusters=2)
    session.tell_pair(0, 1, "same")
    session.ask()
    acts: dict[str, Callable[[], object]] = {
        "retract": lambda: session.retract(1),
        "set_aside": lambda: session.set_aside(3),
        "undo": session.undo,
    }

    acts[act]()
    session.ask()

    assert counting.n_begun == 2


# Numbers of groups


def test_numbers_are_recorded_and_never_undone() -> None:
    journal = MemoryJournal()
    session = Session(LINE, journal=journal)
    numbers = Numbered(((1, 0), (2, 6)))
    session.number(numbers)
    session.rename(0, "oak")

    assert session.acts == (1,)
    assert session.undo() == Renamed(0, "oak")
    assert session.undo() is None
    assert Numbers.after(journal.read()).anchors == {1: 0, 2: 6}


def test_an_act_that_carries_numbers_is_undone_without_them() -> None:
    told = Told((Answer(Question(0, 1), Verdict.SAME, 1),))
    journal = MemoryJournal([with_numbers(told, Numbered(((1, 0),)))])
    session = Session(LINE, journal=journal)
    assert session.n_questions == 1

    assert session.undo() == told

    assert session.n_questions == 0
    assert Numbers.after(journal.read()).anchors == {1: 0}

"""Reviews are acts of a session: recorded at once, undone at once, replayed alike."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.problems import blobs

from likewise import Session
from likewise.errors import InputError
from likewise.knowledge import MemoryJournal, Together, Told, Verdict
from likewise.session import Revision

METHODS = ("likewise", "urasc+n")


def session_with(method: str, journal: MemoryJournal | None = None) -> Session:
    pile = blobs([6, 6, 6])
    X = pile.X[np.argsort(pile.truth, kind="stable")]  # 0-5, 6-11 and 12-17
    return Session(X, method, n_clusters=3, journal=journal)


@pytest.fixture(params=METHODS)
def session(request: pytest.FixtureRequest) -> Session:
    return session_with(request.param)


def same_label(session: Session, i: int, j: int) -> bool:
    return bool(session.labels[i] == session.labels[j])


def test_a_confirmed_item_is_known_to_be_in_its_group(session: Session) -> None:
    session.revise(session.repairs.confirm([0, 1, 2, 3, 4, 5]))

    assert sorted(session.groups[0].samples) == [0, 1, 2, 3, 4, 5]


def test_a_moved_item_is_in_the_other_group(session: Session) -> None:
    session.revise(session.repairs.move([0], 12))

    assert same_label(session, 0, 12)
    assert not same_label(session, 0, 1)


def test_a_confirmed_item_can_still_be_moved(session: Session) -> None:
    session.revise(session.repairs.confirm([0, 1, 2]))
    session.revise(session.repairs.move([0], 12))

    assert same_label(session, 0, 12)
    assert same_label(session, 1, 2)
    assert not same_label(session, 0, 1)
    assert not session.doubtful


def test_a_rejected_item_is_not_with_its_group_any_more(session: Session) -> None:
    session.revise(session.repairs.confirm([1, 2, 3]))
    session.revise(session.repairs.reject([0]))

    assert not same_label(session, 0, 1)


def test_a_new_group_is_a_cluster_of_its_own(session: Session) -> None:
    session.revise(session.repairs.confirm([2, 3, 4, 5]))
    session.revise(session.repairs.found([0, 1]))

    assert same_label(session, 0, 1)
    assert not same_label(session, 0, 2)


def test_merged_groups_have_one_label_and_can_be_parted_again(
    session: Session,
) -> None:
    session.revise(session.repairs.confirm([0, 1, 2, 6, 7, 8]))
    session.revise(session.repairs.merge([0, 6]))
    assert len(set(session.labels[[0, 1, 2, 6, 7, 8]])) == 1

    session.revise(session.repairs.part([[0, 1, 2], [6, 7, 8]]))
    assert not same_label(session, 0, 6)
    assert same_label(session, 0, 2)


def test_many_samples_are_set_aside_at_once(session: Session) -> None:
    session.revise(Revision(aside=(3, 4)))
    assert session.labels[[3, 4]].tolist() == [-1, -1]

    session.undo()
    assert (session.labels >= 0).all()


def test_a_changed_answer_says_something_else(session: Session) -> None:
    session.tell_pair(0, 1, "same")

    session.revise(session.repairs.change(1, Verdict.DIFFERENT))

    assert [a.verdict.value for a in session.history] == ["different"]
    assert session.history[0].id == 2


def test_an_undo_takes_back_the_whole_act(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    before, groups = session.labels.tolist(), session.groups

    session.revise(session.repairs.move([0], 12))
    session.undo()

    assert session.labels.tolist() == before
    assert session.groups == groups


def test_one_act_is_one_event() -> None:
    journal = MemoryJournal()
    session = session_with("likewise", journal)
    session.revise(session.repairs.confirm([0, 1, 2]))
    session.revise(session.repairs.move([0], 12))

    assert list(map(type, journal.read())) == [Told, Together]


def test_nothing_is_recorded_for_a_revision_that_changes_nothing() -> None:
    journal = MemoryJournal()
    session_with("likewise", journal).revise(Revision())

    assert list(journal.read()) == []


def test_samples_that_are_not_there_are_refused(session: Session) -> None:
    with pytest.raises(InputError, match="no sample 99"):
        session.revise(Revision(aside=(99,)))


def test_an_answer_that_was_left_to_disagree_stays_doubtful(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.tell_pair(1, 2, "same")
    session.tell_pair(0, 2, "different", on_conflict="keep")

    session.keep(3)

    assert [a.id for a in session.doubtful] == [3]
    assert session.kept == {3}
    session.undo()
    assert not session.kept


def test_only_answers_that_stand_can_be_kept(session: Session) -> None:
    with pytest.raises(InputError, match="no answer 4"):
        session.keep(4)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 2**20), min_size=1, max_size=8))
def test_any_reviews_equal_a_fresh_session_with_the_same_journal(
    draws: list[int],
) -> None:
    journal = MemoryJournal()
    session = session_with("likewise", journal)
    for draw in draws:
        _act(session, draw)

    again = session_with("likewise", journal)

    assert again.labels.tolist() == session.labels.tolist()
    assert again.groups == session.groups
    assert again.ask() == session.ask()


def _act(session: Session, draw: int) -> None:
    kind, i, j = draw % 6, (draw // 6) % 18, (draw // 108) % 18
    plans = {
        0: lambda repairs: repairs.confirm([i, j]),
        1: lambda repairs: repairs.reject([i]),
        2: lambda repairs: repairs.move([i], j),
        3: lambda repairs: repairs.found([i, j]),
        4: lambda repairs: repairs.merge([i, j]),
    }
    if kind not in plans or i == j:
        session.undo()
        return
    with suppress(InputError):  # nothing to be different from, or one group already
        session.revise(plans[kind](session.repairs))

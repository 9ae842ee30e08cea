"""What stands after all events: a fold over the journal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.knowledge import (
    Answer,
    Event,
    Kept,
    MemoryJournal,
    Numbered,
    Question,
    Renamed,
    Retracted,
    SetAside,
    Standing,
    Together,
    Told,
    Undone,
    Verdict,
    numbers_in,
    singles_of,
    standing,
    told_in,
    with_numbers,
    without_numbers,
)


def told(*ids: int) -> Told:
    return Told(tuple(Answer(Question(i, i + 1), Verdict.SAME, i) for i in ids))


def ids(events: list[Event]) -> list[int]:
    return [answer.id for answer in standing(events).answers]


def test_nothing_stands_after_nothing() -> None:
    assert standing([]) == Standing()


def test_answers_stand_in_their_order() -> None:
    assert ids([told(1), told(2, 3), told(4)]) == [1, 2, 3, 4]


def test_a_retracted_answer_does_not_stand() -> None:
    assert ids([told(1), told(2, 3), Retracted((2,))]) == [1, 3]


def test_an_undone_act_does_not_stand() -> None:
    assert ids([told(1), told(2, 3), Undone(1)]) == [1]


def test_an_undone_retraction_brings_the_answer_back_to_its_place() -> None:
    assert ids([told(1), told(2), Retracted((1,)), told(3), Undone(2)]) == [1, 2, 3]


def test_numbers_are_never_used_twice() -> None:
    events: list[Event] = [told(1), told(2, 3), Retracted((2,)), Undone(0)]

    assert standing(events).n_answers == 3


def test_what_can_still_be_undone_are_the_acts_that_stand() -> None:
    events: list[Event] = [
        told(1),
        Renamed(0, "oak"),
        SetAside(3),
        Undone(2),
        Retracted((1,)),
        Undone(4),
    ]

    assert standing(events).acts == (0, 1)


def test_the_latest_name_comes_last() -> None:
    events = [Renamed(0, "oak"), Renamed(5, "elm"), Renamed(0, "yew")]

    assert list(standing(events).names.items()) == [(5, "elm"), (0, "yew")]


def test_an_undone_name_gives_way_to_the_one_before() -> None:
    events: list[Event] = [Renamed(0, "oak"), Renamed(0, "elm"), Undone(1)]

    assert standing(events).names == {0: "oak"}


def test_samples_leave_the_game_and_come_back() -> None:
    events = [SetAside(3), SetAside(4), SetAside(3, aside=False)]

    assert standing(events).aside == {4}


def test_an_undone_return_leaves_the_sample_aside() -> None:
    events: list[Event] = [SetAside(3), SetAside(3, aside=False), Undone(1)]

    assert standing(events).aside == {3}


@pytest.mark.parametrize("n", [0, 1, 4])
def test_undoing_every_act_leaves_nothing(n: int) -> None:
    acts: list[Event] = [told(1), Renamed(0, "oak"), SetAside(2), Retracted((1,))]
    undone: list[Event] = [Undone(position) for position in reversed(range(n))]

    left = standing(acts[:n] + undone)

    assert replace(left, n_answers=0) == Standing()


acts = st.one_of(
    st.builds(Renamed, st.integers(0, 3), st.text(max_size=2)),
    st.builds(SetAside, st.integers(0, 3), st.booleans()),
    st.integers(1, 9).map(lambda number: told(number)),
    st.integers(1, 9).map(lambda number: Retracted((number,))),
)


@given(st.lists(acts, max_size=8), acts)
def test_undoing_the_last_act_is_as_if_it_had_not_been(
    before: list[Event], last: Event
) -> None:
    after = standing([*before, last, Undone(len(before))])

    assert replace(after, n_answers=0) == replace(standing(before), n_answers=0)


def test_a_memory_journal_reads_what_was_appended() -> None:
    journal = MemoryJournal([told(1)])

    journal.append(Renamed(0, "oak"))

    assert list(journal.read()) == [told(1), Renamed(0, "oak")]


def test_reading_a_journal_shows_what_was_there_when_it_began() -> None:
    journal = MemoryJournal([told(1), told(2)])

    read = []
    for event in journal.read():
        read.append(event)
        journal.append(told(3))

    assert read == [told(1), told(2)]


def test_events_together_stand_and_fall_together() -> None:
    act = Together((Retracted((1,)), told(2), SetAside(9)))

    assert ids([told(1), act]) == [2]
    assert standing([told(1), act]).aside == {9}
    assert standing([told(1), act]).acts == (0, 1)
    assert ids([told(1), act, Undone(1)]) == [1]
    assert not standing([told(1), act, Undone(1)]).aside


def test_answers_together_with_others_are_counted() -> None:
    assert standing([told(1), Together((told(2, 3), Retracted((1,))))]).n_answers == 3


def test_answers_that_were_left_to_disagree_are_kept_until_undone() -> None:
    assert standing([told(1), Kept((1,))]).kept == {1}
    assert not standing([told(1), Kept((1,)), Undone(1)]).kept


# Numbers of groups

NUMBERS = Numbered(((1, 4), (2, 7)))


def test_numbers_are_no_act_and_change_nothing_that_stands() -> None:
    events: list[Event] = [told(1), NUMBERS, Renamed(0, "oak")]

    found = standing(events)

    assert replace(found, acts=()) == replace(
        standing([told(1), Renamed(0, "oak")]), acts=()
    )
    assert found.acts == (0, 2)


def test_an_act_that_carries_numbers_is_the_act_that_it_is_without() -> None:
    act = with_numbers(told(1, 2), NUMBERS)

    assert singles_of(act) == (told(1, 2),)
    assert told_in(act) == told(1, 2).answers
    assert without_numbers(act) == told(1, 2)
    assert standing([act]) == standing([told(1, 2)])
    assert standing([act, Undone(0)]) == standing([told(1, 2), Undone(0)])


def test_several_events_stay_together_without_their_numbers() -> None:
    act = Together((told(1), SetAside(9)))

    assert without_numbers(with_numbers(act, NUMBERS)) == act
    assert without_numbers(act) is act


def test_nothing_is_left_of_numbers_alone() -> None:
    assert without_numbers(NUMBERS) is None
    assert without_numbers(Together((NUMBERS,))) is None
    assert standing([NUMBERS, Together((NUMBERS,))]) == Standing()


@pytest.mark.parametrize("event", [NUMBERS, with_numbers(SetAside(3), NUMBERS)])
def test_numbers_are_found_wherever_they_are(event: Event) -> None:
    assert numbers_in(event) == NUMBERS.anchors
    assert not numbers_in(Undone(0))

"""A state is a fold over events, and the same whichever way it is reached."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import VERDICTS, pairs

from likewise.errors import ContradictionError, InputError
from likewise.knowledge import (
    Answer,
    Event,
    Kept,
    Knowledge,
    Numbered,
    Question,
    Renamed,
    Retracted,
    SetAside,
    Single,
    Together,
    Told,
    Undone,
    Verdict,
)
from likewise.session import Revision
from likewise.session._state import State, steps

N = 6
EMPTY = State(Knowledge(N))


def answer(number: int, i: int, j: int, verdict: Verdict = Verdict.SAME) -> Answer:
    return Answer(Question(i, j), verdict, number)


ONE = Told((answer(1, 0, 1),))
OTHER = Told((answer(2, 2, 3), answer(3, 3, 4, Verdict.DIFFERENT)))


@st.composite
def journals(draw: st.DrawFn) -> list[Event]:
    """Draw events as sessions write them: ids go up, and acts are undone afterwards."""
    events: list[Event] = []
    n_answers = 0

    def single() -> Single | Numbered:
        nonlocal n_answers
        kind = draw(st.sampled_from(["told", "retracted", "other"]))
        if kind == "told":
            drawn = draw(st.lists(st.tuples(pairs(N), st.sampled_from(VERDICTS))))
            told = [
                answer(n_answers + at, *pair, verdict)
                for at, (pair, verdict) in enumerate(drawn, start=1)
            ]
            n_answers += len(told)
            return Told(tuple(told))
        if kind == "retracted" and n_answers:
            return Retracted((draw(st.integers(1, n_answers)),))
        return draw(
            st.one_of(
                st.builds(Renamed, samples, st.sampled_from(["", "oak", "elm"])),
                st.builds(SetAside, samples, st.booleans()),
                st.builds(Kept, st.tuples(st.integers(1, 9))),
                st.builds(Numbered, st.tuples(st.tuples(st.integers(1, 3), samples))),
            )
        )

    for at in range(draw(st.integers(0, 10))):
        kind = draw(st.sampled_from(["single", "single", "together", "undone"]))
        if kind == "undone" and at:
            events.append(Undone(draw(st.integers(0, at - 1))))
        elif kind == "together":
            parts = [single() for _ in range(draw(st.integers(1, 3)))]
            events.append(Together(tuple(parts)))
        else:
            events.append(single())
    return events


samples = st.integers(0, N - 1)


@given(journals())
def test_one_event_at_a_time_or_all_in_one_go(events: list[Event]) -> None:
    one_by_one = reduce(State.after, events, EMPTY)

    assert one_by_one == State.of(N, events)
    assert one_by_one.events == tuple(events)


@given(journals())
def test_what_is_known_is_the_answers_that_stand(events: list[Event]) -> None:
    state = State.of(N, events)

    start = Knowledge(N, aside=state.stands.aside)
    assert state.known == start.after_all(state.stands.answers)


@given(journals())
def test_events_that_change_nothing_known_leave_the_very_value(
    events: list[Event],
) -> None:
    before = State.of(N, events)

    for event in (Renamed(0, "yew"), Kept((1,)), Numbered(((1, 0),))):
        after = before.after(event)
        assert after.known is before.known
        assert after.after(Undone(len(events))).known is before.known


@given(journals(), st.data())
def test_what_is_read_again_is_the_very_value(
    events: list[Event], data: st.DataObject
) -> None:
    earlier = State.of(N, events[: data.draw(st.integers(0, len(events)))])

    again = earlier.replayed(events)

    assert again == State.of(N, events)
    assert (again.known is earlier.known) == (again.known == earlier.known)


def test_numbers_are_no_act() -> None:
    state = EMPTY.after(Numbered(((1, 0),))).after(ONE)

    assert state.stands.acts == (1,)
    with pytest.raises(InputError, match="no act 0"):
        state.check_act(0)


def test_answers_are_numbered_on() -> None:
    state = EMPTY.after(ONE).after(Retracted((1,)))

    told = state.told([answer(0, 2, 3), answer(0, 3, 4)], may_contradict=False)

    assert [one.id for one in told.answers] == [2, 3]


def test_an_answer_must_not_deny_one_told_together_with_it() -> None:
    both = [answer(0, 2, 3), answer(0, 3, 2, Verdict.DIFFERENT)]

    with pytest.raises(ContradictionError):
        EMPTY.told(both, may_contradict=False)

    assert len(EMPTY.told(both, may_contradict=True).answers) == 2


@pytest.mark.parametrize(
    ("revision", "event"),
    [
        (Revision(), None),
        (Revision(retracted=(1,)), Retracted((1,))),
        (Revision(told=(answer(0, 2, 3),)), Told((answer(2, 2, 3),))),
        (
            Revision(aside=(4,), back=(5,), renamed=((0, "oak"),)),
            Together((SetAside(4), SetAside(5, aside=False), Renamed(0, "oak"))),
        ),
    ],
)
def test_a_revision_is_one_event(revision: Revision, event: Event | None) -> None:
    assert EMPTY.after(ONE).revised(revision) == event


def test_each_answer_of_an_act_is_learned_with_what_is_known_after_it() -> None:
    before, after = EMPTY.after(ONE), EMPTY.after(ONE).after(OTHER)

    found = list(steps(before.known, OTHER.answers, after.known))

    first, second = OTHER.answers
    assert found == [(first, before.known.after(first)), (second, after.known)]
    assert found[-1][1] is after.known
    assert list(steps(before.known, (), before.known)) == []

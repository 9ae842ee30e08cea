"""Numbers stay with groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from likewise.knowledge import (
    Answer,
    Event,
    Knowledge,
    Numbered,
    Question,
    Renamed,
    Together,
    Undone,
    Verdict,
)
from likewise.session import Numbers

NOTHING = Knowledge(6)


def first(labels: np.ndarray) -> Numbers:
    return Numbers().brought_to(labels, NOTHING, speaker_of(labels))


def speaker_of(labels: np.ndarray) -> Callable[[int], int]:
    return lambda label: int(np.flatnonzero(labels == label)[0])


def test_numbers_begin_at_one_in_the_order_of_labels() -> None:
    labels = np.array([1, 1, 0, 0, 2, 2])

    assert first(labels).of(labels) == {0: 1, 1: 2, 2: 3}


def test_a_number_goes_where_its_sample_goes() -> None:
    numbers = first(np.array([0, 0, 1, 1, 2, 2]))

    assert numbers.of(np.array([2, 2, 0, 0, 1, 1])) == {2: 1, 0: 2, 1: 3}


def test_clusters_that_become_one_keep_the_lower_number() -> None:
    numbers = first(np.array([0, 0, 1, 1, 2, 2]))

    assert numbers.of(np.array([0, 0, 1, 1, 1, 1])) == {0: 1, 1: 2}


def test_a_number_comes_back_when_clusters_are_parted_again() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2])
    merged = np.array([0, 0, 1, 1, 1, 1])
    numbers = first(labels).brought_to(merged, NOTHING, speaker_of(merged))

    assert numbers.of(labels) == {0: 1, 1: 2, 2: 3}


def test_a_new_cluster_gets_a_new_number() -> None:
    numbers = first(np.array([0, 0, 1, 1, 1, 1]))
    labels = np.array([0, 0, 1, 1, 2, 2])

    assert numbers.brought_to(labels, NOTHING, speaker_of(labels)).of(labels)[2] == 3


def test_a_number_moves_to_a_confirmed_sample_and_stays() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1])
    known = NOTHING.after(Answer(Question(1, 2), Verdict.SAME))
    confirmed = first(labels).brought_to(labels, known, lambda label: [1, 3][label])

    assert confirmed.anchors == {1: 1, 2: 3}
    again = confirmed.brought_to(labels, known, lambda label: [2, 4][label])
    assert again.anchors == {1: 1, 2: 4}


def test_samples_set_aside_have_no_number() -> None:
    labels = np.array([0, 0, -1, -1, 1, 1])

    assert set(first(labels).of(labels)) == {0, 1}


def test_numbers_follow_from_all_events_also_undone_ones() -> None:
    events: list[Event] = [
        Numbered(((1, 4), (2, 7))),
        Together((Renamed(4, "oak"), Numbered(((1, 5),)))),
        Undone(1),
    ]

    assert Numbers.after(events).anchors == {1: 5, 2: 7}


def test_older_projects_begin_with_the_numbers_of_their_settings() -> None:
    older = Numbers.kept_in({"numbers": {"1": 3, "2": 6}})

    found = Numbers.after([Numbered(((2, 7), (3, 0)))], older)

    assert found.anchors == {1: 3, 2: 7, 3: 0}


anchors = st.dictionaries(st.integers(1, 4), st.integers(0, 5))


@given(anchors, anchors)
def test_what_is_recorded_leads_from_old_numbers_to_new(
    before: dict[int, int], more: dict[int, int]
) -> None:
    start, wanted = Numbers(before), Numbers({**before, **more})

    event = wanted.since(start)

    assert (event is None) == (start == wanted)
    assert Numbers.after([event] if event else [], start) == wanted


def test_numbers_survive_being_kept_in_settings() -> None:
    numbers = Numbers({1: 4, 2: 0})

    assert Numbers.kept_in(numbers.as_settings()) == numbers
    assert Numbers.kept_in({}) == Numbers()


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1))
def test_every_cluster_has_a_number_of_its_own(path: list[list[int]]) -> None:
    numbers = Numbers()
    for drawn in path:
        labels = np.unique(drawn, return_inverse=True)[1]
        numbers = numbers.brought_to(labels, NOTHING, speaker_of(labels))
        of = numbers.of(labels)
        assert set(of) == set(labels.tolist())
        assert len(set(of.values())) == len(of)

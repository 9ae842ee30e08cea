"""How settled each sample is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.strategies import links

from likewise import Answer, Question
from likewise.knowledge import Knowledge, Verdict
from likewise.knowledge._constraints import Link
from likewise.session import cluster_names, statuses_of
from likewise.session._summary import groups_of


def known_after(told: list[Link], aside: frozenset[int] = frozenset()) -> Knowledge:
    answers = [Answer(Question(i, j), verdict) for i, j, verdict in told]
    return Knowledge(8, aside=aside).after_all(answers)


@given(links())
def test_each_sample_has_one_status(told: list[Link]) -> None:
    known = known_after(told, frozenset({3}))

    found = statuses_of(known)

    assert found.of(3) == "aside"
    sets = (found.confirmed, found.deferred, found.aside)
    assert sum(map(len, sets)) == len(frozenset().union(*sets))


@given(links())
def test_what_is_certain_or_with_others_is_confirmed(told: list[Link]) -> None:
    known = known_after(told)

    groups = groups_of(known, np.zeros(8, dtype=np.intp), {})
    sure = [group.samples for group in groups if group.is_certain or group.samples[1:]]
    assert statuses_of(known).confirmed == set().union(*sure)


def test_an_unsure_answer_defers_the_sample_that_was_to_be_placed() -> None:
    known = Knowledge(3).after(Answer(Question(2, 0), Verdict.UNSURE))

    found = statuses_of(known)

    assert [found.of(sample) for sample in range(3)] == [
        "guessed",
        "guessed",
        "deferred",
    ]


def test_a_later_answer_ends_the_deferring() -> None:
    told = [(2, 0, Verdict.UNSURE), (2, 1, Verdict.SAME)]

    assert statuses_of(known_after(told)).of(2) == "confirmed"


def test_the_latest_name_of_any_sample_names_the_cluster() -> None:
    labels = np.array([0, 0, 1, -1])

    names = cluster_names(labels, {0: "ash", 2: "elm", 1: "oak", 3: "junk"})

    assert names == {0: "oak", 1: "elm"}


def test_a_name_that_was_taken_away_leaves_an_older_one_of_another_sample() -> None:
    assert cluster_names(np.array([0, 0]), {0: "ash", 1: ""}) == {0: "ash"}

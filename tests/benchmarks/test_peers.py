"""Other systems are asked fairly: every question counts, and time ends."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.others import MARKS, Pile, Reader, SpentError, at_most, ours
from benchmarks.peers import at, first_at, measured, pile_of, summary


def two_each() -> Pile:
    return Pile("two each", np.arange(4.0)[:, None], np.array([0, 0, 1, 1]))


def test_a_question_that_is_put_again_counts_again() -> None:
    reader = Reader(two_each().y)

    assert [reader.query(0, 1), reader.query(0, 1), reader.query(1, 2)] == [
        *(True, True, False)
    ]
    assert len(reader.told) == 3
    assert not reader.asks_no_more


def test_what_a_system_says_is_scored_with_the_answers_that_it_had() -> None:
    reader = Reader(two_each().y, look=lambda: [len(reader.told) < 5] * 4)
    for _ in range(6):
        reader.query(0, 1)

    assert list(reader.scores) == [0, 5]


def test_what_is_no_labelling_is_not_scored() -> None:
    reader = Reader(two_each().y, look=lambda: None)
    reader.query(0, 1)

    assert reader.scores == {}


def test_nobody_asks_more_than_the_budget() -> None:
    reader = Reader(two_each().y, look=lambda: [0, 0, 1, 1])
    for _ in range(MARKS[-1]):
        reader.query(0, 1)

    with pytest.raises(SpentError):
        reader.query(0, 1)
    assert list(reader.scores) == list(MARKS)


def test_a_run_ends_when_its_time_is_over() -> None:
    reader = Reader(two_each().y)
    with pytest.raises(SpentError), at_most(0.01):
        reader.told.extend(iter(lambda: (0, 1, True), None))


def test_ours_is_scored_as_the_session_goes() -> None:
    pile = pile_of("wine")
    reader = Reader(pile.y)
    ours("likewise")(pile, reader, 0)

    assert {0, 5, 10} <= set(reader.scores)
    assert reader.scores[max(reader.scores)] == (1.0, 1.0)


def test_a_run_says_what_came_of_it() -> None:
    run = measured(pile_of("iris"), "urasc+n", 0, 60)

    assert run["ended"] == "all asked"
    assert run["n"] == 150
    assert run["k"] == 3
    assert at(run, "jaccard", MARKS[-1]) == 1.0


def test_a_run_that_does_not_get_there_counts_as_the_budget() -> None:
    low = {"questions": [0, 50], "jaccard": [0.1, 0.2], "ari": [0.0, 0.1]}
    high = {"questions": [0, 20], "jaccard": [0.1, 0.95], "ari": [0.0, 0.9]}
    runs = [{**low, "seconds": 1.0}, {**high, "seconds": 0.4}]

    assert first_at(low, 0.9) is None
    assert first_at(high, 0.9) == 20
    assert at(high, "ari", 19) == 0.0
    assert summary(runs).questions == "> 210"
    assert 0.1 < summary(runs).area < 0.7

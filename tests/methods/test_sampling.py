"""From one chosen sample to the pairs to ask about it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import answers
from tests.problems import blobs
from tests.strategies import links

from likewise import METHODS, Session
from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, Knowledge, Question, Verdict
from likewise.knowledge._constraints import Link
from likewise.methods import AnyMethod, Method
from likewise.methods.sampling import (
    begun,
    next_question,
    opened,
    propose_by_sample,
    unplaced,
)

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
N = 10


def nearby(sample: int, others: Indices) -> Floats:
    """Return closeness on a line where sample i stands at i."""
    return -np.abs(others - sample).astype(np.float64)


def after(told: list[Link], *, how: str = "asked", **start: Any) -> Knowledge:
    return Knowledge(N, **start).after_all(answers(told, how=how))


# Sets {0, 1}, {9} and {5}.
THREE_SETS: list[Link] = [
    (1, 0, SAME),
    (9, 0, DIFFERENT),
    (5, 0, DIFFERENT),
    (5, 9, DIFFERENT),
]


def test_the_start_is_the_first_set_until_somebody_answers() -> None:
    assert opened(Knowledge(N), 4).certain == (4,)


def test_the_start_does_not_matter_once_there_are_sets() -> None:
    known = after(THREE_SETS)

    assert opened(known, 4) == known


def test_a_start_that_was_set_aside_is_replaced() -> None:
    (start,) = opened(Knowledge(N, aside=frozenset({4, 5})), 4).certain

    assert start not in {4, 5}


def test_nothing_is_opened_when_every_sample_is_set_aside() -> None:
    known = opened(Knowledge(N, aside=frozenset(range(N))), 4)

    assert unplaced(known).size == 0


def test_unplaced_samples_are_those_of_no_set_that_are_in_the_game() -> None:
    known = after(THREE_SETS, aside=frozenset({3}))

    assert unplaced(known).tolist() == [2, 4, 6, 7, 8]


@given(links(N), st.sets(st.integers(0, N - 1)))
def test_every_sample_in_the_game_is_placed_or_unplaced(
    told: list[Link], aside: set[int]
) -> None:
    known = after(told, aside=frozenset(aside))

    placed = {sample for sample in range(N) if known.is_placed(sample)}
    assert set(unplaced(known).tolist()) == set(range(N)) - placed - aside


def test_a_series_goes_from_the_closest_set_to_the_farthest() -> None:
    known = after(THREE_SETS)

    asked = []
    while (question := next_question(6, known, nearby)) is not None:
        asked.append(question)
        known = known.after(Answer(question, DIFFERENT))

    assert asked == [Question(6, 5), Question(6, 9), Question(6, 1)]


def test_a_series_ends_when_the_sample_is_placed() -> None:
    known = after([*THREE_SETS, (6, 5, SAME)])

    assert next_question(6, known, nearby) is None


def test_a_set_known_to_be_apart_is_not_asked_about() -> None:
    known = after([*THREE_SETS, (6, 7, SAME), (7, 5, DIFFERENT)])

    assert next_question(6, known, nearby) == Question(6, 9)


def test_a_set_is_represented_by_its_member_closest_to_the_sample() -> None:
    known = after([(0, 9, SAME)])

    assert next_question(7, known, nearby) == Question(7, 9)
    assert next_question(2, known, nearby) == Question(2, 0)


def test_unsure_about_one_member_leads_to_the_next_closest() -> None:
    known = after([(1, 0, SAME), (2, 0, SAME), (5, 2, UNSURE)])

    assert next_question(5, known, nearby) == Question(5, 1)


def test_unsure_twice_leaves_the_set_open() -> None:
    known = after(
        [(1, 0, SAME), (2, 0, SAME), (9, 0, DIFFERENT), (4, 2, UNSURE), (4, 1, UNSURE)]
    )

    assert next_question(4, known, nearby) == Question(4, 9)


def test_a_sample_unsure_about_every_set_is_left_alone() -> None:
    known = after([(4, 0, UNSURE)])

    assert next_question(4, known, nearby) is None


@pytest.mark.parametrize("aside", [0, 1, 2])
def test_a_sample_set_aside_is_never_asked_against(aside: int) -> None:
    known = after([(1, 0, SAME), (2, 0, SAME)], aside=frozenset({aside}))

    question = next_question(3, known, nearby)

    assert question is not None
    assert question.against != aside


@given(links(N), st.sets(st.integers(0, N - 1), max_size=5), st.integers(0, N - 1))
def test_a_question_is_about_a_pair_of_unknown_relation(
    told: list[Link], aside: set[int], sample: int
) -> None:
    known = opened(after(told, aside=frozenset(aside)), 0)

    question = next_question(sample, known, nearby)

    if question is not None:
        assert question.sample == sample != question.against
        assert known.constraints.relation(sample, question.against) is None
        assert question.against not in known.unsure.get(sample, frozenset()) | aside


def test_samples_whose_series_has_begun_come_latest_first() -> None:
    later = [(2, 0, DIFFERENT), (4, 5, DIFFERENT), (2, 5, UNSURE), (3, 0, UNSURE)]

    known = after([*THREE_SETS, *later])

    assert list(begun(known)) == [3, 2, 4]


def test_placed_samples_and_those_set_aside_are_not_begun() -> None:
    known = after(
        [*THREE_SETS, (2, 0, DIFFERENT), (4, 5, DIFFERENT)], aside=frozenset({4})
    )

    assert list(begun(known)) == [2]


@pytest.mark.parametrize("how", ["told", "given", "group"])
def test_an_answer_that_nobody_asked_for_begins_no_series(how: str) -> None:
    known = after([(1, 0, DIFFERENT), (2, 1, DIFFERENT)], how=how)

    assert list(begun(known)) == []


@given(st.integers(0, 99))
def test_rounding_chooses_no_member_of_a_set(seed: int) -> None:
    known = after([(0, 1, SAME), (1, 2, SAME)])
    noise = np.random.default_rng(seed).uniform(-1e-13, 1e-13, N)

    question = next_question(5, known, lambda _, others: 0.3 + noise[others])

    assert question == Question(5, known.constraints.samples(0)[0])


def scored(scores: Floats) -> AnyMethod:
    """Return a method that gives each sample a score, whatever is known."""
    plain = METHODS["random"]
    propose = partial(propose_by_sample, lambda _, __, free, ___: scores[free])
    return Method("scored", "", plain.begin, plain.learn, propose)


@pytest.mark.parametrize("seed", range(5))
def test_of_samples_that_score_alike_the_lot_decides_and_not_rounding(
    seed: int,
) -> None:
    tiny = blobs([5, 5, 5])
    noise = np.random.default_rng(seed).uniform(-1e-13, 1e-13, 15)

    alike, shaken = (
        Session(tiny.X, scored(scores), 3) for scores in (np.ones(15), 1.0 + noise)
    )

    assert shaken.ask() == alike.ask()

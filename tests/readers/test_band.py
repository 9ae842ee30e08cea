"""How far a model is believed: blind checks, its error, its band."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import Answer, InputError, Question, Session, Verdict
from likewise.knowledge import Event, Retracted, Told
from likewise.readers import (
    band,
    calibrated,
    checked,
    error_of,
    heard,
    overruled,
)

MODEL = "model:small"
SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE


def said(by: str, j: int, verdict: Verdict, id_: int = 0, how: str = "asked") -> Answer:
    return Answer(Question(0, j), verdict, id_, how, by)


# Checks


def test_only_pairs_that_people_answered_too_are_checks() -> None:
    told = [said(MODEL, 1, SAME), said(MODEL, 2, SAME), said("ann", 2, DIFFERENT)]

    (check,) = checked(told, MODEL)

    assert check.answer.question.pair == (0, 2)
    assert not check.is_right


def test_most_people_are_right_and_a_draw_says_nothing() -> None:
    people = [said("ann", 1, SAME), said("bob", 1, DIFFERENT)]
    told = [said(MODEL, 1, SAME), *people]

    assert not checked(told, MODEL)
    (check,) = checked([*told, said("eve", 1, DIFFERENT)], MODEL)
    assert check.truth is DIFFERENT


def test_other_models_what_is_given_and_shrugs_are_no_truth() -> None:
    told = [
        said(MODEL, 1, SAME),
        said("model:other", 1, DIFFERENT),
        said("ann", 1, UNSURE),
        said("", 1, DIFFERENT, how="given"),
    ]

    assert not checked(told, MODEL)


def test_what_a_model_took_back_still_counts_against_it() -> None:
    events: list[Event] = [
        Told((said(MODEL, 1, SAME, 1),)),
        Told((said("ann", 1, DIFFERENT, 2), said("ann", 2, SAME, 3))),
        Retracted((1,)),
    ]
    (check,) = checked(heard(events, MODEL), MODEL)
    assert not check.is_right

    undone = checked(heard([*events, Retracted((2,))], MODEL), MODEL)
    assert not undone  # what people took back is no truth


def test_what_people_deny_is_named_as_long_as_it_stands() -> None:
    told = [said(MODEL, 1, SAME, 1), said("ann", 1, DIFFERENT, 2)]
    checks = checked(told, MODEL)

    assert overruled(checks, told) == (1,)
    assert overruled(checks, told[1:]) == ()


# The error, and the band


def test_the_error_is_within_its_interval_and_learns() -> None:
    told = [said(MODEL, j, SAME) for j in range(1, 101)]
    people = [said("ann", j, SAME if j > 30 else DIFFERENT) for j in range(1, 101)]

    found = error_of(checked([*told, *people], MODEL))

    assert 0.25 < found.mean < 0.31
    assert found.low < 0.3 < found.high


@given(st.lists(st.tuples(st.floats(0.5, 1.0), st.booleans()), max_size=40))
def test_a_band_is_a_confidence_or_none(checks: list[tuple[float, bool]]) -> None:
    sure, right = [c for c, _ in checks], [r for _, r in checks]

    found = band(sure, right, least=0.8)

    assert found.least is None or 0.8 <= found.least <= 1
    assert found.error.low <= found.error.mean <= found.error.high
    assert found.sentence.endswith(".")
    assert found.calibration.slope >= 0


def test_few_checks_leave_confidences_as_they_are() -> None:
    found = calibrated([0.9, 0.95], [True, True])

    assert np.allclose(found([0.8, 0.9]), [0.8, 0.9], atol=0.02)


def test_more_wrong_answers_raise_the_band() -> None:
    right = [True] * 40
    wrong = [*[True] * 37, *[False] * 3]
    fine, worse = band([0.97] * 40, right).least, band([0.97] * 40, wrong).least

    assert fine is not None
    assert worse is not None
    assert fine < worse


def test_a_lower_limit_asks_for_more() -> None:
    limits = [band([], [], limit).least or 1.0 for limit in (0.1, 0.05, 0.02, 0.01)]

    assert limits == sorted(limits)


def test_a_model_that_is_often_wrong_is_stopped_with_a_sentence() -> None:
    found = band([0.97] * 20, [True, True, False, False] * 5)

    assert found.is_stopped
    assert "too many: it is stopped" in found.sentence


def test_nobody_is_stopped_for_two_slips() -> None:
    assert not band([0.97] * 2, [False] * 2).is_stopped
    assert not band([0.97] * 40, [*[True] * 38, False, False]).is_stopped


def test_as_many_confidences_as_answers() -> None:
    with pytest.raises(InputError, match="as many confidences"):
        band([0.9], [])


# All that a reader said


def test_a_session_takes_back_all_of_a_reader_as_one_act() -> None:
    session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
    session.tell_pair(0, 1, "same", by="ann")
    session.tell_pair(0, 2, "same", by=MODEL)
    session.tell_pair(1, 3, "same", by=MODEL)
    n_acts = len(session.acts)

    assert session.take_back(MODEL) == 2
    assert [answer.by for answer in session.history] == ["ann"]
    assert len(session.acts) == n_acts + 1
    assert session.take_back(MODEL) == 0

    session.undo()
    assert [answer.by for answer in session.history] == ["ann", MODEL, MODEL]

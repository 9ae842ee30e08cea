"""Screens: what taps mean, what is written down of them, and what they cost."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import Costs, InputError, Overview, Pile, Question, Sheet, Verdict
from likewise.knowledge import (
    GO_ON,
    NEW,
    PASSED,
    PILED,
    STAY,
    TAPPED,
    Answer,
    Prediction,
    Shown,
    Tap,
    Told,
    decode,
    decode_screen,
    encode,
    encode_screen,
    told_by_sheet,
)

EXPECTED = Prediction(0.8, aux=0.3)
SHEET = Sheet((9, 8), tuple(Question(i, 9, EXPECTED) for i in range(4)), "misfits")


def said(answers: list[Answer]) -> list[tuple[int, int, str, str]]:
    return [
        (a.question.sample, a.question.against, a.verdict.value, a.how) for a in answers
    ]


@pytest.mark.parametrize(("tap", "tapped_is"), [("misfits", 1), ("members", 0)])
def test_each_item_of_a_sheet_has_a_verdict(tap: Tap, tapped_is: int) -> None:
    verdicts = ("same", "different")
    sheet = Sheet(SHEET.speakers, SHEET.questions, tap)

    told = said(list(sheet.answers(tapped=[2], unsure=[3])))

    assert told == [
        (0, 9, verdicts[1 - tapped_is], PASSED),
        (1, 9, verdicts[1 - tapped_is], PASSED),
        (2, 9, verdicts[tapped_is], TAPPED),
        (3, 9, "unsure", PASSED),
    ]


def test_an_item_that_is_put_elsewhere_is_decided_there() -> None:
    pile = Pile((1, 2), group=5)

    told = told_by_sheet(SHEET, [1, 2, 3], [pile], [], [True])

    means = {
        (a.question.sample, a.how): a.question.predicted
        for a in told
        if a.how == TAPPED
    }
    assert means[1, TAPPED] == Prediction(0.8, aux=0.3, if_different=STAY)
    assert means[3, TAPPED] == EXPECTED  # nobody has said where it belongs
    assert said(told)[-2:] == [(1, 5, "same", PILED), (2, 5, "same", PILED)]


@pytest.mark.parametrize(("is_new", "last"), [(True, NEW), (False, GO_ON)])
def test_a_pile_of_no_group_is_told_apart_from_all_offered(
    is_new: bool, last: int
) -> None:
    told = list(Pile((1, 2), None, unlike=(5, 6)).answers(is_new=is_new))

    assert said(told) == [
        (1, 5, "different", PILED),
        (1, 6, "different", PILED),
        (2, 1, "same", PILED),
    ]
    assert [
        a.question.predicted and a.question.predicted.if_different for a in told
    ] == [
        STAY,
        last,
        None,
    ]


def test_groups_seen_side_by_side_are_different_unless_tapped_together() -> None:
    pairs = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    overview = Overview(tuple(Question(i, j) for i, j in pairs))
    assert overview.speakers == (0, 1, 2, 3)

    told = said(list(overview.answers([[0, 2]])))

    assert told == [
        (2, 0, "same", TAPPED),
        (1, 0, "different", PASSED),  # and so is 2 from 1
        (3, 0, "different", PASSED),
        (3, 1, "different", PASSED),
    ]


numbers = st.integers(0, 50)
questions = st.builds(
    Question,
    numbers,
    st.integers(51, 99),
    st.none() | st.builds(Prediction, st.floats(0, 1), st.just("sample")),
)


@given(
    st.lists(numbers, max_size=3).map(tuple),
    st.lists(questions, min_size=1, max_size=5).map(tuple),
    st.sampled_from(["misfits", "members"]),
    st.booleans(),
)
def test_a_screen_is_the_same_after_it_was_written(
    speakers: tuple[int, ...],
    asked: tuple[Question, ...],
    tap: Tap,
    sorts: bool,
) -> None:
    for screen in (Sheet(speakers, asked, tap, sorts, 3.5, 7.0), Overview(asked, 1.0)):
        written = json.loads(json.dumps(encode_screen(screen)))
        read = decode_screen(written)

        assert read == screen
        assert (read.worth, read.seconds) == (screen.worth, screen.seconds)
        predicted = [question.predicted for question in read.questions]
        assert predicted == [question.predicted for question in screen.questions]


@pytest.mark.parametrize("seconds", [None, 7.25])
def test_what_was_shown_is_kept_with_the_act(seconds: float | None) -> None:
    shown = Shown("sheet", (9,), (1, 2), "misfits", (2,), (8, 3), seconds)
    told = Told((Answer(Question(1, 9), Verdict.SAME, 1, PASSED),), shown)

    assert decode(json.loads(json.dumps(encode(told)))) == told


TRUE = Costs(3.0, 2.5, 2.0, 0.5, 0.6, 2.0, 0.4)


def seen(rng: np.random.Generator, costs: Costs, n: int) -> list[Shown]:
    """Return screens of a person who takes such seconds, give or take a third."""
    found = []
    for at in range(n):
        noise = float(np.exp(0.3 * rng.standard_normal()))
        if at % 3 == 0:
            found.append(Shown("pair", seconds=costs.pair * noise))
            continue
        items = tuple(range(int(rng.integers(4, 40))))
        tapped = items[: int(rng.integers(0, len(items)))]
        seconds = costs.sheet(len(items), len(tapped)) * noise
        found.append(Shown("sheet", (99,), items, "misfits", tapped, (), seconds))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_costs_are_learned_from_seconds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    screens = seen(rng, TRUE, 150)

    fitted = Costs().fitted(screens)

    assert fitted.pair == pytest.approx(TRUE.pair, rel=0.2)
    for n_items, n_taps in ((12, 2), (36, 12)):  # what a sheet takes, all in all
        expected = TRUE.sheet(n_items, n_taps)
        assert fitted.sheet(n_items, n_taps) == pytest.approx(expected, rel=0.2)
    assert fitted.pile == pytest.approx(2.0, rel=0.01)  # nothing was seen of them


@pytest.mark.parametrize("seed", range(20))
def test_breaks_are_no_slow_screens(seed: int) -> None:
    rng = np.random.default_rng(seed)
    screens = seen(rng, TRUE, 150)
    breaks = [Shown("pair", seconds=s) for s in (40.0, 600.0, 86400.0)] * 3

    with_breaks = Costs().fitted([*screens, *breaks])

    assert with_breaks == Costs().fitted(screens)


def test_without_seconds_costs_are_those_assumed() -> None:
    assert Costs().fitted([Shown("pair"), Shown("pair", seconds=0.0)]) == Costs()


@pytest.mark.parametrize("cost", [0.0, -1.0, float("nan"), float("inf")])
def test_costs_are_positive(cost: float) -> None:
    with pytest.raises(InputError, match="positive"):
        Costs(tap=cost)

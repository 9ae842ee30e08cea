"""Screens of a session: asked for, told as one act, and undone whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.problems import Tiny, blobs

from likewise import (
    METHODS,
    Costs,
    InputError,
    Overview,
    Pair,
    Pile,
    Question,
    Session,
    Sheet,
    jaccard,
)
from likewise._arrays import Indices
from likewise.knowledge import MemoryJournal, Screen, Told

ON_SHEETS = ("sheet", "sort", "overview")
SPLIT_AT_ONCE = [m for m in METHODS if m != "cobras"]  # it begins with one cluster


def tiny(method: str) -> Tiny:
    """Return heaps that overlap, as many as the method can tell apart."""
    kinds = METHODS[method].most_clusters or 3
    return blobs([14] * kinds, spread=1.6, seed=1)


def session_of(method: str, problem: Tiny, **how: Any) -> Session:
    k = None if method == "likewise" else int(problem.truth.max()) + 1
    return Session(problem.X, method, k, **how)


def fill(session: Session, screen: Screen, truth: Indices) -> None:
    """Fill in a screen truly."""
    match screen:
        case Pair(question):
            same = bool(truth[question.sample] == truth[question.against])
            session.tell(question, same, on_conflict="keep", seconds=2.0)
        case Sheet():
            session.tell_sheet(
                screen, tapped(screen, truth), seconds=7.0, on_conflict="keep"
            )
        case Overview():
            alike = [
                [s for s in screen.speakers if truth[s] == c] for c in np.unique(truth)
            ]
            same_ones = [group for group in alike if len(group) > 1]
            session.tell_overview(screen, same_ones, seconds=4.0, on_conflict="keep")


def tapped(sheet: Sheet, truth: Indices) -> list[int]:
    belongs = truth[list(sheet.items)] == truth[sheet.speakers[0]]
    wanted = belongs if sheet.tap == "members" else ~belongs
    return [item for item, is_it in zip(sheet.items, wanted, strict=True) if is_it]


@pytest.mark.parametrize("method", SPLIT_AT_ONCE)
def test_a_screen_stays_open_until_it_is_told(method: str) -> None:
    problem = tiny(method)
    session = session_of(method, problem)
    screen = session.ask_screen(ON_SHEETS)
    assert screen is not None

    assert session.ask_screen(ON_SHEETS) is screen
    assert screen.worth > 0
    assert screen.seconds > 0
    fill(session, screen, problem.truth)

    assert session.ask_screen(ON_SHEETS) is not screen


@pytest.mark.parametrize("method", SPLIT_AT_ONCE)
def test_a_screen_is_one_act_and_undone_whole(method: str) -> None:
    problem = tiny(method)
    journal = MemoryJournal()
    session = session_of(method, problem, journal=journal)
    screen, before = session.ask_screen(ON_SHEETS), session.labels
    assert screen is not None

    fill(session, screen, problem.truth)

    (event,) = journal.read()
    assert isinstance(event, Told)
    assert event.shown is not None
    assert event.shown.seconds in (4.0, 7.0)
    assert len(session.acts) == 1
    session.undo()
    assert session.history == ()
    np.testing.assert_array_equal(session.labels, before)
    assert session.ask_screen(ON_SHEETS) == screen


@pytest.mark.parametrize("method", METHODS)
def test_a_session_that_is_taken_up_again_shows_the_same(method: str) -> None:
    problem = tiny(method)
    journal = MemoryJournal()
    session = session_of(method, problem, journal=journal)
    for _ in range(4):
        screen = session.ask_screen()
        if screen is None:
            break
        fill(session, screen, problem.truth)

    again = session_of(method, problem, journal=journal)

    np.testing.assert_array_equal(again.labels, session.labels)
    assert again.ask_screen() == session.ask_screen()


def test_screens_sort_what_pairs_would_sort() -> None:
    problem = blobs([30, 30, 30, 30], spread=1.3, seed=2)
    session = Session(problem.X)
    for _ in range(60):
        screen = session.ask_screen()
        if screen is None:
            break
        fill(session, screen, problem.truth)

    assert jaccard(problem.truth, session.labels) > 0.98


def sheet_of(items: Sequence[int], against: int, **how: Any) -> Sheet:
    return Sheet((against,), tuple(Question(i, against) for i in items), **how)


def test_piles_say_where_things_belong() -> None:
    problem = blobs([8, 8, 8], seed=0)
    first, second, third = (
        np.flatnonzero(problem.truth == c).tolist() for c in range(3)
    )
    session = Session(problem.X)
    sheet = sheet_of([first[1], second[0], second[1], third[0]], first[0], sorts=True)
    piles = [
        Pile((second[0], second[1]), group=second[2]),
        Pile((third[0],), None, (second[2],)),
    ]

    session.tell_sheet(sheet, [second[0], second[1], third[0]], piles)

    same = session.known.constraints.relation
    assert same(second[0], second[1]) == "same"
    assert same(first[1], first[0]) == "same"
    assert same(third[0], second[0]) == "different"
    assert same(third[0], first[0]) == "different"


BAD = [
    ({"tapped": [5]}, "not on the sheet"),
    ({"tapped": "ab"}, "are samples"),
    ({"tapped": 3}, "are samples"),
    ({"unsure": [7]}, "not on the sheet"),
    ({"piles": [Pile((1,), 0)]}, "does not belong"),
    ({"tapped": [1], "piles": [Pile((1,), 0), Pile((1,), 2)]}, "once"),
    ({"piles": [(1, 0)]}, "likewise.Pile"),
    ({"seconds": -1.0}, "from 0 on"),
    ({"seconds": float("nan")}, "from 0 on"),
    ({"seconds": "soon"}, "from 0 on"),
]


@pytest.mark.parametrize(("said", "words"), BAD)
def test_what_cannot_be_on_a_sheet_is_refused(said: dict[str, Any], words: str) -> None:
    session = Session([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    sheet = sheet_of([1, 2], 0)

    with pytest.raises(InputError, match=words):
        session.tell_sheet(sheet, **said)

    assert session.history == ()


@pytest.mark.parametrize("same", [[[0, 5]], [[0, 1], [1, 2]], [3], 4])
def test_what_is_on_no_overview_is_refused(same: Any) -> None:
    session = Session([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    overview = Overview((Question(1, 0), Question(2, 0), Question(2, 1)))

    with pytest.raises(InputError, match=r"overview|samples"):
        session.tell_overview(overview, same)

    assert session.history == ()


@pytest.mark.parametrize("kinds", ["pair", ["pairs"], 3])
def test_only_kinds_of_screens_are_shown(kinds: Any) -> None:
    session = Session([[0.0], [0.1], [5.0], [5.1]])
    with pytest.raises(InputError, match="ind"):
        session.ask_screen(kinds)


def test_only_what_is_wanted_is_shown_and_no_more_than_fits() -> None:
    problem = blobs([30, 30, 30], spread=1.6, seed=3)
    session = Session(problem.X)

    assert isinstance(session.ask_screen(["pair"]), Pair)
    sheet = session.ask_screen(["sheet"], most=6)
    assert isinstance(sheet, Sheet)
    assert 1 <= len(sheet.items) <= 6
    assert not sheet.sorts
    assert isinstance(session.ask_screen(["overview"]), Overview)


def test_dear_items_make_small_sheets() -> None:
    problem = blobs([40, 40, 40], spread=1.8, seed=3)
    session = Session(problem.X)
    cheap = session.ask_screen(["sheet", "sort"], Costs(item=0.05, tap=0.1))
    dear = session.ask_screen(["sheet", "sort"], Costs(item=3.0, tap=3.0, base=0.01))

    assert isinstance(cheap, Sheet)
    assert isinstance(dear, Sheet)
    assert len(dear.items) < len(cheap.items)


def test_what_others_have_before_them_is_not_shown() -> None:
    problem = blobs([20, 20, 20], spread=1.6, seed=4)
    session = Session(problem.X)
    mine = session.ask_screen(["sheet", "sort"])
    assert isinstance(mine, Sheet)

    yours = session.screen_besides(mine.questions, None, ["sheet", "sort"])

    assert isinstance(yours, Sheet)
    assert set(mine.items).isdisjoint(yours.items)


@pytest.mark.parametrize("seed", range(5))
def test_one_item_in_twelve_is_known_already(seed: int) -> None:
    problem = blobs([40, 40], seed=seed)
    one, other = (np.flatnonzero(problem.truth == c).tolist() for c in (0, 1))
    session = Session(problem.X, random_state=seed)
    session.tell_sheet(sheet_of([*one[1:8], *other[:6]], one[0]), other[:6])
    for item in other[1:6]:
        session.tell_pair(item, other[0], "same")
    sheet = sheet_of([*one[8:32], *other[6:30]], one[0])

    mixed = session.with_checks(sheet)

    known = {q.sample: q for q in mixed.questions if q.sample not in sheet.items}
    assert len(known) == 4
    assert known.keys() <= {*one[1:8], *other[:6]}
    assert all(q.is_check for q in known.values())
    assert [q for q in mixed.questions if q.sample in sheet.items] == list(
        sheet.questions
    )
    assert session.with_checks(sheet) == mixed  # the same, as long as nothing is told


def test_a_known_item_that_is_seen_wrongly_is_noticed() -> None:
    problem = blobs([20, 20], seed=1)
    one, other = (np.flatnonzero(problem.truth == c).tolist() for c in (0, 1))
    session = Session(problem.X)
    for item in one[1:6]:
        session.tell_pair(item, one[0], "same")
    session.tell_pair(other[0], one[0], "different")
    mixed = session.with_checks(sheet_of(one[6:18], one[0]))
    (check,) = {q.sample for q in mixed.questions} - set(one[6:18])
    right = [] if check in one else [check]
    wrong = [check] if check in one else []

    session.tell_sheet(mixed, right)
    assert session.reliability.n_checks == 1
    assert session.reliability.n_failed == 0
    session.undo()
    session.tell_sheet(mixed, wrong)  # without an error, as a check
    assert session.reliability.n_failed == 1
    assert [answer.question.sample for answer in session.doubtful] == [check]

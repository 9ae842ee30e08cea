"""What has become of every act and answer, and which of them are wanted."""

from __future__ import annotations

from typing import Any

import pytest

from likewise import Answer, Question, Verdict
from likewise.app._ledger import (
    SURPRISING,
    Ledger,
    Mark,
    Tally,
    Wanted,
    chosen,
    ledger_of,
)
from likewise.knowledge import (
    Event,
    Kept,
    Knowledge,
    Numbered,
    Prediction,
    Renamed,
    Retracted,
    SetAside,
    Together,
    Told,
    Undone,
    standing,
    with_numbers,
)
from likewise.storage import Act

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE


# What has become of answers


def told(*answers: tuple[int, int, int, Verdict], how: str = "asked") -> Told:
    """Return answers, each given as its id, two samples and what was said."""
    return Told(tuple(Answer(Question(i, j), v, n, how) for n, i, j, v in answers))


def guessed(number: int, probability: float, verdict: Verdict, kind: str) -> Told:
    question = Question(number, 0, Prediction(probability, kind, aux=2))
    return Told((Answer(question, verdict, number),))


def ledger(*events: Event, who: str = "ann") -> Ledger:
    acts = [Act(at, event, who, 60.0 * at) for at, event in enumerate(events)]
    stands = standing(events)
    known = Knowledge(20).after_all(stands.answers)
    return ledger_of(acts, stands.acts, [known.answers[at].id for at in known.doubtful])


def states(found: Ledger) -> list[str]:
    return [entry.state for entry in found.answers.values()]


ONE, OTHER = told((1, 0, 1, SAME)), told((2, 1, 2, SAME))
AGAINST = told((3, 0, 2, DIFFERENT))


def test_an_answer_stands_until_something_happens_to_it() -> None:
    assert states(ledger(ONE, OTHER)) == ["stands", "stands"]


def test_an_answer_that_others_deny_is_doubtful() -> None:
    assert states(ledger(ONE, OTHER, AGAINST)) == ["stands", "stands", "doubtful"]


def test_one_that_was_left_to_disagree_says_who_left_it() -> None:
    entry = ledger(ONE, OTHER, AGAINST, Kept((3,))).answers[3]

    assert (entry.state, entry.by) == ("kept", Mark(3, "ann", 180.0))


def test_numbers_of_groups_are_not_told() -> None:
    numbers = Numbered(((1, 4),))

    found = ledger(numbers, with_numbers(ONE, numbers), Undone(1))

    assert [record.act.event for record in found.records] == [ONE]
    assert states(found) == ["undone"]


def test_one_that_was_taken_back_says_when() -> None:
    entry = ledger(ONE, OTHER, Retracted((1,))).answers[1]

    assert (entry.state, entry.by) == ("taken back", Mark(2, "ann", 120.0))


def test_one_that_was_undone_says_when() -> None:
    entry = ledger(ONE, Undone(0)).answers[1]

    assert (entry.state, entry.by) == ("undone", Mark(1, "ann", 60.0))


def test_a_retraction_that_was_undone_has_done_nothing() -> None:
    assert states(ledger(ONE, Retracted((1,)), Undone(1))) == ["stands"]


def test_a_changed_answer_names_the_one_given_instead() -> None:
    change = Together((Retracted((1,)), told((2, 1, 0, DIFFERENT))))
    found = ledger(ONE, change)

    assert (found.answers[1].state, found.answers[1].became) == ("taken back", 2)
    assert found.answers[2].state == "stands"


@pytest.mark.parametrize(
    ("verdict", "surprise"), [(SAME, 0.8), (DIFFERENT, 0.2), (UNSURE, None)]
)
def test_surprise_is_how_unlikely_the_answer_was(
    verdict: Verdict, surprise: float | None
) -> None:
    entry = ledger(guessed(1, 0.2, verdict, "sample")).answers[1]

    assert entry.predicted == 0.2
    assert entry.surprise == (None if surprise is None else pytest.approx(surprise))


def test_what_a_pick_implies_was_never_guessed() -> None:
    assert ledger(guessed(1, 0.0, SAME, "group")).answers[1].surprise is None


@pytest.mark.parametrize(
    ("kept", "shown"),
    [("asked", "asked"), ("group", "picker"), ("review", "review"), ("given", "given")],
)
def test_how_an_answer_came_about(kept: str, shown: str) -> None:
    assert ledger(told((1, 0, 1, SAME), how=kept)).answers[1].how == shown


def test_a_check_is_called_so_once_it_was_answered() -> None:
    assert ledger(guessed(1, 0.9, SAME, "check")).answers[1].how == "check"


# Which of them are wanted


def numbers(found: Ledger, **wanted: Any) -> list[int]:
    return [record.act.number for record in chosen(found, Wanted(**wanted))]


def test_the_newest_comes_first() -> None:
    assert numbers(ledger(ONE, OTHER, AGAINST)) == [2, 1, 0]


def test_an_undoing_is_shown_with_what_it_undid() -> None:
    found = ledger(ONE, OTHER, Undone(0))

    assert numbers(found) == [1, 0]
    assert found.by_act[0].undone == Mark(2, "ann", 120.0)


def test_doubtful_ones_come_by_their_surprise() -> None:
    mild, strong = SURPRISING + 0.01, 0.99
    found = ledger(
        told((1, 1, 0, SAME)),
        guessed(2, strong, DIFFERENT, "sample"),
        guessed(3, 0.5, DIFFERENT, "sample"),
        guessed(4, mild, DIFFERENT, "sample"),
        told((5, 1, 2, SAME)),
    )

    assert numbers(found, only="doubtful") == [4, 1, 3]


def test_failed_checks_are_found() -> None:
    check = guessed(2, 0.9, DIFFERENT, "check")
    right = guessed(3, 0.9, SAME, "check")
    found = ledger(told((1, 2, 0, SAME)), check, right)

    assert numbers(found, only="checks") == [1]


def test_an_item_is_followed_through_all_acts() -> None:
    found = ledger(
        ONE,
        told((2, 5, 6, SAME), (3, 5, 1, DIFFERENT)),
        Retracted((1,)),
        Renamed(0, "oak"),
        SetAside(0),
        Renamed(6, "elm"),
    )

    assert numbers(found, item=0) == [4, 3, 2, 0]


def test_of_an_act_only_the_answers_about_the_item_are_shown() -> None:
    found = ledger(told((1, 5, 6, SAME), (2, 5, 1, DIFFERENT)))
    record = chosen(found, Wanted(item=6))[0]

    assert [entry.answer.id for entry in record.entries] == [1]


def test_people_and_ways_are_told_apart() -> None:
    found = ledger(ONE, told((2, 3, 4, SAME), how="group"), Renamed(0, "oak"))

    assert numbers(found, who="bob") == []
    assert numbers(found, who="ann", how="picker") == [1]
    assert numbers(found, how="other") == [2]


# What is kept up as acts come


def test_a_tally_is_what_a_look_at_all_acts_finds() -> None:
    def told(id_: int, how: str = "asked") -> Told:
        return Told((Answer(Question(id_, id_ + 1), SAME, id_, how),))

    events: list[tuple[str, Event]] = [
        ("ann", told(1, "given")),
        ("ann", told(2)),
        ("bob", with_numbers(told(3), Numbered(((1, 3),)))),
        ("ann", Renamed(0, "oak")),
        ("ann", told(4)),
        ("bob", Numbered(((2, 5),))),
        ("ann", Undone(4)),
        ("ann", told(5, "group")),
    ]
    acts = [Act(at, event, who, 0.0) for at, (who, event) in enumerate(events)]
    tally = Tally()
    tally.take(acts[:3])
    tally.take(acts[3:])

    stands = standing(act.event for act in acts).acts
    for who in ("ann", "bob", "cat"):
        mine = [at for at in reversed(stands) if acts[at].who == who]
        assert [act.number for act in tally.latest(who)] == mine
    assert tally.n_screens == 4
    assert [answer.id for answer in tally.lately("ann", 1)] == [2, 5]
    assert [answer.id for answer in tally.lately("ann", 9)] == [1, 2, 5]

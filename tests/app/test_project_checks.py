"""Checks among the questions of a person, and what becomes of an answer that denies."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.app.places import Served, answered, new_id, rows_source, served, truly
from tests.problems import blobs

from likewise.app._project import EVERY
from likewise.knowledge import Question
from likewise.session._control import is_drawn

PILE = blobs((10, 10, 10), spread=1.2)
right = truly(PILE)
OPPOSITE = {"same": "different", "different": "same"}
METHODS = ("likewise", "urasc+n")


def sorting(folder: Path, every: int | None = None, **how: Any) -> Served:
    """Return a server of thirty rows with checks this often."""
    here = served(folder, rows_source(PILE), **how)
    if every is not None:
        here.project.change({"checks": every})
    return here.prepared()


def asked(here: Served, who: str = "ann") -> Question:
    mine = here.question(who)
    assert mine is not None
    return mine.question


def answer(here: Served, who: str = "ann") -> Any:
    """Answer rightly, as who sits at the page."""
    browser = here.seat(who)
    state = browser.get("/api/state").json()
    return answered(browser, right(state), state)


def until_check(here: Served, who: str = "ann") -> Question:
    """Answer rightly until a check is asked, and return it."""
    for _ in range(60):
        if is_drawn(asked(here, who)):
            return asked(here, who)
        answer(here, who)
    raise AssertionError("there was no check")


def denied(browser: TestClient) -> Any:
    """Answer the present question wrongly."""
    state = browser.get("/api/state").json()
    return answered(browser, OPPOSITE[right(state)], state)


# How often


def test_one_question_in_fifteen_is_a_check(tmp_path: Path) -> None:
    here = sorting(tmp_path)
    drawn = []
    for _ in range(2 * EVERY):
        drawn.append(is_drawn(asked(here)))
        answer(here)

    assert [at for at, is_check in enumerate(drawn) if is_check] == [14, 29]


@pytest.mark.parametrize("method", METHODS)
def test_checks_as_often_as_wanted(method: str, tmp_path: Path) -> None:
    options = {"method": method, "n_clusters": 3, "random_state": 0}
    here = sorting(tmp_path, 4, options=options)
    until_check(here)
    drawn = []
    for _ in range(12):
        drawn.append(is_drawn(asked(here)))
        answer(here)

    assert [at for at, is_check in enumerate(drawn) if is_check] == [0, 4, 8]


def test_no_checks_when_they_are_off(tmp_path: Path) -> None:
    here = sorting(tmp_path, 0)
    for _ in range(40):
        if here.question("ann") is None:
            break
        assert not is_drawn(asked(here))
        answer(here)


def test_checks_are_counted_for_each_person(tmp_path: Path) -> None:
    here = sorting(tmp_path, 6)
    for _ in range(5):
        answer(here, "ann")

    assert not is_drawn(asked(here, "bob"))
    assert is_drawn(asked(here, "ann"))


def test_two_people_are_never_asked_the_same_check(tmp_path: Path) -> None:
    here = sorting(tmp_path, 3)
    for _ in range(8):
        both = [asked(here, who) for who in ("ann", "bob")]
        assert both[0].sample != both[1].sample
        assert both[0].pair != both[1].pair
        answer(here, "ann")
        answer(here, "bob")

    checks = [a for a in here.session.history if is_drawn(a.question)]
    assert len({a.question.pair for a in checks}) == len(checks) >= 4


def test_checks_come_to_an_end_with_the_other_questions(tmp_path: Path) -> None:
    here = sorting(tmp_path, 1)
    drawn = []
    while here.question("ann") is not None:
        drawn.append(is_drawn(asked(here)))
        answer(here)

    assert drawn.count(True) <= drawn.count(False)
    assert (True, True) not in pairwise(drawn)


# The same check


def test_a_restart_shows_the_same_check(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    check = until_check(here)

    again = asked(here.restarted())
    assert again == check
    assert again.predicted == check.predicted


def test_undo_gives_a_check_back(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    check = until_check(here)
    answer(here)

    here.seat("ann").post("/api/undo", json={"client_id": new_id()})

    assert asked(here) == check
    assert is_drawn(asked(here))


def test_a_pick_answers_a_check(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    check = until_check(here)
    mine = here.question("ann")
    assert mine is not None
    home = here.session.view.known.constraints.group(check.sample)
    body = {"question": mine.id, "group": home, "client_id": new_id()}
    if home == check.sample:
        body["group"] = here.session.groups[-1].samples[-1]
    here.seat("ann").post("/api/pick", json=body)

    assert not is_drawn(asked(here))


# What a person sees of it


def test_nothing_on_the_page_tells_a_check_from_other_questions(
    tmp_path: Path,
) -> None:
    here = sorting(tmp_path, 5)
    check = until_check(here)
    question = here.seat("ann").get("/api/state").json()["question"]

    assert "check" not in question["why"]
    assert set(question) == {
        *("id", "sample", "against", "group", "picker", "picker_why", "why", "before"),
    }
    assert check.sample not in [card["item"] for card in question["group"]["members"]]
    picker = here.seat("ann").get("/api/candidates").json()["groups"]
    shown = [card["item"] for group in picker for card in group["members"]]
    assert check.sample not in shown


def test_hints_do_not_give_a_check_away(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    until_check(here)
    ann = here.seat("ann")
    ann.post("/api/settings", json={"hints": True})

    why = ann.get("/api/state").json()["question"]["why"]
    assert "check" not in why
    assert "earlier" not in why


def test_how_often_is_changed_for_everybody_and_for_good(tmp_path: Path) -> None:
    here = sorting(tmp_path)
    assert here.seat("ann").get("/api/state").json()["checks"] == EVERY
    here.seat("ann").post("/api/settings", json={"checks": 3})

    assert here.seat("bob").get("/api/state").json()["checks"] == 3
    until_check(here)
    assert len(here.session.history) < EVERY
    assert here.restarted().now.display.checks == 3


@pytest.mark.parametrize("wrong", [-1, 1001, 2.5, "3", True])
def test_how_often_is_a_number_up_to_a_thousand(tmp_path: Path, wrong: Any) -> None:
    here = sorting(tmp_path)
    reply = here.seat("ann").post("/api/settings", json={"checks": wrong})

    assert reply.status_code == 422
    assert here.now.display.checks == EVERY


# Answers that deny


def test_a_check_that_fails_is_a_disagreement(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    until_check(here)
    state = denied(here.seat("ann"))
    doubtful = here.session.doubtful[-1].id

    assert state["disagreement"] == doubtful
    assert state["saved"].startswith("Saved: ")
    assert here.seat("ann").get("/api/state").json()["disagreement"] == doubtful
    assert here.restarted().now.disagreement("ann") == doubtful


def test_a_disagreement_is_shown_to_who_has_it_until_they_go_on(
    tmp_path: Path,
) -> None:
    here = sorting(tmp_path, 5)
    until_check(here)
    denied(here.seat("ann"))

    assert here.seat("bob").get("/api/state").json()["disagreement"] is None
    assert answer(here)["disagreement"] is None


def test_undo_takes_a_disagreement_away(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    until_check(here)
    denied(here.seat("ann"))

    reply = here.seat("ann").post("/api/undo", json={"client_id": new_id()}).json()
    assert reply["disagreement"] is None
    assert reply["progress"]["doubtful"] == 0


def test_a_disagreement_that_was_left_to_be_is_shown_no_more(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    until_check(here)
    state = denied(here.seat("ann"))
    here.elsewhere("bob").keep(state["disagreement"])

    assert here.seat("ann").get("/api/state").json()["disagreement"] is None


def test_a_pick_that_earlier_answers_deny_is_kept_as_doubtful(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    apart: frozenset[int] = frozenset()
    while not apart:
        check = until_check(here)
        constraints = here.session.view.known.constraints
        apart = constraints.apart_from(constraints.group(check.sample))
        if not apart:
            answer(here)
    mine = here.question("ann")
    assert mine is not None
    body = {"question": mine.id, "group": min(apart), "client_id": new_id()}
    state = here.seat("ann").post("/api/pick", json=body).json()

    assert state["disagreement"] == here.session.doubtful[-1].id
    assert state["saved"] == "Saved: picked its group"
    assert state["question"]["id"] != mine.id


def test_progress_counts_checks_and_what_they_show(tmp_path: Path) -> None:
    here = sorting(tmp_path, 5)
    before = here.seat("ann").get("/api/state").json()["progress"]
    until_check(here)
    after = denied(here.seat("ann"))["progress"]

    names = ("doubtful", "checks", "failed")
    assert [before[name] for name in names] == [0, 0, 0]
    assert before["wrong"] is None
    assert [after[name] for name in names] == [1, 1, 1]
    assert after["wrong"] == pytest.approx(here.session.reliability.rate)
    assert after["wrong"] > 0.015

"""Checks go unnoticed by who answers rightly, and notice who does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.seat import Seat


@pytest.fixture
def often(piles: Path, serve: Serve, sit: Sit) -> Seat:
    """Somebody who is asked a check every fourth time."""
    return sit(serve(piles / "shapes", "--encoder", "hog+colour", "--checks", "4"))


def n_checks(seat: Seat) -> int:
    return int(seat.state()["progress"]["checks"])


def open_settings(seat: Seat) -> None:
    seat.ready()
    seat.page.keyboard.press("?")
    seat.page.locator("#keys").wait_for()


def set_checks(seat: Seat, wanted: str) -> None:
    open_settings(seat)
    seat.page.locator("#checks").fill(wanted)
    seat.page.keyboard.press("Escape")
    seat.page.locator("#keys").wait_for(state="hidden")
    expect(seat.page.locator("#checks")).not_to_be_focused()  # keys are keys again


def wait_until(seat: Seat, wanted: int) -> None:
    """Wait until the server has a check as often as wanted."""
    state = "fetch('/api/state').then((reply) => reply.json())"
    saved = f"(n) => {state}.then((state) => state.checks === n)"
    seat.page.wait_for_function(saved, arg=wanted)


def test_who_answers_rightly_sees_nothing_of_checks(often: Seat) -> None:
    slip = often.page.locator("#slip")
    for _ in range(40):
        if not often.is_asked:
            break
        often.answer()
        expect(slip).to_be_hidden()

    progress = often.state()["progress"]
    assert progress["checks"] >= 5
    assert (progress["failed"], progress["doubtful"]) == (0, 0)


@pytest.mark.slow
def test_checks_that_were_switched_off_are_never_asked(often: Seat) -> None:
    set_checks(often, "0")
    wait_until(often, 0)
    often.answers(20)

    assert n_checks(often) == 0


def test_how_often_is_kept_and_shown(often: Seat) -> None:
    open_settings(often)
    expect(often.page.locator("#checks")).to_have_value("4")
    often.page.keyboard.press("Escape")
    set_checks(often, "25")
    wait_until(often, 25)

    often.page.reload()
    open_settings(often)
    expect(often.page.locator("#checks")).to_have_value("25")


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["", "-3", "5000", "2.5"])
def test_what_is_no_number_of_questions_changes_nothing(
    often: Seat, wrong: str
) -> None:
    set_checks(often, wrong)
    open_settings(often)

    expect(often.page.locator("#checks")).to_have_value("4")
    assert often.state()["checks"] == 4

"""Checks go unnoticed by who answers rightly, and notice who does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import ViewportSize, expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.seat import Seat

OTHER = {"s": "d", "d": "s"}
PHONE: ViewportSize = {"width": 360, "height": 700}


@pytest.fixture
def often(piles: Path, serve: Serve, sit: Sit) -> Seat:
    """Somebody who is asked a check every fourth time."""
    return sit(serve(piles / "shapes", "--encoder", "hog+colour", "--checks", "4"))


def n_checks(seat: Seat) -> int:
    return int(seat.state()["progress"]["checks"])


def deny_a_check(seat: Seat) -> int:
    """Answer rightly until a check was asked, then change that answer."""
    while not n_checks(seat):
        seat.skip(1)
    seat.press("z")
    seat.press(OTHER[seat.truth()])
    return int(seat.state()["disagreement"])


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
    notice, why = often.page.locator("#disagreement"), often.page.locator("#why")
    for _ in range(40):
        if not often.is_asked:
            break
        often.answer()
        expect(notice).to_be_hidden()
        expect(why).to_be_hidden()

    progress = often.state()["progress"]
    assert progress["checks"] >= 5
    assert (progress["failed"], progress["doubtful"]) == (0, 0)


def test_an_answer_that_denies_others_is_noticed_until_it_is_undone(
    often: Seat,
) -> None:
    answer = deny_a_check(often)
    notice = often.page.locator("#disagreement")

    expect(notice).to_contain_text("This disagrees with earlier answers")
    expect(often.page.locator("#saved")).to_have_text(re.compile("^Saved: "))
    look = notice.get_by_role("link", name="Look at it")
    assert look.get_attribute("href") == f"/disagreements#answer-{answer}"
    often.page.keyboard.press("l")
    expect(often.page).to_have_url(re.compile(f"/disagreements#answer-{answer}$"))

    often.page.go_back()
    often.press("z")
    expect(notice).to_be_hidden()
    assert often.state()["progress"]["doubtful"] == 0


@pytest.mark.slow
def test_who_goes_on_is_not_told_again(often: Seat) -> None:
    deny_a_check(often)
    notice = often.page.locator("#disagreement")
    notice.get_by_role("button", name="Go on").click()
    expect(notice).to_be_hidden()

    often.page.reload()
    often.ready()
    expect(notice).to_be_hidden()
    assert often.state()["disagreement"] is not None


@pytest.mark.slow
def test_the_next_answer_and_esc_go_on_too(often: Seat) -> None:
    deny_a_check(often)
    notice = often.page.locator("#disagreement")
    expect(notice).to_be_visible()
    often.answer()
    expect(notice).to_be_hidden()

    often.press("z")
    expect(notice).to_be_visible()
    often.page.keyboard.press("Escape")
    expect(notice).to_be_hidden()


@pytest.mark.slow
def test_nothing_moves_when_answers_disagree(often: Seat) -> None:
    pair = often.page.locator("#pair")
    before = pair.bounding_box()
    deny_a_check(often)

    assert pair.bounding_box() == before


@pytest.mark.slow
def test_the_notice_fits_on_a_phone(often: Seat) -> None:
    often.page.set_viewport_size(PHONE)
    deny_a_check(often)

    width = often.page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
    for name in ("#disagreement-look", "#disagreement-close"):
        box = often.page.locator(name).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]


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

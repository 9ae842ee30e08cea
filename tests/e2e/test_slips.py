"""Whoever contradicts earlier answers decides there and then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, ViewportSize, expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.seat import Seat
from tests.e2e.test_axe import grave

from likewise.app._project import DECIDERS

OTHER = {"s": "d", "d": "s"}
PHONE: ViewportSize = {"width": 390, "height": 844}
OVERFLOW = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""


@pytest.fixture
def slipped(piles: Path, serve: Serve, sit: Sit) -> Seat:
    """Somebody who is asked a check every fourth time, and has answered one wrongly."""
    words = ("--encoder", "hog+colour", "--checks", "4")
    seat = sit(serve(piles / "shapes", *words))
    contradict(seat)
    return seat


def contradict(seat: Seat) -> None:
    """Answer rightly until a check was asked, then change that answer.

    Where questions follow that tell which answer is wrong, answer them rightly.
    """
    while not seat.state()["progress"]["checks"]:
        seat.skip(1)
    seat.press("z")
    seat.press(OTHER[seat.truth()])
    for _ in range(DECIDERS):
        if seat.state()["slip"] is None:
            seat.answer()
    dialog(seat).wait_for()
    seat.past_guard()


def dialog(seat: Seat) -> Locator:
    return seat.page.locator("#slip")


def said(seat: Seat) -> list[Any]:
    """Return the answers that are listed, the likeliest slip first."""
    listed: list[Any] = seat.state()["slip"]["suspects"]
    return listed


def test_the_likeliest_slip_comes_first_and_the_last_answer_beside_it(
    slipped: Seat,
) -> None:
    listed = said(slipped)
    shown = slipped.page.locator("#slip-answers .slip-answer")

    expect(shown).to_have_count(2)
    assert shown.first.get_attribute("data-answer") == f"{listed[0]['id']}"
    expect(shown.first).to_contain_text("Most likely the slip")
    pictures = shown.first.locator("img").all()
    names = [picture.get_attribute("alt") for picture in pictures]
    assert names == [listed[0]["sample"]["title"], listed[0]["against"]["title"]]
    wrong = [one for one in listed if is_wrong(one)]
    assert [one["id"] for one in wrong] == [listed[0]["id"]]


def is_wrong(one: Any) -> bool:
    kinds = {one[side]["title"].partition("-")[0] for side in ("sample", "against")}
    return (len(kinds) == 1) != (one["verdict"] == "same")


@pytest.mark.parametrize("way", ["key", "mouse"])
def test_the_first_is_changed_at_one_stroke_and_undone(slipped: Seat, way: str) -> None:
    first = said(slipped)[0]
    if way == "key":
        slipped.page.keyboard.press("1")
    else:
        slipped.page.locator("#slip-answers .slip-change").first.click()

    expect(dialog(slipped)).to_be_hidden()
    changed = f"Saved: answer {first['id']} changed"
    expect(slipped.page.locator("#saved")).to_contain_text(changed)
    assert slipped.state()["disagreements"] == 0

    slipped.press("z")
    assert slipped.state()["disagreements"] == 1


def test_fingers_decide_too(piles: Path, serve: Serve, sit: Sit) -> None:
    words = ("--encoder", "hog+colour", "--checks", "4")
    server = serve(piles / "shapes", *words)
    seat = sit(server, viewport=PHONE, has_touch=True, is_mobile=True)
    contradict(seat)

    assert seat.page.evaluate(OVERFLOW) == 0
    seat.page.locator("#slip-answers .slip-change").first.tap()

    expect(dialog(seat)).to_be_hidden()
    expect(seat.page.locator("#n-disagreements")).to_be_hidden()


def test_who_is_not_sure_keeps_both_and_is_not_asked_again(slipped: Seat) -> None:
    slipped.page.keyboard.press("3")

    expect(dialog(slipped)).to_be_hidden()
    expect(slipped.page.locator("#saved")).to_contain_text("stays as it is")
    state = slipped.state()
    assert (state["slip"], state["disagreements"]) == (None, 0)
    assert state["progress"]["doubtful"] == 1


def test_escape_puts_it_off_to_the_page_of_disagreements(slipped: Seat) -> None:
    slipped.page.keyboard.press("Escape")
    expect(dialog(slipped)).to_be_hidden()
    expect(slipped.page.locator("#n-disagreements")).to_have_text("1")

    slipped.page.reload()
    slipped.ready()
    expect(dialog(slipped)).to_be_hidden()
    slipped.answer()
    expect(dialog(slipped)).to_be_hidden()


@pytest.mark.slow
def test_a_page_that_was_left_asks_again(slipped: Seat) -> None:
    slipped.page.reload()

    expect(dialog(slipped)).to_be_visible()


@pytest.mark.slow
def test_keys_of_answers_mean_nothing_while_it_is_open(slipped: Seat) -> None:
    before = slipped.state()["version"]
    for key in ("s", "d", "u", "x", "ArrowLeft", "ArrowRight"):
        slipped.page.keyboard.press(key)

    expect(dialog(slipped)).to_be_visible()
    assert slipped.state()["version"] == before


def test_the_dialog_has_no_serious_finding(piles: Path, serve: Serve, sit: Sit) -> None:
    words = ("--encoder", "hog+colour", "--checks", "4")
    seat = sit(serve(piles / "shapes", *words), reduced_motion="reduce")
    contradict(seat)

    assert grave(seat) == []

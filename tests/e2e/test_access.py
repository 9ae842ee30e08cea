"""Small screens, large letters, dark rooms, and people who do not see the page."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Page, expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.running import Server
from tests.e2e.seat import Seat

TOUCH = 44  # pixels that a finger hits
PATHS = ("", "groups", "groups/0", "map", "history", "disagreements", "export", "api")
NAMELESS = re.compile(
    r"^\s*- (?:button|link|img|textbox|progressbar|dialog)(?: \[[^\]]*\])*:?$",
    re.MULTILINE,
)
OVERFLOW = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""
LEVELS = """() => [...document.querySelectorAll("h1, h2, h3, h4")]
  .filter((heading) => heading.checkVisibility())
  .map((heading) => Number(heading.tagName[1]))"""
CONTRAST = """(selector) => {
  const pen = document.createElement("canvas").getContext("2d");
  const light = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const parts = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const ink = light(getComputedStyle(document.querySelector(selector)).color);
  const [low, high] = [ground, ink].sort((a, b) => a - b);
  return { ground, contrast: (high + 0.05) / (low + 0.05) };
}"""


@pytest.fixture
def server(piles: Path, serve: Serve) -> Server:
    return serve(piles / "few", "--encoder", "hog+colour")


def phone(sit: Sit, server: Server) -> Seat:
    return sit(server, viewport={"width": 360, "height": 740}, has_touch=True)


def answer_buttons(page: Page) -> list[FloatRect]:
    """Return where the three answers are."""
    boxes = [button.bounding_box() for button in page.locator(".answer").all()]
    return [box for box in boxes if box is not None]


def test_nothing_is_cut_off_on_a_phone(sit: Sit, server: Server) -> None:
    seat = phone(sit, server)

    for path in PATHS:
        seat.page.goto(server.root + path)
        assert seat.page.evaluate(OVERFLOW) == 0, path


def test_the_answers_are_within_reach_of_a_thumb(sit: Sit, server: Server) -> None:
    found = answer_buttons(phone(sit, server).page)

    assert len(found) == 3
    for box in found:
        assert box["height"] >= TOUCH
        assert min(box["x"], box["y"]) >= 0
        assert box["x"] + box["width"] <= 360
        assert box["y"] + box["height"] <= 740


def test_every_tool_is_large_enough_for_a_finger(sit: Sit, server: Server) -> None:
    page = phone(sit, server).page

    boxes = [tool.bounding_box() for tool in page.locator(".tool:visible").all()]
    assert boxes
    assert all(box is not None and box["height"] >= TOUCH for box in boxes)


def test_the_picker_fits_on_a_phone(sit: Sit, server: Server) -> None:
    seat = phone(sit, server)
    seat.answer()
    seat.open_picker()

    assert seat.page.evaluate(OVERFLOW) == 0
    box = seat.page.locator("#picker").bounding_box()
    assert box is not None
    assert box["width"] <= 360
    assert box["height"] <= 740


def test_a_page_at_twice_its_size_still_shows_the_answers(
    sit: Sit, server: Server
) -> None:
    half = {"width": 640, "height": 400}  # of 1280 by 800
    seat = sit(server, viewport=half, device_scale_factor=2)

    assert seat.page.evaluate(OVERFLOW) == 0
    for box in answer_buttons(seat.page):
        assert box["y"] + box["height"] <= half["height"]


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_words_stand_out_from_the_ground(sit: Sit, server: Server, scheme: str) -> None:
    page = sit(server, color_scheme=scheme).page

    for words in ("#criterion", "#about", ".tabs a"):
        found = page.evaluate(CONTRAST, words)
        assert found["contrast"] >= 4.5, words
        assert (found["ground"] < 0.2) == (scheme == "dark")


def test_every_button_and_link_has_a_name(sit: Sit, server: Server) -> None:
    seat = sit(server)

    for path in PATHS:
        seat.page.goto(server.root + path)
        if not path:
            seat.ready()
        assert NAMELESS.findall(seat.page.locator("body").aria_snapshot()) == [], path


def test_everything_in_the_picker_has_a_name(sit: Sit, server: Server) -> None:
    seat = sit(server)
    seat.answer()
    seat.open_picker()

    snapshot = seat.page.locator("body").aria_snapshot()
    assert 'dialog "Which group is it in?"' in snapshot
    assert NAMELESS.findall(snapshot) == []


def test_headings_go_down_a_step_at_a_time(sit: Sit, server: Server) -> None:
    seat = sit(server)

    for path in PATHS:
        seat.page.goto(server.root + path)
        if not path:
            seat.ready()
        levels = seat.page.evaluate(LEVELS)
        assert levels[0] == 1, path
        assert levels.count(1) == 1, path
        assert all(after <= before + 1 for before, after in pairwise(levels)), path


def test_a_page_has_its_landmarks_in_order(sit: Sit, server: Server) -> None:
    snapshot = sit(server).page.locator("body").aria_snapshot()

    found = re.findall(r"- (banner|navigation|main|contentinfo)\b", snapshot)
    assert found == ["banner", "navigation", "main", "contentinfo"]


def test_what_became_of_an_answer_is_announced(sit: Sit, server: Server) -> None:
    seat = sit(server)
    region = seat.page.locator("#saved")
    assert region.get_attribute("aria-live") == "polite"
    before = region.element_handle()

    seat.press("d")

    assert before.inner_text() == "Saved: different"


def test_the_keyboard_reaches_the_content_first(sit: Sit, server: Server) -> None:
    page = sit(server).page
    page.keyboard.press("Tab")

    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()


def test_the_focus_stays_in_the_picker(sit: Sit, server: Server) -> None:
    seat = sit(server)
    seat.answer()
    seat.open_picker()
    inside = "() => document.activeElement.closest('#picker') !== null"

    assert seat.page.evaluate(inside)
    seat.page.keyboard.press("Escape")
    assert seat.page.locator("#picker").is_hidden()

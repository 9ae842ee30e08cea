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
PATHS = (
    "", "groups", "groups/0", "map", "history", "disagreements", "export", "people",
    "api",
)  # fmt: skip
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


@pytest.fixture(scope="module")
def server(piles: Path, serve_once: Serve) -> Server:
    return serve_once(piles / "shapes", "--encoder", "hog+colour")


@pytest.fixture
def seat(sit: Sit, server: Server) -> Seat:
    return sit(server)


@pytest.fixture
def phone(sit: Sit, server: Server) -> Seat:
    return sit(server, viewport={"width": 360, "height": 740}, has_touch=True)


def boxes(page: Page, selector: str) -> list[FloatRect]:
    """Return where some things are."""
    found = [one.bounding_box() for one in page.locator(selector).all()]
    return [box for box in found if box is not None]


# On a phone


def test_answers_and_tools_are_within_reach_of_a_thumb(phone: Seat) -> None:
    answers, tools = (boxes(phone.page, at) for at in (".answer", ".tool:visible"))

    assert len(answers) == 3
    for box in answers:
        assert min(box["x"], box["y"]) >= 0
        assert box["x"] + box["width"] <= 360
        assert box["y"] + box["height"] <= 740
    assert tools
    assert all(box["height"] >= TOUCH for box in (*answers, *tools))


def test_nothing_is_cut_off_on_a_phone(phone: Seat) -> None:
    phone.answer()
    phone.open_picker()
    assert phone.page.evaluate(OVERFLOW) == 0
    (box,) = boxes(phone.page, "#picker")
    assert box["width"] <= 360
    assert box["height"] <= 740

    root = phone.page.url
    for path in PATHS:
        phone.page.goto(root + path)
        assert phone.page.evaluate(OVERFLOW) == 0, path


def test_the_two_of_a_pair_stand_one_above_the_other_on_a_phone(phone: Seat) -> None:
    upper, lower = boxes(phone.page, "#pair .card")
    assert upper["x"] == lower["x"]
    assert upper["width"] == lower["width"] > 300
    assert upper["y"] + upper["height"] <= lower["y"]


# A header that does not jump


@pytest.mark.parametrize("width", [1280, 390])
def test_the_header_is_the_same_on_every_page_and_in_every_state(
    seat: Seat, width: int
) -> None:
    seat.page.set_viewport_size({"width": width, "height": 800})
    root, found = seat.page.url, {}
    for path in (*PATHS, "enter", "nowhere"):
        seat.page.goto(root + path)
        (header,) = boxes(seat.page, ".top")
        tabs = [box["x"] for box in boxes(seat.page, ".tabs a")]
        found[path] = (header["height"], tabs or None)
    heights = {height for height, _ in found.values()}
    places = {tuple(tabs) for _, tabs in found.values() if tabs}

    assert len(heights) == 1, found
    assert len(places) == 1, found


def test_a_badge_on_a_tab_moves_nothing(seat: Seat) -> None:
    before = boxes(seat.page, ".tabs a")

    seat.page.evaluate(
        """() => {
          const count = document.getElementById("n-disagreements");
          count.textContent = "12";
          count.hidden = false;
        }"""
    )

    assert boxes(seat.page, ".tabs a") == before


# In large letters, in dark rooms


def test_a_page_at_twice_its_size_still_shows_the_answers(
    sit: Sit, server: Server
) -> None:
    half = {"width": 640, "height": 400}  # of 1280 by 800
    page = sit(server, viewport=half, device_scale_factor=2).page

    assert page.evaluate(OVERFLOW) == 0
    for box in boxes(page, ".answer"):
        assert box["y"] + box["height"] <= half["height"]


def test_words_stand_out_from_the_ground(seat: Seat) -> None:
    for scheme in ("dark", "light"):
        seat.page.emulate_media(color_scheme=scheme)
        for words in ("#criterion", "#about", ".tabs a"):
            found = seat.page.evaluate(CONTRAST, words)
            assert found["contrast"] >= 4.5, words
            assert (found["ground"] < 0.2) == (scheme == "dark")


# For people who do not see it


def test_everything_has_a_name_and_headings_go_down_a_step_at_a_time(
    seat: Seat,
) -> None:
    root = seat.page.url
    for path in PATHS:
        seat.page.goto(root + path)
        if not path:
            seat.ready()
        levels = seat.page.evaluate(LEVELS)
        assert NAMELESS.findall(seat.page.locator("body").aria_snapshot()) == [], path
        assert (levels[0], levels.count(1)) == (1, 1), path
        assert all(after <= before + 1 for before, after in pairwise(levels)), path


def test_everything_in_the_picker_has_a_name_and_the_focus_stays_there(
    seat: Seat,
) -> None:
    seat.answer()
    seat.open_picker()
    inside = "() => document.activeElement.closest('#picker') !== null"

    snapshot = seat.page.locator("body").aria_snapshot()
    assert 'dialog "Which group is it in?"' in snapshot
    assert NAMELESS.findall(snapshot) == []
    assert seat.page.evaluate(inside)
    seat.page.keyboard.press("Escape")
    assert seat.page.locator("#picker").is_hidden()


def test_the_keyboard_reaches_the_content_first_and_answers_are_announced(
    seat: Seat,
) -> None:
    snapshot = seat.page.locator("body").aria_snapshot()
    landmarks = re.findall(r"- (banner|navigation|main|contentinfo)\b", snapshot)
    assert landmarks == ["banner", "navigation", "main", "contentinfo"]

    seat.page.keyboard.press("Tab")
    skip = seat.page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()

    region = seat.page.locator("#saved")
    assert region.get_attribute("aria-live") == "polite"
    before = region.element_handle()
    seat.press("d")
    assert before.inner_text() == "Saved: different"

"""The map: all items at a glance, by pointer, finger and keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import dist
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.piles import TEXTS, pictures
from tests.e2e.seat import Seat
from tests.e2e.test_access import LEVELS, NAMELESS, OVERFLOW, TOUCH

EDGE = 4095  # of places in the message
DRAWN = "#map[data-view]"
FOCUS = "() => window.dispatchEvent(new Event('focus'))"
FETCHED = "() => fetch('/api/map').then((reply) => reply.json())"
PIXEL = """([x, y]) => {
  const map = document.getElementById("map");
  const box = map.getBoundingClientRect();
  const [across, down] = [map.width / box.width, map.height / box.height];
  const [left, top] = [(x - box.left) * across, (y - box.top) * down];
  return [...map.getContext("2d").getImageData(left, top, 1, 1).data].slice(0, 3);
}"""
BACKGROUND = (
    "(chip) => getComputedStyle(chip).backgroundColor.match(/\\d+/g).map(Number)"
)
MOVED = "(before) => document.getElementById('map')?.dataset.view !== before"
AT_REST = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
})"""
PHONE = {"width": 360, "height": 740}
IN_LIST = "() => document.activeElement.closest('#groups') !== null"


@dataclass(frozen=True)
class Map:
    """Somebody in front of the map."""

    page: Page

    @cached_property
    def sheet(self) -> Any:
        """What the server says, as it was when first looked at."""
        return self.page.evaluate(FETCHED)

    def view(self) -> tuple[float, float, float, float]:
        said = self.page.locator("#map").get_attribute("data-view")
        across, down, x, y = json.loads(said or "[]")
        return across, down, x, y

    def place(self, item: int) -> tuple[float, float]:
        """Return where an item is on the screen."""
        across, down, left, top = self.view()
        box = self.page.locator("#map").bounding_box()
        assert box is not None
        x, y = self.sheet["x"][item] / EDGE, self.sheet["y"][item] / EDGE
        return box["x"] + left + x * across, box["y"] + top + y * down

    def nowhere(self) -> tuple[float, float]:
        """Return the place on the screen that is farthest from all items."""
        box = self.page.locator("#map").bounding_box()
        assert box is not None
        items = [self.place(item) for item in range(self.sheet["n_items"])]
        steps = [step / 20 for step in range(1, 20)]
        places = [
            (box["x"] + across * box["width"], box["y"] + down * box["height"])
            for across in steps
            for down in steps
        ]
        return max(places, key=lambda place: min(dist(place, item) for item in items))

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Wait until what is done here has moved the map."""
        before = self.page.locator("#map").get_attribute("data-view")
        yield
        self.page.wait_for_function(MOVED, arg=before)

    def loner(self) -> int:
        """Return the item that lies farthest from all others."""
        places = [self.place(item) for item in range(self.sheet["n_items"])]

        def room(item: int) -> float:
            here = places[item]
            return min(dist(here, other) for other in places if other is not here)

        return max(range(len(places)), key=room)

    def entry(self, number: int) -> Any:
        return self.page.locator(f".entry[data-number='{number}']")

    def told(self) -> str:
        """Return what was announced, once it was."""
        region = self.page.locator("#told")
        expect(region).not_to_be_empty()
        return region.inner_text()


@pytest.fixture
def see() -> Callable[[Seat], Map]:
    """Go to the map and wait until it is drawn."""

    def see(seat: Seat) -> Map:
        seat.page.get_by_role("link", name="Map", exact=True).click()
        seat.page.wait_for_selector(DRAWN)
        return Map(seat.page)

    return see


See = Callable[[Seat], Map]


@pytest.fixture
def sorted_map(shapes: Seat, see: See) -> Map:
    """The map of 42 pictures after some answers."""
    shapes.skip(6)
    return see(shapes)


def confirmed(sheet: Any, number: int) -> list[int]:
    """Return the items of a group that answers have put there."""
    sure = sheet["statuses"].index("confirmed")
    both = zip(sheet["group"], sheet["status"], strict=True)
    return [
        at
        for at, (group, status) in enumerate(both)
        if (group, status) == (number, sure)
    ]


# What it shows


def test_the_tab_leads_to_all_items_and_their_groups_and_all_have_names(
    sorted_map: Map,
) -> None:
    page = sorted_map.page

    expect(page.locator("#words")).to_contain_text("42 items")
    listed = page.locator(".entry .chip").all_inner_texts()
    assert [int(n) for n in listed] == [g["number"] for g in sorted_map.sheet["groups"]]
    expect(page.locator("#waiting")).to_be_hidden()

    levels = page.evaluate(LEVELS)
    assert NAMELESS.findall(page.locator("body").aria_snapshot()) == []
    assert (levels[0], levels.count(1)) == (1, 1)
    expect(page.get_by_role("img", name=re.compile("Map of 42 items"))).to_be_visible()


@pytest.mark.slow
def test_the_signs_that_are_there_are_explained(sorted_map: Map) -> None:
    names = sorted_map.sheet["statuses"]
    there = {names[code] for code in sorted_map.sheet["status"]}

    for name in names:
        sign = sorted_map.page.locator(f"#key-{name}")
        expect(sign).to_be_visible(visible=name in there)


def test_colours_are_those_of_the_chips(sorted_map: Map) -> None:
    page, found = sorted_map.page, {}
    for group in sorted_map.sheet["groups"]:
        members = confirmed(sorted_map.sheet, group["number"])
        if members:
            sorted_map.entry(group["number"]).click()
            page.wait_for_function(AT_REST)
            found[group["number"]] = page.evaluate(PIXEL, sorted_map.place(members[-1]))
    page.goto(re.sub(r"/map$", "/groups", page.url))

    assert len(found) > 1
    for number, colour in found.items():
        chip = page.locator(".chip", has_text=re.compile(rf"^{number}$")).first
        assert chip.evaluate(BACKGROUND) == colour


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_sheet_is_as_dark_as_the_room(
    piles: Path, serve: Serve, sit: Sit, see: See, scheme: str
) -> None:
    server = serve(piles / "few", "--encoder", "hog+colour")
    found = see(sit(server, color_scheme=scheme))

    ground = found.page.evaluate(PIXEL, found.nowhere())
    assert (max(ground) < 64) == (scheme == "dark")


# By pointer


@pytest.mark.slow
def test_hovering_shows_picture_title_and_group(sorted_map: Map) -> None:
    page, item = sorted_map.page, sorted_map.loner()
    page.mouse.move(*sorted_map.place(item))

    card = page.locator("#spot")
    expect(card).to_be_visible()
    expect(card.locator(".chip")).to_have_text(str(sorted_map.sheet["group"][item]))
    expect(card.locator("img")).to_have_attribute(
        "src", re.compile(rf"/thumb/{item}\?")
    )
    page.mouse.move(2, 2)
    expect(card).to_be_hidden()


@pytest.mark.slow
def test_the_wheel_zooms_where_it_points(sorted_map: Map) -> None:
    item, before = sorted_map.loner(), sorted_map.view()
    place = sorted_map.place(item)
    with sorted_map.moving():
        sorted_map.page.mouse.move(*place)
        sorted_map.page.mouse.wheel(0, -600)

    assert sorted_map.view()[0] > 2 * before[0]
    assert dist(sorted_map.place(item), place) < 3  # wheels count whole pixels


@pytest.mark.slow
def test_dragging_moves_the_map_and_opens_nothing(sorted_map: Map) -> None:
    page, item = sorted_map.page, sorted_map.loner()
    x, y = sorted_map.place(item)
    with sorted_map.moving():
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 30, y + 20)
        page.mouse.move(x + 60, y + 40)
        page.mouse.up()

    page.wait_for_function(AT_REST)
    assert dist(sorted_map.place(item), (x + 60, y + 40)) < 3
    expect(page.locator("#opened")).to_be_hidden()


@pytest.mark.slow
def test_a_double_click_shows_the_whole_map_again(sorted_map: Map) -> None:
    page, before = sorted_map.page, sorted_map.view()
    with sorted_map.moving():
        page.get_by_role("button", name="Zoom in").click()
    with sorted_map.moving():
        page.mouse.dblclick(*sorted_map.nowhere())

    assert sorted_map.view() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("button", "key", "is_larger"), [("Zoom in", "+", True), ("Zoom out", "-", False)]
)
def test_buttons_and_keys_zoom_alike(
    sorted_map: Map, button: str, key: str, is_larger: bool
) -> None:
    page, before = sorted_map.page, sorted_map.view()
    with sorted_map.moving():
        page.get_by_role("button", name=button).click()
    once = sorted_map.view()
    with sorted_map.moving():
        page.get_by_role("button", name="Whole map").click()
    with sorted_map.moving():
        page.keyboard.press(key)

    assert (once[0] > before[0]) == is_larger
    assert sorted_map.view() == once


@pytest.mark.slow
def test_two_fingers_zoom(piles: Path, serve: Serve, sit: Sit, see: See) -> None:
    server = serve(piles / "few", "--encoder", "hog+colour")
    found = see(sit(server, viewport=PHONE, has_touch=True))
    before, hand = found.view(), found.page.context.new_cdp_session(found.page)

    def fingers(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(places)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    with found.moving():
        fingers("touchStart", (170.0, 300.0), (190.0, 300.0))
        fingers("touchMove", (120.0, 300.0), (240.0, 300.0))
        fingers("touchEnd")

    assert found.view()[0] > 2 * before[0]


# By keys


@pytest.mark.slow
def test_a_group_stands_out_until_it_is_pressed_again(sorted_map: Map) -> None:
    first, second = sorted_map.page.locator(".entry").all()[:2]
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")
    second.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    expect(second).to_have_attribute("aria-pressed", "true")
    second.click()

    expect(sorted_map.page.locator(".entry[aria-pressed=true]")).to_have_count(0)


def test_keys_alone_lead_to_an_item_and_back(sorted_map: Map) -> None:
    page = sorted_map.page
    while not page.evaluate(IN_LIST):
        page.keyboard.press("Tab")
    number = sorted_map.sheet["groups"][0]["number"]
    expect(sorted_map.entry(number)).to_be_focused()
    page.keyboard.press("ArrowRight")
    name, _, rest = sorted_map.told().partition(": ")

    size = sorted_map.sheet["groups"][0]["size"]
    assert rest.endswith(f". 1 of {size}.")
    page.keyboard.press("Enter")
    expect(page.locator("#opened-title")).to_have_text(name)
    page.keyboard.press("Escape")
    expect(page.locator("#opened")).to_be_hidden()
    expect(sorted_map.entry(number)).to_be_focused()


@pytest.mark.slow
def test_arrows_step_from_the_middle_outwards(sorted_map: Map) -> None:
    page, group = sorted_map.page, sorted_map.sheet["groups"][0]
    sorted_map.entry(group["number"]).focus()
    seen = []
    for at in range(group["size"]):
        page.keyboard.press("ArrowDown")
        expect(page.locator("#told")).to_contain_text(f" {at + 1} of ")
        seen.append(sorted_map.told().partition(": ")[0])
    page.keyboard.press("ArrowDown")
    expect(page.locator("#told")).to_contain_text(" 1 of ")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#told")).to_contain_text(f" {group['size']} of ")

    assert len(set(seen)) == group["size"]


@pytest.mark.slow
def test_escape_lets_go_of_group_and_item(sorted_map: Map) -> None:
    page = sorted_map.page
    page.locator(".entry").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#spot")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.locator("#spot")).to_be_hidden()
    expect(page.locator(".entry[aria-pressed=true]")).to_have_count(0)


# As it is now


@pytest.mark.slow
def test_a_name_is_there_when_the_map_is_looked_at_again(sorted_map: Map) -> None:
    page, group = sorted_map.page, sorted_map.sheet["groups"][0]
    body = {"item": group["id"], "name": "Round ones"}
    Seat(page).post("/api/rename", **body)
    page.evaluate(FOCUS)

    expect(sorted_map.entry(group["number"])).to_contain_text("Round ones")


def test_an_answer_is_there_when_the_map_is_looked_at_again_and_a_click_leads_on(
    sorted_map: Map,
) -> None:
    page, item = sorted_map.page, sorted_map.loner()
    before = sorted_map.view()
    Seat(page).post("/api/aside", item=item)
    page.evaluate(FOCUS)
    expect(page.locator("#key-aside")).to_be_visible()
    page.mouse.move(*sorted_map.place(item))
    expect(page.locator("#spot-group")).to_have_text("set aside")
    assert sorted_map.view() == before
    Seat(page).post("/api/undo")
    page.evaluate(FOCUS)
    expect(page.locator("#key-aside")).to_be_hidden()

    name = Seat(page).get(f"/api/map/{item}")["title"]
    page.mouse.click(*sorted_map.place(item))
    expect(page.locator("#opened-title")).to_have_text(name)
    expect(page.locator("#opened-body img")).to_have_attribute("alt", name)
    page.locator("#opened-link").click()
    page.wait_for_url(f"**/groups/{item}")


# Other piles


@pytest.mark.slow
def test_texts_are_read_on_the_map(
    piles: Path, serve: Serve, sit: Sit, see: See
) -> None:
    page = see(sit(serve(piles / "texts"))).page
    page.locator(".entry").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#spot .excerpt")).to_be_visible()
    name = page.locator("#spot-title").inner_text()
    page.keyboard.press("Enter")

    words = page.locator("#opened article").inner_text().split()
    assert words
    assert set(words) <= set(TEXTS[name.partition("-")[0]].split())


@pytest.mark.slow
def test_rows_show_their_columns_on_the_map(
    piles: Path, serve: Serve, sit: Sit, see: See
) -> None:
    page = see(sit(serve(piles / "things.csv"))).page
    page.locator(".entry").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#spot .pair")).to_have_count(3)
    page.keyboard.press("Enter")

    columns = page.locator("#opened").get_by_role("rowheader").all_inner_texts()
    assert sorted(columns) == ["age", "height", "weight"]


@pytest.mark.slow
def test_two_pictures_need_no_map(tmp_path: Path, serve: Serve, sit: Sit) -> None:
    folder = pictures(tmp_path / "pile", 1)
    (folder / "disc-01.png").unlink()
    page = sit(serve(folder, "--encoder", "hog+colour")).page
    page.get_by_role("link", name="Map", exact=True).click()

    expect(page.get_by_text("2 items need no map")).to_be_visible()
    page.get_by_role("link", name="Look at the groups").click()
    page.wait_for_url("**/groups")


# While it is being drawn, and when it cannot be


@pytest.mark.slow
def test_a_page_waits_for_its_map(few: Seat) -> None:
    asked: list[str] = []

    def put_off(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 3:
            route.fallback()
        else:
            route.fulfill(status=503, json={"error": "Wait."})

    few.page.route("**/api/map", put_off)
    few.page.get_by_role("link", name="Map", exact=True).click()
    expect(few.page.locator("#waiting")).to_contain_text("Drawing the map")

    few.page.wait_for_selector(DRAWN)
    expect(few.page.locator("#waiting")).to_be_hidden()
    assert len(asked) >= 4


def test_a_map_that_cannot_be_drawn_says_why(few: Seat) -> None:
    words = "The map could not be drawn. There is no room for it."
    few.page.route(
        "**/api/map", lambda route: route.fulfill(status=400, json={"error": words})
    )
    few.page.get_by_role("link", name="Map", exact=True).click()

    expect(few.page.locator("#waiting")).to_have_text(words)


@pytest.mark.slow
def test_a_server_that_is_away_is_waited_for(few: Seat) -> None:
    away = [True]

    def refuse(route: Route) -> None:
        if away:
            route.abort()
        else:
            route.fallback()

    few.page.route("**/api/map", refuse)
    few.page.get_by_role("link", name="Map", exact=True).click()
    expect(few.page.locator("#waiting")).to_contain_text("does not answer")
    away.clear()

    few.page.wait_for_selector(DRAWN)


# For everybody


def test_a_phone_shows_all_of_it(piles: Path, serve: Serve, sit: Sit, see: See) -> None:
    server = serve(piles / "shapes", "--encoder", "hog+colour")
    found = see(sit(server, viewport=PHONE, has_touch=True))
    page = found.page

    assert page.evaluate(OVERFLOW) == 0
    for button in [*page.locator(".zoom button").all(), *page.locator(".entry").all()]:
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= TOUCH
    for item in range(found.sheet["n_items"]):
        x, y = found.place(item)
        assert 0 <= x <= PHONE["width"]
        assert 0 <= y <= PHONE["height"]


@pytest.mark.slow
def test_a_finger_opens_an_item(piles: Path, serve: Serve, sit: Sit, see: See) -> None:
    server = serve(piles / "few", "--encoder", "hog+colour")
    found = see(sit(server, viewport=PHONE, has_touch=True))
    found.page.touchscreen.tap(*found.place(found.loner()))

    expect(found.page.locator("#opened")).to_be_visible()
    expect(found.page.locator("#opened-title")).not_to_be_empty()
    assert found.page.evaluate(OVERFLOW) == 0


@pytest.mark.slow
def test_a_map_shrinks_and_grows_with_its_window(sorted_map: Map) -> None:
    page, before = sorted_map.page, sorted_map.view()
    with sorted_map.moving():
        page.set_viewport_size({"width": 800, "height": 600})
    assert page.evaluate(OVERFLOW) == 0
    with sorted_map.moving():
        page.set_viewport_size({"width": 1280, "height": 720})

    page.wait_for_function(AT_REST)
    assert sorted_map.view() == before

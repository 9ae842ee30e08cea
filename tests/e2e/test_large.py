"""The large view: one item or two, zoomed and dragged together, by every means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.reviewer import Reviewer
from tests.e2e.running import Server

PHONE = {"width": 390, "height": 844}
TRANSFORMS = "(all) => all.map((image) => image.style.transform)"
SCALE = re.compile(r"scale\(([\d.]+)\)")
FINGERS = """([box, places]) => {
  const pane = document.querySelector(box);
  const { left, top, width, height } = pane.getBoundingClientRect();
  const send = (kind, pointerId, [x, y]) => pane.dispatchEvent(new PointerEvent(kind, {
    pointerId, pointerType: "touch", bubbles: true,
    clientX: left + x * width, clientY: top + y * height,
  }));
  pane.setPointerCapture = () => {};
  for (const [kind, id, x, y] of places) send(kind, id, [x, y]);
}"""


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six pictures, larger than any screen."""
    folder = tmp_path_factory.mktemp("large") / "scans"
    folder.mkdir()
    slope = np.linspace(0, 255, 2400)
    for at in range(6):
        face = np.add.outer(slope[::-1][:1500], np.roll(slope, 300 * at)) / 2
        name = f"{'dark' if at % 2 else 'light'}-{at}.jpg"
        picture = face if at % 2 else 255 - face
        Image.fromarray(picture.astype(np.uint8)).save(folder / name)
    return folder


@pytest.fixture(scope="module")
def server(scans: Path, serve_once: Serve) -> Server:
    return serve_once(scans, "--encoder", "hog+colour")


@pytest.fixture
def page(server: Server, sit: Sit) -> Page:
    return sit(server).page


def scales(page: Page) -> list[float]:
    """Return how close each of the pictures is."""
    found = page.locator(".pane img").evaluate_all(TRANSFORMS)
    return [float(SCALE.findall(one)[0]) for one in found]


def is_scaled(page: Page, scale: str) -> None:
    """Check how close both pictures are; a wheel turns a moment before they follow."""
    for image in page.locator(".pane img").all():
        expect(image).to_have_attribute("style", re.compile(rf"scale\({scale}\)"))


def sources(page: Page) -> list[str]:
    images = page.locator(".pane img").all()
    return [str(image.get_attribute("src")) for image in images]


def sharp(page: Page, ending: str) -> None:
    """Wait until all pictures have the size that is wanted."""
    fits = f"(all) => all.every((i) => i.getAttribute('src').match({ending}))"
    page.wait_for_function(
        f"() => ({fits})([...document.querySelectorAll('.pane img')])"
    )


def test_a_pair_is_zoomed_and_dragged_together(page: Page) -> None:
    page.keyboard.press("v")
    expect(page.locator("#large-title")).to_have_text("Side by side")
    expect(page.locator(".pane")).to_have_count(2)
    is_scaled(page, "1")
    sharp(page, r"/^\/picture\/.*[^6]$/")

    page.keyboard.press("+")
    is_scaled(page, "1.5")
    box: Any = page.locator(".pane").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -500)
    is_scaled(page, r"[2-9][\d.]*")
    before = page.locator(".pane img").evaluate_all(TRANSFORMS)
    assert before[0] == before[1]
    page.mouse.down()
    page.mouse.move(x + 50, y + 30, steps=3)
    page.mouse.up()
    after = page.locator(".pane img").evaluate_all(TRANSFORMS)
    assert after[0] == after[1] != before[0]
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator(".pane img").evaluate_all(TRANSFORMS) != after
    sharp(page, r"/&size=4096$/")

    page.keyboard.press("0")
    is_scaled(page, "1")
    page.locator(".pane").first.dblclick()
    is_scaled(page, "3")
    page.keyboard.press("Escape")
    expect(page.locator("#large")).to_be_hidden()
    assert page.locator("#n-answers").inner_text() == "0"


def test_arrows_go_through_what_the_page_shows(page: Page) -> None:
    opener = page.locator("#pair .card-body .picture").first
    title = page.locator("#pair .card-foot > .title").first.inner_text()
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#large-title")).to_have_text(title)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#large-title")).not_to_have_text(title)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#large-title")).to_have_text("Side by side")
    expect(page.locator("#large-count")).to_have_text(re.compile(r"1 of \d"))

    page.keyboard.press("Escape")

    expect(opener).to_be_focused()
    assert page.locator("#n-answers").inner_text() == "0"  # arrows answered nothing


def test_the_large_picture_is_fetched_when_it_is_wanted(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.locator("#pair .card").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "/picture/" in url] == []

    page.keyboard.press("v")
    sharp(page, r"/^\/picture\//")

    assert [url for url in asked if "4096" in url] == []


@pytest.mark.parametrize(("density", "size"), [(1, "480"), (3, "960")])
def test_tiles_are_as_sharp_as_the_screen(
    server: Server, sit: Sit, density: int, size: str
) -> None:
    ann = Reviewer.of(sit(server, device_scale_factor=density))
    ann.open("/groups/0")
    image = ann.page.locator("#review .item img").first

    shown = image.evaluate("async (i) => { await i.decode(); return i.currentSrc; }")

    assert shown.endswith("&size=960") == (size == "960")


def test_two_fingers_go_closer_and_one_goes_on(server: Server, sit: Sit) -> None:
    page = sit(server, viewport=PHONE, has_touch=True).page
    page.locator("#pair .picture").first.tap()
    first = page.locator("#large-title").inner_text()
    swipe = [("pointerdown", 1, 0.8, 0.5), ("pointerup", 1, 0.3, 0.5)]
    page.evaluate(FINGERS, [".pane", swipe])
    expect(page.locator("#large-title")).not_to_have_text(first)

    page.get_by_role("button", name="Side by side").tap()
    expect(page.locator(".pane")).to_have_count(2)
    boxes: list[Any] = [one.bounding_box() for one in page.locator(".pane").all()]
    assert boxes[0]["x"] == boxes[1]["x"]  # one above the other
    assert boxes[1]["y"] + boxes[1]["height"] <= PHONE["height"]
    pinch = [
        ("pointerdown", 1, 0.4, 0.5),
        ("pointerdown", 2, 0.6, 0.5),
        ("pointermove", 1, 0.2, 0.5),
        ("pointermove", 2, 0.8, 0.5),
    ]
    page.evaluate(FINGERS, [".pane", pinch])
    assert scales(page) == [pytest.approx(3), pytest.approx(3)]
    page.get_by_role("button", name="Close").tap()
    expect(page.locator("#large")).to_be_hidden()


def test_two_that_are_selected_stand_side_by_side(page: Page) -> None:
    ann = Reviewer(page)
    ann.open("/groups/0")
    items = ann.items()
    ann.press("Enter")
    expect(page.locator("#large-count")).to_have_text(re.compile(rf"1 of {len(items)}"))
    ann.press("ArrowRight")
    expect(page.locator("#large-count")).to_have_text(re.compile(rf"2 of {len(items)}"))
    ann.press("Escape")
    expect(page.locator("#large")).to_be_hidden()
    ann.is_at(items[1])  # where one was left

    ann.press("Home", "Space", "Shift+ArrowRight", "v")

    expect(page.locator(".pane")).to_have_count(2)
    assert ann.chosen() == items[:2]


@pytest.mark.parametrize(
    ("pile", "inside"), [("texts", ".text"), ("things.csv", ".rows .differs")]
)
def test_texts_and_rows_have_a_large_view(
    piles: Path, serve: Serve, sit: Sit, pile: str, inside: str
) -> None:
    page = sit(serve(piles / pile)).page
    page.keyboard.press("v")

    expect(page.locator(f"#large {inside}").first).to_be_visible()
    if pile == "texts":
        expect(page.locator("#large .text")).to_have_count(2)
    else:
        expect(page.locator("#large thead th")).to_have_count(3)
    page.keyboard.press("+")
    expect(page.locator("#large-scale")).to_have_text("150 %")
    page.keyboard.press("Escape")
    page.locator("#pair .enlarge").first.click()
    expect(page.locator(f"#large {inside.split()[0]}")).to_have_count(1)

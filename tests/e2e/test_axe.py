"""Every page passes axe-core: nothing serious in any of its rules, light or dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ViewportSize
from tests.e2e.conftest import MANY, Look, Serve, Sit
from tests.e2e.seat import Seat

GRAVE = ("serious", "critical")
SOME = {"exclude": [[".route:nth-of-type(n + 4)"], [".kind:nth-of-type(n + 4)"]]}
CONTRAST = {
    "resultTypes": ["violations"],
    "runOnly": ["color-contrast", "link-in-text-block"],
}
SIZES = (
    ViewportSize(width=1280, height=720),
    ViewportSize(width=390, height=844),
)
AGAIN = "(how) => axe.run(...how).then((found) => found.violations)"
PATHS = (
    "",
    "groups",
    "groups?only=singles",
    "groups/0",
    "groups/not-placed",
    "groups/not-sure",
    "groups/set-aside",
    "map",
    "history",
    "disagreements",
    "export",
    "people",
    "enter",
    "api",
    "nowhere",
)


def grave(seat: Seat) -> list[str]:
    """Return what axe-core finds that is serious, with the places.

    Everything in the light, and what depends on it again in the dark. Of the many
    routes and messages of the API, drawn alike, some are looked at.
    """
    seat.page.emulate_media(color_scheme="light")
    found: list[Any] = Axe().run(seat.page, SOME).response["violations"]
    seat.page.emulate_media(color_scheme="dark")
    found += seat.page.evaluate(AGAIN, [SOME, CONTRAST])
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
    ]


def test_no_page_has_a_serious_finding(piles: Path, serve: Serve, sit: Sit) -> None:
    """Of somebody who has answered, set aside and shrugged."""
    server = serve(piles / "shapes", "--encoder", "hog+colour")
    seat = sit(server, reduced_motion="reduce")
    seat.skip(6)
    for key in "ux":
        seat.press(key)
    seat.open_picker()
    assert grave(seat) == []
    seat.page.keyboard.press("Escape")
    seat.page.keyboard.press("?")
    seat.page.locator("#keys-title").wait_for()
    assert grave(seat) == []
    seat.page.keyboard.press("Escape")
    seat.page.keyboard.press("v")
    seat.page.locator(".pane").first.wait_for()
    assert grave(seat) == []

    for path in PATHS:
        for size in SIZES:
            seat.page.set_viewport_size(size)
            seat.page.goto(server.root + path)
            if path == "map":
                seat.page.wait_for_selector("#map[data-view]")
            assert grave(seat) == [], (path, size)


@pytest.mark.parametrize("pile", ["texts", "things.csv"])
def test_no_page_of_texts_or_rows_has_a_serious_finding(
    piles: Path, serve: Serve, sit: Sit, pile: str
) -> None:
    server = serve(piles / pile)
    seat = sit(server, reduced_motion="reduce")
    seat.press("d")
    seat.page.keyboard.press("v")
    seat.page.locator("#large :is(.text, .rows)").first.wait_for()
    assert grave(seat) == []
    for path in ("", "groups", "groups/0", "history"):
        seat.page.goto(server.root + path)
        assert grave(seat) == [], path


def test_no_sheet_and_no_overview_has_a_serious_finding(
    piles: Path, serve: Serve, look: Look
) -> None:
    """With marks and without, in large and in small, and while misfits are sorted."""
    looker = look(serve(piles / "shapes", *MANY), reduced_motion="reduce")
    for kind in ("overview", "sheet"):
        looker.until(kind, 3)
        for size in SIZES:
            looker.page.set_viewport_size(size)
            assert grave(looker) == [], (kind, size)
        looker.page.set_viewport_size(SIZES[0])
        for key in ("1", "2", "u"):
            looker.page.keyboard.press(key)
        assert grave(looker) == [], kind
    looker.page.keyboard.press("g")
    looker.page.locator("#piles .candidate").first.wait_for()
    assert grave(looker) == []

"""Every page passes axe-core: nothing serious in any of its rules, light or dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.e2e.conftest import Serve, Sit
from tests.e2e.running import Server
from tests.e2e.seat import Seat

GRAVE = ("serious", "critical")
PATHS = (
    "",
    "groups",
    "groups/0",
    "groups/not-placed",
    "groups/not-sure",
    "groups/set-aside",
    "map",
    "history",
    "disagreements",
    "export",
    "api",
)


def grave(seat: Seat) -> list[str]:
    """Return what axe-core finds that is serious, with the places."""
    found: Any = Axe().run(seat.page).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
    ]


@pytest.fixture(scope="module")
def server(piles: Path, serve_once: Serve) -> Server:
    return serve_once(piles / "shapes", "--encoder", "hog+colour")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_finding(server: Server, sit: Sit, scheme: str) -> None:
    """Of somebody who has answered, set aside and shrugged."""
    seat = sit(server, color_scheme=scheme, reduced_motion="reduce")
    seat.skip(6)
    for key in "ux":
        seat.press(key)
    seat.open_picker()
    assert grave(seat) == []
    seat.page.keyboard.press("Escape")
    seat.page.keyboard.press("?")
    seat.page.locator("#keys-title").wait_for()
    assert grave(seat) == []

    for path in PATHS:
        seat.page.goto(server.root + path)
        if path == "map":
            seat.page.wait_for_selector("#map[data-view]")
        assert grave(seat) == [], path

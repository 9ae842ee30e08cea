"""Every page passes axe-core: nothing serious in any of its rules, light or dark."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.e2e.conftest import Serve, Sit
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


@pytest.fixture(params=["light", "dark"])
def begun(request: pytest.FixtureRequest, piles: Any, serve: Serve, sit: Sit) -> Seat:
    """Somebody who has answered, set aside, shrugged and contradicted."""
    server = serve(piles / "shapes", "--encoder", "hog+colour")
    seat = sit(server, color_scheme=request.param, reduced_motion="reduce")
    seat.answers(6)
    for key in "ux":
        seat.press(key)
    return seat


def test_no_page_has_a_serious_finding(begun: Seat) -> None:
    root = begun.page.url
    for path in PATHS:
        begun.page.goto(root + path)
        begun.page.wait_for_load_state("networkidle")
        assert grave(begun) == [], path


def test_the_picker_and_the_keys_have_no_serious_finding(begun: Seat) -> None:
    begun.open_picker()
    assert grave(begun) == []
    begun.page.keyboard.press("Escape")

    begun.page.keyboard.press("?")
    begun.page.locator("#keys-title").wait_for()
    assert grave(begun) == []

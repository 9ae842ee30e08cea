"""What counts in a table is chosen on a page, before anything is computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import NewPage, Serve
from tests.e2e.running import Server
from tests.e2e.seat import Seat
from tests.e2e.test_axe import SIZES, grave

ROWS = [
    f"{at + 1};{'heavy' if at % 2 else 'light'} {name};{90 + at if at % 2 else 5 + at}"
    f",5;{'wood' if at % 3 else 'iron'};{2000 + at % 7}-0{1 + at % 9}-1{at % 9}"
    for at, name in enumerate(("chair", "stool", "table", "bench", "lamp", "shelf") * 3)
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop.csv"
    file.write_text("\n".join(["no;item;weight;made of;bought", *ROWS]))
    return file


def opened(new_page: NewPage, server: Server, **looks: Any) -> Any:
    """Return the page that somebody sees first."""
    page = new_page(**looks)
    page.goto(server.url)
    page.wait_for_url("**/columns")
    return page


def test_columns_are_chosen_and_the_first_question_follows(
    serve: Serve, new_page: NewPage, shop: Path
) -> None:
    page = opened(new_page, serve(shop, choosing=True))
    for name, kind in {
        "no": "identifier",
        "item": "category",
        "weight": "number",
        "made of": "category",
        "bought": "date",
    }.items():
        expect(page.get_by_label(f"Kind of {name}")).to_have_value(kind)
    expect(page.get_by_text("read as numbers with a decimal comma")).to_be_visible()
    expect(page.get_by_role("checkbox", name="no", exact=True)).not_to_be_checked()
    expect(page.get_by_role("cell", name="light chair").first).to_be_visible()

    page.get_by_role("checkbox", name="made of").uncheck()
    page.get_by_label("Kind of item").select_option("text")
    page.get_by_label("Weight of weight").fill("2")
    page.get_by_role("radio", name="item is the title").check()
    page.get_by_role("button", name="Start").click()

    seat = Seat(page)
    seat.ready()
    assert all(name.startswith(("light", "heavy")) for name in seat.pair())
    assert seat.state()["status"] == "asking"


def test_the_page_works_by_keys_alone_on_a_phone_and_for_everybody(
    serve: Serve, new_page: NewPage, shop: Path
) -> None:
    """axe-core finds nothing serious on it, in large and in small, light and dark."""
    page = opened(new_page, serve(shop, choosing=True), reduced_motion="reduce")
    for size in SIZES:
        page.set_viewport_size(size)
        assert grave(Seat(page)) == [], size
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]

    page.get_by_role("checkbox", name="made of").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox", name="made of")).not_to_be_checked()
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    Seat(page).ready()

"""The page while a part of the items is asked about, and when all are compared."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.app.early import EARLY, all_compared, begun_early
from tests.app.places import Served, rows_source, served
from tests.e2e.conftest import NewPage
from tests.e2e.seat import Seat
from tests.problems import blobs

from likewise.app import Serving, create_app

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

TINY = blobs((20, 20, 20), spread=0.8)
PLACES = """() => ["same", "different", "undo"].map((name) =>
  document.querySelector(`[data-do=${name}]`).getBoundingClientRect().toJSON())"""


@pytest.fixture
def here(tmp_path: Path) -> Served:
    return begun_early(served(tmp_path, rows_source(TINY)).prepared())


@pytest.fixture
def root(here: Served) -> Iterator[str]:
    """Serve it in this process, so that a test says when others take over."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
        serving = Serving(create_app(here.context, port=port, hosts=frozenset()), bound)
        thread = Thread(target=serving.run, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{port}/"
        serving.end()
        thread.join()


@pytest.fixture
def seat(here: Served, root: str, new_page: NewPage) -> Seat:
    page = new_page()
    name = f"likewise-{root.rsplit(':', 1)[1].rstrip('/')}"
    cookie: Any = {"name": name, "value": here.door.cookie("ann"), "url": root}
    page.context.add_cookies([cookie])
    page.goto(root)
    found = Seat(page)
    found.ready()
    return found


def test_a_line_says_so_and_nothing_moves_when_all_are_compared(
    here: Served, seat: Seat
) -> None:
    page, line = seat.page, seat.page.locator("#early")
    expect(line).to_contain_text(EARLY)
    seat.press("s")
    seat.press("d")
    expect(page.locator("#n-answers")).to_have_text("2")
    places, asked = page.evaluate(PLACES), seat.pair()
    page.evaluate("() => { window.isTheSamePage = true; }")
    here.service.take_over(all_compared(here))

    expect(line).to_have_text(
        "All 60 items are compared: questions now come from all of them."
    )
    assert page.evaluate(PLACES) == places
    assert seat.pair() == asked
    seat.press("s")
    expect(page.locator("#n-answers")).to_have_text("3")
    assert page.evaluate("() => window.isTheSamePage")
    assert here.session.n_questions == 3


def test_no_line_once_all_were_compared(here: Served, seat: Seat) -> None:
    here.service.take_over(all_compared(here))
    seat.page.reload()
    seat.ready()

    expect(seat.page.locator("#early")).to_be_hidden()


def test_the_map_appears_when_all_are_compared(here: Served, seat: Seat) -> None:
    page = seat.page
    page.goto(page.url + "map")
    expect(page.locator("main > .early")).to_contain_text(EARLY)
    here.service.take_over(all_compared(here))

    expect(page.locator("#legend")).to_be_visible()

"""An owner invites, somebody comes in by the link, works, and is shown out."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.e2e.conftest import NewPage, Serve, Sit
from tests.e2e.running import Server
from tests.e2e.seat import Seat
from tests.e2e.test_access import OVERFLOW
from tests.e2e.test_axe import SIZES, grave


@pytest.fixture
def server(piles: Path, serve: Serve) -> Server:
    return serve(piles / "shapes", "--encoder", "hog+colour", "--who", "Ann")


def invited(page: Page, server: Server, role: str) -> str:
    """Make a link on the page, and return it."""
    page.goto(f"{server.root}people")
    page.get_by_label("As", exact=True).select_option(role)
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("The link")
    expect(link).to_be_visible()
    return link.input_value()


def joined(page: Page, link: str, name: str) -> Seat:
    """Come in by a link under a name."""
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Come in").click()
    seat = Seat(page)
    seat.ready()
    return seat


def test_somebody_is_invited_works_and_is_shown_out(
    server: Server, sit: Sit, new_page: NewPage
) -> None:
    ann = sit(server, reduced_motion="reduce")
    ann.answer()
    link = invited(ann.page, server, "reader")
    bob = joined(new_page(), link, "Bob")
    bob.answers(2)
    assert bob.page.locator(".me-name").inner_text() == "Bob"
    expect(bob.page.locator("#edit")).to_be_hidden()

    ann.page.reload()
    row = ann.page.get_by_role("row", name="Bob")
    expect(row).to_contain_text("here")
    cells = row.get_by_role("cell").all_inner_texts()
    assert cells[1] == "2"
    for size in SIZES:
        ann.page.set_viewport_size(size)
        assert ann.page.evaluate(OVERFLOW) == 0
        assert grave(ann) == [], size

    ann.page.get_by_label("Role of Bob").select_option("reviewer")
    bob.page.goto(f"{server.root}export")
    expect(bob.page.get_by_role("link", name="List (CSV)")).to_be_visible()
    remove = ann.page.get_by_role("button", name="Remove Bob")
    remove.click()
    expect(remove).to_have_text("Sure: remove")
    remove.click()
    expect(ann.page.get_by_role("row", name="Bob")).to_contain_text("removed")
    bob.page.goto(server.root)
    expect(bob.page.locator("main")).to_contain_text("You are no longer let in here")


def test_a_link_that_is_taken_back_says_so(
    server: Server, sit: Sit, new_page: NewPage
) -> None:
    ann = sit(server)
    link = invited(ann.page, server, "reviewer")
    page = new_page(reduced_motion="reduce")
    page.goto(link)
    expect(page.get_by_label("Your name")).to_be_visible()
    assert grave(Seat(page)) == []

    revoke = ann.page.get_by_role("button", name="Revoke link")
    revoke.click()
    expect(revoke).to_have_text("Sure: revoke")
    revoke.click()
    expect(ann.page.locator(".links")).to_contain_text("revoked")
    page.goto(link)
    expect(page.get_by_role("alert")).to_have_text(
        "This link was taken back: ask Ann for a new one."
    )
    page = ann.page
    page.goto(f"{server.root}people")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This page is private")

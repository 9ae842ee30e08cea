"""Two readers disagree on a pair that both were asked, and a reviewer decides."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect
from tests.e2e.conftest import NewPage, Serve, Sit
from tests.e2e.seat import Seat
from tests.e2e.test_access import OVERFLOW
from tests.e2e.test_axe import SIZES, grave
from tests.e2e.test_team import invited, joined

OPPOSITE = {"s": "d", "d": "s"}
MOST = 30  # turns until somebody is asked what another one has answered


def test_a_reviewer_decides_between_two_readers_and_sees_how_well_they_agree(
    piles: Path, serve: Serve, sit: Sit, new_page: NewPage
) -> None:
    server = serve(piles / "shapes", "--encoder", "hog+colour", "--who", "Ann")
    ann = sit(server, reduced_motion="reduce")
    set_overlap(ann, 50)
    bob = joined(new_page(), invited(ann.page, server, "reader"), "Bob")
    eve = joined(new_page(), invited(ann.page, server, "reader"), "Eve")
    until_disputed(bob, eve)

    ann.page.goto(f"{server.root}disagreements")
    page = ann.page
    dispute = page.locator(".dispute")
    expect(dispute).to_have_count(1)
    expect(dispute).to_contain_text("One reader said same, another reader different.")
    expect(page.locator("#found")).not_to_contain_text("Bob")
    for size in SIZES:
        page.set_viewport_size(size)
        assert page.evaluate(OVERFLOW) == 0
        assert grave(ann) == [], size

    dispute.focus()
    page.keyboard.press("d")
    expect(page.locator(".dispute")).to_have_count(0)
    expect(page.locator(".decided")).to_contain_text("Bob said")
    expect(page.locator(".decided")).to_contain_text("Eve said")
    page.keyboard.press("z")
    expect(page.locator(".dispute")).to_have_count(1)

    page.goto(f"{server.root}people")
    expect(page.locator("#agreement")).to_contain_text("Readers agree on")
    for size in SIZES:
        page.set_viewport_size(size)
        assert page.evaluate(OVERFLOW) == 0
        assert grave(ann) == [], size


def set_overlap(owner: Seat, percent: int) -> None:
    """Have the owner choose how many questions go to two readers."""
    page = owner.page
    page.keyboard.press("?")
    field = page.locator("#overlap")
    expect(field).to_have_value("10")
    with page.expect_response("**/api/settings"):
        field.fill(f"{percent}")
        field.press("Tab")
    page.keyboard.press("Escape")


def until_disputed(bob: Seat, eve: Seat) -> None:
    """Have both answer until one is asked what the other was, and says otherwise."""
    asked = set()
    for _ in range(MOST):
        asked.add(frozenset(bob.pair()))
        bob.answer()
        if frozenset(eve.pair()) in asked:
            eve.press(OPPOSITE[eve.truth()])
            return
        eve.answer()
    raise AssertionError("they were never asked the same")

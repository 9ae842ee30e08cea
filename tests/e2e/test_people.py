"""Two tabs of one person, and two persons."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import NewPage, Serve, Sit
from tests.e2e.running import Server
from tests.e2e.seat import Seat

ALREADY = "This was already answered"
FOCUS = "() => window.dispatchEvent(new Event('focus'))"


@pytest.fixture
def other_tab(shapes: Seat) -> Seat:
    """A second tab of the same person."""
    page = shapes.page.context.new_page()
    page.goto(shapes.page.url)
    return Seat(page)


@pytest.fixture
def shared(piles: Path, serve: Serve) -> Server:
    """A project that people enter by name and password."""
    return serve(piles / "shapes", "--encoder", "hog+colour", password="open sesame")


def test_two_tabs_follow_each_other_and_a_question_counts_once(
    shapes: Seat, other_tab: Seat
) -> None:
    before = other_tab.pair()
    assert before == shapes.pair()
    shapes.answer()
    other_tab.press("s")
    expect(other_tab.page.locator("#notice")).to_contain_text(ALREADY)
    assert other_tab.n_answers == 1
    assert other_tab.pair() == shapes.pair() != before

    shapes.page.bring_to_front()
    shapes.answer()
    other_tab.page.bring_to_front()
    other_tab.page.evaluate(FOCUS)
    expect(other_tab.page.locator("#n-answers")).to_have_text("2")
    assert other_tab.pair() == shapes.pair()


def test_two_people_never_have_the_same_question_and_undo_their_own(
    shared: Server, enter: Sit
) -> None:
    ann, bob = (enter(shared, name, "open sesame") for name in ("Ann", "Bob"))
    for _ in range(4):
        assert set(ann.pair()) != set(bob.pair())
        ann.answer()
        assert set(ann.pair()) != set(bob.pair())
        bob.answer()
    assert bob.n_answers == 8
    assert [act["who"] for act in ann.acts()] == ["Ann", "Bob"] * 4

    pair = ann.pair()
    ann.answer()
    bob.answer()
    ann.press("z")
    assert ann.pair() == pair
    assert ann.n_answers == 9


def test_a_wrong_password_and_a_used_address_let_nobody_in(
    shared: Server, serve: Serve, piles: Path, enter: Sit, sit: Sit, new_page: NewPage
) -> None:
    stranger = enter(shared, "Eve", "guess")
    alert = stranger.page.get_by_role("alert")
    expect(alert).to_have_text("Wrong password.")

    server = serve(piles / "few", "--encoder", "hog+colour")
    sit(server)
    page = new_page()
    page.goto(server.url)
    expect(page.get_by_role("alert")).to_contain_text(
        "This address was opened in another browser before"
    )

"""Two tabs of one person, and two persons."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.running import Server
from tests.e2e.seat import Seat

ALREADY = "This was answered already"
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


def test_two_tabs_show_the_same_question(shapes: Seat, other_tab: Seat) -> None:
    assert other_tab.pair() == shapes.pair()


def test_a_tab_follows_the_other_when_it_is_looked_at(
    shapes: Seat, other_tab: Seat
) -> None:
    before = other_tab.pair()
    shapes.answer()
    other_tab.page.bring_to_front()
    other_tab.page.evaluate(FOCUS)

    expect(other_tab.page.locator("#n-answers")).to_have_text("1")
    assert other_tab.pair() == shapes.pair() != before


def test_a_question_answered_in_two_tabs_counts_once(
    shapes: Seat, other_tab: Seat
) -> None:
    other_tab.ready()
    shapes.answer()
    other_tab.press("s")

    expect(other_tab.page.locator("#notice")).to_contain_text(ALREADY)
    assert other_tab.n_answers == 1
    assert other_tab.pair() == shapes.pair()


def test_two_people_never_have_the_same_question(shared: Server, enter: Sit) -> None:
    ann, bob = (enter(shared, name, "open sesame") for name in ("Ann", "Bob"))

    for _ in range(4):
        assert set(ann.pair()) != set(bob.pair())
        ann.answer()
        assert set(ann.pair()) != set(bob.pair())
        bob.answer()

    assert bob.n_answers == 8


def test_undo_takes_back_ones_own_answer_only(shared: Server, enter: Sit) -> None:
    ann, bob = (enter(shared, name, "open sesame") for name in ("Ann", "Bob"))
    pair = ann.pair()
    ann.answer()
    bob.answer()

    ann.press("z")

    assert ann.pair() == pair
    assert ann.n_answers == 1


def test_answers_say_whose_they_are(shared: Server, enter: Sit) -> None:
    ann = enter(shared, "Ann", "open sesame")
    ann.answer()

    assert [act["who"] for act in ann.acts()] == ["Ann"]


def test_a_wrong_password_lets_nobody_in(shared: Server, enter: Sit) -> None:
    stranger = enter(shared, "Eve", "guess")

    expect(stranger.page.get_by_role("alert")).to_have_text(
        "That was not the password."
    )


def test_an_address_lets_somebody_in_once(
    piles: Path, serve: Serve, sit: Sit, new_context: Sit
) -> None:
    server = serve(piles / "few", "--encoder", "hog+colour")
    sit(server)

    page = new_context().new_page()  # type: ignore[attr-defined]
    page.goto(server.url)

    expect(page.get_by_role("alert")).to_contain_text("This address was used before")

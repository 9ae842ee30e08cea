"""The picker puts an item into a group at one stroke."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.e2e.seat import Seat


@pytest.fixture
def sorted_somewhat(shapes: Seat) -> Seat:
    """Somebody who knows members of all three groups."""
    while shapes.state()["progress"]["groups"] < 3:
        shapes.answer()
    return shapes


def confirmed(seat: Seat, item: int) -> list[str]:
    """Return the names of what is confirmed in the group of an item."""
    seat.page.goto(f"{seat.page.url}groups/{item}")
    found = seat.page.locator(".item:has(.lock) .caption > .title")
    return found.all_inner_texts()


def test_a_number_puts_the_item_into_that_group(sorted_somewhat: Seat) -> None:
    seat = sorted_somewhat
    sample, item = seat.pair()[0], seat.state()["question"]["sample"]["item"]
    kind = sample.partition("-")[0]
    seat.open_picker()
    seat.pick(lambda name: name.startswith(kind))

    expect(seat.page.locator("#saved")).to_have_text("Saved: picked its group")
    found = confirmed(seat, item)
    assert sample in found
    assert {name.partition("-")[0] for name in found} == {kind}


def test_none_of_the_groups_begins_a_new_one(sorted_somewhat: Seat) -> None:
    seat = sorted_somewhat
    sample, item = seat.pair()[0], seat.state()["question"]["sample"]["item"]
    seat.open_picker()
    seat.page.keyboard.press("0")

    expect(seat.page.locator("#saved")).to_have_text("Saved: new group")
    seat.ready()
    assert confirmed(seat, item) == [sample]


def test_escape_leaves_everything_as_it_was(sorted_somewhat: Seat) -> None:
    seat = sorted_somewhat
    pair, before = seat.pair(), seat.state()["version"]
    seat.open_picker()
    seat.page.keyboard.press("Escape")

    expect(seat.page.locator("#picker")).to_be_hidden()
    assert (seat.pair(), seat.state()["version"]) == (pair, before)


def test_keys_of_answers_mean_nothing_in_the_picker(sorted_somewhat: Seat) -> None:
    seat = sorted_somewhat
    before = seat.state()["version"]
    seat.open_picker()
    for key in ("s", "d", "u", "x", "z", "ArrowLeft", "ArrowRight"):
        seat.page.keyboard.press(key)

    expect(seat.page.locator("#picker")).to_be_visible()
    assert seat.state()["version"] == before


def test_a_pick_is_undone_at_one_stroke(sorted_somewhat: Seat) -> None:
    seat = sorted_somewhat
    sample, before = seat.pair()[0], seat.state()["progress"]
    seat.open_picker()
    seat.page.keyboard.press("1")
    expect(seat.page.locator("#saved")).to_have_text("Saved: picked its group")
    seat.press("z")

    assert seat.pair()[0] == sample
    assert seat.state()["progress"]["answers"] == before["answers"]

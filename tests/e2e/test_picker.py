"""The picker puts an item into a group at one stroke."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.e2e.seat import Seat


@pytest.fixture
def sorted_somewhat(shapes: Seat) -> Seat:
    """Somebody who knows members of all three groups, and is asked about an item."""
    while shapes.state()["progress"]["groups"] < 3 or knows_too_little(shapes):
        shapes.skip(1)
    return shapes


def knows_too_little(seat: Seat) -> bool:
    """Tell whether the picker shows no group of the kind that is asked about."""
    kind = seat.pair()[0].partition("-")[0]
    seat.open_picker()
    names = seat.candidates()
    seat.page.keyboard.press("Escape")
    seat.ready()
    return not any(name.startswith(kind) for name in names)


def confirmed(seat: Seat, item: int) -> list[str]:
    """Return the names of what is confirmed in the group of an item."""
    seat.page.goto(f"{seat.page.url}groups/{item}")
    found = seat.page.locator(".item:has(.lock) .caption > .title")
    return found.all_inner_texts()


def test_a_number_puts_the_item_into_that_group_and_undo_takes_it_out(
    sorted_somewhat: Seat,
) -> None:
    seat = sorted_somewhat
    root, sample, before = seat.page.url, seat.pair()[0], seat.state()
    kind = sample.partition("-")[0]
    seat.open_picker()
    seat.pick(lambda name: name.startswith(kind))

    expect(seat.page.locator("#saved")).to_have_text("Saved: picked its group")
    found = confirmed(seat, before["question"]["sample"]["item"])
    assert sample in found
    assert {name.partition("-")[0] for name in found} == {kind}

    seat.page.goto(root)
    seat.press("z")
    assert seat.pair()[0] == sample
    assert seat.state()["progress"]["answers"] == before["progress"]["answers"]


def test_none_of_the_groups_begins_a_new_one(sorted_somewhat: Seat) -> None:
    seat = sorted_somewhat
    sample, item = seat.pair()[0], seat.state()["question"]["sample"]["item"]
    seat.open_picker()
    seat.page.keyboard.press("0")

    expect(seat.page.locator("#saved")).to_have_text("Saved: new group")
    seat.ready()
    assert confirmed(seat, item) == [sample]


def test_keys_of_answers_and_escape_leave_everything_as_it_was(
    sorted_somewhat: Seat,
) -> None:
    seat = sorted_somewhat
    pair, before = seat.pair(), seat.state()["version"]
    seat.open_picker()
    for key in ("s", "d", "u", "x", "z", "ArrowLeft", "ArrowRight"):
        seat.page.keyboard.press(key)
    expect(seat.page.locator("#picker")).to_be_visible()
    seat.page.keyboard.press("Escape")

    expect(seat.page.locator("#picker")).to_be_hidden()
    assert (seat.pair(), seat.state()["version"]) == (pair, before)

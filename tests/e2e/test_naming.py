"""Groups are named while answering, where they stand."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.e2e.seat import Seat


def until_group(seat: Seat) -> None:
    """Answer rightly until the right card shows a group."""
    while seat.state()["question"]["group"] is None:
        seat.skip(1)


def test_a_key_names_the_group_of_the_right_card(shapes: Seat) -> None:
    until_group(shapes)
    shapes.page.keyboard.press("e")
    shapes.page.locator(".rename input").fill("round things")
    shapes.page.keyboard.press("Enter")

    expect(shapes.page.locator("#pair .against h2")).to_have_text("round things")
    shapes.ready()
    names = [group["name"] for group in shapes.get("/api/groups")["groups"]]
    assert "round things" in names


def test_a_click_opens_it_and_escape_leaves_the_name(shapes: Seat) -> None:
    until_group(shapes)
    before = shapes.state()["version"]
    name = shapes.page.locator("#pair .against h2").inner_text()
    shapes.page.get_by_role("button", name=name).click()
    shapes.page.locator(".rename input").fill("nothing")
    shapes.page.keyboard.press("Escape")

    expect(shapes.page.locator("#pair .against h2")).to_have_text(name)
    assert shapes.state()["version"] == before


def test_two_groups_do_not_get_the_same_name_in_silence(shapes: Seat) -> None:
    until_group(shapes)
    mine = shapes.state()["question"]["group"]
    groups = shapes.get("/api/groups")["groups"]
    other = next(one for one in groups if one["number"] != mine["number"])
    shapes.post("/api/rename", item=other["id"], name="oak")
    shapes.page.reload()
    shapes.ready()
    shapes.page.keyboard.press("e")
    shapes.page.locator(".rename input").fill("oak")
    before = shapes.state()["version"]
    shapes.page.keyboard.press("Enter")

    expect(shapes.page.locator("#notice")).to_contain_text("already called “oak”")
    assert shapes.state()["version"] == before


def test_a_new_group_can_be_named_at_once(shapes: Seat) -> None:
    until_group(shapes)
    shapes.press("n")
    shapes.page.locator("#name-new").click()
    shapes.page.locator(".rename input").fill("odd ones")
    shapes.page.keyboard.press("Enter")
    expect(shapes.page.locator("#new-group")).to_be_hidden()

    names = [group["name"] for group in shapes.get("/api/groups")["groups"]]
    assert "odd ones" in names

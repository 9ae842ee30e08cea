"""An overview of groups is compared at a glance: by mouse, by keys, by fingers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import MANY, Look, Serve
from tests.e2e.looker import Looker

TOUCH = 44  # pixels that a finger hits
PHONE = {"width": 390, "height": 844}
THREE = 3  # groups of shapes
OVERFLOW = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""


@pytest.fixture
def overview(many: Looker) -> Any:
    """What is on the overview that somebody has."""
    return many.until("overview", THREE)


def speakers_of(overview: Any) -> list[int]:
    """Return the items that speak for groups, in their order."""
    return [group["speaker"]["item"] for group in overview["groups"]]


def verdicts(looker: Looker) -> list[str]:
    """Return what the newest act has told."""
    return [one["verdict"] for one in looker.last_act()["what"]["told"]]


def test_groups_that_are_tapped_together_are_the_same(
    many: Looker, overview: Any
) -> None:
    first, second, third = speakers_of(overview)[:3]
    many.says("All are different")
    many.tap(first, third)
    many.says("All others are different")
    many.page.locator("[data-do=set]").click()
    assert many.said() == {first: "the same: A", third: "the same: A"}
    many.finish()

    expect(many.page.locator("#saved")).to_have_text("Saved: 2 groups are the same")
    act = many.last_act()["what"]
    assert act["shown"]["kind"] == "overview"
    assert set(act["shown"]["tapped"]) == {first, third}
    same = [one for one in act["told"] if one["verdict"] == "same"]
    assert [{one["sample"], one["against"]} for one in same] == [{first, third}]
    assert second not in act["shown"]["tapped"]


def test_an_overview_is_filled_in_by_keys_alone(many: Looker, overview: Any) -> None:
    first, second = speakers_of(overview)[:2]
    press = many.page.keyboard.press
    expect(many.tile(first)).to_be_focused()
    press("Space")
    press("2")  # the key of the second tile
    expect(many.tile(second)).to_be_focused()
    press("s")
    press("3")
    press("3")
    assert many.said() == {first: "the same: A", second: "the same: A"}
    many.press("Enter")
    assert verdicts(many).count("same") == 1


@pytest.mark.usefixtures("overview")
def test_all_are_different_at_one_stroke(many: Looker) -> None:
    many.press("Enter")

    expect(many.page.locator("#saved")).to_have_text("Saved: all are different")
    assert set(verdicts(many)) == {"different"}


def test_a_group_that_is_tapped_alone_is_asked_about(
    many: Looker, overview: Any
) -> None:
    first, second = speakers_of(overview)[:2]
    version = many.state()["version"]
    many.tap(first)
    many.page.keyboard.press("Enter")
    expect(many.page.locator("#saved")).to_contain_text("Only one group")
    assert many.state()["version"] == version
    expect(many.page.locator("[data-do=set]")).to_have_attribute(
        "aria-disabled", "true"
    )

    many.tap(second)
    many.finish()  # without a word on the set: these are the same
    assert verdicts(many).count("same") == 1


def test_fingers_fill_in_an_overview_on_a_phone(
    piles: Path, serve: Serve, look: Look
) -> None:
    server = serve(piles / "shapes", *MANY)
    phone = look(server, viewport=PHONE, has_touch=True, is_mobile=True)
    first, second = speakers_of(phone.until("overview", THREE, fits=8))[:2]
    assert phone.page.evaluate(OVERFLOW) == 0
    buttons = phone.page.locator(".deal .answer:visible, .tool:visible").all()
    boxes = [one.bounding_box() for one in buttons]
    assert all(box["height"] >= TOUCH for box in boxes if box)

    for item in (first, second):
        phone.tile(item).tap()
    phone.page.locator("[data-do=set]").tap()
    assert set(phone.said()) == {first, second}
    phone.done.tap()
    phone.ready()
    assert verdicts(phone).count("same") == 1


def test_undo_and_reload_bring_the_overview_back_with_its_sets(
    many: Looker, overview: Any
) -> None:
    first, second, third = speakers_of(overview)[:3]
    many.tap(first, second)
    many.page.reload()
    many.ready()
    assert set(many.said()) == {first, second}
    many.finish()
    many.press("z")

    assert many.kind == "overview"
    assert speakers_of(many.asked()) == speakers_of(overview)
    assert set(many.said()) == {first, second}
    expect(many.page.locator("#overview-before")).to_be_visible()
    many.tap(second)  # a set of one is none
    assert many.said() == {}
    many.tap(second, third)
    many.finish()
    assert set(many.last_act()["what"]["shown"]["tapped"]) == {second, third}


def test_a_server_that_is_killed_shows_the_same_overview(
    piles: Path, serve: Serve, look: Look
) -> None:
    server = serve(piles / "shapes", *MANY)
    looker = look(server)
    overview = looker.until("overview", THREE)
    server.kill()
    looker.page.keyboard.press("Enter")
    expect(looker.page.locator("#saved")).to_contain_text("Not saved yet")

    serve(piles / "shapes", *MANY, port=server.port)

    expect(looker.page.locator("#saved")).to_have_text("Saved: all are different")
    looker.ready()
    shown = looker.last_act()["what"]["shown"]
    assert shown["speakers"] == speakers_of(overview)


@pytest.mark.usefixtures("overview")
def test_one_pair_instead_of_an_overview(many: Looker) -> None:
    acts = len(many.acts())
    many.press("p")

    assert many.kind == "pair"
    assert len(many.acts()) == acts

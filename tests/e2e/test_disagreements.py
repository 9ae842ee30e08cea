"""Answers that disagree are shown with what denies them, and people decide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.past import Past
from tests.e2e.seat import Seat

COUNT = "#n-disagreements"
OVERFLOW = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""
IN_VIEW = """(entry) => {
  const { top } = entry.getBoundingClientRect();
  return top >= 0 && top < innerHeight / 2;
}"""


@pytest.fixture
def torn(shapes: Seat) -> Past:
    """Somebody whose first answer was changed to what two others deny."""
    past = Past(shapes.page)
    past.tear()
    past.post("/api/change", answer=1, verdict="different")
    past.go("/disagreements")
    return past


def clash_of(past: Past) -> Any:
    """Return the only open disagreement, as the server tells it."""
    (clash,) = past.fetched("/api/disagreements")["open"]
    return clash


def block(past: Past) -> Locator:
    return past.page.locator(".clash")


def test_the_chain_between_the_two_is_shown_with_the_right_pictures(
    shapes: Seat,
) -> None:
    past = Past.of(shapes, "/disagreements")
    expect(past.page.locator("h1")).to_have_text("No answers disagree.")
    expect(past.page.locator(COUNT)).to_be_hidden()

    past.tear()
    past.post("/api/change", answer=1, verdict="different")
    past.go("/disagreements")
    clash = clash_of(past)
    expected = [clash["answer"]["sample"]["title"]]
    expected += [link["to"]["title"] for link in clash["chain"]]
    pictures = block(past).locator(".chain img").all()
    assert [picture.get_attribute("alt") for picture in pictures] == expected
    assert expected[-1] == clash["answer"]["against"]["title"]
    signs = block(past).locator(".joint .sign").all_inner_texts()
    words = {"same": "=", "different": "≠"}
    assert signs == [words[link["answer"]["verdict"]] for link in clash["chain"]]

    for path in ("disagreements", "history", "export"):
        past.page.goto(past.page.url.rpartition("/")[0] + f"/{path}")
        expect(past.page.locator(COUNT)).to_have_text("1")


@pytest.mark.slow
def test_every_link_says_whose_it_is_and_when(torn: Past) -> None:
    for link in clash_of(torn)["chain"]:
        joint = block(torn).locator(f"[data-answer='{link['answer']['id']}'] .joint")
        expect(joint).to_contain_text(f"answer {link['answer']['id']}")
        expect(joint).to_contain_text(link["answer"]["made"]["who"])
        expect(joint.locator("time")).to_have_text("just now")


def ways_out(clash: Any) -> list[str]:
    """Return the buttons of which each settles a disagreement."""
    mine, link = clash["answer"]["id"], clash["chain"][0]["answer"]["id"]
    return [
        f"Take back answer {mine}",
        f"Change answer {mine} to not sure",
        f"Take back answer {link}",
        f"Change answer {link} to not sure",
        f"Keep answer {mine} and those that contradict it",
    ]


def test_each_way_out_settles_it_and_is_undone_and_nothing_is_lost(
    torn: Past,
) -> None:
    clash, before = clash_of(torn), Seat(torn.page).acts()
    mine = block(torn).and_(torn.entry(clash["answer"]["id"]))
    ways = ways_out(clash)

    for words in ways:
        torn.click(words)
        expect(mine).to_have_count(0)
        torn.undo()
        expect(mine).to_have_count(1)
        assert clash_of(torn)["answer"]["id"] == clash["answer"]["id"]

    after = Seat(torn.page).acts()
    assert [line["what"] for line in after[: len(before)]] == [
        line["what"] for line in before
    ]
    assert len(after) == len(before) + 2 * len(ways)


def test_one_that_is_kept_can_be_opened_again(torn: Past) -> None:
    mine = clash_of(torn)["answer"]["id"]
    torn.click(f"Keep answer {mine} and those that contradict it")
    expect(torn.page.locator("h1")).to_have_text("No answers disagree.")
    expect(torn.page.locator(".kept").locator(f"#answer-{mine}")).to_be_visible()
    expect(torn.page.locator(COUNT)).to_be_hidden()

    torn.click(f"Open the disagreement of answer {mine} again")

    expect(block(torn)).to_have_count(1)
    expect(torn.page.locator(COUNT)).to_have_text("1")
    torn.undo()
    expect(torn.page.locator(".kept")).to_be_visible()


def test_it_is_decided_by_keys_alone(torn: Past) -> None:
    clash = clash_of(torn)
    mine, link = clash["answer"]["id"], clash["chain"][0]["answer"]["id"]

    torn.press("ArrowDown")
    torn.is_at(f"answer-{mine}")
    torn.press("ArrowDown")
    torn.is_at(f"link-{mine}-{link}")
    torn.press("t")
    torn.says(f"Saved: answer {link} taken back")
    torn.press("z")
    torn.press("ArrowUp", "ArrowUp", "ArrowDown")
    torn.focus(mine)
    torn.press("k")

    torn.says(f"Saved: answer {mine} stays as it is")


@pytest.mark.slow
def test_the_one_that_the_address_names_is_marked(torn: Past) -> None:
    mine = clash_of(torn)["answer"]["id"]
    torn.page.goto("about:blank")
    torn.page.go_back()
    torn.ready()
    torn.page.evaluate(f"() => {{ location.hash = 'answer-{mine}'; }}")

    expect(torn.page.locator(".marked")).to_have_attribute("id", f"answer-{mine}")
    assert torn.page.locator(".marked").evaluate(IN_VIEW)


def test_a_change_that_others_deny_leads_there(shapes: Seat) -> None:
    Past(shapes.page).tear()
    past = Past.of(shapes)
    past.focus(1)

    past.press("d")

    expect(past.page.locator("#notice")).to_contain_text("Answers disagree now")
    past.page.get_by_role("link", name="See what disagrees").click()
    past.page.wait_for_url("**/disagreements#answer-*")
    expect(past.page.locator(".marked")).to_be_visible()


@pytest.mark.slow
def test_two_people_who_disagree_are_both_named(
    piles: Path, serve: Serve, enter: Sit
) -> None:
    options = ("--encoder", "hog+colour", "--changes", "everybody")
    server = serve(piles / "shapes", *options, password="open sesame")
    ann = enter(server, "Ann", "open sesame")
    ann.ready()
    Past(ann.page).tear()
    bob = Past.of(enter(server, "Bob", "open sesame"))
    bob.post("/api/change", answer=1, verdict="different")

    bob.go("/disagreements")

    expect(block(bob)).to_contain_text("Bob and Ann do not agree about this pair")


@pytest.mark.slow
def test_nothing_is_cut_off_on_a_phone(torn: Past) -> None:
    torn.page.set_viewport_size({"width": 360, "height": 740})

    assert torn.page.evaluate(OVERFLOW) == 0

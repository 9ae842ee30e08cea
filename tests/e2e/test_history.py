"""Every answer can be seen, changed, taken back and brought back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.past import Past
from tests.e2e.seat import Seat

OVERFLOW = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""
SMALL = """() => [...document.querySelectorAll("#found button, #deeds button, .filter")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44)
  .map((one) => one.outerHTML)"""
TOP = "(id) => document.getElementById(id).getBoundingClientRect().top"


@pytest.fixture
def past(shapes: Seat) -> Past:
    """Somebody who has answered three questions, and looks back."""
    for verdict in ("same", "different", "unsure"):
        asked = shapes.state()["question"]["id"]
        shapes.post("/api/answer", question=asked, verdict=verdict)
    return Past.of(shapes)


def test_every_answer_is_there_with_both_pictures_newest_first(shapes: Seat) -> None:
    pairs = []
    for key in ("s", "d"):
        pairs.append(list(shapes.pair()))
        shapes.press(key)

    past = Past.of(shapes)

    assert past.ids() == ["answer-2", "answer-1"]
    for answer, pair in ((1, pairs[0]), (2, pairs[1])):
        pictures = past.entry(answer).locator("img").all()
        assert [picture.get_attribute("alt") for picture in pictures] == pair
    expect(past.entry(1)).to_contain_text("answered")


@pytest.mark.slow
def test_times_are_told_in_words_and_exactly_on_the_side(past: Past) -> None:
    time = past.entry(1).locator("time").first

    expect(time).to_have_text("just now")
    assert re.search(r"\d{4}", time.get_attribute("title") or "")


def test_an_answer_is_decided_about_anew_and_that_is_undone(past: Past) -> None:
    before = past.states()
    for button, saved in (
        ("Change answer 1 to different", "Saved: answer 1 changed to different"),
        ("Take back answer 1", "Saved: answer 1 taken back"),
    ):
        past.click(button)
        past.says(saved)
        assert past.states()[1] == "taken back"
        past.click("Undo")
        assert {n: s for n, s in past.states().items() if n in before} == before

    past.click("Take back answer 1")
    past.click("Bring back answer 1")
    past.says("Saved: brought back")
    assert past.states()[1] == "stands"
    past.undo()
    assert past.states()[1] == "taken back"


@pytest.mark.slow
def test_a_changed_answer_leads_to_the_one_given_instead(past: Past) -> None:
    past.click("Change answer 2 to same")

    expect(past.entry(2)).to_contain_text("changed")
    past.entry(2).get_by_role("link", name="answer 4").click()
    expect(past.entry(4)).to_contain_text("changed answer 2 from different to same")


def test_an_old_act_is_undone_and_that_is_undone(past: Past) -> None:
    past.post("/api/rename", item=0, name="discs")
    past.post("/api/aside", item=1)
    past.go("/history")

    past.click("Undo this: named a group “discs”")
    past.says("Saved: undone")
    expect(past.page.get_by_text("Named a group")).to_be_visible()
    assert "discs" not in [g["name"] for g in past.fetched("/api/groups")["groups"]]

    past.undo()
    assert "discs" in [g["name"] for g in past.fetched("/api/groups")["groups"]]


def test_a_pick_is_one_entry_that_opens_and_is_taken_back_whole(shapes: Seat) -> None:
    shapes.skip(4)
    shapes.open_picker()
    shapes.pick(lambda _: False)
    past = Past.of(shapes)
    act = past.page.locator(".whole").first
    n_answers = act.locator("details .entry").count()
    assert n_answers > 1

    act.get_by_text("Its answers").click()
    expect(act.locator("details .entry").first).to_be_visible()
    act.get_by_role("button", name="Take all back").click()
    past.ready()

    states = list(past.states().values())
    assert states.count("taken back") == n_answers
    past.undo()
    assert "taken back" not in past.states().values()


@pytest.mark.slow
def test_the_page_stays_where_it_is_when_it_is_drawn_anew(past: Past) -> None:
    past.entry(1).evaluate("(entry) => { entry.dataset.seen = '1'; }")
    past.page.set_viewport_size({"width": 1280, "height": 400})
    past.focus(2)
    before = past.page.evaluate(TOP, "answer-2")

    past.press("u")

    past.is_at("answer-2")
    assert past.page.evaluate(TOP, "answer-2") == pytest.approx(before, abs=1)
    expect(past.page.locator("[data-seen]")).to_have_count(1)


# Filters


@pytest.mark.slow
def test_mine_are_those_of_whoever_asks(piles: Path, serve: Serve, enter: Sit) -> None:
    server = serve(piles / "shapes", "--encoder", "hog+colour", password="open sesame")
    ann, bob = (enter(server, name, "open sesame") for name in ("Ann", "Bob"))
    ann.answer()
    bob.answer()

    past = Past.of(bob, "/history")
    assert past.ids() == ["answer-2", "answer-1"]
    past.page.get_by_role("link", name="Mine").click()
    past.page.wait_for_url("**who=me*")

    assert past.ids() == ["answer-2"]
    expect(past.entry(2)).to_contain_text("Bob")


@pytest.mark.slow
def test_surprising_answers_come_first(shapes: Seat) -> None:
    shapes.press("u")
    shapes.skip()
    guesses = [
        entry
        for act in Past.of(shapes).fetched("/api/history")["acts"]
        for entry in act["answers"]
        if entry["surprise"] is not None and entry["state"] == "stands"
    ]
    least = max(guesses, key=lambda entry: 1 - entry["surprise"])

    past = Past.of(shapes, "/history?only=doubtful")

    assert f"answer-{least['id']}" not in past.ids()
    shown = [entry["surprise"] for entry in guesses if entry["surprise"] >= 0.75]
    assert len(past.ids()) == len(shown)


@pytest.mark.slow
def test_failed_checks_have_a_page_of_their_own(past: Past) -> None:
    past.page.get_by_role("link", name="Failed checks").click()
    past.page.wait_for_url("**only=checks*")

    expect(past.page.locator("#found")).to_contain_text(
        "Nothing matches these filters."
    )


@pytest.mark.slow
def test_ways_are_chosen_from_a_list(past: Past) -> None:
    past.post("/api/rename", item=0, name="discs")
    past.page.get_by_label("How").select_option("did something else")
    past.page.get_by_role("button", name="Show").click()
    past.page.wait_for_url("**how=other*")

    assert past.ids() == ["act-3"]


# Keys


def test_everything_is_done_by_keys_alone(past: Past) -> None:
    past.press("ArrowDown", "ArrowDown")
    past.is_at("answer-2")

    past.press("s")
    past.says("Saved: answer 2 changed to same")
    past.is_at("answer-2")

    past.press("z")
    past.press("Delete")
    past.says("Saved: answer 2 taken back")
    past.press("b")
    past.says("Saved: brought back")
    past.press("ArrowDown", "3")
    past.says("Saved: answer 1 changed to not sure")
    assert [past.states()[n] for n in (1, 2, 3)] == ["taken back", "stands", "stands"]


@pytest.mark.slow
def test_letters_that_are_switched_off_do_nothing(past: Past) -> None:
    past.page.evaluate("() => localStorage.setItem('likewise-no-letters', 'true')")
    past.focus(1)

    past.press("d", "t", "z")
    assert past.states()[1] == "stands"
    past.press("Delete")

    assert past.states()[1] == "taken back"


# Other people, restarts, small screens


@pytest.mark.slow
def test_what_somebody_else_took_back_meanwhile_is_said(past: Past) -> None:
    past.post("/api/retract", answers=[1])

    past.click("Take back answer 1")

    expect(past.page.locator("#notice")).to_contain_text("meanwhile")
    expect(past.entry(1)).to_contain_text("taken back")


def test_an_act_is_sent_until_the_server_has_it_and_its_item_is_followed(
    past: Past,
) -> None:
    tries: list[str] = []

    def fail_once(route: object) -> None:
        tries.append("")
        getattr(route, "abort" if len(tries) == 1 else "continue_")()

    past.page.route("**/api/retract", fail_once)
    past.click("Take back answer 1")
    past.says("Saved: answer 1 taken back")
    assert len(tries) == 2

    name = past.entry(1).locator("img").first.get_attribute("alt")
    past.entry(1).locator(".picture").first.click()
    past.page.get_by_role("dialog").get_by_role("link", name="History").click()
    past.page.wait_for_url("**item=*")
    past.ready()
    expect(past.page.locator(".chosen img")).to_have_attribute("alt", str(name))
    assert "answer-1" in past.ids()


def test_everything_survives_a_restart(piles: Path, serve: Serve, sit: Sit) -> None:
    words = (piles / "shapes", "--encoder", "hog+colour")
    server = serve(*words)
    first = sit(server)
    first.press("s")
    first.press("d")
    past = Past.of(first)
    past.click("Take back answer 1")
    past.click("Change answer 2 to not sure")
    before = past.states()
    server.kill()

    again = Past.of(sit(serve(*words)))

    assert again.states() == before
    again.undo()
    assert again.states()[2] == "stands"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/history", "/history?item=0", "/disagreements"])
def test_nothing_is_cut_off_on_a_phone(
    piles: Path, serve: Serve, sit: Sit, path: str
) -> None:
    server = serve(piles / "few", "--encoder", "hog+colour")
    seat = sit(server, viewport={"width": 360, "height": 740}, has_touch=True)
    seat.press("s")
    past = Past.of(seat, path)

    assert past.page.evaluate(OVERFLOW) == 0
    assert past.page.evaluate(SMALL) == []


@pytest.mark.slow
@pytest.mark.parametrize("pile", ["texts", "things.csv"])
def test_texts_and_rows_have_a_history_too(
    piles: Path, serve: Serve, sit: Sit, pile: str
) -> None:
    seat = sit(serve(piles / pile))
    seat.press("s")
    past = Past.of(seat)

    assert past.entry(1).locator(".excerpt").count() == 2
    past.click("Change answer 1 to different")
    assert past.states() == {2: "stands", 1: "taken back"}

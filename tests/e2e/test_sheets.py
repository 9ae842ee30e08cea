"""A sheet of items is looked through at once: by mouse, by keys, by fingers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from tests.e2e.conftest import MANY, Look, Serve, Sit
from tests.e2e.looker import Looker
from tests.e2e.running import Server

TOUCH = 44  # pixels that a finger hits
PHONE = {"width": 390, "height": 844}
SEVERAL = 6  # items of a sheet that is worth a test
MISFIT, UNSURE = "does not belong", "not sure"
OVERFLOW = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""
SCROLLS = "(box) => box.scrollHeight > box.clientHeight"
HIDE = """(isHidden) => {
  const hidden = { configurable: true, get: () => isHidden };
  Object.defineProperty(document, "hidden", hidden);
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def sheet(many: Looker) -> Any:
    """What is on the sheet that somebody has."""
    return many.until("sheet", SEVERAL)


@pytest.fixture
def server(piles: Path, serve: Serve) -> Server:
    return serve(piles / "shapes", *MANY)


@pytest.fixture
def phone(look: Look, server: Server) -> Looker:
    return look(server, viewport=PHONE, has_touch=True, is_mobile=True)


def items_of(sheet: Any) -> list[int]:
    """Return the items of a sheet, in their order."""
    return [card["item"] for card in sheet["items"]]


def watched(page: Page, path: str) -> list[Any]:
    """Return a list that fills with what is sent to an address."""
    sent: list[Any] = []

    def keep(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or ""))
        route.fallback()

    page.route(f"**{path}", keep)
    return sent


# By mouse, by keys, by fingers


def test_clicks_cross_out_and_the_button_says_that_the_others_belong(
    many: Looker, sheet: Any
) -> None:
    first, second, third = items_of(sheet)[:3]
    many.says("All belong")
    many.tap(first, second, third)
    many.tap(third)  # once more takes it back

    many.says("The others belong")
    assert many.said() == {first: MISFIT, second: MISFIT}
    expect(many.tile(first)).to_have_attribute("aria-pressed", "true")
    expect(many.tile(third)).to_have_attribute("aria-pressed", "false")
    many.finish()

    expect(many.page.locator("#saved")).to_have_text("Saved: 2 marked")
    shown = many.last_act()["what"]["shown"]
    assert shown["items"] == items_of(sheet)
    assert shown["tapped"] == [first, second]
    assert many.asked()["id"] != sheet["id"]


def test_a_sheet_is_filled_in_by_keys_alone(many: Looker, sheet: Any) -> None:
    items = items_of(sheet)
    press = many.page.keyboard.press
    expect(many.tile(items[0])).to_be_focused()
    press("Space")
    press("ArrowRight")
    press("u")
    press("4")  # the key of the fourth tile
    expect(many.tile(items[3])).to_be_focused()
    assert many.said() == {items[0]: MISFIT, items[1]: UNSURE, items[3]: MISFIT}
    press("ArrowLeft")
    press("Space")
    press("Space")
    many.press("Enter")

    told = {one["sample"]: one["verdict"] for one in many.last_act()["what"]["told"]}
    expected = {items[0]: "different", items[1]: "unsure", items[3]: "different"}
    assert told == dict.fromkeys(items, "same") | expected


def test_the_arrows_find_the_tiles_from_anywhere_and_a_held_key_is_one(
    many: Looker, sheet: Any
) -> None:
    items = items_of(sheet)
    many.page.evaluate("() => document.activeElement.blur()")
    many.page.keyboard.press("ArrowDown")
    expect(many.tile(items[0])).to_be_focused()
    before = many.state()["version"]
    for _ in range(4):
        many.page.keyboard.down("Enter")  # all but the first are repeats
    many.page.keyboard.up("Enter")
    many.ready()
    assert many.state()["version"] == before + 1


def test_fingers_fill_in_a_sheet_of_two_columns_on_a_phone(phone: Looker) -> None:
    sheet = phone.until("sheet", SEVERAL, fits=8)
    items, page = items_of(sheet), phone.page
    assert len(items) <= 8
    assert not sheet["sorts"]
    boxes = [phone.tile(item).bounding_box() for item in items]
    assert len({box["x"] for box in boxes if box}) == 2
    assert all(min(box["width"], box["height"]) >= TOUCH for box in boxes if box)
    assert page.evaluate(OVERFLOW) == 0
    expect(page.locator("[data-do=sort]")).to_be_hidden()

    for item in (items[0], items[-1]):
        phone.tile(item).tap()
    page.locator("[data-do=doubt]").tap()
    assert phone.said() == {items[0]: MISFIT, items[-1]: UNSURE}
    expect(page.locator("#sheet .band")).to_be_in_viewport(ratio=1)
    expect(phone.done).to_be_in_viewport(ratio=1)
    phone.done.tap()
    phone.ready()
    assert phone.last_act()["what"]["shown"]["tapped"] == [items[0]]


def test_where_members_are_tapped_the_words_say_so(many: Looker, sheet: Any) -> None:
    members = many.state()
    members["screen"] |= {"tap": "members", "sorts": False, "id": sheet["id"] + 1}
    many.page.route("**/api/state*", lambda route: route.fulfill(json=members))
    many.page.evaluate("() => window.dispatchEvent(new Event('focus'))")

    many.says("None belong")
    expect(many.page.locator("#sheet-task")).to_have_text("Tap what belongs here.")
    first = items_of(sheet)[0]
    while not many.said():  # what was just drawn takes no taps for a moment
        many.tap(first)
    assert many.said() == {first: "belongs"}
    many.says("The others do not belong")
    expect(many.page.locator("[data-do=sort]")).to_be_hidden()


def test_texts_and_rows_are_looked_through_like_pictures(
    piles: Path, serve: Serve, look: Look
) -> None:
    for pile in ("texts", "things.csv"):
        looker = look(serve(piles / pile, "--screens", "all"))
        while looker.kind != "sheet":
            looker.press("s" if looker.kind == "pair" else "Enter")
        item = items_of(looker.asked())[0]
        looker.tap(item)
        assert looker.said() == {item: MISFIT}
        looker.finish()
        assert looker.last_act()["what"]["shown"]["tapped"] == [item]


def test_hints_show_the_keys_of_tiles_and_v_shows_one_larger(
    many: Looker, sheet: Any
) -> None:
    page, first = many.page, sheet["items"][0]
    expect(page.locator("#sheet kbd").first).to_be_hidden()
    page.keyboard.press("?")
    page.locator("#hints").check()
    page.keyboard.press("Escape")
    expect(page.locator("#sheet kbd").first).to_be_visible()
    expect(page.locator("#why")).to_contain_text("probably belong")

    many.ready()
    many.tile(first["item"]).focus()
    page.keyboard.press("v")
    expect(page.locator("#large-title")).to_have_text(first["title"])
    page.keyboard.press("Escape")
    expect(many.tile(first["item"])).to_be_visible()
    page.locator("#sheet-speakers .picture").first.click()
    title = sheet["speakers"][0]["title"]
    expect(page.locator("#large-title")).to_have_text(title)


@pytest.mark.parametrize("kind", ["pair", "sheet", "overview"])
def test_on_a_phone_the_reason_is_read_above_the_pictures(
    server: Server, look: Look, kind: str
) -> None:
    many = look(server, viewport=PHONE)
    many.until(kind, fits=8)
    reason, shown = many.page.locator("#why"), many.page.locator(f"#{kind}")

    expect(reason).to_be_visible()
    assert reason.evaluate("(line) => line.scrollHeight <= line.clientHeight")
    above, below = reason.bounding_box(), shown.bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"]


# Going back


def test_undo_brings_the_sheet_back_with_what_was_said(
    many: Looker, sheet: Any
) -> None:
    first, second = items_of(sheet)[:2]
    answers = many.n_answers
    many.tap(first)
    many.tile(second).focus()
    many.page.keyboard.press("u")
    many.finish()
    many.press("z")

    assert items_of(many.asked()) == items_of(sheet)
    assert many.said() == {first: MISFIT, second: UNSURE}
    assert many.n_answers == answers
    expect(many.page.locator("#sheet-before")).to_be_visible()
    many.tap(first)
    many.finish()
    assert many.last_act()["what"]["shown"]["tapped"] == []


def test_a_sheet_and_what_is_marked_on_it_outlive_a_reload(
    many: Looker, sheet: Any
) -> None:
    first, second = items_of(sheet)[:2]
    many.tap(first)
    many.tile(second).focus()
    many.page.keyboard.press("u")
    many.page.reload()
    many.ready()

    assert many.asked()["id"] == sheet["id"]
    assert many.said() == {first: MISFIT, second: UNSURE}


@pytest.mark.usefixtures("sheet")
def test_one_pair_instead_records_nothing(many: Looker) -> None:
    acts = len(many.acts())
    many.press("p")

    assert many.kind == "pair"
    assert len(many.acts()) == acts
    many.answer()
    assert len(many.acts()) == acts + 1


# Interruptions


def test_a_sheet_waits_for_a_killed_server_and_counts_once(
    piles: Path, serve: Serve, server: Server, look: Look
) -> None:
    looker = look(server)
    sheet = looker.until("sheet", SEVERAL)
    acts, item = len(looker.acts()), items_of(sheet)[0]
    looker.tap(item)
    server.kill()
    looker.page.keyboard.press("Enter")
    expect(looker.page.locator("#saved")).to_contain_text("Not saved yet")

    serve(piles / "shapes", *MANY, port=server.port)

    expect(looker.page.locator("#saved")).to_have_text("Saved: 1 marked")
    looker.ready()
    assert len(looker.acts()) == acts + 1
    assert looker.last_act()["what"]["shown"]["tapped"] == [item]


def test_a_server_started_again_shows_the_same_sheet(
    piles: Path, serve: Serve, server: Server, look: Look
) -> None:
    looker = look(server)
    sheet = looker.until("sheet", SEVERAL)
    server.kill()

    again = look(serve(piles / "shapes", *MANY))

    assert again.kind == "sheet"
    assert items_of(again.asked()) == items_of(sheet)
    expect(again.tiles).to_have_count(len(sheet["items"]))


@pytest.mark.usefixtures("sheet")
def test_a_sheet_whose_reply_was_lost_counts_once(many: Looker) -> None:
    acts = len(many.acts())
    lost: list[Route] = []

    def lose_first(route: Route) -> None:
        if lost:
            route.fallback()
            return
        lost.append(route)
        route.fetch()  # the server has it, the page does not know
        route.abort()

    many.page.route("**/api/sheet", lose_first)
    many.finish()

    assert len(lost) == 1
    assert len(many.acts()) == acts + 1


def test_a_sheet_that_was_filled_in_in_another_tab_counts_once(
    many: Looker, sheet: Any
) -> None:
    other = Looker(many.page.context.new_page())
    other.page.goto(many.page.url)
    other.ready()
    many.finish()
    acts = len(many.acts())
    other.tap(items_of(sheet)[0])
    other.press("Enter")

    expect(other.page.locator("#notice")).to_contain_text("This was already answered")
    assert len(many.acts()) == acts
    assert other.asked()["id"] == many.asked()["id"]


# Several people, and those who want pairs


def test_no_two_people_have_the_same_item_before_them(
    piles: Path, serve: Serve, enter: Sit
) -> None:
    server = serve(piles / "shapes", *MANY, password="open sesame")
    ann, bob = (
        Looker(enter(server, name, "open sesame").page) for name in ("Ann", "Bob")
    )
    for one, other in ((ann, bob), (bob, ann)):
        hers = _looked_at(one.until("sheet"))
        other.page.reload()
        other.ready()
        assert hers
        assert hers.isdisjoint(_looked_at(other.asked()))


def _looked_at(asked: Any) -> set[int]:
    if asked is None or asked.get("kind") == "overview":
        return set()
    return set(items_of(asked)) if "items" in asked else {asked["sample"]["item"]}


@pytest.mark.usefixtures("sheet")
def test_who_wants_pairs_only_gets_them(many: Looker) -> None:
    page = many.page
    page.keyboard.press("?")
    expect(page.get_by_role("radio", name="everything")).to_be_checked()
    page.get_by_role("radio", name="pairs only").check()
    expect(page.locator("#pair")).to_be_visible()
    page.keyboard.press("Escape")

    assert many.kind == "pair"
    assert many.state()["screens"] == "pairs"
    for _ in range(4):
        many.answer()
        assert many.kind == "pair"
    page.keyboard.press("?")
    page.get_by_role("radio", name="everything").check()
    page.keyboard.press("Escape")
    assert many.state()["screens"] == "all"


# Putting misfits elsewhere


def test_misfits_are_put_into_a_group_or_into_none(many: Looker, sheet: Any) -> None:
    assert sheet["sorts"]
    first, second, third, fourth = items_of(sheet)[:4]
    page = many.page
    many.tap(first, second, third, fourth)
    many.page.keyboard.press("g")
    dialog = page.locator("#piles")
    expect(dialog.locator(".candidate").first).to_be_visible()
    many.past_guard()
    dialog.locator(f'[data-item="{second}"] .pick').click()
    name = dialog.locator(".candidate b").first.inner_text()
    page.keyboard.press("1")

    expect(dialog.locator(".pick")).to_have_count(2)
    expect(dialog.locator(".candidate").first).to_be_visible()
    many.past_guard()
    page.keyboard.press("0")
    expect(dialog.locator(".pick")).to_have_count(1)
    page.keyboard.press("Escape")
    into = f"→ {name}"
    found = {first: into, second: into, third: "→ none of those", fourth: MISFIT}
    assert many.said() == found
    many.finish()

    told = many.last_act()["what"]["told"]
    piled = [one for one in told if one["how"] == "piled"]
    assert {first, second, third} <= {one["sample"] for one in piled}
    assert fourth not in {one["sample"] for one in piled}

    many.press("z")
    assert many.said() == found


def test_a_misfit_is_dragged_onto_a_group(many: Looker, sheet: Any) -> None:
    first, second = items_of(sheet)[:2]
    dialog = many.page.locator("#piles")
    many.tap(first, second)
    many.page.locator("[data-do=sort]").click()
    group = dialog.locator(".candidate").first
    expect(group).to_be_visible()
    dialog.locator(f'[data-item="{second}"] .pick').drag_to(group)

    expect(dialog).to_be_hidden()  # the first one was selected and went along
    assert set(many.said()) == {first, second}
    assert all(words.startswith("→ ") for words in many.said().values())
    many.tap(first)  # it belongs after all, and is in no pile any more
    assert set(many.said()) == {second}


# Nothing jumps, and time is taken


def test_all_is_seen_at_once_and_nothing_moves_between_kinds(many: Looker) -> None:
    fixed = (".top", ".criterion", "#bar", ".tools")
    where: dict[str, list[Any]] = {}
    for kind in ("overview", "pair", "sheet"):
        many.until(kind)
        where[kind] = [many.page.locator(one).bounding_box() for one in fixed]
        if kind != "pair":
            assert not many.page.locator(f"#{kind}").evaluate(SCROLLS)
    assert where["pair"] == where["overview"] == where["sheet"]


@pytest.mark.usefixtures("sheet")
def test_the_time_that_is_taken_does_not_count_a_hidden_page(many: Looker) -> None:
    sent = watched(many.page, "/api/sheet")
    many.page.evaluate(HIDE, True)
    many.page.wait_for_timeout(1500)
    many.page.evaluate(HIDE, False)
    many.finish()

    assert 0 < sent[0]["seconds"] < 1.5
    assert 8 < sent[0]["fits"] <= 48


FIRST = ["rosie", "yasmin", "samuel", "harrison", "charlotte", "ben", "tilda", "josh"]
LAST = ["quilliam", "bullivant", "crosswell", "ryan", "clarke"]
LAST += ["stubbs", "jolly", "griffen", "kimmonth", "webb"]
TOWNS = ["hurstbridge", "corrimal", "brunswick", "elwood", "robina", "yarloop"]


def misspelt(word: str, at: int) -> str:
    """Return a word without one of its first letters."""
    return word[: 1 + at % 3] + word[2 + at % 3 :] if at else word


def entries() -> list[str]:
    """Return people who were entered one to five times."""
    return [
        ",".join(
            (
                misspelt(FIRST[at % 8], copy),
                misspelt(LAST[3 * at % 10], 2 * copy + at)
                if copy % 2
                else LAST[at % 10],
                FIRST[(at + 3) % 8] if copy == 2 else TOWNS[5 * at % 6],
            )
        )
        for at in range(30)
        for copy in range(1 + at % 5)
    ]


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_a_sheet_of_duplicates_asks_what_is_the_same(
    tmp_path: Path, serve: Serve, look: Look, viewport: dict[str, int]
) -> None:
    file = tmp_path / "people.csv"
    file.write_text("\n".join(["given name,surname,town", *entries()]))
    server = serve(file, "--duplicates", "--screens", "all")
    here = look(server, viewport=viewport)

    sheet = here.until("sheet", 2)

    asks = {
        "members": ("Which of these are the same as this one?", "None is the same"),
        "misfits": ("Which of these are not the same as this one?", "All are the same"),
    }[sheet["tap"]]
    expect(here.page.locator("#criterion")).to_have_text(asks[0])
    here.says(asks[1])
    assert "belong" not in here.page.locator("main").inner_text()
    assert here.page.evaluate(OVERFLOW) <= 0

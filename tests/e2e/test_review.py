"""Groups are looked through and put right, by keys and by clicks, in a real browser."""

from __future__ import annotations

import re
from multiprocessing.context import BaseContext
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.reviewer import Reviewer
from tests.e2e.running import Server, started
from tests.e2e.seat import Seat
from tests.e2e.windows import Windows

OVERFLOW = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""
TOUCH = 44  # pixels that a finger hits
GUESSED = "Guessed, not confirmed"
PHONE = {"width": 360, "height": 740}
ENCODER = ("--encoder", "hog+colour")
DISCS, SQUARES, TRIANGLES = range(14), range(14, 28), range(28, 42)
ACTIONS = {
    "c": "Saved: 2 confirmed",
    "r": "Saved: 2 taken out of the group",
    "n": "Saved: 2 in a new group",
    "x": "Saved: 2 set aside",
}


@pytest.fixture(scope="module")
def begun(
    processes: BaseContext,
    windows: Windows,
    piles: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Return where a project lies in which three kinds are known, some confirmed."""
    home = tmp_path_factory.mktemp("begun") / "home"
    server = started(processes, [str(piles / "shapes"), *ENCODER], home)
    page = windows.open()
    windows.let_in(page, server)
    page.goto(server.root)
    seat, found = Seat(page), Reviewer(page)
    while len(found.groups()) != 3:
        seat.skip(1)
    for kind in (DISCS, SQUARES, TRIANGLES):
        found.tell("/api/review", action="confirm", items=list(kind[:3]))
    windows.close()
    server.stop()
    return home


@pytest.fixture
def server(begun: Path, piles: Path, serve: Serve, tmp_path: Path) -> Server:
    """Go on with that project, on a copy of it."""
    copytree(begun, tmp_path / "home")
    return serve(piles / "shapes", *ENCODER)


@pytest.fixture
def ann(server: Server, sit: Sit) -> Reviewer:
    """Somebody in front of 42 pictures, of which some are confirmed."""
    return Reviewer.of(sit(server))


@pytest.fixture
def phone(server: Server, sit: Sit) -> Reviewer:
    """The same on a small screen."""
    return Reviewer.of(sit(server, viewport=PHONE, has_touch=True))


@pytest.fixture
def inside(ann: Reviewer) -> Reviewer:
    """Somebody in front of the group of the discs."""
    ann.open(f"/groups/{DISCS[0]}")
    return ann


def n_known(someone: Reviewer) -> int:
    """Return how many of the items on the page are confirmed."""
    return someone.page.locator("#review .item:has(.lock)").count()


def select_two(someone: Reviewer) -> list[int]:
    """Choose the first two guessed items by keys alone."""
    someone.focus(0)
    someone.press("Space", "Shift+ArrowRight")
    return someone.chosen()


# Looking


@pytest.mark.slow
def test_groups_are_sorted_by_a_click(ann: Reviewer) -> None:
    ann.tell("/api/rename", item=DISCS[0], name="zebra")
    ann.tell("/api/rename", item=SQUARES[0], name="ant")
    ann.open("/groups")

    ann.page.get_by_role("link", name="Name", exact=True).click()

    expect(ann.page).to_have_url(re.compile("sort=name"))
    names = ann.page.locator(".group h2").all_inner_texts()
    assert names[:2] == ["ant", "zebra"]


@pytest.mark.slow
def test_guesses_are_shown_with_the_chip_of_their_group(ann: Reviewer) -> None:
    ann.open("/groups/not-placed")
    found = ann.get("/api/items")

    for card, group in zip(found["items"], found["groups"], strict=True):
        item = ann.page.locator(f"[data-item='{card['item']}']")
        expect(item.locator(".chip")).to_have_text(str(group["number"]))
        tint = re.compile(f"tint-{group['number'] % 24}")
        expect(item.locator(".guess")).to_have_class(tint)


# Selecting


@pytest.mark.slow
def test_items_are_chosen_by_clicks_and_ranges(inside: Reviewer) -> None:
    items, picks = inside.items(), inside.page.locator("#review .pick")

    picks.nth(2).click()
    picks.nth(6).click(modifiers=["Shift"])
    assert inside.chosen() == items[2:7]
    picks.nth(4).click()
    assert inside.chosen() == [*items[2:4], *items[5:7]]
    expect(inside.page.locator("#chosen")).to_have_text("4 of 14 selected")
    inside.press("a")
    assert inside.chosen() == items
    inside.press("Escape")
    assert inside.chosen() == []


@pytest.mark.slow
def test_one_item_at_a_time_is_reached_by_tab(inside: Reviewer) -> None:
    reached = inside.page.locator("#review .pick[tabindex='0']")
    expect(reached).to_have_count(1)

    inside.focus(5)

    expect(reached).to_have_count(1)
    expect(reached).to_be_focused()


def test_items_are_looked_at_and_chosen_by_keys_and_nothing_is_changed(
    inside: Reviewer,
) -> None:
    items, known, before = inside.items(), n_known(inside), inside.version()

    inside.focus(1)
    inside.press("Enter")
    expect(inside.page.locator("#large")).to_be_visible()
    inside.press("Escape")
    expect(inside.page.locator("#large")).to_be_hidden()
    inside.is_at(items[1])
    assert inside.chosen() == []

    inside.focus(0)
    inside.press("ArrowRight", "Space", "Shift+ArrowRight", "Shift+ArrowRight")
    assert inside.chosen() == items[1:4]
    inside.press("Shift+ArrowLeft")
    assert inside.chosen() == items[1:3]
    inside.press("End")
    inside.is_at(items[-1])
    inside.press("Home", "ArrowDown")
    beyond = f"#review .item:not([data-item='{items[0]}']) .pick:focus"
    expect(inside.page.locator(beyond)).to_have_count(1)
    inside.press("Escape")

    for key in (*ACTIONS, "m"):
        inside.act(key, "Nothing is selected")
    button = inside.page.get_by_role("button", name="Confirm", exact=True)
    expect(button).to_be_disabled()
    button.focus()
    inside.act("Enter", "Nothing is selected")

    inside.page.get_by_role("link", name="most typical first").click()
    inside.ready()
    at = len(items) - known  # confirmed ones come first then
    assert inside.items() == items[at:] + items[:at][::-1]
    assert inside.version() == before


# Acting


def test_every_action_is_saved_and_undone_without_a_reload(inside: Reviewer) -> None:
    before = inside.items()
    inside.page.evaluate("() => { window.marked = true; }")

    for key, words in ACTIONS.items():
        chosen = select_two(inside)
        inside.act(key, words)
        gone = set(before) - set(inside.items())
        assert gone == (set() if key == "c" else set(chosen))
        inside.act("z", "Undone")
        assert inside.items() == before

    assert inside.page.evaluate("() => window.marked")


def test_items_and_groups_go_to_the_group_of_a_digit(inside: Reviewer) -> None:
    chosen = select_two(inside)
    inside.press("m")
    first = inside.page.locator(".candidate").first
    expect(first).to_be_focused()
    number = int(first.locator(".chip").inner_text())
    inside.act("1", f"Saved: 2 moved to Group {number}")
    moved = [inside.get(f"/api/groups/{i}")["group"]["number"] for i in chosen]
    assert moved == [number, number]
    inside.act("z", "Undone")
    assert set(chosen) <= set(inside.items())

    inside.press("g")
    expect(inside.page.locator(".candidate").first).to_be_focused()
    inside.press("1")
    expect(inside.page.locator("#merging-do")).to_be_focused()
    inside.act("g", "Saved: 2 groups merged")
    expect(inside.page.locator(".side a")).to_have_count(2)


@pytest.mark.slow
def test_a_few_letters_find_the_group_to_move_to(inside: Reviewer) -> None:
    inside.tell("/api/rename", item=TRIANGLES[0], name="Pointed ones")
    select_two(inside)
    inside.press("m")
    expect(inside.page.locator(".candidate").first).to_be_focused()

    inside.press("p", "o", "i")
    expect(inside.page.locator(".candidate")).to_have_count(1)

    inside.act("Enter", "moved to Pointed ones")


@pytest.mark.slow
def test_closing_the_picker_moves_nothing(inside: Reviewer) -> None:
    chosen, before = select_two(inside), inside.version()
    inside.press("m")
    expect(inside.page.locator(".candidate").first).to_be_focused()

    inside.press("Escape")

    expect(inside.page.locator("#chooser")).to_be_hidden()
    assert (inside.version(), inside.chosen()) == (before, chosen)


@pytest.mark.slow
def test_the_focus_goes_to_the_next_item_and_the_page_stays_where_it_is(
    inside: Reviewer,
) -> None:
    inside.page.set_viewport_size({"width": 800, "height": 500})
    items, at = inside.items(), 6
    inside.page.locator("#review .pick").nth(at).click()
    scroll = inside.page.evaluate("() => window.scrollY")
    assert scroll > 0

    inside.act("r", "Saved: 1 taken out")

    inside.is_at(items[at + 1])
    assert abs(inside.page.evaluate("() => window.scrollY") - scroll) < 260


def test_every_tab_has_its_own_address_and_acts_on_what_it_shows(
    ann: Reviewer,
) -> None:
    ann.tell("/api/review", action="aside", items=[5, 6])
    ann.open("/groups")
    unplaced = ann.get("/api/items")["total"]
    for words, path, heading in [
        (f"{GUESSED} {unplaced}", "not-placed", GUESSED),
        ("Not sure 0", "not-sure", "Not sure"),
        ("Set aside 2", "set-aside", "Set aside"),
        ("Groups 3", "groups", "3 groups"),
    ]:
        ann.page.get_by_role("link", name=words, exact=True).click()
        expect(ann.page.get_by_role("heading", level=1)).to_have_text(heading)
        assert ann.page.url.endswith(path)

    ann.open("/groups/set-aside")
    ann.press("a")
    ann.act("x", "Saved: 2 put back")
    expect(ann.page.locator("#review .pick")).to_have_count(0)
    ann.act("z", "Undone")
    assert ann.items() == [5, 6]

    ann.open("/groups/not-placed")
    before = ann.items()
    ann.focus(0)
    ann.press("Space", "Shift+ArrowRight")
    ann.act("c", "Saved: 2 confirmed")
    tab = ann.page.get_by_role("link", name=f"{GUESSED} {unplaced - 2}")
    expect(tab).to_be_visible()
    ann.is_at(before[2])


def test_an_act_is_sent_again_until_it_is_saved_and_said_with_counts(
    inside: Reviewer,
) -> None:
    failed: list[str] = []

    def fail_once(route: Any) -> None:
        if failed:
            route.continue_()
        else:
            failed.append(route.request.url)
            route.abort()

    inside.page.route("**/api/review", fail_once)
    version, before = inside.version(), n_known(inside)
    select_two(inside)

    inside.act("c", f"Saved: 2 confirmed · {before} → {before + 2} confirmed")

    assert failed
    assert inside.version() == version + 1
    region = inside.page.locator("#saved")
    expect(region).to_have_attribute("aria-live", "polite")
    inside.page.get_by_role("button", name="Undo what was saved").click()
    inside.says("Undone")

    chosen = select_two(inside)
    inside.tell("/api/review", action="move", items=chosen, group=SQUARES[0])
    inside.act("c", "This has changed in the meantime")
    assert not set(chosen) & set(inside.items())


# Groups


def test_ticked_groups_are_merged_and_parted_by_undo(ann: Reviewer) -> None:
    before = ann.version()
    ann.open("/groups")
    boxes = ann.page.locator(".ticking input")
    boxes.nth(0).check()
    boxes.nth(1).check()
    ann.page.get_by_role("button", name="Merge…").click()
    expect(ann.page.locator("#merging-do")).to_be_enabled()
    ann.press("Escape")
    expect(ann.page.locator("#merging")).to_be_hidden()
    assert ann.version() == before

    ann.press("g")
    expect(ann.page.locator(".merging-group")).to_have_count(2)
    expect(ann.page.locator("#merging-words")).to_contain_text("can be undone")
    ann.act("Enter", "Saved: 2 groups merged")
    expect(ann.page.locator(".group")).to_have_count(2)
    ann.act("z", "Undone")
    expect(ann.page.locator(".group")).to_have_count(3)


@pytest.mark.slow
def test_one_ticked_group_is_not_merged(ann: Reviewer) -> None:
    ann.open("/groups")
    ann.page.locator(".ticking input").first.check()

    ann.act("g", "Select two groups or more")

    expect(ann.page.locator("#merging")).to_be_hidden()


def test_a_name_is_changed_in_place(inside: Reviewer) -> None:
    heading = inside.page.get_by_role("heading", level=1)
    inside.press("e")
    inside.page.keyboard.type("Round ones")
    inside.act("Enter", "Saved")

    expect(heading).to_have_text("Round ones")
    inside.press("e", "x", "Escape")
    expect(heading).to_have_text("Round ones")
    inside.act("z", "Undone")
    expect(heading).to_have_text(re.compile(r"Group \d"))


def test_covers_are_gone_through_and_named_in_place_by_keys(ann: Reviewer) -> None:
    ann.open("/groups?sort=size")
    links, numbers = ann.page.locator(".group h2 a"), [g["id"] for g in ann.groups()]
    ann.press("ArrowRight", "ArrowRight")
    expect(links.nth(1)).to_be_focused()
    ann.press("Space")
    expect(ann.page.locator(".ticking input").nth(1)).to_be_checked()
    ann.press("e")
    ann.page.keyboard.type("Middle ones")
    ann.act("Enter", "Saved")
    expect(links.nth(1)).to_have_text("Middle ones")
    expect(links.nth(1)).to_be_focused()
    ann.press("ArrowLeft", "e", "Escape")
    expect(ann.page.locator(".rename")).to_have_count(0)
    expect(links.nth(0)).to_be_focused()
    ann.press("Enter")

    expect(ann.page).to_have_url(re.compile(f"/groups/{numbers[0]}$"))


def test_a_name_that_another_group_has_offers_a_merge(inside: Reviewer) -> None:
    inside.tell("/api/rename", item=SQUARES[0], name="oak")
    before, dialog = inside.version(), inside.page.locator("#merging")

    def choose(choice: str) -> tuple[list[str], int]:
        inside.press("e")
        inside.page.keyboard.type("Oak")
        inside.press("Enter")
        expect(dialog).to_be_visible()
        expect(inside.page.locator("#merging-do")).to_be_enabled()
        if choice == "Escape":
            inside.press(choice)
            expect(dialog).to_be_hidden()
            inside.page.get_by_role("button", name="Cancel").click()
        else:
            dialog.get_by_role("button", name=choice).click()
            inside.says("Saved")
        names = sorted(group["name"] for group in inside.groups())
        return names, inside.version() - before

    assert choose("Escape") == (["", "", "oak"], 0)
    assert choose("Keep both") == (["", "Oak", "oak"], 1)
    inside.act("z", "Undone")
    assert choose("Merge") == (["", "oak"], 3)


def test_groups_that_are_different_are_not_suggested_again(
    piles: Path, serve: Serve, sit: Sit
) -> None:
    server = serve(piles / "shapes", *ENCODER, "--n-clusters", "6")
    ann = Reviewer.of(sit(server))
    pages = [ann.get(f"/api/groups/{group['id']}") for group in ann.groups()]
    page = next(page for page in pages if page["similar"])
    ann.open(f"/groups/{page['group']['id']}")
    first = ann.page.locator("#similar-title a").inner_text()

    ann.act("d", "Saved: different")

    link = ann.page.locator("#similar-title a")
    assert link.count() == 0 or link.inner_text() != first
    ann.act("z", "Undone")
    expect(link).to_have_text(first)


# Splitting


@pytest.fixture
def fused(ann: Reviewer) -> Reviewer:
    """Somebody in front of discs and squares that one answer has made one group."""
    ann.tell("/api/merge", groups=[DISCS[0], SQUARES[0]])
    ann.open(f"/groups/{DISCS[0]}")
    return ann


def test_the_answer_that_joined_two_groups_is_taken_back(fused: Reviewer) -> None:
    fused.press("p")
    words = fused.page.locator("#fusing-words")
    expect(words).to_have_text(
        re.compile(r"These were joined by your answer \d+, .+: take it back\?")
    )
    pictures = fused.page.locator(".fusing-side figure img")
    kinds = {str(p.get_attribute("alt")).partition("-")[0] for p in pictures.all()}
    assert kinds == {"disc", "square"}

    fused.act("t", "taken back")

    titles = fused.page.locator("#review .item .caption > .title").all_inner_texts()
    assert {title.partition("-")[0] for title in titles} in ({"disc"}, {"square"})


def test_a_group_is_split_into_the_parts_that_were_shown_or_put_right(
    fused: Reviewer,
) -> None:
    parts, split = fused.page.locator(".part"), fused.page.locator("#split-do")
    fused.press("p")
    expect(split).to_be_enabled()
    expect(parts).to_have_count(2)
    expect(fused.page.locator("#split-words")).to_contain_text("takes back")
    fused.act("p", "Saved: split into 2")
    items = set(fused.items())
    assert items <= set(DISCS) or items <= set(SQUARES)
    fused.act("z", "Undone")
    assert len(fused.items()) == 28

    fused.press("p")
    expect(split).to_be_enabled()
    item = parts.nth(0).locator(".item").last
    number = str(item.get_attribute("data-item"))
    item.locator(".pick").focus()
    fused.press("2")
    expect(parts.nth(1).locator(f"[data-item='{number}']")).to_be_visible()
    expect(split).to_be_enabled()
    fused.act("p", "Saved: split into 2")
    mine = fused.get(f"/api/groups/{number}")
    kinds = [card["title"].partition("-")[0] for card in mine["items"]]
    assert kinds.count("disc") == 1 or kinds.count("square") == 1


@pytest.mark.slow
def test_closing_the_split_dialog_changes_nothing(fused: Reviewer) -> None:
    before = fused.version()
    fused.press("p")
    expect(fused.page.locator("#split-do")).to_be_enabled()
    fused.page.get_by_role("button", name="3", exact=True).click()
    expect(fused.page.locator(".part")).to_have_count(3)

    fused.press("Escape")

    expect(fused.page.locator("#split")).to_be_hidden()
    assert fused.version() == before


# Identity


def looks(someone: Reviewer) -> dict[str, tuple[str, str]]:
    """Return the number and the colour of each group, by the kind of its items."""
    someone.open("/groups")
    found = {}
    for group in someone.page.locator(".group").all():
        kind = str(group.locator("img").first.get_attribute("alt")).partition("-")[0]
        chip = group.locator(".chip")
        colour = chip.evaluate("(chip) => getComputedStyle(chip).backgroundColor")
        found[kind] = (chip.inner_text(), colour)
    return found


def test_numbers_and_colours_stay_over_merge_undo_and_restart(
    ann: Reviewer, server: Server, piles: Path, serve: Serve, sit: Sit
) -> None:
    before = looks(ann)
    assert len(set(before.values())) == 3

    ann.tell("/api/merge", groups=[DISCS[0], TRIANGLES[0]])
    assert len(looks(ann)) == 2
    ann.act("z", "Undone")
    assert looks(ann) == before

    server.stop()
    again = serve(piles / "shapes", *ENCODER)
    assert looks(Reviewer.of(sit(again))) == before


@pytest.mark.slow
def test_hints_say_how_sure_a_guess_is(inside: Reviewer) -> None:
    guess = inside.page.locator("#review .item:not(:has(.lock)) .caption").first
    expect(guess).not_to_contain_text("%")
    inside.press("?")

    inside.page.get_by_label("Show hints for everybody").check()

    expect(guess).to_contain_text("%")


# By keys alone, and on a phone


def test_a_whole_review_is_done_by_keys_alone(ann: Reviewer) -> None:
    ann.open("/groups?sort=newest")
    page = ann.page
    target = page.locator(".group h2 a").first
    while not target.evaluate("(link) => link === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#group-name")).to_be_visible()
    ann.ready()
    pick = page.locator("#review .pick").first
    expect(pick).to_be_focused()  # at once, without a click

    ann.press("Space", "Shift+ArrowRight")
    ann.act("c", "Saved: 2 confirmed")
    ann.press("Space")
    ann.act("r", "Saved: 1 taken out")
    ann.act("Control+z", "Undone")
    ann.press("a")
    ann.act("c", "confirmed")
    expect(page.locator("#review .item:not(:has(.lock))")).to_have_count(0)
    ann.press("e")
    page.keyboard.type("Pointed")
    ann.act("Enter", "Saved")

    expect(page.get_by_role("heading", level=1)).to_have_text("Pointed")


def test_nothing_is_cut_off_on_a_phone(phone: Reviewer) -> None:
    phone.tell("/api/review", action="aside", items=[5, 6])

    for path in ("", "/not-placed", "/not-sure", "/set-aside", "/0"):
        phone.open(f"/groups{path}")
        assert phone.page.evaluate(OVERFLOW) == 0, path
        for button in phone.page.locator(".act:visible").all():
            box = button.bounding_box()
            assert box is not None
            assert box["height"] >= TOUCH, path
            assert box["x"] + box["width"] <= PHONE["width"], path


@pytest.mark.slow
@pytest.mark.parametrize("key", ["m", "g", "p", "?"])
def test_every_dialog_fits_on_a_phone(phone: Reviewer, key: str) -> None:
    phone.open(f"/groups/{DISCS[0]}")
    select_two(phone)

    phone.press(key)

    dialog = phone.page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    box = dialog.bounding_box()
    assert box is not None
    assert box["width"] <= PHONE["width"]
    assert box["height"] <= PHONE["height"]
    assert phone.page.evaluate(OVERFLOW) == 0


@pytest.mark.slow
def test_texts_and_rows_are_reviewed_as_well(
    piles: Path, serve: Serve, sit: Sit
) -> None:
    for pile in ("texts", "things.csv"):
        ann = Reviewer.of(sit(serve(piles / pile)))
        ann.open("/groups/0")
        ann.focus(0)
        ann.press("Enter")
        expect(ann.page.locator("#large .text, #large .rows")).to_have_count(1)
        ann.press("Escape", "Space", "Shift+ArrowRight")
        ann.act("c", "Saved: 2 confirmed")

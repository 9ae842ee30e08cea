"""What people see: cards, groups, the picker, progress."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.app.places import (
    Served,
    answered,
    new_id,
    painted,
    path_source,
    picture_folder,
    rows_source,
    served,
    truly,
)
from tests.problems import Tiny, blobs

from likewise import Costs
from likewise.app._project import LATELY, Movement
from likewise.app._schemas import Card
from likewise.app._snapshot import card_of, compared
from likewise.app.question._presenter import PER_PICKER
from likewise.items import MANY_COLUMNS
from likewise.session._summary import IN_A_ROW, MANY_GROUPS, Progress
from likewise.storage import Item

MANY = blobs((5,) * (PER_PICKER + 8), spread=0.05)


@pytest.fixture
def many(tmp_path: Path) -> Served:
    """Twenty groups of three, each known by one of its samples."""
    here = served(tmp_path, rows_source(MANY), options={"random_state": 0}).prepared()
    first = [int(np.flatnonzero(MANY.truth == k)[0]) for k in set(MANY.truth.tolist())]
    zoe = here.elsewhere("zoe")
    for at, sample in enumerate(first):
        for other in first[:at]:
            zoe.tell_pair(sample, other, "different")
    return here


def row(**columns: Any) -> Card:
    return card_of(0, Item("1", "row", "", columns))


# Cards


def test_a_picture_has_addresses_that_name_its_content() -> None:
    one, other = (card_of(7, Item("a.png", "image", d * 64)) for d in "ab")

    assert one.thumb is not None
    assert one.thumb.startswith("/thumb/7?")
    assert one.picture is not None
    assert one.picture.startswith("/picture/7?")
    assert one.thumb != other.thumb  # a browser keeps it for a year


def test_a_card_is_titled_by_name_or_key() -> None:
    named = Item("a/b.png", "image", "0", {"name": "b.png"})

    assert card_of(0, named).title == "b.png"
    assert card_of(0, Item("17", "row")).title == "row 17"


def test_the_title_of_a_row_leads_its_columns() -> None:
    row = Item("3", "row", "", {"no": "3", "name": "Ann", "called": "Oak chair"})

    card = card_of(0, row, title="called")

    assert card.title == "Oak chair"
    assert [column.name for column in card.columns] == ["called", "no", "name"]


def test_a_text_is_cut_where_nobody_reads_on() -> None:
    card = card_of(0, Item("1", "text", "0", {"text": "x" * 30_000}))

    assert card.text is not None
    assert len(card.text) == 20_000


def test_columns_that_differ_come_first() -> None:
    left, right = compared(
        row(same="a", near="100", far="1", word="oak"),
        row(same="a", near="101", far="9", word="elm"),
    )

    assert [c.name for c in left.columns] == ["word", "far", "near", "same"]
    assert [c.differs for c in right.columns] == [True, True, True, False]
    assert [c.value for c in right.columns] == ["elm", "9", "101", "a"]


def test_only_the_first_columns_are_shown() -> None:
    columns = {f"c{at}": str(at) for at in range(40)}
    left, right = compared(row(**columns), row(**{**columns, "c39": "0"}))

    assert len(left.columns) == len(right.columns) == MANY_COLUMNS
    assert left.columns[0].name == "c39"


def test_odd_numbers_do_not_confuse_the_order() -> None:
    odd = {"a": "nan", "b": "inf", "c": "1e999", "d": "0", "e": "-0.0", "f": "x"}
    left, _ = compared(row(**odd), row(**{**odd, "b": "-inf", "f": "y"}))

    assert {c.name for c in left.columns if c.differs} == {"b", "f"}
    assert {left.columns[0].name, left.columns[1].name} == {"b", "f"}


def test_cards_of_other_kinds_stay_as_they_are() -> None:
    text = card_of(0, Item("1", "text", "0", {"text": "oak"}))

    assert compared(text, text) == (text, text)


def test_each_kind_is_shown_in_its_own_way(any_kind: Served) -> None:
    question = any_kind.seat().get("/api/state").json()["question"]

    for side in ("sample", "against"):
        card = question[side]
        is_shown = {
            "image": bool(card["thumb"] and card["picture"]),
            "text": bool(card["text"]),
            "row": [c["name"] for c in card["columns"]] != [],
        }
        assert [k for k, shown in is_shown.items() if shown] == [card["kind"]]


# The picker


def test_the_picker_opens_after_three_different_about_one_sample(
    tmp_path: Path,
) -> None:
    tiny = blobs((2,) * 6)
    options = {"method": "urasc-no", "n_clusters": 6, "random_state": 0}
    here = served(tmp_path, rows_source(tiny), options=options).prepared()
    browser, seen = here.seat(), False
    streaks: Counter[int] = Counter()
    state = browser.get("/api/state").json()
    for _ in range(25):
        sample, opens = state["question"]["sample"]["item"], state["question"]["picker"]
        assert opens == (streaks[sample] >= IN_A_ROW)
        seen = seen or opens
        state = answered(browser, "different", state)
        streaks[sample] += 1
        if state["question"] is None:
            break
    assert seen


def test_with_many_groups_it_opens_after_one(many: Served) -> None:
    browser = many.seat()
    assert len(many.session.groups) > MANY_GROUPS

    state = browser.get("/api/state").json()
    assert not state["question"]["picker"]
    before = state["question"]["sample"]["item"]
    state = answered(browser, "different", state)

    stays = state["question"]["sample"]["item"] == before
    assert state["question"]["picker"] == stays


def test_candidates_come_in_pages(many: Served) -> None:
    browser = many.seat()
    browser.get("/api/state")
    first, second, third = (
        browser.get(f"/api/candidates?page={page}").json() for page in range(3)
    )

    assert len(first["groups"]) == PER_PICKER
    assert (first["has_more"], second["has_more"]) == (True, False)
    assert second["groups"]
    assert third["groups"] == []
    ids = [group["id"] for page in (first, second) for group in page["groups"]]
    assert len(set(ids)) == len(ids)


def test_probabilities_are_hidden_unless_hints_are_on(many: Served) -> None:
    browser = many.seat()
    browser.get("/api/state")
    groups = browser.get("/api/candidates").json()["groups"]
    assert all(group["probability"] is None for group in groups)

    many.seat("zoe").post("/api/settings", json={"hints": True})

    groups = browser.get("/api/candidates").json()["groups"]
    assert all(0 <= group["probability"] <= 1 for group in groups)


# Groups


def test_a_group_keeps_its_number_while_answers_come_in(
    tmp_path: Path, three_blobs: Tiny
) -> None:
    here = served(tmp_path, rows_source(three_blobs)).prepared()
    browser, right = here.seat(), truly(three_blobs)
    numbers: dict[int, int] = {}
    state = browser.get("/api/state").json()
    while state["question"] is not None:
        state = answered(browser, right(state), state)
        for group in here.session.groups:
            if group.is_certain:
                assert numbers.setdefault(group.id, group.label) == group.label
    assert len(numbers) == 3


def test_with_everything_set_aside_all_pages_are_there(rows: Served) -> None:
    browser = rows.seat()
    answered(browser, "same")
    for item in range(12):
        reply = browser.post("/api/aside", json={"item": item, "client_id": new_id()})
        assert reply.status_code == 200

    assert reply.json()["status"] == "settled"
    assert browser.get("/api/groups").json()["groups"] == []
    assert browser.get("/groups").status_code == 200


# Progress


def test_answers_and_screens_are_counted_apart(ann: TestClient) -> None:
    state = answered(ann, "different")
    body = {"question": state["question"]["id"], "group": "new"}
    state = ann.post("/api/pick", json={**body, "client_id": new_id()}).json()

    assert state["progress"]["screens"] == 2
    assert state["progress"]["answers"] >= 2


def test_items_that_changed_their_group_are_counted() -> None:
    labels, movement = np.repeat([0, 1, 2], 4), Movement()
    other = labels.copy()
    other[0] = other[5] = 2

    assert movement.count(7, labels) == 0
    assert movement.count(8, other) == 2
    assert movement.count(8, other[:5]) == 0


def test_what_moved_long_ago_is_not_counted() -> None:
    labels, movement = np.repeat([0, 1, 2], 4), Movement()
    movement.count(0, labels[::-1] * 0)
    movement.count(1, labels)

    assert movement.count(1 + LATELY, labels) == 0


def test_nothing_has_moved_at_first(ann: TestClient) -> None:
    assert ann.get("/api/state").json()["progress"]["moved"] == 0


def test_the_page_says_how_right_the_groups_are_in_the_words_of_the_library(
    rows: Served,
) -> None:
    browser = rows.seat()
    progress = answered(browser, "same")["progress"]
    library = Progress(
        progress["right"],
        (progress["low"], progress["high"]),
        progress["until_95"],
        progress["until_98"],
        progress["settled"],
        0.0,
        progress["expected"],
        progress["stop"],
    )

    sentence = library.timed(Costs().pair)
    assert progress["sentence"] == sentence
    for page in ("/", "/groups", "/history"):
        assert f'title="{library.standing}">{sentence}</span>' in browser.get(page).text


def test_before_the_first_answer_people_are_told_what_will_happen(
    rows: Served,
) -> None:
    browser = rows.seat()

    before = browser.get("/api/state").json()["welcome"]

    assert "12 entries usually take 5 to 12 questions, about a minute" in before
    assert "There are no wrong groups yet" in before
    assert answered(browser, "same")["welcome"] is None


def test_unsure_items_are_deferred(ann: TestClient) -> None:
    assert answered(ann, "unsure")["progress"]["deferred"] == 1


def test_a_sorted_pile_is_settled(rows: Served) -> None:
    browser, right = rows.seat(), truly(blobs((4, 4, 4)))
    state = browser.get("/api/state").json()
    while state["status"] == "asking":
        state = answered(browser, right(state), state)

    assert (state["status"], state["question"]) == ("settled", None)
    assert state["progress"]["settled"] == pytest.approx(1.0)
    assert state["progress"]["right"] == 1.0
    assert state["progress"]["groups"] == 3


def test_who_waits_for_others_is_told(tmp_path: Path) -> None:
    heap = rows_source(Tiny(np.array([[0.0], [1.0]]), np.array([0, 1])))
    here = served(tmp_path, heap, options={"method": "random"}).prepared()

    assert here.state("ann").status == "asking"
    assert here.state("bob").status == "waiting"


# What comes next


def test_ahead_names_the_pictures_of_the_true_next_questions(
    pictures: Served,
) -> None:
    for verdict in ("same", "different"):
        browser = pictures.seat()
        browser.get("/api/state")
        ahead = browser.get("/api/ahead").json()["pictures"]
        question = answered(browser, verdict)["question"]
        assert {question["sample"]["thumb"], question["against"]["thumb"]} <= {*ahead}


def test_nothing_is_fetched_ahead_of_rows(ann: TestClient) -> None:
    ann.get("/api/state")

    assert ann.get("/api/ahead").json() == {"pictures": []}


def test_cards_say_what_became_of_a_file(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "p")
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()
    thumb = here.seat().get("/thumb/3").content
    (folder / "3.png").unlink()
    painted(folder / "4.png", (9, 200, 9))

    again = here.restarted()

    statuses = [card.status for card in again.now.cards([3, 4, 5])]
    assert statuses == ["gone", "changed", "here"]
    assert again.seat().get("/thumb/3").content == thumb


def test_a_group_is_named_after_an_item_that_is_in_the_game(rows: Served) -> None:
    browser = rows.seat()
    answered(browser, "same")
    group = rows.session.groups[0]
    first, *others = group.samples
    rows.elsewhere("zoe").set_aside(first)

    left = rows.now.group(rows.session.groups[0], 0)

    assert left.id in others

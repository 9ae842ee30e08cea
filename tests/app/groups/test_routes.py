"""Groups are looked through and put right: every action, and its undoing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.app.places import (
    Served,
    answered,
    new_id,
    path_source,
    picture_folder,
    rows_source,
    served,
    shared,
)
from tests.problems import blobs

from likewise.app._commands import MEANWHILE
from likewise.app._snapshot import Snapshot
from likewise.app.groups._presenter import (
    MOST_SINGLES,
    PER_PAGE,
    group_of,
    groups_of,
)
from likewise.app.groups._presenter import listed as listed_covers
from likewise.knowledge import Verdict
from likewise.storage import Project, open_store

HEAPS = blobs((10, 10, 10), spread=0.6)
ACTIONS = ("confirm", "reject", "move", "new", "aside")


@pytest.fixture
def heaps(tmp_path: Path) -> Served:
    """Three heaps of ten, of each of which some are confirmed."""
    here = served(tmp_path, rows_source(HEAPS)).prepared()
    zoe_knows(here)
    return here


@pytest.fixture
def bob(heaps: Served) -> TestClient:
    return heaps.seat("bob")


def zoe_knows(here: Served) -> None:
    """Tell of four items of each heap that they are together, and the heaps apart."""
    zoe = here.elsewhere("zoe")
    for truth in range(3):
        first, *others = heap_of(truth)[:4]
        for item in others:
            zoe.tell_pair(item, first, "same")
        for before in range(truth):
            zoe.tell_pair(first, heap_of(before)[0], "different")
    shared(here, "zoe")


def zoe_tells(here: Served, i: int, j: int, verdict: str) -> None:
    here.elsewhere("zoe").tell_pair(i, j, verdict)


def post(browser: TestClient, act: str, **body: Any) -> Any:
    return browser.post(f"/api/{act}", json={"client_id": new_id(), **body})


def did(browser: TestClient, act: str, **body: Any) -> Any:
    reply = post(browser, act, **body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def refused(reply: Any, code: int, words: str) -> None:
    assert reply.status_code == code, reply.text
    assert words in reply.json()["error"]


def listed(browser: TestClient) -> list[Any]:
    return list(browser.get("/api/groups").json()["groups"])


def guessed(browser: TestClient, item: int) -> list[int]:
    """Return the guessed items of a group, the least sure first."""
    page = browser.get(f"/api/groups/{item}").json()
    pairs = zip(page["items"], page["confirmed"], strict=True)
    return [card["item"] for card, is_known in pairs if not is_known]


def confirmed(now: Snapshot) -> set[int]:
    return set(np.flatnonzero(now.confirmed).tolist())


def heap_of(truth: int) -> list[int]:
    return np.flatnonzero(HEAPS.truth == truth).tolist()


def review_of(browser: TestClient, action: str) -> dict[str, Any]:
    """Return what is done to two guessed items of the largest group."""
    first, second, *_ = listed(browser)
    items = guessed(browser, first["id"])[:2]
    return {"action": action, "items": items, "group": second["id"]}


def told(here: Served) -> Any:
    """Return everything that is known, to be compared."""
    known = here.session.view.known
    return known.constraints.group_of, known.constraints.apart, known.aside


# Looking


def test_groups_are_listed_largest_first_and_hold_everything(rows: Served) -> None:
    found = groups_of(rows.now).groups

    assert sum(group.size for group in found) == 12
    assert [g.size for g in found] == sorted((g.size for g in found), reverse=True)


def test_a_group_is_shown_page_by_page(tmp_path: Path) -> None:
    tiny = blobs((PER_PAGE + 9,), spread=0.1)
    options = {"n_clusters": 1, "method": "random", "random_state": 0}
    here = served(tmp_path, rows_source(tiny), options=options).prepared()
    zoe_tells(here, 4, 7, "same")

    pages = [group_of(here.now, 0, start) for start in (0, PER_PAGE, 10**6)]

    sizes = [(len(p.items), len(p.confirmed), p.has_more) for p in pages if p]
    assert sizes == [(PER_PAGE, PER_PAGE, True), (9, 9, False), (0, 0, False)]
    assert pages[1] is not None
    assert [card.item for card in pages[1].items[-2:]] == [4, 7]
    assert pages[1].confirmed[-3:] == [False, True, True]
    first = group_of(here.now, 0, 0, "typical")
    assert first is not None
    assert [card.item for card in first.items[:2]] == [4, 7]


def test_what_needs_a_look_is_marked_and_comes_first(tmp_path: Path) -> None:
    here = served(tmp_path, rows_source(blobs((8, 8, 8), spread=1.5))).prepared()

    pages = [group_of(here.now, g.id, 0) for g in groups_of(here.now).groups]

    for page in pages:
        assert page is not None
        assert page.needs_look == sorted(page.needs_look, reverse=True)
        assert sum(page.needs_look) == page.group.unsure
    assert any(page and any(page.needs_look) for page in pages)


def test_many_groups_of_one_item_are_folded(tmp_path: Path) -> None:
    alone = blobs((1,) * (MOST_SINGLES + 12) + (5, 4), spread=0.01)
    n = MOST_SINGLES + 14
    options = {"n_clusters": n, "method": "random", "random_state": 0}
    here = served(tmp_path, rows_source(alone), options=options).prepared()
    sizes = [here.now.size(label) for label in here.now.clusters]
    n_single = sizes.count(1)
    assert MOST_SINGLES < n_single < len(sizes)

    found, single = (
        listed_covers(here.now, "size", 0, singles=s) for s in (False, True)
    )
    page = here.seat().get("/groups").text

    assert found.total == len(sizes) - n_single
    assert found.n_folded == single.total == n_single
    assert all(group.size == 1 for group in single.groups)
    assert f"{n_single} groups of one item" in page
    assert page.count('class="group ') == found.total
    alone_page = here.seat().get("/groups?only=singles").text
    assert alone_page.count('class="group ') == n_single


def test_a_page_beyond_the_last_one_is_the_last_one(tmp_path: Path) -> None:
    tiny = blobs((PER_PAGE + 9,), spread=0.1)
    options = {"n_clusters": 1, "method": "random", "random_state": 0}
    browser = served(tmp_path, rows_source(tiny), options=options).prepared().seat()

    for path in ("/groups/0", "/groups/not-placed"):
        text = browser.get(f"{path}?start=600").text
        assert f"{PER_PAGE + 1} to {PER_PAGE + 9} of {PER_PAGE + 9}" in text


@pytest.mark.parametrize(("order", "sign"), [("unsure", 1), ("typical", -1)])
def test_guessed_items_come_least_sure_or_most_typical_first(
    tmp_path: Path, order: Any, sign: int
) -> None:
    here = served(tmp_path, rows_source(blobs((8, 8, 8), spread=1.5))).prepared()
    sure = here.session.view.model.confidence

    for group in groups_of(here.now).groups:
        page = group_of(here.now, group.id, 0, order)
        assert page is not None
        values = [
            sign * sure[card.item]
            for card, is_known in zip(page.items, page.confirmed, strict=True)
            if not is_known
        ]
        assert values == sorted(values)


def test_how_sure_it_is_stays_hidden_without_hints(
    heaps: Served, bob: TestClient
) -> None:
    group = listed(bob)[0]["id"]
    assert bob.get(f"/api/groups/{group}").json()["sure"] == []

    heaps.seat("zoe").post("/api/settings", json={"hints": True})

    page = bob.get(f"/api/groups/{group}").json()
    assert len(page["sure"]) == len(page["items"])


def test_an_item_that_is_set_aside_is_in_no_group(rows: Served) -> None:
    rows.elsewhere("ann").set_aside(5)

    assert group_of(rows.now, 5, 0) is None
    assert sum(group.size for group in groups_of(rows.now).groups) == 11


def test_groups_are_sorted_as_the_address_says(heaps: Served, bob: TestClient) -> None:
    zoe_tells(heaps, heap_of(0)[0], heap_of(0)[1], "same")
    for truth, name in enumerate(("oak", "elm", "ash")):
        did(bob, "rename", item=heap_of(truth)[0], name=name)
    find = {group["name"]: group for group in listed(bob)}
    orders = {
        "review": lambda name: (-find[name]["unsure"], find[name]["number"]),
        "size": lambda name: (-find[name]["size"], find[name]["number"]),
        "name": lambda name: name,
        "newest": lambda name: -find[name]["number"],
    }

    for sort, key in orders.items():
        page = bob.get(f"/groups?sort={sort}").text
        places = {name: page.index(f">{name}</a>") for name in find}
        assert sorted(places, key=places.__getitem__) == sorted(find, key=key), sort


def test_the_nearest_groups_come_first_when_asked(bob: TestClient) -> None:
    group = listed(bob)[-1]["id"]

    found = bob.get(f"/api/groups?near={group}&members=2").json()["groups"]

    assert found[0]["id"] == group
    assert len(found) == len(listed(bob))
    assert all(len(one["members"]) <= 2 for one in found)


def test_groups_are_found_by_letters_of_their_names(bob: TestClient) -> None:
    everything = listed(bob)
    did(bob, "rename", item=everything[0]["id"], name="Red Oak")
    number = everything[1]["number"]

    for called, expected in [
        ("oak", [everything[0]["id"]]),
        (str(number), [everything[1]["id"]]),
        ("elm", []),
    ]:
        found = bob.get(f"/api/groups?called={called}&members=0").json()
        assert [group["id"] for group in found["groups"]] == expected, called
        assert found["total"] == len(expected)
    some = bob.get("/api/groups?most=1").json()
    assert (len(some["groups"]), some["total"]) == (1, len(everything))


def test_the_tabs_say_how_many_there_are(heaps: Served, bob: TestClient) -> None:
    did(bob, "review", action="aside", items=heap_of(0)[:2])
    zoe_tells(heaps, heap_of(1)[-1], heap_of(2)[0], "unsure")
    counts = {
        which: bob.get(f"/api/items?which={which}").json()["total"]
        for which in ("not-placed", "not-sure", "set-aside")
    }

    page = bob.get("/groups").text

    assert counts["set-aside"] == 2
    assert sum(counts.values()) + len(confirmed(heaps.now)) == 30
    for words, number in [
        ("Guessed, not confirmed", counts["not-placed"]),
        ("Not sure", counts["not-sure"]),
        ("Set aside", 2),
    ]:
        assert f"{words} <b>{number}</b>" in page


@pytest.mark.parametrize("which", ["not-placed", "not-sure", "set-aside"])
def test_every_tab_is_drawn_for_every_kind(any_kind: Served, which: str) -> None:
    browser = any_kind.seat()
    answered(browser, "unsure")
    did(browser, "review", action="aside", items=[3])

    found = browser.get(f"/api/items?which={which}").json()
    page = browser.get(f"/groups/{which}", headers={"Accept": "text/html"})

    assert page.status_code == 200
    for card in found["items"]:
        assert f'data-item="{card["item"]}"' in page.text


def test_before_the_pile_is_read_every_tab_leads_to_the_question(
    tmp_path: Path,
) -> None:
    browser = served(tmp_path).seat()

    for path in ("/groups", "/groups/not-placed", "/groups/set-aside"):
        assert browser.get(path).headers["location"] == "/"


# Acting


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_is_one_act_and_undone_as_a_whole(
    heaps: Served, bob: TestClient, action: str
) -> None:
    before, version = told(heaps), heaps.now.version

    reply = did(bob, "review", **review_of(bob, action))

    assert reply["saved"].startswith("Saved: 2 ")
    assert reply["can_undo"]
    assert reply["version"] == heaps.now.version == version + 1
    assert told(heaps) != before
    did(bob, "undo")
    assert told(heaps) == before


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_that_comes_twice_is_done_once(
    heaps: Served, bob: TestClient, action: str
) -> None:
    body = {**review_of(bob, action), "client_id": new_id()}
    did(bob, "review", **body)
    after, version = told(heaps), heaps.now.version

    again = did(bob, "review", **body)

    assert again["saved"] == "Already saved"
    assert (told(heaps), heaps.now.version) == (after, version)


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_survives_a_restart(
    heaps: Served, bob: TestClient, action: str
) -> None:
    did(bob, "review", **review_of(bob, action))

    assert told(heaps.restarted()) == told(heaps)


@pytest.mark.parametrize("action", ACTIONS)
def test_only_what_is_selected_is_touched(
    heaps: Served, bob: TestClient, action: str
) -> None:
    body = review_of(bob, action)
    known, before = confirmed(heaps.now), together(heaps)

    did(bob, "review", **body)

    chosen = set(body["items"])
    assert confirmed(heaps.now) ^ known <= chosen
    assert {group - chosen for group in together(heaps)} - {frozenset()} == before


def together(here: Served) -> set[frozenset[int]]:
    """Return the groups that answers have made known."""
    members = here.session.view.known.constraints.members
    return {frozenset(samples) for samples in members.values()}


def test_confirmed_items_are_in_their_group_for_good(
    heaps: Served, bob: TestClient
) -> None:
    body = review_of(bob, "confirm")

    reply = did(bob, "review", **body)

    assert reply["saved"] == "Saved: 2 confirmed"
    assert reply["recorded"]["same"] == 2
    assert reply["after"]["confirmed"] == reply["before"]["confirmed"] + 2
    assert set(body["items"]) <= confirmed(heaps.now)


def test_rejected_items_are_not_placed_and_elsewhere(
    heaps: Served, bob: TestClient
) -> None:
    body = review_of(bob, "reject")
    n_groups = len(listed(bob))

    reply = did(bob, "review", **body)

    stay = reply["stay"]
    labels = heaps.now.labels
    assert all(labels[item] != labels[stay] for item in body["items"])
    open_ones = [c["item"] for c in bob.get("/api/items").json()["items"]]
    assert set(body["items"]) <= set(open_ones)
    assert len(listed(bob)) <= n_groups + 1  # not one for each of them


def test_moved_items_are_in_the_other_group(heaps: Served, bob: TestClient) -> None:
    body = review_of(bob, "move")
    other = bob.get(f"/api/groups/{body['group']}").json()["group"]

    reply = did(bob, "review", **body)

    labels = heaps.now.labels
    assert all(labels[item] == labels[body["group"]] for item in body["items"])
    assert reply["saved"] == f"Saved: 2 moved to Group {other['number']}"


def test_a_new_group_has_a_new_number(bob: TestClient) -> None:
    before = {group["number"] for group in listed(bob)}
    body = review_of(bob, "new")

    did(bob, "review", **body)

    mine = bob.get(f"/api/groups/{body['items'][0]}").json()
    assert mine["group"]["number"] not in before
    assert set(body["items"]) <= {card["item"] for card in mine["items"]}
    assert before <= {group["number"] for group in listed(bob)}


def test_items_are_set_aside_and_put_back(bob: TestClient) -> None:
    items = heap_of(1)[:3]
    did(bob, "review", action="aside", items=items)
    assert [c["item"] for c in _aside(bob)] == items

    reply = did(bob, "review", action="back", items=items[:2])

    assert reply["saved"] == "Saved: 2 put back"
    assert [c["item"] for c in _aside(bob)] == items[2:]


def _aside(browser: TestClient) -> list[Any]:
    return list(browser.get("/api/items?which=set-aside").json()["items"])


def test_guesses_of_several_groups_are_confirmed_at_once(
    heaps: Served, bob: TestClient
) -> None:
    page = bob.get("/api/items").json()
    items = [card["item"] for card in page["items"]][:6]
    seen = [group["id"] for group in page["groups"]][:6]
    labels = heaps.now.labels

    reply = did(bob, "review", action="confirm", items=items, seen=seen)

    assert reply["stay"] is None or len(set(labels[items].tolist())) == 1
    known = heaps.session.view.known.constraints
    assert all(
        known.relation(i, j) is Verdict.SAME for i, j in zip(items, seen, strict=True)
    )


def test_what_answers_say_already_is_not_recorded_again(
    heaps: Served, bob: TestClient
) -> None:
    body = review_of(bob, "confirm")
    did(bob, "review", **body)
    version = heaps.now.version

    reply = did(bob, "review", **body)

    assert reply["saved"] is None
    assert "already say so" in reply["notice"]
    assert heaps.now.version == version


def test_what_is_no_longer_where_it_was_seen_is_left_alone(
    heaps: Served, bob: TestClient
) -> None:
    body = review_of(bob, "confirm")
    seen = [bob.get(f"/api/groups/{body['items'][0]}").json()["group"]["id"]] * 2
    did(heaps.seat("zoe"), "review", **{**body, "action": "move"})
    before = told(heaps)

    reply = post(bob, "review", **{**body, "seen": seen})

    refused(reply, 409, MEANWHILE)
    assert told(heaps) == before


# Merging, comparing, splitting, naming


def test_groups_are_merged_and_parted_by_undo(bob: TestClient) -> None:
    before = listed(bob)
    groups = [group["id"] for group in before[:2]]
    preview = did(bob, "preview", groups=groups)

    reply = did(bob, "merge", groups=groups)

    assert reply["recorded"] == preview["recorded"]
    assert reply["saved"] == "Saved: 2 groups merged"
    lowest = min(group["number"] for group in before[:2])
    assert bob.get(f"/api/groups/{groups[1]}").json()["group"]["number"] == lowest
    did(bob, "undo")
    assert listed(bob) == before


@pytest.mark.parametrize("act", ["merge", "compare"])
def test_of_two_names_the_larger_groups_stays_until_undone(
    bob: TestClient, act: str
) -> None:
    first, second, _ = (group["id"] for group in listed(bob))
    inside = bob.get(f"/api/groups/{second}").json()["items"]
    out = [card["item"] for card in inside if card["item"] != second][-3:]
    did(bob, "review", action="aside", items=out)  # of as many that are confirmed
    did(bob, "rename", item=first, name="oak")
    did(bob, "rename", item=second, name="elm")

    one = {"one": first, "other": second, "verdict": "same"}
    did(bob, act, **({"groups": [first, second]} if act == "merge" else one))

    assert [group["name"] for group in listed(bob)].count("oak") == 1
    assert "elm" not in [group["name"] for group in listed(bob)]
    did(bob, "undo")
    assert {"oak", "elm"} <= {group["name"] for group in listed(bob)}


def test_a_preview_records_nothing(heaps: Served, bob: TestClient) -> None:
    first, second, *_ = (group["id"] for group in listed(bob))
    before, version = told(heaps), heaps.now.version
    bodies: list[dict[str, Any]] = [
        {"groups": [first, second]},
        {"one": first, "other": second, "verdict": "same"},
        {"group": first, "n_parts": 3},
        {"item": first, "name": "oak"},
        *(review_of(bob, action) for action in ACTIONS),
    ]

    for body in bodies:
        assert set(did(bob, "preview", **body)) == {"recorded", "groups"}

    assert (told(heaps), heaps.now.version) == (before, version)


@pytest.mark.parametrize("verdict", ["different", "unsure"])
def test_groups_that_were_compared_are_not_suggested_again(
    tmp_path: Path, verdict: str
) -> None:
    here = served(tmp_path, rows_source(blobs((9, 9, 9), spread=1.8))).prepared()
    browser = here.seat()
    pages = [browser.get(f"/api/groups/{g['id']}").json() for g in listed(browser)]
    page = next(page for page in pages if page["similar"])
    one, other = page["group"], page["similar"]

    did(browser, "compare", one=one["id"], other=other["id"], verdict=verdict)

    after = browser.get(f"/api/groups/{one['id']}").json()["similar"]
    assert after is None or after["number"] != other["number"]


def test_groups_found_to_be_the_same_are_one(bob: TestClient) -> None:
    first, second, *_ = (group["id"] for group in listed(bob))

    did(bob, "compare", one=first, other=second, verdict="same")

    items = bob.get(f"/api/groups/{first}").json()["items"]
    assert second in {card["item"] for card in items}
    refused(
        post(bob, "compare", one=first, other=second, verdict="same"), 409, MEANWHILE
    )


@pytest.fixture
def fused(tmp_path: Path) -> Served:
    """Two heaps that one wrong answer has made one."""
    here = served(tmp_path, rows_source(HEAPS)).prepared()
    for truth in range(3):
        first, *others = heap_of(truth)[:4]
        for item in others:
            zoe_tells(here, item, first, "same")
    zoe_tells(here, heap_of(0)[0], heap_of(2)[0], "different")
    zoe_tells(here, heap_of(1)[0], heap_of(2)[0], "different")
    shared(here, "zoe")
    did(here.seat("bob"), "merge", groups=[heap_of(0)[1], heap_of(1)[1]])
    return here


def test_the_answer_that_fused_two_groups_is_found_and_taken_back(
    fused: Served,
) -> None:
    browser = fused.seat("ann")
    group = heap_of(0)[0]

    found = browser.get(f"/api/groups/{group}/parts").json()["fusing"]

    assert (found["who"], found["at"]) == ("bob", fused.clock.now)
    assert found["sizes"] == [4, 4]
    did(browser, "unfuse", answer=found["answer"])
    labels = fused.now.labels
    assert labels[heap_of(0)[1]] != labels[heap_of(1)[1]]
    did(browser, "undo")
    labels = fused.now.labels
    assert labels[heap_of(0)[1]] == labels[heap_of(1)[1]]


def test_a_group_is_split_into_its_parts(fused: Served) -> None:
    browser = fused.seat("ann")
    group = heap_of(0)[0]
    parts = browser.get(f"/api/groups/{group}/parts").json()["parts"]
    seen = [part["items"][0]["item"] for part in parts]
    body = {"group": group, "n_parts": 2, "seen": seen}
    preview = did(browser, "preview", **body)

    reply = did(browser, "split", **body)

    assert reply["recorded"] == preview["recorded"]
    assert reply["recorded"]["taken_back"] == 1
    labels = fused.now.labels
    heaps = [{int(labels[item]) for item in heap_of(t)[:4]} for t in (0, 1)]
    assert [len(found) for found in heaps] == [1, 1]
    assert heaps[0] != heaps[1]


def test_what_is_moved_by_hand_is_recorded_there(fused: Served) -> None:
    browser = fused.seat("ann")
    group = heap_of(0)[0]
    parts = browser.get(f"/api/groups/{group}/parts").json()["parts"]
    item = parts[0]["items"][-1]["item"]

    did(browser, "split", group=group, moved=[{"item": item, "part": 1}])

    relation = fused.session.view.known.constraints.relation
    assert relation(item, parts[1]["items"][0]["item"]) is Verdict.SAME
    assert relation(item, parts[0]["items"][0]["item"]) is Verdict.DIFFERENT


def test_a_name_that_another_group_has_is_told_and_nothing_is_merged(
    bob: TestClient,
) -> None:
    first, second, third = (group["id"] for group in listed(bob))
    did(bob, "rename", item=first, name="Oak")

    found = did(bob, "preview", item=second, name=" oak ")["groups"]
    did(bob, "rename", item=second, name="oak")

    assert [group["id"] for group in found] == [second, first]
    assert len(listed(bob)) == 3
    assert len(did(bob, "preview", item=third, name="elm")["groups"]) == 1


# Identity


def numbers(browser: TestClient) -> dict[int, tuple[int, str]]:
    return {g["id"]: (g["number"], g["name"]) for g in listed(browser)}


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
def test_numbers_and_names_stay_over_merge_undo_and_restart(
    tmp_path: Path, kind: str
) -> None:
    store = open_store(tmp_path / "p.db" if kind == "sqlite" else "memory://")
    project: Project = store.create("pile", {"screens": "pairs"}, now=0.0)
    here = served(tmp_path, rows_source(HEAPS), project=project).prepared()
    zoe_knows(here)
    browser = here.seat()
    first, second, _ = numbers(browser)
    did(browser, "rename", item=second, name="oak")
    before = numbers(browser)

    did(browser, "merge", groups=[first, second])
    did(browser, "undo")

    assert numbers(browser) == before
    assert numbers(here.restarted().seat()) == before
    store.close()


@pytest.mark.parametrize("action", ["reject", "move", "new", "aside"])
def test_a_group_keeps_number_and_name_when_its_first_item_leaves(
    bob: TestClient, action: str
) -> None:
    first, second, _ = listed(bob)
    did(bob, "rename", item=first["id"], name="oak")
    number = first["number"]

    body = {"action": action, "items": [first["id"]], "group": second["id"]}
    stay = did(bob, "review", **body)["stay"]

    group = bob.get(f"/api/groups/{stay}").json()["group"]
    assert (group["number"], group["name"]) == (number, "oak")
    assert stay != first["id"]
    did(bob, "undo")
    group = bob.get(f"/api/groups/{first['id']}").json()["group"]
    assert (group["number"], group["name"]) == (number, "oak")


# Refusals


@pytest.mark.parametrize(
    ("act", "body", "words"),
    [
        ("review", {"action": "move", "items": [1]}, "Choose the group"),
        ("review", {"action": "confirm", "items": [99]}, "There is no item 99"),
        ("review", {"action": "move", "items": [1], "group": 99}, "no item 99"),
        ("review", {"action": "confirm", "items": [1, 2], "seen": [1]}, "as many"),
        ("merge", {"groups": [0, 0]}, "two groups or more"),
        ("merge", {"groups": [0, 99]}, "There is no item 99"),
        ("compare", {"one": 0, "other": 99, "verdict": "same"}, "no item 99"),
        ("split", {"group": 99}, "There is no item 99"),
        ("split", {"group": 0, "moved": [{"item": 0, "part": 4}]}, "Only items"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    heaps: Served, bob: TestClient, act: str, body: dict[str, Any], words: str
) -> None:
    before = heaps.now.version

    refused(post(bob, act, **body), 400, words)
    refused(post(bob, "preview", **body), 400, words)

    assert heaps.now.version == before


@pytest.mark.parametrize(
    ("act", "body"),
    [
        ("review", {"action": "eat", "items": [1]}),
        ("review", {"action": "confirm", "items": []}),
        ("review", {"action": "confirm", "items": [-1]}),
        ("review", {"action": "confirm", "items": [1], "more": 1}),
        ("review", {"action": "confirm", "items": list(range(1001))}),
        ("merge", {"groups": [1]}),
        ("split", {"group": 1, "n_parts": 6}),
        ("compare", {"one": 0, "other": 1, "verdict": "maybe"}),
        ("unfuse", {"answer": -1}),
        ("preview", {}),
    ],
)
def test_a_body_of_another_form_is_refused(
    bob: TestClient, act: str, body: dict[str, Any]
) -> None:
    assert post(bob, act, **body).status_code == 422


def test_all_of_a_group_cannot_be_taken_out_of_it(bob: TestClient) -> None:
    group = listed(bob)[0]["id"]
    page = bob.get(f"/api/groups/{group}").json()
    items = [card["item"] for card in page["items"]]

    reply = post(bob, "review", action="reject", items=items)

    refused(reply, 400, "leave at least one")


def test_set_aside_items_are_put_back_before_anything_else(bob: TestClient) -> None:
    did(bob, "review", action="aside", items=[3])

    refused(post(bob, "review", action="confirm", items=[3]), 400, "put it back")
    refused(post(bob, "review", action="move", items=[4], group=3), 400, "in no group")


def test_parts_that_are_others_by_now_are_not_split(fused: Served) -> None:
    browser = fused.seat("ann")

    reply = post(browser, "split", group=heap_of(0)[0], seen=[0, 1])

    refused(reply, 409, MEANWHILE)


def test_an_answer_that_is_gone_cannot_be_taken_back(bob: TestClient) -> None:
    refused(post(bob, "unfuse", answer=99), 409, MEANWHILE)


def test_a_group_that_is_too_small_has_no_parts(tmp_path: Path) -> None:
    heap = path_source(picture_folder(tmp_path / "p", 4), tmp_path / "v")
    browser = served(tmp_path, heap).prepared().seat()
    group = listed(browser)[-1]

    reply = browser.get(f"/api/groups/{group['id']}/parts?n=5")

    refused(reply, 400, "too few for 5 parts")
    assert browser.get("/api/groups/99/parts").status_code == 404


NUMBERS = st.integers(0, 31)
BODIES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "review": {
        "action": st.sampled_from([*ACTIONS, "back"]),
        "items": st.lists(NUMBERS, min_size=1, max_size=4),
        "group": NUMBERS,
    },
    "merge": {"groups": st.lists(NUMBERS, min_size=2, max_size=3)},
    "compare": {
        "one": NUMBERS,
        "other": NUMBERS,
        "verdict": st.sampled_from(["same", "different", "unsure"]),
    },
    "split": {"group": NUMBERS, "n_parts": st.integers(2, 5)},
    "unfuse": {"answer": NUMBERS},
    "rename": {"item": NUMBERS, "name": st.sampled_from(["oak", "elm", ""])},
    "undo": {},
}


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_order_of_reviews_breaks_the_server(tmp_path: Path, data: Any) -> None:
    here = served(tmp_path, rows_source(HEAPS)).prepared()
    browser = here.seat()
    for _ in range(8):
        act = data.draw(st.sampled_from(list(BODIES)))
        reply = post(browser, act, **data.draw(st.fixed_dictionaries(BODIES[act])))
        assert reply.status_code in (200, 400, 404, 409), reply.text
        assert browser.get("/groups").status_code == 200
    assert not here.session.doubtful
    assert told(here.restarted()) == told(here)


def test_a_review_takes_back_nothing_of_others(tmp_path: Path) -> None:
    """Zoe has begun and told the heaps apart; Bob may add to it, but not deny it."""
    here = served(tmp_path, rows_source(HEAPS)).prepared()
    zoe_tells(here, heap_of(0)[0], heap_of(1)[0], "different")
    zoe, bob = here.seat("zoe"), here.seat("bob")
    both = [heap_of(0)[0], heap_of(1)[0]]
    did(bob, "review", action="confirm", items=[heap_of(0)[1]])

    for path in ("preview", "merge"):
        refused(post(bob, path, groups=both), 403, "what zoe said")
    assert len(here.project.acts()) == 2

    did(zoe, "merge", groups=both)

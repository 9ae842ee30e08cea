"""The map: drawn once, kept, and as the desk is now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from tests.app.places import (
    Served,
    answered,
    new_id,
    path_source,
    picture_folder,
    rows_source,
    served,
)
from tests.problems import blobs
from tests.stores import KINDS, reopener

from likewise.app import _map
from likewise.app._map import (
    EDGE,
    MAP,
    SEAL,
    Drawing,
    brought_plane,
    plane_apart,
    sample_of,
)
from likewise.errors import InputError
from likewise.session import FEATURES, plane_of, plane_of_affinity

COLUMNS = ("x", "y", "group", "status")


def drawn(here: Served) -> Any:
    """Return the map as soon as it is drawn."""
    browser = here.seat()
    browser.get("/api/map")
    here.app.state.drawing.begin().join()
    reply = browser.get("/api/map")
    assert reply.status_code == 200, reply.text
    return reply.json()


def status_of(sheet: Any, item: int) -> str:
    return str(sheet["statuses"][sheet["status"][item]])


def failed(here: Served) -> str:
    """Return what the page is told when there will be no map."""
    browser = here.seat()
    browser.get("/api/map")
    here.app.state.drawing.begin().join()
    reply = browser.get("/api/map")
    assert reply.status_code == 400
    return str(reply.json()["error"])


# Before it is there


def test_nothing_is_drawn_before_the_first_question(rows: Served) -> None:
    assert rows.project.n_rows(MAP) == 0


def test_the_map_waits_while_the_pile_is_read(tmp_path: Path) -> None:
    browser = served(tmp_path).seat()

    for path in ("/api/map", "/api/map/0"):
        assert browser.get(path).status_code == 503
    assert browser.get("/map").headers["location"] == "/"


class Waiting(Drawing):
    """A map that is drawn when it is told to."""

    def __init__(self, of: Drawing) -> None:
        super().__init__(of.service)
        self.go = Event()

    def _draw(self) -> None:
        self.go.wait()
        super()._draw()


@pytest.fixture
def waiting(rows: Served) -> Iterator[Waiting]:
    found = Waiting(Drawing(rows.service))
    rows.app.state.drawing = found
    yield found
    found.go.set()
    found.begin().join()


def test_a_map_being_drawn_says_so(rows: Served, waiting: Waiting) -> None:
    browser = rows.seat()
    reply = browser.get("/api/map")

    assert reply.status_code == 503
    assert reply.json() == {"error": "The map is still being drawn: wait a moment."}
    assert reply.headers["retry-after"] == "1"
    waiting.go.set()
    waiting.begin().join()
    assert browser.get("/api/map").status_code == 200


def test_questions_go_on_while_it_is_drawn(rows: Served, waiting: Waiting) -> None:
    rows.seat().get("/api/map")

    assert answered(rows.seat(), "same")["saved"] == "Saved: same"
    assert waiting.plane is None


def test_it_is_drawn_once_whoever_asks(rows: Served) -> None:
    drawn(rows)
    first = rows.app.state.drawing
    rows.seat("bob").get("/api/map")

    assert rows.app.state.drawing is first


# What it shows


def test_every_item_has_a_place_a_group_and_a_status(rows: Served) -> None:
    sheet = drawn(rows)

    assert {len(sheet[name]) for name in COLUMNS} == {sheet["n_items"]} == {12}
    assert sheet["items"] is None
    assert {min(sheet["x"]), max(sheet["x"])} == {0, EDGE}
    assert all(0 <= place <= EDGE for place in sheet["y"])


def test_numbers_and_sizes_are_those_of_the_groups_page(rows: Served) -> None:
    answered(rows.seat(), "different")
    sheet = drawn(rows)
    listed = rows.seat().get("/api/groups").json()["groups"]

    sizes = {group["number"]: group["size"] for group in listed}
    assert Counter(sheet["group"]) == sizes
    assert {g["number"]: g["size"] for g in sheet["groups"]} == sizes
    for group in sheet["groups"]:
        assert sheet["group"][group["id"]] == group["number"]


def test_groups_lie_apart(rows: Served) -> None:
    sheet = drawn(rows)
    places = np.column_stack([sheet["x"], sheet["y"]])
    truth = blobs((4, 4, 4)).truth
    apart = np.linalg.norm(places[:, np.newaxis] - places, axis=2)
    same = truth[:, np.newaxis] == truth

    assert apart[same].max() < apart[~same].min()


def test_answers_confirm_items_and_doubts_defer_them(rows: Served) -> None:
    browser = rows.seat()
    asked = browser.get("/api/state").json()["question"]
    sure = [asked[side]["item"] for side in ("sample", "against")]
    state = answered(browser, "same")
    while (unsure := state["question"]["sample"]["item"]) in sure:
        sure.append(state["question"]["against"]["item"])
        state = answered(browser, "same", state)
    answered(browser, "unsure", state)
    sheet = drawn(rows)

    assert {status_of(sheet, item) for item in sure} == {"confirmed"}
    assert status_of(sheet, unsure) == "deferred"
    assert "guessed" in {status_of(sheet, item) for item in range(12)}


def test_an_item_set_aside_is_in_no_group(rows: Served) -> None:
    browser = rows.seat()
    browser.post("/api/aside", json={"item": 5, "client_id": new_id()})
    sheet = drawn(rows)

    assert status_of(sheet, 5) == "aside"
    assert [at for at, number in enumerate(sheet["group"]) if number == 0] == [5]


def test_a_map_follows_what_happens_after_it_was_drawn(rows: Served) -> None:
    before = drawn(rows)
    body = {"item": 0, "name": "oak", "client_id": new_id()}
    rows.seat().post("/api/rename", json=body)
    answered(rows.seat(), "same")
    after = drawn(rows)

    assert after["version"] == before["version"] + 2
    assert (after["x"], after["y"]) == (before["x"], before["y"])
    named = {group["number"]: group["name"] for group in after["groups"]}
    assert named[after["group"][0]] == "oak"


def test_it_is_compact(tmp_path: Path) -> None:
    options = {"method": "random", "n_clusters": 3, "random_state": 0}
    heap = rows_source(blobs((100, 100, 100)))
    here = served(tmp_path, heap, options=options).prepared()
    drawn(here)

    assert len(here.seat().get("/api/map").content) < 20 * 300


def test_an_item_is_looked_at_as_a_card(any_kind: Served) -> None:
    card = any_kind.seat().get("/api/map/3").json()

    assert card == any_kind.now.cards([3])[0].model_dump(mode="json")


@pytest.mark.parametrize("item", ["12", "-1", "9" * 19])
def test_there_are_no_other_items(ann: TestClient, item: str) -> None:
    assert ann.get(f"/api/map/{item}").status_code == 404


# Too many to show


def test_of_many_items_some_are_shown(
    rows: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = drawn(rows)
    monkeypatch.setattr(_map, "MOST", 7)
    sheet = drawn(rows)

    assert sheet["n_items"] == 12
    assert len(sheet["items"]) == 7
    for name in COLUMNS:
        assert sheet[name] == [whole[name][item] for item in sheet["items"]]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=300), st.integers(1, 100))
def test_some_are_of_every_group_and_the_same_again(of: list[int], most: int) -> None:
    group = np.array(of)
    some = sample_of(group, most)

    assert set(group[some]) == set(of)
    assert len(some) == min(max(most, len(set(of))), len(of))
    assert (np.diff(some) > 0).all()
    assert (some == sample_of(group, most)).all()


def test_most_of_some_stay_when_groups_change() -> None:
    before = np.arange(5000) % 7
    after = np.where(before == 3, 4, before)
    stays = np.intersect1d(sample_of(before, 1000), sample_of(after, 1000))

    assert len(stays) > 900


# Kept


@pytest.mark.parametrize("kind", KINDS)
def test_a_restart_shows_the_same_picture(tmp_path: Path, kind: str) -> None:
    store = reopener(kind, tmp_path)
    here = served(
        tmp_path, project=store().create("pile", {"screens": "pairs"}, now=0.0)
    ).prepared()
    before = drawn(here)
    again = replace(here, project=store().project("pile")).prepared()

    assert drawn(again) == before
    assert again.project.n_rows(MAP) == 12


def test_what_is_kept_is_not_drawn_again(rows: Served) -> None:
    before = brought_plane(rows.project, rows.session)
    rows.project.put_array(FEATURES, np.zeros((12, 2)))

    assert (brought_plane(rows.project, rows.session) == before).all()


def test_new_items_are_drawn_with_the_others(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "p", 6)
    heap = path_source(folder, tmp_path / "v")
    here = served(tmp_path, heap).prepared()
    assert drawn(here)["n_items"] == 6
    picture_folder(folder, 9)
    again = here.restarted()

    assert drawn(again)["n_items"] == 9
    assert again.project.n_rows(MAP) == 9


def test_a_map_of_another_making_is_drawn_anew(rows: Served) -> None:
    before = brought_plane(rows.project, rows.session)
    rows.project.put_array(MAP, np.full((12, 2), 0.25, dtype=np.float32))

    assert (brought_plane(rows.project, rows.session) == before).all()
    assert (rows.project.array(MAP) == before).all()


def test_a_map_that_was_kept_by_half_is_drawn_anew(rows: Served) -> None:
    rows.project.put_array(MAP, np.full((12, 2), 0.25, dtype=np.float32))
    plane = brought_plane(rows.project, rows.session)

    assert len(np.unique(plane)) > 2
    assert rows.project.n_rows(SEAL) > 0


def test_a_pile_of_similarities_has_a_map(tmp_path: Path) -> None:
    here = served(tmp_path).prepared()
    here.project.change({"affinity": "precomputed"})
    plane = brought_plane(here.project, here.session)

    assert (plane == plane_of_affinity(here.session.weights, 0)).all()


# In a process of its own


def test_a_process_of_its_own_finds_the_same_places() -> None:
    X = blobs((5, 5)).X.astype(np.float32)

    assert (plane_apart(X, 0, "pca") == plane_of(X, 0, "pca")).all()


def test_a_process_that_fails_says_why() -> None:
    with pytest.raises(InputError, match="There is no way 'tsne'"):
        plane_apart(np.eye(3), 0, "tsne")


# When something is wrong


def test_a_map_that_cannot_be_drawn_says_why(rows: Served) -> None:
    rows.project.put_array(FEATURES, np.full((12, 2), np.nan))

    assert re.fullmatch(r"The map could not be drawn\. .*NaN.*\.", failed(rows))


def test_an_unforeseen_error_is_said_too(
    rows: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    rows.project.put_array(FEATURES, np.zeros((5, 2)))

    assert failed(rows).startswith("The map could not be drawn: ValueError(")
    assert "Traceback" in capsys.readouterr().err


def test_questions_go_on_without_a_map(rows: Served) -> None:
    rows.project.put_array(FEATURES, np.full((12, 2), np.nan))
    failed(rows)

    assert answered(rows.seat(), "same")["saved"] == "Saved: same"


# The page


def test_the_page_is_one_of_the_tabs(ann: TestClient) -> None:
    page = ann.get("/map").text

    assert re.search(r'<a href="/map"[^>]* aria-current="page">Map</a>', page)
    assert 'href="/map"' in ann.get("/").text


def test_two_items_need_no_map(tmp_path: Path) -> None:
    here = served(tmp_path, rows_source(blobs((1, 1)))).prepared()
    page = here.seat().get("/map").text

    assert "2 items need no map" in page
    assert "<canvas" not in page
    assert "map.js" not in page


def test_the_page_holds_no_script_of_its_own(ann: TestClient) -> None:
    page = ann.get("/map").text

    scripts = re.findall(r"<script\b[^>]*>", page)
    assert scripts == ['<script type="module" src="/static/map/map.js">']
    assert not re.search(r"<[^>]+\s(on\w+|style)\s*=", page)

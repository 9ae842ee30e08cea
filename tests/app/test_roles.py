"""Who may do what: every route there is, tried by everybody."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from tests.app.places import (
    Clock,
    Served,
    address,
    answered,
    new_id,
    new_project,
    routes,
    served,
)
from tests.stores import postgresql_url

from likewise.app._roles import FRESH, LEAST, Roster, reaches
from likewise.storage import ROLES, Member, open_store

PEOPLE = {"reader": "rita", "reviewer": "vera", "owner": "olga"}
REFUSED = {"Only the owner may do this", "Only reviewers may do this"}
ADDRESSES = {(method, address(path)): least for (method, path), least in LEAST.items()}


@pytest.fixture
def here(tmp_path: Path) -> Served:
    """Ann's project, and somebody of each role."""
    project = new_project()
    project.change({"owner": "ann"})
    for role, name in PEOPLE.items():
        project.set_member(Member(name, role, 0.0))
    return served(tmp_path, project=project).prepared()


def tried(browser: TestClient, method: str, path: str) -> tuple[int, str]:
    """Return what becomes of a request that has nothing in it."""
    is_form = path.startswith(("/enter", "/leave", "/columns", "/join"))
    body: dict[str, Any] = {} if method == "GET" or is_form else {"json": {}}
    reply = browser.request(method, path, **body)
    is_json = reply.headers.get("content-type", "") == "application/json"
    return reply.status_code, reply.json().get("error", "") if is_json else ""


def is_refused(said: tuple[int, str]) -> bool:
    """Tell whether it was the role that was not enough."""
    return said[0] == 403 and any(said[1].startswith(words) for words in REFUSED)


def test_the_table_has_every_route_and_no_other(rows: Served) -> None:
    assert routes(rows.app) == sorted(LEAST)


@pytest.mark.parametrize("role", ROLES)
def test_on_every_route_a_role_may_what_the_table_says(here: Served, role: str) -> None:
    for (method, path), least in ADDRESSES.items():
        browser = here.seat(PEOPLE[role])  # a new one: somebody may have signed out
        said = tried(browser, method, path)

        may = least is None or ROLES.index(role) >= ROLES.index(least)
        assert is_refused(said) != may, (method, path, said)
        assert said[0] != 401, (method, path, said)
        assert said[0] != 500, (method, path, said)


def test_on_every_route_who_was_removed_is_out(here: Served) -> None:
    here.project.set_member(Member("rita", "owner", 0.0, removed=1.0))
    browser = here.seat("rita")
    for (method, path), least in ADDRESSES.items():
        code, words = tried(browser, method, path)

        assert (code == 401) == (least is not None), (method, path, code)
        assert least is None or words.startswith("You are no longer let in here")


def test_on_every_route_who_is_not_in_is_out(here: Served) -> None:
    browser = here.outside()
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    for (method, path), least in ADDRESSES.items():
        code, _ = tried(browser, method, path)

        assert (code == 401) == (least is not None), (method, path, code)


def test_looking_as_anybody_changes_nothing(here: Served) -> None:
    before = here.project.info(), here.project.team()
    for role, (method, path) in [(r, a) for r in ROLES for a in ADDRESSES]:
        if method == "GET":
            here.seat(PEOPLE[role]).get(path)

    assert (here.project.info(), here.project.team()) == before


# What is not theirs


def named(browser: TestClient, item: int, name: str) -> Any:
    body = {"item": item, "name": name, "client_id": new_id()}
    return browser.post("/api/rename", json=body)


def put(browser: TestClient, item: int, *, aside: bool) -> Any:
    body = {"item": item, "aside": aside, "client_id": new_id()}
    return browser.post("/api/aside", json=body)


def test_a_reader_renames_what_they_named_themselves(here: Served) -> None:
    rita, vera = here.seat("rita"), here.seat("vera")

    assert named(rita, 0, "oak").status_code == 200
    assert named(rita, 0, "elm").status_code == 200
    assert named(vera, 0, "ash").status_code == 200
    refused = named(rita, 0, "fir")
    assert refused.status_code == 403
    assert refused.json()["error"].startswith("This would change what vera said")
    assert list(here.now.name.values()) == ["ash"]


def test_a_reader_puts_back_what_they_set_aside_themselves(here: Served) -> None:
    rita, vera = here.seat("rita"), here.seat("vera")
    put(rita, 0, aside=True)
    put(vera, 1, aside=True)

    assert put(rita, 0, aside=False).status_code == 200
    assert put(rita, 1, aside=False).status_code == 403
    review = {"action": "back", "items": [1], "client_id": new_id()}
    assert rita.post("/api/review", json=review).status_code == 403
    assert put(vera, 1, aside=False).status_code == 200


@pytest.mark.parametrize("role", ROLES)
def test_a_reviewer_takes_back_what_others_said_and_a_reader_does_not(
    here: Served, role: str
) -> None:
    answered(here.seat("ann"), "same")
    (told,) = here.session.history
    for path, body in (
        ("/api/change", {"answer": told.id, "verdict": "different"}),
        ("/api/undo-act", {"act": 0}),
    ):
        sent = {**body, "client_id": new_id()}
        reply = here.seat(PEOPLE[role]).post(path, json=sent)
        assert reply.status_code in ((403,) if role == "reader" else (200, 409)), path


def test_a_reader_has_their_own_answers_and_nobody_elses(here: Served) -> None:
    answered(here.seat("ann"), "same")
    answered(here.seat("rita"), "different")

    mine = here.seat("rita").get("/export/mine")

    header, line = mine.text.splitlines()
    assert header == "answer,item,against,verdict,how,at,state"
    assert ",different,asked,1970-01-01T00:16:40.000Z,stands" in line
    assert 'filename="pile-mine.csv"' in mine.headers["content-disposition"]
    page = here.seat("rita").get("/export").text
    assert "/export/mine" in page
    assert "/export/csv" not in page
    assert "/export/csv" in here.seat("vera").get("/export").text


def test_a_reader_sees_no_settings_and_an_owner_does(here: Served) -> None:
    roles = {
        name: re.findall(r'data-role="(\w+)"', here.seat(name).get("/").text)[0]
        for name in PEOPLE.values()
    }

    assert {role: PEOPLE[role] for role in ROLES} == {r: n for n, r in roles.items()}
    for role, name in PEOPLE.items():
        assert here.seat(name).get("/api/state").json()["role"] == role


# Where nobody was invited


def test_where_nobody_owns_it_everybody_may_everything(rows: Served) -> None:
    for name in ("ann", "bob"):
        assert rows.seat(name).get("/api/state").json()["role"] == "owner"
    answered(rows.seat("ann"), "same")

    roles = [
        rows.seat(name).get("/api/state").json()["role"] for name in ("ann", "bob")
    ]
    assert roles == ["owner", "reader"]


def test_the_setting_of_changes_makes_everybody_a_reviewer(rows: Served) -> None:
    ann, bob = rows.seat("ann"), rows.seat("bob")
    answered(ann, "same")
    assert bob.get("/export/csv").status_code == 403

    ann.post("/api/settings", json={"changes": "everybody"})

    assert bob.get("/api/state").json()["role"] == "reviewer"
    assert bob.get("/export/csv").status_code == 200
    assert bob.post("/api/settings", json={"changes": "owner"}).status_code == 403


@given(
    owner=st.sampled_from([None, "ann", "bob"]),
    changes=st.sampled_from(["owner", "everybody"]),
    role=st.sampled_from(ROLES),
    removed=st.sampled_from([None, 3.0]),
    who=st.sampled_from(["ann", "bob", "BOB", "eve"]),
)
def test_whoever_may_change_anything_may_change_their_own(
    owner: str | None, changes: str, role: str, removed: float | None, who: str
) -> None:
    bob = Member("Bob", role, 2.0, removed=removed)
    roster = Roster(owner, changes, {"bob": bob})
    found = roster.role_of(who)

    assert roster.may_change(who, who)
    if found is not None and reaches(found, "reviewer"):
        assert all(roster.may_change(who, whose) for whose in ("ann", "bob"))
    assert (found is None) == (who != owner and who in ("bob", "BOB") and bool(removed))


# Other servers


def test_other_servers_see_it_after_some_seconds(tmp_path: Path) -> None:
    store, clock = open_store(postgresql_url()), Clock()
    project = store.create("pile", {"screens": "pairs", "owner": "ann"}, now=0.0)
    project.set_member(Member("bob", "reviewer", 0.0))
    first = served(tmp_path, project=project, clock=clock).prepared()
    second = replace(first).prepared()
    bob = second.seat("bob")
    assert bob.get("/export/csv").status_code == 200

    first.seat("ann").post("/api/remove", json={"who": "bob"})
    clock.now += FRESH

    assert first.seat("bob").get("/api/state").status_code == 401
    assert bob.get("/api/state").status_code == 401
    store.close()

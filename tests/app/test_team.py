"""People come in by links, are here, do something, and go."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient
from tests.app.places import (
    HOME,
    PORT,
    Clock,
    Served,
    answered,
    new_id,
    new_project,
    rows_source,
    served,
)
from tests.app.processes import Person, Running, Said, write_table
from tests.problems import blobs

from likewise.app._auth import HERE, LASTS, MANY
from likewise.app._ledger import ledger_of
from likewise.app._roles import DAY, digest_of
from likewise.app._team import LONGEST_LOOK, PAUSE, seconds_of, work_of
from likewise.knowledge import (
    Answer,
    Knowledge,
    Prediction,
    Question,
    Renamed,
    Shown,
    Told,
    Verdict,
)
from likewise.session import reliability
from likewise.storage import Act

COOKIE = f"likewise-{PORT}"
Invite: TypeAlias = Callable[..., str]


def owned(folder: Path, clock: Clock, **how: Any) -> Served:
    """Return a server of Ann's project."""
    project = new_project()
    project.change({"owner": "ann"})
    return served(folder, project=project, clock=clock, **how).prepared()


@pytest.fixture
def here(tmp_path: Path, clock: Clock) -> Served:
    return owned(tmp_path, clock)


@pytest.fixture
def with_password(tmp_path: Path, clock: Clock) -> Served:
    return owned(tmp_path, clock, password="open sesame")


@pytest.fixture
def invite(here: Served) -> Invite:
    """Ann makes a link, and sends what stands behind the server's name."""
    return lambda **wanted: link(here, **wanted)


def link(here: Served, **wanted: Any) -> str:
    reply = here.seat("ann").post("/api/invite", json=wanted)
    assert reply.status_code == 200, reply.text
    return urlsplit(reply.json()["address"]).path


def stranger(here: Served) -> TestClient:
    browser = here.outside()
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    return browser


def came(here: Served, path: str, name: str = "") -> TestClient:
    """Return the browser of somebody who came in by a link."""
    browser = stranger(here)
    reply = browser.post(path, data={"name": name})
    assert (reply.status_code, reply.headers.get("location")) == (303, "/"), reply.text
    return browser


def role(browser: TestClient) -> str:
    return str(browser.get("/api/state").json()["role"])


def reader(here: Served, who: str, viewer: str = "ann") -> Any:
    """Return what is said of somebody."""
    found = here.seat(viewer).get("/api/readers").json()["readers"]
    return next(card for card in found if card["who"] == who)


# Coming in


@pytest.mark.parametrize("wanted", ["reader", "reviewer", "owner"])
def test_who_opens_a_link_is_asked_for_a_name_and_is_in(
    here: Served, invite: Invite, wanted: str
) -> None:
    path = invite(role=wanted)
    page = stranger(here).get(path)
    assert page.status_code == 200
    assert "Your name" in page.text
    assert "Password" not in page.text

    bob = came(here, path, " Bob ")

    assert bob.get("/api/state").json()["who"] == "Bob"
    assert role(bob) == wanted
    assert reader(here, "Bob")["role"] == wanted


def test_no_page_takes_the_readers_machine_for_the_servers(
    here: Served, invite: Invite
) -> None:
    path = invite()
    pages = [stranger(here).get(path)]
    phone = came(here, path, "Eve")
    pages += map(phone.get, ("/", "/people", "/groups"))

    for page in pages:
        assert page.status_code == 200
        assert "stays on the machine where likewise runs" in page.text
        assert "this machine" not in page.text


def test_a_program_comes_in_by_a_link(here: Served, invite: Invite) -> None:
    token = invite(role="reviewer").removeprefix("/join/")

    key = here.outside().post("/api/enter", json={"invite": token, "name": "robot"})

    sent = {"Authorization": f"Bearer {key.json()['token']}"}
    state = here.outside().get("/api/state", headers=sent).json()
    assert (state["who"], state["role"]) == ("robot", "reviewer")


def test_nothing_is_kept_of_a_link_but_a_digest(here: Served, invite: Invite) -> None:
    token = invite().removeprefix("/join/")

    (kept,) = here.project.team().invites
    assert kept.digest == digest_of(token)
    assert token not in repr(here.project.team())
    assert token not in here.seat("ann").get("/people").text
    assert len(token) > 40


def test_a_cookie_of_a_link_survives_a_restart(here: Served, invite: Invite) -> None:
    key = came(here, invite(role="reviewer"), "Bob").cookies[COOKIE]

    again = here.restarted().outside()
    again.cookies.set(COOKIE, key)

    assert again.get("/api/state").json()["role"] == "reviewer"


@pytest.mark.parametrize("name", ["ann", "ANN", "me", "Eve", "ｅｖｅ", "Zoe", "Guest"])
def test_a_name_that_is_anybodys_is_refused(
    here: Served, invite: Invite, name: str
) -> None:
    came(here, invite(), "Zoe")  # a member
    answered(here.seat("eve"), "same")  # who has acted
    here.seat("guest").get("/api/state")  # who is here
    path = invite()

    reply = stranger(here).post(path, data={"name": name})

    assert reply.status_code == 409
    assert "choose another name" in reply.text
    assert here.project.team().invites[-1].uses == 1
    came(here, path, "Bob")


@pytest.mark.parametrize(
    ("name", "words"), [("", "A name is needed"), ("a\u202eb", "cannot be seen")]
)
def test_a_name_that_cannot_be_is_refused(
    here: Served, invite: Invite, name: str, words: str
) -> None:
    reply = stranger(here).post(invite(), data={"name": name})

    assert reply.status_code == 400
    assert words in reply.text
    assert "Your name" in reply.text


def test_a_link_may_be_opened_while_the_items_are_read(
    tmp_path: Path, clock: Clock
) -> None:
    project = new_project()
    project.change({"owner": "ann"})
    here = served(tmp_path, project=project, clock=clock)
    path = link(here)

    assert "Getting ready" in came(here, path, "Bob").get("/").text
    assert stranger(here).post(link(here), data={"name": "Ann"}).status_code == 409


def test_who_is_in_already_is_told(here: Served, invite: Invite) -> None:
    page = here.seat("ann").get(invite())

    assert "Signed in as ann" in page.text
    assert "Your name" not in page.text


def test_who_invites_first_owns_what_is_nobodys(rows: Served) -> None:
    path = link(rows, role="reviewer")
    bob = came(rows, path, "Bob")
    answered(bob, "same")

    assert role(bob) == "reviewer"
    assert role(rows.seat("ann")) == "owner"
    assert rows.restarted().now.owner == "ann"


@pytest.mark.parametrize(
    ("hosts", "called", "root"),
    [
        ((), "", HOME),
        (("0.0.0.0", "pile.example"), "", f"http://pile.example:{PORT}"),
        (("0.0.0.0",), "192.0.2.7:80", "http://192.0.2.7:80"),
    ],
)
def test_a_link_leads_where_others_reach_the_server(
    tmp_path: Path, hosts: tuple[str, ...], called: str, root: str
) -> None:
    here = served(tmp_path, hosts=frozenset(hosts)).prepared()
    headers = {"Host": called} if called else {}

    made = here.seat("ann").post("/api/invite", json={}, headers=headers).json()

    assert made["address"].startswith(f"{root}/join/")


# Links that let nobody in


def refused(here: Served, path: str, words: str) -> None:
    """Check that a link lets nobody in, and says so in a sentence."""
    for reply in (
        stranger(here).get(path),
        stranger(here).post(path, data={"name": "Eve"}),
    ):
        assert reply.status_code == 403
        assert words in reply.text
        assert not reply.cookies
    body = {"invite": path.removeprefix("/join/"), "name": "Eve"}
    program = here.outside().post("/api/enter", json=body)
    assert program.status_code == 403
    assert words in program.json()["error"]


def test_a_link_expires(here: Served, invite: Invite, clock: Clock) -> None:
    path = invite(days=3)
    clock.now += 3 * DAY

    refused(here, path, "This link has expired: ask ann for a new one.")


def test_a_link_is_used_up(here: Served, invite: Invite) -> None:
    path = invite(people=2)
    for name in ("Bob", "Zoe"):
        came(here, path, name)

    refused(here, path, "This link was used up: ask ann for a new one.")


def test_a_link_is_taken_back(here: Served, invite: Invite) -> None:
    path = invite()
    (made,) = here.project.team().invites
    here.seat("ann").post("/api/revoke", json={"invite": made.id})

    refused(here, path, "This link was taken back: ask ann for a new one.")


def test_any_number_may_come_by_a_link_without_one(
    here: Served, invite: Invite
) -> None:
    path = invite(people=None)
    for number in range(MANY + 3):
        came(here, path, f"Reader {number}")

    (card,) = here.seat("ann").get("/api/readers").json()["invites"]
    assert (card["left"], card["state"], len(card["joined"])) == (
        None,
        "open",
        MANY + 3,
    )


@pytest.mark.parametrize("token", ["x", "é名", "%00", "a" * 200, "..%2f.."])
def test_no_other_link_lets_anybody_in(here: Served, token: str) -> None:
    reply = stranger(here).post(f"/join/{token}", data={"name": "Eve"})

    assert reply.status_code in (403, 404)
    assert not reply.cookies


def test_links_are_counted_as_passwords_are(
    here: Served, invite: Invite, clock: Clock
) -> None:
    path = invite()
    for at in range(MANY):
        assert "no such link" in stranger(here).get(f"/join/guess-{at}").text

    refused(here, path, "wait a minute")
    clock.now += 61
    came(here, path, "Bob")


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {}])
def test_no_other_page_may_join(
    here: Served, invite: Invite, headers: dict[str, str]
) -> None:
    reply = here.outside().post(invite(), data={"name": "Bob"}, headers=headers)

    assert reply.status_code == 403
    assert here.project.team().members == ()


@pytest.mark.parametrize(
    "wanted",
    [
        {"role": "king"}, {"days": 0}, {"days": 366}, {"people": 0}, {"people": 1001},
        {"days": True}, {"more": 1},
    ],
)  # fmt: skip
def test_a_link_that_cannot_be_is_not_made(here: Served, wanted: Any) -> None:
    assert here.seat("ann").post("/api/invite", json=wanted).status_code == 422
    assert here.project.team().invites == ()


# Going


def test_who_is_removed_is_out_at_once_and_what_they_said_stays(
    here: Served, invite: Invite
) -> None:
    bob = came(here, invite(), "Bob")
    answered(bob, "same")
    asked = here.question("Bob")
    assert asked is not None

    left = here.seat("ann").post("/api/remove", json={"who": "bob"}).json()

    assert bob.get("/api/state").status_code == 401
    page = bob.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert "You are no longer let in here: ask ann for a link." in page.text
    assert [card["role"] for card in left["readers"] if card["who"] == "Bob"] == [None]
    assert len(here.session.history) == 1
    assert here.service.held("Bob") is None  # others may have the question


def test_a_revoked_link_shuts_out_who_came_by_it(here: Served, invite: Invite) -> None:
    path, other = invite(people=3), invite()
    bob, eve = (came(here, path, name) for name in ("Bob", "Eve"))
    zoe = came(here, other, "Zoe")

    first = here.project.team().invites[0].id
    here.seat("ann").post("/api/revoke", json={"invite": first})

    codes = [one.get("/api/state").status_code for one in (bob, eve, zoe)]
    assert codes == [401, 401, 200]


def test_a_link_of_ones_own_lets_in_again_and_old_keys_stay_worthless(
    here: Served, invite: Invite, clock: Clock
) -> None:
    bob = came(here, invite(role="reviewer"), "Bob")
    answered(bob, "same")
    here.seat("ann").post("/api/remove", json={"who": "Bob"})
    clock.now += 5

    path = invite(who="bob", role="reader")
    assert "Welcome back, Bob" in stranger(here).get(path).text
    again = came(here, path)

    assert again.get("/api/state").json()["who"] == "Bob"
    assert role(again) == "reader"
    assert bob.get("/api/state").status_code == 401
    refused(here, path, "used up")


def test_a_link_of_ones_own_opens_another_browser(
    here: Served, invite: Invite, clock: Clock
) -> None:
    desk = came(here, invite(role="reviewer"), "Bob")
    clock.now += 5
    phone = came(here, invite(who="Bob"))

    assert role(desk) == role(phone) == "reviewer"


def test_a_role_is_changed_at_once(here: Served, invite: Invite) -> None:
    bob = came(here, invite(), "Bob")
    assert bob.get("/export/csv").status_code == 403

    here.seat("ann").post("/api/role", json={"who": "Bob", "role": "reviewer"})

    assert bob.get("/export/csv").status_code == 200
    assert role(bob) == "reviewer"


def test_a_co_owner_may_invite_but_not_remove_the_owner(
    here: Served, invite: Invite
) -> None:
    bob = came(here, invite(role="owner"), "Bob")

    assert bob.post("/api/invite", json={}).status_code == 200
    for path, body in (
        ("/api/remove", {"who": "Ann"}),
        ("/api/role", {"who": "ann", "role": "reader"}),
        ("/api/invite", {"who": "ann"}),
    ):
        reply = bob.post(path, json=body)
        assert reply.status_code == 400
        assert "owns the project" in reply.json()["error"]
    assert role(here.seat("ann")) == "owner"


def test_whoever_is_not_there_is_not_found(here: Served) -> None:
    ann = here.seat("ann")
    for path, body in (
        ("/api/remove", {"who": "nemo"}),
        ("/api/role", {"who": "nemo", "role": "reader"}),
        ("/api/invite", {"who": "nemo"}),
        ("/api/revoke", {"invite": 7}),
    ):
        assert ann.post(path, json=body).status_code == 404, path
    came(here, link(here), "Bob")
    ann.post("/api/remove", json={"who": "Bob"})
    changed = ann.post("/api/role", json={"who": "Bob", "role": "owner"})
    assert changed.status_code == 409


def test_everybody_signs_out(here: Served, invite: Invite) -> None:
    bob = came(here, invite(), "Bob")
    key = bob.cookies[COOKIE]
    for page in ("/people", "/enter"):
        assert "Sign out" in bob.get(page).text
        assert "Sign out" in here.seat("ann").get(page).text

    assert bob.post("/leave").status_code == 303

    bob.cookies.set(COOKIE, key)
    assert bob.get("/api/state").status_code == 401
    assert not reader(here, "Bob")["here"]


# Beside a password


def by_password(here: Served, name: str) -> Any:
    body = {"name": name, "password": "open sesame"}
    return here.outside().post("/api/enter", json=body)


def test_a_name_that_came_by_a_link_is_not_to_be_had_by_the_password(
    with_password: Served,
) -> None:
    bob = came(with_password, link(with_password, role="reviewer"), "Bob")
    bob.post("/leave")

    for name in ("Bob", "BOB"):
        reply = by_password(with_password, name)
        assert reply.status_code == 409
        assert "has come in by a link: choose another name" in reply.json()["error"]
    assert by_password(with_password, "Eve").status_code == 200


def test_who_has_the_password_gets_a_role_and_is_removed(
    with_password: Served, clock: Clock
) -> None:
    token = by_password(with_password, "Eve").json()["token"]
    eve = with_password.outside()
    eve.headers["Authorization"] = f"Bearer {token}"
    ann = with_password.seat("ann")
    assert role(eve) == "reader"

    ann.post("/api/role", json={"who": "Eve", "role": "reviewer"})
    assert role(eve) == "reviewer"
    ann.post("/api/remove", json={"who": "Eve"})

    assert eve.get("/api/state").status_code == 401
    clock.now += HERE
    reply = by_password(with_password, "eve")
    assert reply.status_code == 403
    assert "no longer let in" in reply.json()["error"]


# Who is here, and what each did


def test_the_page_says_who_is_here(here: Served, invite: Invite, clock: Clock) -> None:
    bob = came(here, invite(), "Bob")
    bob.get("/")
    assert reader(here, "Bob")["here"]
    clock.now += HERE - 1
    assert reader(here, "Bob")["here"]

    clock.now += 1
    assert not reader(here, "Bob")["here"]
    assert reader(here, "Bob")["seen"] == 1000.0


def test_another_server_sees_who_has_a_question(
    here: Served, invite: Invite, clock: Clock
) -> None:
    came(here, invite(), "Bob").get("/api/state")
    clock.now += 60

    card = reader(here.restarted(), "Bob")

    assert (card["here"], card["seen"]) == (True, 1000.0)


def test_the_page_says_what_each_did(here: Served, clock: Clock) -> None:
    for who, seconds in (("ann", 90), ("bob", 30), ("bob", 10)):
        question = here.seat(who).get("/api/state").json()["question"]["id"]
        body = {"question": question, "verdict": "different", "seconds": float(seconds)}
        here.seat(who).post("/api/answer", json={**body, "client_id": new_id()})
        clock.now += 1
    here.seat("bob").post("/api/undo", json={"client_id": new_id()})

    ann, bob = reader(here, "ann"), reader(here, "bob")

    assert (ann["answers"], ann["screens"], ann["minutes"]) == (1, 1, 1.5)
    assert (bob["answers"], bob["screens"], bob["minutes"]) == (1, 2, 0.7)
    assert (bob["checks"], bob["failed"]) == (0, 0)


def test_checks_that_failed_are_those_of_who_gave_them(
    tmp_path: Path, clock: Clock
) -> None:
    project = new_project()
    project.change({"owner": "ann", "checks": 2})
    tiny = blobs((3, 3))
    here = served(tmp_path, rows_source(tiny), project=project, clock=clock).prepared()
    eve = here.seat("eve")
    for _ in range(12):
        state = eve.get("/api/state").json()
        mine = here.question("eve")
        if mine is None:
            break
        i, j = mine.question.pair
        is_same = tiny.truth[i] == tiny.truth[j]
        said = "same" if is_same != mine.question.is_check else "different"
        answered(eve, said, state)

    card = reader(here, "eve")

    assert card["checks"] > 0
    (shown,) = here.session.readers
    counted = shown.reliability
    assert (card["checks"], card["failed"]) == (counted.n_checks, counted.n_failed)
    assert 0 < card["failed"] <= len(here.now.ledger.open)


def test_checks_are_counted_as_the_session_counts_them() -> None:
    doubted, drawn = (Prediction(0.5, "check", aux=aux) for aux in (1, 2))
    told = [
        Answer(Question(0, 1), Verdict.SAME, 1),
        Answer(Question(0, 1, doubted), Verdict.SAME, 2),
        Answer(Question(0, 2, drawn), Verdict.UNSURE, 3),
        Answer(Question(1, 0, drawn), Verdict.SAME, 4),
    ]
    acts = [Act(at, Told((one,)), "eve", float(at)) for at, one in enumerate(told)]

    work = work_of(ledger_of(acts, range(4), []).records)

    assert work.checks == reliability(Knowledge(3).after_all(told)).n_checks == 1


def test_what_each_did_is_a_table(here: Served, invite: Invite) -> None:
    came(here, invite(role="reviewer"), "=Bob")
    answered(here.seat("ann"), "same")

    sent = here.seat("=Bob").get("/export/readers")

    rows = {row["reader"]: row for row in csv.DictReader(io.StringIO(sent.text))}
    assert rows["ann"]["answers"] == "1"
    assert rows["ann"]["role"] == "owner"
    assert rows["'=Bob"] == {
        "reader": "'=Bob", "kind": "person", "role": "reviewer", "here": "yes",
        "answers": "0", "screens": "0", "minutes": "0.0", "checks": "0", "failed": "0",
        "wrong": "", "low": "", "high": "", "guesses": "",
        "seen": "1970-01-01T00:16:40.000Z",
    }  # fmt: skip
    assert "text/csv" in sent.headers["content-type"]


def test_how_often_each_is_wrong_is_there_once_it_can_be_said(
    here: Served, invite: Invite
) -> None:
    came(here, invite(), "Bob")
    ann = here.seat("ann")

    few = ann.get("/api/readers").json()["readers"]
    for _ in range(10):
        answered(ann, "different")
    cards = {card["who"]: card for card in ann.get("/api/readers").json()["readers"]}

    assert [card["wrong"] for card in few] == [None, None]
    assert cards["Bob"]["wrong"] is None
    ours = cards["ann"]
    assert 0 <= ours["low"] <= ours["wrong"] <= ours["high"] <= 1
    assert "about" in ann.get("/people").text


def test_a_reader_sees_their_own_figures_and_no_links(
    here: Served, invite: Invite
) -> None:
    bob = came(here, invite(), "Bob")
    answered(here.seat("ann"), "same")
    answered(bob, "different")

    found = bob.get("/api/readers").json()
    cards = {card["who"]: card for card in found["readers"]}

    assert (cards["Bob"]["answers"], cards["ann"]["answers"]) == (1, None)
    assert (cards["ann"]["role"], cards["ann"]["here"]) == ("owner", True)
    assert found["invites"] == []
    page = bob.get("/people").text
    assert "Make a link" not in page
    assert "Make a link" in here.seat("ann").get("/people").text


def test_the_header_says_who_one_is(here: Served, invite: Invite) -> None:
    bob = came(here, invite(), "Bob <b>")
    for path in ("/", "/groups", "/history", "/people", "/export"):
        page = bob.get(path).text
        assert '<span class="me-name">Bob &lt;b&gt;</span>' in page, path
        assert "Bob <b>" not in page


def moments(*acts: tuple[float, float | None]) -> list[float]:
    """Return the seconds of acts, each given by when it was and what was measured."""
    told = [
        Act(
            at,
            Told(
                (Answer(Question(0, 1), Verdict.SAME, at + 1),),
                Shown("pair", seconds=s),
            ),
            "bob",
            when,
        )
        for at, (when, s) in enumerate(acts)
    ]
    return list(seconds_of(ledger_of(told, range(len(told)), []).records))


def test_minutes_are_those_that_were_measured_and_else_those_between_acts() -> None:
    assert moments((0.0, 5.0), (100.0, 7.0)) == [5.0, 7.0]
    assert moments((0.0, None), (20.0, None), (30.0, 4.0)) == [20.0, 4.0]
    assert moments((0.0, 9e5), (1e6, None)) == [LONGEST_LOOK, PAUSE]
    assert moments((50.0, None), (0.0, None)) == [0.0]  # a clock that was set back
    named = [
        Act(0, Renamed(0, "oak"), "bob", 0.0),
        Act(1, Renamed(0, "elm"), "bob", 8.0),
    ]
    assert list(seconds_of(ledger_of(named, [0, 1], []).records)) == [8.0]


def test_a_cookie_is_as_old_as_it_says(here: Served, clock: Clock) -> None:
    badge = here.door.badge(here.door.cookie("ann"))

    assert badge is not None
    assert badge.made == pytest.approx(clock.now, abs=1.0)
    assert LASTS > 0


# Leases


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    write_table(tmp_path, blobs((6, 6, 6), spread=1.5, seed=1))
    server = Running(tmp_path, "likewise", {"screens": "pairs"})
    server.start()
    yield server
    server.kill()


def test_two_people_have_their_questions_again_after_a_kill(running: Running) -> None:
    ann, bob = Person(running), Person(running)
    ann.enter()
    ann.state()
    made = ann.say(Said("/api/invite", {"role": "reader"}))
    token = made["address"].rpartition("/")[2]
    bob.key = bob.say(Said("/api/enter", {"invite": token, "name": "Bob"}))["token"]
    before = [one.state()["question"] for one in (ann, bob)]
    assert before[0]["id"] != before[1]["id"]

    for _ in range(2):
        running.kill()
        running.start()
        assert [one.state()["question"] for one in (ann, bob)] == before
    assert bob.get("/api/state")["who"] == "Bob"

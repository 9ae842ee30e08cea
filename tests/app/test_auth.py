"""Who is let in, and who is not."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import inspect
from base64 import urlsafe_b64encode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, current_thread
from typing import Any

import httpx
import pytest
from fastapi import HTTPException
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from tests.app.places import HOME, PORT, SECRET, Clock, Served, rows_source, served
from tests.problems import blobs

from likewise import InputError
from likewise.app import Door
from likewise.app._auth import (
    HERE,
    LASTS,
    LONGEST,
    MANY,
    MANY_IN_ALL,
    NO_PASSWORD,
    TOO_MANY,
    WRONG,
    name_of,
    network_of,
)
from likewise.app._project import LEASE
from likewise.knowledge import folded

COOKIE = f"likewise-{PORT}"
GARBAGE = [
    "", ".", "..", "...", "no dots at all", "YW5u.99999999999", "YW5u.x.y", "a.b.c.d",
    "é.ü.ß", "名.前.です", "\ud800.1.2", "\x00.\x01.\x02", "YW5u." + "9" * 5000 + ".00",
    "x" * 100_000,
]  # fmt: skip


@pytest.fixture
def door(clock: Clock) -> Door:
    return Door(SECRET, clock)


@pytest.fixture
def guarded(clock: Clock) -> Door:
    return Door(SECRET, clock, "open sesame", clock)


@pytest.fixture
def with_password(tmp_path: Path, clock: Clock) -> Served:
    heap = rows_source(blobs((4, 4)))
    return served(tmp_path, heap, clock=clock, password="open sesame").prepared()


# Codes


def test_a_code_lets_its_person_in(door: Door) -> None:
    assert door.who(door.redeem(door.new_code("ann"))) == "ann"


def test_a_code_is_good_once(door: Door) -> None:
    code = door.new_code("ann")
    door.redeem(code)

    assert door.redeem(code) is None


@pytest.mark.parametrize("code", [*GARBAGE, "ü" * 43])
def test_no_other_code_lets_anybody_in(door: Door, code: str) -> None:
    door.new_code("ann")

    assert door.redeem(code) is None


def test_secrets_are_compared_in_constant_time() -> None:
    for compares in (Door.redeem, Door.enter, Door.badge):
        assert "compare_digest" in inspect.getsource(compares)
    assert "==" not in inspect.getsource(Door)


def test_the_second_use_of_an_address_is_refused(rows: Served) -> None:
    address = f"/enter?code={rows.door.new_code('ann')}"

    first, second = rows.outside().get(address), rows.outside().get(address)

    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert COOKIE in first.cookies
    assert second.status_code == 403
    assert not second.cookies


def test_a_cookie_is_for_this_server_and_no_script(rows: Served) -> None:
    entered = rows.outside().get(f"/enter?code={rows.door.new_code('ann')}")

    said = entered.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert f"max-age={int(LASTS)}" in said


def test_a_code_that_is_not_ascii_is_refused(rows: Served) -> None:
    assert rows.outside().get("/enter?code=ü名").status_code == 403


# Cookies


@pytest.mark.parametrize("cookie", [*GARBAGE, None])
def test_garbage_is_nobody(door: Door, cookie: str | None) -> None:
    assert door.who(cookie) is None


@given(cookie=st.text())
def test_no_text_is_anybody(cookie: str) -> None:
    assert Door(SECRET, Clock()).who(cookie) is None


def test_a_changed_cookie_is_nobody(door: Door) -> None:
    cookie = door.cookie("ann")
    name, until, sign_in, signature = cookie.split(".")
    bob, _, other, _ = door.cookie("bob").split(".")

    for forged in (
        f"{bob}.{until}.{sign_in}.{signature}",
        f"{name}.{int(until) + 1}.{sign_in}.{signature}",
        f"{name}.{until}.{other}.{signature}",
        f"{name}.{until}.{signature}",
        f"{name}.{until}.{sign_in}.{signature[:-1]}",
        f"{name}.{until}.{sign_in}.{signature.upper()}",
        f"{name}.{until}.{sign_in}.",
    ):
        assert door.who(forged) is None


def test_a_cookie_of_another_secret_is_nobody(door: Door, clock: Clock) -> None:
    assert door.who(Door(b"another secret of the tests", clock).cookie("ann")) is None


def test_a_cookie_grows_old(door: Door, clock: Clock) -> None:
    cookie = door.cookie("ann")
    clock.now += LASTS - 1
    assert door.who(cookie) == "ann"

    clock.now += 2
    assert door.who(cookie) is None


def test_a_cookie_survives_a_restart(door: Door, clock: Clock) -> None:
    assert Door(SECRET, clock).who(door.cookie("Zoë 名")) == "Zoë 名"


@pytest.mark.parametrize("cookie", ["", "a.b.c", "x" * 20_000, "é.é.é"])
def test_a_browser_with_garbage_is_not_in(rows: Served, cookie: str) -> None:
    sent = {b"Cookie": f"{COOKIE}={cookie}".encode("latin-1")}

    assert rows.outside().get("/api/state", headers=sent).status_code == 401


def test_a_bearer_with_garbage_is_not_in(rows: Served) -> None:
    for word in ("", "x", "é.é.é"):
        sent = {b"Authorization": f"Bearer {word}".encode("latin-1")}
        assert rows.outside().get("/api/state", headers=sent).status_code == 401


def test_a_bearer_is_in(rows: Served) -> None:
    sent = {"Authorization": f"Bearer {rows.door.cookie('ann')}"}

    assert rows.outside().get("/api/state", headers=sent).json()["who"] == "ann"


def test_people_outside_are_led_to_the_door(rows: Served) -> None:
    reply = rows.outside().get("/groups", headers={"Accept": "text/html"})

    assert (reply.status_code, reply.headers["location"]) == (303, "/enter")


# Passwords


def tried(door: Door, password: str, *where: str) -> str:
    """Return the name that a try was worth, or why it was worth nothing."""
    try:
        return door.who(door.enter("ann", password, *where)) or ""
    except HTTPException as error:
        return str(error.detail)


def test_the_password_lets_in(guarded: Door) -> None:
    assert tried(guarded, "open sesame") == "ann"


@pytest.mark.parametrize(
    "wrong", ["", "open sesame ", "Open sesame", "ü", "\ud800", "x" * 10_000]
)
def test_a_wrong_password_does_not(guarded: Door, wrong: str) -> None:
    assert tried(guarded, wrong) == WRONG


def test_without_a_password_nothing_is_right(door: Door) -> None:
    assert tried(door, "") == NO_PASSWORD


def test_five_wrong_ones_shut_the_door(guarded: Door, clock: Clock) -> None:
    for _ in range(MANY):
        assert tried(guarded, "guess") == WRONG
        clock.now += 1

    assert tried(guarded, "open sesame") == TOO_MANY


def test_the_door_opens_after_a_minute(guarded: Door, clock: Clock) -> None:
    for _ in range(MANY):
        tried(guarded, "guess")
    clock.now += 61

    assert tried(guarded, "open sesame") == "ann"


def test_five_wrong_ones_over_a_long_time_do_not(guarded: Door, clock: Clock) -> None:
    for _ in range(9):
        assert tried(guarded, "guess") == WRONG
        clock.now += 20

    assert tried(guarded, "open sesame") == "ann"


def test_tries_at_a_shut_door_do_not_keep_it_shut(guarded: Door, clock: Clock) -> None:
    for _ in range(30):
        tried(guarded, "guess")
        clock.now += 2.5
    clock.now += 61

    assert tried(guarded, "open sesame") == "ann"


def test_a_clock_that_is_set_neither_shuts_nor_opens_the_door(clock: Clock) -> None:
    steady = Clock()
    door = Door(SECRET, clock, "open sesame", steady)
    for _ in range(MANY):
        tried(door, "guess")
        clock.now -= 3600
    clock.now += 10 * 3600
    assert tried(door, "open sesame") == TOO_MANY

    clock.now, steady.now = 0.0, steady.now + 61
    assert tried(door, "open sesame") == "ann"


def test_guesses_from_one_address_shut_nobody_else_out(guarded: Door) -> None:
    for _ in range(50):
        tried(guarded, "guess", "192.0.2.1")

    assert tried(guarded, "open sesame", "192.0.2.1") == TOO_MANY
    assert tried(guarded, "open sesame", "192.0.2.2") == "ann"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("no address", "no address", True),
        ("", "192.0.2.1", False),
    ],
)
def test_who_owns_one_address_owns_its_neighbours(
    one: str, other: str, is_same: bool
) -> None:
    assert (network_of(one) == network_of(other)) == is_same


def test_guesses_from_everywhere_are_bounded_in_all(
    guarded: Door, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tried(guarded, "open sesame", "192.0.2.1") == "ann"
    looked_at = 0

    def counted(*_: Any, **__: Any) -> bytes:
        nonlocal looked_at
        looked_at += 1
        return b"wrong"

    with monkeypatch.context() as patch:
        patch.setattr("hashlib.scrypt", counted)  # which takes its time
        for number in range(10 * MANY_IN_ALL):
            tried(guarded, "guess", f"10.0.{number % 250}.{number // 250}")

    assert looked_at == MANY_IN_ALL
    assert tried(guarded, "open sesame", "192.0.2.9") == TOO_MANY
    assert (
        tried(guarded, "guess", "192.0.2.1") == WRONG
    )  # somebody was let in from here
    clock.now += 61
    assert tried(guarded, "guess", "192.0.2.9") == WRONG


def test_right_ones_are_not_counted(guarded: Door) -> None:
    for _ in range(MANY - 1):
        tried(guarded, "guess")
    cookie = guarded.enter("ann", "open sesame")
    for _ in range(MANY):
        cookie = guarded.enter("ann", "open sesame", "", cookie)

    assert tried(guarded, "guess") == WRONG
    assert tried(guarded, "guess") == TOO_MANY


def test_guesses_at_once_are_counted_before_they_are_looked_at(guarded: Door) -> None:
    start = Barrier(20)

    def guess(_: int) -> str:
        start.wait(30)
        return tried(guarded, "guess")

    with ThreadPoolExecutor(20) as pool:
        words = Counter(pool.map(guess, range(20)))

    assert words == {WRONG: MANY, TOO_MANY: 20 - MANY}


def test_the_right_one_among_many_at_once_does_not_get_in(
    with_password: Served,
) -> None:
    right = {"name": "eve", "password": "open sesame"}
    tries = [{**right, "password": f"guess {n}"} for n in range(39)] + [right]

    async def codes() -> list[int]:
        line = httpx.ASGITransport(with_password.app)
        own = {"Sec-Fetch-Site": "same-origin"}
        async with httpx.AsyncClient(
            transport=line, base_url=HOME, headers=own
        ) as browser:
            sent = [browser.post("/enter", data=one) for one in tries]
            return [reply.status_code for reply in await asyncio.gather(*sent)]

    assert set(asyncio.run(codes())) == {403}


def test_passwords_are_looked_at_one_at_a_time_and_apart(
    with_password: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, threads = hashlib.scrypt, []

    def watched(*given: Any, **how: Any) -> bytes:
        threads.append(current_thread().name)
        return slow(*given, **how)

    monkeypatch.setattr("hashlib.scrypt", watched)
    browser = with_password.outside()
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    for name in ("ann", "bob"):
        browser.post("/enter", data={"name": name, "password": "open sesame"})

    assert threads == ["sign-in_0"] * 2


def test_a_new_password_shuts_everybody_out(guarded: Door, clock: Clock) -> None:
    cookie = guarded.cookie("ann")

    assert Door(SECRET, clock, "open sesame").who(cookie) == "ann"
    for other in ("open says me", None):
        assert Door(SECRET, clock, other).who(cookie) is None
        mine = Door(SECRET, clock, other).cookie("ann")
        assert guarded.who(mine) is None


def test_a_cookie_of_an_earlier_version_is_still_good(
    door: Door, guarded: Door, clock: Clock
) -> None:
    words = f"{urlsafe_b64encode(b'ann').decode()}.{int(clock.now + LASTS)}"
    signature = hmac.new(SECRET, words.encode(), hashlib.sha256).hexdigest()

    assert door.who(f"{words}.{signature}") == "ann"
    assert guarded.who(f"{words}.{signature}") is None  # not tied to the password


@pytest.mark.parametrize("secret", [b"", b"x", b"fifteen letters"])
def test_a_secret_that_can_be_guessed_is_refused(secret: bytes, clock: Clock) -> None:
    with pytest.raises(InputError, match="can be guessed"):
        Door(secret, clock)


def test_a_door_does_not_show_its_keys(guarded: Door) -> None:
    guarded.new_code("ann")

    assert "sesame" not in repr(guarded)
    assert "secret" not in repr(guarded)
    assert "ann" not in repr(guarded)


# One person under a name


def name_taken(door: Door, name: str, cookie: str | None = None) -> str | None:
    """Return why a name cannot be had, or None if it can."""
    try:
        door.enter(name, "open sesame", "", cookie)
    except HTTPException as error:
        return str(error.detail) if error.status_code == 409 else "another reason"
    return None


@pytest.mark.parametrize("name", ["Ann", "ann", " ANN ", "Ａｎｎ"])
def test_a_name_is_one_persons_while_they_are_here(guarded: Door, name: str) -> None:
    guarded.enter("Ann", "open sesame")

    words = name_taken(guarded, name)

    assert words is not None
    assert "is signed in already: choose another name" in words
    assert name_taken(guarded, "Bob") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("Zo\u00eb", "Zoe\u0308"), ("ﬁn", "Fin"), ("a  b", "A b")],
)
def test_names_that_look_alike_are_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_whoever_was_there_comes_back_by_their_cookie(guarded: Door) -> None:
    cookie = guarded.enter("Ann", "open sesame")

    assert name_taken(guarded, "ann", cookie) is None
    assert "already" in (name_taken(guarded, "Ann", guarded.cookie("Bob")) or "")


def test_a_name_is_free_when_its_person_does_nothing(
    guarded: Door, clock: Clock
) -> None:
    first = guarded.badge(guarded.enter("Ann", "open sesame"))
    assert first is not None
    clock.now += HERE - 1
    assert guarded.is_theirs(first)
    clock.now += HERE - 1
    assert name_taken(guarded, "Ann") is not None
    clock.now += 1
    assert name_taken(guarded, "Ann") is None

    assert not guarded.is_theirs(first)


def test_a_name_is_free_as_soon_as_its_question_is() -> None:
    assert HERE == LEASE


def test_a_name_is_free_once_its_person_signs_out(guarded: Door) -> None:
    cookie = guarded.enter("Ann", "open sesame")
    badge = guarded.badge(cookie)
    assert badge is not None

    guarded.seats.leave(badge)

    assert guarded.badge(cookie) is None
    assert name_taken(guarded, "Ann") is None


def test_after_a_restart_people_keep_their_names(guarded: Door, clock: Clock) -> None:
    cookie = guarded.enter("Ann", "open sesame")
    again = Door(SECRET, clock, "open sesame", clock)
    badge = again.badge(cookie)

    assert badge is not None
    assert again.is_theirs(badge)
    assert name_taken(again, "Ann") is not None


def test_whoever_has_a_code_is_the_owner(door: Door) -> None:
    for _ in range(2):
        badge = door.badge(door.redeem(door.new_code("me")))
        assert badge is not None
        assert door.is_theirs(badge)


def signed_in(here: Served, name: str, **how: Any) -> TestClient:
    browser = here.outside()
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    data = {"name": name, "password": "open sesame"}
    browser.post("/enter", data=data, **how)
    return browser


def test_two_people_are_never_signed_in_under_one_name(with_password: Served) -> None:
    ann, other = signed_in(with_password, "Ann"), signed_in(with_password, "ann")

    assert ann.get("/api/state").json()["who"] == "Ann"
    assert other.get("/api/state").status_code == 401
    said = other.post("/enter", data={"name": "ann", "password": "open sesame"})
    assert said.status_code == 409
    assert "ann is signed in already" in said.text
    program = with_password.outside().post(
        "/api/enter", json={"name": "ANN", "password": "open sesame"}
    )
    assert program.status_code == 409
    assert "signed in already" in program.json()["error"]


def test_a_program_comes_back_with_its_token(with_password: Served) -> None:
    client, body = with_password.outside(), {"name": "x", "password": "open sesame"}
    token = client.post("/api/enter", json=body).json()["token"]
    assert client.post("/api/enter", json=body).status_code == 409

    sent = {"Authorization": f"Bearer {token}"}

    assert client.post("/api/enter", json=body, headers=sent).status_code == 200


def test_whoever_lost_their_name_is_told(with_password: Served, clock: Clock) -> None:
    ann = signed_in(with_password, "Ann")
    clock.now += HERE
    other = signed_in(with_password, "Ann")

    reply = ann.get("/api/state")

    assert reply.status_code == 401
    assert "Somebody else has signed in as Ann" in reply.json()["error"]
    assert other.get("/api/state").status_code == 200
    page = ann.get("/", headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["location"]) == (303, "/enter")


def test_people_sign_out_on_a_page(with_password: Served) -> None:
    ann = signed_in(with_password, "Ann")
    key = ann.cookies[COOKIE]
    assert '<a href="/enter">Ann</a>' in ann.get("/").text
    assert "Sign out" in ann.get("/enter").text

    left = ann.post("/leave")

    assert (left.status_code, left.headers["location"]) == (303, "/enter")
    assert COOKIE not in ann.cookies
    ann.cookies.set(COOKIE, key)
    assert ann.get("/api/state").status_code == 401
    assert signed_in(with_password, "Ann").get("/api/state").status_code == 200


def test_programs_sign_out(with_password: Served) -> None:
    client, body = with_password.outside(), {"name": "x", "password": "open sesame"}
    token = client.post("/api/enter", json=body).json()["token"]
    sent = {"Authorization": f"Bearer {token}"}

    assert client.post("/api/leave", json={}, headers=sent).json() == {"who": "x"}
    assert client.get("/api/state", headers=sent).status_code == 401
    assert client.post("/api/enter", json=body).status_code == 200


def test_nobody_is_signed_out_by_another_page(with_password: Served) -> None:
    ann = signed_in(with_password, "Ann")
    foreign = {"Sec-Fetch-Site": "cross-site"}

    assert ann.post("/leave", headers=foreign).status_code == 403
    assert ann.get("/leave").status_code == 405
    assert ann.get("/api/state").status_code == 200


# Names


def test_names_are_trimmed_and_composed() -> None:
    assert name_of("  Ann \n") == "Ann"
    assert name_of("Ame\u0301lie") == "Am\xe9lie"
    assert name_of("x" * LONGEST) == "x" * LONGEST


@pytest.mark.parametrize(
    "name", ["x" * 201, "a\x00b", "ann\u202e", "\x1b[2Jann", "\ud800"]
)
def test_names_that_cannot_be_seen_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        name_of(name)


@pytest.mark.parametrize("name", ["", "   ", "\n"])
def test_an_empty_name_is_refused(guarded: Door, name: str) -> None:
    with pytest.raises(InputError, match="A name is needed"):
        guarded.enter(name, "open sesame")
    with pytest.raises(InputError, match="A name is needed"):
        guarded.new_code(name)


def test_the_form_lets_in(with_password: Served) -> None:
    browser = with_password.outside()
    browser.headers["Sec-Fetch-Site"] = "same-origin"

    entered = browser.post("/enter", data={"name": " Ann ", "password": "open sesame"})

    assert entered.status_code == 303
    assert browser.get("/api/state").json()["who"] == "Ann"


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [
        ("ann", "guess", "Wrong password."),
        ("  ", "open sesame", "A name is needed"),
    ],
)
def test_the_form_says_why_not(
    with_password: Served, name: str, password: str, words: str
) -> None:
    reply = with_password.outside().post(
        "/enter",
        data={"name": name, "password": password},
        headers={"Sec-Fetch-Site": "same-origin"},
    )

    assert reply.status_code == 403
    assert words in reply.text


def test_the_form_says_when_it_is_shut(with_password: Served) -> None:
    browser = with_password.outside()
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    for _ in range(5):
        browser.post("/enter", data={"name": "eve", "password": "guess"})

    reply = browser.post("/enter", data={"name": "ann", "password": "open sesame"})

    assert reply.status_code == 403
    assert "wait a minute" in reply.text

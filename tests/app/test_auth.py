"""Who is let in, and who is not."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.app.places import PORT, SECRET, Clock, Served, rows_source, served
from tests.problems import blobs

from likewise import InputError
from likewise.app import Door
from likewise.app._auth import LASTS, LONGEST, name_of

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
    return Door(SECRET, clock, "open sesame")


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
    for compares in (Door.redeem, Door.enter, Door.who):
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
    name, until, signature = cookie.split(".")
    bob = door.cookie("bob").split(".")[0]

    for forged in (
        f"{bob}.{until}.{signature}",
        f"{name}.{int(until) + 1}.{signature}",
        f"{name}.{until}.{signature[:-1]}",
        f"{name}.{until}.{signature.upper()}",
        f"{name}.{until}.",
    ):
        assert door.who(forged) is None


def test_a_cookie_of_another_secret_is_nobody(door: Door, clock: Clock) -> None:
    assert door.who(Door(b"another", clock).cookie("ann")) is None


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


def test_the_password_lets_in(guarded: Door) -> None:
    assert guarded.who(guarded.enter("ann", "open sesame")) == "ann"


def test_a_wrong_password_does_not(guarded: Door) -> None:
    for wrong in ("", "open sesame ", "Open sesame", "ü", "\ud800", "x" * 10_000):
        assert Door(SECRET, guarded.clock, "open sesame").enter("ann", wrong) is None


def test_without_a_password_nothing_is_right(door: Door) -> None:
    assert door.enter("ann", "") is None


def test_five_wrong_ones_shut_the_door(guarded: Door, clock: Clock) -> None:
    for _ in range(5):
        assert not guarded.is_shut
        guarded.enter("eve", "guess")
        clock.now += 1

    assert guarded.is_shut
    assert guarded.enter("ann", "open sesame") is None


def test_the_door_opens_after_a_minute(guarded: Door, clock: Clock) -> None:
    for _ in range(5):
        guarded.enter("eve", "guess")
    clock.now += 61

    assert not guarded.is_shut
    assert guarded.enter("ann", "open sesame") is not None


def test_five_wrong_ones_over_a_long_time_do_not(guarded: Door, clock: Clock) -> None:
    for _ in range(9):
        guarded.enter("ann", "guess")
        clock.now += 20

    assert guarded.enter("ann", "open sesame") is not None


def test_tries_at_a_shut_door_do_not_keep_it_shut(guarded: Door, clock: Clock) -> None:
    for _ in range(30):
        guarded.enter("eve", "guess")
        clock.now += 2.5

    assert guarded.enter("ann", "open sesame") is not None or guarded.is_shut
    clock.now += 61
    assert guarded.enter("ann", "open sesame") is not None


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
        ("ann", "guess", "That was not the password."),
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

"""One section for each thing that a server on somebody's machine must not allow."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from starlette.websockets import WebSocketDisconnect
from tests.app.places import (
    HOME,
    PORT,
    Served,
    addresses,
    answered,
    new_id,
    path_source,
    picture_folder,
    rows_source,
    served,
    text_file,
)
from tests.problems import blobs

from likewise import InputError
from likewise.app._auth import HEADERS, MOST_BYTES, MOST_BYTES_OUTSIDE, host_of
from likewise.cli._serving import chosen_password
from likewise.storage import Info
from likewise.storage._memory import MemoryProject

EVIL = "<script>alert('x')</script>\"'&"


def send(browser: TestClient, method: str, path: str, **how: Any) -> Any:
    if method != "GET":
        how.setdefault("json", {})
    return browser.request(method, path, **how)


# Exposed by accident


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_other_machines_need_a_password(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIKEWISE_PASSWORD", raising=False)

    with pytest.raises(InputError, match="lets other machines in"):
        chosen_password(host, is_wanted=False)


def test_who_comes_in_by_links_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIKEWISE_PASSWORD", raising=False)

    assert chosen_password("0.0.0.0", is_wanted=False, by_links=True) is None
    monkeypatch.setenv("LIKEWISE_PASSWORD", "sesame")
    assert chosen_password("0.0.0.0", is_wanted=False, by_links=True) == "sesame"


def test_this_machine_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIKEWISE_PASSWORD", raising=False)
    for host in ("127.0.0.1", "localhost", "::1"):
        assert chosen_password(host, is_wanted=False) is None


def test_the_environment_may_hold_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKEWISE_PASSWORD", "sesame")

    assert chosen_password("0.0.0.0", is_wanted=False) == "sesame"


# Other people on this machine


def test_nothing_is_to_be_had_without_a_key(rows: Served) -> None:
    browser = rows.outside()
    browser.headers["Sec-Fetch-Site"] = "same-origin"
    for method, path in addresses(rows.app):
        if not path.startswith(("/enter", "/api/enter", "/join/", "/static/")):
            assert send(browser, method, path).status_code == 401, path


# DNS rebinding


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", f"evil.example:{PORT}", "127.0.0.1.evil.example", "", " ",
        "localhost.evil.example", f"evil.example@127.0.0.1:{PORT}", "127.0.0.1/evil",
        "127.0.0.1:x", "[::1", "::1", "[evil]", "127.0.0.1, evil.example", "127.1",
        "2130706433", "0.0.0.0", "é", "localhost:1:2", "localhost?x", "localhost#x",
    ],
)  # fmt: skip
def test_a_foreign_name_is_refused(rows: Served, host: str) -> None:
    sent = {b"Host": host.encode()}

    assert rows.seat().get("/api/state", headers=sent).status_code == 403


def test_a_foreign_name_is_refused_on_every_route(rows: Served) -> None:
    browser = rows.seat()
    browser.headers["Host"] = "evil.example"
    tried = [*addresses(rows.app), ("GET", "/no/such/page"), ("OPTIONS", "/")]
    for method, path in tried:
        reply = send(browser, method, path)
        assert reply.status_code == 403, path
        assert reply.json() == {"error": "This server does not answer to that name."}
    assert len(tried) > 15


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", f"127.0.0.1:{PORT}", "localhost:1", "LocalHost", "[::1]", "[::1]:80"],
)
def test_our_own_names_are_taken(rows: Served, host: str) -> None:
    assert rows.seat().get("/api/state", headers={"Host": host}).status_code == 200


def test_the_name_that_was_chosen_is_taken(tmp_path: Path) -> None:
    here = served(tmp_path, hosts=frozenset({"pile.example"})).prepared()
    names = {"pile.example:80": 200, "other.example": 403, "10.0.0.1": 403}

    for name, code in names.items():
        reply = here.seat().get("/api/state", headers={"Host": name})
        assert reply.status_code == code


def test_listening_anywhere_takes_every_address_but_no_name(tmp_path: Path) -> None:
    here = served(tmp_path, hosts=frozenset({"0.0.0.0"})).prepared()
    names = {"192.168.1.5:8757": 200, "[fe80::1]": 200, "evil.example": 403}

    for name, code in names.items():
        reply = here.seat().get("/api/state", headers={"Host": name})
        assert reply.status_code == code


def test_hosts_are_read_as_browsers_write_them() -> None:
    assert host_of("[::FFFF:127.0.0.1]:1") == "::ffff:127.0.0.1"
    assert host_of("a_b-c.example:65535") == "a_b-c.example"


# Requests that other pages make


SITES = (None, "same-origin", "none", "same-site", "cross-site", "garbage")
ORIGINS = (None, HOME, "http://evil.example", "null", "http://localhost:1", "http://[")


@pytest.mark.parametrize(("site", "origin"), [*product(SITES, ORIGINS)])
def test_only_our_own_pages_may_post(
    rows: Served, site: str | None, origin: str | None
) -> None:
    browser = rows.seat()
    del browser.headers["Sec-Fetch-Site"]
    said = {"Sec-Fetch-Site": site, "Origin": origin}
    headers = {name: value for name, value in said.items() if value is not None}
    is_ours = site in ("same-origin", "none") or (site is None and origin == HOME)

    reply = browser.post("/api/settings", json={"hints": True}, headers=headers)

    assert reply.status_code == (200 if is_ours else 403)
    assert rows.now.display.hints == is_ours


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_every_method_that_changes_things_is_looked_at(
    rows: Served, method: str
) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    reply = rows.seat().request(method, "/api/settings", headers=headers)

    assert reply.status_code == 403


@pytest.mark.parametrize(
    ("with_cookie", "bearer", "code"),
    [(False, True, 200), (True, True, 403), (False, False, 403), (True, False, 403)],
)
def test_a_program_needs_no_page_but_a_bearer_and_no_cookie(
    rows: Served, with_cookie: bool, bearer: bool, code: int
) -> None:
    browser = rows.seat() if with_cookie else rows.outside()
    browser.headers.pop("Sec-Fetch-Site", None)
    token = f"Bearer {rows.door.cookie('ann')}"
    headers = {"Authorization": token} if bearer else {}

    reply = browser.post("/api/settings", json={"hints": True}, headers=headers)

    assert reply.status_code == code


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/json"]
)
def test_what_a_form_could_send_is_no_json(rows: Served, kind: str) -> None:
    body = '{"hints": true}'
    reply = rows.seat().post(
        "/api/settings", content=body, headers={"Content-Type": kind}
    )

    assert reply.status_code == 415
    assert not rows.now.display.hints


def test_a_cross_site_text_post_is_refused(rows: Served) -> None:
    headers = {"Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site"}
    reply = rows.seat().post("/api/undo", content="{}", headers=headers)

    assert reply.status_code == 403


def test_the_door_takes_no_form_from_elsewhere(rows: Served) -> None:
    data = {"name": "eve", "password": "guess"}
    for headers in ({}, {"Origin": "http://evil.example"}):
        reply = rows.outside().post("/enter", data=data, headers=headers)
        assert reply.status_code == 403


def test_looking_changes_nothing(rows: Served) -> None:
    browser = rows.seat()
    answered(browser, "same")
    before = rows.project.info()
    mine = rows.question("ann")
    for method, path in addresses(rows.app):
        if method == "GET":
            browser.get(path)
            browser.request("HEAD", path)

    assert rows.project.info() == before
    assert rows.question("ann") == mine


def test_what_no_page_would_send_is_refused_unread(rows: Served) -> None:
    body = b"x" * (MOST_BYTES + 1)
    for path, kind in (
        ("/api/answer", "application/json"),
        ("/enter", "application/x-www-form-urlencoded"),
    ):
        reply = rows.seat().post(path, content=body, headers={"Content-Type": kind})
        assert reply.status_code == 413


def test_a_body_of_unknown_length_is_refused(rows: Served) -> None:
    reply = rows.seat().post(
        "/api/answer",
        content=iter([b"{}"]),
        headers={"Content-Type": "application/json"},
    )

    assert reply.status_code == 413


def poured(
    here: Served, path: str, headers: dict[str, str], pieces: list[bytes]
) -> int:
    """Send a body in pieces, whatever the headers say of it; return the code."""
    sent: list[Any] = []
    left = list(pieces)
    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }  # fmt: skip

    async def receive() -> Any:
        piece = left.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def send(message: Any) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, here.app(scope, receive, send)).result()
    assert len(left) >= len(pieces) - most_pieces(headers)
    return int(sent[0]["status"])


def most_pieces(headers: dict[str, str]) -> int:
    """Return how many kilobytes may be read of a body."""
    most = MOST_BYTES if "authorization" in headers else MOST_BYTES_OUTSIDE
    return most // 1000 + 1


@pytest.mark.parametrize("is_in", [True, False])
@pytest.mark.parametrize(
    "said",
    [
        {"content-length": "2"},
        {"content-length": "0000000000002"},
        {"content-length": "0" * 5000 + "2"},
        {"content-length": "000000000000" + "3000000"},
        {"content-length": "9" * 5000},
        {"content-length": "-1"},
        {"content-length": "2", "transfer-encoding": "chunked"},
        {"transfer-encoding": "chunked"},
        {},
    ],
)
def test_bodies_are_counted_while_they_are_read(
    rows: Served, said: dict[str, str], is_in: bool
) -> None:
    headers = {"host": "localhost", "content-type": "application/json", **said}
    if is_in:
        headers["authorization"] = f"Bearer {rows.door.cookie('ann')}"
    path = "/api/answer" if is_in else "/api/enter"

    assert poured(rows, path, headers, [b"x" * 1000] * 3000) == 413


@pytest.mark.parametrize("path", ["/enter", "/api/enter"])
def test_strangers_send_little(rows: Served, path: str) -> None:
    kind = "application/json" if "api" in path else "application/x-www-form-urlencoded"
    headers = {"Content-Type": kind, "Sec-Fetch-Site": "same-origin"}
    body = b"a&" * (MOST_BYTES_OUTSIDE // 2 + 1)

    assert rows.outside().post(path, content=body, headers=headers).status_code == 413


def test_the_door_takes_no_files(tmp_path: Path) -> None:
    here = served(tmp_path, password="open sesame")
    headers = {"Sec-Fetch-Site": "same-origin"}
    data = {"name": "ann", "password": "open sesame"}
    sent = here.outside().post("/enter", data=data, files={"x": b"y"}, headers=headers)

    assert sent.status_code == 415


DEEP = 100_000


@pytest.mark.parametrize(
    "body",
    [
        b"[" * DEEP,
        b"[" * DEEP + b"]" * DEEP,
        b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        b'{"question": ' + b"9" * 5000 + b"}",
        b'{"question": 1e999, "verdict": NaN, "client_id": -Infinity}',
        b'{"question": ' + b"[" * DEEP + b"]" * DEEP + b"}",
        b"\xff\xfe{\x00}\x00",
        b"\x00",
        b"",
        zlib.compress(b'{"question": 1}'),
    ],
)
@pytest.mark.parametrize("is_in", [True, False])
def test_no_json_is_too_odd(rows: Served, body: bytes, is_in: bool) -> None:
    browser = rows.seat() if is_in else rows.outside()
    kind = {"Content-Type": "application/json", "Content-Encoding": "deflate"}
    path = "/api/answer" if is_in else "/api/enter"

    reply = browser.post(path, content=body, headers=kind)

    assert reply.status_code in (400, 413, 422)
    assert set(reply.json()) == {"error"}


def test_no_page_talks_by_sockets(rows: Served) -> None:
    browser = rows.seat()

    with pytest.raises(WebSocketDisconnect), browser.websocket_connect("/api/state"):
        pass


def test_looking_at_what_is_allowed_allows_nothing(rows: Served) -> None:
    for browser, codes in ((rows.seat(), {405, 413, 415}), (rows.outside(), {403})):
        for path in ("/", "/enter", "/api/state", "/static/mark.svg"):
            reply = browser.request("OPTIONS", path)
            assert reply.status_code in codes
            assert "access-control-allow-origin" not in reply.headers


# Paths


STEPS = [
    "..", "../x", "../../etc/passwd", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%5c..%5cx.css", "/etc/passwd", "%2fetc%2fpasswd", "C:%5cWindows%5cwin.ini",
    "%5c%5chost%5cshare%5cx.png", "-1", "9" * 19, "9" * 400, "9" * 6000, "1.5",
    "1e3", "0x1", "%00", "base.css%00", "0%00", "%D9%A3", "NaN", "0.png",
    "..%2fsecurity.py", "....//x", "~", "con",
]  # fmt: skip


def raw(here: Served, path: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for a path as it is; a client would tidy it up before."""
    headers = {"host": "localhost", "authorization": f"Bearer {here.door.cookie('a')}"}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as thread:  # a browser's loop may be at work in ours
        thread.submit(asyncio.run, here.app(scope, receive, send)).result()
    named = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], named, body


@pytest.mark.parametrize("route", ["thumb", "picture", "static", "groups", "export"])
def test_no_path_leads_out(pictures: Served, route: str) -> None:
    for step in STEPS:
        code, headers, body = raw(pictures, f"/{route}/{step}")
        assert code in (404, 422), step
        assert headers["content-type"] == "application/json"
        assert set(json.loads(body)) == {"error"}


def test_a_number_in_any_writing_is_only_a_number(pictures: Served) -> None:
    browser = pictures.seat()
    thumbs = {
        number: browser.get(f"/thumb/{number}") for number in ("+1", "01", "1_0", "-0")
    }

    for reply in thumbs.values():
        assert reply.status_code in (200, 404, 422)
        if reply.status_code == 200:
            assert reply.headers["content-type"] == "image/jpeg"


def test_static_files_are_ours_only(rows: Served) -> None:
    browser = rows.seat()

    found = browser.get("/static/lib/base.css")
    assert found.headers["content-type"].startswith("text/css")
    for name in ("server.py", "base.html", "__init__.py", "lib", ".", ""):
        assert browser.get(f"/static/{name}").status_code == 404


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "p")
    secret = picture_folder(tmp_path / "secret", 1) / "0.png"
    (folder / "link.png").symlink_to(secret)
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()

    assert [broken.key for broken in here.preparation.broken] == ["link.png"]
    assert "link.png" not in {item.key for item in here.project.items()}


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "p")
    secret = picture_folder(tmp_path / "secret", 1) / "0.png"
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()
    (folder / "3.png").unlink()
    (folder / "3.png").symlink_to(secret)

    for route in ("thumb", "picture"):
        reply = here.seat().get(f"/{route}/3")
        assert reply.status_code == 404
        assert "leads out" in reply.json()["error"]


# Pictures


def test_pictures_are_packed_anew(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "p", 4)
    marked = Image.new("RGB", (2000, 10), "red")
    exif = Image.Exif()
    exif[0x010E] = "where I live"
    marked.save(folder / "0.jpg", exif=exif)
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()
    position = [item.key for item in here.project.items()].index("0.jpg")

    for route, size, edge in (
        ("thumb", "", 480),
        ("thumb", "?x&size=960", 960),
        ("picture", "", 1600),
        ("picture", "?x&size=4096", 2000),
    ):
        reply = here.seat().get(f"/{route}/{position}{size}")
        assert reply.headers["content-type"] == "image/jpeg"
        assert b"where I live" not in reply.content
        assert max(Image.open(BytesIO(reply.content)).size) == edge
        assert here.seat().get(f"/{route}/{position}?size=5000").status_code == 422


@pytest.mark.parametrize(
    "content",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<!doctype html><script>alert(1)</script>",
        b"%PDF-1.4",
        b"%!PS-Adobe-3.0 EPSF-3.0",
    ],
)
def test_what_only_calls_itself_a_picture_is_none(
    tmp_path: Path, content: bytes
) -> None:
    folder = picture_folder(tmp_path / "p", 6)
    (folder / "odd.jpg").write_bytes(content)
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()

    assert [broken.key for broken in here.preparation.broken] == ["odd.jpg"]
    (folder / "2.png").write_bytes(content)
    for route in ("thumb", "picture"):
        reply = here.seat().get(f"/{route}/2")
        assert reply.status_code == 404
        assert "json" in reply.headers["content-type"]


def bomb(edge: int = 50_000) -> bytes:
    """Return a small file that says it is a huge picture."""

    def chunk(name: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + content))
        return struct.pack(">I", len(content)) + name + content + check

    head = struct.pack(">IIBBBBB", edge, edge, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes((edge // 8 + 1) * 100))
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_a_bomb_is_listed_and_the_server_lives(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "p", 6)
    (folder / "bomb.png").write_bytes(bomb())
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()
    (folder / "1.png").write_bytes(bomb())

    (broken,) = here.preparation.broken
    assert broken.key == "bomb.png"
    assert "pixels" in broken.reason
    browser = here.seat()
    assert browser.get("/thumb/1").status_code == 404
    assert "bomb.png" in browser.get("/").text
    assert answered(browser, "same")["saved"] == "Saved: same"


# Scripts


@pytest.fixture
def hostile(tmp_path: Path) -> Served:
    """Rows whose titles, project, criterion and group names are scripts."""
    heap = rows_source(blobs((4, 4)), [EVIL] * 8)
    here = served(tmp_path, heap).prepared()
    browser = here.seat(EVIL)
    browser.post("/api/settings", json={"criterion": EVIL, "hints": True})
    body = {"item": 0, "name": EVIL, "client_id": new_id()}
    assert browser.post("/api/rename", json=body).status_code == 200
    return here


def hostile_texts(folder: Path) -> Served:
    file = text_file(folder / "lines.txt")
    file.write_text(file.read_text().replace("apple", f"apple {EVIL}"))
    return served(folder, path_source(file, folder / "v")).prepared()


def hostile_files(folder: Path) -> Served:
    painted = picture_folder(folder / "p", 6)
    (painted / "0.png").rename(painted / "<img src=x onerror=alert(1)>.png")
    (painted / "<script>.jpg").write_text("no picture")
    return served(folder, path_source(painted, folder / "v")).prepared()


PAGES = (
    "/",
    "/groups",
    "/groups/0",
    "/groups/not-placed",
    "/map",
    "/history",
    "/disagreements",
    "/api",
    "/export",
    "/enter",
    "/no/such/page",
)


class Tags(HTMLParser):
    """The tags of a page, as a browser reads it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def no_foreign_script(page: str) -> None:
    """Check that every script is ours by its address, or plain data."""
    for tag, attributes in Tags(page).found:
        assert not [name for name in attributes if name.startswith("on")]
        source = attributes.get("src") or ""
        if tag == "script" and attributes.get("type") != "application/json":
            assert source.startswith("/static/")
        if tag == "img":
            assert source.startswith(("/static/", "/thumb/")) or not source


@pytest.mark.parametrize("path", PAGES)
def test_names_are_never_scripts(hostile: Served, path: str) -> None:
    page = hostile.seat(EVIL).get(path, headers={"Accept": "text/html"}).text

    no_foreign_script(page)
    assert EVIL not in page


@pytest.mark.parametrize("path", PAGES)
def test_texts_are_never_scripts(tmp_path: Path, path: str) -> None:
    browser = hostile_texts(tmp_path).seat()

    no_foreign_script(browser.get(path, headers={"Accept": "text/html"}).text)


@pytest.mark.parametrize("path", PAGES)
def test_file_names_are_never_scripts(tmp_path: Path, path: str) -> None:
    browser = hostile_files(tmp_path).seat()

    no_foreign_script(browser.get(path, headers={"Accept": "text/html"}).text)


def test_what_is_escaped_is_still_shown(hostile: Served) -> None:
    page = hostile.seat(EVIL).get("/groups").text

    assert EVIL in unescape(page)


@pytest.mark.parametrize(
    "path", ["/api/state", "/api/groups", "/api/groups/0", "/api/candidates", "/api/no"]
)
def test_json_says_that_it_is_json(hostile: Served, path: str) -> None:
    reply = hostile.seat(EVIL).get(path)

    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_downloads_are_files_and_no_pages(hostile: Served) -> None:
    for kind in ("csv", "jsonl", "answers"):
        reply = hostile.seat(EVIL).get(f"/export/{kind}")
        assert reply.headers["content-disposition"].startswith("attachment;")
        assert "html" not in reply.headers["content-type"]


@pytest.mark.parametrize("name", ['叶子 "x"\r\nSet-Cookie: a=b', "Blätter", "a/../b"])
def test_a_project_of_any_name_can_be_exported(tmp_path: Path, name: str) -> None:
    project = MemoryProject(Info(name, {}, 0.0))  # of before names were checked
    here = served(tmp_path, project=project).prepared()
    reply = here.seat().get("/export/csv")

    assert reply.status_code == 200
    assert "set-cookie" not in reply.headers
    assert re.fullmatch(
        r'attachment; filename="[\w.-]+"', reply.headers["content-disposition"], re.A
    )


def test_every_response_has_the_headers(rows: Served) -> None:
    tried = [*addresses(rows.app), ("GET", "/no/such/page"), ("DELETE", "/")]
    for browser in (rows.seat(), rows.outside()):
        for method, path in tried:
            reply = send(browser, method, path)
            found = {name: reply.headers.get(name) for name in HEADERS}
            assert found == HEADERS, path


def test_the_policy_allows_no_inline_script() -> None:
    policy = HEADERS["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_a_failure_has_the_headers_and_tells_nothing(
    rows: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(rows.service, "look", fail)
    browser = TestClient(rows.app, HOME, raise_server_exceptions=False)
    browser.cookies = rows.seat().cookies
    reply = browser.get("/api/state")

    assert reply.status_code == 500
    assert "42" not in reply.text
    assert {name: reply.headers.get(name) for name in HEADERS} == HEADERS


def ours(name: str) -> list[Path]:
    """Return the files of one of the app's folders, and of those in it."""
    folder = Path(str(files("likewise.app") / name))
    return [path for path in folder.rglob("*.*") if path.is_file()]


def test_templates_hold_no_inline_script_or_style() -> None:
    for template in ours("templates"):
        text = template.read_text(encoding="utf-8")
        scripts = re.findall(r"<script\b[^>]*>", text)
        assert all("src=" in s or "application/json" in s for s in scripts)
        assert not re.search(r"<[^>]+\s(on\w+|style)\s*=", text)
        assert "javascript:" not in text
        assert not re.search(r"\|\s*safe\b", text)


def test_nothing_is_loaded_from_elsewhere() -> None:
    for file in (*ours("templates"), *ours("static")):
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "://" not in text, file.name


def test_scripts_set_text_and_never_html() -> None:
    for file in ours("static"):
        assert not re.search(
            r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(",
            file.read_text(encoding="utf-8"),
        ), file.name


# Spreadsheets


def test_a_name_is_no_formula_in_a_table(tmp_path: Path) -> None:
    heap = rows_source(blobs((4, 4)), ["=1+1"] * 8)
    browser = served(tmp_path, heap).prepared().seat()
    body = {"item": 0, "name": "=cmd|' /C calc'!A0", "client_id": new_id()}
    browser.post("/api/rename", json=body)

    cells = re.split(r'[,\n]"?', browser.get("/export/csv").text)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


# Telemetry


def test_no_connection_leaves_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[Any] = []

    def refuse(_: Any, address: Any) -> None:
        reached.append(address)
        raise OSError("no connection is allowed here")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    folder = picture_folder(tmp_path / "p")
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()
    browser = here.seat()
    for path in (*PAGES, "/thumb/0", "/picture/0", "/export/csv", "/api/ahead"):
        browser.get(path)
    for _ in range(3):
        answered(browser, "different")

    assert reached == []
    assert threading.active_count() < 50

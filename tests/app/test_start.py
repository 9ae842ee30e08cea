"""The start page: who may see it, what it lists, and what it says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from likewise import InputError
from likewise.app import Door, Recent, StartContext, create_start
from likewise.app._start import MOST_COUNTED, Status, held, listing_of

PORT = 8757
HERE = f"http://127.0.0.1:{PORT}"
OURS = {"Sec-Fetch-Site": "same-origin"}
LEAVES = Recent("<b>leaves</b>", "/pile/leaves", 1200, 34, 0.0, True, True)
GONE = Recent("gone", "/pile/gone", 1, 1, 0.0, False, False)


class Scripted:
    """A server that is open at the third look, or never."""

    def __init__(self, path: str) -> None:
        self.path, self.looks = path, 0

    def look(self) -> tuple[Status, str, str | None]:
        self.looks += 1
        if self.path == "/nowhere":
            return "failed", "There is no /nowhere: name a folder or a file.", None
        if self.looks < 3:
            return "opening", "Reading the pictures.", None
        return "open", "It is open.", "http://127.0.0.1:9/enter?code=x"


@pytest.fixture
def door() -> Door:
    return Door(b"s" * 32, lambda: 0.0)


@pytest.fixture
def outside(door: Door) -> Iterator[TestClient]:
    context = StartContext(door, lambda: [LEAVES, GONE], Scripted)
    with TestClient(create_start(context, port=PORT), HERE) as client:
        yield client


@pytest.fixture
def inside(outside: TestClient, door: Door) -> TestClient:
    code = door.new_code("me")
    outside.headers.update(OURS)
    assert outside.get(f"/enter?code={code}").status_code == 200
    return outside


@pytest.mark.parametrize("path", ["/", "/api/folders", "/api/open/1"])
def test_nobody_sees_it_without_the_printed_address(
    outside: TestClient, path: str
) -> None:
    assert outside.get(path).status_code == 401
    seen = outside.get(path, headers={"Accept": "text/html"}).text
    assert "This page is private" in seen
    assert "leaves" not in seen


def test_nothing_is_opened_from_elsewhere(inside: TestClient) -> None:
    asked = {"path": "/pile"}
    foreign = {"Sec-Fetch-Site": "cross-site"}

    assert inside.post("/api/open", json=asked, headers=foreign).status_code == 403
    assert inside.get("/", headers={"Host": "evil.example"}).status_code == 403
    assert inside.get("/", headers={"Host": "192.0.2.1"}).status_code == 403
    policy = inside.get("/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy


def test_it_lists_recent_projects_as_text(inside: TestClient) -> None:
    page = inside.get("/").text

    assert "&lt;b&gt;leaves&lt;/b&gt;" in page
    assert "1,200 items · 34 answers" in page
    assert "open now" in page
    assert "/pile/gone is not there any more." in page
    assert 'data-path="/pile/gone"' not in page


def test_what_is_opened_can_be_asked_for(inside: TestClient) -> None:
    now = inside.post("/api/open", json={"path": " /pile/leaves "}).json()
    assert (now["status"], now["words"]) == ("opening", "Reading the pictures.")

    inside.get(f"/api/open/{now['id']}")
    now = inside.get(f"/api/open/{now['id']}").json()

    assert now["status"] == "open"
    assert now["url"] == "http://127.0.0.1:9/enter?code=x"
    assert inside.get("/api/open/99").status_code == 404


def test_why_it_cannot_be_opened_is_said(inside: TestClient) -> None:
    now = inside.post("/api/open", json={"path": "/nowhere"}).json()

    assert now["status"] == "failed"
    assert now["words"] == "There is no /nowhere: name a folder or a file."


# Folders


def test_a_folder_is_listed(inside: TestClient, tmp_path: Path) -> None:
    for name in ("b", "A", ".hidden"):
        (tmp_path / name).mkdir()
    for name in ("x.csv", "y.XLSX", ".z.csv", "a.png", "b.heic", "c.txt", "d.doc"):
        (tmp_path / name).write_text("")
    (tmp_path / "A" / "inner.jpg").write_text("")

    found = inside.get("/api/folders", params={"path": str(tmp_path)}).json()

    assert [one["name"] for one in found["folders"]] == ["A", "b"]
    assert [one["name"] for one in found["tables"]] == ["x.csv", "y.XLSX"]
    assert found["holds"] == "3 pictures, 1 text, 3 tables"
    assert found["way"][0]["path"] == "/"
    assert found["way"][-1] == {"name": tmp_path.name, "path": str(tmp_path)}


def test_without_a_path_it_is_the_home(
    inside: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert inside.get("/api/folders").json()["path"] == str(tmp_path)


@pytest.mark.parametrize("path", ["/no/where", "a\0b", "x" * 5000])
def test_a_folder_that_is_not_there_is_named(inside: TestClient, path: str) -> None:
    answer = inside.get("/api/folders", params={"path": path})

    assert answer.status_code == 400
    assert "choose another one" in answer.json()["error"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into everything")
def test_a_folder_that_is_not_ours_is_named(tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=0)

    with pytest.raises(InputError, match="choose another folder"):
        listing_of(shut)


def test_names_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    (tmp_path / "b").mkdir()

    assert [one.name for one in listing_of(tmp_path).folders] == ["b"]


def test_a_large_folder_is_not_counted_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("likewise.app._start.MOST_COUNTED", 5)
    for number in range(9):
        (tmp_path / f"{number}.png").write_text("")

    assert MOST_COUNTED > 5
    assert held(tmp_path).startswith("more than ")

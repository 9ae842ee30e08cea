"""A drawer of ugly folders: all open, none is refused, and the first question shows."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import pytest
from tests.app.places import Served, new_id, path_source, served
from tests.generated import packed, raw_of_a_camera, several_pages, telephone
from tests.items.drawer_folders import DRAWER, photo, photos, put

from likewise.encoders import _pictures
from likewise.errors import InputError
from likewise.exports import export_chunks, write_folders
from likewise.exports._rows import rows_of, traces_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pile"
    made.mkdir()
    return made


@pytest.fixture
def without_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be installed that reads other forms."""
    monkeypatch.setattr(_pictures, "find_spec", lambda _: None)
    monkeypatch.setattr(_pictures, "_formats", lambda: _pictures.FORMATS)


def contents(folder: Path, but: Container[str] = ()) -> list[bytes]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return sorted(file.read_bytes() for file in files if file.name not in but)


@pytest.mark.parametrize("name", DRAWER)
def test_every_folder_opens_and_the_first_question_shows(
    name: str, folder: Path, tmp_path: Path
) -> None:
    expected = DRAWER[name](folder)
    encoder = "tfidf" if name == "of texts" else "hog+colour"
    source = path_source(folder, tmp_path / "v", encoder=encoder)

    here = served(tmp_path, source).prepared()
    browser = here.seat()
    state = browser.get("/api/state").json()
    page = browser.get("/").text

    items = here.project.items()
    assert {item.key for item in items} == expected.keys
    assert {i.key: i.copies for i in items if i.copies} == expected.copies
    broken = here.preparation.broken
    assert {one.key for one in broken} == expected.broken
    assert all(one.reason.endswith(".") for one in broken)
    assert here.preparation.left_out == expected.left_out
    assert all(sentence in page for sentence in expected.left_out)
    assert state["status"] == "asking"
    for side in ("sample", "against"):
        card = state["question"][side]
        assert card["text"] or browser.get(card["thumb"]).status_code == 200


@pytest.mark.parametrize("name", ["of scans", "with copies"])
def test_every_file_of_a_folder_comes_out_of_it(
    name: str, folder: Path, tmp_path: Path
) -> None:
    expected = DRAWER[name](folder)
    source = path_source(folder, tmp_path / "v", encoder="hog+colour")
    here = served(tmp_path, source).prepared()

    rows = list(rows_of(here.session, traces_of(here.project)))
    written = write_folders(rows, folder, tmp_path / "sorted")
    table = b"".join(export_chunks("csv", here.project, here.session)).decode()

    copies = [key for some in expected.copies.values() for key in some]
    assert {row.key for row in rows} == {*expected.keys, *copies}
    assert all(key in table for key in copies)
    assert not written.missing
    out, there = contents(tmp_path / "sorted"), contents(folder, expected.broken)
    assert set(out) == set(there)
    assert len(out) >= len(there)  # a file of pages goes to each of their groups


@pytest.fixture
def twins(folder: Path, tmp_path: Path) -> Served:
    """A folder in which one picture was saved three times."""
    DRAWER["with copies"](folder)
    source = path_source(folder, tmp_path / "v", encoder="hog+colour")
    return served(tmp_path, source).prepared()


def test_pictures_that_look_the_same_are_offered_as_one(twins: Served) -> None:
    browser = twins.seat()
    offer = browser.get("/api/alike").json()
    titles = [{card["title"] for card in pair} for pair in offer["shown"]]

    body = {"pairs": offer["pairs"], "client_id": new_id()}
    reply = browser.post("/api/alike", json=body)

    assert titles == [{"1.jpg", "again.jpg"}, {"1.jpg", "brighter.png"}]
    assert reply.json()["saved"] == "Saved: 2 taken as one with another"
    assert [len(group.samples) for group in twins.session.groups] == [3]
    assert twins.session.n_questions == 0
    assert browser.get("/api/alike").json()["pairs"] == []
    browser.post("/api/undo", json={"client_id": new_id()})
    assert browser.get("/api/alike").json() == offer


def test_the_page_of_groups_offers_them_until_that_is_declined(twins: Served) -> None:
    browser = twins.seat()
    words = "2 pictures look almost identical to another one."

    assert words in browser.get("/groups").text
    browser.post("/api/settings", json={"alike": False})
    assert words not in browser.get("/groups").text
    assert words not in twins.restarted().seat().get("/groups").text


def test_looks_are_kept_with_the_project(twins: Served) -> None:
    before = twins.preparation.alike

    again = twins.restarted()

    assert len(before) == 2
    assert again.preparation.alike == before


def test_answers_go_before_looks(twins: Served) -> None:
    ((later, first), _) = twins.preparation.alike
    twins.elsewhere("bob").tell_pair(later, first, "different")

    offer = twins.seat().get("/api/alike").json()

    assert [later, first] not in offer["pairs"]
    assert len(offer["pairs"]) == 1


@pytest.mark.usefixtures("without_formats")
def test_what_needs_an_extra_is_counted_by_kind(folder: Path, tmp_path: Path) -> None:
    put(folder, photos(4))
    put(folder, {f"{at}.heic": telephone(photo(at)) for at in range(12)})
    put(folder, {f"{at}.pdf": several_pages([photo(at)]) for at in range(3)})
    put(folder, {"a.dng": raw_of_a_camera(), "b.avif": packed(photo(9), "AVIF")})
    source = path_source(folder, tmp_path / "v", encoder="hog+colour")

    here = served(tmp_path, source).prepared()

    said = "12 HEIC, 3 PDF, 1 RAW, 1 AVIF: install likewise[formats] to read them."
    assert here.preparation.left_out == (said,)
    assert said in here.seat().get("/").text


@pytest.mark.usefixtures("without_formats")
def test_a_folder_of_such_files_only_ends_with_the_extra(
    folder: Path, tmp_path: Path
) -> None:
    put(folder, {f"{at}.heic": telephone(photo(at)) for at in range(2)})
    source = path_source(folder, tmp_path / "v", encoder="hog+colour")

    with pytest.raises(InputError, match=r"holds 2 HEIC files, .*likewise\[formats\]"):
        served(tmp_path, source).prepared()

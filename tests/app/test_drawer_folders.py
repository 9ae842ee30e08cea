"""A drawer of ugly folders: all open, none is refused, and the first question shows."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import pytest
from tests.app.places import path_source, served
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

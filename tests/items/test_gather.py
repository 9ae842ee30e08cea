"""What lies behind a path is found, and nothing outside of it is touched."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from tests.generated import noise, packed

from likewise.errors import InputError, UnreadableFileError
from likewise.items import Reading, file_inside, gather
from likewise.items._gather import MAX_BYTES


def put(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def keys(path: Path) -> list[str]:
    return [item.key for item in gather(path).items]


def test_pictures_are_found_in_subfolders_in_natural_order(tmp_path: Path) -> None:
    picture = packed(noise())
    names = ["b/10.png", "b/9.png", "B/1.png", "a2.PNG", "a10.png"]
    put(tmp_path, dict.fromkeys(names, picture))

    assert keys(tmp_path) == ["a2.PNG", "a10.png", "B/1.png", "b/9.png", "b/10.png"]


def test_a_picture_has_its_digest_and_a_card(tmp_path: Path) -> None:
    picture = packed(noise())
    put(tmp_path, {"in/cat.png": picture})

    (item,) = gather(tmp_path).items

    assert item.kind == "image"
    assert item.digest == hashlib.sha256(picture).hexdigest()
    assert item.shown["name"] == "cat.png"
    assert item.shown["size"].endswith("kB")


def test_hidden_files_and_folders_are_passed_over(tmp_path: Path) -> None:
    picture = packed(noise())
    put(tmp_path, {".a.png": picture, ".cache/b.png": picture, "c.png": picture})

    assert keys(tmp_path) == ["c.png"]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_a_picture_without_a_suffix_is_known_by_its_content(
    kind: str, tmp_path: Path
) -> None:
    put(tmp_path, {"picture": packed(noise(), kind)})

    assert gather(tmp_path).kind == "image"


@pytest.mark.parametrize("name", ["a.png", "z.png", "m"])
def test_pictures_win_over_texts_wherever_they_stand(name: str, tmp_path: Path) -> None:
    put(tmp_path, {name: packed(noise()), "b.txt": b"b", "n.txt": b"\xff", "d": b"d"})

    found = gather(tmp_path)

    assert found.kind == "image"
    assert [item.key for item in found.items] == [name]
    assert found.broken == ()


def test_texts_are_shown_whole(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": "\ufeffgrüne Äpfel\n".encode(), "b.csv": b"1"})

    (item,) = gather(tmp_path).items

    assert (item.kind, item.shown["text"]) == ("text", "grüne Äpfel")


def test_texts_that_cannot_be_read_are_listed(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": b"good", "b.txt": b"\xff\xfe\x00", "c.txt": b" \n"})

    found = gather(tmp_path)

    assert [item.key for item in found.items] == ["a.txt"]
    assert [one.key for one in found.broken] == ["b.txt", "c.txt"]
    assert "is not UTF-8 text" in found.broken[0].reason


def test_links_that_leave_the_folder_are_refused(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside", {"secret.png": packed(noise())})
    inside = put(tmp_path / "inside", {"a.png": packed(noise())})
    (inside / "link.png").symlink_to(outside / "secret.png")
    (inside / "folder").symlink_to(outside)
    (inside / "again.png").symlink_to(inside / "a.png")

    found = gather(inside)

    assert [item.key for item in found.items] == ["a.png", "again.png"]
    assert {one.key for one in found.broken} == {"folder", "link.png"}
    assert all("leads out of the folder" in one.reason for one in found.broken)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    put(tmp_path, {"a.png": packed(noise())})
    os.mkfifo(tmp_path / "b.png")

    (one,) = gather(tmp_path).broken

    assert one.reason == "b.png is no ordinary file: leave it out."


def test_a_name_that_is_not_utf_8_is_listed(tmp_path: Path) -> None:
    put(tmp_path, {"a.png": packed(noise())})
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.png")).write_bytes(b"x")

    (one,) = gather(tmp_path).broken

    assert one.key == "?.png"
    assert "rename it" in one.reason


def test_an_enormous_picture_is_listed_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MAX_BYTES, "image", 10_000)
    put(tmp_path, {"a.png": packed(noise()), "b.png": bytes(20_000)})

    (one,) = gather(tmp_path).broken

    assert one.reason.startswith("b.png has 20 kB, more than the 10 kB")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, r"holds no pictures and no \.txt files: name another"),
        ({"a.doc": b"", "b.doc": b""}, r"files \(but 2 \.doc\): name another"),
        ({"a.txt": b""}, r"None of the 1 texts .* a\.txt is empty"),
    ],
)
def test_a_folder_without_anything_to_sort_is_named(
    files: dict[str, bytes], words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=words):
        gather(put(tmp_path, files))


def test_gathering_writes_nothing(tmp_path: Path) -> None:
    put(tmp_path, {"a.png": packed(noise()), "b/c.png": packed(noise())})
    before = sorted(tmp_path.rglob("*"))

    gather(tmp_path)

    assert sorted(tmp_path.rglob("*")) == before


def test_lines_of_a_text_file_are_items(tmp_path: Path) -> None:
    put(tmp_path, {"lines.txt": b"red\n\n blue \n"})

    found = gather(tmp_path / "lines.txt")

    assert [(item.key, item.shown["text"]) for item in found.items] == [
        ("1", "red"),
        ("2", "blue"),
    ]


@pytest.mark.parametrize(
    ("content", "words"), [(b" \n", "is empty"), (b"\xff\xfe\x00", "is not UTF-8")]
)
def test_a_text_file_of_no_use_is_named(
    content: bytes, words: str, tmp_path: Path
) -> None:
    put(tmp_path, {"lines.txt": content})

    with pytest.raises(InputError, match=words):
        gather(tmp_path / "lines.txt")


def test_a_table_keeps_its_columns(tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": b"a,b,kind\n1,2,x\n3,5,y\n"})

    found = gather(tmp_path / "t.csv", Reading(label="kind"))

    assert found.kind == "row"
    assert found.items[1].shown == {"a": "3", "b": "5"}
    assert found.rows is not None
    assert found.rows.shape == (2, 2)


def test_the_digest_of_a_row_does_not_depend_on_the_others(tmp_path: Path) -> None:
    put(tmp_path, {"s.csv": b"a\n1\n3\n", "t.csv": b"a\n1\n3\n7\n"})

    small, large = (gather(tmp_path / name).items for name in ("s.csv", "t.csv"))

    assert [i.digest for i in small] == [i.digest for i in large][:2]


def test_rows_of_an_array_are_told_apart_by_all_their_numbers(tmp_path: Path) -> None:
    X = np.zeros((2, 20))
    X[1, 19] = 1e-9
    np.save(tmp_path / "x.npy", X)

    one, two = gather(tmp_path / "x.npy").items

    assert one.digest != two.digest


@pytest.mark.parametrize("key", ["../secret", "/etc/passwd", "a\0b", "gone.png", "."])
def test_a_key_never_leads_out_of_its_folder(key: str, tmp_path: Path) -> None:
    put(tmp_path, {"secret": b"x", "root/a.png": b"x"})

    with pytest.raises(UnreadableFileError):
        file_inside(tmp_path / "root", key)

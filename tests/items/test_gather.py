"""What lies behind a path is found, and nothing outside of it is touched."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from tests.generated import bomb, noise, packed
from tests.items.damaged import is_a_sentence

from likewise.encoders import encoder_for
from likewise.errors import InputError, UnreadableFileError
from likewise.items import Reading, encode, file_inside, gather
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
    assert "holds a NUL" in found.broken[0].reason


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
    ("content", "words"), [(b" \n", "is empty"), (b"\xff\xfe\x00", "holds a NUL")]
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


# Folders as they are found


def test_folders_however_deep_are_looked_into(tmp_path: Path) -> None:
    put(tmp_path, {"a.png": packed(noise())})
    deep = [tmp_path / ("d/" * depth) for depth in range(1, 1201)]
    for folder in deep:
        folder.mkdir()
    (deep[-1] / "b.png").write_bytes(packed(noise()))

    try:
        found = gather(tmp_path)
    finally:  # who removes folders by a call for each would not get to the last
        (deep[-1] / "b.png").unlink()
        for folder in reversed(deep):
            folder.rmdir()

    assert [item.key for item in found.items] == ["a.png", "d/" * 1200 + "b.png"]


def test_a_path_that_is_too_long_is_named_and_the_others_are_there(
    tmp_path: Path,
) -> None:
    put(tmp_path, {"a.png": packed(noise())})
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(20):
            os.mkdir("n" * 240, dir_fd=here)
            inside = os.open("n" * 240, os.O_RDONLY, dir_fd=here)
            at = os.open("b.png", os.O_CREAT | os.O_WRONLY, dir_fd=inside)
            os.write(at, packed(noise()))
            os.close(at)
            os.close(here)
            here = inside
    finally:
        os.close(here)

    found = gather(tmp_path)

    assert 10 < len(found.items) < 21
    assert found.broken
    assert all(is_a_sentence(one.reason) for one in found.broken)
    assert all(len(one.reason) < 400 for one in found.broken)
    assert "too deep" in found.broken[0].reason or "too long" in found.broken[0].reason


UNREADABLE = """
import os, sys
from likewise.items import gather
os.setgid(65534), os.setuid(65534)
found = gather(sys.argv[1])
print([item.key for item in found.items])
for one in found.broken:
    print(one.key, one.reason, sep=": ")
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_what_may_not_be_read_is_named_and_the_others_are_there() -> None:
    with TemporaryDirectory(prefix="likewise-") as folder:
        root = put(Path(folder), {"a.png": packed(noise()), "b.png": packed(noise())})
        put(root, {"closed/c.png": packed(noise())})
        root.chmod(0o755)
        (root / "b.png").chmod(0)
        (root / "closed").chmod(0)

        words = [sys.executable, "-c", UNREADABLE, folder]
        done = subprocess.run(words, capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        "['a.png']",
        "closed: closed cannot be looked into (Permission denied), so nothing in it is "
        "there: allow reading.",
        "b.png: b.png cannot be read (Permission denied): check that it is there and "
        "yours.",
    ]


def test_what_is_no_file_is_named_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"a.png": packed(noise())})
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "circle.png").symlink_to("circle.png")
    (tmp_path / "nowhere.png").symlink_to("gone.png")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("socket.png")
        found = gather(tmp_path)

    assert [item.key for item in found.items] == ["a.png"]
    assert {one.key: one.reason.partition(": ")[0] for one in found.broken} == {
        "circle.png": "circle.png is a link that leads in a circle",
        "nowhere.png": "nowhere.png is not there any more",
        "pipe.png": "pipe.png is no ordinary file",
        "socket.png": "socket.png is no ordinary file",
    }


def test_names_that_move_a_cursor_are_shown_without(tmp_path: Path) -> None:
    put(tmp_path, {"a.png": packed(noise()), "b\n\x1b[2J.png": b"x"})

    (one,) = encode(
        tmp_path, lambda kind: encoder_for(kind, "hog+colour")
    ).gathered.broken

    assert one.key == "b??[2J.png"
    assert is_a_sentence(one.reason)


def test_names_that_differ_in_case_only_are_two(tmp_path: Path) -> None:
    put(tmp_path, {"A.png": packed(noise()), "a.png": packed(noise())})

    assert keys(tmp_path) == ["A.png", "a.png"]


def test_one_bad_picture_does_not_keep_the_others(tmp_path: Path) -> None:
    good = packed(noise())
    other = packed(noise(seed=4))
    put(tmp_path, {"1.png": good, "2.png": bomb(), "3.png": good[:-99], "4.png": other})

    found = encode(tmp_path, lambda kind: encoder_for(kind, "hog+colour"))

    assert [item.key for item in found.gathered.items] == ["1.png", "4.png"]
    assert [one.key for one in found.gathered.broken] == ["2.png", "3.png"]
    assert found.X.shape[0] == 2

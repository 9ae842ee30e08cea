"""Pictures that are as they were are not read again, and those that are not are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.generated import noise, packed

from likewise.items import _seen, gather
from likewise.items._seen import Seen
from likewise.storage import FileCache, Item


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four pictures and what is none."""
    root = tmp_path / "pictures"
    (root / "inside").mkdir(parents=True)
    for name in ("1.png", "2.png", "10.png", "inside/3.png"):
        (root / name).write_bytes(packed(noise(seed=len(name))))
    (root / "notes.txt").write_text("no picture")
    (root / "cut.png").write_bytes(b"")
    (root / "linked.png").symlink_to(root / "1.png")
    return root


@pytest.fixture
def cache(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "kept")


@pytest.fixture
def at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_seen, "AT_REST", -(10**18))


def read(folder: Path, cache: FileCache) -> list[Item]:
    return list(gather(folder, seen=Seen(cache, folder)).items)


def known(folder: Path, cache: FileCache) -> set[str]:
    """Return the files that would not be read."""
    seen = Seen(cache, folder)
    keys = [str(path.relative_to(folder)) for path in folder.rglob("*")]
    return {key for key in keys if seen.digest(key, seen.mark(key)) is not None}


@pytest.mark.usefixtures("at_rest")
def test_what_is_found_is_the_same(folder: Path, cache: FileCache) -> None:
    plain = gather(folder)
    for _ in range(2):
        found = gather(folder, seen=Seen(cache, folder))
        assert found == plain
    assert known(folder, cache) == {
        "1.png",
        "2.png",
        "10.png",
        "cut.png",
        "inside/3.png",
    }


@pytest.mark.usefixtures("at_rest")
def test_a_picture_that_was_changed_in_its_place_is_read(
    folder: Path, cache: FileCache
) -> None:
    before = read(folder, cache)
    picture = folder / "2.png"
    told, content = picture.stat(), bytearray(picture.read_bytes())
    content[-1] ^= 1  # of the same size
    picture.write_bytes(content)
    os.utime(picture, ns=(told.st_atime_ns, told.st_mtime_ns))

    assert "2.png" not in known(folder, cache)
    after = {item.key: item.digest for item in read(folder, cache)}
    changed = {item.key for item in before if after[item.key] != item.digest}
    assert changed == {"2.png"}


@pytest.mark.usefixtures("at_rest")
def test_a_picture_that_took_the_place_of_another_is_read(
    folder: Path, cache: FileCache
) -> None:
    read(folder, cache)
    (folder / "1.png").rename(folder / "2.png")

    assert known(folder, cache).isdisjoint({"1.png", "2.png"})
    assert list(gather(folder).items) == read(folder, cache)


def test_what_was_only_just_written_is_read_again(
    folder: Path, cache: FileCache
) -> None:
    read(folder, cache)

    assert known(folder, cache) == set()


@pytest.mark.usefixtures("at_rest")
def test_the_content_is_there_for_whoever_wants_it(
    folder: Path, cache: FileCache
) -> None:
    read(folder, cache)
    held: dict[str, bytes] = {}

    def visit(item: Item, content: object) -> None:
        held[item.key] = content()  # type: ignore[operator]

    gather(folder, visit=visit, seen=Seen(cache, folder))
    assert held["2.png"] == (folder / "2.png").read_bytes()


@pytest.mark.usefixtures("at_rest")
def test_another_folder_knows_nothing_of_it(
    folder: Path, cache: FileCache, tmp_path: Path
) -> None:
    read(folder, cache)
    folder.rename(tmp_path / "elsewhere")

    assert known(tmp_path / "elsewhere", cache) == set()

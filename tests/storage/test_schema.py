"""A copy of the file a day, and no more than five."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from likewise.errors import StorageError
from likewise.knowledge import Renamed
from likewise.storage import open_store
from likewise.storage.sql import daily_copy
from likewise.storage.sql._schema import back_up

DAY = 86_400.0
NOW = 1_785_000_000.0  # 25 July 2026


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "leaves [1].db"
    store = open_store(path)
    store.create("leaves", {}, now=0.0).act(Renamed(1, "oak"), who="ann", now=0.0)
    store.close()
    return path


def copies(file: Path) -> list[str]:
    return sorted(path.name for path in file.parent.iterdir() if path != file)


def test_a_copy_holds_every_act(file: Path) -> None:
    copy = daily_copy(file, NOW)

    assert copy is not None
    assert copies(file) == [copy.name] == ["leaves [1].copy-2026-07-25.db"]
    store = open_store(copy)
    assert [act.event for act in store.project("leaves").acts()] == [Renamed(1, "oak")]
    store.close()


def test_a_copy_holds_what_is_still_in_the_log(file: Path) -> None:
    store = open_store(file)
    store.project("leaves").act(Renamed(1, "elm"), who="ann", now=0.0)

    copy = daily_copy(file, NOW)

    store.close()
    assert copy is not None
    store = open_store(copy)
    assert len(store.project("leaves").acts()) == 2
    store.close()


def test_there_is_one_copy_a_day(file: Path) -> None:
    assert daily_copy(file, NOW) is not None
    assert daily_copy(file, NOW + 60) is None
    assert daily_copy(file, NOW + DAY) is not None


def test_the_five_latest_are_kept_and_other_copies_left_alone(file: Path) -> None:
    back_up(file, "0001")
    for day in range(8):
        daily_copy(file, NOW + day * DAY)

    days = [f"leaves [1].copy-2026-07-{day}.db" for day in range(28, 32)]
    assert copies(file) == [
        "leaves [1].backup-0001.db",
        *days,
        "leaves [1].copy-2026-08-01.db",
    ]


def test_what_a_killed_one_has_left_is_cleared_away(file: Path) -> None:
    left = file.with_suffix(".copy-2026-07-20.123.unfinished")
    left.write_bytes(b"half")

    daily_copy(file, NOW)

    assert copies(file) == ["leaves [1].copy-2026-07-25.db"]


def test_a_disk_with_little_room_gets_no_copy(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(file.parent)._replace(free=4 * file.stat().st_size)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)

    assert daily_copy(file, NOW) is None


def test_a_copy_that_cannot_be_made_is_told(file: Path) -> None:
    file.write_text("no database " * 1000)

    with pytest.raises(StorageError, match=r"cannot be written \(file is not a"):
        daily_copy(file, NOW)


def test_a_copy_is_a_file_that_sqlite_finds_whole(file: Path) -> None:
    copy = daily_copy(file, NOW)

    assert copy is not None
    with sqlite3.connect(copy) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()

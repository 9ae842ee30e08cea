"""What was saved is known beside the database, and copies of it are there."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.stores import postgresql_url

from likewise.errors import StorageError
from likewise.knowledge import Renamed
from likewise.storage import Store, open_store
from likewise.storage.sql import as_it_is, daily_copy, restore
from likewise.storage.sql._beside import Saved, Tally, back_up, tally_of

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
    names = sorted(path.name for path in file.parent.iterdir() if path != file)
    return [name for name in names if name != f"{file.name}-acts"]


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


def test_a_copy_of_today_that_is_behind_is_renewed(file: Path) -> None:
    daily_copy(file, NOW)
    act(file, 3)

    copy = daily_copy(file, NOW + 60)

    assert copy is not None
    assert n_acts(copy) == 4
    assert daily_copy(file, NOW + 120) is None


# Nothing starts at zero in silence


def act(file: Path, n: int = 1) -> None:
    """Act, and close the file, so that all of it is in one place."""
    with closing(open_store(file)) as store:
        for _ in range(n):
            rename(store)


def rename(store: Store) -> None:
    store.project("leaves").act(Renamed(1, "elm"), who="ann", now=1.0)


def n_acts(file: Path) -> int:
    with closing(open_store(file)) as store:
        return store.project("leaves").info().n_acts


def killed_after(file: Path, n: int) -> None:
    """Act, and leave what a process leaves that is killed before it closes the file."""
    with closing(open_store(file)) as store:
        for _ in range(n):
            rename(store)
        left = {path: path.read_bytes() for path in (file, wal(file))}
    for path, content in left.items():
        path.write_bytes(content)


def wal(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def test_answers_of_a_killed_process_are_all_there(file: Path) -> None:
    killed_after(file, 3)

    assert n_acts(file) == 4


def test_a_removed_log_is_told_with_how_many_answers_are_missing(file: Path) -> None:
    killed_after(file, 3)
    kept = wal(file).read_bytes()
    wal(file).unlink()

    for _ in range(2):
        with pytest.raises(StorageError, match="lacks 3 of the 4 answers saved in it"):
            open_store(file)

    wal(file).write_bytes(kept)
    assert n_acts(file) == 4


@pytest.mark.parametrize("what", ["nothing", "no bytes", "no tables", "no acts"])
def test_an_emptied_file_is_told_and_nothing_is_made(file: Path, what: str) -> None:
    act(file, 2)
    there = file.rename(file.with_name("elsewhere"))
    if what == "no bytes":
        file.touch()
    elif what == "no tables":
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("VACUUM")
    elif what == "no acts":
        with closing(open_store(file.with_name("new.db"))) as store:
            store.create("leaves", {}, now=5.0)
        file.with_name("new.db").rename(file)
    before = file.stat().st_size if file.exists() else None

    with pytest.raises(StorageError, match=r"but 3 answers were saved in it: put it"):
        open_store(file)

    assert (file.stat().st_size if file.exists() else None) == before
    there.replace(file)
    assert n_acts(file) == 3


def test_the_log_of_an_emptied_file_stays(file: Path) -> None:
    killed_after(file, 3)
    kept, content = wal(file).read_bytes(), file.read_bytes()
    file.write_bytes(b"")

    with pytest.raises(StorageError, match="is empty now, but 4 answers"):
        open_store(file)

    assert wal(file).read_bytes() == kept
    file.write_bytes(content)
    assert n_acts(file) == 4


def test_an_exchanged_file_is_told(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(open_store(other)) as store:
        store.create("leaves", {}, now=7.0).act(Renamed(1, "a"), who="ann", now=1.0)
    shutil.copy(other, file)

    with pytest.raises(StorageError, match="is another database now, but 1 answers"):
        open_store(file)


def test_an_earlier_state_is_told(file: Path) -> None:
    earlier = file.read_bytes()
    act(file, 2)
    file.write_bytes(earlier)

    with pytest.raises(StorageError, match="lacks 2 of the 3 answers saved in it"):
        open_store(file)


def test_a_branch_of_the_same_project_is_told(file: Path, tmp_path: Path) -> None:
    branch = tmp_path / "branch.db"
    shutil.copy(file, branch)
    with closing(open_store(branch)) as store:
        store.project("leaves").act(Renamed(1, "ash"), who="bob", now=9.0)
    act(file)
    shutil.copy(branch, file)

    with pytest.raises(StorageError, match="holds other answers than those"):
        open_store(file)


def test_the_copy_that_holds_most_is_offered_and_taken(file: Path) -> None:
    act(file, 4)
    daily_copy(file, NOW - DAY)
    act(file, 5)
    daily_copy(file, NOW)
    act(file, 2)
    file.write_bytes(b"")

    with pytest.raises(StorageError, match=r"copy-2026-07-25.db with 10 answers by"):
        open_store(file)
    copy, aside = restore(file)

    assert copy.name == "leaves [1].copy-2026-07-25.db"
    assert aside is not None
    assert aside.name == "leaves [1].replaced.db"
    assert n_acts(file) == 10
    act(file)


def test_what_a_copy_replaces_is_kept_with_its_log(file: Path) -> None:
    act(file, 4)
    copy = daily_copy(file, NOW)
    killed_after(file, 2)

    _, aside = restore(file, copy)

    assert aside is not None
    assert n_acts(file) == 5
    assert n_acts(aside) == 7


def test_a_whole_file_is_not_replaced_unasked(file: Path) -> None:
    daily_copy(file, NOW)

    with pytest.raises(StorageError, match="holds all that was saved in it"):
        restore(file)


def test_a_copy_that_holds_no_more_is_not_taken(file: Path) -> None:
    daily_copy(file, NOW)
    act(file)
    killed_after(file, 3)
    wal(file).unlink()

    with pytest.raises(StorageError, match=r"holds more than it does \(2 of 5"):
        restore(file)


def test_what_is_there_may_be_taken_as_it_is(file: Path) -> None:
    killed_after(file, 3)
    wal(file).unlink()

    as_it_is(str(file))

    assert n_acts(file) == 1
    act(file)
    assert n_acts(file) == 2


def test_a_file_of_an_earlier_version_gains_what_it_lacks(file: Path) -> None:
    tally_of(file).forget()
    act(file, 0)
    file.write_bytes(b"")

    with pytest.raises(StorageError, match="but 1 answers were saved in it"):
        open_store(file)


def test_a_postgresql_that_was_set_back_is_told(tmp_path: Path) -> None:
    url = postgresql_url()
    with closing(open_store(url, tmp_path)) as store:
        store.create("leaves", {}, now=0.0)
        for _ in range(3):
            rename(store)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DELETE FROM event WHERE number > 0")

    with pytest.raises(StorageError, match="holds 1 of the 3 answers that were saved"):
        open_store(url, tmp_path)
    as_it_is(url, tmp_path)
    open_store(url, tmp_path).close()


def test_databases_of_postgresql_are_told_apart(tmp_path: Path) -> None:
    for _ in range(2):
        with closing(open_store(postgresql_url(), tmp_path)) as store:
            store.create("leaves", {}, now=0.0)
            rename(store)

    assert len(list(tmp_path.glob("*-acts"))) == 2


# The number beside the database


def test_the_number_only_grows_whoever_writes(tmp_path: Path) -> None:
    path = tmp_path / "acts"

    def count(project: int) -> None:
        for n in range(1, 60):
            Tally(path).note([Saved(f"{project % 3:032}", n, f"{n:016}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(8)))

    assert sorted(Tally(path).read()) == [
        Saved(f"{project:032}", 59, f"{59:016}") for project in range(3)
    ]


def test_lines_that_cannot_be_read_count_for_nothing(file: Path) -> None:
    tally = tally_of(file)
    tally.path.write_bytes(b"\xff" * 100 + b"\n")

    act(file)

    assert [saved.n_acts for saved in tally.read()] == [2]


def test_an_act_is_taken_where_its_number_cannot_be_written(file: Path) -> None:
    tally = tally_of(file)
    tally.forget()
    tally.path.mkdir()

    act(file)

    assert n_acts(file) == 2


def test_a_database_and_all_beside_it_are_for_their_owner(file: Path) -> None:
    before = os.umask(0o022)
    try:
        with closing(open_store(file.with_name("new.db"))) as store:
            store.create("leaves", {}, now=0.0)
            rename(store)
            daily_copy(file.with_name("new.db"), NOW)
            made = list(file.parent.glob("new.*"))
            modes = [stat.S_IMODE(path.stat().st_mode) for path in made]
    finally:
        os.umask(before)

    # With its log, the index of that, its number and its copy.
    assert modes == [0o600] * 5

"""Databases that cannot be used say why, and go on when they can."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.troubles import Postgres, postgres

from likewise.errors import LikewiseError, StorageError
from likewise.knowledge import Renamed
from likewise.storage import Item, Project, open_store
from likewise.storage.sql import SqlStore, url_of
from likewise.storage.sql._engines import Database
from likewise.storage.sql._store import SqlProject

MANY = "oak " * 10_000


def rename(project: Project, name: str = "oak") -> int:
    return project.act(Renamed(1, name), who="ann", now=0.0).number


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "leaves.db"


@pytest.fixture
def project(file: Path) -> Iterator[SqlProject]:
    store = SqlStore(url_of(str(file)))
    yield store.create("leaves", {}, now=0.0)
    store.close()


def pragma(project: SqlProject, words: str) -> None:
    """Set something on the one connection there is."""
    with project._database.read() as connection:
        connection.exec_driver_sql(f"PRAGMA {words}")


# SQLite


def test_a_full_disk_is_told_and_gone_on_with(project: SqlProject, file: Path) -> None:
    pragma(project, "max_page_count=1")

    full = rf"{file} cannot be used \(database or disk is full\): make room on its disk"
    with pytest.raises(StorageError, match=full):
        rename(project, MANY)

    pragma(project, "max_page_count=1000000")
    assert rename(project, MANY) == 0


def test_a_connection_that_may_only_read_is_not_used_again(
    project: SqlProject,
) -> None:
    pragma(project, "query_only=ON")

    with pytest.raises(StorageError, match=r"readonly.*allow writing to its file"):
        rename(project)

    assert rename(project) == 0


def test_connections_that_may_write_stay_when_one_may_only_read(
    project: SqlProject,
) -> None:
    engine = project._database.engine
    with engine.connect() as first, engine.connect() as second:
        writes = first.connection.driver_connection
        second.exec_driver_sql("PRAGMA query_only=ON")
        with pytest.raises(StorageError), project._database._named_errors():
            second.exec_driver_sql("CREATE TABLE photo (id INTEGER)")

    with engine.connect() as first, engine.connect() as second:
        assert writes in [one.connection.driver_connection for one in (first, second)]


@pytest.mark.parametrize("replaced", [False, True])
def test_nothing_is_written_into_a_file_that_was_moved(
    project: SqlProject, file: Path, tmp_path: Path, replaced: bool
) -> None:
    moved = file.rename(tmp_path / "moved.db")
    if replaced:
        file.touch()

    with pytest.raises(StorageError, match=r"was moved, deleted or replaced"):
        rename(project)

    moved.replace(file)
    assert rename(project) == 0


@pytest.mark.parametrize("what", ["file", "log", "content"])
def test_what_is_deleted_under_a_store_is_told_and_not_begun_anew(
    project: SqlProject, file: Path, what: str
) -> None:
    rename(project)
    if what == "content":
        os.truncate(file, 0)
    else:
        (file if what == "file" else file.with_name(f"{file.name}-wal")).unlink()

    for use in (project.info, lambda: rename(project), lambda: project.latest(0)):
        with pytest.raises(StorageError, match=r"was moved, deleted or replaced"):
            use()

    assert file.exists() == (what != "file")


def test_a_damaged_file_is_told_with_where_the_copies_are(file: Path) -> None:
    store = open_store(file)
    rename(store.create("leaves", {}, now=0.0))
    store.close()
    with file.open("r+b") as raw:
        raw.seek(4096)
        raw.write(b"\xff" * 4096 * 10)

    with pytest.raises(StorageError, match="look beside it for a copy"):
        open_store(file).projects()


def test_a_busy_file_is_told(project: SqlProject, file: Path) -> None:
    pragma(project, "busy_timeout=0")

    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match=r"locked\): close other programs"):
            rename(project)


# PostgreSQL


@pytest.fixture
def server() -> Postgres:
    return postgres()


def test_a_server_that_went_away_is_told_and_reached_again(server: Postgres) -> None:
    store = open_store(server.new_url())
    project = store.create("leaves", {}, now=0.0)
    rename(project)

    with server.away():
        for _ in range(2):
            with pytest.raises(StorageError, match=r"runs and can be reached") as told:
                rename(project)
        assert "psycopg" not in str(told.value)

    assert rename(project) == 1
    store.close()


def test_a_server_that_may_only_be_read_is_told(server: Postgres) -> None:
    store = open_store(server.new_url())
    project = store.create("leaves", {}, now=0.0)
    assert isinstance(project, SqlProject)
    shut = "SET default_transaction_read_only = on"
    with project._database.write() as connection:
        connection.exec_driver_sql(shut)

    with pytest.raises(StorageError, match="server that may be written to"):
        rename(project)

    assert rename(project) == 0
    store.close()


def test_a_caller_may_set_its_own_patience(server: Postgres) -> None:
    database = Database(url_of(f"{server.new_url()}&connect_timeout=3"))

    with database.read() as connection:
        driver: Any = connection.connection.driver_connection
        parameters = driver.info.get_parameters()

    assert parameters["connect_timeout"] == "3"
    assert parameters["keepalives_idle"] == "15"
    database.engine.dispose()


def test_a_garbled_file_is_one_sentence_wherever_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "leaves.db"
    with closing(open_store(file)) as store:
        project = store.create("leaves", {"checks": 3}, now=0.0)
        rows = [Item(f"{n}.png", "image", f"{n:064}", {}) for n in range(300)]
        project.add_items(rows)
        for number in range(40):
            project.act(Renamed(number, "oak"), who="ann", now=1.0)
    content = file.read_bytes()
    refused = []
    for seed in range(60):
        rng = random.Random(seed)
        at = rng.randrange(len(content))
        file.write_bytes(content[:at] + rng.randbytes(4096) + content[at + 4096 :])
        try:
            with closing(open_store(file)) as store:
                project = store.project("leaves")
                list(project.traces())
                assert project.acts()
                assert project.items()
                assert project.info().name == "leaves"
        except LikewiseError as error:
            refused.append(str(error))

    assert refused
    assert all(words.endswith(".") for words in refused)

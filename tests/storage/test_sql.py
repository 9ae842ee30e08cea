"""Databases: what is on disk stays, and older and newer ones are met with care."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from tests.stores import postgresql_url

from likewise import Answer, InputError, MissingExtraError, Question, Verdict
from likewise.errors import SchemaError, StorageError
from likewise.knowledge import Renamed, Sheet, Told
from likewise.storage import Invite, Item, OpenQuestion, Team, open_store
from likewise.storage.sql import SqlStore, url_of
from likewise.storage.sql._beside import back_up
from likewise.storage.sql._engines import Database
from likewise.storage.sql._schema import (
    METADATA,
    MIGRATIONS,
    VERSION_TABLE,
    upgrade,
)

VERSION_1 = Path(__file__).with_name("version_1.sql")
VERSION_2 = Path(__file__).with_name("version_2.sql")
VERSION_3 = Path(__file__).with_name("version_3.sql")
CHILDREN = Path(__file__).with_name("children.py")

STEP_5 = """
import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

def upgrade():
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    recreate = "always" if is_sqlite else "never"  # as most changes need there
    with op.batch_alter_table("event", recreate=recreate) as event:
        event.add_column(sa.Column("note", sa.Text))
    {more}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "leaves.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, file: Path) -> Iterator[Database]:
    url = str(file) if request.param == "sqlite" else postgresql_url()
    database = Database(url_of(url))
    yield database
    database.engine.dispose()


@pytest.fixture
def old_file(file: Path) -> Path:
    """Return a file as version 1 wrote it."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(VERSION_1.read_text(encoding="utf-8"))
    return file


@pytest.fixture
def with_step_5(tmp_path: Path) -> Path:
    return _with_step(tmp_path, "pass")


def _with_step(folder: Path, more: str) -> Path:
    migrations = folder / "migrations"
    shutil.copytree(MIGRATIONS, migrations)
    (migrations / "versions" / "v0005.py").write_text(STEP_5.format(more=more))
    return migrations


def _version(database: Database) -> str:
    with database.read() as connection:
        found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))
        return str(found.scalar_one())


def _stamp(database: Database, version: str) -> None:
    with database.write() as connection:
        connection.execute(
            text(f"UPDATE {VERSION_TABLE} SET version_num = :version"),
            {"version": version},
        )


# On disk


def test_every_connection_of_sqlite_waits_for_the_disk(file: Path) -> None:
    database = Database(url_of(str(file)))
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "busy_timeout": 5000,
        "foreign_keys": 1,
        "fullfsync": 1,
    }

    with database.read() as first, database.read() as second:
        for connection in (first, second):
            actual = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in expected
            }
            assert actual == expected
    database.engine.dispose()


def test_postgresql_waits_for_the_disk() -> None:
    database = Database(url_of(postgresql_url()))
    with database.read() as connection:
        assert connection.scalar(text("SHOW synchronous_commit")) == "on"
    database.engine.dispose()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_no_acknowledged_act_is_lost_by_kill_9(file: Path, seed: int) -> None:
    acknowledged = json.loads(_children("kill", file, seed))

    store = open_store(file)
    acts = store.project("leaves").acts()
    store.close()
    recorded = [act.client_id for act in acts]
    assert len(acknowledged) >= 20
    assert set(acknowledged) <= set(recorded)
    assert len(recorded) == len(set(recorded)) <= len(acknowledged) + 20
    assert [act.number for act in acts] == list(range(len(acts)))
    closed = [act.closed or 0 for act in acts]
    assert sorted(set(closed)) == closed  # each its own question, in their order


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_processes_may_open_a_new_file_at_once(file: Path, seed: int) -> None:
    failed = json.loads(_children("open", file, seed))

    assert failed == []


def _children(what: str, file: Path, seed: int) -> str:
    command = [sys.executable, str(CHILDREN), what, str(file), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_servers_may_start_on_a_new_database_at_once(database: Database) -> None:
    url = database.engine.url

    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: SqlStore(url), range(8)))

    assert {store.projects() for store in stores} == {()}
    for store in stores:
        store.close()


def test_answers_can_be_read_with_sql(database: Database) -> None:
    store = SqlStore(database.engine.url)
    project = store.create("leaves", {}, now=0.0)
    answers = (
        Answer(Question(4, 1), Verdict.DIFFERENT, 1, "group"),
        Answer(Question(4, 3), Verdict.UNSURE, 2, "told"),
    )
    project.act(Told(answers), who="ann", now=2.0)
    store.close()

    with database.read() as connection:
        rows = connection.execute(
            text(
                "SELECT answer.id, sample, against, verdict, how, predicted, who "
                "FROM answer JOIN event ON event.project = answer.project "
                "AND event.number = answer.event ORDER BY answer.id"
            )
        ).all()

    assert [tuple(row) for row in rows] == [
        (1, 4, 1, "different", "group", None, "ann"),
        (2, 4, 3, "unsure", "told", None, "ann"),
    ]


# Versions


def test_the_migrations_lead_to_the_tables(database: Database) -> None:
    upgrade(database)

    with database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, METADATA) == []


def test_a_file_of_version_1_is_read(old_file: Path) -> None:
    store = open_store(old_file)
    project = store.project("leaves")

    first, second = project.acts()
    assert first.client_id == "c1"
    assert second.event == Renamed(3, "oak – Ä")
    assert [item.key for item in project.items()] == ["a/oak.jpg", "17"]
    np.testing.assert_array_equal(project.array("features"), [[1, 2], [3, 4]])
    (opened,) = project.latest(0).questions
    assert opened.question == Question(4, 1)
    assert opened.screen is None
    store.close()


def test_a_file_of_version_1_takes_screens(old_file: Path) -> None:
    sheet = Sheet((0,), (Question(1, 0), Question(2, 0)))
    store = open_store(old_file)
    project = store.project("leaves")

    project.open_question(OpenQuestion("eve", Question(1, 0), 5.0, 0, sheet), now=0.0)

    store.close()
    store = open_store(old_file)
    late, opened = store.project("leaves").latest(0).questions
    store.close()
    assert late.screen is None
    assert opened.screen == sheet
    (copy,) = old_file.parent.glob("*.backup-*")
    assert copy.name == "leaves.backup-0001.db"


@pytest.mark.parametrize("version", [VERSION_1, VERSION_2])
def test_items_of_older_files_take_copies(file: Path, version: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(version.read_text(encoding="utf-8"))
    store = open_store(file)
    project = store.project("leaves")
    before = project.items()

    project.note_copies({"a/oak.jpg": ("b/oak.jpg",)})
    project.add_items([Item("c.jpg", "image", "d3", copies=("d.jpg",))])

    after = store.project("leaves").items()
    store.close()
    assert [item.copies for item in before] == [(), ()]
    assert [item.copies for item in after] == [("b/oak.jpg",), (), ("d.jpg",)]
    assert len(list(file.parent.glob("*.backup-*"))) == 1


@pytest.mark.parametrize("version", [VERSION_1, VERSION_2, VERSION_3])
def test_older_files_take_people(file: Path, version: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(version.read_text(encoding="utf-8"))
    store = open_store(file)
    project = store.project("leaves")
    before = project.team()

    project.invite(Invite("reviewer", "a digest", "ann", 1.0, 9.0))
    project.join("bob", "a digest", now=2.0)

    after = store.project("leaves").team()
    store.close()
    assert before == Team()
    assert [(one.name, one.role) for one in after.members] == [("bob", "reviewer")]
    assert len(list(file.parent.glob("*.backup-*"))) == 1


def test_an_older_database_is_brought_up_to_date(
    database: Database, with_step_5: Path
) -> None:
    upgrade(database)
    with database.write() as connection:
        connection.execute(text("INSERT INTO project VALUES (1, 'oak', '{}', 0.5)"))

    upgrade(database, with_step_5)

    assert _version(database) == "0005"
    with database.read() as connection:
        assert connection.scalar(text("SELECT name FROM project")) == "oak"
        assert connection.execute(text("SELECT note FROM event")).all() == []


def test_a_copy_of_the_older_file_stays(old_file: Path, with_step_5: Path) -> None:
    database = Database(url_of(str(old_file)))

    upgrade(database, with_step_5)
    upgrade(database, with_step_5)

    database.engine.dispose()
    (copy,) = old_file.parent.glob("*.backup-*")
    assert copy.name == "leaves.backup-0001.db"
    for path in (copy, old_file):
        with closing(sqlite3.connect(path)) as connection:
            counts = connection.execute(
                "SELECT COUNT(*) FROM event UNION ALL SELECT COUNT(*) FROM answer"
            )
            assert counts.fetchall() == [(2,), (1,)]


def test_a_new_file_needs_no_copy(file: Path) -> None:
    open_store(file).close()
    open_store(file).close()

    assert list(file.parent.glob("*backup*")) == []


def test_the_five_latest_copies_are_kept(old_file: Path) -> None:
    made = [back_up(old_file, f"{number:04}") for number in (1, 2, 2, 3, 4, 5, 6)]

    kept = sorted(path.name for path in old_file.parent.glob("*.backup-*"))

    assert made[2].name == "leaves.backup-0002-2.db"
    assert kept == [path.name for path in made[2:]]


def test_an_upgrade_that_fails_changes_nothing(
    database: Database, tmp_path: Path
) -> None:
    upgrade(database)
    broken = _with_step(tmp_path, "raise RuntimeError('broken')")

    with pytest.raises(RuntimeError, match="broken"):
        upgrade(database, broken)

    assert _version(database) == "0004"
    with database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, METADATA) == []


def test_an_upgrade_that_would_leave_rows_without_their_event_is_not_done(
    old_file: Path, tmp_path: Path
) -> None:
    broken = _with_step(tmp_path, "op.execute('DELETE FROM event')")
    database = Database(url_of(str(old_file)))

    with pytest.raises(StorageError, match="rows of answer"):
        upgrade(database, broken)

    assert _version(database) == "0001"
    with database.read() as connection:
        assert connection.scalar(text("SELECT COUNT(*) FROM event")) == 2
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
    database.engine.dispose()


def test_servers_may_upgrade_at_once(database: Database, with_step_5: Path) -> None:
    upgrade(database)
    others = [Database(database.engine.url) for _ in range(6)]

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda other: upgrade(other, with_step_5), others))

    assert _version(database) == "0005"
    for other in others:
        other.engine.dispose()


def test_a_newer_database_is_refused_and_left_alone(database: Database) -> None:
    upgrade(database)
    _stamp(database, "0999")

    with pytest.raises(SchemaError, match=r"version 0999.*update likewise"):
        SqlStore(database.engine.url)

    assert _version(database) == "0999"


def test_a_database_of_another_program_is_refused(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("CREATE TABLE photo (id INTEGER)"))

    with pytest.raises(SchemaError, match=r"another program \(photo\)"):
        SqlStore(database.engine.url)


# Addresses


@pytest.mark.parametrize(
    "url",
    ["", "leaves", "mysql://u:secret@h/d", "sqlite://", "sqlite:///", "http://a.db"],
)
def test_what_is_no_address_is_told_with_those_that_are(url: str) -> None:
    with pytest.raises(InputError, match=r"sqlite:///file\.db") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_an_address_that_cannot_be_read_is_told_without_its_password() -> None:
    with pytest.raises(InputError, match="5432") as caught:
        open_store("postgresql://ann:secret@host:port/leaves")
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_told(file: Path) -> None:
    file.write_text("Dear diary, " * 1000)

    with pytest.raises(StorageError, match="not a database"):
        open_store(file)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="unable to open"):
        open_store(tmp_path / "nowhere" / "leaves.db")


def test_a_server_that_is_not_there_is_told_without_the_password(
    tmp_path: Path,
) -> None:
    with pytest.raises(StorageError, match="cannot be used") as caught:
        open_store(f"postgresql://ann:secret@/leaves?host={tmp_path}")
    assert "secret" not in str(caught.value)


def test_a_file_that_others_keep_busy_is_told(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("likewise.storage.sql._engines.BUSY_MS", 0)
    store = open_store(file)
    project = store.create("leaves", {}, now=0.0)

    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="locked"):
            project.act(Renamed(1, "oak"), who="ann", now=0.0)
        other.execute("ROLLBACK")

    assert project.act(Renamed(1, "oak"), who="ann", now=0.0).number == 0
    store.close()


@pytest.mark.parametrize(
    ("package", "extra", "url"),
    [
        ("sqlalchemy", "app", "sqlite:///leaves.db"),
        ("alembic", "app", "sqlite:///leaves.db"),
        ("psycopg", "postgres", "postgresql://localhost/leaves"),
    ],
)
def test_a_missing_package_comes_with_the_command_that_installs_it(
    package: str,
    extra: str,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    if extra == "app":
        ours = [name for name in sys.modules if name.startswith("likewise.storage.")]
        for name in ours:
            monkeypatch.delitem(sys.modules, name)
    theirs = [name for name in sys.modules if name.startswith(f"{package}.")]
    for name in (package, *theirs):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(MissingExtraError, match=rf"{package}.*likewise\[{extra}\]"):
        open_store(url)

"""The tables, the way to them from older ones, and copies made before it.

What is written here is what the migrations lead to.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    text,
)

from likewise.errors import SchemaError, StorageError
from likewise.storage.sql._engines import Database

METADATA = MetaData(
    naming_convention={
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

PROJECT = Table(
    "project",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("settings", JSON, nullable=False),
    Column("created", Float(53), nullable=False),
)

ITEM = Table(
    "item",
    METADATA,
    Column("project", ForeignKey("project.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("status", Text, nullable=False),
    UniqueConstraint("project", "key"),
)

ARRAY_BLOCK = Table(
    "array_block",
    METADATA,
    Column("project", ForeignKey("project.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("n_rows", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

EVENT = Table(
    "event",
    METADATA,
    Column("project", ForeignKey("project.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("who", Text, nullable=False),
    Column("at", Float(53), nullable=False),
    Column("client_id", Text),
    Column("closed", Integer),  # the open question that it answered
    UniqueConstraint("project", "client_id"),
    UniqueConstraint("project", "closed"),
)

# A copy of what the bodies of told events say, for readers with SQL.
ANSWER = Table(
    "answer",
    METADATA,
    Column("project", Integer, primary_key=True),
    Column("event", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("id", Integer, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("against", Integer, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("how", Text, nullable=False),
    Column("predicted", JSON(none_as_null=True)),
    ForeignKeyConstraint(["project", "event"], ["event.project", "event.number"]),
)

OPEN_QUESTION = Table(
    "open_question",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("project", ForeignKey("project.id"), nullable=False),
    Column("who", Text, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("against", Integer, nullable=False),
    Column("low", Integer, nullable=False),
    Column("high", Integer, nullable=False),
    Column("predicted", JSON(none_as_null=True)),
    Column("version", Integer, nullable=False),
    Column("until", Float(53), nullable=False),
    UniqueConstraint("project", "who"),
    UniqueConstraint("project", "sample"),
    UniqueConstraint("project", "low", "high"),
    sqlite_autoincrement=True,  # an id is never given twice
)

# From older tables to these

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "likewise_version"
ADVISORY_LOCK = 0x6C696B65  # any number that nobody else uses


def upgrade(database: Database, migrations: Path = MIGRATIONS) -> None:
    """Make the tables, or bring older ones up to date; a newer database is refused.

    Before older tables of a SQLite file change, a copy of the file is put beside it.
    Several processes may do this at once: one works and the others wait.
    """
    script = ScriptDirectory(str(migrations))
    with database.read() as connection:
        if _version(connection) == script.get_current_head():
            return
    with database.rebuild() as connection:
        if not database.is_sqlite:
            lock = text("SELECT pg_advisory_xact_lock(:key)")
            connection.execute(lock, {"key": ADVISORY_LOCK})
        version = _version(connection)
        if version is None:
            _refuse_foreign(database, connection)
        else:
            _refuse_newer(database, version, script)
        if version not in (None, script.get_current_head()) and database.is_sqlite:
            back_up(Path(str(database.engine.url.database)), str(version))
        _migrate(connection, script)


def back_up(path: Path, version: str) -> Path:
    """Copy a SQLite file beside itself, and keep the five latest such copies.

    Returns
    -------
    Path
        ``leaves.backup-0001.db`` for version 0001 of ``leaves.db``, with a number where
        that one is there already.
    """
    target = path.with_suffix(f".backup-{version}.db")
    number = 2
    while target.exists():
        target = path.with_suffix(f".backup-{version}-{number}.db")
        number += 1
    copy_of(path, target)
    keep_latest(path, "backup")
    return target


def _version(connection: Connection) -> str | None:
    return _context(connection).get_current_revision()


def _context(
    connection: Connection, script: ScriptDirectory | None = None
) -> MigrationContext:
    opts = {
        "version_table": VERSION_TABLE,
        "transactional_ddl": True,
        "render_as_batch": True,
    }
    if script is not None:
        opts["fn"] = lambda version, _: script._upgrade_revs("head", version)
    return MigrationContext.configure(connection, opts=opts)


def _migrate(connection: Connection, script: ScriptDirectory) -> None:
    context = _context(connection, script)
    with Operations.context(context):
        context.run_migrations()


def _refuse_foreign(database: Database, connection: Connection) -> None:
    tables = inspect(connection).get_table_names()
    if tables:
        raise SchemaError(
            f"{database.shown} holds tables of another program "
            f"({', '.join(sorted(tables)[:3])}): give likewise a database of its own."
        )


def _refuse_newer(database: Database, version: str, script: ScriptDirectory) -> None:
    known = [revision.revision for revision in script.walk_revisions()]
    if version not in known:
        raise SchemaError(
            f"{database.shown} was written by a newer likewise (tables of version "
            f"{version}, known here up to {known[0]}): update likewise to open it."
        )


# Copies of a SQLite file, beside it: one a day, and one before an upgrade

N_COPIES = 5  # of each kind


def daily_copy(path: Path, now: float) -> Path | None:
    """Copy a SQLite file unless it was copied today; keep the five latest days.

    Parameters
    ----------
    path : Path
    now : float
        Seconds since 1970; days are those of UTC.

    Returns
    -------
    Path or None
        ``leaves.copy-2026-07-30.db`` for ``leaves.db``; None where there is one of
        today, or where five of them would not fit on the disk.

    Raises
    ------
    StorageError
        It cannot be written.
    """
    today = datetime.fromtimestamp(now, UTC).date().isoformat()
    target = path.with_suffix(f".copy-{today}.db")
    try:
        free = shutil.disk_usage(path.parent).free
        if target.exists() or free < N_COPIES * path.stat().st_size:
            return None
        copy_of(path, target)
        keep_latest(path, "copy")
    except (OSError, sqlite3.Error) as error:
        raise StorageError(
            f"{target} cannot be written ({error}): {path} itself is as it was."
        ) from None
    return target


def copy_of(path: Path, target: Path) -> None:
    """Copy a SQLite file that others may be writing to; all of it or nothing."""
    for left in path.parent.glob(f"{escape(path.stem)}.*.unfinished*"):
        left.unlink(missing_ok=True)  # by one that was killed
    unfinished = target.with_suffix(f".{os.getpid()}.unfinished")
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(unfinished)) as copy,
    ):
        source.backup(copy)
    unfinished.replace(target)


def keep_latest(path: Path, kind: str) -> None:
    """Delete all copies of a kind but the five latest."""
    copies = path.parent.glob(f"{escape(path.stem)}.{kind}-*.db")
    for old in sorted(copies, key=lambda copy: copy.stat().st_mtime_ns)[:-N_COPIES]:
        old.unlink()

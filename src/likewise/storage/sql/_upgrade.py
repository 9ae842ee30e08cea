"""Bring a database to the tables that this version knows."""

from __future__ import annotations

from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from likewise.errors import SchemaError
from likewise.storage.sql._copies import copy_of, keep_latest
from likewise.storage.sql._engines import Database

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

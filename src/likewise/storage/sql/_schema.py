"""The tables, and the way to them from older ones.

What is written here is what the migrations lead to.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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

from likewise.errors import MissingExtraError, SchemaError
from likewise.storage.sql._beside import back_up
from likewise.storage.sql._engines import Database

if TYPE_CHECKING:
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

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
    Column("copies", Text),  # their keys as a JSON list; null where there are none
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
    Column("screen", JSON(none_as_null=True)),  # of several questions; else null
    UniqueConstraint("project", "who"),
    UniqueConstraint("project", "sample"),
    UniqueConstraint("project", "low", "high"),
    sqlite_autoincrement=True,  # an id is never given twice
)

INVITE = Table(
    "invite",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("project", ForeignKey("project.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("digest", Text, nullable=False),  # of the token, which is kept nowhere
    Column("made_by", Text, nullable=False),
    Column("made", Float(53), nullable=False),
    Column("expires", Float(53), nullable=False),
    Column("uses", Integer),  # how many are left; null for any number
    Column("who", Text, nullable=False),
    Column("revoked", Float(53)),
    UniqueConstraint("digest"),
    sqlite_autoincrement=True,
)

MEMBER = Table(
    "member",
    METADATA,
    Column("project", ForeignKey("project.id"), primary_key=True),
    Column("folded", Text, primary_key=True),  # what makes two names one
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("joined", Float(53), nullable=False),
    Column("invite", ForeignKey("invite.id")),
    Column("removed", Float(53)),
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
    with database.read() as connection:
        if _is_newest(connection, migrations):
            return
    try:  # slow to load, and needed once
        from alembic.script import ScriptDirectory
    except ModuleNotFoundError:
        raise MissingExtraError("alembic", "app") from None

    script = ScriptDirectory(str(migrations))
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


def _is_newest(connection: Connection, migrations: Path) -> bool:
    """Tell whether the last step is the one that was taken last."""
    last = max(step.name for step in (migrations / "versions").glob("v*.py"))
    if not inspect(connection).has_table(VERSION_TABLE):
        return False
    taken = connection.scalars(text(f"SELECT version_num FROM {VERSION_TABLE}")).all()
    return len(taken) == 1 and last.startswith(f"v{taken[0]}_")


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
    from alembic.runtime.migration import MigrationContext

    return MigrationContext.configure(connection, opts=opts)


def _migrate(connection: Connection, script: ScriptDirectory) -> None:
    from alembic.operations import Operations

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

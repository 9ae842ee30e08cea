"""Connections to SQLite and PostgreSQL that lose nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from likewise.errors import MissingExtraError, StorageError

BUSY_MS = 5000
N_TRIES = 100  # at a lock that others hold for no longer than a switch of mode takes
POOL: dict[str, Any] = {"pool_size": 20, "max_overflow": 40}  # a server's 40 threads
PRAGMAS = (
    "synchronous=FULL",
    "fullfsync=ON",
    f"journal_size_limit={64 * 2**20}",
)


class Database:
    """An engine with one way to read and one way to write.

    Parameters
    ----------
    url : URL
        Of SQLite or PostgreSQL.
    """

    def __init__(self, url: URL) -> None:
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = _sqlite(url) if self.is_sqlite else _postgresql(url)
        self._writing = self.engine.execution_options(writes=True)
        # Waiting threads of this process queue up; SQLite's own waiting, which is not
        # fair, is left for other processes.
        self._turn: AbstractContextManager[Any] = (
            Lock() if self.is_sqlite else nullcontext()
        )

    @property
    def shown(self) -> str:
        """The address without its password."""
        return self.engine.url.render_as_string()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection in a transaction that sees one state of the database."""
        with self._named_errors(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection in a transaction that is on disk when the block ends."""
        with self._named_errors(), self._turn, self._writing.begin() as connection:
            yield connection

    @contextmanager
    def rebuild(self) -> Iterator[Connection]:
        """Give a connection as `write` does, in which tables may be replaced.

        SQLite changes a table by dropping it after a copy, which the rows that refer
        to it must outlive; so they are checked at the end instead.
        """
        rebuilding = self._writing.execution_options(rebuilds=True)
        with self._named_errors(), self._turn, rebuilding.begin() as connection:
            yield connection
            if self.is_sqlite:
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
                if broken:
                    raise StorageError(
                        f"An upgrade of {self.shown} would have left rows of "
                        f"{broken[0][0]} without what they refer to, and was not "
                        f"done: please report this."
                    )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except DatabaseError as error:
            if type(error) not in (DatabaseError, OperationalError):
                raise  # a constraint was broken: for the caller to explain
            reason = str(error.orig).strip().splitlines()[0]
            raise StorageError(
                f"The database {self.shown} cannot be used ({reason}): check its "
                f"address, the space on its disk, and whether others keep it busy."
            ) from error


def _sqlite(url: URL) -> Engine:
    engine = create_engine(url, **POOL)

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        _use_wal(connection)
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        checks = "OFF" if options.get("rebuilds") else "ON"
        connection.exec_driver_sql(f"PRAGMA foreign_keys={checks}")
        begin = "BEGIN IMMEDIATE" if options.get("writes") else "BEGIN"
        connection.exec_driver_sql(begin)

    return engine


def _use_wal(connection: Any) -> None:
    # Two that wait for each other in the switch would wait in vain: give way at once,
    # queue up in a transaction instead, and look again.
    for _ in range(N_TRIES):
        connection.execute("PRAGMA busy_timeout=0")
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
        else:
            break
        finally:
            connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")


def _postgresql(url: URL) -> Engine:
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, **POOL
        )
    except ImportError:
        raise MissingExtraError("psycopg", "postgres") from None

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _: Any) -> None:
        connection.autocommit = True
        connection.execute("SET synchronous_commit TO on")
        connection.autocommit = False

    return engine

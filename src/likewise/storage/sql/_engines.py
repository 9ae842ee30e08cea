"""Connections to SQLite and PostgreSQL that lose nothing, and what ails them."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from json import JSONDecodeError
from pathlib import Path
from random import SystemRandom
from threading import Lock
from typing import Any, TypeAlias
from urllib.parse import quote, quote_plus

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as NoneFreeError

from likewise.errors import MissingExtraError, StorageError
from likewise.storage._open import without_password

BUSY_MS = 5000
N_TRIES = 200  # at a lock that others hold for no longer than a switch of mode takes
GIVES_WAY = 0.05  # seconds at most before the next of them
POOL: dict[str, Any] = {"pool_size": 20, "max_overflow": 40}  # a server's 40 threads
PRAGMAS = (
    "synchronous=FULL",
    "fullfsync=ON",
    f"journal_size_limit={64 * 2**20}",
)
PATIENCE = {  # with a server that has gone, or the network to it; seconds
    "connect_timeout": 10,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
Identity: TypeAlias = tuple[int, int]  # of a file: its device and its number there
OF_THE_CALLER = (DataError, IntegrityError, NotSupportedError, ProgrammingError)


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
        self._first: Identity | None = None  # the file that was opened
        event.listen(self.engine, "handle_error", _let_go)
        self._writing = self.engine.execution_options(writes=True)
        # Waiting threads of this process queue up; SQLite's own waiting, which is not
        # fair, is left for other processes.
        self._turn: AbstractContextManager[Any] = (
            Lock() if self.is_sqlite else nullcontext()
        )

    @property
    def _of_the_driver(self) -> type[Exception]:
        found: type[Exception] = self.engine.dialect.loaded_dbapi.Error
        return found

    @property
    def shown(self) -> str:
        """The path of its file, or its address without the password."""
        url = self.engine.url
        if self.is_sqlite:
            return str(url.database)
        plain = url.set(drivername="postgresql", query={})
        bare = plain._replace(password=None).render_as_string()
        return without_password(bare)  # some write theirs into the name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shown!r})"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection in a transaction that sees one state of the database."""
        self._see_the_first()
        with self._named_errors(), self.engine.begin() as connection:
            self._see_the_file(connection)
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection in a transaction that is on disk when the block ends."""
        self._see_the_first()
        with self._named_errors(), self._turn, self._writing.begin() as connection:
            self._see_the_file(connection)
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

    def _see_the_first(self) -> None:
        # A connection to a file that is gone would begin another one in its place.
        if self._first is not None and self._first != _files(self.engine.url)[0]:
            raise self._is_gone()

    def _see_the_file(self, connection: Connection) -> None:
        # SQLite goes on writing into files that were moved or deleted under it.
        if self.is_sqlite:
            files = connection.info["files"]
            self._first = self._first or files[0]
            if files != _files(self.engine.url):
                raise self._is_gone()

    def _is_gone(self) -> StorageError:
        return StorageError(
            f"{self.shown} was moved, deleted or replaced while it was in use, or what "
            f"lies beside it: put all of it back, or start again."
        )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            # One without a statement is about the address.
            if isinstance(error, OF_THE_CALLER) and error.statement is not None:
                raise
            raise self._unusable(reason(error.orig), advice(error.orig)) from error
        except NoneFreeError as error:
            raise self._unusable("all its connections are in use", BUSY) from error
        except self._of_the_driver as error:  # of rows that are taken as it gives them
            raise self._unusable(reason(error), advice(error)) from error
        except JSONDecodeError as error:
            raise self._unusable("what it holds is damaged", COPY) from error

    def _unusable(self, why: str, what_to_do: str) -> StorageError:
        said = without_secrets(why, self.engine.url)
        return StorageError(
            f"The database {self.shown} cannot be used ({said}): {what_to_do}."
        )


def without_secrets(words: str, url: URL) -> str:
    """Return what a driver says, without the passwords of the address it was given.

    Examples
    --------
    >>> from sqlalchemy import make_url
    >>> url = make_url("postgresql://ann:s%40x@host/db?sslpassword=y1")
    >>> without_secrets('invalid "s@x", "s%40x" or "y1"', url)
    'invalid "…", "…" or "…"'
    """
    asked = [url.query[key] for key in url.query if "pass" in key.lower()]
    told = [url.password or "", *(v for v in asked if isinstance(v, str))]
    for secret in sorted({str(one) for one in told} - {""}, key=len, reverse=True):
        for written in (secret, quote(secret, safe=""), quote_plus(secret)):
            words = words.replace(written, "…")
    return words


def _let_go(context: ExceptionContext) -> None:
    # A file is opened for reading only while its folder is shut: not to be used again
    # when it is open. The other connections, which may write, stay.
    if is_read_only(context.original_exception):
        context.is_disconnect = True
        context.invalidate_pool_on_disconnect = False


def _sqlite(url: URL) -> Engine:
    engine = create_engine(url, **POOL)

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        _use_wal(connection)
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT 1 FROM sqlite_schema")  # its log is open from now on
        record.info["files"] = _files(url)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        checks = "OFF" if options.get("rebuilds") else "ON"
        connection.exec_driver_sql(f"PRAGMA foreign_keys={checks}")
        begin = "BEGIN IMMEDIATE" if options.get("writes") else "BEGIN"
        connection.exec_driver_sql(begin)

    return engine


def _files(url: URL) -> tuple[Identity | None, Identity | None]:
    """Return what tells the file at an address, and its log, from others."""
    file = Path(str(url.database))
    found = _stat(file)
    # An empty one is another one: something was in it when it was opened.
    is_empty = found is not None and not found.st_size
    log = _stat(file.with_name(f"{file.name}-wal"))
    return None if is_empty else _identity(found), _identity(log)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _identity(found: os.stat_result | None) -> Identity | None:
    return None if found is None else (found.st_dev, found.st_ino)


def _use_wal(connection: Any) -> None:
    # Those that switch a new file at once stand in each other's way, and none of them
    # is told when the way is free: give way at once, for a while that differs.
    lot = SystemRandom()
    for left in reversed(range(N_TRIES)):
        connection.execute("PRAGMA busy_timeout=0")
        try:
            # To its end: only then the switch is on disk, or was refused.
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or not left:
                raise
        finally:
            connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        time.sleep(lot.uniform(0.0, GIVES_WAY))


def _postgresql(url: URL) -> Engine:
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,  # a server that was away meanwhile is reached again
            connect_args={k: v for k, v in PATIENCE.items() if k not in url.query},
            **POOL,
        )
    except ImportError:
        raise MissingExtraError("psycopg", "postgres") from None

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _: Any) -> None:
        connection.autocommit = True
        connection.execute("SET synchronous_commit TO on")
        connection.autocommit = False

    return engine


# What a database's own error means to people, and what they can do

FULL, SHUT = "make room on its disk", "allow writing to its file and its folder"
AWAY = "check its address, and see that it runs and can be reached"
BUSY = "close other programs that use it, or wait for them"
USUAL = "check its address, the space on its disk, and whether others keep it busy"
COPY = "look beside it for a copy to put in its place with `likewise restore`"
READ_ONLY = ("SQLITE_READONLY", "25006")
ADVICE = {  # by the beginnings of SQLite's names and of PostgreSQL's codes
    "SQLITE_FULL": FULL,
    "SQLITE_READONLY": SHUT,
    "SQLITE_CANTOPEN": f"see that its folder is there, and {SHUT}",
    "SQLITE_IOERR": "check its disk, and the space on it",
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_NOTADB": f"name another file, or {COPY}",
    "SQLITE_CORRUPT": COPY,
    "08": AWAY,
    "25006": "use the server that may be written to",
    "53100": FULL,
    "53300": "let fewer programs use it, or allow more connections",
    "57P": AWAY,
}


def advice(error: Any) -> str:
    """Return what to do about an error of SQLite's or PostgreSQL's driver.

    Parameters
    ----------
    error : Exception
        As the driver has raised it.

    Examples
    --------
    >>> import sqlite3
    >>> full = sqlite3.OperationalError("database or disk is full")
    >>> full.sqlite_errorname = "SQLITE_FULL"
    >>> advice(full)
    'make room on its disk'
    """
    name = _name(error)
    if name is None:
        # psycopg has no code when there was no server to give one.
        return AWAY if hasattr(error, "pgconn") else USUAL
    found = (words for key, words in ADVICE.items() if name.startswith(key))
    return next(found, USUAL)


def is_read_only(error: Any) -> bool:
    """Tell whether a connection was refused writing, which another may be allowed."""
    return (_name(error) or "").startswith(READ_ONLY)


def _name(error: Any) -> str | None:
    return getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)


def reason(error: Any) -> str:
    """Return what happened, in the driver's own words but no more of them than needed.

    Examples
    --------
    >>> reason('connection to server at "db", port 5432 failed: Connection refused')
    'Connection refused'
    """
    first = str(error).strip().splitlines()[0]
    return first.rpartition("failed: ")[2]

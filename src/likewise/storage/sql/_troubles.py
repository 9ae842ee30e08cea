"""What a database's own error means to people, and what they can do."""

from __future__ import annotations

from typing import Any

FULL, SHUT = "make room on its disk", "allow writing to its file and its folder"
AWAY = "check its address, and see that it runs and can be reached"
BUSY = "close other programs that use it, or wait for them"
USUAL = "check its address, the space on its disk, and whether others keep it busy"
READ_ONLY = ("SQLITE_READONLY", "25006")
ADVICE = {  # by the beginnings of SQLite's names and of PostgreSQL's codes
    "SQLITE_FULL": FULL,
    "SQLITE_READONLY": SHUT,
    "SQLITE_CANTOPEN": f"see that its folder is there, and {SHUT}",
    "SQLITE_IOERR": "check its disk, and the space on it",
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_NOTADB": "name another file",
    "SQLITE_CORRUPT": "look beside it for a copy to put in its place",
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

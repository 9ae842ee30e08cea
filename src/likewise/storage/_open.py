"""From an address to the store that is there."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote_plus

from likewise.errors import InputError, MissingExtraError
from likewise.knowledge import valid_text
from likewise.storage._memory import MemoryStore
from likewise.storage._protocol import Store

SUFFIXES = (".db", ".sqlite", ".sqlite3")  # of files that are taken for databases
SCHEMES = ("sqlite", "postgresql", "postgres")
NO_FILE = ("", "/", "/:memory:")


def open_store(url: str | Path, beside: Path | None = None) -> Store:
    """Return the store at an address; its tables are made where there are none.

    Parameters
    ----------
    url : str or Path
        ``sqlite:///leaves.db`` or just ``leaves.db``, ``postgresql://user@host/name``,
        or ``memory://`` for what need not be kept.
    beside : Path, optional
        A folder that remembers how much was saved in a PostgreSQL, so that one that
        was set back is noticed. Beside a SQLite file that is always remembered.

    Examples
    --------
    >>> open_store("memory://").projects()
    ()
    """
    text = str(url)
    if "\x00" in text or valid_text(text) != text:
        raise InputError(
            f"{valid_text(text)!r} is no address of a database: no file is called so."
        )
    if text == "memory://":
        return MemoryStore()
    scheme, mark, rest = text.partition("://")
    is_path = not mark and text.endswith(SUFFIXES)
    if not is_path and (scheme not in SCHEMES or rest in NO_FILE):
        # Not the whole address: it may hold a password.
        begun = re.match(r"[\w.+-]*(://)?", text)
        raise InputError(
            f"{begun[0] if begun else ''!r} begins no address of a database: give "
            f"sqlite:///file.db, postgresql://user@host/name or memory://."
        )
    try:
        from likewise.storage.sql import SqlStore, url_of
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sqlalchemy", "app") from None
    return SqlStore(url_of(text), beside)


def kept_of(url: str) -> Path:
    """Return the folder for what follows from the data of the database at an address.

    Examples
    --------
    >>> str(kept_of("sqlite:///leaves.db"))
    'leaves.db-cache'
    """
    try:
        from likewise.storage.sql import kept_of, url_of
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sqlalchemy", "app") from None
    return kept_of(url_of(url))


def without_password(address: str) -> str:
    """Return an address of a database as it may be shown.

    Rather too little than too much: where a password may have begun, all is left out up
    to the last sign that may have ended it.

    Examples
    --------
    >>> without_password("postgresql://ann:se@cret@host/db?sslpassword=x&port=1")
    'postgresql://ann:…@host/db?sslpassword=…&port=1'
    >>> without_password("host=db password='my secret' user=ann")
    'host=db password=… user=ann'
    """
    begun = re.match(_SCHEME, address)
    if begun is None:  # a path, or words for the driver
        return re.sub(_KEYWORD, r"\1…", address)
    told, at, where = address[begun.end() :].rpartition("@")
    if at and ":" in unquote_plus(told):
        told = re.split(":|%3a", told, maxsplit=1, flags=re.IGNORECASE)[0] + ":…"
    place, asks, query = where.partition("?")
    pairs = "&".join(_without_value(pair) for pair in query.split("&"))
    return f"{begun[0]}{told}{at}{place}{asks}{pairs}"


_SCHEME = r"(?!sqlite|memory)(?:[\w+.-]{2,}:/+|postgres[\w+]*:)"  # C:/ is a path
_KEYWORD = r"(?i)(\w*pass\w*\s*=\s*)('(?:[^'\\]|\\.)*'?|\S+)"


def _without_value(pair: str) -> str:
    key, equals, value = pair.partition("=")
    is_secret = value and "pass" in unquote_plus(key).lower()
    return f"{key}{equals}…" if is_secret else pair

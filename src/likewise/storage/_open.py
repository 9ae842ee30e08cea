"""From an address to the store that is there."""

from __future__ import annotations

from pathlib import Path

from likewise.errors import InputError, MissingExtraError
from likewise.knowledge import valid_text
from likewise.storage._memory import MemoryStore
from likewise.storage._protocol import Store

SUFFIXES = (".db", ".sqlite", ".sqlite3")
SCHEMES = ("sqlite", "postgresql", "postgres")
NO_FILE = ("", "/", "/:memory:")


def open_store(url: str | Path) -> Store:
    """Return the store at an address; its tables are made where there are none.

    Parameters
    ----------
    url : str or Path
        ``sqlite:///leaves.db`` or just ``leaves.db``, ``postgresql://user@host/name``,
        or ``memory://`` for what need not be kept.

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
        raise InputError(
            f"{scheme + mark!r} begins no address of a database: give "
            f"sqlite:///file.db, postgresql://user@host/name or memory://."
        )
    try:
        from likewise.storage.sql import SqlStore, url_of
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sqlalchemy", "app") from None
    return SqlStore(url_of(text))

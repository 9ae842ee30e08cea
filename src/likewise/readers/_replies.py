"""Replies of models, kept by what was asked: nothing is paid for twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from weakref import finalize

from likewise.errors import StorageError

WAIT = 30.0  # seconds for another process that writes
TABLES = """
CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, says TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS unsure (
    scope TEXT NOT NULL, sample INTEGER NOT NULL, against INTEGER NOT NULL,
    PRIMARY KEY (scope, sample, against)
);
CREATE TABLE IF NOT EXISTS said (
    scope TEXT NOT NULL, sample INTEGER NOT NULL, against INTEGER NOT NULL,
    sure REAL NOT NULL, PRIMARY KEY (scope, sample, against)
);
"""
Pair: TypeAlias = tuple[int, int]
Alternatives: TypeAlias = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a reply.

    Attributes
    ----------
    text : str
    instead : tuple of (str, float)
        What might have stood there, itself among them, with log-probabilities.
    """

    text: str
    instead: Alternatives = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said.

    Attributes
    ----------
    content : str
    tokens : tuple of Token
        The same in pieces; empty where the server gives no log-probabilities.
    """

    content: str
    tokens: tuple[Token, ...] = ()

    def encode(self) -> str:
        """Return it as JSON.

        Examples
        --------
        >>> reply = Reply("same", (Token("same", (("same", -0.1),)),))
        >>> Reply.decode(reply.encode()) == reply
        True
        """
        tokens = [[token.text, token.instead] for token in self.tokens]
        return json.dumps([self.content, tokens])

    @classmethod
    def decode(cls, text: str) -> Reply:
        """Return what :meth:`encode` has written."""
        content, tokens = json.loads(text)
        found = (Token(t, tuple((s, p) for s, p in instead)) for t, instead in tokens)
        return cls(content, tuple(found))


class Replies:
    """Replies in one SQLite file; each is on disk before :meth:`put` returns.

    What was asked is kept as a digest only, and no key of a server is ever in it.

    Parameters
    ----------
    path : path, optional
        In memory unless given.

    Examples
    --------
    >>> replies = Replies()
    >>> replies.put("some key", Reply('{"answer": "same"}'))
    >>> replies.get("some key").content
    '{"answer": "same"}'
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._name = "memory" if path is None else str(path)
        with self._said_plainly():
            # Used by one thread at a time, and closed by whichever lets go of it last.
            self._db = sqlite3.connect(
                ":memory:" if path is None else path,
                timeout=WAIT,
                isolation_level=None,
                check_same_thread=False,
            )
            finalize(self, self._db.close)
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.executescript(TABLES)

    def get(self, key: str) -> Reply | None:
        """Return the reply that is kept under a key."""
        with self._said_plainly():
            asked = "SELECT says FROM reply WHERE key = ?"
            found = self._db.execute(asked, (key,)).fetchone()
            return None if found is None else Reply.decode(found[0])

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply, instead of an older one."""
        with self._said_plainly():
            kept = "INSERT OR REPLACE INTO reply VALUES (?, ?)"
            self._db.execute(kept, (key, reply.encode()))

    def note_unsure(self, scope: str, sample: int, against: int) -> None:
        """Note that nothing came of a pair of samples, within a scope."""
        with self._said_plainly():
            noted = "INSERT OR IGNORE INTO unsure VALUES (?, ?, ?)"
            self._db.execute(noted, (scope, sample, against))

    def unsure(self, scope: str) -> tuple[tuple[int, int], ...]:
        """Return the pairs of samples that nothing came of, oldest first."""
        with self._said_plainly():
            asked = (
                "SELECT sample, against FROM unsure WHERE scope = ? ORDER BY _rowid_"
            )
            return tuple(self._db.execute(asked, (scope,)).fetchall())

    def note_said(self, scope: str, said: Mapping[Pair, float]) -> None:
        """Note how sure a model was of what it said of pairs, within a scope."""
        with self._said_plainly():
            noted = "INSERT OR REPLACE INTO said VALUES (?, ?, ?, ?)"
            rows = [(scope, *pair, float(sure)) for pair, sure in said.items()]
            self._db.executemany(noted, rows)

    def said(self, scope: str) -> dict[Pair, float]:
        """Return how sure a model was of what it said, by pairs.

        Examples
        --------
        >>> replies = Replies()
        >>> replies.note_said("trees", {(0, 1): 0.9})
        >>> replies.said("trees")
        {(0, 1): 0.9}
        """
        with self._said_plainly():
            asked = "SELECT sample, against, sure FROM said WHERE scope = ?"
            found = self._db.execute(asked, (scope,)).fetchall()
            return {(sample, against): sure for sample, against, sure in found}

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @contextmanager
    def _said_plainly(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise StorageError(
                f"The file of replies {self._name} cannot be used ({error}): make room "
                f"there, or delete it; models are then asked again."
            ) from None

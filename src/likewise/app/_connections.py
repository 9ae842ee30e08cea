"""How many may be connected at once, and how long they may take to ask."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

FILES = 1024  # that a process may open where nobody says how many
ASKING = (h11.IDLE, h11.SEND_BODY)  # while something of a request is still to come
MOST_LINES = 20  # of one kind in the log
MINUTE = 60.0  # in which they may be written
LOGGERS = ("asyncio", "uvicorn.error")


@dataclass(frozen=True)
class Limits:
    """What strangers may take of a server.

    Attributes
    ----------
    most, most_each : int
        Connections in all, and from one address. Browsers open six; behind a proxy or
        a router many people have one address.
    most_at_once : int
        New connections that are looked at before any of them is refused.
    most_bytes : int
        Of one request with its headers, read or not. More than a page sends, so that
        whoever sends too much is told so before the line is cut.
    patience : float
        Seconds for a request to arrive whole, or for a reply to go on.
    idle : int
        Seconds until a connection ends on which nothing is asked any more.
    """

    most: int = 400
    most_each: int = 100
    most_at_once: int = 128
    most_bytes: int = 4_000_000
    patience: float = 20.0
    idle: int = 5

    @classmethod
    def of_this_machine(cls) -> Limits:
        """Return limits that leave files to open for everything else."""
        most = min(cls.most, _n_files() // 4)
        each, at_once = min(cls.most_each, most), min(cls.most_at_once, most)
        return cls(most=most, most_each=each, most_at_once=at_once)


def _n_files() -> int:
    try:
        import resource
    except ImportError:  # on Windows
        return FILES
    found = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return FILES if found == resource.RLIM_INFINITY else found


@dataclass
class Room:
    """Who is connected to a server, and who of them has asked nothing yet.

    Whoever comes when there is no room takes the place of the one who has said nothing
    for longest: a person asks at once, so those who only keep connections open lose
    them first. Nobody loses one whose question is being answered.

    Parameters
    ----------
    limits : Limits
    """

    limits: Limits
    _here: dict[Line, str] = field(default_factory=dict)
    _silent: dict[Line, None] = field(default_factory=dict)  # the longest ago first
    _by_address: Counter[str] = field(default_factory=Counter)

    def enter(self, line: Line, address: str) -> bool:
        """Take somebody in; tell whether there was room."""
        if self._by_address[address] >= self.limits.most_each:
            self._make_room([one for one in self._silent if self._here[one] == address])
        elif len(self._here) >= self.limits.most:
            self._make_room(self._silent)
        if (
            self._by_address[address] >= self.limits.most_each
            or len(self._here) >= self.limits.most
        ):
            return False
        self._here[line] = address
        self._by_address[address] += 1
        self.hush(line)
        return True

    def _make_room(self, silent: Any) -> None:
        oldest = next(iter(silent), None)
        if oldest is not None:
            self.leave(oldest)
            oldest.cut()

    def hush(self, line: Line) -> None:
        """Note that somebody has something to ask from now on."""
        if line in self._here:
            self._silent.setdefault(line)

    def hear(self, line: Line) -> None:
        """Note that somebody has asked."""
        self._silent.pop(line, None)

    def leave(self, line: Line) -> None:
        """Forget somebody, who may have been forgotten before."""
        address = self._here.pop(line, None)
        self._silent.pop(line, None)
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]


class Line(H11Protocol):
    """A connection, on which requests come whole and soon or not at all.

    Parameters
    ----------
    room : Room
    how : Any
        Of uvicorn's own connection.
    """

    def __init__(self, room: Room, **how: Any) -> None:
        super().__init__(**how)
        self._room, self._limits = room, room.limits
        self._n_bytes = 0  # of the request that is coming
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, if there is room."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if self._room.enter(self, address):
            self._end_later()
        else:
            self.cut()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stay()
        self._room.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in a piece of a request."""
        self._n_bytes += len(data)
        if self._n_bytes > self._limits.most_bytes:
            self.cut()
            return
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._look()

    def timeout_keep_alive_handler(self) -> None:
        """End, once what was said last has gone out."""
        super().timeout_keep_alive_handler()
        self._end_later()

    def pause_writing(self) -> None:
        """Wait until the other side reads on."""
        super().pause_writing()
        self._end_later()

    def resume_writing(self) -> None:
        """Go on: the other side has read."""
        super().resume_writing()
        self._stay()

    def cut(self) -> None:
        """End at once."""
        self._stay()
        self.transport.abort()

    def _look(self) -> None:
        """See whether a request is on its way; it must come soon, and be small."""
        state = self.conn.their_state
        if state in ASKING:
            self._room.hush(self)
        else:
            self._room.hear(self)
        if state is h11.SEND_BODY or (state is h11.IDLE and self.conn.trailing_data[0]):
            self._end_later()
        else:
            self._n_bytes = 0
            if not self.flow.write_paused:
                self._stay()

    def _end_later(self) -> None:
        if self._end is None:
            self._end = self.loop.call_later(self._limits.patience, self.cut)

    def _stay(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None


# The log


class FewLines(logging.Filter):
    """Let the same words through a few times in a minute, and count the others.

    So that nobody fills a disk by asking wrongly.
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[str, list[float]] = {}
        self._left_out: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is written."""
        words, now = str(record.msg)[:80], record.created
        recent = [at for at in self._seen.get(words, ()) if now - MINUTE < at <= now]
        if len(recent) >= MOST_LINES:
            self._left_out[words] += 1
            return False
        self._seen[words] = [*recent, now]
        if self._left_out[words]:
            n_others = self._left_out.pop(words)
            record.msg = f"{record.msg} ({n_others} more like it were left out before)"
        return True


@contextmanager
def few_lines() -> Iterator[None]:
    """Keep the log of a server short for as long as the block lasts."""
    few, loggers = FewLines(), [logging.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addFilter(few)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(few)

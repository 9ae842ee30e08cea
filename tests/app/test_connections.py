"""Connections that cost much and ask nothing."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeAlias

import pytest
import uvicorn
from tests.app.places import served
from tests.app.processes import Running, serve, write_table
from tests.problems import blobs

from likewise.app._auth import MOST_BYTES
from likewise.app._connections import MOST_LINES, FewLines, Limits, few_lines
from likewise.app._server import server_of
from likewise.cli._running import listening

LONG = 20  # seconds that a test waits for what must come
GET = b"GET /static/mark.svg HTTP/1.1\r\nHost: localhost\r\n"
HALF = GET + b"X-Slow: "
WHOLE = GET + b"\r\n"
POST = (
    b"POST /api/enter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
)
PIECE = b"x" * 65_536
NAME = b"GET /" + b"x" * (16 * 1024 - 4)  # one byte more than h11 waits for
Serving: TypeAlias = Callable[..., "At"]


class At:
    """A server in a thread of this process."""

    def __init__(self, app: Any, limits: Limits | None) -> None:
        self.bound = listening("127.0.0.1", 0)
        self.server: uvicorn.Server = server_of(app, limits)
        self._lines: list[socket.socket] = []
        sockets = {"sockets": [self.bound]}
        self._thread = Thread(target=self.server.run, kwargs=sockets, daemon=True)
        self._thread.start()

    def line(self, said: bytes = b"") -> socket.socket:
        """Connect, and say something."""
        line = socket.create_connection(self.bound.getsockname(), timeout=LONG)
        self._lines.append(line)
        line.sendall(said)
        return line

    def stop(self) -> None:
        for line in self._lines:
            line.close()
        self.server.should_exit = True
        self._thread.join(LONG)
        self.bound.close()


@pytest.fixture
def serving() -> Iterator[Serving]:
    with ExitStack() as stack:

        def start(app: Any, limits: Limits | None = None) -> At:
            found = At(app, limits)
            stack.callback(found.stop)
            return found

        yield start


@pytest.fixture
def at(serving: Serving, tmp_path: Path) -> At:
    """Our own app, under its usual limits."""
    return serving(served(tmp_path).app)


async def counting(scope: Any, receive: Any, send: Any) -> None:
    """Say how many bytes were sent."""
    assert scope["type"] == "http"
    n_bytes, more = 0, True
    while more:
        message = await receive()
        n_bytes += len(message.get("body", b""))
        more = message.get("more_body", False)
    body = str(n_bytes).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def status(line: socket.socket) -> int:
    """Return the code of the next reply, once it is here whole."""
    with HTTPResponse(line) as reply:
        reply.begin()
        reply.read()
        return reply.status


def rest(line: socket.socket) -> bytes:
    """Return all that still comes until the other side ends it, which it must."""
    found = b""
    with suppress(ConnectionError):
        while piece := line.recv(65_536):
            found += piece
    return found


def is_open(line: socket.socket) -> bool:
    """Tell whether a line on which nothing is to come has not been cut."""
    line.setblocking(False)
    try:
        return line.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        line.settimeout(LONG)


# How a reply leaves


def test_replies_wait_for_no_acknowledgement(at: At) -> None:
    assert status(at.line(WHOLE)) == 200

    (found,) = at.server.server_state.connections
    accepted = found.transport.get_extra_info("socket")
    assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_many_questions_on_one_line_are_all_answered(serving: Serving) -> None:
    line = serving(counting).line(
        WHOLE * 50 + WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    )

    assert rest(line).count(b"200 OK") == 51


# How many there are


def test_whoever_is_silent_for_longest_makes_room(serving: Serving) -> None:
    at = serving(counting, Limits(most=3, most_each=3, patience=LONG * 10))
    first, second, third = (at.line(HALF) for _ in range(3))

    assert status(at.line(WHOLE)) == 200
    assert rest(first) == b""
    assert is_open(second)
    assert is_open(third)


def test_those_of_one_address_make_room_for_each_other(serving: Serving) -> None:
    at = serving(counting, Limits(most=50, most_each=2, patience=LONG * 10))
    silent = [at.line(HALF) for _ in range(20)]

    assert status(at.line(WHOLE)) == 200
    assert [rest(line) for line in silent[:18]] == [b""] * 18
    assert len(at.server.server_state.connections) <= 2


def test_nobody_who_is_being_answered_is_cut(serving: Serving) -> None:
    asked, go = Event(), Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        asked.set()
        await asyncio.to_thread(go.wait, LONG)
        await counting(scope, receive, send)

    at = serving(slow, Limits(most=1, most_each=1, patience=LONG * 10))
    first = at.line(WHOLE)
    assert asked.wait(LONG)
    assert rest(at.line(WHOLE)) == b""  # no room

    go.set()
    assert status(first) == 200
    assert status(at.line(WHOLE)) == 200  # the first is silent now


def limited(*given: Any) -> None:
    """Serve with few files to open, as many as half of 1,100 connections."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    serve(*given)


@pytest.mark.parametrize(
    ("n_lines", "begins"),
    [
        (400, limited),
        pytest.param(1100, serve, marks=pytest.mark.slow),
    ],
)
def test_half_requests_neither_silence_the_server_nor_fill_its_log(
    n_lines: int, begins: Callable[..., None], tmp_path: Path
) -> None:
    with files_for(n_lines), ExitStack() as stack:
        write_table(tmp_path, blobs((4, 4)))
        running = Running(tmp_path, "urasc-no", begins=begins)
        running.start()
        stack.callback(running.kill)
        address = "127.0.0.1", running.port
        for _ in range(n_lines):
            line = stack.enter_context(socket.create_connection(address, timeout=LONG))
            line.sendall(HALF)
        for _ in range(3):
            asked = stack.enter_context(socket.create_connection(address, timeout=LONG))
            asked.sendall(WHOLE)
            assert status(asked) == 200
        written = (tmp_path / "stderr.txt").stat().st_size

    assert written < 20_000


@contextmanager
def files_for(n_lines: int) -> Iterator[None]:
    """Allow this process to open so many lines, or skip."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = n_lines + 200
    if before[1] != resource.RLIM_INFINITY and before[1] < wanted:
        pytest.skip("This machine allows too few open files.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(wanted, before[0]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_limits_leave_files_to_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(n_files: int) -> Limits:
        monkeypatch.setattr("resource.getrlimit", lambda _: (n_files, n_files))
        return Limits.of_this_machine()

    assert found(resource.RLIM_INFINITY) == found(1024)
    for n_files in (100, 256, 1024, 1_000_000):
        limits = found(n_files)
        assert limits.most + limits.most_at_once <= n_files / 2
        assert limits.most_each <= limits.most


# How long they take

SOON = Limits(patience=0.3, idle=1)


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"G",
        HALF,
        POST + b"Content-Length: 10\r\n\r\n",
        POST + b"Content-Length: 10\r\n\r\n{",
        POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
        WHOLE,
        WHOLE + HALF,
    ],
)
def test_what_does_not_come_whole_and_soon_is_cut(
    serving: Serving, begun: bytes
) -> None:
    replied = rest(serving(counting, SOON).line(begun))

    assert replied.count(b"200 OK") == begun.count(WHOLE)


def test_drops_do_not_keep_a_line_open(serving: Serving) -> None:
    line = serving(counting, SOON).line(HALF)
    line.settimeout(0.05)
    with suppress(ConnectionError):
        for _ in range(LONG * 20):
            line.sendall(b"x")
            with suppress(TimeoutError):
                assert line.recv(1) == b""
                return
        pytest.fail("The line is still open.")


async def endless(scope: Any, _: Any, send: Any) -> None:
    """Say more than what lies between us can hold."""
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(1000):
        await send({"type": "http.response.body", "body": PIECE, "more_body": True})


def test_whoever_does_not_read_is_cut(serving: Serving) -> None:
    at = serving(endless, SOON)
    line = at.line(WHOLE)
    assert line.recv(10)  # and no more
    for _ in range(LONG * 20):
        if not at.server.server_state.connections:
            return
        time.sleep(0.05)
    pytest.fail("The line is still open.")


# How much they send


def sent_until_cut(line: socket.socket, most: int) -> int:
    """Send until the other side ends it; return how much it took."""
    n_bytes = 0
    with suppress(ConnectionError):
        while n_bytes < most:
            line.sendall(PIECE)
            n_bytes += len(PIECE)
    return n_bytes


TOO_LONG = 300_000_000


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"Content-Length: 300000000\r\n\r\n", 413),
        (b"Content-Length: 00000000000300000000\r\n\r\n", 413),
        (b"Transfer-Encoding: chunked\r\n\r\n11e1a300\r\n", 413),
        (b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n11e1a300\r\n", 413),
        (b"Content-Length: 2\r\nContent-Length: 300000000\r\n\r\n", 400),
        (b"Content-Length: 99999999999999999999999\r\n\r\n", 400),
    ],
)
def test_a_flood_is_refused_and_not_read(at: At, said: bytes, code: int) -> None:
    line = at.line(POST + said)

    assert status(line) == code
    assert sent_until_cut(line, TOO_LONG) < 20_000_000  # buffers lie between us


def test_what_nobody_asked_for_is_not_read_either(at: At) -> None:
    line = at.line(GET + b"Content-Length: 300000000\r\n\r\n")

    assert status(line) == 200
    assert sent_until_cut(line, TOO_LONG) < 20_000_000


def test_whoever_sends_a_little_too_much_is_told(at: At) -> None:
    body = b"x" * (MOST_BYTES + 1)
    line = at.line(POST + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    assert status(line) == 413
    line.sendall(WHOLE)
    assert status(line) == 200


def test_no_line_has_endless_headers(at: At) -> None:
    line = at.line(GET)

    with suppress(ConnectionError):
        for number in range(100_000):
            line.sendall(b"X-%d: %s\r\n" % (number, b"x" * 1000))
        pytest.fail("All of them were taken.")


def test_nor_endless_names(at: At) -> None:
    assert status(at.line(NAME)) == 400  # nothing is left unread, which would reset it


def test_nor_many_headers(at: At) -> None:
    many = b"".join(b"x-%d: 1\r\n" % number for number in range(150))

    assert status(at.line(GET + many + b"\r\n")) == 431


def test_nobody_changes_to_another_protocol(at: At) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    key = (
        b"Sec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\nSec-WebSocket-Version: 13\r\n"
    )

    assert status(at.line(GET + upgrade + key + b"\r\n")) == 200


# The log


def record(words: str, at: float, *args: Any) -> logging.LogRecord:
    made = logging.LogRecord("x", logging.WARNING, "", 0, words, args, None)
    made.created = at
    return made


def test_the_log_says_the_same_a_few_times_a_minute() -> None:
    few = FewLines()
    written = [few.filter(record("Trouble.", at / 10)) for at in range(500)]

    assert written == [True] * MOST_LINES + [False] * (500 - MOST_LINES)
    assert few.filter(record("Other trouble of %s.", 50, "ann"))
    later = record("Trouble.", 100.0)
    assert few.filter(later)
    assert later.getMessage() == "Trouble. (480 more like it were left out before)"
    after = record("Trouble.", 100.0)
    assert few.filter(after)
    assert after.getMessage() == "Trouble."


def test_wrong_requests_do_not_fill_the_log(
    serving: Serving, capfd: pytest.CaptureFixture[str]
) -> None:
    at = serving(counting)
    upgrade = GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    with few_lines():
        for _ in range(100):
            assert status(at.line(b"no request\r\n\r\n")) == 400
            assert status(at.line(upgrade)) == 200

    assert capfd.readouterr().err.count("\n") <= 3 * MOST_LINES

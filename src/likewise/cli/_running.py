"""Which server serves a project, and how to get in."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import socket
import sys
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Thread
from typing import Literal, TypeAlias

from likewise.cli._places import named_errors
from likewise.errors import InputError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PORT = 8757
SERVING, LOCK = "serving", "serving.lock"  # files in the home of a project
STARTED_BY = "LIKEWISE_STARTED_BY"  # says to a child where the start page is
COMMAND = (sys.executable, "-c", "from likewise.cli import main; main()")
OURS = "likewise: "  # what a complaint begins with
N_LINES = 20  # of what a child said that are kept
PATIENCE = 40  # looks for the address of a server that has just begun
MOMENT = 0.05  # seconds between them
LAST_WISHES = 10.0  # seconds that a child has to end
SIGNS = 32  # of a signature: 128 bits
Status: TypeAlias = Literal["opening", "open", "failed"]


@dataclass(frozen=True)
class Passes:
    """Codes that let somebody into one server, for as long as it runs.

    Whoever can read the secret of a home can make them, so that a second start gets
    into the server of the first.

    Parameters
    ----------
    secret : bytes
        Of the home.
    mark : str
        What tells this server from all others.

    Examples
    --------
    >>> passes = Passes(b"0" * 32, "first")
    >>> passes.who(passes.new("ann")), Passes(b"0" * 32, "other").who(passes.new("ann"))
    ('ann', None)
    """

    secret: bytes = field(repr=False)
    mark: str = field(default_factory=lambda: secrets.token_hex(16))

    def new(self, who: str) -> str:
        """Return a code for a person; no two are the same."""
        name = urlsafe_b64encode(who.encode(errors="replace")).decode().rstrip("=")
        words = f"{name}.{secrets.token_urlsafe(16)}"
        return f"{words}.{self._signature(words)}"

    def who(self, code: str) -> str | None:
        """Return whose code it is, or None if it is none of these."""
        words, _, signature = code.rpartition(".")
        given = signature.encode(errors="replace")
        if not hmac.compare_digest(given, self._signature(words).encode()):
            return None
        name = words.partition(".")[0]
        return urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode()

    def _signature(self, words: str) -> str:
        signed = f"pass {self.mark} {words}".encode(errors="replace")
        return hmac.new(self.secret, signed, hashlib.sha256).hexdigest()[:SIGNS]


@dataclass(frozen=True)
class Running:
    """A server that has a project open.

    Attributes
    ----------
    name : str
        Of the project.
    root : str
        The address of its pages.
    mark : str
        See :class:`Passes`.
    has_password : bool
    pid : int
        Its process.
    """

    name: str
    root: str
    mark: str = field(repr=False)
    has_password: bool
    pid: int = field(default_factory=os.getpid)

    def address(self, secret: bytes, who: str) -> str:
        """Return an address that lets a person in, once."""
        code = (
            "" if self.has_password else f"?code={Passes(secret, self.mark).new(who)}"
        )
        return f"{self.root}enter{code}"


class Claim:
    """The lock by which one server of a home is known to the others.

    It ends with its process, however that ends: a killed server leaves no claim.

    Parameters
    ----------
    home : Path
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        with named_errors(home):
            self._file = (home / LOCK).open("a+b")
            self.is_ours = _is_locked(self._file.fileno())
            if self.is_ours:  # what a killed server told is true no longer
                (home / SERVING).unlink(missing_ok=True)

    def tell(self, running: Running) -> None:
        """Let others know where the server is; nothing where it is another's claim."""
        if not self.is_ours:
            return
        part = self._home / f"{SERVING}.{os.getpid()}"
        part.write_text(json.dumps(asdict(running)))
        part.replace(self._home / SERVING)

    def other(self) -> Running | None:
        """Return the server that has the claim; None where it tells nothing."""
        for _ in range(PATIENCE):
            with suppress(OSError, ValueError, TypeError):
                return Running(**json.loads((self._home / SERVING).read_text()))
            time.sleep(MOMENT)
        return None

    def close(self) -> None:
        """Give the claim up."""
        if self.is_ours:
            with suppress(OSError):
                (self._home / SERVING).unlink(missing_ok=True)
        self._file.close()


@contextmanager
def claimed(home: Path) -> Iterator[Claim]:
    """Claim a home until the block ends, or see who has."""
    claim = Claim(home)
    try:
        yield claim
    finally:
        claim.close()


def running_at(home: Path) -> Running | None:
    """Return the server of a home, if there is one."""
    if not (home / SERVING).exists():
        return None
    with claimed(home) as claim:
        return None if claim.is_ours else claim.other()


def _is_locked(file: int) -> bool:
    """Lock a file for this process; tell whether it was free."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def listening(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens; on any free port if none is named and ours is busy.

    Binding before anything else is known to be wrong keeps the printed address true.
    """
    if port is None:
        with suppress(InputError):
            return _bound(host, PORT)
    return _bound(host, port or 0)


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The last word lets asyncio send each reply at once (TCP_NODELAY), instead of when
    # the one before is acknowledged, 40 ms later.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen()  # the port is ours from now on, and early visitors wait
    except (OSError, OverflowError) as error:
        found.close()
        why = getattr(error, "strerror", None) or "no such port"
        raise InputError(
            f"Port {port} of {host} cannot be used ({why}): choose another one with "
            f"--port."
        ) from None
    return found


class Child:
    """A server that was started for one project, and ends with this process.

    What it says is kept; its address comes on its standard output. Its standard input
    is a pipe that ends with us, however we end.

    Parameters
    ----------
    *words : str
        Of the command.
    start : str
        Where the start page is.
    """

    def __init__(self, *words: str, start: str) -> None:
        self._said: deque[str] = deque(maxlen=N_LINES)
        self._url: str | None = None
        self._process = Popen(
            [*COMMAND, *words],
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            text=True,
            errors="replace",
            env={**os.environ, STARTED_BY: start},
        )
        self._readers = [
            Thread(target=read, daemon=True) for read in (self._hear, self._take)
        ]
        for reader in self._readers:
            reader.start()

    def _hear(self) -> None:
        for line in self._process.stderr or ():
            self._said.append(line.rstrip())

    def _take(self) -> None:
        for line in self._process.stdout or ():
            with suppress(ValueError, KeyError):
                self._url = json.loads(line)["url"]

    def look(self) -> tuple[Status, str, str | None]:
        """Return how far it is, in words, and the address once it is there."""
        is_over = self._process.poll() is not None
        for reader in self._readers if is_over else ():
            reader.join(LAST_WISHES)
        said = list(self._said)
        if self._url is not None:
            return "open", "It is open.", self._url
        if not is_over:
            doing = [line for line in said if not line.startswith("Open http")]
            return "opening", doing[-1] if doing else "Starting.", None
        wrong = [line.removeprefix(OURS) for line in said if line.startswith(OURS)]
        words = wrong[-1] if wrong else "It ended before it could be opened."
        return "failed", words, None

    def end(self) -> None:
        """Stop as Ctrl+C does."""
        self._process.terminate()
        with suppress(TimeoutExpired):
            self._process.wait(LAST_WISHES)


def started_by() -> str:
    """Return where the start page is that has started this process; or nothing."""
    return os.environ.get(STARTED_BY, "")


def end_with_parent(end: Callable[[], None]) -> None:
    """Call `end` when the process that has started this one is no more."""

    def wait() -> None:
        sys.stdin.read()  # until the pipe breaks
        end()

    Thread(target=wait, daemon=True).start()

"""Pictures opened in processes of their own, under a limit of memory and of time.

A file of a few kilobytes may unpack to a gigabyte, and a decoder may fall over. So
what others have made is not opened where answers are kept: two processes do that, no
more however many ask. Each starts when it is needed, and may take so much memory and
no more. One that dies is replaced, and the picture that it died of is named. They end
with the process that has started them: nothing is left to read for them then.

Where a system has no such limits (Windows; macOS does not keep them) what bounds a
process is the number of pixels, which is looked at before anything is unpacked.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import LifoQueue
from threading import Lock, Timer
from typing import IO, Any, TypeAlias

from likewise.encoders._pictures import (
    SHORT_EDGE,
    count_pages,
    open_picture,
    require_pillow,
    thumbnail,
)
from likewise.errors import UnreadableFileError

try:
    from PIL import Image
except ImportError:  # said when there is a picture to open
    Image = None  # type: ignore[assignment]

N_PROCESSES = 2  # pictures that are opened at a time
MEMORY = 1_500_000_000  # bytes: what the largest picture of any format may need
SECONDS = 60.0  # the slowest picture takes two
PIPE = 1_048_576  # bytes on their way: a small picture goes at once
TRIES = 2  # a process may have been ended by somebody else
WORK = "from likewise.encoders._apart import work; work()"
LENGTHS = struct.Struct(">IQ")  # of the words and of the bytes behind them
LONGEST_WORDS = 100_000

Words: TypeAlias = Mapping[str, Any]


def picture_apart(
    content: bytes,
    name: str = "The file",
    short_edge: int = SHORT_EDGE,
    page: int = 1,
) -> Image.Image:
    """Return a picture as `open_picture` does, opened in another process.

    Parameters
    ----------
    content : bytes
    name : str
        What errors call it.
    short_edge : int
    page : int
        Of a PDF, from 1 on.

    Raises
    ------
    UnreadableFileError
        As for `open_picture`, or it takes more memory or time than a picture does.
    """
    asked = {"what": "picture", "name": name, "edge": short_edge, "page": page}
    words, pixels = _processes.ask(asked, content)
    return Image.frombytes("RGB", tuple(words["size"]), pixels)


def pages_apart(content: bytes, name: str = "The file") -> int:
    """Return how many pages a PDF has, counted in another process.

    Raises
    ------
    UnreadableFileError
        As for `picture_apart`.
    """
    words, _ = _processes.ask({"what": "pages", "name": name}, content)
    return int(words["pages"])


def thumbnail_apart(path: Path, edge: int, page: int = 1) -> bytes:
    """Return a small JPEG as `thumbnail` does, made in another process.

    Whoever asks for one that is being made waits for it and gets the same.

    Parameters
    ----------
    path : Path
    edge : int
        The longer edge, in pixels.
    page : int
        Of a PDF, from 1 on.

    Raises
    ------
    UnreadableFileError
        As for `picture_apart`.
    """
    asked = {"what": "thumbnail", "path": str(path), "name": path.name, "edge": edge}
    which = (str(path), edge, page)
    return _shared(which, lambda: _processes.ask({**asked, "page": page}, b"")[1])


# One for all who ask at once

_lock = Lock()
_being_made: dict[tuple[str, int, int], Future[bytes]] = {}


def _shared(key: tuple[str, int, int], make: Callable[[], bytes]) -> bytes:
    with _lock:
        other = _being_made.get(key)
        mine: Future[bytes] = Future()
        if other is None:
            _being_made[key] = mine
    if other is not None:
        return other.result()
    try:
        mine.set_result(make())
    except BaseException as error:
        mine.set_exception(error)
    finally:
        with _lock:
            del _being_made[key]
    return mine.result()


# The processes


class Processes:
    """At most so many processes that open pictures, each with its limits.

    Parameters
    ----------
    n : int
    memory : int
        Bytes that each may take beyond what it starts with.
    seconds : float
        That each may take for a picture.
    """

    def __init__(
        self,
        n: int = N_PROCESSES,
        memory: int = MEMORY,
        seconds: float = SECONDS,
    ) -> None:
        self._memory = memory
        self._seconds = seconds
        self._idle: LifoQueue[_Process | None] = LifoQueue()  # None: not started yet
        for _ in range(n):
            self._idle.put(None)
        self._live: set[_Process] = set()

    def ask(self, asked: Words, content: bytes) -> tuple[Words, bytes]:
        """Return what a process replies; wait for one that has nothing to do."""
        require_pillow()
        process = self._idle.get()
        try:
            for _ in range(TRIES):
                process = process or self._started()
                reply = process.reply(asked, content, self._seconds)
                if reply is not None:
                    break
                self._end(process)
                process = None
        except BaseException as error:  # its reply would be taken for the next one's
            if process is not None:
                self._end(process)
                process = None
            if isinstance(error, TimeoutError):
                raise _too_slow(asked, self._seconds) from None
            raise
        finally:
            self._idle.put(process)
        return _checked(asked, reply)

    def end(self) -> None:
        """End all of them; whoever asks afterwards starts new ones."""
        for process in tuple(self._live):
            self._end(process)

    @property
    def ids(self) -> list[int]:
        """Their numbers, as the system counts."""
        return [process.pid for process in tuple(self._live)]

    def _started(self) -> _Process:
        process = _Process(self._memory)
        self._live.add(process)
        return process

    def _end(self, process: _Process) -> None:
        process.end()
        self._live.discard(process)


class _Process:
    """One process, and the way to it and back."""

    def __init__(self, memory: int) -> None:
        quiet = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        try:
            # -P: a module that lies in the user's folder is none of ours.
            self._running = subprocess.Popen(
                [sys.executable, "-P", "-c", WORK, str(memory)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **quiet},
            )
        except OSError as error:
            raise UnreadableFileError(
                f"No process can be started to open pictures ({error.strerror}): end "
                f"others and try again."
            ) from None
        self.pid = self._running.pid
        for way in (self._running.stdin, self._running.stdout):
            with suppress(ImportError, OSError):  # it is only faster so
                from fcntl import F_SETPIPE_SZ, fcntl

                fcntl(way or -1, F_SETPIPE_SZ, PIPE)

    def reply(
        self, asked: Words, content: bytes, seconds: float
    ) -> tuple[Words, bytes] | None:
        """Return what it says; None if it is dead, TimeoutError if it is too slow."""
        late = Timer(seconds, self._running.kill)
        late.daemon = True
        late.start()
        into, out = self._running.stdin, self._running.stdout
        assert into is not None and out is not None  # noqa: PT018 - for the types
        try:
            send(into, {**asked, "pixels": Image.MAX_IMAGE_PIXELS}, content)
            return receive(out)
        except (OSError, EOFError, ValueError):
            if late.finished.is_set():
                raise TimeoutError from None
            return None
        finally:
            late.cancel()

    def end(self) -> None:
        self._running.kill()
        with suppress(OSError):
            self._running.communicate()


def _checked(asked: Words, reply: tuple[Words, bytes] | None) -> tuple[Words, bytes]:
    if reply is None:
        raise UnreadableFileError(
            f"{asked['name']} cannot be opened, because its decoder breaks down: "
            f"convert it or leave it out."
        )
    if "error" in reply[0]:
        raise UnreadableFileError(reply[0]["error"])
    return reply


def _too_slow(asked: Words, seconds: float) -> UnreadableFileError:
    return UnreadableFileError(
        f"{asked['name']} takes more than {seconds:g} seconds to open: convert it or "
        f"leave it out."
    )


def send(file: IO[bytes], words: Words, content: bytes) -> None:
    """Write words and bytes so that `receive` reads them.

    Nothing but words and bytes goes between the two, and nothing that would be run.
    """
    packed = json.dumps(words).encode()
    file.write(LENGTHS.pack(len(packed), len(content)) + packed)
    file.write(content)
    file.flush()


def receive(file: IO[bytes]) -> tuple[Words, bytes]:
    """Return the words and the bytes that come next; EOFError if none do."""
    n_words, n_bytes = LENGTHS.unpack(_exactly(file, LENGTHS.size))
    if n_words > LONGEST_WORDS or n_bytes > MEMORY:
        raise ValueError("what comes is no message of ours")
    words = json.loads(_exactly(file, n_words))
    return words, _exactly(file, n_bytes)


def _exactly(file: IO[bytes], n_bytes: int) -> bytes:
    found = file.read(n_bytes)
    if len(found) < n_bytes:
        raise EOFError
    return found


_processes = Processes()
atexit.register(_processes.end)
if hasattr(os, "register_at_fork"):

    def _begin_anew() -> None:  # the pipes belong to the process before
        global _processes
        _processes = Processes()

    os.register_at_fork(after_in_child=_begin_anew)


# Inside such a process


def work() -> None:
    """Open pictures until nobody is left who wants one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other one decides when to stop
    warnings.simplefilter("ignore")  # errors are said, and nobody reads the rest
    into, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a decoder prints is no reply
    limit_memory(int(sys.argv[1]))
    with suppress(EOFError, BrokenPipeError):
        while True:
            asked, content = receive(into)
            send(out, *_answer(asked, content))


def _answer(asked: Words, content: bytes) -> tuple[Words, bytes]:
    Image.MAX_IMAGE_PIXELS = asked["pixels"]
    try:
        return _WAYS[asked["what"]](asked, content)
    except UnreadableFileError as error:
        return {"error": str(error)}, b""


def _picture(asked: Words, content: bytes) -> tuple[Words, bytes]:
    picture = open_picture(content, asked["edge"], asked["name"], asked.get("page", 1))
    return {"size": picture.size}, picture.tobytes()


def _thumbnail(asked: Words, _: bytes) -> tuple[Words, bytes]:
    return {}, thumbnail(Path(asked["path"]), asked["edge"], page=asked.get("page", 1))


def _pages(asked: Words, content: bytes) -> tuple[Words, bytes]:
    return {"pages": count_pages(content, asked["name"])}, b""


_WAYS = {"picture": _picture, "thumbnail": _thumbnail, "pages": _pages}


def limit_memory(n_bytes: int) -> None:
    """Refuse this process more memory than it has and so many bytes, where possible."""
    try:
        import resource
    except ImportError:  # Windows
        return
    most = _address_space() + n_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    with suppress(ValueError, OSError):  # macOS knows the limit and does not keep it
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int:
    """Return how many bytes of addresses this process has; a guess off Linux."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return MEMORY
    return pages * os.sysconf("SC_PAGE_SIZE")

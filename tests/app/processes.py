"""A server in a process of its own, and somebody who talks to it over plain HTTP.

Servers are forked off a process in which everything is imported already, so that a
start takes a moment, and a thousand of them some minutes.
"""

from __future__ import annotations

import json
import os
import random
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from tests.e2e.running import warm_context
from tests.problems import Tiny

STATUS = len("HTTP/1.1 200")
NAME = "table"
MOMENT = 0.01  # seconds between looks, so that the server gets on with its work
Log: TypeAlias = list[tuple[str | None, int | None]]


def write_table(folder: Path, tiny: Tiny) -> None:
    """Write what is to be sorted, with the truth in the last column."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        f"{x!r},{y!r},{k}"
        for (x, y), k in zip(tiny.X.tolist(), tiny.truth, strict=True)
    ]
    (folder / "table.csv").write_text("\n".join(["x,y,group", *rows]))


def serve(
    folder: Path,
    address: str,
    method: str,
    settings: Any,
    late: float,
    out: Connection,
) -> None:
    """Do what ``likewise app`` does, on a machine whose clock is late."""
    from likewise.app import PathSource
    from likewise.cli._serving import Listening, Sorting, run_app
    from likewise.errors import LikewiseError
    from likewise.items import Reading

    sys.stdout = os.fdopen(os.dup(out.fileno()), "w", buffering=1)
    sys.stderr = (folder / "stderr.txt").open("a", buffering=1)
    now = time.time
    time.time = lambda: now() - late
    table, vectors = folder / "table.csv", folder / "vectors"
    options = {"method": method, "n_clusters": None, "random_state": 0}
    sorting = Sorting(
        address,
        NAME,
        lambda: PathSource(table, "auto", vectors, Reading(label="group")),
        folder,
        options,
        settings,
    )
    here = Listening("127.0.0.1", 0, None, "ann", no_browser=True, as_json=True)
    try:
        run_app(sorting, here)
    except LikewiseError as error:
        print(error, file=sys.stderr)


@dataclass
class Running:
    """A server in a process of its own.

    Attributes
    ----------
    folder : Path
        Of the table, and of the database unless an address is given.
    method : str
    settings : dict
    address : str, optional
        Of a database.
    late : float
        Seconds by which its clock is behind.
    """

    folder: Path
    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    address: str = ""
    late: float = 0.0
    context: BaseContext = field(default_factory=warm_context)
    begins: Callable[..., None] = serve
    port: int = 0
    door: str = ""

    def __post_init__(self) -> None:
        self.address = self.address or f"sqlite:///{self.database}"

    @property
    def database(self) -> Path:
        """The file, where it is one."""
        return self.folder / "project.db"

    def start(self) -> None:
        if not self.try_to_start():
            raise AssertionError(self.errors())

    def try_to_start(self) -> bool:
        """Tell whether it has started; if not, the process has ended."""
        self.begin()
        with self._reader, os.fdopen(self._reader.fileno(), closefd=False) as lines:
            line = lines.readline()
        if not line:
            self._process.join()
            return False
        address = urlsplit(json.loads(line)["url"])
        self.port, self.door = address.port or 0, f"{address.path}?{address.query}"
        return True

    def errors(self) -> str:
        """Return what it has printed of errors."""
        return (self.folder / "stderr.txt").read_text()

    def begin(self) -> None:
        """Start a process that may be killed before it has said anything."""
        self._reader, writer = Pipe(duplex=False)
        self._process = self.context.Process(  # type: ignore[attr-defined]
            target=self.begins,
            args=(
                self.folder,
                self.address,
                self.method,
                self.settings,
                self.late,
                writer,
            ),
            daemon=True,
        )
        self._process.start()
        writer.close()

    def linger(self, seconds: float) -> None:
        """Let it go on for a while."""
        self._process.join(seconds)

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self._reader.close()

    def log(self) -> Log:
        """Return the id of every act in the database, and which question it closed."""
        from likewise.storage import open_store

        store = open_store(self.address)
        acts = store.project(NAME).acts()
        store.close()
        return [(act.client_id, act.closed) for act in acts]


@dataclass(frozen=True)
class Said:
    """An act on its way to the server."""

    path: str
    body: dict[str, Any]

    @property
    def mark(self) -> tuple[str, int | None]:
        """How it stands in the log."""
        return self.body["client_id"], self.body.get(
            "question", self.body.get("screen")
        )

    @property
    def content(self) -> bytes:
        return json.dumps(self.body).encode()


@dataclass
class Person:
    """Somebody who acts over plain HTTP, whichever server is running."""

    running: Running
    key: str = ""

    def enter(self) -> None:
        cookie = self._asked("GET", self.running.door).headers["set-cookie"]
        self.key = cookie.partition("=")[2].partition(";")[0]

    def state(self) -> Any:
        while True:
            state = self.get("/api/state")
            if state["status"] != "preparing":
                return state
            if state["preparing"]["error"]:
                raise AssertionError(state["preparing"]["error"])
            self.running.linger(MOMENT)

    def get(self, path: str) -> Any:
        return json.loads(self._asked("GET", path).content)

    def say(self, said: Said) -> Any:
        """Return the reply to an act, which must be that it was taken."""
        reply = self._asked("POST", said.path, said.content)
        body = json.loads(reply.content)
        if reply.status != 200 or body.get("notice"):
            raise AssertionError(f"{said} got {reply.status}: {body}")
        return body

    def begin_to_say(self, said: Said, moment: str, rng: random.Random) -> bool:
        """Stop anywhere on the way; tell whether the act was acknowledged."""
        head = "".join(f"{k}: {v}\r\n" for k, v in self._headers(said.content).items())
        sent = f"POST {said.path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode()
        sent += said.content
        address = "127.0.0.1", self.running.port
        with socket.create_connection(address, timeout=60) as line:
            if moment == "request":
                line.sendall(sent[: rng.randrange(len(sent))])
                return False
            line.sendall(sent)
            if moment == "work":
                sum(range(rng.randrange(1_000_000)))  # anywhere in the work
                return False
            return len(line.recv(rng.randint(1, 400))) >= STATUS

    def _headers(self, body: bytes) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }

    def _asked(self, method: str, path: str, body: bytes = b"") -> Any:
        line = HTTPConnection("127.0.0.1", self.running.port, timeout=60)
        line.request(method, path, body or None, self._headers(body))
        reply: Any = line.getresponse()
        reply.content = reply.read()
        line.close()
        return reply

"""How far one answer goes in the app: through which modules, in how many transactions.

    python -m benchmarks.path [--warm 15] [--answers 10]

Runs ``likewise app`` on a small table and in this process, up to the point where a
server would listen, and asks the app itself instead. After some answers to warm up,
each further one is followed from the request to the reply, in all threads: the modules
of ours in which a function was entered, and the transactions on SQLite. Printed are the
numbers for each answer, and for the last one all modules and transactions.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any
from unittest.mock import patch

import numpy as np
import uvicorn
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine, event

import likewise
from likewise.cli import main as likewise_main

HOME = Path(likewise.__file__).parent
N_GROUPS, N_EACH, SPREAD = 6, 15, 1.5
PASSWORD = "a password"
SETTLED = 1.0  # seconds after which the start has nothing more to do
WRITES = ("INSERT", "UPDATE", "DELETE", "BEGIN IMMEDIATE")


@dataclass
class Transaction:
    """What was said to the database between a beginning and an end."""

    statements: list[str] = field(default_factory=list)
    end: str = "open"

    @property
    def kind(self) -> str:
        """Whether it holds up others that write."""
        writes = any(words.startswith(WRITES) for words in self.statements)
        return "writes" if writes else "reads"


@dataclass
class Way:
    """Where one answer came by."""

    functions: set[tuple[str, str]] = field(default_factory=set)
    transactions: list[Transaction] = field(default_factory=list)

    @property
    def modules(self) -> list[str]:
        """The modules whose functions were entered."""
        return sorted({module for module, _ in self.functions})

    @property
    def n_writing(self) -> int:
        """How many transactions write."""
        return sum(one.kind == "writes" for one in self.transactions)


class Follower:
    """Notes functions and transactions while it is told to.

    A thread is followed if it was started after this.
    """

    def __init__(self) -> None:
        self._path: Way | None = None
        self._open: dict[int, Transaction] = {}
        threading.setprofile(self._entered)
        event.listen(Engine, "begin", self._begun)
        event.listen(Engine, "before_cursor_execute", self._said)
        for end in ("commit", "rollback"):
            event.listen(Engine, end, self._ended(end))

    @contextmanager
    def following(self) -> Iterator[Way]:
        """Give the path of what is done inside the block."""
        self._path = found = Way()
        try:
            yield found
        finally:
            self._path = None

    def _entered(self, frame: FrameType, what: str, _: Any) -> None:
        code, path = frame.f_code, self._path
        if path is None or what != "call" or code.co_name == "<module>":
            return
        file = Path(code.co_filename)
        if file.is_relative_to(HOME):
            path.functions.add((_module(file), code.co_qualname))

    def _begun(self, connection: Connection) -> None:
        if self._path is not None:
            self._open[id(connection)] = begun = Transaction()
            self._path.transactions.append(begun)

    def _said(self, connection: Connection, _: Any, statement: str, *__: Any) -> None:
        if id(connection) in self._open:
            self._open[id(connection)].statements.append(" ".join(statement.split()))

    def _ended(self, end: str) -> Callable[[Connection], None]:
        def ended(connection: Connection) -> None:
            if id(connection) in self._open:
                self._open.pop(id(connection)).end = end

        return ended


def _module(file: Path) -> str:
    parts = (HOME.name, *file.relative_to(HOME).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


class Person:
    """Somebody who gives the right answers."""

    def __init__(self, app: Any, classes: list[int]) -> None:
        self._browser = TestClient(app, "http://127.0.0.1")
        self._classes = classes
        self._n_answers = 0
        key = {"name": "ann", "password": PASSWORD}
        token = self._reply("POST", "/api/enter", json=key)["token"]
        self._browser.headers["Authorization"] = f"Bearer {token}"

    def wait(self) -> None:
        """Wait until there is a question."""
        while self._reply("GET", "/api/state")["status"] == "preparing":
            time.sleep(0.05)
        time.sleep(SETTLED)

    def answering(self) -> Callable[[], None]:
        """Return what sends the answer to the present question."""
        question = self._reply("GET", "/api/state")["question"]
        i, j = (self._classes[question[one]["item"]] for one in ("sample", "against"))
        self._n_answers += 1
        said = {
            "question": question["id"],
            "verdict": "same" if i == j else "different",
            "client_id": f"answer-{self._n_answers:08}",
        }
        return lambda: self._reply("POST", "/api/answer", json=said)

    def _reply(self, method: str, address: str, **said: Any) -> Any:
        reply = self._browser.request(method, address, **said)
        if not reply.is_success:
            raise SystemExit(
                f"{method} {address} got {reply.status_code}: {reply.text}"
            )
        return reply.json()


def write_table(file: Path) -> list[int]:
    """Write a table of overlapping groups, and return the group of each row."""
    rng = np.random.default_rng(0)
    classes = rng.permutation(np.repeat(np.arange(N_GROUPS), N_EACH))
    centres = rng.uniform(0, 12, size=(N_GROUPS, 3))
    X = centres[classes] + rng.normal(scale=SPREAD, size=(len(classes), 3))
    rows = [",".join(f"{x:.3f}" for x in row) for row in X]
    file.write_text("\n".join(["x,y,z", *rows]))
    return classes.tolist()


def paths(n_warm: int, n_answers: int) -> list[Way]:
    """Run the app, and return the path of each answer after the first ones."""
    found: list[Way] = []
    with TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        classes = write_table(table)
        home = {"LIKEWISE_HOME": folder, "LIKEWISE_PASSWORD": PASSWORD}
        words = ["likewise", "app", str(table), "--port", "0", "--no-browser"]
        words += ["--screens", "pairs", "--columns", "guessed"]

        def run(server: uvicorn.Server, **__: Any) -> None:
            person = Person(server.config.app, classes)
            person.wait()
            for _ in range(n_warm):
                person.answering()()
            for _ in range(n_answers):
                answer = person.answering()
                with follower.following() as path:
                    answer()
                found.append(path)

        follower = Follower()
        with (
            patch.object(uvicorn.Server, "run", run),
            patch.dict(os.environ, home),
            patch.object(sys, "argv", words),
        ):
            try:
                likewise_main()
            except SystemExit as ended:
                if ended.code:
                    raise
    return found


def show(found: list[Way]) -> None:
    """Print the numbers of each answer, and all of the last one."""
    print("| answer | modules | functions | transactions | of them writing |")
    print("|---|---|---|---|---|")
    for number, path in enumerate(found, start=1):
        counts = (len(path.modules), len(path.functions), len(path.transactions))
        print(f"| {number} | {' | '.join(map(str, counts))} | {path.n_writing} |")
    last = found[-1]
    print(f"\nThe last answer, {len(last.modules)} modules:\n")
    for module in last.modules:
        n_functions = sum(name == module for name, _ in last.functions)
        print(f"- {module} ({n_functions})")
    print(f"\n{len(last.transactions)} transactions:\n")
    for at, one in enumerate(last.transactions, start=1):
        print(f"{at}. {one.kind}, {one.end}")
        for words in one.statements:
            print(f"   - {words[:70]}")


def main() -> None:
    """Answer, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warm", type=int, default=15)
    parser.add_argument("--answers", type=int, default=10)
    given = parser.parse_args()
    show(paths(given.warm, given.answers))


if __name__ == "__main__":
    main()

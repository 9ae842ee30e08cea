"""Many people at once on the digits, all of whom answer as fast as they can.

    python -m benchmarks.crowd [--clients 20] [--answers 500]
        [--database sqlite|postgresql] [--think 0]

Starts a server (a process of its own, with a database on disk), lets the people sign
in, and has them answer truthfully over kept-alive connections until there are enough
answers. Printed are the answers a second, how long a reply to an answer took, how long
it took until the next question was there, how much memory the server had at the start
and at the end, and what an answer took early and late. The people are in this process,
so on a small machine they take part of what the server could use.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from likewise.cli._output import print_table, progress

PASSWORD = "a password"
WAIT = 0.02  # seconds before somebody without a question asks again
READY = 120.0  # seconds until the server must be there
WINDOW = 50  # answers before and after a number of acts that its median is over
LIMIT = 2**20  # bytes of a reply


def serve(url: str, folder: Path, port: int, checks: int | None) -> None:
    """Do what ``likewise demo`` does, in any database."""
    from likewise.app import DigitsSource
    from likewise.cli._serving import Listening, Sorting, run_app

    options = {"method": "likewise", "n_clusters": None, "random_state": 0}
    settings: dict[str, Any] = {"screens": "pairs"}
    settings |= {} if checks is None else {"checks": checks}
    run_app(
        Sorting(
            url,
            "digits",
            lambda: DigitsSource(folder / "pictures"),
            folder,
            options,
            settings,
        ),
        Listening("127.0.0.1", port, PASSWORD, "ann", no_browser=True, as_json=False),
    )


def free_port() -> int:
    """Return a port that nobody listens on."""
    from likewise.cli._running import listening

    with listening("127.0.0.1", 0) as bound:
        return int(bound.getsockname()[1])


class Line:
    """A kept-alive connection: as little as HTTP needs, to leave time to the server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.token = ""

    async def open(self) -> None:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._port, limit=LIMIT
        )

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the JSON of a reply."""
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
        if self.token:
            head += f"Authorization: Bearer {self.token}\r\n"
        if content:
            head += "Content-Type: application/json\r\n"
            head += f"Content-Length: {len(content)}\r\n"
        self._writer.write(head.encode() + b"\r\n" + content)
        reply = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = re.search(r"content-length: (\d+)", reply)
        found = await self._reader.readexactly(int(length[1]) if length else 0)
        return int(reply.split()[1]), json.loads(found) if found else None

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


@dataclass
class Crowd:
    """People who answer until there are enough answers.

    Attributes
    ----------
    posts : list of (int, float)
        For each answer: how many acts there were, and the seconds until the reply.
    turns : list of float
        For each answer: the seconds until the next question was there.
    """

    port: int
    n_answers: int
    think: float
    truth: Any
    posts: list[tuple[int, float]] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)
    is_over: bool = False

    async def enter(self, number: int) -> Line:
        """Sign somebody in, and let them look at their first question."""
        line = Line(self.port)
        await line.open()
        key = {"name": f"person {number}", "password": PASSWORD}
        line.token = (await line.ask("POST", "/api/enter", key))[1]["token"]
        await self._asked(line)
        line.close()
        return line

    async def person(self, number: int, line: Line, update: Any) -> None:
        """Answer, and ask for a question where the reply has none."""
        await line.open()
        state, began = await self._asked(line), time.perf_counter()
        at = 0
        while not self.is_over:
            if state["question"] is None:
                self.is_over = self.is_over or state["status"] == "settled"
                await asyncio.sleep(WAIT)
                state = await self._asked(line)
                continue
            if at:
                self.turns.append(time.perf_counter() - began)
            if self.think:
                await asyncio.sleep(self.think)
            at += 1
            began = time.perf_counter()
            state = await self._answered(line, state, f"{number:03}-{at:06}")
            update(len(self.posts), "")
            self.is_over = self.is_over or len(self.posts) >= self.n_answers
        line.close()

    async def _asked(self, line: Line) -> Any:
        code, state = await line.ask("GET", "/api/state")
        self.codes[code] += 1
        return state

    async def _answered(self, line: Line, state: Any, id_: str) -> Any:
        question = state["question"]
        i, j = (question[side]["item"] for side in ("sample", "against"))
        said = {
            "question": question["id"],
            "verdict": "same" if self.truth[i] == self.truth[j] else "different",
            "client_id": id_,
        }
        began = time.perf_counter()
        code, after = await line.ask("POST", "/api/answer", said)
        took = time.perf_counter() - began
        self.codes[code] += 1
        if code != 200:
            return await self._asked(line)
        if after["saved"]:
            self.posts.append((after["version"], took))
        return after

    def around(self, act: int) -> float:
        """Return the median seconds of the answers around an act."""
        near = [took for version, took in self.posts if abs(version - act) <= WINDOW]
        return float(np.median(near)) if near else float("nan")


async def ready(port: int) -> None:
    """Wait until the server has a first question."""
    until = time.monotonic() + READY
    while time.monotonic() < until:
        try:
            line = Line(port)
            await line.open()
            key = {"name": "nobody", "password": PASSWORD}
            line.token = (await line.ask("POST", "/api/enter", key))[1]["token"]
            while (await line.ask("GET", "/api/groups?members=0"))[0] != 200:
                await asyncio.sleep(0.1)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            line.close()
            return
    raise SystemExit("The server did not get ready.")


def memory_of(pid: int) -> float:
    """Return how much memory a process has, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else float("nan")


async def crowded(crowd: Crowd, n_clients: int, pid: int) -> tuple[float, float]:
    """Let people answer; return the seconds and the memory at the start."""
    await ready(crowd.port)
    lines = [await crowd.enter(number) for number in range(n_clients)]
    before = memory_of(pid)
    began = time.perf_counter()
    with progress("Answering", crowd.n_answers) as update:
        people = enumerate(lines)
        await asyncio.gather(*(crowd.person(at, line, update) for at, line in people))
    return time.perf_counter() - began, before


def show(crowd: Crowd, seconds: float, memory: tuple[float, float]) -> None:
    """Print the table."""
    posts = np.array([took for _, took in crowd.posts]) * 1000
    turns = np.array(crowd.turns) * 1000
    last = max(version for version, _ in crowd.posts)
    early, late = crowd.around(100) * 1000, crowd.around(last - WINDOW) * 1000
    rows = [
        ("answers", len(posts)),
        ("answers a second", f"{len(posts) / seconds:.1f}"),
        ("reply to an answer, p50 / p95, ms", _percentiles(posts)),
        ("until the next question, p50 / p95, ms", _percentiles(turns)),
        ("server at start / end, MB", f"{memory[0]:.0f} / {memory[1]:.0f}"),
        ("median around act 100, ms", f"{early:.0f}"),
        (f"median around act {last - WINDOW}, ms", f"{late:.0f}"),
        ("late / early", f"{late / early:.2f}"),
        ("replies", ", ".join(f"{n} of {code}" for code, n in crowd.codes.items())),
    ]
    print_table(("what", "how much"), rows)


def _percentiles(values: Any) -> str:
    p50, p95 = np.percentile(values, [50, 95])
    return f"{p50:.0f} / {p95:.0f}"


def address_of(database: str, folder: Path) -> str:
    """Return where the project is kept."""
    if database == "sqlite":
        return f"sqlite:///{folder / 'project.db'}"
    from tests.stores import postgresql_url

    return postgresql_url()


def main() -> None:
    """Serve, answer, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--think", type=float, default=0.0, help="seconds a question")
    parser.add_argument("--checks", type=int, help="one question in so many")
    parser.add_argument(
        "--database", choices=("sqlite", "postgresql"), default="sqlite"
    )
    given = parser.parse_args()
    truth = load_digits().target
    with TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        url = address_of(given.database, folder)
        process = get_context("spawn").Process(
            target=serve, args=(url, folder, port, given.checks), daemon=True
        )
        process.start()
        try:
            crowd = Crowd(port, given.answers, given.think, truth)
            pid = process.pid or 0
            seconds, before = asyncio.run(crowded(crowd, given.clients, pid))
            memory = before, memory_of(pid)
        finally:
            process.kill()
            process.join()
        show(crowd, seconds, memory)


if __name__ == "__main__":
    main()

"""Two servers of one project on PostgreSQL, and twenty readers who all answer at once.

    python -m benchmarks.servers [--seconds 60] [--samples 10000] [--readers 20]
        [--think 0]

Each server is a process of its own; half of the readers are at either. They answer
truthfully over kept-alive connections, at once or after some seconds of thought; then
they do not begin all at once. Printed are the answers a second, how long a
reply to an answer took (p50 and p95), how many pairs were second opinions, how many
pairs were before two readers at once, and how many were asked of two readers without
being a second opinion or a check: both of the latter must be 0, and the exit status is
1 if they are not. The readers are in this process, so on a small machine they take part
of what the servers could use.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.crowd import PASSWORD, Crowd, Line, free_port, ready
from benchmarks.piles import clouds

from likewise.cli._output import print_table, progress
from likewise.knowledge import Question, told_in
from likewise.session import is_second
from likewise.storage import Act, open_store

NAME = "clouds"


def serve(url: str, folder: Path, home: Path, port: int) -> None:
    """Do what ``likewise app`` does."""
    from likewise.app import PathSource
    from likewise.cli._serving import Listening, Sorting, run_app
    from likewise.items import Reading

    home.mkdir(exist_ok=True)
    options = {"method": "likewise", "n_clusters": None, "random_state": 0}
    run_app(
        Sorting(
            url,
            NAME,
            lambda: PathSource(folder / "X.npy", "auto", home / "vectors", Reading()),
            home,
            options,
            {"screens": "pairs"},
        ),
        Listening("127.0.0.1", port, PASSWORD, "ann", no_browser=True, as_json=False),
    )


@dataclass
class Desk:
    """What is before whom, at all servers."""

    held: dict[tuple[int, int], Line] = field(default_factory=dict)
    twice: list[tuple[int, int]] = field(default_factory=list)

    def take(self, line: Line, pair: tuple[int, int]) -> None:
        """Note what somebody has before them now."""
        other = self.held.setdefault(pair, line)
        if other is not line:
            self.twice.append(pair)

    def give(self, line: Line) -> None:
        """Note that somebody has answered what they had."""
        for pair in [pair for pair, whose in self.held.items() if whose is line]:
            del self.held[pair]


@dataclass
class Watched(Crowd):
    """The readers at one server, who note what is before them."""

    desk: Desk = field(default_factory=Desk)

    async def _asked(self, line: Line) -> Any:
        return self._noted(line, await super()._asked(line))

    async def _answered(self, line: Line, state: Any, id_: str) -> Any:
        # Others may have it from the moment on at which the answer is on its way.
        self.desk.give(line)
        return self._noted(line, await super()._answered(line, state, id_))

    def _noted(self, line: Line, state: Any) -> Any:
        question = state["question"]
        if question is not None:
            ends = sorted(question[side]["item"] for side in ("sample", "against"))
            self.desk.take(line, (ends[0], ends[1]))
        return state


def unasked_twice(acts: Iterable[Act]) -> tuple[int, int]:
    """Return how many answers are second opinions, and how many are doubled pairs.

    The latter are those of pairs that another reader was asked before, which are
    neither second opinions nor checks.
    """
    first: dict[tuple[int, int], str] = {}
    n_second = n_doubled = 0
    for act in acts:
        for answer in told_in(act.event):
            asked: Question = answer.question
            n_second += is_second(asked)
            is_other = first.setdefault(asked.pair, act.who) != act.who
            n_doubled += is_other and not asked.is_check
    return n_second, n_doubled


async def read(crowds: list[Watched], n_readers: int, seconds: float) -> float:
    """Let readers answer for so long; return the seconds that it took."""
    lines = []
    for number in range(n_readers):
        crowd = crowds[number % len(crowds)]
        lines.append((number, crowd, await crowd.enter(number)))
    began = time.perf_counter()
    with progress("Answering", round(seconds)) as update:

        def watch(*_: Any) -> None:
            update(min(round(time.perf_counter() - began), round(seconds)), "")

        async def end() -> None:
            await asyncio.sleep(seconds)
            for crowd in crowds:
                crowd.is_over = True

        async def begin(number: int, crowd: Watched, line: Line) -> None:
            # Nobody answers in step with all others.
            await asyncio.sleep(crowd.think * number / n_readers)
            await crowd.person(number, line, watch)

        working = [begin(*one) for one in lines]
        await asyncio.gather(end(), *working)
    return time.perf_counter() - began


@contextmanager
def two_servers(url: str, folder: Path) -> Iterator[list[int]]:
    """Start two servers, the second once the first has read the items."""
    context, ports = get_context("spawn"), [free_port(), free_port()]
    running = []
    try:
        for number, port in enumerate(ports):
            args = (url, folder, folder / f"home {number}", port)
            process = context.Process(target=serve, args=args, daemon=True)
            process.start()
            running.append(process)
            asyncio.run(ready(port))
        yield ports
    finally:
        for process in running:
            process.kill()
            process.join()


def main() -> None:
    """Serve, answer, and print."""
    from tests.stores import postgresql_url

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--readers", type=int, default=20)
    parser.add_argument("--think", type=float, default=0.0, help="seconds a question")
    given = parser.parse_args()
    X, y = clouds(given.samples)
    url = postgresql_url()
    with TemporaryDirectory() as name:
        folder, desk = Path(name), Desk()
        np.save(folder / "X.npy", X)
        with two_servers(url, folder) as ports:
            crowds = [
                Watched(port, sys.maxsize, given.think, y, desk=desk) for port in ports
            ]
            seconds = asyncio.run(read(crowds, given.readers, given.seconds))
        n_second, n_doubled = unasked_twice(open_store(url).project(NAME).acts())
    took = np.array([one for crowd in crowds for _, one in crowd.posts]) * 1000
    p50, p95 = np.percentile(took, [50, 95])
    codes = sum((crowd.codes for crowd in crowds[1:]), crowds[0].codes)
    rows = [
        ("answers", len(took)),
        ("answers a second", f"{len(took) / seconds:.1f}"),
        ("reply to an answer, p50 / p95, ms", f"{p50:.0f} / {p95:.0f}"),
        ("second opinions", n_second),
        ("pairs before two readers at once", len(desk.twice)),
        ("pairs asked of two that are no second opinion", n_doubled),
        ("replies", ", ".join(f"{n} of {code}" for code, n in codes.items())),
    ]
    print_table(("what", "how much"), rows)
    sys.exit(int(bool(desk.twice) or n_doubled > 0))


if __name__ == "__main__":
    main()

"""Processes that are killed, or that all begin at once, for the tests of databases.

A process of its own forks them, because only one without threads should.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from likewise.knowledge import Question, Renamed
from likewise.storage import OpenQuestion, open_store

N_KILLED = 20


def main(what: str, file: Path, seed: int) -> None:
    found = killed(file, random.Random(seed)) if what == "kill" else opened(file)
    print(json.dumps(found))


def killed(file: Path, rng: random.Random) -> list[str]:
    """Kill writers at any moment; return the ids of what they saw acknowledged."""
    store = open_store(file)
    store.create("leaves", {}, now=0.0)
    store.close()
    acknowledged: list[str] = []
    for run in range(N_KILLED):
        here, there = os.pipe()
        child = forked(partial(write_on, file, run, there))
        os.close(there)
        with os.fdopen(here) as lines:
            for _ in range(rng.randint(1, 12)):
                acknowledged += [lines.readline().strip()]
            sum(range(rng.randint(0, 200_000)))  # up to a few acts later
            os.kill(child, signal.SIGKILL)
            acknowledged += [line.strip() for line in lines]
        os.waitpid(child, 0)
    return acknowledged


def write_on(file: Path, run: int, there: int) -> None:
    project = open_store(file).project("leaves")
    wanted = OpenQuestion("ann", Question(1, 0), 9.0)
    (held,) = project.latest(0).questions or (None,)
    for at in count():
        id_ = f"{run}-{at}"
        held = held or project.open_question(wanted, now=0.0)
        project.act(
            Renamed(at, "oak"),
            who="ann",
            now=0.0,
            client_id=id_,
            closes=held.id if held else None,
        )
        os.write(there, f"{id_}\n".encode())
        held = None


def opened(file: Path) -> list[int]:
    """Let eight processes open each of five new files at once; return exit codes."""
    open_store(file).close()  # all imports are done before the race
    codes = []
    for run in range(5):
        fresh = file.with_name(f"fresh{run}.db")
        gate, hold = os.pipe()
        children = [forked(partial(open_behind, fresh, gate, hold)) for _ in range(8)]
        os.close(gate)
        os.close(hold)
        codes += [os.waitpid(child, 0)[1] for child in children]
    return [code for code in codes if code]


def open_behind(file: Path, gate: int, hold: int) -> None:
    os.close(hold)
    os.read(gate, 1)  # returns when the last process has let go of the other end
    open_store(file).projects()


def forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))

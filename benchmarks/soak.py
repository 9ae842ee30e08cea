"""A long session with a server that is killed again and again.

    python -m benchmarks.soak [--kills 1000] [--seed 0]

Somebody answers, picks groups, sets things aside, renames and undoes, while the server
(a real process, with a SQLite file on disk) is killed with SIGKILL: while an act is on
its way to it, while it works, while it replies, while nobody acts, and while it starts.
After each kill it is started again, and the log in the file and the question on the
page are compared with what was acknowledged. Exit status 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.app.killing import Killing, Mixed, moments
from tests.app.processes import Person, Running, write_table
from tests.problems import blobs

from likewise.cli._output import print_table, progress

SIZES = (12,) * 12  # of the groups in a pile; when all is settled, another is begun


@dataclass
class Tally:
    """What came of it, over all piles."""

    piles: list[Killing] = field(default_factory=list)

    @property
    def moments(self) -> Counter[str]:
        """How often the server was killed when."""
        return sum((pile.moments for pile in self.piles), Counter())

    @property
    def n_kills(self) -> int:
        """How many processes were killed: two for one that was killed in its start."""
        return self.moments.total() + self.moments["start"]

    def total(self, name: str) -> int:
        """Return a number, or how many of something there are, over all piles."""
        found = [getattr(pile, name) for pile in self.piles]
        return sum(one if isinstance(one, int) else len(one) for one in found)

    @property
    def wrong(self) -> list[str]:
        """What was not as it should be."""
        return [words for pile in self.piles for words in pile.wrong]


def soak(
    folder: Path, n_kills: int, seed: int, watch: Callable[[Tally], None]
) -> Tally:
    """Sort piles until the server was killed often enough."""
    tally = Tally()
    while tally.n_kills < n_kills:
        number = len(tally.piles)
        rng = random.Random(f"{seed}/{number}")
        pile = begun(folder / str(number), rng)
        tally.piles.append(pile)
        pile.begin()
        for moment in moments(rng):
            if tally.n_kills >= n_kills or not pile.go_on(moment):
                break
            watch(tally)
        end(pile)
    return tally


def begun(folder: Path, rng: random.Random) -> Killing:
    """Return somebody at a new pile."""
    tiny = blobs(SIZES, spread=1.5, seed=rng.randrange(2**32))
    write_table(folder, tiny)
    person = Person(Running(folder, "likewise"))
    return Killing(person, Mixed(person, tiny.truth.tolist(), rng), rng)


def end(pile: Killing) -> None:
    """Look a last time, at the file alone."""
    running = pile.person.running
    running.kill()
    if running.log() != pile.acknowledged:
        pile.wrong.append("The log at the end is not what was acknowledged.")
    if "Traceback" in (running.folder / "stderr.txt").read_text():
        pile.wrong.append("A server has printed a traceback.")


def show(tally: Tally, seconds: float) -> None:
    """Print the table."""
    when = ", ".join(f"{moment} {n}" for moment, n in sorted(tally.moments.items()))
    rows = [
        ("kills", tally.n_kills),
        ("  at moments", when),
        ("piles", len(tally.piles)),
        ("acts acknowledged", tally.total("acknowledged")),
        ("  lost", tally.total("lost")),
        ("  doubled", tally.total("doubled")),
        ("acts whose reply was cut off, recorded", tally.total("n_recorded")),
        ("acts whose reply was cut off, not recorded", tally.total("n_unrecorded")),
        ("otherwise wrong", len(tally.wrong)),
        ("seconds", f"{seconds:.0f}"),
        ("kills a second", f"{tally.n_kills / seconds:.2f}"),
    ]
    print_table(("what", "how many"), rows)
    for words in tally.wrong[:20]:
        print(words)


def main() -> None:
    """Kill, look, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for the servers
    began = time.perf_counter()
    with (
        TemporaryDirectory() as folder,
        progress("Killing servers", given.kills) as update,
    ):
        tally = soak(
            Path(folder),
            given.kills,
            given.seed,
            lambda now: update(now.n_kills, f"{now.total('acknowledged')} acts"),
        )
    show(tally, time.perf_counter() - began)
    sys.exit(1 if tally.wrong or tally.total("lost") or tally.total("doubled") else 0)


if __name__ == "__main__":
    main()

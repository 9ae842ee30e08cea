"""A long session with a server that is killed again and again.

    python -m benchmarks.soak [--kills 1000] [--seed 0] [--database sqlite|postgresql]

Somebody answers, looks through sheets, compares groups on overviews, picks groups, sets
things aside, renames and undoes, while the server (a real process) is killed with
SIGKILL: while an act is on its way to it, while it works, while it replies, while
nobody acts, and while it starts. After every second kill
something happens to the database meanwhile: the clock is set back or forward, and to a
SQLite file that its write-ahead log is lost, cut off or garbled, or that it is emptied,
lost, garbled or exchanged; a server that is started then must say so, or have
everything. What was damaged is put back, a server is started again, and the log in the
database and the question on the page are compared with what was acknowledged. Exit
status 1 if anything was lost, or a server has begun before the last act without a word.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.app.killing import HARMS, Killing, Mixed, moments
from tests.app.processes import Person, Running, write_table
from tests.problems import blobs
from tests.stores import postgresql_url

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

    @property
    def paths(self) -> Counter[str]:
        """How many acts were sent where."""
        return sum((pile.paths for pile in self.piles), Counter())

    def total(self, name: str) -> int:
        """Return a number, or how many of something there are, over all piles."""
        found = [getattr(pile, name) for pile in self.piles]
        return sum(one if isinstance(one, int) else len(one) for one in found)

    @property
    def wrong(self) -> list[str]:
        """What was not as it should be."""
        return [words for pile in self.piles for words in pile.wrong]

    def by_harm(self, name: str) -> Counter[str]:
        """Return how often something came of each harm, over all piles."""
        return sum((getattr(pile, name) for pile in self.piles), Counter())


def soak(
    folder: Path, n_kills: int, seed: int, kind: str, watch: Callable[[Tally], None]
) -> Tally:
    """Sort piles until the server was killed often enough."""
    tally = Tally()
    while tally.n_kills < n_kills:
        number = len(tally.piles)
        rng = random.Random(f"{seed}/{number}")
        pile = begun(folder / str(number), kind, rng)
        tally.piles.append(pile)
        pile.begin()
        for moment in moments(rng):
            if tally.n_kills >= n_kills or not pile.go_on(moment):
                break
            watch(tally)
        end(pile)
    return tally


def begun(folder: Path, kind: str, rng: random.Random) -> Killing:
    """Return somebody at a new pile."""
    tiny = blobs(SIZES, spread=1.5, seed=rng.randrange(2**32))
    write_table(folder, tiny)
    is_file = kind == "sqlite"
    address = "" if is_file else postgresql_url()
    person = Person(Running(folder, "likewise", address=address))
    mixed = Mixed(person, tiny.truth.tolist(), rng)
    harms = ("clock", *HARMS) if is_file else ("clock",)
    return Killing(person, mixed, rng, harms=harms)


def end(pile: Killing) -> None:
    """Look a last time, at the file alone."""
    running = pile.person.running
    running.kill()
    if running.log() != pile.acknowledged:
        pile.wrong.append("The log at the end is not what was acknowledged.")
    if "Traceback" in running.errors():
        pile.wrong.append("A server has printed a traceback.")


def show(tally: Tally, seconds: float) -> None:
    """Print the table."""
    when = ", ".join(f"{moment} {n}" for moment, n in sorted(tally.moments.items()))
    rows = [
        ("kills", tally.n_kills),
        ("  at moments", when),
        ("piles", len(tally.piles)),
        ("acts acknowledged", tally.total("acknowledged")),
        *((f"  {path}", n) for path, n in tally.paths.most_common()),
        ("  lost", tally.total("lost")),
        ("  doubled", tally.total("doubled")),
        ("acts whose reply was cut off, recorded", tally.total("n_recorded")),
        ("acts whose reply was cut off, not recorded", tally.total("n_unrecorded")),
        ("otherwise wrong", len(tally.wrong)),
        *(
            (f"{kind}: refused, nothing missing", _both(tally, kind))
            for kind in tally.by_harm("harmed")
        ),
        ("began too early without a word", tally.total("silent")),
        ("seconds", f"{seconds:.0f}"),
        ("kills a second", f"{tally.n_kills / seconds:.2f}"),
    ]
    print_table(("what", "how many"), rows)
    silent = [words for pile in tally.piles for words in pile.silent]
    for words in (tally.wrong + silent)[:20]:
        print(words)


def _both(tally: Tally, kind: str) -> str:
    refused, unharmed = (tally.by_harm(name)[kind] for name in ("refused", "unharmed"))
    return f"{refused}, {unharmed} of {tally.by_harm('harmed')[kind]}"


def main() -> None:
    """Kill, look, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    databases = ("sqlite", "postgresql")
    parser.add_argument("--database", choices=databases, default="sqlite")
    given = parser.parse_args()
    began = time.perf_counter()
    with (
        TemporaryDirectory() as folder,
        progress("Killing servers", given.kills) as update,
    ):
        tally = soak(
            Path(folder),
            given.kills,
            given.seed,
            given.database,
            lambda now: update(now.n_kills, f"{now.total('acknowledged')} acts"),
        )
    show(tally, time.perf_counter() - began)
    faults = ("wrong", "lost", "doubled", "silent")
    sys.exit(1 if any(tally.total(fault) for fault in faults) else 0)


if __name__ == "__main__":
    main()

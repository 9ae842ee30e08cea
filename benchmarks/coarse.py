"""What a coarse start brings, and what it costs in quality.

    python -m benchmarks.coarse [--samples 30000] [--spread 1.5] [--part 3000]
                                [--first 20] [--answers 60] [--seeds 3]
    python -m benchmarks.coarse --set mnist --data FOLDER --part 600
    python -m benchmarks.coarse --samples 1000000 --alone

For each seed, right answers to so many questions: all asked by a session on all
samples, or the first of them by one on a part, whose journal the other goes on with.
Prints processor seconds to the first question, and Jaccard. The number of groups is
unknown. A set is one of ``benchmarks.sets``. With ``--alone`` only the seconds of a
part are printed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.piles import clouds
from benchmarks.sets import add_suite
from threadpoolctl import threadpool_limits

from likewise import Session, _regime, jaccard
from likewise._arrays import Indices
from likewise.datasets import load
from likewise.knowledge import Journal, MemoryJournal
from likewise.methods import Problem, problem_of
from likewise.session import coarse_session


def took(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what some work returns, and its processor seconds."""
    begun = time.process_time()
    made = work()
    return made, time.process_time() - begun


def answered(session: Session, y: Indices, n: int) -> float:
    """Answer rightly until there are n answers; return Jaccard."""
    while session.n_questions < n and (question := session.ask()) is not None:
        session.tell(question, bool(y[question.sample] == y[question.against]))
    return jaccard(y, session.labels)


def begun(session: Session | None) -> Session:
    """Return a session that has its first question."""
    assert session is not None  # nothing was answered before
    session.ask()
    return session


def early_of(X: Any, journal: Journal, seed: int, given: Any) -> Session | None:
    """Return a session on a part."""
    return coarse_session(X, journal, count=given.part, random_state=seed)


def compared(
    X: Any, y: Indices, problem: Problem, seed: int, given: Any
) -> list[float]:
    """Return a row of the table."""
    whole, seconds = took(lambda: begun(Session(problem, random_state=seed)))
    journal = MemoryJournal()
    early, seconds_early = took(lambda: begun(early_of(X, journal, seed, given)))
    first = answered(early, y, given.first)
    after = Session(problem, random_state=seed, journal=journal)
    taken = answered(after, y, given.first)
    alone = answered(whole, y, given.first)
    ends = answered(whole, y, given.answers), answered(after, y, given.answers)
    return [seconds, seconds_early, alone, first, taken, *ends]


COLUMNS = (
    "first question, all: s",
    "a part: s",
    "J at first, all",
    "a part",
    "taken over",
    "J in the end, all",
    "begun with a part",
)


def main() -> None:
    """Print a row for each seed, and their means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=30_000)
    parser.add_argument("--spread", type=float, default=1.5)
    parser.add_argument("--set")
    parser.add_argument("--data")
    parser.add_argument("--part", type=int, default=3000)
    parser.add_argument("--first", type=int, default=20)
    parser.add_argument("--answers", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    _regime.COARSE_FROM = 0  # few samples are begun with as many are
    add_suite()
    with threadpool_limits(1):
        if given.set:
            found = load(given.set, data=given.data)
            X: Any = np.asarray(found.X)
            y = found.y
        else:
            X, y = clouds(given.samples, spread=given.spread)
        if given.alone:
            _, seconds = took(lambda: begun(early_of(X, MemoryJournal(), 0, given)))
            print(f"{len(X):,} samples: {seconds:.1f} s to the first question.")
            return
        problem, seconds = took(lambda: problem_of(X, affinity="auto", n_clusters=None))
        print(f"{len(X):,} samples, {X.shape[1]} features; graph {seconds:.1f} s.\n")
        print(f"| seed | {' | '.join(COLUMNS)} |\n{'|---' * (len(COLUMNS) + 1)}|")
        rows = []
        for seed in range(given.seeds):
            rows.append(compared(X, y, problem, seed, given))
            show(str(seed), rows[-1])
        show("mean", np.mean(rows, axis=0).tolist())


def show(name: str, row: list[float]) -> None:
    """Print a row."""
    seconds, scores = row[:2], row[2:]
    cells = [f"{s:.1f}" for s in seconds] + [f"{score:.3f}" for score in scores]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

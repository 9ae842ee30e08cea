"""Scores from elsewhere: questions to a level, with and without what answers teach.

    python -m benchmarks.scored
    python -m benchmarks.scored --sets sightings --methods lca --json scored.json
    python -m benchmarks.scored --sets sightings --methods wbia-lca --checkouts FOLDER

Sets of cosines, which a matcher could have given. *digits*: 500 handwritten digits, ten
groups. *sightings*: 80 animals made up, each seen three times, 16 numbers a sighting,
noise of three quarters of their size. *faces*: 300 of those of ``face-1``, 50 people,
by a network that recognises faces; with LIKEWISE_DATA where they are. The number of
groups is not told. Ways:

- scores: ``Session(scores=...)``;
- as they came: the same, but what a score means is never learned;
- weights: ``affinity="precomputed"``, negative cosines cut to 0;
- features: the samples themselves, which a matcher's user may not have.

*duplicates* is asked with scores only. So is *wbia-lca*, the LCA of Wildbook itself;
``--checkouts FOLDER`` names a folder with a copy of the repository wbia-plugin-lca (its
package has no code in it). What scores mean is no question of its own there: it is told
so with as many labelled sightings of other animals, which ours does without.

The Jaccard coefficient after so many true answers, mean of some seeds; seconds of the
processor for all of them. With --json what is measured is kept in a file, and what
stands there is not measured again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.kept import command, keep, kept_in
from benchmarks.others import Reader, SpentError, quiet, reach, wildbook
from sklearn.metrics.pairwise import cosine_similarity
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, jaccard, run
from likewise._arrays import Floats, Indices
from likewise.datasets import load
from likewise.methods import _scored

MARKS = (0, 20, 50, 100, 150)
METHODS = ("likewise", "lca", "duplicates", "urasc+n")
WILDBOOK = "wbia-lca"
WAYS = ("scores", "as they came", "weights", "features")
ONLY = {WILDBOOK: WAYS[:1], "duplicates": WAYS[:1]}  # both have a fit of their own
NEVER = 1 << 60


def digits(seed: int) -> tuple[Floats, Indices]:
    """Return some handwritten digits, and which each is."""
    data, rng = load("digits"), np.random.default_rng(seed)
    kept = rng.permutation(len(data.y))[:500]
    return data.X[kept], data.y[kept]


def sightings(seed: int, noise: float = 0.75) -> tuple[Floats, Indices]:
    """Return what was seen of animals, and which animal each is."""
    rng = np.random.default_rng(seed)
    animals = rng.standard_normal((80, 16))
    animals /= np.linalg.norm(animals, axis=1, keepdims=True)
    truth = np.repeat(np.arange(80), 3)
    X = animals[truth] + noise / 4 * rng.standard_normal((240, 16))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    order = rng.permutation(240)
    return X[order], truth[order]


def faces(seed: int) -> tuple[Floats, Indices]:
    """Return some faces, and whose each is."""
    data, rng = load("face-1"), np.random.default_rng(seed)
    kept = rng.permutation(len(data.y))[:300]
    return data.X[kept], data.y[kept]


SETS = {"digits": digits, "sightings": sightings, "faces": faces}


@contextmanager
def learning(*, is_on: bool) -> Iterator[None]:
    """Let answers say what scores mean, or not."""
    before = _scored.FIRST
    _scored.FIRST = before if is_on else NEVER
    try:
        yield
    finally:
        _scored.FIRST = before


def begun(X: Floats, way: str, method: str) -> Session:
    """Return a session on samples, or on what a matcher says of them."""
    if way == "features":
        return Session(X, method)
    cosines = cosine_similarity(X)
    if way == "weights":
        return Session(np.maximum(cosines, 0), method, affinity="precomputed")
    return Session(scores=cosines, method=method)


def curve(name: str, way: str, method: str, seed: int) -> list[float]:
    """Return the Jaccard coefficient at each of the marks."""
    X, y = SETS[name](seed)
    with learning(is_on=way != "as they came"):
        session = begun(X, way, method)
        found = [jaccard(y, session.labels)]
        for asked, view in enumerate(run(session, LabelOracle(y), MARKS[-1]), 1):
            if asked in MARKS:
                found.append(jaccard(y, view.labels))
    return found


def theirs(name: str, seed: int) -> list[float]:
    """Return the same of Wildbook's LCA, which ends when it is sure."""
    (X, y), (others, known) = SETS[name](seed), SETS[name](seed + 100)
    reader = Reader(y, marks=MARKS)
    with quiet(), suppress(SpentError):
        wildbook(cosine_similarity(X), (cosine_similarity(others), known), reader)
    found = [score for score, _ in reader.scores.values()]
    return [*found, *found[-1:] * len(MARKS)][: len(MARKS)]


def measured(name: str, method: str, way: str, seeds: int) -> dict[str, Any]:
    """Return the means of one cell."""
    start = time.process_time()
    with threadpool_limits(1):
        runs = [
            theirs(name, seed) if method == WILDBOOK else curve(name, way, method, seed)
            for seed in range(seeds)
        ]
    return {
        "set": name,
        "method": method,
        "way": way,
        "questions": MARKS,
        "jaccard": np.mean(runs, axis=0).round(3).tolist(),
        "seconds": round(time.process_time() - start, 1),
    }


def cells(
    sets: Sequence[str], methods: Sequence[str], ways: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Return what is to be measured."""
    found = product(sets, methods, ways)
    return [cell for cell in found if cell[2] in ONLY.get(cell[1], WAYS)]


def main() -> None:
    """Print a row for each set, method and way."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--checkouts", type=Path, help="folder of repositories")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if args.checkouts:
        reach(args.checkouts)
    before = kept_in(args.json) if args.json and args.json.exists() else {"rows": []}
    rows: list[dict[str, Any]] = before["rows"]
    commands = [*dict.fromkeys([*before.get("commands", []), command()])]
    known = {(row["set"], row["method"], row["way"]): row for row in rows}
    print(f"| set | method | way | {' | '.join(map(str, MARKS))} | seconds |")
    for cell in cells(args.sets, args.methods, args.ways):
        row = known.get(cell) or measured(*cell, args.seeds)
        rows += [row] * (cell not in known)
        shown = " | ".join(f"{value:.3f}" for value in row["jaccard"])
        print(f"| {' | '.join(cell)} | {shown} | {row['seconds']} |", flush=True)
        if args.json:
            keep(args.json, rows, commands=commands, seeds=args.seeds)


if __name__ == "__main__":
    main()

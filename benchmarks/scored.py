"""Scores from elsewhere: questions to a level, with and without what answers teach.

    python -m benchmarks.scored
    python -m benchmarks.scored --sets sightings --methods lca --json scored.json

Two sets of cosines, which a matcher could have given. *digits*: 500 handwritten digits,
ten groups. *sightings*: 80 animals made up, each seen three times, 16 numbers a
sighting, noise of three quarters of their size. The number of groups is not told. Ways:

- scores: ``Session(scores=...)``;
- as they came: the same, but what a score means is never learned;
- weights: ``affinity="precomputed"``, negative cosines cut to 0;
- features: the samples themselves, which a matcher's user may not have.

The Jaccard coefficient after so many true answers, mean of some seeds; seconds of the
processor for all of them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.kept import keep
from sklearn.metrics.pairwise import cosine_similarity
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, jaccard, run
from likewise._arrays import Floats, Indices
from likewise.datasets import load
from likewise.methods import _scored

MARKS = (0, 20, 50, 100, 150)
METHODS = ("likewise", "lca", "duplicates", "urasc+n")
WAYS = ("scores", "as they came", "weights", "features")
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


SETS = {"digits": digits, "sightings": sightings}


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


def main() -> None:
    """Print a row for each set, method and way."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print(f"| set | method | way | {' | '.join(map(str, MARKS))} | seconds |")
    for name in args.sets:
        for method in args.methods:
            for way in args.ways:
                start = time.process_time()
                with threadpool_limits(1):
                    runs = [curve(name, way, method, s) for s in range(args.seeds)]
                seconds = round(time.process_time() - start, 1)
                mean = np.mean(runs, axis=0).round(3).tolist()
                rows.append(
                    {"set": name, "method": method, "way": way, "questions": MARKS}
                    | {"jaccard": mean, "seconds": seconds}
                )
                shown = " | ".join(f"{value:.3f}" for value in mean)
                print(
                    f"| {name} | {method} | {way} | {shown} | {seconds} |", flush=True
                )
    if args.json:
        keep(args.json, rows, seeds=args.seeds)


if __name__ == "__main__":
    main()

"""The graph of nearest neighbours: time, memory and recall, by the number of samples.

    python -m benchmarks.graph [--samples 10000 100000] [--features 64] [--edges 10]
                               [--device cuda]
    python -m benchmarks.graph --coarsen

Fifty overlapping clouds of intrinsic dimension 12, in random order, each size in a
process of its own that finds the features in memory. Seconds are those of one core;
memory is the peak above the features (this needs Linux); recall is measured on 500
samples by an exact search. The ratio is to scikit-learn comparing 2,000 samples with
all, in the same run and taken times n / 2,000. With `--device`, neighbours are searched
there, with seconds on the wall and all cores, for the others too. `--keep FOLDER`
writes the features (X.npy), the clouds (y.npy), weights.npz and neighbours.npz of the
last size.

`--coarsen` shows what representatives cost: the Jaccard score of all samples and of
representatives whose labels are spread, without a question and after 100 answers; how
alike both are; and the best that labels of these representatives could reach.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import scipy.sparse as sp
from benchmarks.piles import clouds
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, jaccard
from likewise._arrays import AnyFloats, Indices
from likewise.affinity import (
    DEVICES,
    N_EDGES,
    N_SHARES,
    directed_weights,
    has_faiss,
    nearest_neighbours,
    torch_for,
)
from likewise.affinity._graph import local_scale, neighbour_graph
from likewise.affinity._knn import recall_of, search_for
from likewise.distributed import representatives, spread

N_YARDSTICK = 2000
N_ANSWERS = 100
STEPS = "search", "graph"


@dataclass(frozen=True)
class Measured:
    """What one graph took, in seconds and bytes."""

    kind: str
    seconds: dict[str, float]
    yardstick: float
    memory: int
    recall: float
    per_sample: float


@dataclass
class Stopwatch:
    """Seconds by the name of a step: of one core, or on the wall."""

    clock: Callable[[], float]
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time a step."""
        start = self.clock()
        yield
        self.seconds[name] = self.clock() - start


def measured(folder: Path, n_edges: int, device: str) -> Measured:
    """Return what the graph of the features in a folder takes, and write it there."""
    X, on_wall = np.load(folder / "X.npy"), device != "cpu"
    watch = Stopwatch(time.perf_counter if on_wall else time.process_time)
    if has_faiss():
        import faiss  # its threads are limited only once they are there  # noqa: F401
    if on_wall:
        torch_for(device)  # to load torch and to wake a card is not measured
    with threadpool_limits(None if on_wall else 1):
        before = _forgotten_peak()
        with watch("search"):
            near = nearest_neighbours(X, max(N_SHARES, n_edges), device=device)
        with watch("graph"):
            scale = local_scale(near)
            graph = neighbour_graph(X, near, scale, n_edges)
        shares = directed_weights(near, scale)
        memory = _peak() - before
        sp.save_npz(folder / "weights.npz", graph, compressed=False)
        sp.save_npz(folder / "neighbours.npz", shares, compressed=False)
        recall = recall_of(X, near, rng=np.random.default_rng(0))
        with watch("yardstick"):
            some = NearestNeighbors(algorithm="brute").fit(X)
            some.kneighbors(X[:N_YARDSTICK], near.indices.shape[1])
    yardstick = watch.seconds.pop("yardstick") * len(X) / min(len(X), N_YARDSTICK)
    kind, per_sample = search_for(X, device).kind, graph.nnz / len(X)
    return Measured(kind, watch.seconds, yardstick, memory, recall, per_sample)


def _forgotten_peak() -> int:
    """Return the memory of this process, from where its peak is measured anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def table(asked: argparse.Namespace) -> None:
    """Print a row for each size."""
    d = asked.features
    print(
        f"{'n':>8} {'d':>4} {'search':9} {'edges':>5} {'seconds':>8} "
        f"{'= search':>8} {'+ graph':>8} {'ratio':>6} "
        f"{'MB':>6} {'recall':>6}"
    )
    for n in asked.samples:
        with TemporaryDirectory() as temporary:
            folder = asked.keep or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            X, y = clouds(n, d)
            np.save(folder / "X.npy", X)
            np.save(folder / "y.npy", y)
            del X
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
                found = apart.submit(
                    measured, folder, asked.edges, asked.device
                ).result()
        total = sum(found.seconds.values())
        steps = " ".join(f"{found.seconds[step]:8.2f}" for step in STEPS)
        print(
            f"{n:8} {d:4} {found.kind:9} {found.per_sample:5.1f} {total:8.2f} {steps} "
            f"{total / found.yardstick:6.3f} {found.memory / 1e6:6.0f} "
            f"{found.recall:6.4f}",
            flush=True,
        )


def coarsen() -> None:
    """Print what representatives cost, on digits and on a mixture."""
    print(
        f"{'samples':16} {'n':>6} {'of all samples':>16} {'representatives':>16} "
        f"{'both alike':>16} {'at best':>8} {'seconds: all':>13} {'few':>6}"
    )
    X, y = load_digits(return_X_y=True)
    _loss("digits", X, y, 500)
    _loss("10 clouds", *clouds(50_000, 64, n_clouds=10), 2000)


def _loss(name: str, X: AnyFloats, y: Indices, n: int) -> None:
    """Print Jaccard scores without a question and after 100, one behind the other."""
    with threadpool_limits(1):
        start = time.process_time()
        whole = _labels(X, y)
        middle = time.process_time()
        few = representatives(X, n)
        found = _labels(few.centres, y[few.samples])
        end = time.process_time()
    spreads = [spread(labels, few.assignment) for labels in found]
    votes = np.zeros((len(few.centres), y.max() + 1), dtype=int)
    np.add.at(votes, (few.assignment, y), 1)
    best = jaccard(y, spread(votes.argmax(axis=1), few.assignment))
    columns = [
        "  ".join(f"{jaccard(a, b):6.3f}" for a, b in pairs)
        for pairs in (
            [(y, labels) for labels in whole],
            [(y, labels) for labels in spreads],
            zip(whole, spreads, strict=True),
        )
    ]
    print(
        f"{name:16} {len(few.centres):6} {' '.join(f'{pair:>16}' for pair in columns)} "
        f"{best:8.3f} {middle - start:13.1f} {end - middle:6.1f}",
        flush=True,
    )


def _labels(X: AnyFloats, y: Indices) -> tuple[Indices, Indices]:
    """Return the labels without a question and after some right answers."""
    session = Session(X, n_clusters=len(np.unique(y)))
    before, oracle = session.labels, LabelOracle(y)
    for _ in range(N_ANSWERS):
        question = session.ask()
        if question is None:
            break
        session.tell(question, oracle(question))
    return before, session.labels


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--edges", type=int, default=N_EDGES)
    parser.add_argument("--device", choices=DEVICES, default="cpu")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--coarsen", action="store_true")
    asked = parser.parse_args()
    if asked.coarsen:
        coarsen()
    else:
        table(asked)


if __name__ == "__main__":
    main()

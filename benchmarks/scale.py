"""One answer to the next question, from ten thousand samples to a million.

    python -m benchmarks.scale [--sizes 10000 100000] [--methods urasc+n likewise]
                               [--clusters 50] [--d 64] [--known 500]
                               [--device cuda] [--whole]
                               [--features X.npy] [--keep FOLDER] [--json FILE]

For each size and method: the time to the first question (cold), the time from an answer
that places a sample to the labels and the next question (warm, the median of some) and
the share of each stage in it, the peak memory of the process, the time to open a
session with a journal of 5,000 answers (nothing is solved for yet), and two ratios to
yardsticks of the same run: scikit-learn's SpectralClustering with lobpcg on the same
graph, and 60 products of the graph with a vector, in float32 and in the order that
suits memory best. At the end the exponent with which the warm time grows.

With --whole the graph is not there yet: the first question is that of the whole way
from an array on disk, and every stage of it is listed; nothing is known before it.

One thread; times are seconds of the process, so that other work on the machine does not
count, or seconds on the wall for a card, beside which all cores may be used. The
samples are 50 overlapping clouds in 64 dimensions with 20 neighbours, of whose samples
500 are known; or the rows of a file, where every answer is made up by k-means. Each
size and method runs in a process of its own.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.kept import keep
from benchmarks.piles import clouds
from sklearn.cluster import MiniBatchKMeans, SpectralClustering
from threadpoolctl import threadpool_limits

from likewise import Answer, LabelOracle, Question, Session, Verdict
from likewise._arrays import AnyFloats, Indices, Sparse
from likewise.affinity import (
    Affinity,
    directed_weights,
    nearest_neighbours,
    precomputed,
)
from likewise.affinity._graph import local_scale, neighbour_graph
from likewise.knowledge import MemoryJournal, Told
from likewise.methods import Problem, problem_of
from likewise.spectral import renumbered
from likewise.spectral._laplacian_large import local_order

N_NEAR = 20
N_PRODUCTS = 60
N_OPENED = 5000  # answers that a session is opened with
SLOW_FIT = 20_000  # samples from which on a fit of scikit-learn takes minutes
STAGES = {  # by the functions that they are made of
    "urasc+n": {
        "eigenvectors": ("constrained.py", "_brought"),
        "k-means": ("_kmeans.py", "reclustered"),
        "entropy": ("_ambiguity_large.py", "neighbour_entropy"),
        "score": ("_gradient.py", "paper_gradient"),
    },
    "likewise": {
        "fields": ("_surroundings.py", "_blended"),
        "classes": ("_surroundings.py", "links"),
        "coverage": ("_posterior.py", "after"),
        "clusters": ("_method.py", "clusters"),
        "question": ("_acquisition.py", "best_question"),
    },
}
FIRST = {  # the same of the first question
    "neighbours": ("_knn.py", "nearest_neighbours"),
    "edges": ("_graph.py", "neighbour_graph"),
    "evidence": ("_graph.py", "directed_weights"),
    "order": ("_laplacian_large.py", "local_order"),
    "renumbering": ("_laplacian_large.py", "renumbered"),
    "eigenvectors": ("_eigen_cold.py", "solve"),
    "k-means": ("_kmeans.py", "clusters"),
    "clusters": ("_prior.py", "start_clusters"),
    "borders": ("_prior.py", "soft_membership"),
    "features": ("_bases.py", "feature_basis"),
    "half": ("_prior.py", "upper"),
    "fields": ("_surroundings.py", "_blended"),
    "classes": ("_surroundings.py", "links"),
    "question": ("_acquisition.py", "best_question"),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one size and method took."""

    n: int
    method: str
    cold: float
    warm: float
    shares: dict[str, float]
    stages: dict[str, float]
    products: float | None
    fit: float | None
    gigabytes: float
    opened: float


def card_of(device: str) -> str | None:
    """Return the name of the graphics card that did the work, if one did."""
    if device == "cpu":
        return None
    import torch

    return str(torch.cuda.get_device_name(device))


def clock_of(device: str) -> Callable[[], float]:
    """Return the clock: the process's own seconds, or those on the wall for a card."""
    return time.process_time if device == "cpu" else time.perf_counter


def write_pile(folder: Path, X: AnyFloats, y: Indices) -> None:
    """Write samples and classes."""
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)


def prepare(folder: Path) -> None:
    """Write the graph of 20 neighbours beside them, about 30 entries a row."""
    X = np.load(folder / "X.npy", mmap_mode="r")
    near = nearest_neighbours(X, N_NEAR)
    scale = local_scale(near)
    for name, W in (
        ("weights", neighbour_graph(X, near, scale, N_NEAR)),
        ("neighbours", directed_weights(near, scale)),
    ):
        single = sp.csr_array(W.astype(np.float32))
        sp.save_npz(folder / f"{name}.npz", single, compressed=False)


def measure(folder: Path, method: str, options: argparse.Namespace) -> Measured:
    """Return what one method takes, on what was prepared or from the array alone."""
    y, X = np.load(folder / "y.npy"), np.load(folder / "X.npy", mmap_mode="r")
    device, is_whole = options.device, options.whole
    n, clock = len(y), clock_of(device)
    profile = cProfile.Profile(clock)
    rng = np.random.default_rng(0)
    known = {int(i): int(y[i]) for i in rng.choice(n, options.known, replace=False)}
    kept = None if is_whole else _kept(folder, X)
    start = clock()
    profile.enable()
    problem = problem_of(
        X,
        affinity="auto" if kept is None else lambda _: kept,
        n_clusters=int(y.max()) + 1,
        device=device,
    )
    session = Session(problem, method, known=None if is_whole else known)
    session.ask()
    profile.disable()
    cold, stages = clock() - start, _seconds(profile, FIRST)
    if is_whole:
        session = Session(problem, method, known=known)
        session.ask()
    warm, shares = _warm(session, LabelOracle(y), method, options.repeats, clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    W, k = problem.weights, problem.n_clusters or 1
    fit = _fit(W, k, clock) if n <= SLOW_FIT else None
    opened = _opened(problem, method, y, clock)
    products = _products(W, clock) if device == "cpu" else None
    return Measured(n, method, cold, warm, shares, stages, products, fit, peak, opened)


def _kept(folder: Path, X: AnyFloats) -> Affinity:
    W, N = (
        sp.csr_array(sp.load_npz(folder / f"{name}.npz"))
        for name in ("weights", "neighbours")
    )
    return Affinity(W, N, precomputed(W).closeness, X)


def _opened(
    problem: Problem, method: str, y: Indices, clock: Callable[[], float]
) -> float:
    journal = _journal(y)
    start = clock()
    Session(problem, method, journal=journal)
    return clock() - start


def _journal(y: Indices) -> MemoryJournal:
    """Return 5,000 right answers, one an act: a sample and the first one of its class.

    Before them, all pairs of first ones.
    """
    samples = np.random.default_rng(1).permutation(len(y))[:N_OPENED].tolist()
    first: dict[int, int] = {}
    pairs: list[tuple[int, int]] = []
    for sample in samples:
        home = first.setdefault(int(y[sample]), sample)
        new = [(sample, other) for other in first.values() if other != sample]
        pairs += new if home == sample else [(sample, home)]
    journal = MemoryJournal()
    for number, (i, j) in enumerate(pairs[:N_OPENED], start=1):
        verdict = Verdict.SAME if y[i] == y[j] else Verdict.DIFFERENT
        journal.append(Told((Answer(Question(i, j), verdict, number),)))
    return journal


def _warm(
    session: Session,
    oracle: LabelOracle,
    method: str,
    repeats: int,
    clock: Callable[[], float],
) -> tuple[float, dict[str, float]]:
    """Return the median from a placing answer to the next question, and its parts."""
    times: list[float] = []
    profile = cProfile.Profile()
    while len(times) < 2 * repeats:
        question = session.ask()
        assert question is not None
        is_timed = len(times) < repeats  # a profile takes time of its own
        start = clock()
        if not is_timed:
            profile.enable()
        session.tell(question, oracle(question))
        _ = session.labels
        session.ask()
        profile.disable()
        spent = clock() - start
        if session.view.known.is_placed(question.sample):
            times.append(spent)
    return float(np.median(times[:repeats])), _shares(profile, method)


def _shares(profile: cProfile.Profile, method: str) -> dict[str, float]:
    stats: Any = pstats.Stats(profile)
    spent = _seconds(profile, STAGES.get(method, {}))
    return {name: seconds / stats.total_tt for name, seconds in spent.items()}


def _seconds(
    profile: cProfile.Profile, stages: Mapping[str, tuple[str, str]]
) -> dict[str, float]:
    """Return how long the functions took that stages are made of, those that ran."""
    stats: Any = pstats.Stats(profile)
    spent = {
        name: sum(
            float(row[3])
            for (file, _, function), row in stats.stats.items()
            if function == wanted and Path(file).name == place
        )
        for name, (place, wanted) in stages.items()
    }
    return {name: seconds for name, seconds in spent.items() if seconds}


def _products(W: Sparse, clock: Callable[[], float]) -> float:
    """Return the time of 60 products with a vector, the shortest of three."""
    ordered = renumbered(W, local_order(W)).astype(np.float32)
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((N_PRODUCTS, W.shape[0]), dtype=np.float32)
    times = []
    for _ in range(3):
        start = clock()
        for vector in vectors:
            ordered @ vector
        times.append(clock() - start)
    return min(times)


def _fit(W: Sparse, k: int, clock: Callable[[], float]) -> float:
    fit = SpectralClustering(
        k, affinity="precomputed", eigen_solver="lobpcg", random_state=0
    )
    start = clock()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lobpcg says that it is not as exact as arpack
        fit.fit(sp.csr_matrix(W))
    return clock() - start


def line(found: Measured) -> str:
    """Return a row of the table."""
    shares = ", ".join(f"{name} {share:.0%}" for name, share in found.shares.items())
    fit = f"1/{found.fit / found.warm:.0f}" if found.fit else "-"
    products = f"{found.warm / found.products:.1f} x" if found.products else "-"
    rest = found.cold - sum(found.stages.values())
    listed = {**found.stages, "rest": rest}.items()
    stages = [f"{name} {seconds:.2f} s" for name, seconds in listed]
    first = f"\n{'':10}first question: {', '.join(stages)}"
    return (
        f"{found.n:>9,} {found.method:9} {found.cold:8.1f} s "
        f"{found.warm * 1e3:8.0f} ms {products:>8} {fit:>6} "
        f"{found.gigabytes:7.2f} GB {found.opened:5.2f} s  {shares}{first}"
    )


def growth(found: Sequence[Measured]) -> str:
    """Return the exponents between the sizes of one method."""
    return "; ".join(
        f"{a.method} from {a.n:,} to {b.n:,}: "
        f"n^{np.log(b.warm / a.warm) / np.log(b.n / a.n):.2f}"
        for a, b in pairwise(found)
    )


def main() -> None:
    """Measure each size and method, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--methods", nargs="+", default=["urasc+n", "likewise"])
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--d", type=int, default=64, help="features of the clouds")
    parser.add_argument("--known", type=int, default=500, help="at the start")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--whole", action="store_true", help="from an array on disk")
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--features", type=Path, help="rows of a .npy file instead")
    parser.add_argument("--keep", type=Path, help="folder for graphs, to be used again")
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        with threadpool_limits(1 if options.device == "cpu" else None):
            found = measure(Path(options.keep), options.one, options)
        print(json.dumps(asdict(found)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        _table(options, options.keep or Path(temporary))


def _table(options: argparse.Namespace, home: Path) -> None:
    print(
        "        n method       cold       warm   60 Wv   lobpcg  memory    open  of it"
    )
    rows: dict[str, list[Measured]] = {method: [] for method in options.methods}
    for n in [None] if options.features else options.sizes:
        folder = home / (options.features.stem if n is None else str(n))
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "X.npy").exists():
            write_pile(folder, *_pile(options, n))
        if not (options.whole or (folder / "neighbours.npz").exists()):
            prepare(folder)
        for method in options.methods:
            rows[method].append(_apart(folder, method, options))
            print(line(rows[method][-1]), flush=True)
    for found in rows.values():
        if len(found) > 1:
            print(growth(found))
    if options.json:
        listed = [asdict(row) for found in rows.values() for row in found]
        keep(options.json, listed, card=card_of(options.device))


def _pile(options: argparse.Namespace, n: int | None) -> tuple[AnyFloats, Indices]:
    if n is not None:
        return clouds(n, options.d, n_clouds=options.clusters)
    X = np.load(options.features, mmap_mode="r")
    means = MiniBatchKMeans(options.clusters, random_state=0, n_init=3)
    return X, means.fit_predict(X).astype(np.intp)


def _apart(folder: Path, method: str, options: argparse.Namespace) -> Measured:
    """Return what a process of its own measures, so that its memory is its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--one", method]
    command += ["--keep", str(folder), "--device", options.device]
    command += ["--repeats", str(options.repeats), "--known", str(options.known)]
    command += ["--whole"] * options.whole
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    return Measured(**json.loads(ended.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()

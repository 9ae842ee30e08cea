"""One URASC iteration and its score, as ratios to yardsticks measured in the same run.

    python -m benchmarks.iteration [--sizes 1000 5000]

Prints, for each size: a whole iteration (new certain sample, spectrum, clusters,
scores, next question) against one scikit-learn SpectralClustering fit on the same
graph; and the score of all samples against an `eigsh(tol=1e-3)` of as many vectors, and
against the sum of Eq. 7 taken literally (timed on some samples, taken times n).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from benchmarks.piles import clouds
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import SpectralClustering
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, run
from likewise._arrays import AnyFloats, Indices
from likewise.methods import Recipe, urasc
from likewise.methods._scores._gradient import exact_gradient
from likewise.methods.clustering import SpectralModel
from likewise.methods.constrained import ExactClustering
from likewise.spectral import Spectrum, signed_normalised

N_CLUSTERS = 10
EXACT = urasc("urasc+n", recipe=Recipe(n_exact=10**9))  # larger piles: scale.py
N_LITERAL = 20


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several times."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def literal_gradient(spectrum: Spectrum, anchors: Indices, sample: int) -> float:
    """Return the sum of Eq. 7 for one sample, vectors of length n and all."""
    v, values, n = spectrum.vectors, spectrum.values, len(spectrum.vectors)
    total = 0.0
    for i in range(N_CLUSTERS):
        moved = np.zeros(n)
        for k in anchors:
            for p in range(len(values)):
                if p != i:
                    slope = (v[sample, i] - v[k, i]) * (v[sample, p] - v[k, p])
                    moved += slope / (values[i] - values[p]) * v[:, p]
        total += float(np.linalg.norm(moved))
    return total


def measure(n: int) -> None:
    """Print the ratios at one size."""
    X, y = clouds(n, n_clouds=N_CLUSTERS)
    session = Session(X, EXACT, N_CLUSTERS)
    views = list(run(session, LabelOracle(y), 150))
    steps = _iterations(X, y)
    model = views[-1].model
    assert isinstance(model, SpectralModel)
    found = model.clustering
    assert isinstance(found, ExactClustering)
    spectrum = found.pairs
    constraints = views[-1].known.constraints
    anchors = np.array([constraints.samples(g)[0] for g in views[-1].known.certain])

    graph = model.clustering.problem.weights
    fit = SpectralClustering(N_CLUSTERS, affinity="precomputed", random_state=0)
    peer = seconds(lambda: fit.fit(graph), 1)
    score = seconds(lambda: exact_gradient(spectrum, N_CLUSTERS, anchors), 20)
    eigen = seconds(lambda: _eigsh(found, len(spectrum.values)))
    rows = range(N_LITERAL)
    literal = seconds(lambda: [literal_gradient(spectrum, anchors, r) for r in rows], 1)
    literal *= n / N_LITERAL

    print(f"n = {n}, {N_CLUSTERS} clusters, {len(spectrum.values)} vectors")
    for name, spent, yardstick in (
        ("iteration", steps, steps),
        ("SpectralClustering fit", peer, steps),
        ("score of all samples", score, score),
        ("eigsh(tol=1e-3)", eigen, score),
        ("Eq. 7 taken literally", literal, score),
    ):
        print(f"  {name:24} {spent * 1e3:10.1f} ms   {spent / yardstick:8.1f}")


def _iterations(X: AnyFloats, y: Indices) -> float:
    """Return the median time from a placing answer to the next question."""
    session = Session(X, EXACT, N_CLUSTERS)
    oracle = LabelOracle(y)
    times = []
    for _ in range(60):
        question = session.ask()
        assert question is not None
        start = time.perf_counter()
        session.tell(question, oracle(question))
        session.ask()
        spent = time.perf_counter() - start
        if session.view.known.is_placed(question.sample):
            times.append(spent)
    return float(np.median(times))


def _eigsh(clustering: ExactClustering, p: int) -> object:
    weights = clustering.weights
    laplacian = signed_normalised(weights)
    n = weights.n_samples
    operator = LinearOperator((n, n), matvec=lambda x: -(laplacian @ x), dtype=float)
    start = np.random.default_rng(0).standard_normal(n)
    return eigsh(operator, k=p, which="LA", v0=start, tol=1e-3)


def main() -> None:
    """Measure at each size that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 5000])
    warnings.simplefilter("ignore", UserWarning)
    with threadpool_limits(1):
        for n in parser.parse_args().sizes:
            measure(n)


if __name__ == "__main__":
    main()

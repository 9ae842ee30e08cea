"""Whether a graphics card asks and sorts as the processor does.

    python -m benchmarks.devices [--device cuda] [--states 50] [--samples 100000]
                                 [--sets digits clouds patches]
                                 [--methods likewise urasc+n]

A session goes on from answer to answer on the device, as it does with many samples. In
each of 50 states in which the last answer has placed a sample, a session on the
processor goes on with the same answers. Printed: in how many states the next question
is the same, the lowest adjusted Rand index between the labels, and in how many it is
0.995 at least. Digits and clouds, which are few, are worked on as many are; patches are
cut from photographs, and both sessions have the same graph.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from benchmarks.agreement import ALIKE, WARM, hard_clouds
from benchmarks.piles import patches
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, _regime
from likewise._arrays import AnyFloats, Indices
from likewise.methods import METHODS, AnyMethod, Problem, problem_of
from likewise.spectral import _eigen_exact

N_FIRST = 30  # answers before states are compared
N_CLASSES = 50  # of patches
MANY = {"likewise": METHODS["likewise"], "urasc+n": WARM}


def states(
    problems: tuple[Problem, Problem], y: Indices, method: AnyMethod
) -> Iterator[tuple[bool, float]]:
    """Yield for each state whether the question is the same, and how alike labels are.

    Parameters
    ----------
    problems : pair of Problem
        On the device and on the processor.
    y : ndarray of shape (n,)
    method : Method
    """
    there, here = (Session(problem, method) for problem in problems)
    oracle = LabelOracle(y)
    while (question := there.ask()) is not None:
        verdict = oracle(question)
        there.tell(question, verdict)
        here.tell(question, verdict)
        is_placed = there.view.known.is_placed(question.sample)
        if there.n_questions < N_FIRST or not is_placed:
            continue
        one, other = (q and q.pair for q in (there.ask(), here.ask()))
        yield one == other, adjusted_rand_score(there.labels, here.labels)


def pile(name: str, n: int) -> tuple[AnyFloats, Indices]:
    """Return the samples of a set, and their classes."""
    if name == "patches":
        X = patches(n)
        means = MiniBatchKMeans(N_CLASSES, random_state=0, n_init=3)  # nobody said any
        return X, means.fit_predict(X).astype(np.intp)
    if name == "clouds":
        return hard_clouds()
    X, y = load_digits(return_X_y=True)
    return np.asarray(X), np.asarray(y)


def compare(name: str, method: str, options: argparse.Namespace) -> str:
    """Return what comes out for one set and method, in one line."""
    X, y = pile(name, options.samples)
    k = int(y.max()) + 1
    there = problem_of(X, affinity="auto", n_clusters=k, device=options.device)
    here = Problem(there.affinity, k, "cpu")
    found = states((there, here), y, MANY[method])
    same, alike = zip(*(next(found) for _ in range(options.states)), strict=True)
    return (
        f"{name}, {method}: same question in {sum(same)} of {len(same)} states, "
        f"labels at {min(alike):.4f} at least, {ALIKE} in "
        f"{sum(a >= ALIKE for a in alike)}"
    )


def main() -> None:
    """Compare states on all sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--states", type=int, default=50)
    parser.add_argument("--samples", type=int, default=100_000, help="patches")
    parser.add_argument("--sets", nargs="+", default=["digits", "clouds", "patches"])
    parser.add_argument("--methods", nargs="+", default=list(MANY))
    options = parser.parse_args()
    _regime.FLAGSHIP_EXACT = _eigen_exact.__dict__["N_LANCZOS"] = 0
    with threadpool_limits(1):
        for name in options.sets:
            for method in options.methods:
                print(compare(name, method, options), flush=True)


if __name__ == "__main__":
    main()

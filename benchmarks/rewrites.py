"""ARI of COBRAS, A3S and LCA as they are written here, where their own code was run.

    python benchmarks/rewrites.py [name of a method]...

scikit-learn's iris, wine and digits, all columns standardised, true answers, mean over
five seeds, each with a shuffle of the rows. Below each line stands what the public code
of the same system reached on the same data, also over five seeds (A3S on digits: one):
COBRAS by ``COBRAS_kmeans`` of ML-KULeuven/cobras with ten starts of k-means and a
querier that compares labels, its intermediate clusterings at the marks; A3S by
``A3S.py`` of xiangtanshi/A3S with its map from distances to probabilities fitted to
k-means clusters of the true number. Neither repository is needed here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, run
from likewise.affinity import standardised
from likewise.datasets import load
from likewise.experiments import ari

MARKS = (20, 50, 100, 200)
N_SEEDS = 5
THEIRS: Mapping[tuple[str, str], Sequence[float]] = {
    ("cobras", "iris"): (0.660, 0.784, 0.893, 0.926),
    ("cobras", "wine"): (0.789, 0.898, 0.917, 0.955),
    ("cobras", "digits"): (0.581, 0.581, 0.713, 0.736),
    ("a3s", "iris"): (0.619, 0.634, 0.634, 0.634),
    ("a3s", "wine"): (0.889, 0.900, 0.900, 0.900),
    ("a3s", "digits"): (0.464, 0.464, 0.496, 0.503),
}


def measured(method: str, name: str, seed: int) -> list[float]:
    """Return the ARI at each mark for one shuffle of the rows."""
    dataset = load(name)
    order = np.random.default_rng(seed).permutation(len(dataset.y))
    X, y = standardised(dataset.X)[order], dataset.y[order]
    session = Session(X, method, dataset.n_classes, random_state=seed)
    seen: dict[int, float] = {}
    for view in run(session, LabelOracle(y), MARKS[-1]):
        if view.n_questions in MARKS:
            seen[view.n_questions] = ari(y, view.labels)
    return [seen.get(mark, ari(y, session.labels)) for mark in MARKS]


def main(methods: Sequence[str]) -> None:
    """Print ours, and theirs where it was measured."""
    with threadpool_limits(1):
        for method in methods:
            for name in ("iris", "wine", "digits"):
                ours = [measured(method, name, seed) for seed in range(N_SEEDS)]
                _print(method, name, "ours", np.mean(ours, axis=0).tolist())
                if (method, name) in THEIRS:
                    _print(method, name, "theirs", THEIRS[method, name])


def _print(method: str, name: str, whose: str, values: Sequence[float]) -> None:
    cells = (f"@{mark}: {v:.3f}" for mark, v in zip(MARKS, values, strict=True))
    print(f"{method:8}{name:8}{whose:8}", "  ".join(cells), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ("cobras", "a3s", "lca"))

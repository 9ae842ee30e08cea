"""ARI of the flagship on the data on which other systems were measured.

    python benchmarks/peers.py

scikit-learn's wine, iris, breast_cancer and digits, all columns standardised, true
answers, number of groups known, mean over three shuffles of the rows. Beside each
figure stands the best of anything measured there: the published systems COBRAS, A3S,
ACDM, DSL, NPU, MinMax, explore and consolidate, URASC's entropy rule, and a reference
of certain sets with margin sampling.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, run
from likewise.affinity import standardised
from likewise.datasets import load
from likewise.experiments import ari

MARKS = (20, 50, 100, 200, 400)
BEST = {
    "wine": (0.98, 1.00, 1.00, 1.00, 1.00),
    "iris": (0.88, 1.00, 1.00, 1.00, 1.00),
    "breast_cancer": (0.87, 0.94, 0.98, 0.99, 1.00),
    "digits": (0.69, 0.69, 0.81, 0.95, 0.98),
}


def measured(name: str, shuffle: int) -> list[float]:
    """Return the ARI at each mark for one shuffle of the rows."""
    dataset = load(name)
    order = np.random.default_rng(shuffle).permutation(len(dataset.y))
    X, y = standardised(dataset.X)[order], dataset.y[order]
    session = Session(X, "likewise", dataset.n_classes, random_state=shuffle)
    seen = {
        view.n_questions: ari(y, view.labels)
        for view in run(session, LabelOracle(y), MARKS[-1])
        if view.n_questions in MARKS
    }
    last = max(seen)
    return [seen.get(mark, seen[last]) for mark in MARKS]


def main() -> None:
    """Print ours, the best other, and whether it is cleared."""
    with threadpool_limits(1):
        for name, bars in BEST.items():
            ours = np.mean([measured(name, shuffle) for shuffle in range(3)], axis=0)
            cells = [
                f"@{mark}: {value:.3f} (best other {bar:.2f})"
                for mark, value, bar in zip(MARKS, ours, bars, strict=True)
            ]
            print(f"{name:14}", "  ".join(cells), flush=True)


if __name__ == "__main__":
    main()

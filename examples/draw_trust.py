"""When to trust the result: learn to read the expected beside the true Jaccard.

Left, 600 handwritten digits; right, the same pictures with the pixels of each one
shuffled, so that the features say nothing about the groups.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from likewise import LabelOracle, Session, jaccard, run
from likewise._arrays import Floats
from likewise.datasets import load

N, BUDGET = 600, 300


def curves(X: Floats, y: np.ndarray) -> tuple[list[float], list[float]]:
    """Return the true and the expected Jaccard after each answer."""
    session = Session(X, n_clusters=10)
    true, expected = [jaccard(y, session.labels)], [session.progress.expected_jaccard]
    for view in run(session, LabelOracle(y), BUDGET):
        true.append(jaccard(y, view.labels))
        expected.append(session.progress.expected_jaccard)
    return true, expected


def main(path: Path) -> None:
    """Draw both pictures into a file."""
    digits = load("digits")
    rng = np.random.default_rng(0)
    kept = rng.permutation(len(digits.y))[:N]
    X, y = digits.X[kept], digits.y[kept]
    shuffled = rng.permuted(X, axis=1)
    titles = {"features that tell the groups": X, "features that do not": shuffled}
    figure = Figure(figsize=(8, 3.4), dpi=150, layout="constrained")
    for axes, (title, features) in zip(
        figure.subplots(1, 2, sharey=True), titles.items(), strict=True
    ):
        true, expected = curves(features, y)
        axes.plot(true, color="#1b6ca8", linewidth=2, label="true")
        axes.plot(expected, color="#edae49", linewidth=1.5, label="expected")
        axes.set(title=title, xlabel="answered questions", ylim=(0, 1.02))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("Jaccard")
    figure.axes[0].legend(frameon=False, loc="lower right")
    figure.savefig(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "trust.png"))

"""What each departure from the paper is worth; the figures of docs/departures.md.

    python benchmarks/departures.py [weights] [gradients] [--data DIR] [--sets NAME ..]

`weights`: the Laplacian, the cannot-link weight, the affinity and the paper's recipe as
a whole, on wine and digits.
`gradients`: the two gradients, and how far scores fall below those at zero questions,
on ten development sets or on those named, two random 90 % subsets each, and the means.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, jaccard, run
from likewise.datasets import load
from likewise.experiments import ari
from likewise.methods import Recipe, urasc

SETS = ["wine", "iris", "sonar", "breast_cancer", "bupa"]
SETS += ["cho", "balance", "diabetes", "face-2", "dog"]
STEPS = ("nonparametric", "parametric")


def weights() -> None:
    """Print Jaccard and ARI after some answers under each choice."""
    wine, digits = load("wine"), load("digits")
    some = np.random.default_rng(0).permutation(len(digits.y))[:500]
    few, ours, barred = digits.subset(some), Recipe(), Recipe(cannot_link=-1.0)
    literal = Recipe("literal", -1.0, unit_rows=False)
    as_written = Recipe.paper("literal", n_extra=None)
    rows = [
        ("wine, signed", wine, ours, "auto", (0, 20, 60, 100)),
        ("wine, literal, -1", wine, literal, "auto", (0, 20, 60, 100)),
        ("wine, paper's", wine, Recipe.paper(), "gaussian", (0, 20, 60, 100)),
        ("wine, paper's, literal", wine, as_written, "gaussian", (0, 20, 60, 100)),
        ("digits500, cannot-link 0", few, ours, "auto", (0, 400)),
        ("digits500, cannot-link -1", few, barred, "auto", (0, 400)),
        ("digits, graph", digits, ours, "auto", (0, 100, 400)),
        ("digits, gaussian", digits, ours, "gaussian", (0, 100, 400)),
    ]
    for title, dataset, recipe, affinity, marks in rows:
        X, y = dataset.X, dataset.y
        method = urasc("variant", recipe=recipe)
        session = Session(X, method, int(y.max()) + 1, affinity)
        seen = {0: session.labels}
        for view in run(session, LabelOracle(y), marks[-1]):
            if view.n_questions in marks:
                seen[view.n_questions] = view.labels
        shown = "  ".join(
            f"{q}: {jaccard(y, labels):.2f} ({ari(y, labels):.2f})"
            for q, labels in seen.items()
        )
        print(f"{title:28} Jaccard (ARI) at {shown}", flush=True)


def gradients(data: Path, sets: list[str]) -> None:
    """Print the mean area and the largest fall of each variant on each set."""
    variants = [(s, g) for s in STEPS for g in ("paper", "exact", None)]
    areas: dict[tuple[str, str | None], list[float]] = {v: [] for v in variants}
    for name in sets:
        for step, gradient in variants:
            runs = [_one(name, data, step, gradient, seed) for seed in (0, 1)]
            area, fall, fall_ari = np.mean(runs, axis=0)
            areas[step, gradient].append(float(area))
            print(
                f"{name:14} {step:14} {gradient or 'none':6} area {area:.3f}  "
                f"fall of Jaccard {fall:.3f}, of ARI {fall_ari:.3f}",
                flush=True,
            )
    for (step, gradient), found in areas.items():
        print(f"mean           {step:14} {gradient or 'none':6} {np.mean(found):.3f}")


def _one(
    name: str, data: Path, step: str, gradient: str | None, seed: int
) -> tuple[float, float, float]:
    dataset = load(name, data)
    part, k = dataset.nine_tenths(seed), dataset.n_classes
    X, y = part.X, part.y
    budget = int(min(max(200, 1.2 * len(dataset.y), 20 * k), 800))
    grid = [int(10 * 1.41**i) for i in range(20) if 10 * 1.41**i <= budget]
    session = Session(
        X, urasc("variant", step=step, gradient=gradient), k, random_state=seed
    )
    scores = [(jaccard(y, session.labels), ari(y, session.labels))]
    scores += [
        (jaccard(y, view.labels), ari(y, view.labels))
        for view in run(session, LabelOracle(y), budget)
        if view.n_questions in grid
    ]
    scores += [scores[-1]] * (len(grid) + 1 - len(scores))
    table = np.array(scores)
    fall = table[0] - table.min(axis=0)
    return float(table[:, 0].mean()), float(fall[0]), float(fall[1])


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["weights", "gradients"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="+", default=SETS)
    chosen = parser.parse_args()
    with threadpool_limits(1):
        if "weights" in chosen.what:
            weights()
        if "gradients" in chosen.what:
            gradients(chosen.data, chosen.sets)


if __name__ == "__main__":
    main()

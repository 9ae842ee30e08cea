"""How difficult a set is by its main directions alone, for k-means: the rule of MIDDLE.

``python -m benchmarks.middle`` prints the Jaccard coefficient of plain k-means for each
number of principal components, and which is nearest to 0.35: the sets of middle
difficulty ("face-1-mid" and the like) are made with that many. No active method takes
part.

``python -m benchmarks.middle starts`` prints where every panel of the plans starts,
before any question, on both recipes: Jaccard, ARI and the share of the largest cluster
(one big cluster is no start), beside the Jaccard of all samples in one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np
from sklearn.cluster import KMeans

from likewise.datasets import Dataset, load
from likewise.datasets._dataset import coarse
from likewise.datasets._load import MIDDLE
from likewise.experiments import ari, jaccard
from likewise.experiments._recipes import RECIPES
from likewise.experiments.paper import FIGURES, read_figure
from likewise.methods import METHODS
from likewise.session import Session

N_COMPONENTS = (2, 4, 8, 16, 32, 64)
MIDWAY = 0.35  # of the Jaccard coefficient: far from nothing, and from being done


def difficulties(whole: Dataset) -> dict[int, float]:
    """Return the Jaccard coefficient of k-means by number of principal components."""
    return {p: difficulty(coarse(whole, whole.name, p)) for p in N_COMPONENTS}


def difficulty(dataset: Dataset) -> float:
    """Return the Jaccard coefficient of plain k-means that knows how many classes."""
    means = KMeans(dataset.n_classes, n_init=10, random_state=0)
    return jaccard(dataset.y, means.fit_predict(dataset.X))


def nearest(tried: Mapping[int, float]) -> int:
    """Return the number of components whose coefficient is nearest to the middle.

    Examples
    --------
    >>> nearest({2: 0.1, 4: 0.3, 8: 0.9})
    4
    """
    return min(tried, key=lambda p: abs(tried[p] - MIDWAY))


def start(dataset: Dataset, recipe: str) -> tuple[float, float, float]:
    """Return Jaccard, ARI and the share of the largest cluster before any question."""
    kernel = dataset.paper_affinity if recipe == "paper" else "auto"
    under = METHODS["urasc+n"].under
    method = METHODS["urasc+n"] if under is None else under(RECIPES[recipe].recipe)
    X = dataset.samples_for(kernel)
    found = Session(X, method, dataset.n_classes, kernel, 0).labels
    largest = np.bincount(found).max() / len(found)
    return jaccard(dataset.y, found), ari(dataset.y, found), float(largest)


def print_starts() -> None:
    """Print where the panels of all plans start, on nine tenths of each set."""
    plans = map(read_figure, FIGURES)
    panels = [p.data for plan in plans if plan.kind != "pictures" for p in plan.panels]
    for name in dict.fromkeys(panels):
        part = load(name).nine_tenths(0)
        in_one = jaccard(part.y, np.zeros(len(part.y), dtype=np.intp))
        starts = {recipe: start(part, recipe) for recipe in ("paper", "ours")}
        line = "  ".join(
            f"{recipe}: Jaccard {j:.3f}, ARI {a:.3f}, largest {largest:.2f}"
            for recipe, (j, a, largest) in starts.items()
        )
        print(f"{name:14} all in one: {in_one:.3f}  {line}")


def print_rule() -> None:
    """Print what the rule sees, for each set that it is used on."""
    for name, used in MIDDLE.items():
        tried = difficulties(load(name))
        line = "  ".join(f"{p}: {value:.3f}" for p, value in tried.items())
        print(f"{name:8} {line}  -> {nearest(tried)} (in use: {used})")


if __name__ == "__main__":
    print_starts() if "starts" in sys.argv[1:] else print_rule()

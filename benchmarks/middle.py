"""How difficult a set is by its main directions alone, for k-means: the rule of MIDDLE.

``python -m benchmarks.middle`` prints the Jaccard coefficient of plain k-means for each
number of principal components, and which is nearest to 0.35: the sets of middle
difficulty ("face-1-mid" and the like) are made with that many. No active method takes
part.
"""

from __future__ import annotations

from collections.abc import Mapping

from sklearn.cluster import KMeans

from likewise.datasets import Dataset, load
from likewise.datasets._dataset import coarse
from likewise.datasets._load import MIDDLE
from likewise.experiments import jaccard

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


def main() -> None:
    """Print what the rule sees, for each set that it is used on."""
    for name, used in MIDDLE.items():
        tried = difficulties(load(name))
        line = "  ".join(f"{p}: {value:.3f}" for p, value in tried.items())
        print(f"{name:8} {line}  -> {nearest(tried)} (in use: {used})")


if __name__ == "__main__":
    main()

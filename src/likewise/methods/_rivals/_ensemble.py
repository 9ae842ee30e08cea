"""How likely two samples are of one class: the share of clusterings that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans

from likewise import _regime as regime
from likewise._arrays import Floats, Indices
from likewise.methods._problem import Problem
from likewise.methods._rivals._forest import Edges, Pairs
from likewise.methods._space import Space
from likewise.methods.clustering import UNKNOWN

LINKAGES = ("single", "average", "complete")


@dataclass(frozen=True)
class Likeness:
    """The probabilities of edges, and the edges in the order of these.

    Attributes
    ----------
    chance : ndarray of shape (m,)
        That the two samples of each edge are of one class.
    order : ndarray of shape (m,)
        Positions of the edges, the likeliest first; of equal ones the nearest first.
    """

    chance: Floats
    order: Indices


def likeness_of(pairs: Pairs) -> Likeness:
    r"""Return how likely each pair is of one class, by an ensemble of clusterings.

    .. math:: P(i, j) = \frac{1}{m} \sum_{s=1}^{m} [c_s(i) = c_s(j)]

    with :math:`c_s` the clusters of clustering s: Eq. 2 of Biswas and Jacobs (2012).

    Notes
    -----
    The equation is theirs; which clusterings they average could not be found out. Ours
    are those by single, average and complete linkage, each with half as many clusters
    as there should be (2 at least), as many, and twice as many: nine in all. They need
    no more than the distances that the forest has, and nothing in them is drawn or
    set. They are made once, from the data alone: answers say which pairs are open and
    what an answer changes. Above ``FOREST_PAIRS`` samples, where not all distances are
    at hand, k-means with these three numbers takes the place of the linkages.
    """
    edges, kept = pairs.edges, np.flatnonzero(pairs.active)
    counts, n_clusterings = np.zeros(len(edges.length), dtype=np.intp), 0
    place = np.cumsum(pairs.active) - 1
    ends = place[edges.first], place[edges.second]
    for labels in _clusterings(pairs.problem, edges, kept, ends):
        counts += labels[ends[0]] == labels[ends[1]]
        n_clusterings += 1
    chance = counts / max(n_clusterings, 1)
    return Likeness(chance, np.argsort(-counts, kind="stable"))


def numbers_around(k: int, n_samples: int) -> list[int]:
    """Return half of a number of clusters, 2 at least, the number, and twice as many.

    Examples
    --------
    >>> numbers_around(7, 100), numbers_around(2, 3)
    ([3, 7, 14], [2, 2, 3])
    """
    return [min(number, n_samples) for number in (max(k // 2, 2), k, 2 * k)]


def _clusterings(
    problem: Problem, edges: Edges, kept: Indices, ends: tuple[Indices, Indices]
) -> Iterator[Indices]:
    """Yield the clusters of the samples that are kept, by each way and number."""
    n, k = len(kept), problem.n_clusters or UNKNOWN
    numbers = numbers_around(k, n)
    if not edges.length.size:
        return
    if problem.n_samples > regime.FOREST_PAIRS:
        X = Space(problem, max(k, UNKNOWN)).coordinates[kept]
        for number in numbers:
            yield KMeans(number, random_state=0).fit_predict(X)
        return
    far = _condensed(edges.length - edges.length[0], *ends, n)
    for way in LINKAGES:
        merges = linkage(far, way)
        for number in numbers:
            yield cut(merges, number)


def _condensed(length: Floats, first: Indices, second: Indices, n: int) -> Floats:
    """Return the lengths of all pairs, row after row of the upper triangle."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    far = np.empty(len(length))
    far[n * low - low * (low + 1) // 2 + high - low - 1] = length
    return far


def cut(merges: Floats, k: int) -> Indices:
    """Return the clusters of a hierarchy when k of them are left.

    Parameters
    ----------
    merges : ndarray of shape (n - 1, 4)
        As :func:`scipy.cluster.hierarchy.linkage` returns them.
    k : int
        1..n. Merges of one height are cut in their order, so that k clusters remain.
    """
    n = len(merges) + 1
    sides = merges[: n - k, :2].astype(np.intp)
    made = np.repeat(n + np.arange(n - k), 2)
    size = n + max(n - k, 0)
    graph = sp.coo_array((np.ones(len(made)), (made, sides.ravel())), (size, size))
    return connected_components(graph, directed=False)[1][:n].astype(np.intp)

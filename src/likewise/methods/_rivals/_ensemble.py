"""How likely two samples are of one class: the share of clusterings that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Floats, Indices, Samples
from likewise.methods._rivals._forest import Pairs
from likewise.methods._space import Space, k_means_clusters
from likewise.methods.clustering import UNKNOWN

N_STARTS = 5  # of k-means, for each number of clusters


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
    The equation is theirs; which clusterings they average could not be found out. P is
    the co-association matrix of evidence accumulation, so the ensemble is the one that
    is usual there: k-means, with several numbers of clusters and several starts. The
    numbers are half as many clusters as there should be (2 at least), as many, and
    twice as many; the starts of each are five, from fixed seeds, so that nothing is
    left to chance. All are made once, from the features alone (spectral coordinates
    where only similarities were given): answers say which pairs are open and what an
    answer changes. Single linkage has no part in it, being the clustering in doubt.

    References
    ----------
    A. Fred, A. Jain. Combining multiple clusterings using evidence accumulation. IEEE
    Transactions on Pattern Analysis and Machine Intelligence, 2005.
    """
    edges, kept = pairs.edges, np.flatnonzero(pairs.active)
    k = pairs.problem.n_clusters or UNKNOWN
    place = np.cumsum(pairs.active) - 1
    first, second = place[edges.first], place[edges.second]
    counts, n_clusterings = np.zeros(len(first), dtype=np.intp), 0
    if len(first):
        n_axes = min(max(k, UNKNOWN), pairs.problem.n_samples)
        X = Space(pairs.problem, n_axes).levelled[kept]
        for labels in clusterings(X, numbers_around(k, len(kept))):
            counts += labels[first] == labels[second]
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


def clusterings(X: Samples, numbers: list[int]) -> Iterator[Indices]:
    """Yield the clusters of k-means for each number and start.

    Samples are put in an order of their own, by the first feature, then the next, so
    that the starts do not depend on the order in which they were given.
    """
    dense = None if sp.issparse(X) else np.asarray(X)
    order = np.arange(X.shape[0]) if dense is None else np.lexsort(dense.T[::-1])
    back = np.argsort(order)
    for number, seed in product(numbers, range(N_STARTS)):
        yield k_means_clusters(X[order], number, n_starts=1, seed=seed)[back]

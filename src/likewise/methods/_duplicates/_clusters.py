r"""Clusters of records from log odds of pairs: what is joined must agree as a whole.

Two clusters A and B are joined while the mean of the log odds over their pairs,

.. math:: \frac{1}{|A||B|} \sum_{i \in A, j \in B} \eta_{ij},

is positive, the largest first; pairs that were never candidates count as unlikely. So
a chain of likely pairs holds only as long as its ends are not far from each other:
this is greedy correlation clustering. Known groups begin as one, and are never joined
with those they are known to be apart from.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from likewise._arrays import Floats, Indices
from likewise.knowledge import Constraints

LIMIT = 10.0  # log odds that one pair may add or take away
NEVER = -8.0  # log odds of a pair that was no candidate
DIGITS = 6  # of means that are compared: rounding must not join


@dataclass(frozen=True, eq=False)
class Links:
    """Between which of some units there are candidate pairs.

    Attributes
    ----------
    first, second : ndarray of shape (n_links,)
        The units, smaller number first.
    total : ndarray of shape (n_links,)
        The sum of the log odds of the pairs.
    count : ndarray of shape (n_links,)
        How many pairs that are.
    sizes : ndarray of shape (n_units,)
        How many samples each unit has.
    """

    first: Indices
    second: Indices
    total: Floats
    count: Floats
    sizes: Floats

    @property
    def mean(self) -> Floats:
        """The mean log odds of all pairs between two units."""
        return _mean(
            self.total, self.count, self.sizes[self.first], self.sizes[self.second]
        )

    def some(self, kept: Indices) -> Links:
        """Return some of the links."""
        return Links(
            self.first[kept],
            self.second[kept],
            self.total[kept],
            self.count[kept],
            self.sizes,
        )


def _mean(total: Floats, count: Floats, size: Floats, other: Floats) -> Floats:
    pairs = size * other
    return np.round((total + (pairs - count) * NEVER) / pairs, DIGITS)


def links_between(
    unit: Indices, first: Indices, second: Indices, odds: Floats
) -> Links:
    """Return the links between units that pairs of samples make.

    Parameters
    ----------
    unit : ndarray of shape (n,)
        The unit of each sample, 0..n_units-1.
    first, second : ndarray of shape (n_pairs,)
    odds : ndarray of shape (n_pairs,)
        Log odds.
    """
    sizes = np.bincount(unit).astype(np.float64)
    a, b = unit[first], unit[second]
    apart = a != b
    key = np.minimum(a, b)[apart] * len(sizes) + np.maximum(a, b)[apart]
    found, place = np.unique(key, return_inverse=True)
    sums = np.bincount(place, np.clip(odds[apart], -LIMIT, LIMIT), len(found))
    count = np.bincount(place, minlength=len(found)).astype(np.float64)
    low, high = np.divmod(found, max(len(sizes), 1))
    return Links(low, high, sums.astype(np.float64), count, sizes)


def units_of(constraints: Constraints, n: int) -> Indices:
    """Return a unit for each sample: the same for those known to be together.

    Units are numbered by their first sample.
    """
    root = np.arange(n)
    for group, members in constraints.members.items():
        root[list(members)] = min(members) if members else group
    return np.unique(root, return_inverse=True)[1].astype(np.intp)


def joined(
    constraints: Constraints, n: int, first: Indices, second: Indices, odds: Floats
) -> Indices:
    """Return a cluster for each sample, numbered by its first sample.

    Parameters
    ----------
    constraints : Constraints
    n : int
    first, second : ndarray of shape (n_pairs,)
        Pairs that may be together; all others are unlikely.
    odds : ndarray of shape (n_pairs,)

    Examples
    --------
    >>> pairs = np.array([0, 1, 0]), np.array([1, 2, 2])
    >>> joined(Constraints(), 4, *pairs, np.array([5.0, 5.0, 4.0]))
    array([0, 0, 0, 1])
    >>> joined(Constraints(), 4, *pairs, np.array([5.0, 4.0, -9.0]))
    array([0, 0, 1, 2])
    """
    unit = units_of(constraints, n)
    links = links_between(unit, first, second, odds)
    n_units, likely = len(links.sizes), links.mean > 0
    ends = links.first[likely], links.second[likely]
    graph = sp.coo_array((np.ones(len(ends[0])), ends), shape=(n_units, n_units))
    part = connected_components(graph, directed=False)[1]
    near = np.flatnonzero(part[links.first] == part[links.second])
    merge = _Merging(links.some(near), _barred(constraints, unit))
    root = np.array(merge.roots(n_units))
    found = root[unit]
    _, start, place = np.unique(found, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(start, kind="stable"), kind="stable")
    return order[place].astype(np.intp)


def _barred(constraints: Constraints, unit: Indices) -> dict[int, set[int]]:
    """Return the units that each unit is known to be apart from."""
    return {
        int(unit[group]): {int(unit[other]) for other in others}
        for group, others in constraints.apart.items()
        if others
    }


class _Merging:
    """Joins units, the likeliest two first; one use only."""

    def __init__(self, links: Links, barred: dict[int, set[int]]) -> None:
        self.sizes = links.sizes.tolist()
        self.barred = barred
        self.parent: dict[int, int] = {}
        self.near: dict[int, dict[int, tuple[float, float]]] = {}
        ends = zip(links.first.tolist(), links.second.tolist(), strict=True)
        sums = zip(links.total.tolist(), links.count.tolist(), strict=True)
        for (a, b), link in zip(ends, sums, strict=True):
            self.near.setdefault(a, {})[b] = link
            self.near.setdefault(b, {})[a] = link
        self.heap = [
            (-mean, a, b)
            for mean, a, b in zip(
                links.mean.tolist(),
                links.first.tolist(),
                links.second.tolist(),
                strict=True,
            )
            if mean > 0
        ]
        heapq.heapify(self.heap)
        while self.heap:
            self._step(*heapq.heappop(self.heap))

    def _step(self, worth: float, a: int, b: int) -> None:
        """Join two units, unless one of them is gone or has changed since."""
        is_there = a not in self.parent and b not in self.parent
        if not is_there or b in self.barred.get(a, ()) or -worth != self._score(a, b):
            return
        self.parent[b] = a
        self.sizes[a] += self.sizes[b]
        for other in self.barred.pop(b, ()):
            self.barred[other].discard(b)
            self.barred[other].add(a)
            self.barred.setdefault(a, set()).add(other)
        for other, link in self.near.pop(b).items():
            del self.near[other][b]
            if other != a:
                total, count = self.near[a].get(other, (0.0, 0.0))
                both = total + link[0], count + link[1]
                self.near[a][other] = self.near[other][a] = both
        for other in self.near[a]:
            mean = self._score(a, other)
            if mean > 0:
                heapq.heappush(self.heap, (-mean, min(a, other), max(a, other)))

    def _score(self, a: int, b: int) -> float:
        total, count = self.near[a][b]
        pairs = self.sizes[a] * self.sizes[b]
        return round((total + (pairs - count) * NEVER) / pairs, DIGITS)

    def roots(self, n_units: int) -> list[int]:
        """Return the unit that each unit has become part of."""
        found = list(range(n_units))
        for unit in self.parent:
            at = unit
            while at in self.parent:
                at = self.parent[at]
            found[unit] = at
        return found

"""What known samples take out of the graph, and what they put in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from likewise.arrays import Floats, Indices, Sparse, dense
from likewise.engine.backend import Array
from likewise.engine.graph import Graph


@dataclass(frozen=True, slots=True)
class Known:
    """What is known, in the engine's order; samples and those aside ascending."""

    samples: Indices
    group: Indices
    apart: Sparse
    cannot_link: float
    aside: Indices

    @property
    def degrees(self) -> Floats:
        """The sums of the absolute weights of known pairs, of shape (o,)."""
        sizes = np.bincount(self.group, minlength=self.apart.shape[0])
        others = abs(self.cannot_link) * (self.apart @ sizes.astype(np.float64))
        return (sizes - 1 + others)[self.group]

    def related(self, i: Indices, j: Indices) -> np.ndarray:
        """Tell for pairs of samples whether both are known, and how they relate."""
        a, known_a = positions(self.samples, i)
        b, known_b = positions(self.samples, j)
        both = np.flatnonzero(known_a & known_b)
        a, b = self.group[a[both]], self.group[b[both]]
        related = np.zeros(len(i), dtype=bool)
        related[both] = (a == b) | (dense(self.apart[a, b]).ravel() > 0)
        return related


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """The known samples, and what they add to the Laplacian.

    With s the scale of the known samples that is -s (Y (I + c A) Y' - I) s, less a loop
    for each one that is tied to nothing. It is applied as it stands here.

    Attributes
    ----------
    samples : ndarray of shape (o,)
        Ascending.
    group : ndarray of shape (o,)
        0..m-1.
    scale : ndarray of shape (o,)
        One over the root of the sum of absolute weights.
    """

    samples: Indices
    group: Indices
    scale: Floats
    _scale: Array
    _loops: Array
    _gather: Any  # Y'
    _link: Any  # I + c A
    _spread: Any  # Y

    def applied(self, mine: Array) -> Array:
        """Return the product with the rows of the known samples."""
        scaled = self._scale * mine
        across = self._spread @ (self._link @ (self._gather @ scaled))
        # First the difference: a sample alone in its group must get exactly nothing,
        # however large its scale.
        return self._scale * (scaled - across) - self._loops * mine


@dataclass(frozen=True, slots=True)
class Touched:
    """The samples whose weights or degrees are not those of the graph.

    Attributes
    ----------
    samples : ndarray of shape (t,)
        Ascending: the known, those aside, and their neighbours.
    ratio : ndarray of shape (t,)
        Their scale over that of the graph; 0 for those aside.
    rows : csr_array of shape (t, n)
        Their rows of N, without the edges between known samples of known relation.
    """

    samples: Indices
    ratio: Floats
    rows: Sparse


def tied(graph: Graph, known: Known) -> tuple[Ties, Touched]:
    """Return what the known samples add, and what they touch."""
    beside = graph.normal[known.aside].indices.astype(np.intp)
    touched = np.union1d(np.union1d(known.samples, known.aside), beside)
    rows, degrees = _remaining(graph, known, touched)
    at = np.searchsorted(touched, known.samples)
    degrees[at] += known.degrees
    loops = np.where(degrees[at] == 0, 1.0, 0.0)
    degrees[at] += loops
    scale = np.zeros_like(degrees)
    np.divide(1.0, np.sqrt(degrees), out=scale, where=degrees > 0)
    ratio = graph.root[touched] * scale
    ratio[np.searchsorted(touched, known.aside)] = 0.0
    return _ties(graph, known, scale[at], loops), Touched(touched, ratio, rows)


def _remaining(graph: Graph, known: Known, touched: Indices) -> tuple[Sparse, Floats]:
    """Return rows of N without what was replaced, and the degrees that are left."""
    rows = graph.normal[touched]
    i = np.repeat(touched, np.diff(rows.indptr))
    j = rows.indices.astype(np.intp)
    rows.data[known.related(i, j)] = 0.0
    weights = rows.data * graph.root[i] * graph.root[j]
    weights[positions(known.aside, i)[1] | positions(known.aside, j)[1]] = 0.0
    at = np.repeat(np.arange(len(touched)), np.diff(rows.indptr))
    return rows, np.bincount(at, weights, len(touched)).astype(np.float64)


def _ties(graph: Graph, known: Known, scale: Floats, loops: Floats) -> Ties:
    n_groups, backend = known.apart.shape[0], graph.backend
    spread = sp.csr_array(
        (np.ones(len(scale)), known.group, np.arange(len(scale) + 1)),
        shape=(len(scale), n_groups),
    )
    link = sp.eye_array(n_groups, format="csr")
    if known.cannot_link:
        link = sp.csr_array(link + known.cannot_link * known.apart)
    return Ties(
        known.samples,
        known.group,
        scale,
        backend.array(scale[:, np.newaxis]),
        backend.array(loops[:, np.newaxis]),
        backend.sparse(sp.csr_array(spread.T)),
        backend.sparse(link),
        backend.sparse(spread),
    )


def positions(ascending: Indices, wanted: Indices) -> tuple[Indices, np.ndarray]:
    """Return where values stand in an ascending list, and whether they do."""
    at = np.searchsorted(ascending, wanted)
    if not len(ascending):
        return at, np.zeros(len(wanted), dtype=bool)
    return at, ascending[np.minimum(at, len(ascending) - 1)] == wanted

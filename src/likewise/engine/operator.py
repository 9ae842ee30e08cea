"""The signed normalised Laplacian with the answers written in, over a fixed graph.

It is I - D^-1/2 W D^-1/2 of :mod:`likewise.operators`: over the known samples the
weights of known pairs are replaced by Y (I + c A) Y' - I, and D holds the sums of
absolute weights. Answers change D for few samples. With N of the graph before any
answer and r the ratio of the new scale to the old one, 1 but for those few, it is

    I - r N r + the ties of the known samples,

so that a product is one with N, which never changes, and a repair of few rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from likewise.arrays import Floats, Indices, Sparse
from likewise.engine.backend import Array
from likewise.engine.graph import Graph
from likewise.engine.ties import Known, Ties, Touched, positions, tied

TOP = 2.0  # no eigenvalue is larger


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """The Laplacian of a graph and of what is known, as an operator.

    Rows are in the engine's order. The operators of one graph share all but what has
    to do with the known samples.

    Attributes
    ----------
    graph : Graph
    ties : Ties
        The known samples.
    touched : Touched
        The samples whose weights or degrees are not those of the graph.
    aside : ndarray of shape (a,)
        The samples that are cut out, ascending.
    ratio : ndarray of shape (n,)
        r above.
    """

    graph: Graph
    ties: Ties
    touched: Touched
    aside: Indices
    ratio: Floats
    _at: Array
    _ratio: Array
    _rows: Any

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.graph.n_samples

    @property
    def scale(self) -> Floats:
        """D^-1/2, of shape (n,)."""
        root = self.graph.root
        scale = np.divide(self.ratio, root, out=np.zeros_like(root), where=root > 0)
        scale[self.ties.samples] = self.ties.scale
        return scale

    def __matmul__(self, X: Array) -> Array:
        """Return the product with the columns of a matrix."""
        return self.shifted(X, 0.0, 1.0)

    def shifted(self, X: Array, shift: float, factor: float) -> Array:
        """Return ``factor * (self @ X - shift * X)``."""
        is_touched = len(self.touched.samples) > 0
        scaled = X
        if is_touched:
            scaled = X + 0.0
            scaled[self._at] *= self._ratio
        out = self.graph.product @ scaled
        out *= -factor
        self.graph.backend.add_scaled(out, X, factor * (1.0 - shift))
        if is_touched:
            mine = X[self._at]
            repaired = mine - self._ratio * (self._rows @ X)
            self._tie(repaired, self.touched.samples, X)
            out[self._at] = factor * (repaired - shift * mine)
        return out

    def at(self, rows: Indices, X: Array) -> Array:
        """Return some rows of the product: ascending, all known samples among them."""
        backend = self.graph.backend
        place, is_touched = positions(self.touched.samples, rows)
        moved = backend.zeros(len(rows), X.shape[1])
        if not is_touched.all():
            others = _scaled(self.graph.normal[rows[~is_touched]], self.ratio)
            at = backend.indices(np.flatnonzero(~is_touched))
            moved[at] = backend.sparse(others) @ X
        if is_touched.any():
            at = backend.indices(np.flatnonzero(is_touched))
            moved[at] = (self._rows @ X)[backend.indices(place[is_touched])]
        ratio = backend.array(self.ratio[rows, np.newaxis])
        out = X[backend.indices(rows)] - ratio * moved
        self._tie(out, rows, X)
        return out

    def _tie(self, out: Array, rows: Indices, X: Array) -> None:
        samples, indices = self.ties.samples, self.graph.backend.indices
        if len(samples):
            mine = self.ties.applied(X[indices(samples)])
            out[indices(np.searchsorted(rows, samples))] += mine


def operator_of(
    graph: Graph,
    samples: Sequence[int] | Indices = (),
    group: Sequence[int] | Indices = (),
    apart: Sparse | None = None,
    *,
    cannot_link: float = 0.0,
    aside: Sequence[int] | Indices = (),
) -> Operator:
    """Return the Laplacian under what is known.

    Parameters
    ----------
    graph : Graph
    samples : sequence of o samples
        Those that are known, as :class:`~likewise.operators.Blocks` lists them.
    group : sequence of o numbers
        The group of each, 0..m-1.
    apart : csr_array of shape (m, m), optional
        1 where two groups are known to be apart; none are unless given.
    cannot_link : float, default=0
        The weight c of a cannot-linked pair, between -1 and 0.
    aside : sequence of samples
        Those that are cut out of the graph.

    Notes
    -----
    O(o k) for k neighbours; of the length of the graph is nothing but one vector.

    Examples
    --------
    >>> from likewise.engine.graph import graph_of
    >>> graph = graph_of(sp.csr_array(0.5 * (np.ones((4, 4)) - np.eye(4))))
    >>> linked = operator_of(graph, samples=[0, 3], group=[0, 0])
    >>> (linked.scale[graph.place] ** -2).round(3)  # the sums of weights
    array([2. , 1.5, 1.5, 2. ])
    """
    places = graph.place[np.asarray(samples, dtype=np.intp)]
    ascending = np.argsort(places)
    groups = np.asarray(group, dtype=np.intp)[ascending]
    count = int(groups.max(initial=-1)) + 1
    known = Known(
        samples=places[ascending],
        group=groups,
        apart=sp.csr_array((count, count)) if apart is None else apart,
        cannot_link=cannot_link,
        aside=np.unique(graph.place[np.asarray(aside, dtype=np.intp)]),
    )
    ties, touched = tied(graph, known)
    ratio = np.ones(graph.n_samples)
    ratio[touched.samples] = touched.ratio
    backend = graph.backend
    return Operator(
        graph,
        ties,
        touched,
        known.aside,
        ratio,
        backend.indices(touched.samples),
        backend.array(touched.ratio[:, np.newaxis]),
        backend.sparse(_scaled(touched.rows, ratio)),
    )


def _scaled(rows: Sparse, ratio: Floats) -> Sparse:
    """Return rows of N as rows of N r."""
    data = rows.data * ratio[rows.indices]
    return sp.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)

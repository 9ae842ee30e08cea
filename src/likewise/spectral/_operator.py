"""What known samples take out of the graph, and what they put in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Floats, Indices, Sparse, dense
from likewise.spectral._backend import Array
from likewise.spectral._graph import Graph


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
        Those that are known, as :class:`Blocks` lists them.
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
    >>> from likewise.spectral._graph import graph_of
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


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What an answer, or a few, have changed; in the engine's order.

    Attributes
    ----------
    rows : ndarray of shape (r,)
        The rows in which the operators differ are among these; ascending. They are the
        known samples, those whose scale has changed, and the neighbours of these.
    groups : tuple of ndarray
        The members of each group that is none of the groups before.
    cut : ndarray of shape (c,)
        The samples that were set aside, or taken back.
    loose : ndarray of shape (l,)
        Those and their neighbours, as far as they are not aside now.
    """

    rows: Indices
    groups: tuple[Indices, ...]
    cut: Indices
    loose: Indices


def change_between(before: Operator, after: Operator) -> Change:
    """Return the change from one operator of a graph to another."""
    normal = before.graph.normal
    either = np.union1d(before.touched.samples, after.touched.samples)
    moved = either[before.ratio[either] != after.ratio[either]]
    beside = normal[moved].indices.astype(np.intp)
    known = np.union1d(before.ties.samples, after.ties.samples)
    cut = np.setxor1d(after.aside, before.aside)
    around = np.union1d(cut, normal[cut].indices.astype(np.intp))
    return Change(
        rows=np.union1d(known, np.union1d(moved, beside)),
        groups=_new_groups(before, after),
        cut=cut,
        loose=np.setdiff1d(around, after.aside),
    )


def _new_groups(before: Operator, after: Operator) -> tuple[Indices, ...]:
    old, new = before.ties, after.ties
    was = np.full(len(new.samples), -1)
    _, here, there = np.intersect1d(
        new.samples, old.samples, assume_unique=True, return_indices=True
    )
    was[here] = old.group[there]
    first = np.full(int(new.group.max(initial=-1)) + 1, -1)
    first[new.group] = was
    is_mixed = was != first[new.group]
    sizes_before = np.bincount(old.group, minlength=1)[first]
    has_grown = np.bincount(new.group, minlength=len(first)) != sizes_before
    is_new = has_grown | (first < 0)
    is_new[new.group[is_mixed]] = True
    present = np.unique(new.group)
    return tuple(new.samples[new.group == g] for g in present[is_new[present]])

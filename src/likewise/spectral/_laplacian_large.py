"""The Laplacian of many samples, with the answers written in, as an operator.

The large half of :mod:`likewise.spectral._laplacian_exact`. That one copies the graph
with each answer, in float64, and takes dense weights and any Laplacian; here the graph
is made once, in float32, on its device, and an answer costs what it touches.

A sparse product reads the rows of each sample's neighbours. In the order in which
samples happen to come these lie anywhere; renumbered, they are mostly in the cache.
Outside the engine samples keep the numbers that they came with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from likewise._arrays import AnyFloats, Floats, Indices, Sparse, dense
from likewise.spectral._backend import Array, Backend, Product, backend_for
from likewise.spectral._clusters import DeviceClusters, DeviceNumbers

TOP = 2.0  # no eigenvalue is larger


def local_order(W: Sparse) -> Indices:
    """Return the samples by reverse Cuthill-McKee; of equal degrees, the first goes on.

    Samples are numbered by their degrees, those of one degree in their order, and
    walked through from the first of each component, neighbours in the order of their
    numbers. :func:`scipy.sparse.csgraph.reverse_cuthill_mckee` begins at any sample of
    the least degree, another one on another processor.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric.

    Returns
    -------
    ndarray of shape (n,)
        The sample that comes first, second and so on.

    References
    ----------
    E. Cuthill, J. McKee. Reducing the bandwidth of sparse symmetric matrices. ACM
    National Conference 1969.

    Examples
    --------
    >>> chain = np.zeros((4, 4))
    >>> chain[[0, 2, 1], [2, 1, 3]] = 1.0  # 0 - 2 - 1 - 3
    >>> local_order(sp.csr_array(chain + chain.T)).tolist()
    [3, 1, 2, 0]
    """
    by_degree = np.argsort(np.diff(W.indptr), kind="stable")
    moved = renumbered(W, by_degree)
    component = connected_components(moved, directed=False)[1]
    first = np.unique(component, return_index=True)[1]
    walked = _walked(moved, np.sort(first))
    together = walked[np.argsort(component[walked], kind="stable")]
    return by_degree[together[::-1]]


def _walked(W: Sparse, starts: Indices) -> Indices:
    """Return all samples, breadth first from some that lead to each of them."""
    n = W.shape[0]
    ends = np.append(W.indptr, W.nnz + len(starts))  # one more leads to the starts
    indices = np.append(W.indices, starts.astype(W.indices.dtype))
    graph = sp.csr_array((np.ones(len(indices)), indices, ends), shape=(n + 1, n + 1))
    walked = breadth_first_order(graph, n, return_predecessors=False)
    return walked[1:].astype(np.intp)


def places_of(order: Indices) -> Indices:
    """Return where each sample stands in an order."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


def renumbered(W: Sparse, order: Indices) -> Sparse:
    """Return the matrix with its rows and columns in another order."""
    rows = sp.csr_array(W)[order]
    columns = places_of(order).astype(rows.indices.dtype)[rows.indices]
    moved = sp.csr_array((rows.data, columns, rows.indptr), shape=rows.shape)
    moved.sort_indices()
    return moved


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """N = D^-1/2 W D^-1/2, renumbered, on its device; it never changes.

    Everything in here is in the engine's order of the samples; :attr:`order` and
    :attr:`place` lead out of it and into it.

    Attributes
    ----------
    backend : Backend
    order : ndarray of shape (n,)
        The sample that comes first, second and so on.
    place : ndarray of shape (n,)
        Where each sample comes.
    normal : csr_array of shape (n, n)
        N in float32, for looking up rows.
    product : object
        N where the backend multiplies with it.
    root : ndarray of shape (n,)
        The square roots of the degrees.
    """

    backend: Backend
    order: Indices
    place: Indices
    normal: Sparse
    product: Product
    root: Floats
    _order: Array
    _place: Array

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.order)

    def inside(self, values: Indices | DeviceClusters) -> Array:
        """Return a number for each sample in the engine's order, on its device."""
        if isinstance(values, DeviceClusters):
            return values.values
        return self.backend.indices(values)[self._order]

    def numbers(self, values: Array) -> DeviceNumbers:
        """Return numbers in the engine's order as such of the caller's samples."""
        return DeviceNumbers(values, self._place, self.order)

    def clusters(self, values: Array) -> DeviceClusters:
        """Return clusters in the engine's order as such of the caller's samples."""
        return DeviceClusters(values, self._place, self.order)

    def rows(self, samples: Sequence[int] | Indices) -> Array:
        """Return where some samples come, on the engine's device."""
        return self._place[self.backend.indices(samples)]

    def outside(self, values: Array) -> AnyFloats:
        """Return rows in the engine's order as a numpy array in the caller's."""
        return self.backend.host(values[self._place])


def graph_of(W: Sparse, *, device: str = "cpu") -> Graph:
    """Return the graph of some samples, ready for the engine.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric, not negative, with a zero diagonal.
    device : {"cpu", "cuda", "torch-cpu"}

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> graph_of(sp.csr_array([[0.0, 4.0], [4.0, 0.0]])).normal.toarray()
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    backend, order = backend_for(device), local_order(W)
    moved = renumbered(W, order)
    root = np.sqrt(np.asarray(moved.sum(axis=1), dtype=np.float64).ravel())
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    rows = np.repeat(inverse, np.diff(moved.indptr))
    moved.data = (moved.data * rows * inverse[moved.indices]).astype(np.float32)
    place = places_of(order)
    return Graph(
        backend,
        order,
        place,
        moved,
        backend.sparse(moved),
        root,
        backend.indices(order),
        backend.indices(place),
    )


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
    _gather: Product  # Y'
    _link: Product  # I + c A
    _spread: Product  # Y

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

    def ratio_of(self, samples: Indices) -> Floats:
        """Return the ratio of some samples; 1 for those that nothing touches."""
        if not len(self.samples):
            return np.ones(len(samples))
        at, is_touched = positions(self.samples, samples)
        return np.where(is_touched, self.ratio[np.minimum(at, len(self.ratio) - 1)], 1)

    def scaled(self, rows: Sparse) -> Sparse:
        """Return rows of N as rows of N r."""
        data = rows.data * self.ratio_of(rows.indices)
        return sp.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


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
    """

    graph: Graph
    ties: Ties
    touched: Touched
    aside: Indices
    _at: Array
    _ratio: Array
    _rows: Product

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.graph.n_samples

    @property
    def scale(self) -> Floats:
        """D^-1/2, of shape (n,)."""
        root = self.graph.root
        scale = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
        scale[self.touched.samples] *= self.touched.ratio
        scale[self.ties.samples] = self.ties.scale
        return scale

    def __matmul__(self, X: Array) -> Array:
        """Return the product with the columns of a matrix."""
        return self.shifted(X, 0.0, 1.0)

    def shifted(
        self,
        X: Array,
        shift: float,
        factor: float,
        plus: Sequence[tuple[Array, float]] = (),
    ) -> Array:
        """Return ``factor * (self @ X - shift * X)`` and other columns, scaled."""
        is_touched, backend = len(self.touched.samples) > 0, self.graph.backend
        scaled = X
        if is_touched:
            scaled = X + 0.0
            scaled[self._at] *= self._ratio
        others = [(X, factor * (1.0 - shift)), *plus]
        out = backend.sparse_sum(self.graph.product, scaled, -factor, others)
        if is_touched:
            mine = X[self._at]
            repaired = mine - self._ratio * (self._rows @ X)
            self._tie(repaired, self.touched.samples, X)
            repaired = factor * (repaired - shift * mine)
            for values, times in plus:
                repaired = repaired + times * values[self._at]
            out[self._at] = repaired
        return out

    def at(self, rows: Indices, X: Array) -> Array:
        """Return some rows of the product: ascending, all known samples among them."""
        backend = self.graph.backend
        place, is_touched = positions(self.touched.samples, rows)
        moved = backend.zeros(len(rows), X.shape[1])
        if not is_touched.all():
            others = self.touched.scaled(self.graph.normal[rows[~is_touched]])
            at = backend.indices(np.flatnonzero(~is_touched))
            moved[at] = backend.sparse(others) @ X
        if is_touched.any():
            at = backend.indices(np.flatnonzero(is_touched))
            moved[at] = (self._rows @ X)[backend.indices(place[is_touched])]
        ratio = backend.array(self.touched.ratio_of(rows)[:, np.newaxis])
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
    >>> from likewise.spectral._laplacian_large import graph_of
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
    backend = graph.backend
    return Operator(
        graph,
        ties,
        touched,
        known.aside,
        backend.indices(touched.samples),
        backend.array(touched.ratio[:, np.newaxis]),
        backend.sparse(touched.scaled(touched.rows)),
    )

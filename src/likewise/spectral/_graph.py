"""An order of the samples in which neighbours lie close together in memory.

A sparse product reads the rows of each sample's neighbours. In the order in which
samples happen to come these lie anywhere; renumbered, they are mostly in the cache.
Outside the engine samples keep the numbers that they came with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from likewise._arrays import Floats, Indices, Sparse
from likewise.spectral._backend import Array, Backend, backend_for


def local_order(W: Sparse) -> Indices:
    """Return the samples by reverse Cuthill-McKee.

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
    return reverse_cuthill_mckee(sp.csr_array(W), symmetric_mode=True).astype(np.intp)


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
    product: Any
    root: Floats
    _order: Array
    _place: Array

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.order)

    def inside(self, values: Indices) -> Array:
        """Return a number for each sample in the engine's order, on its device."""
        return self.backend.indices(values)[self._order]

    def rows(self, samples: Sequence[int] | Indices) -> Array:
        """Return where some samples come, on the engine's device."""
        return self._place[self.backend.indices(samples)]

    def outside(self, values: Array) -> Any:
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

"""An order of the samples in which neighbours lie close together in memory.

A sparse product reads the rows of each sample's neighbours. In the order in which
samples happen to come these lie anywhere; renumbered, they are mostly in the cache.
Outside the engine samples keep the numbers that they came with.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from likewise.arrays import Indices, Sparse


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

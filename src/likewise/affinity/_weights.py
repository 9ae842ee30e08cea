"""From distances to weights."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyFloats, Sparse
from likewise.affinity._knn import Neighbours
from likewise.affinity._rows import spans

FAINTEST = 1e-6  # an edge is never weaker: a far neighbour is still a neighbour
N_SORTED = 2**20  # entries sorted at a time
RANK = 7  # the neighbour whose distance is the scale


def local_scale(near: Neighbours, rank: int = RANK) -> AnyFloats:
    """Return each sample's distance to its 7th neighbour, never zero.

    Among more than seven duplicates that distance is zero; the nearest neighbour that
    is no duplicate gives the scale then, and the typical scale where there is none.
    """
    return typical_where_none(own_scale(near, rank))


def own_scale(near: Neighbours, rank: int = RANK) -> AnyFloats:
    """Return each sample's scale by its neighbours alone; infinite where none is."""
    if near.distances.shape[1] == 0:
        return np.ones(len(near.distances))
    scale = near.distances[:, min(rank, near.distances.shape[1]) - 1].copy()
    among_equals = np.flatnonzero(scale == 0)
    apart = near.distances[among_equals]
    scale[among_equals] = np.where(apart > 0, apart, np.inf).min(axis=1)
    return scale


def typical_where_none(scale: AnyFloats) -> AnyFloats:
    """Return scales, with their median in place of infinite ones."""
    usual = scale[np.isfinite(scale)]
    typical = np.median(usual) if usual.size else 1.0
    return np.where(np.isfinite(scale), scale, typical).astype(scale.dtype)


def self_tuning_weights(
    squared: AnyFloats, scale_i: AnyFloats, scale_j: AnyFloats
) -> AnyFloats:
    r"""Return :math:`w_{ij} = \exp(-d_{ij}^2 / (r_i r_j))`, but at least ``FAINTEST``.

    References
    ----------
    L. Zelnik-Manor, P. Perona. Self-Tuning Spectral Clustering. NIPS 2004.
    """
    return np.maximum(np.exp(-squared / (scale_i * scale_j)), FAINTEST)


def directed_weights(near: Neighbours, scale: AnyFloats, start: int = 0) -> Sparse:
    """Return the weights from each sample to its neighbours, as a sparse matrix.

    Parameters
    ----------
    near : Neighbours
        Of m samples in a row.
    scale : ndarray of shape (n,)
        Of all samples.
    start : int
        The first of the m samples.

    Returns
    -------
    csr_array of shape (m, n)
    """
    m, k = near.indices.shape
    mine = scale[start : start + m, np.newaxis]
    weights = self_tuning_weights(near.distances**2, mine, scale[near.indices])
    is_short = m * k <= np.iinfo(np.int32).max  # half the memory, and faster
    kind = np.int32 if is_short else np.int64
    columns, starts = near.indices.ravel().astype(kind), np.arange(m + 1, dtype=kind)
    directed = sp.csr_array(
        (weights.ravel(), columns, k * starts), shape=(m, len(scale))
    )
    directed.sort_indices()
    return directed


def strongest(W: Sparse, k: int) -> Sparse:
    """Return each row's k largest entries; of equal ones, the first.

    Rows of as many entries are sorted together.

    Parameters
    ----------
    W : csr_array of shape (n, n)
    k : int

    Returns
    -------
    csr_array of shape (n, n)

    Examples
    --------
    >>> strongest(sp.csr_array([[0.0, 2.0, 5.0]]), 1).toarray()
    array([[0., 0., 5.]])
    """
    counts, is_kept = np.diff(W.indptr), np.ones(W.nnz, dtype=bool)
    order = np.argsort(counts, kind="stable")
    sizes, first = np.unique(counts[order], return_index=True)
    for size, rows in zip(sizes, np.split(order, first[1:]), strict=True):
        if size > k:
            for span in spans(len(rows), max(N_SORTED // int(size), 1)):
                entries = W.indptr[rows[span], np.newaxis] + np.arange(size)
                weak = np.argsort(-W.data[entries], axis=1, kind="stable")[:, k:]
                is_kept[np.take_along_axis(entries, weak, axis=1)] = False
    starts = np.append(0, np.minimum(counts, k).cumsum()).astype(W.indptr.dtype)
    return sp.csr_array((W.data[is_kept], W.indices[is_kept], starts), W.shape)

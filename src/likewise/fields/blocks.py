"""Many samples, a block of rows at a time: what is made of it stays in the cache."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from likewise.arrays import Indices, Weights
from likewise.graph.rows import spans

ROWS = 4096


def some_rows(W: Weights, part: slice | Indices) -> Weights:
    """Return some rows; a block of a sparse matrix is not copied."""
    if not (sp.issparse(W) and isinstance(part, slice)):
        return W[part]
    starts = W.indptr[part.start : part.stop + 1]
    within = slice(int(starts[0]), int(starts[-1]))
    shape = (len(starts) - 1, W.shape[1])
    inside = W.data[within], W.indices[within], starts - starts[0]
    return sp.csr_array(inside, shape=shape)


def upper(W: Weights) -> Weights:
    """Return what of a matrix lies above its diagonal, of the same shape.

    Half of a symmetric matrix without a diagonal says all of it: W = U + U'.

    Examples
    --------
    >>> upper(sp.csr_array([[0.0, 2.0], [2.0, 0.0]])).toarray()
    array([[0., 2.],
           [0., 0.]])
    """
    if not sp.issparse(W):
        return np.triu(W, 1)
    counts, data, indices = np.zeros(W.shape[0] + 1, dtype=W.indptr.dtype), [], []
    for part in spans(W.shape[0], ROWS):
        rows = some_rows(W, part)
        sizes = np.diff(rows.indptr)
        is_above = rows.indices > np.repeat(np.arange(part.start, part.stop), sizes)
        data.append(rows.data[is_above])
        indices.append(rows.indices[is_above])
        ends = np.append(0, is_above.cumsum())[rows.indptr]
        counts[part.start + 1 : part.stop + 1] = np.diff(ends)
    inside = np.concatenate(data), np.concatenate(indices), counts.cumsum()
    return sp.csr_array(inside, shape=W.shape)

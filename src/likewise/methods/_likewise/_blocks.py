"""Many samples, a block of rows at a time: what is made of it stays in the cache."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Weights
from likewise.affinity import spans

ROWS = 4096


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
    kind = W.indptr.dtype
    counts, data, indices = [np.zeros(1, dtype=kind)], [], []
    for part in spans(W.shape[0], ROWS):
        rows = W[part]
        at = np.repeat(np.arange(part.stop - part.start), np.diff(rows.indptr))
        is_above = rows.indices > at + part.start
        counts.append(np.bincount(at[is_above], minlength=rows.shape[0]))
        data.append(rows.data[is_above])
        indices.append(rows.indices[is_above])
    starts = np.concatenate(counts).cumsum(dtype=kind)
    inside = np.concatenate(data), np.concatenate(indices), starts
    return sp.csr_array(inside, shape=W.shape)

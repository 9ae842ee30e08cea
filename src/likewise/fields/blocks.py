"""Many samples, a block of rows at a time: what is made of it stays in the cache."""

from __future__ import annotations

import scipy.sparse as sp

from likewise.arrays import Indices, Weights

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

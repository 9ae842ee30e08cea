"""Which rows are equal, found in time proportional to their number."""

from __future__ import annotations

import numpy as np

from likewise.arrays import AnyFloats, Indices
from likewise.graph.rows import Rows, spans

N_READ = 1000  # rows that are in memory at a time


def first_equals(rows: Rows) -> Indices:
    """Return for each row the first one that is equal to it, itself if it is that.

    Rows of one sum of their digits, each taken some odd number of times, are compared;
    a row that is not equal to the first of them counts as different from all.

    Parameters
    ----------
    rows : Rows
        Of dense samples, in float32.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], dtype=np.float32)
    >>> first_equals(Rows(X))
    array([0, 1, 0])
    """
    sums = np.concatenate([_sums(rows[span]) for span in spans(len(rows), N_READ)])
    _, at, group = np.unique(sums, return_index=True, return_inverse=True)
    first: Indices = at[group]
    later = np.flatnonzero(first != np.arange(len(rows)))
    for span in spans(len(later), N_READ):
        some = later[span]
        is_other = (rows[some] != rows[first[some]]).any(axis=1)
        first[some[is_other]] = some[is_other]
    return first


def _sums(some: AnyFloats) -> AnyFloats:
    digits = (some + np.float32(0.0)).view(np.uint32).astype(np.uint64)  # -0 becomes 0
    times = np.random.default_rng(0).integers(
        2**63, size=some.shape[1], dtype=np.uint64
    )
    mixed = digits * (2 * times + 1)
    mixed ^= mixed >> np.uint64(32)
    return mixed.sum(axis=1)

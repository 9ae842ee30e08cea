"""Eigenpairs from nothing: Chebyshev-filtered subspace iteration.

Values that coincide are found as often as they occur, as long as the block of columns
has room for them: nothing depends on one start vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from likewise.engine.filter import COLUMNS, filtered
from likewise.engine.operator import Operator
from likewise.engine.pairs import Pairs
from likewise.engine.subspace import rayleigh_ritz

TOLERANCE = 1e-3  # of a residual over the top of the spectrum; labels need no more
FINEST = 1e-6  # what float32 can promise
GUARDS = 10  # columns beyond those wanted
FIRST_CUT = 0.5  # where the spectrum is cut before anything is known of it
MAX_PASSES = 40

Progress: TypeAlias = Callable[[int, float], None]


def solve(
    operator: Operator,
    p: int,
    *,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    progress: Progress | None = None,
) -> Pairs:
    """Return the p lowest eigenpairs, and some that guard them.

    Parameters
    ----------
    operator : Operator
    p : int
        How many are wanted; at most as many as there are samples.
    tolerance : float, default=1e-3
        Of the residuals of those wanted, relative to the top of the spectrum, 2. Below
        1e-6 it is taken for 1e-6: the arithmetic is that of float32.
    seed : int, default=0
        Of the columns that it starts from.
    progress : callable, optional
        Called as ``progress(number of passes, worst residual)`` after each pass.

    Returns
    -------
    Pairs
        ``pairs.worst`` tells whether the tolerance was reached; after 40 passes the
        best there is is returned.

    References
    ----------
    Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky. Self-consistent-field calculations
    using Chebyshev-filtered subspace iteration. Journal of Computational Physics, 2006.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from likewise.engine import graph_of, operator_of
    >>> two_pairs = sp.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    >>> solve(operator_of(graph_of(two_pairs)), 2).values.round(3) + 0.0
    array([0., 0., 2., 2.])
    """
    n, backend = operator.n_samples, operator.graph.backend
    p = min(p, n)
    width = min(p + GUARDS, n)
    if width == n:
        whole = backend.array(np.eye(n))
        ritz = rayleigh_ritz(backend, whole, operator @ whole)
        return Pairs(operator, ritz, p, columns=n)
    start = np.random.default_rng(seed).standard_normal((n, width), dtype=np.float32)
    ritz = filtered(operator, backend.array(start), 0.0, FIRST_CUT)
    pairs = Pairs(operator, ritz, p, width * COLUMNS)
    return refined(pairs, max(tolerance, FINEST), progress, max_passes=MAX_PASSES)


def refined(
    pairs: Pairs, tolerance: float, progress: Progress | None, *, max_passes: int
) -> Pairs:
    """Return the pairs after as many passes of the filter as the tolerance takes."""
    for passes in range(1, max_passes + 1):
        if progress is not None:
            progress(passes, pairs.worst)
        if pairs.worst <= tolerance:
            break
        values = pairs.values
        ritz = filtered(pairs.operator, pairs.ritz.basis, values[0], values[-1])
        columns = pairs.columns + len(values) * COLUMNS
        pairs = Pairs(pairs.operator, ritz, pairs.wanted, columns)
    return pairs

"""A polynomial of the operator that leaves little but the lowest eigenvectors."""

from __future__ import annotations

from likewise.engine.backend import Array
from likewise.engine.operator import TOP, Operator
from likewise.engine.subspace import Ritz, orthonormal, rayleigh_ritz

DEGREE = 10
COLUMNS = DEGREE + 1  # products for each column that is filtered, and its image
NARROWEST = 0.05  # part of the spectrum that is damped at least


def filtered(operator: Operator, X: Array, lowest: float, cut: float) -> Ritz:
    """Return the eigenpairs within a block after one pass of the filter over it."""
    backend = operator.graph.backend
    basis = orthonormal(backend, damped(operator, X, lowest, cut))
    return rayleigh_ritz(backend, basis, operator @ basis)


def damped(operator: Operator, X: Array, lowest: float, cut: float) -> Array:
    """Return T(operator) X, T the Chebyshev polynomial that is small on [cut, 2].

    It is scaled to be about 1 at the lowest eigenvalue, so that nothing overflows.
    """
    cut = min(cut, TOP - NARROWEST)
    half, middle = (TOP - cut) / 2, (TOP + cut) / 2
    first = factor = half / (min(lowest, cut) - middle)
    Y = operator.shifted(X, middle, factor / half)
    for _ in range(DEGREE - 1):
        following = 1 / (2 / first - factor)
        Z = operator.shifted(Y, middle, 2 * following / half)
        operator.graph.backend.add_scaled(Z, X, -factor * following)
        X, Y, factor = Y, Z, following
    return Y

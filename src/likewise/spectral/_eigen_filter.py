"""A filter that brings out the lowest eigenvectors of many samples.

Blocks of columns are filtered, made orthonormal, turned towards eigenvectors, and
checked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise._arrays import Floats
from likewise.spectral._backend import Array, Backend
from likewise.spectral._laplacian_large import TOP, Operator

DEPENDENT = 1e-5  # columns closer to the span of others are beyond float32


@dataclass(frozen=True, slots=True, eq=False)
class Ritz:
    """The best approximations of eigenpairs in a subspace.

    Attributes
    ----------
    values : ndarray of shape (p,)
        Ascending.
    basis : array of shape (n, p)
        Orthonormal columns.
    image : array of shape (n, p)
        The operator times the basis.
    residual : ndarray of shape (p,)
        The lengths of ``image - basis * values``.
    """

    values: Floats
    basis: Array
    image: Array
    residual: Floats


def orthonormal(backend: Backend, V: Array) -> Array:
    """Return an orthonormal basis of the same columns, as many as there were.

    Cholesky-QR of columns scaled to length 1, twice. A filter leaves columns that are
    nearly dependent: so the first time products are in float64, and where even that is
    not enough, Householder's reflections take its place. No column is dropped: a block
    that has lost one can never find it again.
    """
    for exactly in (True, False):
        gram = backend.gram(V, V, exactly=exactly)
        length = np.sqrt(np.diag(gram))
        if not (np.isfinite(length) & (length > 0)).all():
            return backend.householder(V)
        try:
            lower = np.linalg.cholesky(gram / np.outer(length, length))
        except np.linalg.LinAlgError:
            return backend.householder(V)
        if np.diag(lower).min() < DEPENDENT:
            return backend.householder(V)
        V = backend.combined([V], [np.linalg.inv(lower).T / length[:, np.newaxis]])
    return V


def spanned(backend: Backend, V: Array, faint: float) -> Array:
    """Return an orthonormal basis of the span, without directions shorter than faint.

    For directions that are tried once and not carried on: what is too short holds
    nothing but rounding.
    """
    squared, turn = np.linalg.eigh(backend.gram(V, V, exactly=True))
    kept = squared > faint**2
    return backend.combined([V], [turn[:, kept] / np.sqrt(squared[kept])])


def rayleigh_ritz(backend: Backend, basis: Array, image: Array) -> Ritz:
    """Return the eigenpairs of an operator within the span of orthonormal columns."""
    inner = backend.gram(basis, image)
    values, turn = np.linalg.eigh((inner + inner.T) / 2)
    return ritz_of(
        backend,
        values,
        backend.combined([basis], [turn]),
        backend.combined([image], [turn]),
    )


def ritz_of(backend: Backend, values: Floats, basis: Array, image: Array) -> Ritz:
    """Return approximate eigenpairs with their residuals."""
    squares, small = np.zeros(len(values)), backend.array(values)
    for rows in backend.chunks(len(basis)):
        off = image[rows] - basis[rows] * small
        squares += backend.host((off * off).sum(0))
    return Ritz(values, basis, image, np.sqrt(squares))


DEGREE, MOST_DEGREE = 10, 40  # of the filter
AMPLIFIED = 1e4  # what one pass does to the lowest; beyond, columns become dependent
NARROWEST = 0.05  # part of the spectrum that is damped at least


def filtered(
    operator: Operator, X: Array, lowest: float, cut: float
) -> tuple[Ritz, int]:
    """Return the eigenpairs within a block after one pass of the filter over it.

    And the columns that the operator was applied to.
    """
    backend, degree = operator.graph.backend, degree_for(lowest, cut)
    basis = orthonormal(backend, damped(operator, X, lowest, cut, degree))
    columns = X.shape[1] * (degree + 1)
    return rayleigh_ritz(backend, basis, operator @ basis), columns


def degree_for(
    lowest: float, cut: float, *, amplified: float = AMPLIFIED, least: int = DEGREE
) -> int:
    """Return the degree that tells the lowest from the cut by far, if one does.

    One pass of twice the degree does more than two, and columns are made orthonormal
    once: where eigenvalues lie close, the degree is high.

    Examples
    --------
    >>> degree_for(0.0, 0.5), degree_for(0.0, 0.1), degree_for(0.0, 0.01)
    (10, 22, 40)
    """
    growth = products_to_tell(lowest, cut, amplified)
    return int(np.clip(np.rint(growth), least, MOST_DEGREE))


def products_to_tell(lowest: float, cut: float, amplified: float) -> float:
    """Return how many products amplify the lowest over the cut by so much."""
    cut = min(cut, TOP - NARROWEST)
    beyond = 1 + 2 * (cut - min(lowest, cut)) / (TOP - cut)
    return float(np.arccosh(amplified) / max(np.arccosh(beyond), 1e-3))


def damped(
    operator: Operator, X: Array, lowest: float, cut: float, degree: int = DEGREE
) -> Array:
    """Return T(operator) X, T the Chebyshev polynomial that is small on [cut, 2].

    It is scaled to be about 1 at the lowest eigenvalue, so that nothing overflows.
    """
    cut = min(cut, TOP - NARROWEST)
    half, middle = (TOP - cut) / 2, (TOP + cut) / 2
    first = factor = half / (min(lowest, cut) - middle)
    Y = operator.shifted(X, middle, factor / half)
    for _ in range(degree - 1):
        following = 1 / (2 / first - factor)
        before = [(X, -factor * following)]
        X, Y = Y, operator.shifted(Y, middle, 2 * following / half, before)
        factor = following
    return Y


def drawn(operator: Operator, rng: np.random.Generator, width: int) -> Array:
    """Return columns to start from: each sample draws, whatever the engine's order."""
    shape = operator.n_samples, width
    start = rng.standard_normal(shape, dtype=np.float32)
    return operator.graph.backend.array(start[operator.graph.order])

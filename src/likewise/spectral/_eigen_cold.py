"""The lowest eigenvectors of many samples, from nothing: a filter over a tall block.

Blocks of columns are made orthonormal, turned towards eigenvectors, and checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.spectral._backend import Array, Backend
from likewise.spectral._laplacian_large import TOP, Operator

RESOLUTION = 1e-5  # closer eigenvalues are not told apart at the usual tolerance
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


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Approximate eigenpairs.

    Attributes
    ----------
    operator : Operator
        What they are of.
    ritz : Ritz
        The pairs as the engine keeps them: in its order, on its device.
    wanted : int
        How many are meant to be accurate; the others guard them.
    columns : int
        Columns that the operator was applied to, to find them.
    age : int
        Changes of the operator since it was last applied to all of them.
    """

    operator: Operator
    ritz: Ritz
    wanted: int
    columns: int
    age: int = 0

    @property
    def values(self) -> Floats:
        """The eigenvalues, ascending, of shape (p,)."""
        return self.ritz.values

    @property
    def vectors(self) -> AnyFloats:
        """The eigenvectors as a numpy array of shape (n, p), in the caller's order.

        Float32, with orthonormal columns. It is put together anew at each call.
        """
        return self.operator.graph.outside(self.ritz.basis)

    @property
    def scale(self) -> Floats:
        """D^-1/2, of shape (n,), in the caller's order."""
        return self.operator.scale[self.operator.graph.place]

    @property
    def is_normalised(self) -> bool:
        """The scale depends on the weights."""
        return True

    @property
    def resolution(self) -> float:
        """Eigenvalues that are closer are not told apart."""
        return RESOLUTION

    @property
    def backend(self) -> Backend:
        """Where the eigenvectors are."""
        return self.operator.graph.backend

    def block(self, samples: Indices, p: int) -> Array:
        """Return rows of the p lowest eigenvectors, where they are."""
        return self.ritz.basis[:, :p][self.operator.graph.rows(samples)]

    def rows(self, samples: Indices) -> AnyFloats:
        """Return some rows of the eigenvectors, of shape (s, p)."""
        return self.backend.host(self.block(samples, len(self.values)))

    @property
    def residual(self) -> Floats:
        """The length of L v - value * v over the top of the spectrum, of shape (p,)."""
        return self.ritz.residual / TOP

    @property
    def worst(self) -> float:
        """The largest residual of the pairs that are wanted."""
        return float(self.residual[: self.wanted].max(initial=0.0))


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
    >>> from likewise.spectral import graph_of, operator_of
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

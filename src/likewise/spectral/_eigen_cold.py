"""The lowest eigenvectors of many samples, from nothing: a filter over a tall block.

Blocks of columns are made orthonormal, turned towards eigenvectors, and checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._cached import Arrays, Form
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

    def places(self, samples: Indices) -> Array:
        """Return where some samples stand in the engine's order."""
        return self.operator.graph.rows(samples)

    def block(self, at: Array, p: int) -> Array:
        """Return rows of the p lowest eigenvectors, where they are."""
        return self.ritz.basis[:, :p][at]

    def scale_at(self, at: Array) -> Array:
        """Return the scale of some samples, of shape (s, 1)."""
        return self.backend.array(self.operator.scale[:, np.newaxis])[at]

    def rows(self, samples: Indices) -> AnyFloats:
        """Return some rows of the eigenvectors, of shape (s, p)."""
        return self.backend.host(self.block(self.places(samples), len(self.values)))

    @property
    def residual(self) -> Floats:
        """The length of L v - value * v over the top of the spectrum, of shape (p,)."""
        return self.ritz.residual / TOP

    @property
    def worst(self) -> float:
        """The largest residual of the pairs that are wanted."""
        return float(self.residual[: self.wanted].max(initial=0.0))


def form_of_pairs(operator: Operator) -> Form[Pairs]:
    """Return how eigenpairs of an operator are kept, and taken up to the last bit."""
    backend = operator.graph.backend

    def packed(pairs: Pairs) -> Arrays:
        ritz = pairs.ritz
        return {
            "values": ritz.values,
            "basis": backend.host(ritz.basis),
            "image": backend.host(ritz.image),
            "residual": ritz.residual,
            "counts": np.array([pairs.wanted, pairs.columns, pairs.age]),
        }

    def unpacked(arrays: Arrays) -> Pairs:
        basis, image = backend.array(arrays["basis"]), backend.array(arrays["image"])
        ritz = Ritz(arrays["values"], basis, image, arrays["residual"])
        return Pairs(operator, ritz, *arrays["counts"].tolist())

    return Form(packed, unpacked)


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


def degree_for(lowest: float, cut: float) -> int:
    """Return the degree that tells the lowest from the cut by far, if one does.

    One pass of twice the degree does more than two, and columns are made orthonormal
    once: where eigenvalues lie close, the degree is high.

    Examples
    --------
    >>> degree_for(0.0, 0.5), degree_for(0.0, 0.1), degree_for(0.0, 0.01)
    (10, 22, 40)
    """
    cut = min(cut, TOP - NARROWEST)
    beyond = 1 + 2 * (cut - min(lowest, cut)) / (TOP - cut)
    growth = np.arccosh(AMPLIFIED) / max(np.arccosh(beyond), 1e-3)
    return int(np.clip(np.rint(growth), DEGREE, MOST_DEGREE))


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
        Z = operator.shifted(Y, middle, 2 * following / half)
        operator.graph.backend.add_scaled(Z, X, -factor * following)
        X, Y, factor = Y, Z, following
    return Y


TOLERANCE = 1e-4  # of a residual over the top of the spectrum
SHARE = 0.01  # of the gap behind what is used: a residual that turns it by as much
FINER = 1e-5  # however narrow the gap: ten times what float32 can promise
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
    used: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Pairs:
    """Return the p lowest eigenpairs, and some that guard them.

    Parameters
    ----------
    operator : Operator
    p : int
        How many are wanted; at most as many as there are samples.
    tolerance : float, default=1e-4
        Of the residuals of those wanted, relative to the top of the spectrum, 2. Below
        1e-6 it is taken for 1e-6: the arithmetic is that of float32.
    used : int, optional
        How many of them span the space that is used, all unless given: where the gap
        behind them is narrow the tolerance is smaller, at least 1e-5. What a residual
        leaves open is its angle to that space, residual over gap.
    seed : int, default=0
        Of the columns that it starts from, a row of which belongs to each sample.
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
    start = drawn(operator, np.random.default_rng(seed), width)
    ritz, columns = filtered(operator, start, 0.0, FIRST_CUT)
    pairs = Pairs(operator, ritz, p, columns)
    return refined(pairs, tolerance, used or p, progress, max_passes=MAX_PASSES)


def drawn(operator: Operator, rng: np.random.Generator, width: int) -> Array:
    """Return columns to start from: each sample draws, whatever the engine's order."""
    shape = operator.n_samples, width
    start = rng.standard_normal(shape, dtype=np.float32)
    return operator.graph.backend.array(start[operator.graph.order])


def sufficient(values: Floats, used: int, tolerance: float) -> float:
    """Return the residual that the gap behind the pairs that are used asks for."""
    if used >= len(values) or tolerance <= FINER:
        return max(tolerance, FINEST)
    gap = float(values[used] - values[used - 1])
    return float(np.clip(SHARE * gap / TOP, FINER, tolerance))


def refined(
    pairs: Pairs,
    tolerance: float,
    used: int,
    progress: Progress | None,
    *,
    max_passes: int,
) -> Pairs:
    """Return the pairs after as many passes of the filter as the tolerance takes."""
    for passes in range(1, max_passes + 1):
        if progress is not None:
            progress(passes, pairs.worst)
        if pairs.worst <= sufficient(pairs.values, used, tolerance):
            break
        values, operator = pairs.values, pairs.operator
        ritz, columns = filtered(operator, pairs.ritz.basis, values[0], values[-1])
        columns += pairs.columns
        pairs = replace(pairs, ritz=ritz, columns=columns, age=0)
    return pairs

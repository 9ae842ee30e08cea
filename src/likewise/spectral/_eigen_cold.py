"""The lowest eigenvectors of many samples, from nothing.

They are looked for in the space that a few filtered columns span. Where that does not
hold them as accurately as they are wanted, passes of the filter over all of them do
the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._cached import Arrays, Form
from likewise._cores import all_cores
from likewise.spectral._backend import Array, Backend
from likewise.spectral._eigen_filter import Ritz, drawn, filtered, rayleigh_ritz
from likewise.spectral._eigen_space import spanned_by_few
from likewise.spectral._laplacian_large import TOP, Operator

RESOLUTION = 1e-5  # closer eigenvalues are not told apart at the usual tolerance


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


TOLERANCE = 1e-4  # of a residual over the top of the spectrum
SHARE = 0.01  # of the gap behind what is used: a residual that turns it by as much
FINER = 1e-5  # however narrow the gap: ten times what float32 can promise
FINEST = 1e-6  # what float32 can promise
GUARDS = 10  # columns beyond those wanted
FIRST_CUT = 0.5  # where the spectrum is cut before anything is known of it
MAX_PASSES = 40
PER_COLUMN = 20  # samples, from which on a few columns are filtered again and again

Progress: TypeAlias = Callable[[int, float], None]


@all_cores()
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
    p, used = min(p, n), used or p
    width = min(p + GUARDS, n)
    if width == n:
        whole = backend.array(np.eye(n))
        ritz = rayleigh_ritz(backend, whole, operator @ whole)
        return Pairs(operator, ritz, p, columns=n)
    rng, needed = np.random.default_rng(seed), partial(_needed, used, tolerance)
    pairs = _begun(operator, p, width, needed, rng)
    return refined(pairs, tolerance, used, progress, max_passes=MAX_PASSES)


def _needed(used: int, tolerance: float, values: Floats) -> float:
    return sufficient(values, used, tolerance)


def _begun(
    operator: Operator,
    p: int,
    width: int,
    needed: Callable[[Floats], float],
    rng: np.random.Generator,
) -> Pairs:
    """Return eigenpairs to begin with: of many samples, accurate ones mostly."""
    if operator.n_samples >= PER_COLUMN * width:
        found = spanned_by_few(operator, p, width, needed, rng)
        if found is not None:
            basis, columns = found
            image = operator @ basis
            ritz = rayleigh_ritz(operator.graph.backend, basis, image)
            return Pairs(operator, ritz, p, columns + width)
    start = drawn(operator, rng, width)
    ritz, columns = filtered(operator, start, 0.0, FIRST_CUT)
    return Pairs(operator, ritz, p, columns)


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

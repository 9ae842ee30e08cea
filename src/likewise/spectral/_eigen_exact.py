"""The lowest eigenvectors of a Laplacian, to all digits (paper, 3.1).

:mod:`likewise.spectral._eigen_cold` and :mod:`likewise.spectral._eigen_update` are the
large half: those are in float32, to a tolerance, and go on from one answer to the next;
these need nothing but the matrix, which may be dense and of any Laplacian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._regime import N_DENSE, N_LANCZOS
from likewise.spectral._backend import Array, Backend, NumpyBackend
from likewise.spectral._eigen_cold import solve
from likewise.spectral._laplacian_exact import ConstrainedWeights, Laplacian
from likewise.spectral._laplacian_large import graph_of, operator_of

TOLERANCE = 1e-8
RESOLUTION = 1e-6  # closer eigenvalues have no eigenvectors of their own
DOUBLE = NumpyBackend(np.float64)


class Eigenpairs(Protocol):
    """The lowest eigenpairs of a Laplacian: an exact Spectrum, or large Pairs."""

    @property
    def values(self) -> Floats:
        """The eigenvalues, ascending, of shape (p,)."""

    @property
    def scale(self) -> Floats:
        """The s of :class:`Laplacian`, of shape (n,)."""

    @property
    def is_normalised(self) -> bool:
        """Whether that depends on the weights."""

    @property
    def wanted(self) -> int:
        """How many are meant to be accurate."""

    @property
    def resolution(self) -> float:
        """Eigenvalues that are closer are not told apart."""

    @property
    def backend(self) -> Backend:
        """Where the eigenvectors are."""

    def block(self, samples: Indices, p: int) -> Array:
        """Return rows of the p lowest eigenvectors, where they are."""

    def rows(self, samples: Indices) -> AnyFloats:
        """Return rows of all eigenvectors, of shape (s, p)."""


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The lowest eigenpairs of a Laplacian, to all digits.

    Attributes
    ----------
    values : ndarray of shape (p,)
        Ascending.
    vectors : ndarray of shape (n, p)
        Orthonormal columns; float32 where the engine has found them.
    scale : ndarray of shape (n,)
        The s of :class:`~likewise.spectral._laplacian_exact.Laplacian`.
    is_normalised : bool
    """

    values: Floats
    vectors: Floats
    scale: Floats
    is_normalised: bool

    @property
    def wanted(self) -> int:
        """All of them are meant to be accurate."""
        return len(self.values)

    @property
    def resolution(self) -> float:
        """Eigenvalues that are closer are not told apart."""
        return RESOLUTION

    @property
    def backend(self) -> Backend:
        """Numpy in float64."""
        return DOUBLE

    def block(self, samples: Indices, p: int) -> Array:
        """Return rows of the p lowest eigenvectors."""
        return DOUBLE.array(self.vectors[samples, :p])

    def rows(self, samples: Indices) -> AnyFloats:
        """Return rows of all eigenvectors, of shape (s, p)."""
        return self.vectors[samples]


def lowest(laplacian: Laplacian, p: int, *, device: str = "cpu") -> Spectrum:
    """Return the p lowest eigenpairs.

    Densely for few samples, by Lanczos for more. Of a large sparse graph that nothing
    is written into, by the engine: in float32, residuals below 0.001 of the largest
    eigenvalue, on the device that is named.
    """
    n = laplacian.weights.n_samples
    p = min(p, n)
    if n <= N_DENSE or 3 * p >= n:
        values, vectors = _dense(laplacian, p)
    elif n > N_LANCZOS and laplacian.is_normalised and _is_plain(laplacian.weights):
        graph = graph_of(laplacian.weights.kept, device=device)
        pairs = solve(operator_of(graph), p)
        values, vectors = pairs.values[:p], _as_they_are(pairs.vectors[:, :p])
    else:
        values, vectors = _iterated(laplacian, n, p)
    return Spectrum(values, vectors, laplacian.scale, laplacian.is_normalised)


def _as_they_are(vectors: AnyFloats) -> Floats:
    return cast(Floats, vectors)  # of very many rows no second array is made


def _is_plain(weights: ConstrainedWeights) -> bool:
    return sp.issparse(weights.kept) and not weights.blocks.samples.size


def _dense(laplacian: Laplacian, p: int) -> tuple[Floats, Floats]:
    return eigh(laplacian.toarray(), subset_by_index=[0, p - 1])


def _iterated(laplacian: Laplacian, n: int, p: int) -> tuple[Floats, Floats]:
    """Return the eigenpairs by Lanczos; where many values coincide it may give up.

    Then a dense solution takes its place, or above 5,000 samples a larger space.
    """
    try:
        return _lanczos(laplacian, n, p)
    except ArpackError:
        if n <= N_LANCZOS:
            return _dense(laplacian, p)
        return _lanczos(laplacian, n, p, size=min(n - 1, 5 * p + 50))


def _lanczos(
    laplacian: Laplacian, n: int, p: int, size: int | None = None
) -> tuple[Floats, Floats]:
    # The highest of -L converge as the lowest of L would; the start is fixed, so that
    # the same matrix always gives the same vectors.
    operator = LinearOperator((n, n), matvec=lambda x: -(laplacian @ x), dtype=float)
    start = np.random.default_rng(n).standard_normal(n)
    values, vectors = eigsh(
        operator, k=p, which="LA", v0=start, tol=TOLERANCE, ncv=size
    )
    order = np.argsort(-values, kind="stable")
    return -values[order], vectors[:, order]

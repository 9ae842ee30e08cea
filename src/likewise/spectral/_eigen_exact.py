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
from scipy.linalg import eigh, eigh_tridiagonal
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._regime import N_DENSE, N_LANCZOS
from likewise._ties import first_best
from likewise.spectral._backend import Array, Backend, NumpyBackend
from likewise.spectral._eigen_cold import solve
from likewise.spectral._laplacian_exact import ConstrainedWeights, Laplacian
from likewise.spectral._laplacian_large import graph_of, operator_of

TOLERANCE = 1e-10  # of residuals, over the top of the spectrum
STEPS, MOST_STEPS = 8, 96  # of Lanczos, to see whether anything was
RESOLVED = 0.3  # of a distance: a residual that leaves no doubt about it
RESTARTS = 150  # of Lanczos: it converges within 70, or hardly ever
MORE = 20  # eigenpairs besides twice those wanted, where it does not
AT_ONCE = 8  # eigenpairs that are looked for where some were
OF_SPARSE, OF_DENSE = 3, 20  # more than one of so many eigenpairs: all at once
ONE = 1e-9  # eigenvalues this close are one: rounding tells them apart
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

    def places(self, samples: Indices) -> Array:
        """Return where some samples stand, for what follows."""

    def block(self, at: Array, p: int) -> Array:
        """Return rows of the p lowest eigenvectors, where they are."""

    def scale_at(self, at: Array) -> Array:
        """Return the scale of the same samples, of shape (s, 1)."""

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

    def places(self, samples: Indices) -> Array:
        """Return the samples: they stand at their numbers."""
        return DOUBLE.indices(samples)

    def block(self, at: Array, p: int) -> Array:
        """Return rows of the p lowest eigenvectors."""
        return DOUBLE.array(self.vectors[DOUBLE.host_indices(at), :p])

    def scale_at(self, at: Array) -> Array:
        """Return the scale of some samples, of shape (s, 1)."""
        return DOUBLE.array(self.scale[DOUBLE.host_indices(at), np.newaxis])

    def rows(self, samples: Indices) -> AnyFloats:
        """Return rows of all eigenvectors, of shape (s, p)."""
        return self.vectors[samples]


def lowest(laplacian: Laplacian, p: int, *, device: str = "cpu") -> Spectrum:
    """Return the p lowest eigenpairs.

    Densely for few samples, by Lanczos for more. Of a large sparse graph that nothing
    is written into, by the engine: in float32, residuals below 0.0001 of the largest
    eigenvalue, on the device that is named.
    """
    n = laplacian.weights.n_samples
    p = min(p, n)
    if n <= N_DENSE or _most_of(laplacian.weights) * p >= n:
        values, vectors = with_own_axes(*_dense(laplacian, p))
    elif n > N_LANCZOS and laplacian.is_normalised and _is_plain(laplacian.weights):
        graph = graph_of(laplacian.weights.kept, device=device)
        pairs = solve(operator_of(graph), p, used=n)
        values, vectors = pairs.values[:p], _as_they_are(pairs.vectors[:, :p])
    else:
        values, vectors = with_own_axes(*_iterated(laplacian, n, p))
    return Spectrum(values, vectors, laplacian.scale, laplacian.is_normalised)


def with_own_axes(values: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Return eigenpairs, those of one eigenvalue turned as the graph alone says.

    Eigenvectors of eigenvalues that are not told apart are any axes of the space that
    they span, and rounding chooses them. Here the first points to the sample that lies
    farthest out in that space, the next to the one farthest from that axis, and so on.

    Parameters
    ----------
    values : ndarray of shape (p,)
        Ascending.
    vectors : ndarray of shape (n, p)
    """
    edges = np.flatnonzero(np.diff(values) > ONE) + 1
    turned = vectors
    for part in np.split(np.arange(len(values)), edges):
        if len(part) > 1:
            turned = turned.copy() if turned is vectors else turned
            turned[:, part] = vectors[:, part] @ _axes(vectors[:, part]).T
    return values, turned


def _axes(vectors: Floats) -> Floats:
    """Return the directions of the rows that lie farthest out, of shape (r, r)."""
    rest, axes = vectors, np.zeros((0, vectors.shape[1]))
    while len(axes) < vectors.shape[1]:
        row = rest[first_best((rest**2).sum(axis=1))]
        axes = np.vstack([axes, row / np.linalg.norm(row)])
        rest = rest - np.outer(rest @ axes[-1], axes[-1])
    return axes


def _as_they_are(vectors: AnyFloats) -> Floats:
    return cast(Floats, vectors)  # of very many rows no second array is made


def _most_of(weights: ConstrainedWeights) -> int:
    """Return which part of all eigenpairs is too many to look for one by one.

    A product with a dense matrix reads all of it, and Lanczos takes three or more for
    each eigenpair; a dense solution reads it about once a row.
    """
    return OF_SPARSE if sp.issparse(weights.kept) else OF_DENSE


def _is_plain(weights: ConstrainedWeights) -> bool:
    return sp.issparse(weights.kept) and not weights.blocks.samples.size


def _dense(laplacian: Laplacian, p: int) -> tuple[Floats, Floats]:
    return eigh(laplacian.toarray(), subset_by_index=[0, p - 1])


def _iterated(laplacian: Laplacian, n: int, p: int) -> tuple[Floats, Floats]:
    """Return the eigenpairs by Lanczos, which gives up where many values coincide.

    Those that are wanted may end among values that nearly do: with some more wanted it
    finds them all. Else a dense solution takes its place, or above 5,000 samples a
    larger space.
    """
    more = min(2 * p + MORE, n // 2)
    try:
        return _complete(laplacian, *_lanczos(laplacian, p), p)
    except ArpackError:
        pass
    try:
        return _complete(laplacian, *_lanczos(laplacian, more), p)
    except ArpackError:
        if n <= N_LANCZOS:
            return _dense(laplacian, p)
    found = _lanczos(laplacian, more, size=min(n - 1, 5 * p + 50), restarts=None)
    return _complete(laplacian, *found, p)


def _complete(
    laplacian: Laplacian, values: Floats, vectors: Floats, p: int
) -> tuple[Floats, Floats]:
    """Return the eigenpairs with those among them that Lanczos has passed over.

    From one vector Lanczos sees one of several equal eigenvalues, and the others by
    rounding alone. So it is asked what lies lowest outside the vectors found, until
    that is above them all; where it is as low as the last, both are looked at together.
    """
    (n, found), beyond = vectors.shape, RESOLUTION * laplacian.top
    most = min(found + p + AT_ONCE, n - 1 - AT_ONCE)
    while (
        vectors.shape[1] < most
        and _lowest_outside(laplacian, vectors, values[p - 1]) < values[p - 1] + beyond
    ):
        more = _lanczos(laplacian, AT_ONCE, outside=vectors)[1]
        basis, _ = np.linalg.qr(np.hstack([vectors, more]))
        inner = basis.T @ (laplacian @ basis)
        values, turn = np.linalg.eigh((inner + inner.T) / 2)
        vectors = basis @ turn
    return values[:p], vectors[:, :p]


def _lowest_outside(laplacian: Laplacian, vectors: Floats, edge: float) -> float:
    """Return about the lowest eigenvalue whose vector is orthogonal to some others.

    A few steps of Lanczos tell: it is above the lowest as long as that is not found,
    and what is far below the rest is found first. They end when the value found is
    below the edge, or its distance from that beyond doubt.
    """
    n, nothing = len(vectors), TOLERANCE * laplacian.top
    x = _orthogonal(np.random.default_rng((n, 1)).standard_normal(n), vectors)
    x = x / np.linalg.norm(x)
    before, beside, lowest_yet = np.zeros(n), 0.0, np.inf
    diagonal: list[float] = []
    off: list[float] = []
    for step in range(1, min(MOST_STEPS, n - vectors.shape[1]) + 1):
        y = laplacian @ x - beside * before
        diagonal.append(float(x @ y))
        y = _orthogonal(y - diagonal[-1] * x, vectors)
        beside = float(np.linalg.norm(y))
        is_all = beside <= nothing
        if is_all or step % STEPS == 0:
            values, turn = eigh_tridiagonal(
                diagonal, off, select="i", select_range=(0, 0)
            )
            lowest_yet, left = float(values[0]), beside * abs(turn[-1, 0])
            if is_all or lowest_yet < edge or left < RESOLVED * (lowest_yet - edge):
                break
        off.append(beside)
        before, x = x, y / beside
    return lowest_yet


def _orthogonal(x: Floats, vectors: Floats) -> Floats:
    return x - vectors @ (vectors.T @ x)


def _lanczos(
    laplacian: Laplacian,
    p: int,
    size: int | None = None,
    restarts: int | None = RESTARTS,
    outside: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return the lowest eigenpairs, of those whose vectors are outside of some others.

    They are the highest of what is left to the top of the spectrum, and far from zero:
    relative to itself, an eigenvalue of zero would never be accurate, and would be left
    out. The start is fixed, so that the same matrix always gives the same vectors.
    """
    n, top = laplacian.weights.n_samples, laplacian.top

    def left(x: Floats) -> Floats:
        inside = x if outside is None else _orthogonal(x, outside)
        found = top * inside - laplacian @ inside
        return found if outside is None else _orthogonal(found, outside)

    operator = LinearOperator((n, n), matvec=left, dtype=float)
    start = np.random.default_rng(n).standard_normal(n)
    values, vectors = eigsh(
        operator, k=p, which="LA", v0=start, tol=TOLERANCE, ncv=size, maxiter=restarts
    )
    order = np.argsort(-values, kind="stable")
    return top - values[order], vectors[:, order]

"""A space that a few filtered columns span, and the lowest eigenvectors in it.

A filter over a tall block is applied to as many columns as eigenvectors are wanted, and
again until the last of them is told from the first that is not. Where eigenvalues lie
close that takes many passes. Here a few columns are filtered again and again, and all
that comes of them is kept: block Lanczos, with the filter in the place of the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import eigh_tridiagonal

from likewise._arrays import Floats
from likewise.spectral._backend import Array, Backend
from likewise.spectral._eigen_filter import (
    DEGREE,
    damped,
    degree_for,
    drawn,
    orthonormal,
    products_to_tell,
)
from likewise.spectral._laplacian_large import TOP, Operator

AT_ONCE = 24  # columns that are filtered again and again
COUNTED, STEPS = 8, 40  # columns, and products with each, that tell where values lie
BEYOND = 200  # values below the cut besides those looked for
AMPLIFIED = 1e3  # what the filter does to the lowest
LEAST_DEGREE = 4
MORE = 1.3  # columns than there are below the cut
SURE = 0.94  # of a count of eigenvalues: it may be off by the rest
WIDEST = 5  # columns that are kept at most, in units of those looked for
EACH = 2  # blocks between two looks
PROBES, PROBED = 8, 2  # columns that look for what was missed, and how often filtered
MOST_PROBES = 10
MOVED = 1e-3  # of an eigenvalue: less is nothing new


@dataclass(frozen=True, slots=True)
class Filter:
    """T(operator), T the Chebyshev polynomial that is 1 at 0 and small above a cut.

    Attributes
    ----------
    operator : Operator
    cut : float
    degree : int
    """

    operator: Operator
    cut: float
    degree: int

    @classmethod
    def under(cls, operator: Operator, cut: float) -> Filter:
        """Return the filter of a degree that suits the cut."""
        degree = degree_for(0.0, cut, amplified=AMPLIFIED, least=LEAST_DEGREE)
        return cls(operator, cut, degree)

    def __call__(self, X: Array) -> Array:
        """Return the product with the columns of a matrix."""
        return damped(self.operator, X, 0.0, self.cut, self.degree)

    @property
    def _scale(self) -> tuple[float, float, float]:
        half, middle = (TOP - self.cut) / 2, (TOP + self.cut) / 2
        return half, middle, float(np.cosh(self.degree * np.arccosh(middle / half)))

    def eigenvalues(self, filtered: Floats) -> Floats:
        """Return the eigenvalues of the operator that the filter makes these of."""
        half, middle, first = self._scale
        grown = np.arccosh(np.maximum(filtered * first, 1.0)) / self.degree
        return middle - half * np.cosh(grown)

    def residuals(self, filtered: Floats, left: Floats) -> Floats:
        """Return how large residuals of the operator may be, by those of the filter.

        What they hold of an eigenvector with value m is (m - l) / (T(m) - T(l)) times
        as much, most of all at the top of the spectrum.
        """
        _, _, first = self._scale
        fall = np.maximum(filtered - 1 / first, 1e-30)
        return left * (TOP - self.eigenvalues(filtered)) / fall


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Orthonormal columns, and the filter within them.

    Attributes
    ----------
    blocks : tuple of array of shape (n, b)
    inner : ndarray of shape (m, m)
        The filter between all columns of them.
    """

    blocks: tuple[Array, ...] = ()
    inner: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.inner)

    def with_block(
        self, backend: Backend, block: Array, image: Array
    ) -> tuple[Space, Array, Floats]:
        """Return the space with a block, what is left of its image, and how much.

        Parameters
        ----------
        backend : Backend
        block : array of shape (n, b)
            Orthonormal, and orthogonal to the others.
        image : array of shape (n, b)
            What the filter makes of it.

        Returns
        -------
        Space
        array of shape (n, b)
            The next block: an orthonormal basis of what lies outside.
        ndarray of shape (b, b)
            Of these the image has so much.
        """
        blocks = (*self.blocks, block)
        parts = [backend.gram(one, image) for one in blocks]
        m, b = self.width, block.shape[1]
        inner = np.zeros((m + b, m + b))
        inner[:m, :m], across = self.inner, np.vstack(parts)
        inner[:, m:] = across
        inner[m:, :m] = across[:m].T
        rest = orthonormal(backend, _less(backend, image, blocks, parts))
        rest = outside(backend, rest, blocks)
        return Space(blocks, inner), rest, backend.gram(rest, image)

    def pairs(self, count: int) -> tuple[Floats, Floats]:
        """Return the largest eigenvalues of the filter, falling, and coefficients."""
        values, turn = np.linalg.eigh((self.inner + self.inner.T) / 2)
        return values[::-1][:count], turn[:, ::-1][:, :count]

    def combined(self, backend: Backend, turn: Floats) -> Array:
        """Return columns of the space by their coefficients."""
        ends = np.cumsum([block.shape[1] for block in self.blocks])
        return backend.combined(self.blocks, np.split(turn, ends[:-1]))


def outside(backend: Backend, V: Array, blocks: Sequence[Array]) -> Array:
    """Return an orthonormal basis of what of columns is orthogonal to some blocks."""
    parts = [backend.gram(block, V) for block in blocks]
    return orthonormal(backend, _less(backend, V, blocks, parts))


def _less(
    backend: Backend, V: Array, blocks: Sequence[Array], parts: Sequence[Floats]
) -> Array:
    factors = [np.eye(V.shape[1]), *(-part for part in parts)]
    return backend.combined([V, *blocks], factors)


def spanned_by_few(
    operator: Operator,
    wanted: int,
    width: int,
    needed: Callable[[Floats], float],
    rng: np.random.Generator,
) -> tuple[Array, int] | None:
    """Return approximations of the lowest eigenvectors, and the columns it took.

    None where a gap behind those wanted makes a filter over all of them less work, and
    where more comes to light each time that is looked for it: so many eigenvalues
    coincide that a few columns do not see them all.

    Parameters
    ----------
    operator : Operator
    wanted : int
        How many of them are to be accurate.
    width : int
        How many are returned, orthonormal.
    needed : callable
        From the eigenvalues so far to the residual at which it ends, over the top of
        the spectrum; residuals are at most that.
    rng : numpy.random.Generator

    References
    ----------
    H. Fang, Y. Saad. A filtered Lanczos procedure for extreme and interior eigenvalue
    problems. SIAM Journal on Scientific Computing, 2012.
    """
    backend, columns = operator.graph.backend, COUNTED * STEPS
    counts = SURE * wanted, width / SURE, width + BEYOND
    low, high, cut = values_of(operator, counts, rng)
    chebyshev = Filter.under(operator, cut)
    if not _takes_less(chebyshev, low, high, width):
        return None
    block = orthonormal(backend, chebyshev(drawn(operator, rng, AT_ONCE)))
    space, is_found = Space(), False
    while not is_found and space.width < WIDEST * width:
        space, following, rest = space.with_block(backend, block, chebyshev(block))
        if space.width >= width and len(space.blocks) % EACH == 0:
            values = chebyshev.eigenvalues(space.pairs(width)[0])
            is_found = _left(space, chebyshev, rest, wanted) <= needed(values)
        block = following
    complete = _completed(space, chebyshev, wanted, rng)
    if complete is None:
        return None
    columns += chebyshev.degree * (complete.width + AT_ONCE)
    return complete.combined(backend, complete.pairs(width)[1]), columns


def _takes_less(chebyshev: Filter, low: float, high: float, width: int) -> bool:
    """Tell whether a few columns take fewer products than a filter over all.

    That has to tell the last of those wanted from the last of all, however close.
    """
    tall = DEGREE + products_to_tell(low, high, AMPLIFIED)
    return MORE * chebyshev.degree * (width + BEYOND) < tall * width


def _left(space: Space, chebyshev: Filter, rest: Floats, wanted: int) -> float:
    """Return a bound of the residuals, over the top of the spectrum."""
    values, turn = space.pairs(wanted)
    left = np.linalg.norm(rest @ turn[-rest.shape[1] :], axis=0)
    return float(chebyshev.residuals(values, left).max()) / TOP


def _completed(
    space: Space, chebyshev: Filter, wanted: int, rng: np.random.Generator
) -> Space | None:
    """Return the space with what other columns find outside of it, if that ends."""
    operator, count = chebyshev.operator, PROBES
    backend = operator.graph.backend
    for _ in range(MOST_PROBES):
        before = chebyshev.eigenvalues(space.pairs(wanted)[0])
        block = outside(backend, chebyshev(drawn(operator, rng, count)), space.blocks)
        for _ in range(PROBED):
            space, block, _ = space.with_block(backend, block, chebyshev(block))
        after = chebyshev.eigenvalues(space.pairs(wanted)[0])
        if (before - after).max() <= MOVED:
            return space
        count = AT_ONCE
    return None


def values_of(
    operator: Operator, counts: Sequence[float], rng: np.random.Generator
) -> list[float]:
    """Return about the eigenvalues below which there are so many.

    Lanczos from each of some columns by itself: its values, by their share in where it
    began, count the eigenvalues.

    References
    ----------
    L. Lin, Y. Saad, C. Yang. Approximating spectral densities of large matrices. SIAM
    Review, 2016.
    """
    backend, n = operator.graph.backend, operator.n_samples
    X = drawn(operator, rng, COUNTED)
    before, beside = X, np.zeros(COUNTED)
    X = X * backend.array(1 / np.sqrt(backend.column_sums(X * X)))
    diagonal: list[Floats] = []
    off: list[Floats] = []
    for _ in range(STEPS):
        Y = operator @ X - before * backend.array(beside)
        diagonal.append(backend.column_sums(X * Y))
        Y = Y - X * backend.array(diagonal[-1])
        beside = np.sqrt(backend.column_sums(Y * Y))
        off.append(beside)
        before, X = X, Y * backend.array(1 / np.maximum(beside, 1e-30))
    found = [
        eigh_tridiagonal(d, o[:-1])
        for d, o in zip(np.array(diagonal).T, np.array(off).T, strict=True)
    ]
    values = np.concatenate([values for values, _ in found])
    shares = np.concatenate([turn[0] ** 2 for _, turn in found]) * n / COUNTED
    order = np.argsort(values, kind="stable")
    at = np.searchsorted(np.cumsum(shares[order]), counts)
    below: list[float] = values[order[np.minimum(at, len(order) - 1)]].tolist()
    return below

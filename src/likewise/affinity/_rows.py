"""Samples, a block of rows at a time: arrays, memory maps and sparse matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyFloats, AnyIndices, Floats, Indices, Samples
from likewise.errors import InputError

N_TYPICAL = 200  # rows that say where the samples are
FARTHEST = 1e15  # from there; beyond, squares would leave float32
SPREADS = 1e-12, 1e12  # of typical samples, for the same reason


@dataclass(frozen=True, slots=True)
class Rows:
    """Samples of which only some are in memory at a time.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n, d)
    middle : ndarray of shape (d,), or None
        Where zero is put, so that distances in float32 lose no digits to rounding;
        None leaves the rows as they are.
    """

    X: Samples
    middle: Floats | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """How many numbers a row has."""
        return int(self.X.shape[1])

    def __getitem__(self, which: slice | AnyIndices) -> Samples:
        """Return some of the rows; around `middle`, they are float32."""
        rows = self.X[which]
        return rows if self.middle is None else around(self.middle, rows)

    def part(self, span: slice) -> Rows:
        """Return some of the rows, still where they are."""
        return Rows(self.X[span], self.middle)


def single_rows(X: Samples) -> Rows:
    """Return samples around zero in float32; sparse ones stay as they are."""
    if sp.issparse(X):
        return Rows(X)
    return Rows(X, middle_of(X[evenly(X.shape[0], N_TYPICAL)]))


def middle_of(some: AnyFloats) -> Floats:
    """Return the mean of typical rows, or refuse what float32 cannot hold.

    Parameters
    ----------
    some : ndarray of shape (at most 200, d)
        Spread evenly over all samples, so that whoever has them finds the same middle.
    """
    middle = np.asarray(some, dtype=np.float64).mean(axis=0)
    spread = float(np.abs(some - middle).max())
    if spread and not SPREADS[0] <= spread <= SPREADS[1]:
        raise InputError(
            f"The samples differ by about {spread:.1g}, which single precision "
            f"cannot hold: scale them to about 1."
        )
    return middle


def around(middle: Floats, rows: AnyFloats) -> AnyFloats:
    """Return rows around a point, in float32.

    Small whole numbers and float16 are moved in float32, which holds them exactly.
    """
    kind = np.result_type(rows.dtype, np.float32)
    moved = rows.astype(kind, copy=False) - middle.astype(kind)
    np.clip(moved, -FARTHEST, FARTHEST, out=moved)
    return np.ascontiguousarray(moved, dtype=np.float32)


def spans(n: int, size: int) -> Iterator[slice]:
    """Yield 0..n-1 in slices of at most `size`."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def evenly(n: int, count: int) -> Indices:
    """Return at most `count` of 0..n-1, evenly spread.

    Examples
    --------
    >>> evenly(100, 3)
    array([ 0, 49, 99])
    """
    return np.linspace(0, n - 1, min(n, count)).astype(np.intp)


def squared(A: Samples, B: Samples) -> AnyFloats:
    """Return the squared distance of each row of A to the same row of B.

    By differences, so that equal rows are at 0 wherever zero is.
    """
    apart = A - B
    if sp.issparse(apart):
        return np.asarray(apart.multiply(apart).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", apart, apart)


def all_squared(A: Samples, B: Samples) -> AnyFloats:
    """Return the squared distance of each row of A to each row of B, by products."""
    products = A @ B.T
    if sp.issparse(products):
        products = products.toarray()
    return lengths(A)[:, np.newaxis] + lengths(B) - 2 * products


def lengths(A: Samples) -> AnyFloats:
    """Return the squared length of each row."""
    if sp.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)

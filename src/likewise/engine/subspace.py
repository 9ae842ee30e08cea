"""Tall blocks of columns: made orthonormal, turned towards eigenvectors, checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.arrays import Floats
from likewise.engine.backend import Array, Backend

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

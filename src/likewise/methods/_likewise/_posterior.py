"""Gaussian posteriors given the settled samples.

Both values below hold a matrix of the size of a basis; what they say of every sample is
made of it where somebody looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from likewise._arrays import AnyFloats, Floats, Indices, spans
from likewise.methods._likewise._regimes import ROWS

AFRESH = 50  # changes after which rounding is cleared away


@dataclass(frozen=True, slots=True)
class Basis:
    """A basis [1, A diag(s)], of which A is kept; two bases may share it.

    Attributes
    ----------
    array : ndarray of shape (n, k)
        A above.
    weights : ndarray of shape (k,)
        s above.
    """

    array: AnyFloats
    weights: Floats

    def rows(self, samples: Indices) -> Floats:
        """Return some rows of the basis to all digits, of shape (s, k + 1)."""
        found = np.ones((len(samples), len(self.weights) + 1))
        np.multiply(self.array[samples], self.weights, out=found[:, 1:])
        return found

    def times(self, part: slice, coefficients: Floats) -> AnyFloats:
        """Return a block of the basis times coefficients, of shape (s, m)."""
        folded = self.weights[:, np.newaxis] * coefficients[1:]
        found: AnyFloats = self.array[part] @ folded.astype(self.array.dtype)
        found += coefficients[0].astype(self.array.dtype)
        return found


@dataclass(slots=True)
class Spread:
    """What a coverage says of every sample, filled when somebody looks at it.

    Attributes
    ----------
    values : ndarray of shape (2, n), or None
        The variance and the squared length of C v; None while nobody has looked.
    age : int
        How often it was brought on since it was made of C.
    """

    values: AnyFloats | None = None
    age: int = 0


@dataclass(frozen=True, slots=True)
class Coverage:
    r"""How well the settled samples cover the others.

    The covariance :math:`C = (\Lambda + V_S^T V_S / \sigma^2)^{-1}` of a field over the
    spectrum, observed with noise :math:`\sigma^2` at the settled samples S. Only where
    they are counts, not which class they have. One that is a part of an observation
    has so much more noise.

    Attributes
    ----------
    vectors : ndarray of shape (n, k)
    noise : float
    covariance : ndarray of shape (k, k)
        C above.
    spread : Spread
        What follows for every sample.
    """

    vectors: AnyFloats
    noise: float
    covariance: Floats
    spread: Spread = field(default_factory=Spread, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        vectors: AnyFloats,
        precision: Floats,
        noise: float,
        settled: Indices,
        parts: Floats | None = None,
    ) -> Coverage:
        """Return the posterior given the settled samples.

        `parts`, of shape (t,), is what part of an observation each of them is.
        """
        seen = vectors[settled].astype(np.float64)
        information = np.diag(precision) + (_parted(seen, parts).T @ seen) / noise
        covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        return cls(vectors, noise, covariance)

    @property
    def variance(self) -> AnyFloats:
        r""":math:`v_i^T C v_i` of every sample: what is left of its uncertainty."""
        return self._looked_at()[0]

    def variance_at(self, samples: Indices) -> Floats:
        """Return the variance of some samples to all digits."""
        return self.spread_at(samples)[0]

    def spread_at(self, samples: Indices) -> tuple[Floats, Floats]:
        """Return variance and squared length of C v of some samples to all digits."""
        rows = self.vectors[samples].astype(np.float64)
        projected = rows @ self.covariance
        return (projected * rows).sum(axis=1), (projected * projected).sum(axis=1)

    def lengths(self, samples: Indices) -> AnyFloats:
        """Return the squared length of C v: how far an answer at each would reach."""
        return self._looked_at()[1][samples]

    def after(self, sample: int, sign: int = 1, part: float = 1.0) -> Coverage:
        """Return the posterior with one more settled sample, or one less (-1).

        A rank-one change of C; of all samples only if somebody has looked at them.
        """
        row = self.vectors[sample].astype(np.float64)
        turned = self.covariance @ row
        scale = sign / (self.noise / part + sign * float(turned @ row))
        return replace(
            self,
            covariance=self.covariance - np.outer(turned, turned * scale),
            spread=self._brought_on(turned, scale),
        )

    def _brought_on(self, turned: Floats, scale: float) -> Spread:
        r"""Return what follows for every sample from C less :math:`s t t^T`.

        With :math:`a = v^T t` and :math:`b = v^T C t`: :math:`v^T C v - s a^2` and
        :math:`\|C v\|^2 - 2 s a b + s^2 a^2 \|t\|^2`.
        """
        if self.spread.values is None or self.spread.age >= AFRESH:
            return Spread()
        both = np.column_stack([turned, self.covariance @ turned])
        a, b = (self.vectors @ both.astype(self.vectors.dtype)).T
        variance, lengths = self.spread.values
        square = scale * a * a
        further = square * (scale * float(turned @ turned)) - 2 * scale * a * b
        return Spread(
            np.stack([variance - square, lengths + further]), self.spread.age + 1
        )

    def _looked_at(self) -> AnyFloats:
        if self.spread.values is None:
            self.spread.values = self._spread()
        return self.spread.values

    def _spread(self) -> AnyFloats:
        n, dtype = len(self.vectors), self.vectors.dtype
        spread = np.empty((2, n), dtype=dtype)
        covariance = self.covariance.astype(dtype)
        for part in spans(n, ROWS):
            rows = self.vectors[part]
            projected = rows @ covariance
            np.einsum("ij,ij->i", projected, rows, out=spread[0, part])
            np.einsum("ij,ij->i", projected, projected, out=spread[1, part])
        return spread


@dataclass(frozen=True, slots=True)
class ClassField:
    r"""Regression of class indicators on a basis: which class is near.

    With :math:`F = (I + B_S^T B_S / \sigma^2)^{-1}` the mean is :math:`U = B c`,
    :math:`c = F B_S^T (Y - E) / \sigma^2`, Y the classes of the settled samples and E
    what was foreseen of them.

    Attributes
    ----------
    basis : Basis
        B above, of shape (n, k + 1).
    noise : float
    factor : ndarray of shape (k + 1, k + 1)
        L of :math:`F^{-1} = L L^T`, lower triangular.
    coefficients : ndarray of shape (k + 1, m)
        c above, one column a class.
    surprise : ndarray of shape (t, m)
        Y - E above.
    """

    basis: Basis
    noise: float
    factor: Floats
    coefficients: Floats
    surprise: Floats

    @classmethod
    def of(
        cls,
        basis: Basis,
        noise: float,
        settled: tuple[Indices, Indices],
        foreseen: Floats,
        parts: Floats | None = None,
    ) -> ClassField:
        """Return the posterior given the settled samples and their classes.

        `foreseen`, of shape (t, m), is E above; `parts`, of shape (t,), is what part
        of an observation each sample is.
        """
        samples, classes = settled
        seen = basis.rows(samples)
        counted = _parted(seen, parts)
        information = np.eye(seen.shape[1]) + counted.T @ seen / noise
        factor = np.asarray(np.linalg.cholesky(information), dtype=np.float64)
        surprise = -foreseen
        surprise[np.arange(len(samples)), classes] += 1.0
        totals = counted.T @ surprise / noise
        coefficients = cho_solve((factor, True), totals, check_finite=False)
        return cls(basis, noise, factor, coefficients, surprise)

    def at(self, samples: slice | Indices) -> AnyFloats:
        """Return the mean at some samples, of shape (s, m); a few to all digits."""
        if isinstance(samples, slice):
            return self.basis.times(samples, self.coefficients)
        return self.basis.rows(samples) @ self.coefficients

    def left_out(self, settled: Indices, parts: Floats | None = None) -> Floats:
        """Return the mean at each settled sample, had it not been settled.

        In closed form: with h the share of a sample in its own mean,
        (U - h (Y - E)) / (1 - h).
        """
        rows = self.basis.rows(settled)
        turned = solve_triangular(self.factor, rows.T, lower=True, check_finite=False)
        share = (turned**2).sum(axis=0) / self.noise
        share = share if parts is None else share * parts
        mean = rows @ self.coefficients
        mean -= share[:, np.newaxis] * self.surprise
        return mean / (1 - share)[:, np.newaxis]


def _parted(rows: Floats, parts: Floats | None) -> Floats:
    return rows if parts is None else rows * parts[:, np.newaxis]

"""Gaussian posteriors given the settled samples.

Both values below hold a matrix of the size of a basis; what they say of every sample is
made of it where somebody looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from likewise._arrays import Floats, Indices
from likewise.methods._likewise._regimes import parts
from likewise.spectral import Array, backend_of

AFRESH = 50  # changes after which rounding is cleared away


@dataclass(frozen=True, slots=True)
class Basis:
    """A basis [1, A diag(s)], of which A is kept; two bases may share it.

    Attributes
    ----------
    array : array of shape (n, k)
        A above.
    weights : ndarray of shape (k,)
        s above.
    """

    array: Array
    weights: Floats

    def rows(self, samples: Indices) -> Floats:
        """Return some rows of the basis to all digits, of shape (s, k + 1)."""
        found = np.ones((len(samples), len(self.weights) + 1))
        some = backend_of(self.array).rows(self.array, samples)
        np.multiply(some, self.weights, out=found[:, 1:])
        return found

    def times(self, part: slice, coefficients: Floats) -> Array:
        """Return a block of the basis times coefficients, of shape (s, m)."""
        backend = backend_of(self.array)
        folded = self.weights[:, np.newaxis] * coefficients[1:]
        found = self.array[part] @ backend.array(folded)
        found += backend.array(coefficients[0])
        return found


@dataclass(slots=True)
class Spread:
    """What a coverage says of every sample, filled when somebody looks at it.

    Attributes
    ----------
    values : pair of arrays of shape (n,), or None
        The variance and the squared length of C v; None while nobody has looked.
    age : int
        How often it was brought on since it was made of C.
    """

    values: tuple[Array, Array] | None = None
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
    vectors : array of shape (n, k)
    noise : float
    covariance : ndarray of shape (k, k)
        C above.
    spread : Spread
        What follows for every sample.
    """

    vectors: Array
    noise: float
    covariance: Floats
    spread: Spread = field(default_factory=Spread, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        vectors: Array,
        precision: Floats,
        noise: float,
        settled: Indices,
        shares: Floats | None = None,
    ) -> Coverage:
        """Return the posterior given the settled samples.

        `shares`, of shape (t,), is what part of an observation each of them is.
        """
        seen = backend_of(vectors).rows(vectors, settled).astype(np.float64)
        information = np.diag(precision) + (_parted(seen, shares).T @ seen) / noise
        covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        return cls(vectors, noise, covariance)

    @property
    def variance(self) -> Array:
        r""":math:`v_i^T C v_i` of every sample: what is left of its uncertainty."""
        return self._looked_at()[0]

    def variance_at(self, samples: Indices) -> Floats:
        """Return the variance of some samples to all digits."""
        return self.spread_at(samples)[0]

    def spread_at(self, samples: Indices) -> tuple[Floats, Floats]:
        """Return variance and squared length of C v of some samples to all digits."""
        rows = self.rows(samples)
        projected = rows @ self.covariance
        return (projected * rows).sum(axis=1), (projected * projected).sum(axis=1)

    @property
    def lengths(self) -> Array:
        """The squared length of C v: how far an answer at each sample would reach."""
        return self._looked_at()[1]

    def rows(self, samples: Indices) -> Floats:
        """Return v of some samples to all digits, of shape (s, k)."""
        return backend_of(self.vectors).rows(self.vectors, samples).astype(np.float64)

    def after(self, sample: int, sign: int = 1, part: float = 1.0) -> Coverage:
        """Return the posterior with one more settled sample, or one less (-1).

        A rank-one change of C; of all samples only if somebody has looked at them.
        """
        row = self.rows(np.array([sample]))[0]
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
        found = self.vectors @ backend_of(self.vectors).array(both)
        a, b = found[:, 0], found[:, 1]
        variance, lengths = self.spread.values
        square = scale * a * a
        further = square * (scale * float(turned @ turned)) - 2 * scale * a * b
        return Spread((variance - square, lengths + further), self.spread.age + 1)

    def _looked_at(self) -> tuple[Array, Array]:
        if self.spread.values is None:
            self.spread.values = self._spread()
        return self.spread.values

    def _spread(self) -> tuple[Array, Array]:
        backend, n = backend_of(self.vectors), len(self.vectors)
        variance, lengths = backend.zeros(n), backend.zeros(n)
        covariance = backend.array(self.covariance)
        for part in parts(self.vectors):
            rows = self.vectors[part]
            projected = rows @ covariance
            variance[part] = (projected * rows).sum(1)
            lengths[part] = (projected * projected).sum(1)
        return variance, lengths


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
        shares: Floats | None = None,
    ) -> ClassField:
        """Return the posterior given the settled samples and their classes.

        `foreseen`, of shape (t, m), is E above; `shares`, of shape (t,), is what part
        of an observation each sample is.
        """
        samples, classes = settled
        seen = basis.rows(samples)
        counted = _parted(seen, shares)
        information = np.eye(seen.shape[1]) + counted.T @ seen / noise
        factor = np.asarray(np.linalg.cholesky(information), dtype=np.float64)
        surprise = -foreseen
        surprise[np.arange(len(samples)), classes] += 1.0
        totals = counted.T @ surprise / noise
        coefficients = cho_solve((factor, True), totals, check_finite=False)
        return cls(basis, noise, factor, coefficients, surprise)

    def at(self, samples: Indices) -> Floats:
        """Return the mean at a few samples to all digits, of shape (s, m)."""
        return self.basis.rows(samples) @ self.coefficients

    def over(self, part: slice) -> Array:
        """Return the mean over a block of samples, of shape (s, m)."""
        return self.basis.times(part, self.coefficients)

    def left_out(self, settled: Indices, shares: Floats | None = None) -> Floats:
        """Return the mean at each settled sample, had it not been settled.

        In closed form: with h the share of a sample in its own mean,
        (U - h (Y - E)) / (1 - h).
        """
        rows = self.basis.rows(settled)
        turned = solve_triangular(self.factor, rows.T, lower=True, check_finite=False)
        share = (turned**2).sum(axis=0) / self.noise
        share = share if shares is None else share * shares
        mean = rows @ self.coefficients
        mean -= share[:, np.newaxis] * self.surprise
        return mean / (1 - share)[:, np.newaxis]


def _parted(rows: Floats, shares: Floats | None) -> Floats:
    return rows if shares is None else rows * shares[:, np.newaxis]

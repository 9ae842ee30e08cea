"""Gaussian posteriors over a basis, updated one settled sample at a time.

Both values below are immutable; settling or un-settling a sample is a rank-one change
that costs O(n k), k the size of the basis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.affinity import spans
from likewise.methods._likewise._blocks import ROWS


@dataclass(frozen=True, slots=True)
class Coverage:
    r"""How well the settled samples cover the others.

    The covariance :math:`C = (\Lambda + V_S^T V_S / \sigma^2)^{-1}` of a field over the
    spectrum, observed with noise :math:`\sigma^2` at the settled samples S. Only where
    they are counts, not which class they have.

    Attributes
    ----------
    vectors : ndarray of shape (n, k)
    noise : float
    projected : ndarray of shape (n, k)
        V C: its rows' lengths say how far an answer at a sample would reach.
    variance : ndarray of shape (n,)
        :math:`v_i^T C v_i`.
    """

    vectors: Floats
    noise: float
    projected: Floats
    variance: Floats

    @classmethod
    def of(
        cls, vectors: Floats, precision: Floats, noise: float, settled: Indices
    ) -> Coverage:
        """Return the posterior given the settled samples, in one go."""
        seen = vectors[settled]
        covariance = np.linalg.inv(np.diag(precision) + seen.T @ seen / noise)
        projected = vectors @ covariance
        return cls(vectors, noise, projected, (projected * vectors).sum(axis=1))

    def variance_at(self, samples: Indices) -> Floats:
        """Return the variance of some samples."""
        return self.variance[samples]

    def lengths(self, samples: Indices) -> Floats:
        """Return the squared length of V C at some samples."""
        return (self.projected[samples] ** 2).sum(axis=1)

    def after(self, sample: int, sign: int = 1) -> Coverage:
        """Return the posterior with one more settled sample, or one less (-1)."""
        reach = self.projected @ self.vectors[sample]
        scale = sign / (self.noise + sign * reach[sample])
        return replace(
            self,
            projected=self.projected - np.outer(reach, self.projected[sample] * scale),
            variance=self.variance - reach**2 * scale,
        )


@dataclass(frozen=True, slots=True)
class Field:
    r"""Regression of class indicators on a basis: which class is near.

    With :math:`F = (I + B_S^T B_S / \sigma^2)^{-1}` the mean is
    :math:`U = B F B_S^T Y / \sigma^2`, Y the classes of the settled samples.

    Attributes
    ----------
    basis : ndarray of shape (n, k)
    noise : float
    covariance : ndarray of shape (k, k)
    variance : ndarray of shape (n,)
    mean : ndarray of shape (n, m)
        One column a class.
    """

    basis: Floats
    noise: float
    covariance: Floats
    variance: Floats
    mean: Floats

    @classmethod
    def of(
        cls, basis: Floats, noise: float, settled: Indices, classes: Indices, m: int
    ) -> Field:
        """Return the posterior given the settled samples and their classes."""
        seen = basis[settled]
        information = np.eye(basis.shape[1]) + seen.T @ seen / noise
        covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        totals = np.zeros((m, basis.shape[1]))
        np.add.at(totals, classes, seen)
        projected = basis @ covariance
        variance = (projected * basis).sum(axis=1)
        return cls(basis, noise, covariance, variance, projected @ totals.T / noise)

    def at(self, samples: slice | Indices) -> Floats:
        """Return the mean at some samples, of shape (s, m)."""
        return self.mean[samples]

    def after(self, sample: int, column: int, sign: int = 1) -> Field:
        """Return the posterior with one more settled sample, or one less (-1)."""
        turned = self.covariance @ self.basis[sample]
        reach = self.basis @ turned
        scale = sign / (self.noise + sign * reach[sample])
        surprise = -self.mean[sample]
        surprise[column] += 1.0
        return replace(
            self,
            covariance=self.covariance - np.outer(turned, turned * scale),
            variance=self.variance - reach**2 * scale,
            mean=self.mean + np.outer(reach * scale, surprise),
        )

    def with_columns(self, sources: list[list[int]]) -> Field:
        """Return the field with classes merged, dropped or added.

        Parameters
        ----------
        sources : list of lists of int
            For each new column, the old columns it is the sum of; none for a new class.
        """
        columns = [
            self.mean[:, old].sum(axis=1) if old else np.zeros(len(self.mean))
            for old in sources
        ]
        return replace(self, mean=np.column_stack(columns))

    def left_out(self, settled: Indices, classes: Indices) -> Floats:
        """Return the mean at each settled sample, had it not been settled.

        In closed form: with h the share of a sample in its own mean,
        (U - h Y) / (1 - h).
        """
        share = (self.variance[settled] / self.noise)[:, np.newaxis]
        mean = self.mean[settled].copy()
        mean[np.arange(len(settled)), classes] -= share[:, 0]
        return mean / (1 - share)


AFRESH = 50  # changes after which rounding is cleared away


@dataclass(frozen=True, slots=True)
class Columns:
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
        rows = self.array[samples].astype(np.float64) * self.weights
        return np.column_stack([np.ones(len(rows)), rows])

    def times(self, part: slice, coefficients: Floats) -> AnyFloats:
        """Return a block of the basis times coefficients, of shape (s, m)."""
        folded = self.weights[:, np.newaxis] * coefficients[1:]
        found: AnyFloats = self.array[part] @ folded.astype(self.array.dtype)
        found += coefficients[0].astype(self.array.dtype)
        return found


@dataclass(frozen=True, slots=True)
class LeanField:
    r"""Regression of class indicators on a basis: which class is near.

    The mean :math:`U = B c`, :math:`c = F B_S^T Y / \sigma^2`, is made of c where it is
    looked at.

    Attributes
    ----------
    basis : Columns
    noise : float
    covariance : ndarray of shape (k + 1, k + 1)
        F above.
    coefficients : ndarray of shape (k + 1, m)
        c above.
    """

    basis: Columns
    noise: float
    covariance: Floats
    coefficients: Floats

    @classmethod
    def of(
        cls, basis: Columns, noise: float, settled: Indices, classes: Indices, m: int
    ) -> LeanField:
        """Return the posterior given the settled samples and their classes."""
        seen = basis.rows(settled)
        information = np.eye(seen.shape[1]) + seen.T @ seen / noise
        covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        members = (np.arange(m)[:, np.newaxis] == classes).astype(np.float64)
        totals = members @ seen
        return cls(basis, noise, covariance, covariance @ totals.T / noise)

    def at(self, samples: slice | Indices) -> AnyFloats:
        """Return the mean at some samples, of shape (s, m); a few to all digits."""
        if isinstance(samples, slice):
            return self.basis.times(samples, self.coefficients)
        return self.basis.rows(samples) @ self.coefficients

    def left_out(self, settled: Indices, classes: Indices) -> Floats:
        """Return the mean at each settled sample, had it not been settled."""
        rows = self.basis.rows(settled)
        share = ((rows @ self.covariance) * rows).sum(axis=1) / self.noise
        mean = rows @ self.coefficients
        mean[np.arange(len(settled)), classes] -= share
        return mean / (1 - share)[:, np.newaxis]


@dataclass(frozen=True)
class LeanCoverage:
    r"""How well the settled samples cover the others.

    Attributes
    ----------
    vectors : ndarray of shape (n, k)
    noise : float
    covariance : ndarray of shape (k, k)
        :math:`C = (\Lambda + V_S^T V_S / \sigma^2)^{-1}`.
    carried : ndarray of shape (2, n), or None
        What is kept for every sample, where it was brought here from a posterior
        before.
    age : int
        How often it was brought on since it was made of C.
    """

    vectors: AnyFloats
    noise: float
    covariance: Floats
    carried: AnyFloats | None = None
    age: int = 0

    @classmethod
    def of(
        cls, vectors: AnyFloats, precision: Floats, noise: float, settled: Indices
    ) -> LeanCoverage:
        """Return the posterior given the settled samples."""
        seen = vectors[settled].astype(np.float64)
        information = np.diag(precision) + seen.T @ seen / noise
        covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        return cls(vectors, noise, covariance)

    @property
    def variance(self) -> AnyFloats:
        r""":math:`v_i^T C v_i` of every sample."""
        return self._spread[0]

    def variance_at(self, samples: Indices) -> Floats:
        """Return the variance of some samples to all digits."""
        rows = self.vectors[samples].astype(np.float64)
        return ((rows @ self.covariance) * rows).sum(axis=1)

    def lengths(self, samples: Indices) -> AnyFloats:
        """Return the squared length of C v at some samples."""
        return self._spread[1][samples]

    def after(self, sample: int, sign: int = 1) -> LeanCoverage:
        """Return the posterior with one more settled sample, or one less (-1)."""
        row = self.vectors[sample].astype(np.float64)
        turned = self.covariance @ row
        scale = sign / (self.noise + sign * float(turned @ row))
        carried = None
        if "_spread" in self.__dict__ and self.age < AFRESH:
            carried = self._carried(turned, scale)
        return replace(
            self,
            covariance=self.covariance - np.outer(turned, turned * scale),
            carried=carried,
            age=0 if carried is None else self.age + 1,
        )

    def _carried(self, turned: Floats, scale: float) -> AnyFloats:
        r"""Return what follows for every sample from C less :math:`s t t^T`.

        With :math:`a = v^T t` and :math:`b = v^T C t`: :math:`v^T C v - s a^2` and
        :math:`\|C v\|^2 - 2 s a b + s^2 a^2 \|t\|^2`.
        """
        both = np.column_stack([turned, self.covariance @ turned])
        a, b = (self.vectors @ both.astype(self.vectors.dtype)).T
        variance, lengths = self._spread
        square = scale * a * a
        further = square * (scale * float(turned @ turned)) - 2 * scale * a * b
        return np.stack([variance - square, lengths + further])

    @cached_property
    def _spread(self) -> AnyFloats:
        if self.carried is not None:
            return self.carried
        n, dtype = len(self.vectors), self.vectors.dtype
        spread = np.empty((2, n), dtype=dtype)
        covariance = self.covariance.astype(dtype)
        for part in spans(n, ROWS):
            rows = self.vectors[part]
            projected = rows @ covariance
            np.einsum("ij,ij->i", projected, rows, out=spread[0, part])
            np.einsum("ij,ij->i", projected, projected, out=spread[1, part])
        return spread

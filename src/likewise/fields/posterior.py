"""Gaussian posteriors over a basis, updated one settled sample at a time.

Both values below are immutable; settling or un-settling a sample is a rank-one change
that costs O(n k), k the size of the basis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from likewise.arrays import Floats, Indices


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

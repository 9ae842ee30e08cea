"""A Gaussian mixture of many samples, fitted to some of them (paper, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from likewise.arrays import AnyFloats, Floats, Indices
from likewise.graph.rows import evenly, spans
from likewise.scores.ambiguity import RIDGE

N_FITTED = 10_000  # samples that the mixture is fitted to
N_STEPS = 10  # of expectation and maximisation, from the clusters or the mixture before
SETTLED = 1e-3  # change of the mean log-likelihood at which it ends
ROWS = 4096  # worked on at a time


@dataclass(frozen=True, slots=True)
class Mixture:
    r"""A mixture of k Gaussians.

    Attributes
    ----------
    weights : ndarray of shape (k,)
        :math:`\alpha_c` of Eq. 10.
    means : ndarray of shape (k, d)
    roots : ndarray of shape (k, d, d)
        :math:`R_c` with :math:`R_c R_c^T = \Sigma_c^{-1}`.
    shares : ndarray of shape (s, k)
        P(c | x) of the samples that it was fitted to: where the next one starts.
    """

    weights: Floats
    means: Floats
    roots: Floats
    shares: Floats

    @classmethod
    def fitted(
        cls, rows: AnyFloats, labels: Indices, k: int, before: Mixture | None = None
    ) -> Mixture:
        """Return the mixture of at most 10,000 of the rows.

        Parameters
        ----------
        rows : ndarray of shape (n, d)
            The samples in the eigenspace.
        labels : ndarray of shape (n,)
            The clusters, where it starts from.
        k : int
        before : Mixture, optional
            Of the same samples, as they lay before the last answer; where it has as
            many Gaussians, the start is what it said of each sample. The eigenspace
            turns from one answer to the next, so its means are of no use.

        Notes
        -----
        As in :func:`~likewise.scores.ambiguity.mixture_probabilities`, every variance
        has a ridge, and covariances are full where all clusters have more members than
        dimensions, otherwise diagonal.
        """
        at = evenly(len(rows), N_FITTED)
        some = rows[at].astype(np.float64)
        is_full = np.bincount(labels[at], minlength=k).min() > some.shape[1]
        shares = np.eye(k)[labels[at]]
        if before is not None and before.shares.shape == shares.shape:
            shares = before.shares
        found, reached = cls._of(some, shares, is_full=is_full), -np.inf
        for _ in range(N_STEPS):
            likely = found._log_likely(some)
            total = _log_sum(likely)
            shares = np.exp(likely - total[:, np.newaxis])
            found = cls._of(some, shares, is_full=is_full)
            if total.mean() - reached < SETTLED:
                break
            reached = float(total.mean())
        return found

    @classmethod
    def _of(cls, rows: Floats, shares: Floats, *, is_full: bool) -> Mixture:
        """Return the mixture that is likeliest when samples belong as `shares` say."""
        sizes = shares.sum(axis=0) + 1e-10
        means = shares.T @ rows / sizes[:, np.newaxis]
        d = rows.shape[1]
        roots = np.empty((len(sizes), d, d))
        for c, (mean, share) in enumerate(zip(means, shares.T, strict=True)):
            apart = rows - mean
            covariance = (share[:, np.newaxis] * apart).T @ apart / sizes[c]
            if not is_full:
                covariance = np.diag(np.diag(covariance))
            lower = np.linalg.cholesky(covariance + RIDGE * np.eye(d))
            roots[c] = solve_triangular(lower, np.eye(d), lower=True).T
        return cls(sizes / sizes.sum(), means, roots, shares)

    def entropy(self, rows: AnyFloats) -> Floats:
        """Return the entropy of P(c | x) for all rows (Eqs. 11 and 12)."""
        found = np.empty(len(rows))
        for part in spans(len(rows), ROWS):
            likely = self._log_likely(rows[part])
            logs = likely - _log_sum(likely)[:, np.newaxis]
            found[part] = -(np.exp(logs) * logs).sum(axis=1)
        return found

    def _log_likely(self, rows: AnyFloats) -> AnyFloats:
        """Return log(alpha_c f(x; theta_c)) but for a constant, of shape (s, k)."""
        likely = np.empty((len(rows), len(self.means)), dtype=rows.dtype)
        for c, (mean, root) in enumerate(zip(self.means, self.roots, strict=True)):
            turned = root.astype(rows.dtype)
            apart = rows @ turned - (mean @ root).astype(rows.dtype)
            constant = np.log(self.weights[c]) + np.log(np.diag(root)).sum()
            likely[:, c] = constant - np.einsum("ij,ij->i", apart, apart) / 2
        return likely


def _log_sum(logs: AnyFloats) -> AnyFloats:
    top = logs.max(axis=1)
    found: AnyFloats = top + np.log(np.exp(logs - top[:, np.newaxis]).sum(axis=1))
    return found

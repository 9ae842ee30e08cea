"""How unsure the clustering of many samples is of each of them (paper, 4.2).

The large half of :mod:`likewise.methods._scores._ambiguity_exact`. That one makes a
table of all samples and clusters, and a mixture of all samples from nothing; this one
looks at mixed neighbourhoods alone, on the device of the graph, and fits the mixture to
some samples, from the mixture before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from likewise._arrays import AnyFloats, Floats, Indices, Sparse, spans
from likewise._regime import N_FITTED
from likewise.affinity import evenly
from likewise.methods._scores._ambiguity_exact import RIDGE
from likewise.spectral import Array, DeviceClusters, DeviceNumbers, Graph, renumbered


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The nearest neighbours of each sample, in the engine's order, on its device.

    Attributes
    ----------
    graph : Graph
    columns : array of shape (n, w)
        The neighbours; where there are fewer, the first one again.
    weights : array of shape (n, w)
        0 where there are fewer.
    lonely : array of shape (l,)
        The samples without any.
    """

    graph: Graph
    columns: Array
    weights: Array
    lonely: Array


def near_of(graph: Graph, neighbours: Sparse) -> Near:
    """Return the neighbours of the samples of a graph, ready for the engine.

    Parameters
    ----------
    graph : Graph
    neighbours : csr_array of shape (n, n)
        Weights from each sample to its nearest neighbours; no more than some 20 a row,
        since all rows are made as long as the longest.
    """
    moved, backend = renumbered(neighbours, graph.order), graph.backend
    counts = np.diff(moved.indptr)
    width = max(1, int(counts.max(initial=0)))
    is_there = np.arange(width) < counts[:, np.newaxis]
    columns = np.zeros((len(counts), width), dtype=np.intp)
    columns[is_there] = moved.indices
    weights = np.zeros((len(counts), width), dtype=np.float32)
    weights[is_there] = moved.data
    return Near(
        graph=graph,
        columns=backend.indices(np.where(is_there, columns, columns[:, :1])),
        weights=backend.array(weights),
        lonely=backend.indices(np.flatnonzero(weights.sum(axis=1) == 0)),
    )


def neighbour_entropy(
    near: Near, labels: Indices | DeviceClusters, k: int
) -> DeviceNumbers:
    r"""Return :math:`H(x) = -\sum_c P(c \mid x) \log P(c \mid x)` of all samples.

    P is the share of the weight to the neighbours that goes to each cluster (Eqs. 9
    and 12); a sample without neighbours may be anywhere.

    Parameters
    ----------
    near : Near
    labels : DeviceClusters or ndarray of shape (n,)
        0..k-1.
    k : int

    Returns
    -------
    DeviceNumbers
        Exactly 0 where all neighbours are in one cluster.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from likewise.spectral import graph_of
    >>> W = sp.csr_array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> neighbour_entropy(near_of(graph_of(W), W), [0, 0, 1], 2)[:].round(3) + 0.0
    array([0.693, 0.   , 0.   ], dtype=float32)
    """
    graph, backend = near.graph, near.graph.backend
    inside = graph.inside(labels)
    found = backend.zeros(graph.n_samples)
    for rows in backend.chunks(graph.n_samples):
        seen = inside[near.columns[rows]]
        mixed = backend.flatnonzero((seen != seen[:, :1]).any(1))
        weights = near.weights[rows][mixed]
        found[rows.start + mixed] = _entropies(near, seen[mixed], weights, k)
    found[near.lonely] = float(np.log(k))
    return graph.numbers(found)


def shares(
    near: Near, labels: Indices | DeviceClusters, k: int, samples: Indices
) -> Floats:
    """Return P(c | x) of some samples (Eq. 9), of shape (number of samples, k)."""
    graph, backend = near.graph, near.graph.backend
    at = graph.rows(samples)
    seen = graph.inside(labels)[near.columns[at]]
    mass = _masses(near, seen, near.weights[at], k)
    table = np.asarray(backend.host(mass), dtype=np.float64).reshape(-1, k)
    total = table.sum(axis=1, keepdims=True)
    return np.divide(table, total, out=np.full_like(table, 1 / k), where=total > 0)


def _masses(near: Near, seen: Array, weights: Array, k: int) -> Array:
    """Return the weight to each cluster, row after row."""
    backend, count = near.graph.backend, len(seen)
    keys = (backend.numbers(count) * k)[:, None] + seen
    return backend.tally(keys.ravel(), weights.ravel(), count * k)


def _entropies(near: Near, seen: Array, weights: Array, k: int) -> Array:
    backend = near.graph.backend
    mass = _masses(near, seen, weights, k)
    there = backend.flatnonzero(mass > 0)
    row = there // k
    share = mass[there] / weights.sum(1)[row]
    return backend.tally(row, -share * backend.log(share), len(seen))


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
        cls,
        rows: AnyFloats,
        labels: Indices | DeviceClusters,
        k: int,
        before: Mixture | None = None,
    ) -> Mixture:
        """Return the mixture of at most 10,000 of the rows.

        Parameters
        ----------
        rows : ndarray of shape (n, d)
            The samples in the eigenspace.
        labels : DeviceClusters or ndarray of shape (n,)
            The clusters, where it starts from.
        k : int
        before : Mixture, optional
            Of the same samples, as they lay before the last answer; where it has as
            many Gaussians, the start is what it said of each sample. The eigenspace
            turns from one answer to the next, so its means are of no use.

        Notes
        -----
        As in :func:`mixture_probabilities` for few samples, every variance
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

"""From samples to a sparse graph of nearest neighbours (the affinity "auto")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.neighbors import NearestNeighbors

from likewise.arrays import Floats, Indices, Samples, Sparse

FAINTEST = 1e-6  # an edge is never weaker: a far neighbour is still a neighbour


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest neighbours of each sample, itself left out.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, k)
        Nearest first.
    distances : ndarray of shape (n_samples, k)
    """

    indices: Indices
    distances: Floats

    def first(self, k: int) -> Neighbours:
        """Return the nearest k of them."""
        return Neighbours(self.indices[:, :k], self.distances[:, :k])


def nearest_neighbours(X: Samples, k: int) -> Neighbours:
    """Return the k nearest neighbours of each row by Euclidean distance, exactly."""
    k = min(k, X.shape[0] - 1)
    if k == 0:
        return Neighbours(np.zeros((1, 0), np.intp), np.zeros((1, 0)))
    search = NearestNeighbors(n_neighbors=k).fit(X)
    distances, indices = search.kneighbors()
    return Neighbours(indices.astype(np.intp), distances)


def local_scale(near: Neighbours, rank: int = 7) -> Floats:
    """Return each sample's distance to its 7th neighbour, never zero.

    Among more than seven duplicates that distance is zero; the nearest neighbour that
    is no duplicate gives the scale then, and the typical scale where there is none.
    """
    if near.distances.shape[1] == 0:
        return np.ones(len(near.distances))
    scale = near.distances[:, min(rank, near.distances.shape[1]) - 1].copy()
    apart = np.where(near.distances > 0, near.distances, np.inf).min(axis=1)
    scale = np.where(scale > 0, scale, apart)
    usual = scale[np.isfinite(scale)]
    return np.where(np.isfinite(scale), scale, np.median(usual) if usual.size else 1.0)


def self_tuning_weights(squared: Floats, scale_i: Floats, scale_j: Floats) -> Floats:
    r"""Return :math:`w_{ij} = \exp(-d_{ij}^2 / (r_i r_j))`, but at least ``FAINTEST``.

    References
    ----------
    L. Zelnik-Manor, P. Perona. Self-Tuning Spectral Clustering. NIPS 2004.
    """
    return np.maximum(np.exp(-squared / (scale_i * scale_j)), FAINTEST)


def directed_weights(near: Neighbours, scale: Floats) -> Sparse:
    """Return the weights from each sample to its neighbours, as a sparse matrix."""
    n, k = near.indices.shape
    weights = self_tuning_weights(
        near.distances**2, scale[:, np.newaxis], scale[near.indices]
    )
    rows = np.repeat(np.arange(n, dtype=np.int32), k)
    columns = near.indices.ravel().astype(np.int32)  # half the memory, and faster
    directed = sp.csr_array((weights.ravel(), (rows, columns)), shape=(n, n))
    directed.sort_indices()
    return directed


def neighbour_graph(X: Samples, near: Neighbours, scale: Floats) -> Sparse:
    """Return the symmetric graph: neighbours either way, and made connected.

    Neighbours are chosen by distance and weighted afterwards: chosen by weight, samples
    in dense places would win all edges.
    """
    directed = directed_weights(near, scale)
    graph = directed.maximum(directed.T).tocsr()
    return _connected(graph, X, scale)


def _connected(graph: Sparse, X: Samples, scale: Floats) -> Sparse:
    """Return the graph with each component tied to the nearest sample outside it."""
    count, component = connected_components(graph, directed=False)
    while count > 1:
        edges = [
            _nearest_outside(X, np.flatnonzero(component == c), component != c)
            for c in range(count)
        ]
        i, j, distance = map(np.array, zip(*edges, strict=True))
        weight = self_tuning_weights(distance**2, scale[i], scale[j])
        bridge = sp.csr_array((weight, (i, j)), shape=graph.shape)
        graph = graph.maximum(bridge.maximum(bridge.T)).tocsr()
        count, component = connected_components(graph, directed=False)
    graph.sort_indices()
    return graph


def _nearest_outside(
    X: Samples, inside: Indices, outside: np.ndarray
) -> tuple[int, int, float]:
    others = np.flatnonzero(outside)
    nearest, distance = pairwise_distances_argmin_min(X[inside], X[others])
    best = int(np.argmin(distance))
    return int(inside[best]), int(others[nearest[best]]), float(distance[best])

"""How mixed the clusters are among each sample's neighbours (paper, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.arrays import Floats, Indices, Sparse
from likewise.engine.backend import Array
from likewise.engine.graph import Graph
from likewise.engine.order import renumbered


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


def entropy(near: Near, labels: Indices, k: int) -> Floats:
    r"""Return :math:`H(x) = -\sum_c P(c \mid x) \log P(c \mid x)` of all samples.

    P is the share of the weight to the neighbours that goes to each cluster (Eqs. 9
    and 12); a sample without neighbours may be anywhere.

    Parameters
    ----------
    near : Near
    labels : ndarray of shape (n,)
        0..k-1.
    k : int

    Returns
    -------
    ndarray of shape (n,)
        Exactly 0 where all neighbours are in one cluster.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from likewise.engine import graph_of
    >>> W = sp.csr_array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> entropy(near_of(graph_of(W), W), [0, 0, 1], 2).round(3) + 0.0
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
    return graph.outside(found)


def shares(near: Near, labels: Indices, k: int, samples: Indices) -> Floats:
    """Return P(c | x) of some samples (Eq. 9), of shape (number of samples, k)."""
    graph, backend = near.graph, near.graph.backend
    inside = graph.inside(labels)
    at = graph.rows(samples)
    mass = _masses(near, inside[near.columns[at]], near.weights[at], k)
    table = np.asarray(backend.host(mass), dtype=np.float64).reshape(-1, k)
    total = table.sum(axis=1, keepdims=True)
    return np.divide(table, total, out=np.full_like(table, 1 / k), where=total > 0)


def _masses(near: Near, seen: Array, weights: Array, k: int) -> Array:
    """Return the weight to each cluster, row after row."""
    backend, count = near.graph.backend, len(seen)
    keys = backend.indices(np.arange(count) * k)[:, None] + seen
    return backend.tally(keys.ravel(), weights.ravel(), count * k)


def _entropies(near: Near, seen: Array, weights: Array, k: int) -> Array:
    backend = near.graph.backend
    mass = _masses(near, seen, weights, k)
    there = backend.flatnonzero(mass > 0)
    row = there // k
    share = mass[there] / weights.sum(1)[row]
    return backend.tally(row, -share * backend.log(share), len(seen))

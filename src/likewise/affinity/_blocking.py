"""Records that may be duplicates: pairs that share values, or are near as a whole.

Groups of records are tiny and there are thousands of them, so a graph of so many
nearest neighbours is mostly wrong, and all pairs are too many. Three ways to a pair:

- an equal value in one field, where at most 12 records have it;
- equal values in two fields, where at most 12 records have both;
- the 10 records that are nearest in all fields together.

Of these the 16 best of each record are kept, by how rare the values are that are equal
and how near the rest is; what is in a pair is then compared field by field.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import (
    FIELD,
    AnyFloats,
    Floats,
    Indices,
    Samples,
    SamplesLike,
    as_samples,
    fields_of,
    spans,
)
from likewise.affinity._graph import strongest
from likewise.affinity._kernels import AFFINITIES, Affinity, self_tuning
from likewise.affinity._knn import N_SHARES, nearest_neighbours

IN_BLOCK = 12  # records that share a value, up to which each two are looked at
N_NEAR = 10  # records that are nearest as a whole
N_BEST = 16  # pairs of a record that are kept
N_PAIRED = 10  # fields of which each two are looked at together: the most telling
SKETCH = 64  # columns that stand for all fields while neighbours are searched
N_AT_ONCE = 8_192  # pairs that are compared together
LENGTH = 1e-3  # by which the length of a field may differ from 1
WRAPPED = 1 << 64

Ids = NDArray[np.int64]  # of shape (n, n_fields): equal where values are; -1: missing


def are_fields(X: Samples) -> bool:
    """Tell whether samples are records, as ``encoders.encode_fields`` makes them.

    Examples
    --------
    >>> are_fields(np.eye(128)), are_fields(np.ones((5, 128))), are_fields(np.eye(5))
    (True, False, False)
    """
    if sp.issparse(X) or X.shape[1] % FIELD or not X.shape[1]:
        return False
    for span in spans(X.shape[0], N_AT_ONCE):
        squares = (fields_of(X[span]) ** 2).sum(axis=2)
        if not np.all((squares == 0) | (np.abs(squares - 1) < LENGTH)):
            return False
    return bool(np.any(X[:1]) or np.any(X))


def fields(X: SamplesLike) -> Affinity:
    r"""Return the pairs of records that may be duplicates, and how alike they are.

    .. math:: w_{ij} = \sum_f h_f \cos_{ijf} / \sum_f h_f

    over the fields that both have, and 0 if that is negative; :math:`h_f` is how much
    an equal value says, :math:`-\log` of the chance that two records share one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_fields * 128)
        Of :func:`~likewise.encoders.encode_fields`. Other samples get the affinity
        "auto".

    Examples
    --------
    >>> from likewise.encoders import encode_fields
    >>> names, towns = ["ann lee", "anne lee", "bo ek"], ["ulm", "ulm", "rome"]
    >>> found = fields(encode_fields([names, towns])).weights.toarray()
    >>> bool(found[0, 1] > 0.9 > 0.3 > found[1, 2])
    True
    """
    X = as_samples(X)
    if not are_fields(X):
        return self_tuning(X)
    ids = ids_of(X)
    telling = told_by(ids)
    first, second = candidates(X, ids, telling)
    alike = _alike(X, telling, first, second)
    n = X.shape[0]
    half = sp.coo_array((np.maximum(alike, 1e-9), (first, second)), shape=(n, n))
    W = sp.csr_array(half + half.T)
    W.sort_indices()
    return Affinity(W, strongest(W, N_SHARES), partial(_closeness, X, telling), X)


def ids_of(X: Samples) -> Ids:
    """Return a number for each value: the same for equal ones, also across fields.

    Examples
    --------
    >>> ids_of(np.eye(3, 128)[[0, 1, 0]]).ravel()
    array([0, 1, 0])
    """
    cut = fields_of(X)
    # Sums of whole numbers wrap around, and are the same in any order.
    odd = np.random.default_rng(0).integers(WRAPPED, size=cut.shape[2], dtype=np.uint64)
    keys = np.empty(cut.shape[:2], dtype=np.uint64)
    for span in spans(len(cut), N_AT_ONCE):
        bits = np.ascontiguousarray(cut[span], dtype=np.float32) + np.float32(0)
        keys[span] = (bits.view(np.uint32) * (odd | np.uint64(1))).sum(axis=2)
    found, ids = np.unique(keys, return_inverse=True)
    ids = ids.reshape(keys.shape)
    missing = np.searchsorted(found, np.uint64(0))
    is_there = missing < len(found) and found[missing] == 0
    return np.where(ids == missing, -1, ids - (ids > missing)) if is_there else ids


def shares_of(ids: Indices) -> Floats:
    """Return the share of the records that have the value of each; 1 where missing.

    Parameters
    ----------
    ids : ndarray of shape (n,)
        Of one field.
    """
    _, place, counts = np.unique(ids, return_inverse=True, return_counts=True)
    n_there = max(int((ids >= 0).sum()), 1)
    return np.where(ids >= 0, counts[place] / n_there, 1.0)


def told_by(ids: Ids) -> Floats:
    """Return how much an equal value in each field says, of shape (n_fields,)."""
    meeting = [
        float(shares_of(column)[column >= 0].mean()) if (column >= 0).any() else 1.0
        for column in ids.T
    ]
    return np.maximum(-np.log(np.array(meeting)), 1e-3)


def candidates(X: Samples, ids: Ids, telling: Floats) -> tuple[Indices, Indices]:
    """Return the pairs of records that may be duplicates, smaller index first.

    Parameters
    ----------
    X : ndarray of shape (n, n_fields * 128)
    ids : ndarray of shape (n, n_fields)
    telling : ndarray of shape (n_fields,)

    Returns
    -------
    first, second : ndarray of shape (n_pairs,)
    """
    n = len(ids)
    sketch = _sketch(X, telling)
    near = nearest_neighbours(sketch, N_NEAR).indices.astype(np.intp)
    rows = np.repeat(np.arange(n), near.shape[1])
    found = [_keyed(rows, near.ravel(), n)]
    found += [_keyed(*_within(key), n) for key in _keys(ids, telling)]
    pairs = np.unique(np.concatenate(found))
    first, second = np.divmod(pairs, n)
    worth = _worth(sketch, ids, telling, first, second)
    kept = _best_of_each(first, second, worth, n)
    return first[kept], second[kept]


def _keyed(one: Indices, other: Indices, n: int) -> Indices:
    return np.minimum(one, other) * n + np.maximum(one, other)


def _sketch(X: Samples, telling: Floats) -> Floats:
    """Return few columns whose products are about those of all fields, weighed."""
    cut, draw = fields_of(X), np.random.default_rng(1)
    n, n_fields, width = cut.shape
    sketch = np.zeros((n, SKETCH))
    for at in range(n_fields):
        mixed = draw.standard_normal((width, SKETCH)) / np.sqrt(SKETCH)
        sketch += np.sqrt(telling[at]) * (cut[:, at] @ mixed)
    length = np.linalg.norm(sketch, axis=1, keepdims=True)
    return sketch / np.where(length > 0, length, 1.0)


def _keys(ids: Ids, telling: Floats) -> Iterator[Indices]:
    """Yield what records may share: a value, or two of the most telling fields."""
    n_fields, most = ids.shape[1], int(ids.max(initial=0)) + 1
    yield from ids.T
    best = np.sort(np.argsort(-telling, kind="stable")[:N_PAIRED])
    for f, g in combinations(best if n_fields > 1 else (), 2):
        there = (ids[:, f] >= 0) & (ids[:, g] >= 0)
        yield np.where(there, ids[:, f] * most + ids[:, g], -1)


def _within(key: Indices) -> tuple[Indices, Indices]:
    """Return each two records of the same key, where few have it."""
    order = np.argsort(key, kind="stable")
    order = order[np.searchsorted(key[order], 0) :]
    _, start, counts = np.unique(key[order], return_index=True, return_counts=True)
    one: list[Indices] = []
    other: list[Indices] = []
    for size in range(2, IN_BLOCK + 1):
        members = order[start[counts == size, np.newaxis] + np.arange(size)]
        i, j = np.triu_indices(size, 1)
        one.append(members[:, i].ravel())
        other.append(members[:, j].ravel())
    return np.concatenate(one), np.concatenate(other)


def _worth(
    sketch: Floats, ids: Ids, telling: Floats, first: Indices, second: Indices
) -> Floats:
    """Return how promising pairs are: rare values that are equal, and the rest."""
    rare = np.column_stack([-np.log(shares_of(column)) for column in ids.T])
    worth = np.empty(len(first))
    for span in spans(len(first), 16 * N_AT_ONCE):
        i, j = first[span], second[span]
        equal = (ids[i] == ids[j]) * rare[i]
        near = np.einsum("ij,ij->i", sketch[i], sketch[j])
        worth[span] = equal.sum(axis=1) + near * telling.sum()
    return worth


def _best_of_each(
    first: Indices, second: Indices, worth: Floats, n: int
) -> NDArray[np.bool_]:
    """Tell which pairs are among the best of one of their two records."""
    ends, pair = np.concatenate([first, second]), np.tile(np.arange(len(first)), 2)
    order = np.lexsort((-np.round(worth, 6)[pair], ends))
    starts = np.searchsorted(ends[order], np.arange(n))
    rank = np.arange(len(order)) - starts[ends[order]]
    kept = np.zeros(len(first), dtype=bool)
    kept[pair[order[rank < N_BEST]]] = True
    return kept


def cosines(X: Samples, first: Indices, second: Indices) -> AnyFloats:
    """Return how alike pairs are in each field, of shape (n_pairs, n_fields), float32.

    A missing value has cosine 0 with all others.
    """
    cut = fields_of(X)
    found = np.empty((len(first), cut.shape[1]), dtype=np.float32)
    for span in spans(len(first), N_AT_ONCE):
        found[span] = np.einsum("pfd,pfd->pf", cut[first[span]], cut[second[span]])
    return found


def _alike(X: Samples, telling: Floats, first: Indices, second: Indices) -> Floats:
    """Return the weighed mean of the cosines over fields that both have."""
    is_there = fields_of(X).any(axis=2)
    weights = (is_there[first] & is_there[second]) * telling
    total = np.maximum(weights.sum(axis=1), 1e-300)
    return np.asarray((weights * cosines(X, first, second)).sum(axis=1) / total)


def _closeness(X: Samples, telling: Floats, i: int, others: Indices) -> Floats:
    return _alike(X, telling, np.full(len(others), i), others)


AFFINITIES["fields"] = fields

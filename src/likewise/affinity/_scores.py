r"""Scores of pairs from elsewhere: a matcher says which samples are alike.

Nothing is assumed of their scale but that more means more alike. So what counts of a
score is its rank: a pair is *rare* by :math:`N / r`, with N all pairs that there are
and r those that are scored at least as high. A pair without a score is rare by 1. The
log odds that a pair is the same are taken to be

.. math:: \eta = a + b \ln (N / r),

at first with b = 3 and :math:`a = -3 \ln k`: of k groups of one size about one pair in
k is together, so the N / k pairs of the highest scores are more likely the same than
not. With b = 1 the probabilities of all pairs would add up to far more than N / k.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from likewise._arrays import (
    Floats,
    Indices,
    Sparse,
    as_whole,
    dense,
    described,
    with_short_indices,
)
from likewise.affinity._graph import strongest
from likewise.affinity._kernels import AFFINITIES, Affinity, walk_closeness
from likewise.affinity._knn import N_EDGES, N_SHARES
from likewise.errors import InputError

SLOPE = 3.0  # b before any answer
FAINTEST = 1e-6  # a weight: what links two samples never rounds to nothing
TRIPLE = 3


@dataclass(frozen=True, eq=False)
class Scored:
    """Pairs by how rare it is to be scored as high, and what that is taken to mean.

    Attributes
    ----------
    rarity : csr_array of shape (n_samples, n_samples)
        N / r of each pair that has a score; symmetric, zero diagonal.
    offset, slope : float
        a and b: the log odds of a pair are a + b ln(N / r).
    """

    rarity: Sparse
    offset: float
    slope: float

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return int(self.rarity.shape[0])

    def evidence(self, first: Indices, second: Indices) -> Floats:
        """Return ln(N / r) of pairs; 0 where there is no score."""
        found = np.asarray(dense(self.rarity[first, second])).reshape(-1)
        return np.log(np.maximum(found, 1.0))

    def odds_among(self, samples: Indices) -> Floats:
        """Return the log odds of all pairs of some samples, of shape (m, m)."""
        found = dense(self.rarity[samples][:, samples])
        return self.offset + self.slope * np.log(np.maximum(found, 1.0))

    @property
    def affinity(self) -> Affinity:
        """The graph: each sample with the ten that are scored highest beside it.

        Weights are probabilities to be the same.
        """
        near = strongest(self.rarity, N_SHARES)
        edges = strongest(self.rarity, N_EDGES)
        union = edges.maximum(edges.T)
        faintest = float(self.rarity.data.min(initial=1.0))
        closeness = partial(walk_closeness, self.rarity, faintest)
        return Affinity(self._likely(union), self._likely(near), closeness, scored=self)

    def _likely(self, some: Sparse) -> Sparse:
        """Return the probabilities of some of the pairs."""
        odds = self.offset + self.slope * np.log(some.data)
        likely = np.maximum(expit(odds), FAINTEST)
        return with_short_indices(
            sp.csr_array((likely, some.indices, some.indptr), some.shape)
        )

    def meaning(self, offset: float, slope: float) -> Scored:
        """Return the same pairs, taken to mean something else."""
        return replace(self, offset=offset, slope=slope)


def usual_odds(n_samples: int, n_clusters: int | None) -> tuple[float, float]:
    r"""Return a and b before any answer.

    Where nobody knows k it is :math:`\sqrt{n / 2}`, a rule of thumb.

    Examples
    --------
    >>> usual_odds(200, 1)
    (-0.0, 3.0)
    """
    k = n_clusters or max(round(np.sqrt(n_samples / 2)), 2)
    return -SLOPE * float(np.log(k)), SLOPE


def scores(S: Any) -> Affinity:
    """Return the affinity of scores that a matcher has given to pairs.

    Parameters
    ----------
    S : array-like, DataFrame, scipy sparse matrix or iterable of (i, j, score)
        As for :func:`rarity_of`.

    Examples
    --------
    >>> scores([[0.0, 9.0, 1.0], [9.0, 0.0, -2.0], [1.0, -2.0, 0.0]]).weights.shape
    (3, 3)
    """
    rarity = rarity_of(S)
    return Scored(rarity, *usual_odds(rarity.shape[0], None)).affinity


AFFINITIES["scores"] = scores


def rarity_of(scores: Any, n_samples: int | None = None) -> Sparse:
    """Return N / r of each pair that has a score.

    Parameters
    ----------
    scores : array-like, DataFrame, scipy sparse matrix or iterable of (i, j, score)
        An (n, n) matrix, in which NaN, or what a sparse one does not store, is a pair
        without a score; or triples of two sample numbers and a score, as tuples or as a
        table of three columns. More means more alike, on whatever scale. Of several
        scores of a pair the highest counts, those of a sample with itself do not.
    n_samples : int, optional
        How many samples there are, where triples do not name the last one. With it, an
        array of three rows and columns is triples too.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        The same for scores on another scale in the same order; and for itself.

    Examples
    --------
    >>> rarity_of([(0, 1, 0.9), (2, 1, 0.2)], n_samples=4).toarray()
    array([[0., 6., 0., 0.],
           [6., 0., 3., 0.],
           [0., 3., 0., 0.],
           [0., 0., 0., 0.]])
    """
    n = None if n_samples is None else as_whole(n_samples, "n_samples", 1)
    if sp.issparse(scores):
        return _rarity(*_of_sparse(scores, n))
    rows = list(scores) if _is_listed(scores) else scores
    given = _matrix(rows)
    is_table = n is not None or _is_table(rows)
    if given.shape[0] != given.shape[1] or (is_table and given.shape[1] == TRIPLE):
        return _rarity(*_of_triples(given, n))
    return _rarity(*_of_dense(given, n))


def _is_listed(scores: Any) -> bool:
    is_array = hasattr(scores, "shape") or isinstance(scores, str | bytes | dict)
    return isinstance(scores, Iterable) and not is_array


def _is_table(rows: Any) -> bool:
    """Tell a list of tuples, or a table, from the rows of a matrix."""
    if hasattr(rows, "columns"):
        return True
    return isinstance(rows, list) and all(isinstance(row, tuple) for row in rows)


def _matrix(rows: Any) -> Floats:
    """Return scores as a dense matrix of numbers."""
    found: Floats | None = None
    if hasattr(rows, "columns"):
        columns = [_numbers(rows[column]) for column in rows.columns]
        found = np.column_stack(columns) if columns else None
    elif isinstance(rows, list) or hasattr(rows, "shape"):
        found = _numbers(rows)
    if found is None or found.ndim != 2 or not len(found):  # noqa: PLR2004
        raise InputError(
            f"Scores are an (n, n) matrix or (i, j, score) triples, not "
            f"{described(rows)}."
        )
    return found


def _numbers(values: Any) -> NDArray[np.float64]:
    try:
        found = np.asarray(values)
        is_real = found.dtype.kind in "biuf" or found.dtype.kind == "O"
        if is_real and not np.ma.is_masked(values):
            return found.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise InputError(
        f"Scores and the samples that they are of are numbers, but they are "
        f"{described(values)}: number the samples from 0 on."
    )


Listed = tuple[Indices, Indices, Floats, int]  # both samples, the score, how many


def _of_sparse(given: Any, n: int | None) -> Listed:
    kept = sp.coo_array(given)
    _refuse_shape(kept.shape, n)
    if kept.dtype.kind not in "biuf":
        raise InputError(f"Scores are real numbers, not of type {kept.dtype}.")
    return kept.row, kept.col, kept.data.astype(np.float64), kept.shape[0]


def _of_dense(given: Floats, n: int | None) -> Listed:
    _refuse_shape(given.shape, n)
    first, second = np.nonzero(~np.isnan(given))
    return first, second, given[first, second], len(given)


def _refuse_shape(shape: tuple[int, ...], n: int | None) -> None:
    if shape[0] != shape[1]:
        raise InputError(
            f"A matrix of scores is square, but this one has shape {shape}: pass "
            f"(n, n), or (i, j, score) triples."
        )
    if n is not None and n != shape[0]:
        raise InputError(
            f"The scores are of {shape[0]} samples, but n_samples is {n}: leave it out."
        )


def _of_triples(given: Floats, n: int | None) -> Listed:
    if given.shape[1] != TRIPLE:
        raise InputError(
            f"Scores are an (n, n) matrix or (i, j, score) triples, but their shape is "
            f"{given.shape}."
        )
    ends = given[:, :2]
    most = np.inf if n is None else n
    is_sample = (ends >= 0) & (ends < most) & (ends == np.floor(ends))
    if not is_sample.all():
        at = int(np.argmin(is_sample.all(axis=1)))
        upto = "on" if n is None else f"to {n - 1}"
        raise InputError(
            f"Score {at} is of the samples {ends[at, 0]:g} and {ends[at, 1]:g}, but "
            f"samples are numbered from 0 {upto}: give n_samples, or leave it out."
        )
    first, second = ends.astype(np.intp).T
    return first, second, given[:, 2], int(ends.max()) + 1 if n is None else n


def _rarity(first: Indices, second: Indices, score: Floats, n: int) -> Sparse:
    is_pair = (first != second) & ~np.isnan(score)
    if not is_pair.any():
        raise InputError("No pair of two samples has a score: give one at least.")
    low = np.minimum(first, second)[is_pair].astype(np.int64)
    high = np.maximum(first, second)[is_pair].astype(np.int64)
    pairs, place = np.unique(low * n + high, return_inverse=True)
    best = np.full(len(pairs), -np.inf)
    np.maximum.at(best, place, score[is_pair])
    rising = np.sort(best)
    r = len(best) - np.searchsorted(rising, best)  # pairs that are at least as alike
    rare = n * (n - 1) / 2 / r
    i, j = np.divmod(pairs, n)
    half = sp.coo_array((rare, (i, j)), shape=(n, n))
    return with_short_indices(sp.csr_array(half + half.T))

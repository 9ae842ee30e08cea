"""Fewer samples that stand for all: over-cluster first, ask about those, spread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from likewise import _regime as regime
from likewise._arrays import AnyFloats, AnyIndices, Floats, Indices
from likewise.affinity import (
    Pieces,
    Source,
    exact_kind,
    has_faiss,
    nearest_among,
    rows_of,
    search_of,
)
from likewise.distributed._pieces import Client, pieces_of, runner_of
from likewise.errors import InputError

FINER = 4  # times as many are made of each piece, before those of all are merged
N_PASSES = 10  # over the samples
BATCH = 4096  # samples at least that are assigned between two moves of the centres


@dataclass(frozen=True, slots=True)
class Representatives:
    """Few points that stand for many samples.

    Attributes
    ----------
    centres : ndarray of shape (m, n_features)
        The points, to be clustered in place of the samples.
    assignment : ndarray of shape (n_samples,)
        The centre that stands for each sample.
    sizes : ndarray of shape (m,)
        How many samples each stands for, at least one.
    samples : ndarray of shape (m,)
        The sample nearest to each centre, to be shown in its place.
    """

    centres: AnyFloats
    assignment: AnyIndices
    sizes: Indices
    samples: Indices


def representatives(
    X: Any, n: int, client: Client | None = None, random_state: int = 0
) -> Representatives:
    """Return about n points that stand for all samples.

    k-means with small batches, in each piece by itself; the centres of all pieces,
    each counting as many times as it has samples, are clustered once more.

    Parameters
    ----------
    X : array, memory map, path, Dask array, or a list of those
        The features, in one or more pieces; paths are those of ``.npy`` files that
        every worker can read.
    n : int
        How many points at most, up to 100,000.
    client : distributed.Client, optional
        A Dask client; the tasks run here, one after the other, without.
    random_state : int

    Returns
    -------
    Representatives
        Fewer than n where some would stand for nothing.

    Examples
    --------
    >>> X = np.repeat([[0.0], [9.0]], 50, axis=0)
    >>> few = representatives(X, 2)
    >>> spread(np.array([5, 7]), few.assignment).shape
    (100,)
    """
    pieces = pieces_of(X, runner_of(client))
    most = regime.MOST_REPRESENTATIVES
    if not 1 <= n <= most:
        raise InputError(f"n must be between 1 and {most}, but it is {n}.")
    if pieces.middle is None:
        raise InputError(
            "Sparse samples have no centres that are sparse: reduce them to some 100 "
            "dense features first, for example with scikit-learn's TruncatedSVD."
        )
    n = min(n, len(pieces))
    centres = _merged(pieces, n, random_state)
    found = _assigned(pieces, centres)
    return replace(found, centres=found.centres + pieces.middle)


def spread(labels: AnyIndices, assignment: AnyIndices) -> AnyIndices:
    """Return the label of each sample by that of its representative.

    Parameters
    ----------
    labels : ndarray of shape (m,)
    assignment : ndarray of shape (n_samples,)

    Examples
    --------
    >>> spread(np.array([4, 8]), np.array([0, 1, 1]))
    array([4, 8, 8])
    """
    return np.asarray(labels)[assignment]


def _merged(pieces: Pieces, n: int, random_state: int) -> AnyFloats:
    """Return n centres, around the middle."""
    runner, n_pieces = pieces.runner, len(pieces.sources)
    made = [
        runner.task(
            _centres_in,
            source,
            pieces.middle,
            n
            if n_pieces == 1
            else -(-FINER * n * (span.stop - span.start) // len(pieces)),
            _seed(random_state, at),
        )
        for at, (source, span) in enumerate(
            zip(pieces.sources, pieces.spans, strict=True)
        )
    ]
    centres, counts = zip(*runner.results(made), strict=True)
    if n_pieces == 1:
        return centres[0]
    seed = _seed(random_state, n_pieces)
    return _centres(np.vstack(centres), np.concatenate(counts), n, seed)[0]


def _assigned(pieces: Pieces, centres: AnyFloats) -> Representatives:
    m, d = centres.shape
    is_exact = not has_faiss() or len(pieces) * m * d <= regime.ALL_PAIRS_COST
    search = search_of(exact_kind() if is_exact else "hnsw", m, d)
    found = nearest_among(pieces, centres, search)
    nearest, apart = found.indices[:, 0], found.squared[:, 0]
    order = np.lexsort((apart, nearest))
    used, first, assignment, sizes = np.unique(
        nearest[order], return_index=True, return_inverse=True, return_counts=True
    )
    back = np.empty_like(order)
    back[order] = assignment
    return Representatives(centres[used], back.astype(np.int32), sizes, order[first])


def _centres_in(
    source: Source, middle: Floats | None, m: int, seed: int
) -> tuple[AnyFloats, Floats]:
    rows = rows_of(source, middle)[:]
    return _centres(rows, np.ones(len(rows)), min(m, len(rows)), seed)


def _centres(
    rows: AnyFloats, weights: Floats, m: int, seed: int
) -> tuple[AnyFloats, Floats]:
    """Return m centres of rows that count so many times, and how often each does."""
    if m >= len(rows):
        return rows, weights
    found = MiniBatchKMeans(
        m,
        init="k-means++" if m <= regime.CHOSEN_CENTRES else "random",
        n_init=1,
        batch_size=max(BATCH, m),
        max_iter=N_PASSES,
        reassignment_ratio=0.0,
        random_state=seed,
    ).fit(rows, sample_weight=weights)
    counts: Floats = np.bincount(found.labels_, weights, m).astype(np.float64)
    return found.cluster_centers_.astype(np.float32)[counts > 0], counts[counts > 0]


def _seed(random_state: int, at: int) -> int:
    return int(np.random.SeedSequence([random_state, at]).generate_state(1)[0])

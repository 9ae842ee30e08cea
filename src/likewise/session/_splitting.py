"""Which clusters may be one, and which may be several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Floats, Indices, Sparse, Weights
from likewise._ties import first_best, ranked
from likewise.knowledge import Answer, Constraints, Knowledge, Verdict
from likewise.spectral import (
    ConstrainedWeights,
    embedding,
    k_means,
    known_blocks,
    lowest,
    signed_normalised,
)

N_ROWS = 100_000  # of a graph that are looked at together


@dataclass(frozen=True)
class Likeness:
    """How alike clusters are.

    There may be thousands: what is kept grows with the edges of the graph, not with the
    pairs of clusters.

    Attributes
    ----------
    between : ndarray or sparse array of shape (k, k)
        The weight between each two clusters.
    """

    between: Weights

    @cached_property
    def volume(self) -> Floats:
        """All weight of each cluster."""
        return np.asarray(self.between.sum(axis=1), dtype=np.float64).ravel()

    def of(self, cluster: int) -> Floats:
        """Return how like this one each cluster is; 0 for itself.

        The weight between the two as a share of all weight of the smaller one.
        """
        row = self.between[[cluster]]
        weight = np.asarray(row.toarray() if sp.issparse(row) else row).ravel()
        smaller = np.minimum(self.volume, self.volume[cluster])
        found = weight / np.maximum(smaller, np.finfo(float).tiny)
        found[cluster] = 0.0
        return found

    def nearest(
        self, cluster: int, besides: frozenset[int] = frozenset()
    ) -> int | None:
        """Return the cluster that is most like this one, or None."""
        row = self.of(cluster)
        row[[cluster, *besides]] = 0.0
        best = first_best(row) if len(row) else 0
        return best if len(row) and row[best] > 0 else None


def likeness_of(W: Weights, labels: Indices) -> Likeness:
    """Return how alike the clusters are.

    Parameters
    ----------
    W : ndarray or sparse array of shape (n, n)
        Similarities.
    labels : ndarray of shape (n,)
        0..k-1, or -1 for none.

    Examples
    --------
    >>> W = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> likeness_of(W, np.array([0, 0, 1])).of(1).tolist()
    [1.0, 0.0]
    """
    placed = np.flatnonzero(labels >= 0)
    shape = len(labels), int(labels.max(initial=-1)) + 1
    ones = np.ones(len(placed))
    Y = sp.csr_array((ones, (placed, labels[placed])), shape=shape)
    return Likeness(_by_rows(W, Y) if sp.issparse(W) else np.asarray(Y.T @ (W @ Y)))


def _by_rows(W: Sparse, Y: Sparse) -> Sparse:
    """Return the weight between clusters, some rows of the graph at a time."""
    between = sp.csr_array((Y.shape[1], Y.shape[1]))
    for start in range(0, W.shape[0], N_ROWS):
        some = slice(start, start + N_ROWS)
        between = between + Y[some].T @ (W[some] @ Y)
    return sp.csr_array(between)


AGREES = 0.8  # how well the two sides of an answer must fit the parts


def parts_within(W: Weights, members: Sequence[int], n_parts: int) -> list[list[int]]:
    """Return the parts that a cluster falls into most readily.

    Answers are left out of account: one of them may be what is wrong. The least
    coherent part comes first, and within a part the sample that it hangs on most.

    Parameters
    ----------
    W : ndarray or sparse array of shape (n, n)
        Similarities.
    members : sequence of int
        The samples of the cluster.
    n_parts : int
        How many parts are wanted; fewer come back where there are fewer samples.

    Examples
    --------
    >>> W = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
    >>> parts_within(W, [0, 1, 2, 3, 4, 5], 2)
    [[0, 1, 2], [3, 4, 5]]
    """
    chosen = np.asarray(members, dtype=np.intp)
    n_parts = min(n_parts, len(chosen))
    inside = _inside(W, chosen)
    weights = ConstrainedWeights(inside, known_blocks(Constraints(), ()))
    spectrum = lowest(signed_normalised(weights), n_parts)
    found = k_means(embedding(spectrum, n_parts, unit_rows=True), n_parts, ())
    parts = [np.flatnonzero(found == part) for part in range(n_parts)]
    parts = sorted((p for p in parts if len(p)), key=lambda part: int(part[0]))
    loosest = ranked([-_coherence(inside, part) for part in parts], unit=1.0)
    return [chosen[_most_typical_first(inside, parts[t])].tolist() for t in loosest]


def fusing_answer(
    known: Knowledge, parts: Sequence[Sequence[int]]
) -> tuple[Answer, tuple[tuple[int, ...], tuple[int, ...]]] | None:
    """Return the "same" that alone ties two parts, and the sides that it ties.

    Without such an answer its group would fall apart; of those, the one whose two sides
    fit the parts best, if they fit well.

    Parameters
    ----------
    known : Knowledge
    parts : sequence of sequences of int
        What the cluster seems to consist of.
    """
    part_of = {sample: at for at, part in enumerate(parts) for sample in part}
    same = [a for a in known.answers if a.verdict is Verdict.SAME]
    same = [a for a in same if all(s in part_of for s in a.question.pair)]
    best, fit = None, AGREES
    for answer in same:
        i, j = answer.question.pair
        if part_of[i] == part_of[j]:
            continue
        sides = _sides(answer, same)
        if sides is not None and _fit(sides, part_of) >= fit:
            best, fit = (answer, sides), _fit(sides, part_of)
    return best


def _sides(
    answer: Answer, same: Sequence[Answer]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return what lies on either side of an answer; None if others tie it as well."""
    links = [(*a.question.pair, Verdict.SAME) for a in same if a is not answer]
    rest = Constraints().after_all(links)
    i, j = answer.question.pair
    if rest.group(i) == rest.group(j):
        return None
    return rest.samples(rest.group(i)), rest.samples(rest.group(j))


def _fit(
    sides: tuple[tuple[int, ...], tuple[int, ...]], part_of: dict[int, int]
) -> float:
    """Return how far the sides are of different parts, between 0 and 1."""
    shares = []
    for side in sides:
        counts = np.bincount(
            [part_of[s] for s in side], minlength=max(part_of.values()) + 1
        )
        shares.append(counts / counts.sum())
    overlap = float(np.minimum(*shares).sum())
    purest = min(float(share.max()) for share in shares)
    return purest * (1.0 - overlap)


def _inside(W: Weights, chosen: Indices) -> Weights:
    if sp.issparse(W):
        return W[chosen][:, chosen].tocsr()
    return np.asarray(W)[np.ix_(chosen, chosen)]


def _coherence(W: Weights, part: Indices) -> float:
    rows = W[part]
    total = float(rows.sum())
    return float(rows[:, part].sum()) / total if total > 0 else 1.0


def _most_typical_first(W: Weights, part: Indices) -> Indices:
    weight = np.asarray(W[part][:, part].sum(axis=1)).ravel()
    return part[ranked(weight)]

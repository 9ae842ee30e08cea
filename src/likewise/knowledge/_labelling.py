"""From raw clusters to labels that respect every known pair and keep their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._ties import first_best
from likewise.knowledge._constraints import Constraints

DIGITS = 7  # of votes: rounding must not assign
N_FIRST = 4096  # samples among which the first of each cluster mostly is


class Likeness(Protocol):
    """How much each sample is like each cluster; an array, or what gives its rows."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Samples and clusters."""

    def __getitem__(self, rows: Indices, /) -> AnyFloats:
        """Return some rows."""


def respect(
    raw: Indices, likeness: Likeness, constraints: Constraints, certain: Sequence[int]
) -> Indices:
    """Return labels in which no known pair is violated.

    Certain set t gets label t, whatever the raw clusters are called. Every other group
    goes, as a whole, to the cluster that most of it is in, or is most like, among those
    that hold no group known to be apart from it; where there is none, it becomes a
    cluster of its own. Clusters without a certain set are numbered by their first
    sample.

    Parameters
    ----------
    raw : ndarray of shape (n,)
        Clusters before the known pairs are looked at, 0..k-1.
    likeness : ndarray of shape (n, k), or what gives its rows
        How much each sample is like each cluster, between 0 and 1; breaks ties.
    constraints : Constraints
    certain : sequence of int
        The groups that are pairwise known to be apart, at most k.

    Returns
    -------
    ndarray of shape (n,)
        0..k'-1, each number in use; k' > k only where the cannot-links leave no choice.
    """
    chosen = set(certain)
    rest = [group for group in constraints.members if group not in chosen]
    rest.sort(key=lambda group: -len(constraints.samples(group)))
    members = [constraints.samples(group) for group in (*certain, *rest)]
    votes, counts = _votes(raw, likeness, members), np.bincount(raw)
    order = _numbering(raw, votes[: len(certain)], counts)
    place = {group: t for t, group in enumerate(certain)}
    for group, row in zip(rest, votes[len(certain) :, np.argsort(order)], strict=True):
        score = np.append(row, np.full(len(place), -1))
        score[[place[g] for g in constraints.apart_from(group) if g in place]] = -np.inf
        place[group] = first_best(score)
    known = np.array([sample for its in members for sample in its], dtype=np.intp)
    places = [place[group] for group in (*certain, *rest)]
    there = np.repeat(np.array(places, dtype=np.intp), [len(its) for its in members])
    labels, left = order.take(raw), counts.copy()
    np.subtract.at(left, raw[known], 1)
    labels[known] = there
    return _counted_through(labels, np.union1d(order[np.flatnonzero(left)], there))


def numbered(
    raw: Indices, likeness: Likeness, constraints: Constraints, certain: Sequence[int]
) -> Indices:
    """Return the raw clusters as they are, called after the certain sets.

    Each certain set gives its number to one cluster, so that as many of their samples
    as can be are where their number says; the others are numbered by their first
    sample. Parameters are those of :func:`respect`.
    """
    members = [constraints.samples(group) for group in certain]
    votes = _votes(raw, likeness, members)
    numbers: Indices = _numbering(raw, votes, np.bincount(raw))[raw]
    return numbers


def in_use(labels: Indices) -> Indices:
    """Return labels without the numbers that no sample has.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Not negative.

    Examples
    --------
    >>> in_use(np.array([4, 0, 4, 2]))
    array([2, 0, 2, 1])
    """
    return _counted_through(labels, np.flatnonzero(np.bincount(labels)))


def _counted_through(labels: Indices, used: Indices) -> Indices:
    """Return labels that have only some numbers, ascending, as 0..k-1."""
    if not len(used) or used[-1] == len(used) - 1:
        return labels.astype(np.intp, copy=False)
    places = np.zeros(used[-1] + 1, dtype=np.intp)
    places[used] = np.arange(len(used))
    return places[labels]


def _votes(
    raw: Indices, likeness: Likeness, members: Sequence[Sequence[int]]
) -> Floats:
    """Return how many of each group are in each cluster, and how like it they are."""
    k = likeness.shape[1]
    if not members:
        return np.zeros((0, k))
    sizes = np.array([len(its) for its in members])
    rows = np.array([sample for its in members for sample in its], dtype=np.intp)
    group = np.repeat(np.arange(len(members)), sizes)
    counts = np.bincount(group * k + raw[rows], minlength=len(members) * k)
    like = np.add.reduceat(likeness[rows], np.cumsum(sizes) - sizes, axis=0)
    return counts.reshape(-1, k) + like / sizes[:, np.newaxis]


def _numbering(raw: Indices, votes: Floats, counts: Indices) -> Indices:
    """Return the new number of each raw cluster, of which there are so many samples."""
    from scipy.optimize import linear_sum_assignment

    k = votes.shape[1]
    chosen: Indices = np.zeros(0, dtype=np.intp)
    if len(votes):
        # Of two assignments none is the best to compare with: a grid must do.
        _, chosen = linear_sum_assignment(-np.round(votes, DIGITS))
    others = np.setdiff1d(np.arange(k), chosen)
    if others.size:
        others = others[np.argsort(_first_of(raw, others, counts), kind="stable")]
    order = np.empty(k, dtype=np.intp)
    order[np.concatenate([chosen, others])] = np.arange(k)
    return order


def _first_of(raw: Indices, wanted: Indices, counts: Indices) -> Indices:
    """Return the first sample of some clusters; the number of samples where none is.

    Looked for in ever more samples: mostly all are among the first few.
    """
    n, k, end = len(raw), int(wanted.max()) + 1, 0
    first = np.full(max(k, len(counts)), n)
    there = wanted[wanted < len(counts)]
    there = there[counts[there] > 0]
    while (first[there] == n).any():
        start, end = end, min(max(2 * end, N_FIRST), n)
        here = raw[start:end][::-1]  # of several, the last one stays
        new = np.full(len(first), n)
        new[here] = np.arange(end - 1, start - 1, -1)
        first = np.minimum(first, new)
    return first[wanted]

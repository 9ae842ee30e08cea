"""From raw clusters to labels that respect every known pair and keep their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

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


class Clusters(Protocol):
    """The cluster of each sample, wherever that is kept."""

    @property
    def counts(self) -> Indices:
        """How many samples each cluster has, up to the last that has any."""

    def __len__(self) -> int:
        """How many samples there are."""

    def __getitem__(self, samples: Indices | slice, /) -> Indices:
        """Return the clusters of some samples."""

    def called(self, names: Indices) -> Indices:
        """Return the name of each sample's cluster, as an array of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Clusters in an ordinary array.

    Attributes
    ----------
    numbers : ndarray of shape (n,)
        Not negative.
    """

    numbers: Indices

    @property
    def counts(self) -> Indices:
        """How many samples each cluster has."""
        return np.bincount(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, samples: Indices | slice, /) -> Indices:
        return self.numbers[samples]

    def called(self, names: Indices) -> Indices:
        """Return the name of each sample's cluster."""
        return names.take(self.numbers)


AnyClusters: TypeAlias = Clusters | Indices  # clusters, or the cluster of each sample


def _listed(raw: AnyClusters) -> Clusters:
    return Listed(raw) if isinstance(raw, np.ndarray) else raw


def respect(
    raw: AnyClusters,
    likeness: Likeness,
    constraints: Constraints,
    certain: Sequence[int],
) -> Indices:
    """Return labels in which no known pair is violated.

    Certain set t gets label t, whatever the raw clusters are called. Every other group
    goes, as a whole, to the cluster that most of it is in, or is most like, among those
    that hold no group known to be apart from it; where there is none, it becomes a
    cluster of its own. Clusters without a certain set are numbered by their first
    sample.

    Parameters
    ----------
    raw : ndarray of shape (n,) or Clusters
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
    raw, chosen = _listed(raw), set(certain)
    rest = [group for group in constraints.members if group not in chosen]
    rest.sort(key=lambda group: -len(constraints.samples(group)))
    members = [constraints.samples(group) for group in (*certain, *rest)]
    known = np.array([sample for its in members for sample in its], dtype=np.intp)
    was, counts = raw[known], raw.counts
    votes = _votes(was, likeness, members)
    order = _numbering(raw, votes[: len(certain)], counts)
    place = {group: t for t, group in enumerate(certain)}
    for group, row in zip(rest, votes[len(certain) :, np.argsort(order)], strict=True):
        score = np.append(row, np.full(len(place), -1))
        score[[place[g] for g in constraints.apart_from(group) if g in place]] = -np.inf
        place[group] = first_best(score)
    places = [place[group] for group in (*certain, *rest)]
    there = np.repeat(np.array(places, dtype=np.intp), [len(its) for its in members])
    left = counts - np.bincount(was, minlength=len(counts))
    used = np.union1d(order[np.flatnonzero(left)], there)
    names = np.zeros(max(len(order), int(used.max(initial=-1)) + 1), dtype=np.intp)
    names[used] = np.arange(len(used))
    labels = raw.called(names[order])
    labels[known] = names[there]
    return labels


def numbered(
    raw: AnyClusters,
    likeness: Likeness,
    constraints: Constraints,
    certain: Sequence[int],
) -> Indices:
    """Return the raw clusters as they are, called after the certain sets.

    Each certain set gives its number to one cluster, so that as many of their samples
    as can be are where their number says; the others are numbered by their first
    sample. Parameters are those of :func:`respect`.
    """
    raw, members = _listed(raw), [constraints.samples(group) for group in certain]
    known = np.array([sample for its in members for sample in its], dtype=np.intp)
    votes = _votes(raw[known], likeness, members)
    return raw.called(_numbering(raw, votes, raw.counts))


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
    used = np.flatnonzero(np.bincount(labels))
    if not len(used) or used[-1] == len(used) - 1:
        return labels.astype(np.intp, copy=False)
    places = np.zeros(used[-1] + 1, dtype=np.intp)
    places[used] = np.arange(len(used))
    return places[labels]


def _votes(
    was: Indices, likeness: Likeness, members: Sequence[Sequence[int]]
) -> Floats:
    """Return how many of each group are in each cluster, and how like it they are.

    `was` has the clusters of all members, one after the other.
    """
    k = likeness.shape[1]
    if not members:
        return np.zeros((0, k))
    sizes = np.array([len(its) for its in members])
    rows = np.array([sample for its in members for sample in its], dtype=np.intp)
    group = np.repeat(np.arange(len(members)), sizes)
    counts = np.bincount(group * k + was, minlength=len(members) * k)
    like = np.add.reduceat(likeness[rows], np.cumsum(sizes) - sizes, axis=0)
    return counts.reshape(-1, k) + like / sizes[:, np.newaxis]


def _numbering(raw: Clusters, votes: Floats, counts: Indices) -> Indices:
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


def _first_of(raw: Clusters, wanted: Indices, counts: Indices) -> Indices:
    """Return the first sample of some clusters; the number of samples where none is.

    Looked for in ever more samples: mostly all are among the first few.
    """
    n, k, end = len(raw), int(wanted.max()) + 1, 0
    first = np.full(max(k, len(counts)), n)
    there = wanted[wanted < len(counts)]
    there = there[counts[there] > 0]
    while (first[there] == n).any():
        start, end = end, min(max(2 * end, N_FIRST), n)
        here = raw[slice(start, end)][::-1]  # of several, the last one stays
        new = np.full(len(first), n)
        new[here] = np.arange(end - 1, start - 1, -1)
        first = np.minimum(first, new)
    return first[wanted]

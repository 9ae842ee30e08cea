"""From raw clusters to labels that respect every known pair and keep their numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from likewise.arrays import Floats, Indices
from likewise.constraints import Constraints


def respect(
    raw: Indices, likeness: Floats, constraints: Constraints, certain: Sequence[int]
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
    likeness : ndarray of shape (n, k)
        How much each sample is like each cluster, between 0 and 1; breaks ties.
    constraints : Constraints
    certain : sequence of int
        The groups that are pairwise known to be apart, at most k.

    Returns
    -------
    ndarray of shape (n,)
        0..k'-1, each number in use; k' > k only where the cannot-links leave no choice.
    """
    k = likeness.shape[1]
    votes = {
        group: _votes(raw, likeness, constraints.samples(group)) for group in certain
    }
    order = _numbering(raw, list(votes.values()), k)
    labels = order[raw]
    place = {group: t for t, group in enumerate(certain)}
    for group, t in place.items():
        labels[list(constraints.samples(group))] = t
    renamed = np.argsort(order)
    rest = (group for group in constraints.members if group not in place)
    for group in sorted(rest, key=lambda g: -len(constraints.samples(g))):
        members = list(constraints.samples(group))
        score = np.append(
            _votes(raw, likeness, members)[renamed], np.full(len(place), -1)
        )
        score[[place[g] for g in constraints.apart_from(group) if g in place]] = -np.inf
        place[group] = int(np.argmax(score))
        labels[members] = place[group]
    return _in_use(labels)


def _votes(raw: Indices, likeness: Floats, members: Sequence[int]) -> Floats:
    rows = np.asarray(members, dtype=np.intp)
    counts = np.bincount(raw[rows], minlength=likeness.shape[1])
    return counts + likeness[rows].mean(axis=0)


def _numbering(raw: Indices, votes: Sequence[Floats], k: int) -> Indices:
    """Return the new number of each raw cluster."""
    chosen: Indices = np.zeros(0, dtype=np.intp)
    if votes:
        _, chosen = linear_sum_assignment(-np.array(votes))
    first = np.full(k, len(raw))
    np.minimum.at(first, raw, np.arange(len(raw)))
    others = np.setdiff1d(np.arange(k), chosen)
    others = others[np.argsort(first[others], kind="stable")]
    order = np.empty(k, dtype=np.intp)
    order[np.concatenate([chosen, others])] = np.arange(k)
    return order


def _in_use(labels: Indices) -> Indices:
    _, compact = np.unique(labels, return_inverse=True)
    return compact.astype(np.intp)

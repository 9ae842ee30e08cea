"""In what two operators of one graph differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise.arrays import Indices
from likewise.engine.operator import Operator


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What an answer, or a few, have changed; in the engine's order.

    Attributes
    ----------
    rows : ndarray of shape (r,)
        The rows in which the operators differ are among these; ascending. They are the
        known samples, those whose scale has changed, and the neighbours of these.
    groups : tuple of ndarray
        The members of each group that is none of the groups before.
    cut : ndarray of shape (c,)
        The samples that were set aside, or taken back.
    loose : ndarray of shape (l,)
        Those and their neighbours, as far as they are not aside now.
    """

    rows: Indices
    groups: tuple[Indices, ...]
    cut: Indices
    loose: Indices


def change_between(before: Operator, after: Operator) -> Change:
    """Return the change from one operator of a graph to another."""
    normal = before.graph.normal
    either = np.union1d(before.touched.samples, after.touched.samples)
    moved = either[before.ratio[either] != after.ratio[either]]
    beside = normal[moved].indices.astype(np.intp)
    known = np.union1d(before.ties.samples, after.ties.samples)
    cut = np.setxor1d(after.aside, before.aside)
    around = np.union1d(cut, normal[cut].indices.astype(np.intp))
    return Change(
        rows=np.union1d(known, np.union1d(moved, beside)),
        groups=_new_groups(before, after),
        cut=cut,
        loose=np.setdiff1d(around, after.aside),
    )


def _new_groups(before: Operator, after: Operator) -> tuple[Indices, ...]:
    old, new = before.ties, after.ties
    was = np.full(len(new.samples), -1)
    _, here, there = np.intersect1d(
        new.samples, old.samples, assume_unique=True, return_indices=True
    )
    was[here] = old.group[there]
    first = np.full(int(new.group.max(initial=-1)) + 1, -1)
    first[new.group] = was
    is_mixed = was != first[new.group]
    sizes_before = np.bincount(old.group, minlength=1)[first]
    has_grown = np.bincount(new.group, minlength=len(first)) != sizes_before
    is_new = has_grown | (first < 0)
    is_new[new.group[is_mixed]] = True
    present = np.unique(new.group)
    return tuple(new.samples[new.group == g] for g in present[is_new[present]])

"""From a desk and the places of its items to what the page draws."""

from __future__ import annotations

from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Indices
from likewise.app._messages import GroupCard
from likewise.app._overview import Overview
from likewise.app._show import Shown
from likewise.app.map._messages import Sheet
from likewise.session import Plane, Status, Statuses

Codes: TypeAlias = NDArray[np.uint8]
EDGE = 4095  # the largest place
MOST = 20_000  # items that are shown at once
SOME = 20  # items of each group that are among them, if it has as many
STATUSES: tuple[Status, ...] = get_args(Status)


def sheet_of(shown: Shown, plane: Plane, about: str) -> Sheet:
    """Return the map as it is now.

    Parameters
    ----------
    shown : Shown
    plane : ndarray of shape (n_items, 2)
        The place of each item, between 0 and 1.
    about : str
        How the places were found.
    """
    with shown.desk.lock:
        found = shown.overview()
        group, status = _numbers(found), _codes(found.statuses, len(plane))
        groups = _groups(found)
    some = sample_of(group, MOST) if len(plane) > MOST else None
    at: Any = slice(None) if some is None else some
    places = np.rint(plane[at] * EDGE).astype(np.intp)
    return Sheet.model_construct(
        version=found.version,
        about=about,
        n_items=len(plane),
        items=None if some is None else some.tolist(),
        x=places[:, 0].tolist(),
        y=places[:, 1].tolist(),
        group=group[at].tolist(),
        status=status[at].tolist(),
        statuses=list(STATUSES),
        groups=groups,
    )


def sample_of(group: Indices, most: int) -> Indices:
    """Return some of the items, ascending; the same ones for the same groups.

    Some of every group, then any. While answers come in, most of them stay.

    Parameters
    ----------
    group : ndarray of shape (n_items,)
        The group of each item.
    most : int
        How many are wanted; more, if there are more groups than that.

    Examples
    --------
    >>> group = np.array([1] * 1000 + [2] * 3)
    >>> kept = sample_of(group, 100)
    >>> len(kept), np.bincount(group[kept]).tolist()
    (100, [0, 97, 3])
    """
    n = len(group)
    order = np.random.default_rng(n).permutation(n)
    by_group = order[np.argsort(group[order], kind="stable")]
    _, first, counts = np.unique(group[by_group], return_index=True, return_counts=True)
    rank = np.empty(n, dtype=np.intp)
    rank[by_group] = np.arange(n) - np.repeat(first, counts)
    turn = np.minimum(rank[order], SOME)  # the first of each group, then the second ...
    wanted = order[np.argsort(turn, kind="stable")]
    return np.sort(wanted[: max(most, len(first))])


def _numbers(found: Overview) -> Indices:
    of = np.zeros(max(found.clusters, default=-1) + 2, dtype=np.intp)
    for label in found.clusters:
        of[label] = found.number[label]
    return of[found.labels]  # the last one is for those in none, whose label is -1


def _codes(statuses: Statuses, n_items: int) -> Codes:
    codes = np.full(n_items, STATUSES.index("guessed"), dtype=np.uint8)
    for name in ("confirmed", "deferred", "aside"):
        codes[list(getattr(statuses, name))] = STATUSES.index(name)
    return codes


def _groups(found: Overview) -> list[GroupCard]:
    groups = [
        GroupCard(
            id=found.anchor(label),
            number=found.number[label],
            name=found.name.get(label, ""),
            size=found.size(label),
            confirmed=found.n_confirmed(label),
        )
        for label in found.clusters
    ]
    return sorted(groups, key=lambda group: (-group.size, group.number))

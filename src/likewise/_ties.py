"""Ties: what is best when the last digits of numbers say nothing.

The last digits depend on the processor, on the libraries and on how many threads share
a sum; what is chosen must not. So a number is no better than another one that is larger
by rounding alone: they tie, and the first in order is taken. Numbers are not put on a
grid for that, as numbers that are equal but for rounding may lie on both sides of a
line of any grid. They are compared with the best one, so that only a number that lies
just at the edge, as far from the best as a tie may be, is still left to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from likewise._arrays import AnyFloats, Floats, Indices

# Of what rounding may change, relative to the best number. A sum of float64 is right to
# 15 digits, an eigenvector of a spectrum with small gaps to 9, and what is made of it
# to 8 or so. In float32 that is 7 digits, 5 after some hundred steps that each add to
# what was there. Numbers that differ truly are seldom as near as that, and where they
# are, either is as good as the other.
EXACT, LARGE = 1e-7, 1e-4


def slight(kind: DTypeLike) -> float:
    """Return how far, relative to the best, numbers of a type tie with it.

    Examples
    --------
    >>> slight(np.float64), slight(np.float32)
    (1e-07, 0.0001)
    """
    return LARGE if np.dtype(kind) in (np.float32, np.float16) else EXACT


def tied_best(
    scores: ArrayLike, unit: float | None = None, *, within: float | None = None
) -> NDArray[np.bool_]:
    """Tell which scores tie with the largest of them.

    Parameters
    ----------
    scores : array-like of shape (n,)
        No NaN; may be infinite.
    unit : float, optional
        What rounding is relative to: the largest score itself, unless given.
    within : float, optional
        How near a score must be, relative to the unit; what is :func:`slight` in
        numbers of their type unless given.

    Returns
    -------
    ndarray of bool of shape (n,)

    Examples
    --------
    >>> tied_best([0.3, 0.1 + 0.2, 0.1]).tolist()
    [True, True, False]
    """
    numbers = np.asarray(scores)
    best = float(numbers.max())  # one number, of which plain arithmetic is quicker
    size = abs(best) if unit is None else unit
    share = slight(numbers.dtype) if within is None else within
    reached: NDArray[np.bool_] = numbers >= (
        best - share * size if isfinite(size) else best
    )
    return reached


def first_best(
    scores: ArrayLike, unit: float | None = None, *, within: float | None = None
) -> int:
    """Return the position of the largest score; of those that tie, the first.

    Parameters are those of :func:`tied_best`.

    Examples
    --------
    >>> first_best([0.1, 0.3, 0.1 + 0.2])
    1
    """
    return int(np.argmax(tied_best(scores, unit, within=within)))


def first_least(values: ArrayLike, *, within: float | None = None) -> int:
    """Return the position of the smallest value; of those that tie, the first.

    For distances and costs: rounding is relative to the largest of them.

    Examples
    --------
    >>> first_least([1.0, 1e-17, 0.0])
    1
    """
    numbers = np.asarray(values)
    return first_best(-numbers, float(np.abs(numbers).max()), within=within)


def best_first(
    scores: ArrayLike, unit: float | None = None, *, within: float | None = None
) -> Iterator[int]:
    """Yield positions by falling score; those that tie in their own order.

    All that tie with the best come first, then all that tie with the best of the rest,
    and so on. Parameters are those of :func:`tied_best`; nothing is sorted before the
    second position is asked for.

    Examples
    --------
    >>> list(best_first([0.1, 0.3, 0.5, 0.1 + 0.2]))
    [2, 1, 3, 0]
    """
    numbers = np.asarray(scores)
    if not numbers.size:
        return
    first = first_best(numbers, unit, within=within)
    yield first
    order = np.argsort(-numbers, kind="stable")
    falling, start = numbers[order], 0
    is_alone = _alone(falling, unit, within)
    while start < len(order):
        if is_alone[start]:
            if order[start] != first:
                yield int(order[start])
            start += 1
            continue
        n_tied = _n_leading(falling[start:], falling[start], unit, within)
        for at in np.sort(order[start : start + n_tied]).tolist():
            if at != first:
                yield at
        start += n_tied


def ranked(
    scores: ArrayLike, unit: float | None = None, *, within: float | None = None
) -> Indices:
    """Return all positions in the order of :func:`best_first`.

    Examples
    --------
    >>> ranked([0.1, 0.3, 0.5, 0.1 + 0.2])
    array([2, 1, 3, 0])
    """
    return np.fromiter(best_first(scores, unit, within=within), dtype=np.intp)


def best_columns(rows: AnyFloats, *, within: float | None = None) -> Indices:
    """Return the column of the largest entry of each row; of ties, the first.

    Parameters
    ----------
    rows : ndarray of shape (s, m)
    within : float, optional
        As in :func:`tied_best`.

    Examples
    --------
    >>> best_columns(np.array([[0.3, 0.1 + 0.2], [0.0, 1.0]]))
    array([0, 1])
    """
    best = rows.max(axis=1, keepdims=True)
    return _reached(rows, best, None, within).argmax(axis=1)


def is_tied(rows: AnyFloats) -> NDArray[np.bool_]:
    """Tell in which rows several entries tie with the largest.

    Examples
    --------
    >>> is_tied(np.array([[0.3, 0.1 + 0.2], [0.0, 1.0]])).tolist()
    [True, False]
    """
    best = rows.max(axis=1, keepdims=True)
    tied: NDArray[np.bool_] = _reached(rows, best, None, None).sum(axis=1) > 1
    return tied


def least_columns(rows: Floats) -> Indices:
    """Return the column of the smallest entry of each row; of ties, the first.

    For distances and costs: rounding is relative to the largest of a row.
    """
    unit = np.abs(rows).max(axis=1, keepdims=True)
    return _reached(-rows, -rows.min(axis=1, keepdims=True), unit, None).argmax(axis=1)


def levelled(rising: Floats, within: float) -> Floats:
    """Return ascending numbers, each that ties with the one before as that one is.

    Parameters
    ----------
    rising : ndarray of shape (n,)
    within : float
        How near two are that tie, relative to the largest.

    Examples
    --------
    >>> levelled(np.array([0.1, 0.3, 0.1 + 0.2, 0.7]), 1e-12)
    array([0.1, 0.3, 0.3, 0.7])
    """
    if not rising.size:
        return rising
    edge = within * np.abs(rising[[0, -1]]).max()
    is_new = np.concatenate([[True], np.diff(rising) > edge])
    levels: Floats = rising[is_new][np.cumsum(is_new) - 1]
    return levels


def reaches(value: Any, bar: float, unit: float | None = None) -> Any:
    """Tell whether numbers are at least as large as a bar, or below by rounding alone.

    Parameters
    ----------
    value : float or ndarray
    bar : float
    unit : float, optional
        What rounding is relative to: the bar, unless given.

    Examples
    --------
    >>> reaches(0.1 + 0.2, 0.3), reaches(0.3, 0.1 + 0.2), reaches(0.29, 0.3)
    (True, True, False)
    """
    return value >= bar - EXACT * abs(bar if unit is None else unit)


def exceeds(value: Any, bar: float, unit: float | None = None) -> Any:
    """Tell whether numbers are larger than a bar, by more than rounding.

    Parameters are those of :func:`reaches`.

    Examples
    --------
    >>> exceeds(0.1 + 0.2, 0.3), exceeds(0.31, 0.3)
    (False, True)
    """
    return value > bar + EXACT * abs(bar if unit is None else unit)


def _reached(
    numbers: AnyFloats, best: Any, unit: Any, within: float | None
) -> NDArray[np.bool_]:
    """Tell which numbers reach the best one, up to rounding."""
    share = slight(numbers.dtype) if within is None else within
    size = np.abs(best) if unit is None else unit
    size = np.where(np.isfinite(size), size, 0.0)  # only infinity ties with infinity
    reached: NDArray[np.bool_] = numbers >= best - share * size
    return reached


def _alone(
    falling: AnyFloats, unit: float | None, within: float | None
) -> NDArray[np.bool_]:
    """Tell with which of falling numbers the next one does not tie."""
    alone = np.ones(len(falling), dtype=bool)
    alone[:-1] = ~_reached(falling[1:], falling[:-1], unit, within)
    return alone


def _n_leading(
    falling: AnyFloats, head: Any, unit: float | None, within: float | None
) -> int:
    """Return how many of falling numbers tie with the first, some at a time."""
    size, found = 64, 0
    while found < len(falling):
        part = _reached(falling[found : found + size], head, unit, within)
        found += int(part.sum())
        if not part.all():
            break
        size *= 2
    return found

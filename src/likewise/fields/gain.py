"""What an answer is worth, and how to pick the largest of many numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from likewise.arrays import Floats, Indices

DIGITS = 9  # gains are compared to so many: rounding must not choose


def uncertainty_drop(p: Floats, others: Floats, wrong: float) -> Floats:
    r"""Return how much an answer lowers the Gini uncertainty, in expectation.

    For an entry of probability p, the squares of the others summing to S, and a share e
    of wrong answers, with :math:`q = p(1-e) + (1-p)e`,

    .. math::
        D = \frac{p^2 (1-e)^2 + e^2 S}{q} + \frac{p^2 e^2 + (1-e)^2 S}{1-q} - p^2 - S.
    """
    right = 1 - wrong
    q = np.clip(p * right + (1 - p) * wrong, 1e-12, 1 - 1e-12)
    same = (p**2 * right**2 + wrong**2 * others) / q
    different = (p**2 * wrong**2 + right**2 * others) / (1 - q)
    return same + different - p**2 - others


def likeliest(
    askable: Floats, rows: Floats, new: Floats
) -> tuple[Indices, Floats, Floats]:
    """Return the likeliest class of each row, its probability, the others' squares."""
    at, top = np.arange(len(rows)), askable.argmax(axis=1)
    p = askable[at, top]
    return top, p, (rows**2).sum(axis=1) + new**2 - rows[at, top] ** 2


def entry_of(rows: Floats, new: Floats, row: int, column: int) -> tuple[Floats, Floats]:
    """Return the probability of one class of a row, and the others' squares."""
    p = rows[row, column]
    return p, (rows[row] ** 2).sum() + new[row] ** 2 - p**2


def best_first(gain: Floats) -> Iterator[int]:
    """Yield positions by falling gain; equal up to rounding, the first one first."""
    top = float(gain.max(initial=0.0))
    if top <= 0:
        yield from range(gain.size)
        return
    rounded = np.round(np.maximum(gain / top, -1.0), DIGITS)
    best = int(np.argmax(rounded))
    yield best
    for at in np.argsort(-rounded, kind="stable"):
        if at != best:
            yield int(at)

"""What an answer is worth, and how to pick the largest of many numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from likewise._arrays import AnyFloats, Indices


def uncertainty_drop(p: AnyFloats, others: AnyFloats, wrong: float) -> AnyFloats:
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
    askable: AnyFloats, rows: AnyFloats, new: AnyFloats
) -> tuple[Indices, AnyFloats, AnyFloats]:
    """Return the likeliest class of each row, its probability, the others' squares."""
    at, top = np.arange(len(rows)), askable.argmax(axis=1)
    p = askable[at, top]
    return top, p, (rows**2).sum(axis=1) + new**2 - rows[at, top] ** 2


def entry_of(
    rows: AnyFloats, new: AnyFloats, row: int, column: int
) -> tuple[AnyFloats, AnyFloats]:
    """Return the probability of one class of a row, and the others' squares."""
    p = rows[row, column]
    return p, (rows[row] ** 2).sum() + new[row] ** 2 - p**2


def best_first(gain: AnyFloats, digits: int) -> Iterator[int]:
    """Yield positions by falling gain; equal to so many digits, the first one first."""
    top = float(gain.max(initial=0.0))
    if top <= 0:
        yield from range(gain.size)
        return
    rounded = np.round(np.maximum(gain / top, -1.0), digits)
    best = int(np.argmax(rounded))
    yield best
    for at in np.argsort(-rounded, kind="stable"):
        if at != best:
            yield int(at)

"""Which classes may be one: P(same) of two classes, and what k says about it.

Logistic maps lead from what a model says to what answers say, learned in two numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats

TINY = 1e-6
ENOUGH = 0.25  # of what a step promises, it must keep
APART = 0.02  # probability of "same" below which two classes count as apart
CLOSED = 0.1  # expected number of mistakes among k classes that are all apart
PROMISED = 0.3  # share of the merges that k asks for, promised by the pairs
MOST_LIFT = 4.0  # of log odds
CROWDING = 2.0  # log odds against a pair twice as large as a group, over log 2
SURE = 0.999  # the most that elimination concludes


def logit(p: Floats) -> Floats:
    """Return log(p / (1 - p)), p kept away from 0 and 1."""
    p = np.clip(p, TINY, 1 - TINY)
    return np.log(p / (1 - p))


def sigmoid(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-np.clip(x, -500, 500)))


@lru_cache(maxsize=64)
def fitted_map(
    seen: tuple[tuple[float, bool], ...],
    prior: tuple[float, float],
    slopes: tuple[float, float],
) -> tuple[float, float]:
    r"""Return (a, b) of :math:`P(\text{same}) = \sigma(a + b \, \mathrm{logit} \, x)`.

    The most probable ones given the answers, with a normal prior of precision (1, 4)
    around `prior`; by Newton steps, halved while they make things worse.

    Parameters
    ----------
    seen : tuple of (x, same)
    prior : (float, float)
    slopes : (float, float)
        The least and the largest b.
    """
    start = np.array(prior)
    if not seen:
        return prior
    x, same = np.array(seen, dtype=np.float64).T
    inputs = np.column_stack([np.ones(len(x)), logit(np.clip(x, 1e-3 * TINY, 1))])
    precision = np.array([1.0, 4.0])

    def loss(w: Floats) -> float:
        signs = np.where(same > 0, -1.0, 1.0)
        misfit = np.logaddexp(0, signs * (inputs @ w)).sum()
        return float(misfit + (precision * (w - start) ** 2).sum() / 2)

    w, least = start, loss(start)
    for _ in range(100):
        p = sigmoid(inputs @ w)
        slope = inputs.T @ (same - p) - precision * (w - start)
        bend = (inputs * (p * (1 - p))[:, np.newaxis]).T @ inputs + np.diag(precision)
        step = np.linalg.solve(bend, slope)
        enough = ENOUGH * float(slope @ step)
        while loss(w + step) > least - enough and np.abs(step).max() > TINY:
            step, enough = step / 2, enough / 2
        w, least = w + step, loss(w + step)
        if np.abs(step).max() < TINY:
            break
    return float(w[0]), float(np.clip(w[1], *slopes))


def chance_of(links: Floats) -> Floats:
    r"""Return the chance that a step from the smaller of two classes ends in the other.

    :math:`x_{gh} = R_{gh} / \min(\mathrm{vol}_g, \mathrm{vol}_h)`,
    :math:`R = Q^T W Q`, Q the membership of shape (n, m).

    Parameters
    ----------
    links : ndarray of shape (m, m)
        R: the weight between the classes.
    """
    volume = np.maximum(links.sum(axis=1), 1e-300)
    return links / np.minimum.outer(volume, volume)


def crowding(shares: Floats, k: int) -> Floats:
    r"""Return what speaks against joining two classes into more than a group.

    :math:`2 \log(k (s_g + s_h))` in log odds where that is positive, s the classes'
    shares of all samples: a pair that would be larger than groups are on average.
    """
    return CROWDING * np.log(np.maximum(k * np.add.outer(shares, shares), 1.0))


def apart_of(same: Floats, votes: Floats) -> NDArray[np.bool_]:
    """Tell which classes are known to be apart: told so, and unlikely to be one."""
    return (votes < 0) & (same < APART)


def main_of(same: Floats, votes: Floats, members: Sequence[int], k: int) -> list[int]:
    """Return the k classes that are all apart, with little doubt; nothing before.

    Parameters
    ----------
    same, votes : ndarray of shape (m, m)
        P(same) and ballots for minus against.
    members : sequence of m int
        How many samples are settled in each class; larger ones are taken first.
    k : int
    """
    apart = apart_of(same, votes)
    if k < 2 or apart.sum() < k * (k - 1):  # noqa: PLR2004 - a pair
        return []
    found: list[int] = []
    for g in np.argsort(-np.asarray(members), kind="stable"):
        if apart[g, found].all():
            found.append(int(g))
    doubt = same[np.ix_(found, found)].sum() / 2
    return found if len(found) == k and doubt <= CLOSED else []


def shared_out(same: Floats, main: Sequence[int]) -> Floats:
    """Return P(same) given that every other class is one of the k main ones.

    Its odds to them are shared out, so that they sum to 1.
    """
    same, kept = same.copy(), np.asarray(main, dtype=np.intp)
    others = np.setdiff1d(np.arange(len(same)), kept)
    odds = same[np.ix_(others, kept)]
    odds = odds / (1 - odds)
    shares = odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-300)
    same[np.ix_(others, kept)] = np.minimum(shares, SURE)
    same[np.ix_(kept, others)] = same[np.ix_(others, kept)].T
    return same


def pressed(same: Floats, votes: Floats, k: int) -> Floats:
    """Return P(same) with room for k classes.

    m classes are k after m - k merges at least. Log odds are raised by one number until
    the open pairs promise 0.3 (m - k) of them.
    """
    surplus, open_pairs = len(same) - k, np.triu(votes >= 0, 1)
    if surplus <= 0 or not open_pairs.any():
        return same
    odds = logit(same[open_pairs])
    for lift in np.arange(0.0, MOST_LIFT, 0.2):
        raised = sigmoid(odds + lift)
        if raised.sum() >= PROMISED * surplus:
            break
    same = same.copy()
    same[open_pairs] = raised
    same.T[open_pairs] = raised
    return same

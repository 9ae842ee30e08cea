"""Logistic maps from what a model says to what answers say, learned in two numbers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from likewise.arrays import Floats

TINY = 1e-6
ENOUGH = 0.25  # of what a step promises, it must keep


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

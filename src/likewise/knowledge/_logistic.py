r"""Logistic regression around what was believed before: the likeliest weights.

With rows :math:`x_s` of a design, each the same (:math:`y_s = 1`) or not, or anything
between, and counting :math:`c_s`, the weights w with the least

.. math::
    \sum_s c_s \left( \ln (1 + e^{x_s w}) - y_s x_s w \right)
    + \frac{1}{2} \sum_j \pi_j (w_j - \mu_j)^2,

:math:`\mu` what was believed of them and :math:`\pi` how firmly. There is one such w:
the sum is convex. Newton's steps find it; by themselves they may overshoot, and then
swing ever farther, where many rows are nearly sure. So a step that does not keep
enough of what it promises is halved until it does (Armijo, 1966).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from likewise._arrays import Floats

STEPS = 100
ENOUGH = 0.25  # of what a step promises, it must keep
SAFE = 1e-6  # a step as short as that needs no such promise: rounding would break it
STILL = 1e-9  # a step as short as that is the last one


def logistic_fit(
    rows: Floats,
    same: ArrayLike,
    mean: Floats,
    precision: Floats,
    counts: Floats | float = 1.0,
) -> tuple[Floats, Floats]:
    """Return the likeliest weights, and how firmly they are that.

    Parameters
    ----------
    rows : ndarray of shape (n, n_weights)
    same : array-like of shape (n,)
        1 for the same, 0 for different, or how likely.
    mean, precision : ndarray of shape (n_weights,)
        What was believed of the weights, and how firmly: 1 / variance.
    counts : ndarray of shape (n,) or float
        How many each row counts for.

    Returns
    -------
    weights : ndarray of shape (n_weights,)
    curve : ndarray of shape (n_weights, n_weights)
        The second derivatives there: the inverse of their covariance (Laplace).

    Examples
    --------
    >>> rows = np.array([[1.0, -1.0], [1.0, 1.0]])
    >>> found, _ = logistic_fit(rows, [0, 1], np.zeros(2), np.ones(2))
    >>> found.round(3).tolist()
    [0.0, 0.675]
    """
    target = np.asarray(same, dtype=np.float64)

    def loss(w: Floats) -> float:
        eta = rows @ w
        misfit = (counts * (np.logaddexp(0, eta) - target * eta)).sum()
        return float(misfit + (precision * (w - mean) ** 2).sum() / 2)

    found, least = mean.copy(), loss(mean)
    for _ in range(STEPS):
        chance = np.exp(-np.logaddexp(0, -(rows @ found)))
        weight = counts * chance * (1 - chance)
        curve: Floats = (rows.T * weight) @ rows + np.diag(precision)
        slope = rows.T @ (counts * (target - chance)) - precision * (found - mean)
        step = np.linalg.solve(curve, slope)
        promised = ENOUGH * float(slope @ step)
        while np.abs(step).max() > SAFE and loss(found + step) > least - promised:
            step, promised = step / 2, promised / 2
        found = found + step
        least = loss(found)
        if np.abs(step).max() < STILL:
            break
    return found, curve

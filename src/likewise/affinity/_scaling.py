"""Ways to make features comparable; part of the data, never of an affinity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from likewise._arrays import Floats


def standardised(X: ArrayLike) -> Floats:
    """Return columns with mean 0 and variance 1; a constant column becomes 0."""
    values = np.asarray(X, dtype=np.float64)
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def unit_length(X: ArrayLike) -> Floats:
    """Return rows of length 1."""
    values = np.asarray(X, dtype=np.float64)
    length = np.linalg.norm(values, axis=1, keepdims=True)
    return values / np.where(length > 0, length, 1.0)

"""Ways to make features comparable; part of the data, never of an affinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from likewise._arrays import Floats


def standardised(X: Any) -> Floats:
    """Return columns with mean 0 and variance 1; a constant column becomes 0."""
    X = np.asarray(X, dtype=np.float64)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def unit_length(X: Any) -> Floats:
    """Return rows of length 1."""
    X = np.asarray(X, dtype=np.float64)
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length > 0, length, 1.0)

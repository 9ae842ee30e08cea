"""How far samples are spread, feature by feature."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Floats, Indices, Samples


def centred(X: Samples) -> Samples:
    """Return the samples around zero, where squares lose no digits; sparse as is."""
    return X if sp.issparse(X) else X - X.mean(axis=0)


def within(X: Samples, classes: Indices) -> Floats:
    r"""Return :math:`\sum_i (x_{if} - \bar x_{c_i f})^2` for each feature f.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Around zero, if it is dense.
    classes : ndarray of shape (n,)
        0..k-1, each in use; all 0 for the spread of the whole.

    Returns
    -------
    ndarray of shape (d,)
    """
    member = (classes[:, np.newaxis] == np.arange(classes.max() + 1)).astype(np.float64)
    squares = X.multiply(X) if sp.issparse(X) else X**2
    totals = np.asarray(squares.sum(axis=0)).ravel()
    sums = np.asarray(member.T @ X)
    means = sums / member.sum(axis=0)[:, np.newaxis]
    return np.maximum(totals - (sums * means).sum(axis=0), 0.0)


def mean_square_distance(X: Samples) -> float:
    """Return the mean of ||x_i - x_j||^2 over all i and j; 1 where all are equal."""
    n = X.shape[0]
    everyone = np.zeros(n, dtype=np.intp)
    return 2 * float(within(centred(X), everyone).sum()) / n or 1.0

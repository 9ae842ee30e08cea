"""How well a clustering agrees with the true classes.

All take two labelings of the same samples and do not depend on how clusters are called.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from likewise._arrays import Floats, Indices, described
from likewise.errors import InputError


def jaccard(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return SS / (SS + SD + DS), the Jaccard coefficient of pairs (paper, 5.2).

    SS are the pairs that are together in both, SD and DS those together in one only.
    Without any such pair the labelings agree: 1.

    Examples
    --------
    >>> jaccard([0, 0, 1, 1], [5, 5, 5, 7])
    0.25
    """
    table = contingency(truth, labels)
    both = _pairs(table)
    either = _pairs(table.sum(axis=0)) + _pairs(table.sum(axis=1)) - both
    return both / either if either else 1.0


def homogeneity(truth: ArrayLike, labels: ArrayLike) -> float:
    r"""Return :math:`h = 1 - H(C \mid K) / H(C)`, 1 where H(C) = 0 (Eqs. 13 to 15)."""
    table = contingency(truth, labels)
    whole = _entropy(table.sum(axis=1))
    return 1 - _conditional_entropy(table) / whole if whole else 1.0


def completeness(truth: ArrayLike, labels: ArrayLike) -> float:
    r"""Return :math:`c = 1 - H(K \mid C) / H(K)`, 1 where H(K) = 0 (Eqs. 16 to 18)."""
    return homogeneity(labels, truth)


def v_measure(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return 2 h c / (h + c), the harmonic mean of the two above (Eq. 19, beta = 1).

    Examples
    --------
    >>> v_measure([0, 0, 1, 1], [3, 3, 4, 4])
    1.0

    Notes
    -----
    The sums in Eqs. 14, 17 and 18 run over the wrong letter in print, and the paper
    tests H(C, K) = 0 where H(C) = 0 is meant; both are read as in Rosenberg and
    Hirschberg (EMNLP 2007).
    """
    h, c = homogeneity(truth, labels), completeness(truth, labels)
    return 2 * h * c / (h + c) if h + c else 0.0


def ari(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the adjusted Rand index, from scikit-learn."""
    return float(adjusted_rand_score(*_checked(truth, labels)))


def all_in_one(truth: ArrayLike) -> float:
    """Return the Jaccard coefficient of one big cluster, which the measure rewards."""
    truth = np.asarray(truth)
    return jaccard(truth, np.zeros(len(truth), dtype=int))


# Every score by its name.
METRICS = {"jaccard": jaccard, "v_measure": v_measure, "ari": ari}


def contingency(truth: ArrayLike, labels: ArrayLike) -> Floats:
    """Return how many samples each pair of groups has in common: rows of the truth.

    Rows and columns are in the order of ``numpy.unique``.
    """
    return contingency_matrix(*_checked(truth, labels)).astype(np.float64)


def _checked(truth: ArrayLike, labels: ArrayLike) -> tuple[Indices, Indices]:
    """Return two labelings as numbers 0..k-1."""
    shapes = _shape(truth), _shape(labels)
    if shapes[0] != shapes[1] or len(shapes[0]) != 1 or shapes[0] == (0,):
        raise InputError(
            f"Two labelings of the same samples are needed, but their shapes are "
            f"{shapes[0]} and {shapes[1]}."
        )
    return _numbered(truth), _numbered(labels)


def _shape(labels: ArrayLike) -> tuple[int, ...]:
    try:
        return np.shape(labels)
    except ValueError:  # rows of other lengths
        return ()


def _numbered(labels: ArrayLike) -> Indices:
    if np.ma.is_masked(labels):
        raise InputError("A labeling holds masked values: leave those samples out.")
    try:
        found, codes = np.unique(np.asarray(labels), return_inverse=True)
    except TypeError:
        raise InputError(
            f"Labels must all be numbers or all be words, but they are "
            f"{described(labels)}."
        ) from None
    if found.dtype.kind in "fc" and np.isnan(found).any():
        raise InputError("A labeling holds NaN: leave those samples out.")
    return codes.astype(np.intp)


def _pairs(counts: Floats) -> float:
    return float((counts * (counts - 1)).sum() / 2)


def _entropy(counts: Floats) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _conditional_entropy(table: Floats) -> float:
    columns = [column for column in table.T if column.sum()]
    return float(sum(c.sum() / table.sum() * _entropy(c) for c in columns))

"""Which class a sample is of, by the nearest placed samples in a learned metric."""

from __future__ import annotations

import numpy as np

from likewise.arrays import Floats, Indices, Samples
from likewise.spread import within

PRIOR = 10.0  # placed samples that the unlearned metric counts as
FAINT = 1e-12  # of the largest spread: a feature below it tells nobody apart


def feature_weights(X: Samples, placed: Indices, classes: Indices) -> Floats:
    r"""Return a diagonal metric in which samples of one class are close.

    .. math::
        m_f = \frac{N + \rho}{N s_f / t_f + \rho},

    where :math:`s_f` is the variance of feature f within the classes, :math:`t_f` that
    among all samples and N the number of placed samples less that of classes. A feature
    that varies within classes as it does among all weighs 1.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Around zero, if it is dense.
    placed : ndarray of shape (o,)
        The samples whose class is known.
    classes : ndarray of shape (o,)
        Their classes, 0..k-1, each in use.

    Returns
    -------
    ndarray of shape (d,)
        Positive, at most :math:`1 + N / \rho`.

    Notes
    -----
    It is the minimiser of :math:`N \sum_f (m_f s_f / t_f - \log m_f) + \rho \sum_f (m_f
    - \log m_f)`: short distances within classes against a log-det divergence from the
    identity. The paper learns a full matrix; a diagonal one has this closed form,
    cannot diverge and stays the identity while nothing is known.
    """
    n, freedom = X.shape[0], len(placed) - int(classes.max()) - 1
    among = within(X, np.zeros(n, dtype=np.intp)) / n
    inside = within(X[placed], classes) / max(freedom, 1)
    varies = among > FAINT * among.max()
    ratio = np.divide(inside, among, out=np.ones_like(among), where=varies)
    return (freedom + PRIOR) / (freedom * ratio + PRIOR)


def gaussian_likeness(squared: Floats, width: float) -> Floats:
    """Return exp(-d^2 / width) in units of each row's largest: none of them vanishes.

    Parameters
    ----------
    squared : ndarray of shape (c, o)
        Squared distances from candidates to placed samples.
    width : float
    """
    return np.exp((squared.min(axis=1, keepdims=True) - squared) / width)


def class_probabilities(likeness: Floats, classes: Indices, nearest: int) -> Floats:
    r"""Return the share of each class in the nearest placed samples.

    .. math::
        P(c \mid x) = \sum_{i \in N(x),\, c_i = c} K_{xi} \Big/ \sum_{i \in N(x)} K_{xi}

    Parameters
    ----------
    likeness : ndarray of shape (c, o)
        K, how much each candidate is like each placed sample.
    classes : ndarray of shape (o,)
        0..k-1, each in use.
    nearest : int
        How many of the placed samples count: those that a candidate is most like, N(x).
        All that are as like as the last of them count too.

    Returns
    -------
    ndarray of shape (c, k)
        Rows sum to 1; a sample that is like nobody may be anywhere.
    """
    k, others = int(classes.max()) + 1, max(len(classes) - nearest, 0)
    last = np.partition(likeness, others, axis=1)[:, [others]]
    counted = np.where(likeness >= last, likeness, 0.0)
    mass = counted @ (classes[:, np.newaxis] == np.arange(k)).astype(np.float64)
    total = mass.sum(axis=1, keepdims=True)
    return np.divide(mass, total, out=np.full_like(mass, 1 / k), where=total > 0)

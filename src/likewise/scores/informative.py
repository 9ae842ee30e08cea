"""How little a sample's label could surprise in the worst case (QUIRE)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from likewise.arrays import Floats


def worst_case_losses(
    labelled: Floats, across: Floats, own: Floats, y: Floats, ridge: float
) -> Floats:
    r"""Return the loss that is left when each candidate is labelled in the worst way.

    For kernel K, :math:`L = (K + \lambda I)^{-1}` and labels y of which those of the
    labelled samples are known, the loss of labelling sample s is

    .. math::
        \max_{y_s = \pm 1} \min_{y_u} y^T L y
        = y_l^T A y_l + \frac{(1 + |k_s^T A y_l|)^2}
                             {k_{ss} + \lambda - k_s^T A k_s},
        \qquad A = (K_{ll} + \lambda I)^{-1}.

    It is small for a sample that is informative (the labelled ones do not say what it
    is: :math:`|k_s^T A y_l|` is small) and representative (they leave much of its
    variance open: what is below the line is large).

    Parameters
    ----------
    labelled : ndarray of shape (l, l)
        K among the labelled samples.
    across : ndarray of shape (c, l)
        K between candidates and labelled samples.
    own : ndarray of shape (c,)
        K of each candidate with itself.
    y : ndarray of shape (l,)
        1 or -1.
    ridge : float
        :math:`\lambda`, positive.

    Returns
    -------
    ndarray of shape (c,)
        Positive; the smallest is the best to ask about.

    Notes
    -----
    The paper writes the loss with the (n, n) matrix L and updates its blocks. To
    minimise over the labels that stay unknown is to take the inverse of L restricted to
    the others, :math:`((L^{-1})_{ls,ls})^{-1} = (K_{ls,ls} + \lambda I)^{-1}`, and its
    last row and column give the two terms above: only systems of the size of what is
    labelled, and equal to the paper's y'Ly with no constant between them. As in the
    paper the unknown labels may be any real numbers, and so the samples that stay
    unlabelled drop out: they do not say which sample is representative.

    References
    ----------
    S.-J. Huang, R. Jin, Z.-H. Zhou. Active learning by querying informative and
    representative examples. NIPS 2010.
    """
    regular = labelled + ridge * np.eye(len(labelled))
    solved = cho_solve(cho_factor(regular), np.column_stack([y, across.T]))
    said, explained = across @ solved[:, 0], (across.T * solved[:, 1:]).sum(axis=0)
    left = np.maximum(own + ridge - explained, ridge)
    return float(y @ solved[:, 0]) + (1 + np.abs(said)) ** 2 / left

"""How little a sample's label could surprise in the worst case (QUIRE)."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics.pairwise import rbf_kernel

from likewise._arrays import Floats, Indices, Weights, dense
from likewise.knowledge import Knowledge
from likewise.methods._base import Method
from likewise.methods._problem import Problem
from likewise.methods._rivals._spread import centred, mean_square_distance
from likewise.methods.clustering import (
    SpectralModel,
    begin_spectral,
    learn_spectral,
    settled,
)
from likewise.methods.constrained import Recipe
from likewise.methods.sampling import propose_by_sample


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


RIDGE = 1.0  # lambda of the paper, at its default


def informative_and_representative(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
) -> Floats:
    """Return 1 / loss for the samples in `free`: positive, the largest is the best.

    The first certain set is labelled 1, the others -1.
    """
    sets = list(map(known.constraints.samples, known.certain))
    placed = np.array([s for members in sets for s in members], dtype=np.intp)
    y = np.repeat(np.where(np.arange(len(sets)) == 0, 1.0, -1.0), list(map(len, sets)))
    K = kernel_columns(model.problem, placed)
    own = np.ones(len(free))
    return 1 / worst_case_losses(K[placed], K[free], own, y, RIDGE)


def kernel_columns(problem: Problem, columns: Indices) -> Floats:
    r"""Return some columns of a kernel that is positive semi-definite, diagonal 1.

    Parameters
    ----------
    problem : Problem
    columns : ndarray of shape (l,)

    Returns
    -------
    ndarray of shape (n, l)

    Notes
    -----
    Of features, :math:`\exp(-\|x_i - x_j\|^2 / s)` with s the mean of the squared
    distance over all pairs: the mean needs no list of pairs, the median would. Of
    similarities alone, :math:`I + D^{-1/2} W D^{-1/2}`, whose eigenvalues are between
    0 and 2 whatever W is.
    """
    X = problem.features
    if X is None:
        return _shifted_columns(problem.weights, columns)
    X = centred(X)
    return rbf_kernel(X, X[columns], gamma=1 / mean_square_distance(X))


def _shifted_columns(W: Weights, columns: Indices) -> Floats:
    degrees = np.asarray(W.sum(axis=1)).ravel()
    scale = np.zeros_like(degrees)
    np.divide(1.0, np.sqrt(degrees), out=scale, where=degrees > 0)
    shifted = scale[:, np.newaxis] * dense(W[:, columns]) * scale[columns]
    shifted[columns, np.arange(len(columns))] += 1.0
    return shifted


QUIRE = Method(
    "quire",
    "QUIRE: asks about the sample that is informative and representative at once.",
    partial(begin_spectral, Recipe(), settled),
    partial(learn_spectral, settled),
    partial(propose_by_sample, informative_and_representative),
    most_clusters=2,
)

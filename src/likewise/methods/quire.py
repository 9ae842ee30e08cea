"""QUIRE: ask about the sample that is informative and representative (two classes)."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from likewise.arrays import Floats, Indices, Weights, dense
from likewise.knowledge import Knowledge
from likewise.methods.base import Method
from likewise.methods.clustering import (
    SpectralModel,
    begin_spectral,
    learn_spectral,
    settled,
)
from likewise.methods.constrained import Recipe
from likewise.methods.sampling import propose_by_sample
from likewise.problem import Problem
from likewise.scores.informative import worst_case_losses
from likewise.spread import centred, mean_square_distance

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

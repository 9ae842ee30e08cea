"""Which class a sample is of, by the nearest placed samples in a learned metric."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances

from likewise._arrays import Floats, Indices, Samples, dense
from likewise.knowledge import Knowledge
from likewise.methods._base import Method
from likewise.methods._problem import Problem
from likewise.methods._rivals._spread import centred, mean_square_distance, within
from likewise.methods._scores import entropy
from likewise.methods.clustering import (
    SpectralModel,
    begin_spectral,
    learn_spectral,
    settled,
)
from likewise.methods.constrained import Recipe
from likewise.methods.sampling import propose_by_sample

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


N_NEAREST = 10  # placed samples that say which class a sample is of
WIDTH = 0.1  # of the mean squared distance: how far a placed sample is heard


def disagreement(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
) -> Floats:
    """Return the entropy of P(c | x) for the samples in `free`; the sets are classes.

    Notes
    -----
    The paper of URASC calls the method minmax-based; the criterion taken here is the
    entropy of the class probabilities. While only one set is known every entropy is 0,
    and chance chooses.

    References
    ----------
    P. Jain, A. Kapoor. Active learning for large multi-class problems. CVPR 2009.
    """
    sets = list(map(known.constraints.samples, known.certain))
    placed = np.array([s for members in sets for s in members], dtype=np.intp)
    classes = np.repeat(np.arange(len(sets)), list(map(len, sets)))
    likeness = _likeness(model.problem, free, placed, classes)
    return entropy(class_probabilities(likeness, classes, N_NEAREST))


def _likeness(
    problem: Problem, free: Indices, placed: Indices, classes: Indices
) -> Floats:
    """Return a Gaussian in the learned metric; without features, the similarities."""
    if problem.features is None:
        return dense(problem.weights[free][:, placed])
    X = centred(problem.features)
    learned = _stretched(X, np.sqrt(feature_weights(X, placed, classes)))
    squared = euclidean_distances(learned[free], learned[placed], squared=True)
    return gaussian_likeness(squared, WIDTH * mean_square_distance(learned))


def _stretched(X: Samples, by: Floats) -> Samples:
    return X @ sp.diags_array(by).tocsr() if sp.issparse(X) else X * by


PKNN = Method(
    "pknn+al",
    "pKNN+AL: asks about the sample whose nearest placed samples disagree most.",
    partial(begin_spectral, Recipe(), settled),
    partial(learn_spectral, settled),
    partial(propose_by_sample, disagreement),
)

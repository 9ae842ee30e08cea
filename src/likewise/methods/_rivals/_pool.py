"""pKNN+AL and QUIRE: which sample of a pool to ask about, by those already placed.

Both come from active learning, where the classes of samples are asked for; here the
certain sets are the classes.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from likewise._arrays import Floats, Indices, Samples, Weights, dense
from likewise._ties import EXACT
from likewise.knowledge import Knowledge
from likewise.methods._problem import Problem
from likewise.methods._scores import entropy
from likewise.methods.clustering import SpectralModel, spectral_method
from likewise.methods.sampling import propose_by_sample

PRIOR = 10.0  # placed samples that the unlearned metric counts as
FAINT = 1e-12  # of the largest spread: a feature below it tells nobody apart
N_NEAREST = 10  # placed samples that say which class a sample is of
WIDTH = 0.1  # of the mean squared distance: how far a placed sample is heard
RIDGE = 1.0  # QUIRE's lambda, at its default


def placed_samples(known: Knowledge) -> tuple[Indices, Indices]:
    """Return the samples of the certain sets, and which set each is of."""
    sets = list(map(known.constraints.samples, known.certain))
    placed = np.array([s for members in sets for s in members], dtype=np.intp)
    return placed, np.repeat(np.arange(len(sets)), list(map(len, sets)))


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
    counted = np.where(likeness >= last * (1 - EXACT), likeness, 0.0)
    mass = counted @ (classes[:, np.newaxis] == np.arange(k)).astype(np.float64)
    total = mass.sum(axis=1, keepdims=True)
    return np.divide(mass, total, out=np.full_like(mass, 1 / k), where=total > 0)


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
    placed, classes = placed_samples(known)
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


PKNN = spectral_method(
    "pknn+al",
    "pKNN+AL: asks about the sample whose nearest placed samples disagree most.",
    partial(propose_by_sample, disagreement),
)


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


def informative_and_representative(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
) -> Floats:
    """Return 1 / loss for the samples in `free`: positive, the largest is the best.

    The first certain set is labelled 1, the others -1.
    """
    placed, classes = placed_samples(known)
    y = np.where(classes == 0, 1.0, -1.0)
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


QUIRE = spectral_method(
    "quire",
    "QUIRE: asks about the sample that is informative and representative at once.",
    partial(propose_by_sample, informative_and_representative),
    most_clusters=2,
)

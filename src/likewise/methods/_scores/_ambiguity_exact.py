"""How unsure the present clustering is of each sample, exactly (paper, 4.2)."""

from __future__ import annotations

import warnings

import numpy as np

from likewise._arrays import Floats, Indices, Sparse

RIDGE = 1e-4  # added to every variance, so that none is zero


def neighbour_probabilities(neighbours: Sparse, labels: Indices, k: int) -> Floats:
    r"""Return :math:`P(c \mid x_j) = \sum_{x_l \in c} w_{jl} / \sum_l w_{jl}` (Eq. 9).

    Parameters
    ----------
    neighbours : csr_array of shape (n, n)
        Weights to the nearest neighbours, as they were before any answer.
    labels : ndarray of shape (n,)
    k : int
        Number of clusters.

    Returns
    -------
    ndarray of shape (n, k)
        Rows sum to 1; a sample with no neighbour may be anywhere.
    """
    membership = np.zeros((len(labels), k))
    membership[np.arange(len(labels)), labels] = 1.0
    mass: Floats = neighbours @ membership
    total = mass.sum(axis=1, keepdims=True)
    return np.divide(mass, total, out=np.full_like(mass, 1 / k), where=total > 0)


def own_shares(neighbours: Sparse, labels: Indices) -> Floats:
    """Return P(c | x) of each sample's own cluster alone (Eq. 9), of shape (n,).

    Parameters are those of :func:`neighbour_probabilities`.
    """
    n, k = len(labels), int(labels.max(initial=0)) + 1
    rows = np.repeat(np.arange(n), np.diff(neighbours.indptr))
    is_own = labels[rows] == labels[neighbours.indices]
    own = np.bincount(rows, neighbours.data * is_own, n)
    total = np.bincount(rows, neighbours.data, n)
    return np.divide(own, total, out=np.full(n, 1 / k), where=total > 0)


def mixture_probabilities(coordinates: Floats, labels: Indices, k: int) -> Floats:
    r"""Return P(c | x) under a Gaussian mixture in the eigenspace (Eqs. 10 and 11).

    .. math::
        P(c \mid x_j) = \frac{\alpha_c f(x_j; \theta_c)}
                             {\sum_{c'} \alpha_{c'} f(x_j; \theta_{c'})}

    Parameters
    ----------
    coordinates : ndarray of shape (n, d)
        The samples in the eigenspace.
    labels : ndarray of shape (n,)
        The clusters, where the mixture starts from.
    k : int

    Returns
    -------
    ndarray of shape (n, k)

    Notes
    -----
    The denominator of Eq. 11 is printed with the indices of the numerator; it is read
    as the sum over the clusters. A full covariance needs more members than dimensions
    in every cluster; otherwise variances are taken for each axis alone.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    present, compact = np.unique(labels, return_inverse=True)
    sizes = np.bincount(compact)
    kind = "full" if sizes.min() > coordinates.shape[1] else "diag"
    clusters = [coordinates[compact == c] for c in range(len(sizes))]
    mixture = GaussianMixture(
        len(sizes),
        covariance_type=kind,
        reg_covar=RIDGE,
        weights_init=sizes / len(labels),
        means_init=np.array([cluster.mean(axis=0) for cluster in clusters]),
        precisions_init=np.array([_precision(cluster, kind) for cluster in clusters]),
        init_params="random_from_data",
        random_state=0,
        max_iter=50,
    )
    with warnings.catch_warnings():
        # A mixture that still moves after 50 steps is as good a guess as any.
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(coordinates)
    probabilities = np.zeros((len(labels), k))
    probabilities[:, present] = mixture.predict_proba(coordinates)
    return probabilities


def _precision(cluster: Floats, kind: str) -> Floats:
    if kind == "diag":
        return 1 / (cluster.var(axis=0) + RIDGE)
    ridge = RIDGE * np.eye(cluster.shape[1])
    precision = np.linalg.inv(np.atleast_2d(np.cov(cluster.T)) + ridge)
    return (precision + precision.T) / 2


def entropy(probabilities: Floats) -> Floats:
    r"""Return :math:`H(x) = -\sum_c P(c \mid x) \log P(c \mid x)` (Eq. 12)."""
    positive = probabilities > 0
    logs = np.log(probabilities, out=np.zeros_like(probabilities), where=positive)
    return -(probabilities * logs).sum(axis=1)

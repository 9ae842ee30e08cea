r"""Other clusterings to start from than the first one of the graph.

Where there is one that is found again, a mixture of Gaussians: a graph knows what is
near what, and little of density and shape: it halves a large class and joins small ones
to it. A mixture of Gaussians, each with a covariance of its own, tells classes of
unequal size, spread and direction apart; but it may as well fit a long tail. So it
counts only if it comes out of another beginning too, and of features that are replaced
by their normal scores.

Where answers ask for it, more groups: how many groups people mean is not to be seen in
the data. If what they say is much likelier with the clusters of more groups, those are
taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, solve_triangular
from scipy.special import betaln

from likewise._arrays import Floats, Indices, Samples
from likewise._ties import best_columns, first_least
from likewise.knowledge import Answer, Verdict, in_use
from likewise.methods._likewise._bases import with_scores

MOST_DIRECTIONS = 15  # main directions of the features that are looked at
FEWEST = 20  # samples a cluster: fewer do not tell a covariance
RIDGE = 1e-2  # added to variances, in units of their mean
SOFT = 1e-3  # of a sample, shared out among all clusters at the beginning
MOST_ROUNDS = 100
SETTLED = 1e-4  # gain of log likelihood, a sample, at which it ends
AGAIN = 0.7  # adjusted Rand index with what another beginning leads to
ROBUST = 0.5  # the same with what normal scores lead to
HELD = 10  # samples a cluster, see Mixture
SAME = 0.8  # the same with the clusters that are there, which are kept then
DIGITS = 9
INSIDE, OUTSIDE = (8.0, 2.0), (1.0, 9.0)  # pairs in a cluster and not: same, different
CLEARLY = 6.5  # log of how much likelier answers must be with more groups
FIRST = 10  # answers after which that is looked at; then twice as many, and so on

# Pairs of samples, and whether they are of the same group; each of shape (t,).
Told = tuple[Indices, Indices, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Mixture:
    """A clustering that a graph does not show.

    Attributes
    ----------
    labels : ndarray of shape (n,)
    medoids : ndarray of shape (k,)
        The sample nearest to the middle of each cluster.
    n_held : int
        Samples to be asked about before what lies nearby on the graph, which does not
        show these clusters, may begin to move others out of them: ten a cluster if it
        shows nothing of them, none if it shows all.
    """

    labels: Indices
    medoids: Indices
    n_held: int


def mixture_of(X: Samples, labels: Indices, seed: int) -> Mixture | None:
    """Return a mixture that is other than the clusters and found again, or None.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    labels : ndarray of shape (n,)
        Clusters to begin with, 0..k-1.
    seed : int
        Of the other beginning, which is k-means.
    """
    from sklearn.metrics import adjusted_rand_score

    n, k = X.shape[0], int(labels.max()) + 1
    if k == 1 or n < FEWEST * k:
        return None
    X = np.asarray(X, dtype=np.float64)
    directions = main_directions(X)
    found = mixture_clusters(directions, labels)
    alike = adjusted_rand_score(labels, found)
    if alike >= SAME or not _is_found_again(X, directions, found, labels, seed):
        return None
    n_held = round(HELD * (1 - max(alike, 0.0)) * k)
    return Mixture(found, _medoids(directions, found), n_held)


def _is_found_again(
    X: Floats, directions: Floats, found: Indices, labels: Indices, seed: int
) -> bool:
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    k, places = int(labels.max()) + 1, directions.round(DIGITS)
    if len(np.unique(places, axis=0)) < k:
        return False
    other = KMeans(k, n_init=3, random_state=seed).fit_predict(places)
    again = mixture_clusters(directions, in_use(other))
    if adjusted_rand_score(found, again) < AGAIN:
        return False
    scores = main_directions(with_scores(X)[:, X.shape[1] :])
    return adjusted_rand_score(found, mixture_clusters(scores, labels)) >= ROBUST


def _medoids(X: Floats, labels: Indices) -> Indices:
    """Return the sample nearest to the middle of each cluster."""
    nearest = []
    for cluster in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == cluster)
        apart = ((X[members] - X[members].mean(axis=0)) ** 2).sum(axis=1)
        nearest.append(members[first_least(apart)])
    return np.array(nearest, dtype=np.intp)


def main_directions(X: Floats) -> Floats:
    """Return coordinates along the main directions, of spread 1, of shape (n, r).

    At most 15 of them, and one at least.
    """
    X = X - X.mean(axis=0)
    X = X / (np.abs(X).max() or 1.0)
    n, d = X.shape
    r = min(MOST_DIRECTIONS, n, d)
    product = X.T @ X if d <= n else X @ X.T
    last = len(product) - 1
    _, vectors = eigh(product, subset_by_index=(last - r + 1, last))
    found = X @ (vectors if d <= n else X.T @ vectors)
    return np.asarray(found / (found.std() or 1.0), dtype=np.float64)


def mixture_clusters(X: Floats, labels: Indices) -> Indices:
    r"""Return the likeliest component of each sample, 0..k-1, empty ones left out.

    Expectation and maximisation from clusters: weights, means and full covariances

    .. math:: \Sigma_c = \frac1{N_c} \sum_i r_{ic} (x_i - \mu_c)(x_i - \mu_c)^T + \rho I

    until the likelihood hardly rises.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> mixture_clusters(X, np.array([0, 0, 0, 0, 1, 1])).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    k, before = int(labels.max()) + 1, -np.inf
    ridge = RIDGE * (float(X.var(axis=0).mean()) or 1.0) * np.eye(X.shape[1])
    shares = (1 - SOFT) * np.eye(k)[labels] + SOFT / k
    for _ in range(MOST_ROUNDS):
        logs = np.column_stack([_log_density(X, shares[:, c], ridge) for c in range(k)])
        top = logs.max(axis=1, keepdims=True)
        total = top + np.log(np.exp(logs - top).sum(axis=1, keepdims=True))
        shares, now = np.exp(logs - total), float(total.mean())
        if now - before < SETTLED:
            break
        before = now
    return in_use(best_columns(shares))


def _log_density(X: Floats, shares: Floats, ridge: Floats) -> Floats:
    """Return the log of a component's weight times its density at each sample."""
    weight = float(shares.sum()) + 1e-9
    apart = X - shares @ X / weight
    factor = np.linalg.cholesky((apart.T * shares) @ apart / weight + ridge)
    scaled = solve_triangular(factor, apart.T, lower=True, check_finite=False)
    spread = float(np.log(np.diag(factor)).sum())
    return np.log(weight / len(X)) - spread - (scaled**2).sum(axis=0) / 2


# As many groups as the answers ask for


def support(labels: Indices, told: Told) -> float:
    r"""Return the log probability of answers, were a clustering nearly right.

    Pairs inside of a cluster are then of one group with a probability that is drawn
    from a beta distribution with mean 0.8, other pairs with mean 0.1: with s "same" and
    d "different" among them, :math:`B(a + s, b + d) / B(a, b)`.

    Parameters
    ----------
    labels : ndarray of shape (n,)
    told : tuple of ndarray of shape (t,)
        The pairs, and whether they are of the same group.

    Examples
    --------
    >>> told = np.array([0, 0]), np.array([1, 2]), np.array([True, False])
    >>> round(support(np.array([0, 0, 1]), told), 2)
    -0.33
    """
    first, second, same = told
    is_inside = labels[first] == labels[second]
    return _log_chance(same[is_inside], INSIDE) + _log_chance(same[~is_inside], OUTSIDE)


def best_support(told: Told) -> float:
    """Return the most that any clustering could have of it."""
    same = told[2]
    return _log_chance(same[same], INSIDE) + _log_chance(same[~same], OUTSIDE)


def told_by(answers: Iterable[Answer]) -> Told:
    """Return the pairs that answers are about, and whether they are the same."""
    pairs = [
        (*answer.question.pair, answer.verdict is Verdict.SAME)
        for answer in answers
        if answer.verdict is not Verdict.UNSURE
    ]
    found = np.array(pairs, dtype=np.intp).reshape(-1, 3)
    return found[:, 0], found[:, 1], found[:, 2].astype(bool)


def _log_chance(same: NDArray[np.bool_], prior: tuple[float, float]) -> float:
    n_same = int(same.sum())
    after = betaln(prior[0] + n_same, prior[1] + len(same) - n_same)
    return float(after - betaln(*prior))


def is_time(n_answers: int) -> bool:
    """Tell whether it is looked at now: after 10, 20, 40, 80, ... answers.

    Examples
    --------
    >>> [n for n in range(100) if is_time(n)]
    [10, 20, 40, 80]
    """
    n_times, rest = divmod(n_answers, FIRST)
    return n_times > 0 and not rest and not n_times & (n_times - 1)


def more_groups(
    labels: Indices, told: Told, clusters_of: Callable[[int], Indices], most: int
) -> int | None:
    """Return how many groups answers ask for, if many more than there are clusters.

    Twice as many, four times as many, and so on; None where none of these is clearly
    better.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        The clusters that there are.
    told : tuple of ndarray of shape (t,)
    clusters_of : callable
        From a number of groups to their clusters.
    most : int
        Groups at most.
    """
    bar, best = support(labels, told) + CLEARLY, None
    if best_support(told) <= bar:
        return None
    groups = 2 * (int(labels.max()) + 1)
    while groups <= most:
        found = support(clusters_of(groups), told)
        if found > bar:
            bar, best = found, groups
        groups *= 2
    return best

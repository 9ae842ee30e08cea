"""Flexible constrained spectral clustering: cheap cuts that agree with the answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, eigvalsh, qr

from likewise.arrays import Floats, Weights
from likewise.constraints import Constraints
from likewise.operators import ConstrainedWeights, known_blocks, signed_normalised
from likewise.spectral import lowest

ALL_UP_TO = 1000  # samples up to which a cut may be any vector
N_SMOOTH = 50  # lowest eigenvectors of which a cut is made where there are more
FREE = 1e-6  # an eigenvalue below this one is the cost of cutting nothing
FLOOR = 1e-6  # added to every cost: cutting nothing must not cost nothing


@dataclass(frozen=True, slots=True)
class Basis:
    """Ways to cut a graph in two, by what they cost; answers do not change it.

    Attributes
    ----------
    costs : ndarray of shape (p,)
        Eigenvalues of L = I - D^-1/2 W D^-1/2, ascending.
    cuts : ndarray of shape (n, p)
        Their eigenvectors, orthogonal to the trivial one.
    trivial : ndarray of shape (n,)
        D^1/2 1, of length 1: the eigenvector that cuts nothing.
    scale : ndarray of shape (n,)
        The diagonal of D^-1/2; 0 for a sample without neighbours.
    """

    costs: Floats
    cuts: Floats
    trivial: Floats
    scale: Floats


def basis_of(W: Weights) -> Basis:
    """Return the cuts of a graph, all of them or the cheapest ones.

    Parameters
    ----------
    W : ndarray or csr_array of shape (n, n)
        Symmetric, not negative, zero diagonal.

    Notes
    -----
    Up to 1000 samples a cut may be any vector, as in the paper; above, where that would
    take O(n^3), it is made of the 50 lowest eigenvectors. That is smoother around the
    known samples and does not do worse.
    """
    n = W.shape[0]
    untouched = ConstrainedWeights(W, known_blocks(Constraints(), ()))
    found = lowest(signed_normalised(untouched), n if n <= ALL_UP_TO else N_SMOOTH)
    roots = np.sqrt(untouched.absolute_degrees())
    trivial = roots / (np.linalg.norm(roots) or 1.0)
    free = found.values < FREE
    costs, cuts = found.values[~free], found.vectors[:, ~free]
    if free.any():  # a graph in pieces has other vectors that cost nothing: keep them
        along = found.vectors[:, free].T @ trivial
        turn, _ = qr(along[:, np.newaxis])
        cuts = np.hstack([found.vectors[:, free] @ turn[:, 1:], cuts])
        costs = np.concatenate([np.zeros(free.sum() - 1), costs])
    return Basis(costs, cuts, trivial, found.scale)


def indicator(basis: Basis, sides: Floats) -> Floats:
    r"""Return on which side of the cut each sample is, and how far from it.

    The relaxed indicator :math:`u = D^{-1/2} v` of the cheapest cut that agrees with
    the known pairs,

    .. math::
        \min_v v^T L v \quad \text{subject to} \quad v^T \bar Q v \ge \beta v^T v,
        \qquad L v = \lambda (\bar Q - \beta I) v,

    where :math:`\bar Q = D^{-1/2} Q D^{-1/2}` and Q is 1 for a must-linked pair, -1 for
    a cannot-linked one. Every eigenvector with :math:`\lambda > 0` agrees well enough;
    the one with the smallest :math:`v^T L v / v^T v` is taken.

    Parameters
    ----------
    basis : Basis
    sides : ndarray of shape (n, m)
        A column for each set of samples whose relations are all known: 1 on the one
        side, -1 on the other, 0 elsewhere. Then :math:`Q = \sum_c s_c s_c^T`, a known
        sample being must-linked to itself.

    Returns
    -------
    ndarray of shape (n,)
        Of mean square 1, up to its sign; 0 for a sample without neighbours. Without
        known pairs the second eigenvector of L.

    Notes
    -----
    The paper leaves :math:`\beta` to the user. Here it is half way between what the
    trivial vector reaches and the most that any vector can reach: half the largest
    eigenvalue of :math:`\bar Q` while the known pairs are balanced. So the trivial
    vector never agrees well enough, and some other always does.

    With M the matrix on the right and L diagonal in its eigenvectors, the trivial one
    is eliminated (:math:`v_0^T M v = 0`), and what remains,
    :math:`L^{-1/2} M' L^{-1/2} z = \lambda^{-1} z`, is symmetric; :math:`10^{-6} I` is
    added to L for graphs in pieces.

    References
    ----------
    X. Wang, I. Davidson. Flexible constrained spectral clustering. KDD 2010.
    """
    scaled = basis.scale[:, np.newaxis] * sides
    inside, trivially = basis.cuts.T @ scaled, basis.trivial @ scaled
    reached = float(trivially @ trivially)
    most = _largest(inside.T @ inside + np.outer(trivially, trivially))
    if most - reached <= FREE * most:
        return _unit(basis.scale * basis.cuts[:, 0])
    beta = (most + reached) / 2
    return _unit(basis.scale * _cheapest(basis, inside, trivially, beta))


def _largest(square: Floats) -> float:
    if not square.size:
        return 0.0
    top = len(square) - 1
    return float(eigvalsh(square, subset_by_index=[top, top])[0])


def _cheapest(basis: Basis, inside: Floats, trivially: Floats, beta: float) -> Floats:
    """Return v: the cheapest eigenvector that agrees better than beta."""
    corner = trivially @ trivially - beta  # v0' M v0, negative
    edge = inside @ trivially  # M v0
    M = inside @ inside.T - np.outer(edge, edge) / corner
    M[np.diag_indices_from(M)] -= beta
    root = 1 / np.sqrt(basis.costs + FLOOR)
    standard = root[:, np.newaxis] * M * root
    _, z = eigh(standard, subset_by_value=(0.0, np.inf))
    part = root[:, np.newaxis] * z
    rest = -(edge @ part) / corner
    costs = (basis.costs @ part**2) / ((part**2).sum(axis=0) + rest**2)
    best = int(np.argmin(costs))
    return basis.cuts @ part[:, best] + rest[best] * basis.trivial


def _unit(u: Floats) -> Floats:
    length = float(np.sqrt((u**2).mean()))
    return u / length if length > 0 else u

"""How fast the eigenvectors move when a sample becomes certain (paper, 4.1).

The formulas are those of ``_gradient.py``; here they are one matrix
product over all samples, or over those that matter, in float32.
"""

from __future__ import annotations

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.spectral import Pairs

MIN_GAP = 1e-5  # closer eigenvalues are not told apart at the usual tolerance


def exact_gradient_of_pairs(
    pairs: Pairs,
    n_clusters: int,
    anchors: Indices,
    samples: Indices | None = None,
    *,
    n_pairs: int | None = None,
) -> Floats:
    """Return the speed of the eigenvectors of the signed normalised Laplacian.

    Parameters
    ----------
    pairs : Pairs
        At least `n_clusters`.
    n_clusters : int
        n_c of the paper: eigenvectors whose movement counts.
    anchors : ndarray of shape (m,)
        One sample of each certain set.
    samples : ndarray of shape (s,), optional
        Those to score; all of them unless given. Samples of entropy 0 need no score.
    n_pairs : int, optional
        How many pairs enter the inner sum: those that are wanted unless given, since
        those that guard them may be far from eigenpairs.

    Returns
    -------
    ndarray of shape (s,)
        One number a sample, never negative.
    """
    values = pairs.values[: n_pairs or pairs.wanted]
    coupling = 1 - (values[:, np.newaxis] + values) / 2
    return _speed(pairs, pairs.operator.scale, coupling, n_clusters, anchors, samples)


def paper_gradient_of_pairs(
    pairs: Pairs,
    n_clusters: int,
    anchors: Indices,
    samples: Indices | None = None,
    *,
    n_pairs: int | None = None,
) -> Floats:
    """Return Eq. 7 as it is written, with the eigenvectors as they are.

    Parameters and result are those of :func:`exact_gradient`.
    """
    coupling = np.ones((len(pairs.values[: n_pairs or pairs.wanted]),) * 2)
    scale = np.ones(pairs.operator.n_samples)
    return _speed(pairs, scale, coupling, n_clusters, anchors, samples)


def _speed(
    pairs: Pairs,
    scale: Floats,
    coupling: Floats,
    n_clusters: int,
    anchors: Indices,
    samples: Indices | None,
) -> Floats:
    graph, p = pairs.operator.graph, len(coupling)
    basis, values = pairs.ritz.basis[:, :p], pairs.values[:p]
    backend, k = graph.backend, min(n_clusters, p)
    at = graph.place[np.asarray(anchors, dtype=np.intp)]
    known = backend.host(basis[graph.rows(anchors)]) * scale[at, np.newaxis]
    unit = float(np.abs(known).max(initial=0.0)) or 1.0  # keeps float32 in its range
    across, constant = _polynomial(values, known / unit, coupling, k)
    factors, constants = backend.array(across), backend.array(constant)
    scales = backend.array(scale[:, np.newaxis] / unit)
    rows = graph.rows(np.arange(graph.n_samples) if samples is None else samples)
    speeds = backend.zeros(len(rows))
    for part in backend.chunks(len(rows)):
        u = basis[rows[part]] * scales[rows[part]]
        terms = backend.beside([u * u, u]) @ factors + constants
        mine = u[:, :k]
        squared = (terms[:, :k] * mine + terms[:, k : 2 * k]) * mine + terms[:, 2 * k :]
        speeds[part] = (squared.clip(0) ** 0.5).sum(1)
    return backend.host(speeds) * unit**2


def _polynomial(
    values: Floats, known: Floats, h: Floats, k: int
) -> tuple[Floats, Floats]:
    r"""Return what turns (u_p^2, u_p) into the polynomials in u_i whose roots add up.

    With S and G the sums over the m anchors of u_p and of u_i u_p, the square of the
    movement of eigenvector i is, for each sample, the sum over p of

    .. math::
        \bigl(u_i (m h_{ip} u_p - S_p) + (h_{ip} G_{ip} - S_i u_p)\bigr)^2
            / (\lambda_i - \lambda_p)^2,

    a polynomial in u_i whose coefficients are linear in u_p^2 and u_p.

    Returns
    -------
    ndarray of shape (2 p, 3 k)
        For u_i^2, for u_i, and for neither.
    ndarray of shape (3 k,)
        What does not depend on u_p.
    """
    m, h = len(known), h[:k]
    S, G = known.sum(axis=0), (known.T @ known)[:k]
    Si, hG = S[:k, np.newaxis], h * G
    gap = values[:k, np.newaxis] - values
    usable = np.abs(gap) > MIN_GAP  # False for p = i
    weight = np.divide(1.0, gap**2, out=np.zeros_like(gap), where=usable)
    of_squares = [m**2 * h**2, -2 * m * Si * h, Si**2]
    of_plain = [-2 * m * h * S, 2 * (m * h * hG + Si * S), -2 * Si * hG]
    of_nothing = [S**2, -2 * hG * S, hG**2]
    squares, plain = (
        np.vstack([weight * term for term in terms]).T
        for terms in (of_squares, of_plain)
    )
    constant = np.concatenate([(weight * term).sum(axis=1) for term in of_nothing])
    return np.vstack([squares, plain]), constant

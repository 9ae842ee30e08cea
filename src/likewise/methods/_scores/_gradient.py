"""How fast the eigenvectors move when a sample becomes certain (paper, 4.1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.spectral import Array, Eigenpairs

MIN_GAP = 1e-6  # closer eigenvalues have no direction of their own


def exact_gradient(
    pairs: Eigenpairs,
    n_clusters: int,
    anchors: Indices,
    samples: Indices | None = None,
    *,
    n_pairs: int | None = None,
) -> AnyFloats:
    r"""Return the speed of the eigenvectors of the Laplacian that is in use.

    For :math:`L = D - W` this is Eq. 7 of the paper. For the signed normalised
    Laplacian :math:`L = I - D^{-1/2} W D^{-1/2}`, with :math:`u = D^{-1/2} v`,

    .. math::
        v_i^T \frac{\partial L}{\partial w_{jk}} v_p =
            -(u_{ij} u_{pk} + u_{ik} u_{pj})
            + \Bigl(1 - \frac{\lambda_i + \lambda_p}{2}\Bigr)
              (u_{ij} u_{pj} + u_{ik} u_{pk}).

    Parameters
    ----------
    pairs : Eigenpairs
        At least `n_clusters`; the others enter the inner sum only.
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
    return _here(exact_speed, pairs, n_clusters, anchors, samples, n_pairs)


def exact_speed(
    pairs: Eigenpairs, n_clusters: int, anchors: Indices, at: Array, n_pairs: int | None
) -> Array:
    """Return the same where the eigenvectors are, of samples that stand there."""
    if not pairs.is_normalised:
        return paper_speed(pairs, n_clusters, anchors, at, n_pairs)
    values = pairs.values[: n_pairs or pairs.wanted]
    coupling = 1 - (values[:, np.newaxis] + values) / 2
    scales = pairs.scale_at(at), pairs.scale_at(pairs.places(anchors))
    return _speed(pairs, scales, coupling, n_clusters, anchors, at)


def paper_gradient(
    pairs: Eigenpairs,
    n_clusters: int,
    anchors: Indices,
    samples: Indices | None = None,
    *,
    n_pairs: int | None = None,
) -> AnyFloats:
    r"""Return Eq. 7 as it is written, whichever Laplacian the eigenvectors are of.

    .. math::
        g(x_j) = \sum_{i=1}^{n_c} \Bigl\| \sum_k \sum_{p \ne i}
            \frac{(v_{ij} - v_{ik})(v_{pj} - v_{pk})}{\lambda_i - \lambda_p} v_p \Bigr\|

    Parameters and result are those of :func:`exact_gradient`.
    """
    return _here(paper_speed, pairs, n_clusters, anchors, samples, n_pairs)


def paper_speed(
    pairs: Eigenpairs, n_clusters: int, anchors: Indices, at: Array, n_pairs: int | None
) -> Array:
    """Return the same where the eigenvectors are, of samples that stand there."""
    coupling = np.ones((len(pairs.values[: n_pairs or pairs.wanted]),) * 2)
    return _speed(pairs, None, coupling, n_clusters, anchors, at)


def _here(
    speed: Callable[[Eigenpairs, int, Indices, Array, int | None], Array],
    pairs: Eigenpairs,
    n_clusters: int,
    anchors: Indices,
    samples: Indices | None,
    n_pairs: int | None,
) -> AnyFloats:
    at = pairs.places(np.arange(len(pairs.scale)) if samples is None else samples)
    return pairs.backend.host(speed(pairs, n_clusters, anchors, at, n_pairs))


def directions(
    pairs: Eigenpairs,
    n_clusters: int,
    anchors: Indices,
    samples: Indices,
    *,
    n_pairs: int | None = None,
) -> Floats:
    """Return where the eigenvectors would move for some samples: the terms of Eq. 7.

    Parameters are those of :func:`exact_gradient`.

    Returns
    -------
    ndarray of shape (s, n_c p)
        The coefficients of the movement of each eigenvector, side by side.
    """
    values = pairs.values[: n_pairs or pairs.wanted]
    k = min(n_clusters, len(values))
    mine, theirs = (
        pairs.rows(some)[:, : len(values)].astype(np.float64)
        for some in (samples, anchors)
    )
    apart = mine[:, np.newaxis] - theirs  # (s, m, p)
    coupled = np.einsum("smi,smp->sip", apart[:, :, :k], apart)
    gap = values[:k, np.newaxis] - values
    usable = np.abs(gap) > MIN_GAP
    slope = np.divide(coupled, gap, out=np.zeros_like(coupled), where=usable)
    return slope.reshape(len(samples), -1)


def _speed(
    pairs: Eigenpairs,
    scales: tuple[Array, Array] | None,
    coupling: Floats,
    n_clusters: int,
    anchors: Indices,
    at: Array,
) -> Array:
    r"""Return :math:`\sum_i \| c_{i \cdot}(j) \|` for all samples j at once.

    The :math:`v_p` are orthonormal, so the norm is that of the coefficients. It is one
    matrix product: O(n n_c p) for all samples, where the sums as written take
    O(n^2 n_c p m). The work is done where the eigenvectors are. Without scales, those
    of samples and anchors, all have 1.
    """
    p, backend = len(coupling), pairs.backend
    k = min(n_clusters, p)
    known = np.asarray(
        backend.host(pairs.block(pairs.places(anchors), p)), dtype=np.float64
    )
    known = known if scales is None else known * backend.host(scales[1])
    unit = float(np.abs(known).max(initial=0.0)) or 1.0  # keeps float32 in its range
    across, constant = _polynomial(pairs, known / unit, coupling, k)
    factors, constants = backend.array(across), backend.array(constant)
    speeds = backend.zeros(len(at))
    for part in backend.chunks(len(at)):
        u = pairs.block(at[part], p)
        u = u * (1 / unit) if scales is None else u * (scales[0][part] * (1 / unit))
        terms = backend.beside([u * u, u]) @ factors + constants
        speeds[part] = _rooted(terms, u[:, :k])
    return speeds * unit**2


def _rooted(terms: Array, mine: Array) -> Array:
    """Return the sums of the roots of polynomials in `mine`, row by row."""
    k = mine.shape[1]
    squared = (terms[:, :k] * mine + terms[:, k : 2 * k]) * mine + terms[:, 2 * k :]
    return (squared.clip(0) ** 0.5).sum(1)


def _polynomial(
    pairs: Eigenpairs, known: Floats, h: Floats, k: int
) -> tuple[Floats, Floats]:
    r"""Return what turns (u_p^2, u_p) into the polynomials in u_i whose roots add up.

    With S and G the sums over the m anchors of u_p and of u_i u_p, and coupling h, the
    square of the movement of eigenvector i is, for each sample, the sum over p of

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
    m, values, h = len(known), pairs.values[: len(h)], h[:k]
    S, G = known.sum(axis=0), (known.T @ known)[:k]
    Si, hG = S[:k, np.newaxis], h * G
    gap = values[:k, np.newaxis] - values
    usable = np.abs(gap) > pairs.resolution  # False for p = i
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

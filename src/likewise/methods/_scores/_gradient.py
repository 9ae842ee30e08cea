"""How fast the eigenvectors move when a sample becomes certain (paper, 4.1)."""

from __future__ import annotations

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.spectral import Spectrum

MIN_GAP = 1e-6  # closer eigenvalues have no derivative of their own


def exact_gradient(spectrum: Spectrum, n_clusters: int, anchors: Indices) -> Floats:
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
    spectrum : Spectrum
        With at least `n_clusters` eigenpairs; the others enter the inner sum only.
    n_clusters : int
        n_c of the paper: eigenvectors whose movement counts.
    anchors : ndarray of shape (m,)
        One sample of each certain set.

    Returns
    -------
    ndarray of shape (n,)
        One number a sample, never negative.
    """
    coupling = np.ones((len(spectrum.values),) * 2)
    if not spectrum.is_normalised:
        return _speed(spectrum.values, spectrum.vectors, coupling, n_clusters, anchors)
    coupling -= (spectrum.values[:, np.newaxis] + spectrum.values) / 2
    scaled = spectrum.vectors * spectrum.scale[:, np.newaxis]
    return _speed(spectrum.values, scaled, coupling, n_clusters, anchors)


def paper_gradient(spectrum: Spectrum, n_clusters: int, anchors: Indices) -> Floats:
    r"""Return Eq. 7 as it is written, whichever Laplacian the eigenvectors are of.

    .. math::
        g(x_j) = \sum_{i=1}^{n_c} \Bigl\| \sum_k \sum_{p \ne i}
            \frac{(v_{ij} - v_{ik})(v_{pj} - v_{pk})}{\lambda_i - \lambda_p} v_p \Bigr\|

    Parameters and result are those of :func:`exact_gradient`.
    """
    coupling = np.ones((len(spectrum.values),) * 2)
    return _speed(spectrum.values, spectrum.vectors, coupling, n_clusters, anchors)


def directions(
    spectrum: Spectrum, n_clusters: int, anchors: Indices, samples: Indices
) -> Floats:
    """Return where the eigenvectors would move for some samples: the terms of Eq. 7.

    Returns
    -------
    ndarray of shape (number of samples, n_c p)
        The coefficients of the movement of each eigenvector, side by side.
    """
    v, k = spectrum.vectors, min(n_clusters, len(spectrum.values))
    apart = v[samples][:, np.newaxis] - v[anchors]  # (s, m, p)
    coupled = np.einsum("smi,smp->sip", apart[:, :, :k], apart)
    gap = spectrum.values[:k, np.newaxis] - spectrum.values
    usable = np.abs(gap) > MIN_GAP
    slope = np.divide(coupled, gap, out=np.zeros_like(coupled), where=usable)
    return slope.reshape(len(samples), -1)


def _speed(
    values: Floats, u: Floats, coupling: Floats, n_clusters: int, anchors: Indices
) -> Floats:
    r"""Return :math:`\sum_i \| c_{i \cdot}(j) \|` for all samples j at once.

    The :math:`v_p` are orthonormal, so the norm is that of the coefficients. Summed
    over the m anchors, with :math:`S_p = \sum_k u_{pk}`, :math:`G_{ip} = \sum_k u_{ik}
    u_{pk}` and coupling h, a coefficient is linear in :math:`u_{ij}`,

    .. math::
        c_{ip}(j) (\lambda_i - \lambda_p) =
            u_{ij} (m h_{ip} u_{pj} - S_p) + (h_{ip} G_{ip} - S_i u_{pj}),

    and the sum of its squares over p is a few matrix products: O(n n_c p) for all
    samples, where the sums as written take O(n^2 n_c p m).
    """
    m, k = len(anchors), min(n_clusters, len(values))
    S = u[anchors].sum(axis=0)
    G = (u[anchors].T @ u[anchors])[:k]
    h = coupling[:k]
    gap = values[:k, np.newaxis] - values
    usable = np.abs(gap) > MIN_GAP  # False for p = i
    weight = np.divide(1.0, gap**2, out=np.zeros_like(gap), where=usable)

    square = u**2
    Si = S[:k]
    quadratic = (  # of (m h u_p - S_p)^2
        m**2 * (square @ (weight * h**2).T)
        - 2 * m * (u @ (weight * h * S).T)
        + (weight * S**2).sum(axis=1)
    )
    mixed = (  # of (m h u_p - S_p) (h G - S_i u_p)
        m * (u @ (weight * h**2 * G).T)
        - m * Si * (square @ (weight * h).T)
        - (weight * h * G * S).sum(axis=1)
        + Si * (u @ (weight * S).T)
    )
    constant = (  # of (h G - S_i u_p)^2
        (weight * (h * G) ** 2).sum(axis=1)
        - 2 * Si * (u @ (weight * h * G).T)
        + Si**2 * (square @ weight.T)
    )
    ui = u[:, :k]
    squared = quadratic * ui**2 + 2 * mixed * ui + constant
    return np.sqrt(np.maximum(squared, 0.0)).sum(axis=1)

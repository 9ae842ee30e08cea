"""What the method derives from a problem once, before any answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from likewise.arrays import Floats, Indices, Sparse, Weights
from likewise.fields.bases import feature_basis, graph_basis
from likewise.fields.start import count_groups, soft_membership, start_clusters
from likewise.operators import Blocks, ConstrainedWeights, signed_normalised
from likewise.problem import Problem
from likewise.spectral import Spectrum, lowest

N_VECTORS = 50  # eigenvectors at least; four for each group if that is more
N_LOOKED = 200  # eigenvalues looked at when the number of groups is not known
COVER_NOISE = 0.01  # of the coverage field, in units of its prior variance


@dataclass(frozen=True)
class Ground:
    """The spectrum, the bases and the start.

    Attributes
    ----------
    weights : ndarray or csr_array of shape (n, n)
    n_groups : int or None
        As the problem says.
    vectors : ndarray of shape (n, k)
        Eigenvectors of the graph, scaled to mean square 1.
    precision : ndarray of shape (k,)
        Of the coverage field's coefficients.
    reach : float
        The sum of their variances, the first left out: the unit of variance.
    prior_variance : ndarray of shape (n,)
        Of the coverage field at each sample, before any answer.
    bases : tuple of ndarray of shape (n, k_e)
        One for each expert: the graph, and the features if there are any.
    start : ndarray of shape (n,)
        The clusters before any question.
    shares : csr_array of shape (n, number of clusters)
        The same, soft at the borders.
    medoids : ndarray of shape (number of clusters,)
        The first classes, one sample each.
    """

    weights: Weights
    n_groups: int | None
    vectors: Floats
    precision: Floats
    reach: float
    prior_variance: Floats
    bases: tuple[Floats, ...]
    start: Indices
    shares: Sparse
    medoids: Indices

    @property
    def noise(self) -> float:
        """Noise of the coverage field."""
        return COVER_NOISE * self.reach


def ground_of(problem: Problem, seed: int) -> Ground:
    """Return what is derived from a problem before any answer."""
    n, k = problem.n_samples, problem.n_clusters
    spectrum = _spectrum(problem.weights, _n_vectors(n, k) if k else _n_looked(n))
    groups = k or count_groups(problem.weights, spectrum.values, spectrum.vectors)
    wanted = _n_vectors(n, groups)
    if wanted > len(spectrum.values):
        spectrum = _spectrum(problem.weights, wanted)
    values = np.maximum(spectrum.values[:wanted], 0.0)
    vectors = spectrum.vectors[:, :wanted] * np.sqrt(n)
    precision = _coverage_precision(values, groups)
    variance = (vectors[:, 1:] ** 2 / precision[1:]).sum(axis=1)
    start, medoids = start_clusters(problem.weights, values, vectors, groups, seed)
    bases = [graph_basis(values, vectors)]
    if problem.features is not None:
        bases.append(feature_basis(problem.features))
    return Ground(
        weights=problem.weights,
        n_groups=k,
        vectors=vectors,
        precision=precision,
        reach=float((1 / precision[1:]).sum()) or 1.0,
        prior_variance=np.maximum(variance, 1e-12),
        bases=tuple(bases),
        start=start,
        shares=soft_membership(problem.weights, start),
        medoids=medoids,
    )


def _coverage_precision(values: Floats, groups: int) -> Floats:
    r"""Return :math:`(\lambda_j + 2 \lambda_k)^4`, k the first beyond the groups.

    Steep beyond the groups that are there: an answer reaches as far as its group does.
    """
    edge = max(float(values[min(groups, len(values) - 1)]), 0.01)
    return (values + 2 * edge) ** 4


def _spectrum(W: Weights, k: int) -> Spectrum:
    none = np.zeros(0, dtype=np.intp)
    nothing = Blocks(none, none, sp.csr_array((0, 0)))
    return lowest(signed_normalised(ConstrainedWeights(W, nothing)), k)


def _n_vectors(n: int, groups: int) -> int:
    return min(n, max(N_VECTORS, 4 * groups))


def _n_looked(n: int) -> int:
    return min(n, max(n // 3, 3), N_LOOKED)

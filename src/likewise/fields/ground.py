"""What the method derives from a problem once, before any answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from likewise.arrays import AnyFloats, Floats, Indices, Sparse, Weights
from likewise.fields.blocks import ROWS, upper
from likewise.fields.scale import Scale
from likewise.fields.start import count_groups, soft_membership, start_clusters
from likewise.graph.rows import spans
from likewise.operators import Blocks, ConstrainedWeights, signed_normalised
from likewise.problem import Problem
from likewise.spectral import Spectrum, lowest

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
    bases : tuple
        One for each expert: the graph, and the features if there are any.
    start : ndarray of shape (n,)
        The clusters before any question.
    shares : csr_array of shape (n, number of clusters)
        The same, soft at the borders.
    medoids : ndarray of shape (number of clusters,)
        The first classes, one sample each.
    scale : Scale
        How it is worked on.
    """

    weights: Weights
    n_groups: int | None
    vectors: AnyFloats
    precision: Floats
    reach: float
    prior_variance: AnyFloats
    bases: tuple[Any, ...]
    start: Indices
    shares: Sparse
    medoids: Indices
    scale: Scale

    @property
    def noise(self) -> float:
        """Noise of the coverage field."""
        return COVER_NOISE * self.reach

    @cached_property
    def upper(self) -> Weights:
        """The weights above the diagonal: half the work where they are symmetric."""
        return upper(self.weights)


def ground_of(problem: Problem, seed: int, scale: Scale) -> Ground:
    """Return what is derived from a problem before any answer."""
    n, k = problem.n_samples, problem.n_clusters
    weights = _as_type(problem.weights, scale.dtype)
    looked = scale.n_vectors(n, k) if k else scale.n_looked(n)
    spectrum = _spectrum(problem, looked)
    groups = k or count_groups(weights, spectrum.values, spectrum.vectors)
    wanted = scale.n_vectors(n, groups)
    if wanted > len(spectrum.values):
        spectrum = _spectrum(problem, wanted)
    values = np.maximum(spectrum.values[:wanted], 0.0)
    vectors = _scaled(spectrum.vectors[:, :wanted], scale.dtype)
    precision = _coverage_precision(values, groups)
    start, medoids = start_clusters(weights, values, vectors, groups, seed)
    bases = [scale.graph_basis(values, vectors)]
    if problem.features is not None:
        bases.append(scale.feature_basis(problem.features))
    return Ground(
        weights=weights,
        n_groups=k,
        vectors=vectors,
        precision=precision,
        reach=float((1 / precision[1:]).sum()) or 1.0,
        prior_variance=_prior_variance(vectors, precision),
        bases=tuple(bases),
        start=start,
        shares=soft_membership(weights, start),
        medoids=medoids,
        scale=scale,
    )


def _as_type(W: Weights, dtype: Any) -> Weights:
    """Return sparse weights as numbers of a type, copied only if they are not."""
    if not sp.issparse(W) or W.dtype == dtype:
        return W
    return sp.csr_array((W.data.astype(dtype), W.indices, W.indptr), shape=W.shape)


def _scaled(vectors: AnyFloats, dtype: Any) -> AnyFloats:
    return (vectors * float(np.sqrt(len(vectors)))).astype(dtype, copy=False)


def _prior_variance(vectors: AnyFloats, precision: Floats) -> AnyFloats:
    variance = np.empty(len(vectors), dtype=vectors.dtype)
    for part in spans(len(vectors), ROWS):
        variance[part] = (vectors[part, 1:] ** 2 / precision[1:]).sum(axis=1)
    return np.maximum(variance, 1e-12)


def _coverage_precision(values: Floats, groups: int) -> Floats:
    r"""Return :math:`(\lambda_j + 2 \lambda_k)^4`, k the first beyond the groups.

    Steep beyond the groups that are there: an answer reaches as far as its group does.
    """
    edge = max(float(values[min(groups, len(values) - 1)]), 0.01)
    return (values + 2 * edge) ** 4


def _spectrum(problem: Problem, k: int) -> Spectrum:
    none = np.zeros(0, dtype=np.intp)
    nothing = Blocks(none, none, sp.csr_array((0, 0)))
    laplacian = signed_normalised(ConstrainedWeights(problem.weights, nothing))
    return lowest(laplacian, k, device=problem.device)

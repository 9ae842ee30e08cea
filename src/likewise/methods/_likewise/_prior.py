"""What is derived from a problem before any question: spectrum, bases, clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise import _regime
from likewise._arrays import AnyFloats, Floats, Indices, Sparse, Weights, spans
from likewise._ties import first_least, least_columns, slight
from likewise.affinity import evenly
from likewise.knowledge import in_use
from likewise.methods._likewise._bases import SMOOTHING, feature_basis, graph_basis
from likewise.methods._likewise._keeping import (
    PRIOR,
    SPECTRA,
    SPECTRUM,
    form_of_priors,
)
from likewise.methods._likewise._posterior import Basis
from likewise.methods._likewise._regimes import (
    EXACT,
    ROWS,
    Regime,
    n_looked,
    n_vectors,
    parts,
)
from likewise.methods._likewise._starts import mixture_of
from likewise.methods._problem import Problem
from likewise.spectral import (
    Array,
    Backend,
    Blocks,
    ConstrainedWeights,
    RowProduct,
    Spectrum,
    backend_of,
    k_means,
    lowest,
    signed_normalised,
)

COVER_NOISE = 0.01  # of the coverage field, in units of its prior variance
MANY = 1 / 15  # groups per sample from which on they count as many and small
CLEAN = 1.1  # cut, in units of the least, up to which clusters are groups
TIGHT = 0.044  # the same beyond 1, a sample of a group; parts of noise: 0.047
MUCH_LESS = 0.75  # share of modularity
MOST_LOOKED = 1 / 3  # eigenvalues a sample, as far as few small ones surprise
STEP = 3.0  # ratio of eigenvalues that no heap in a plane has inside: 2.7 was seen
BEYOND = 1.5  # ratio beyond the one that the dimension of heaps explains
STANDS_OUT = 0.1  # gap of the random walk
APART, TWICE = 0.2, 2.0  # a gap between eigenvalues, and their ratio, inside of heaps
N_WALKED = 4 * 2 ** np.arange(11)  # steps of the random walk
NUMERIC = 1e-6  # eigenvalues below are zero but for rounding
DIGITS = 4  # to which gaps are compared: of equal ones, the first
FEWEST = 8  # samples a group, if answers ask for more groups
OUTLIERS = 12  # times smaller than groups on average
CLEARLY = 0.005  # modularity by which a clustering must be better
DIGITS = 9  # of rows of length 1 that count where others choose among equals
AT_ONCE = 1e-6  # of a row of length 1: as near to a middle as digits tell
N_ROUNDS = 2  # of moving the middles of clusters found from some samples


@dataclass(frozen=True)
class Prior:
    """The spectrum, the bases and the start.

    Attributes
    ----------
    weights : ndarray or csr_array of shape (n, n)
    n_groups : int or None
        As the problem says.
    vectors : array of shape (n, k)
        Eigenvectors of the graph, scaled to mean square 1.
    precision : ndarray of shape (k,)
        Of the coverage field's coefficients.
    reach : float
        The sum of their variances, the first left out: the unit of variance.
    variance : array of shape (n,)
        Of the coverage field at each sample.
    bases : tuple of Basis
        One for each expert: the graph, and the features if there are any.
    start : ndarray of shape (n,)
        The clusters.
    shares : csr_array of shape (n, number of clusters)
        The same, soft at the borders.
    medoids : ndarray of shape (number of clusters,)
        The first classes, one sample each.
    regime : Regime
        How exactly it is worked on.
    n_held : int
        Samples to be asked about before fields may move others out of their clusters.
    takes_over : bool
        Whether answers may be to questions of another model.
    """

    weights: Weights
    n_groups: int | None
    vectors: Array
    precision: Floats
    reach: float
    variance: Array
    bases: tuple[Basis, ...]
    start: Indices
    shares: Sparse
    medoids: Indices
    regime: Regime
    n_held: int = 0
    takes_over: bool = False

    @property
    def noise(self) -> float:
        """Noise of the coverage field."""
        return COVER_NOISE * self.reach

    @cached_property
    def is_medoid(self) -> NDArray[np.bool_]:
        """Which samples are the first of a class, of shape (n,)."""
        found = np.zeros(len(self.start), dtype=bool)
        found[self.medoids] = True
        return found

    @property
    def taken_over(self) -> Indices | None:
        """The clusters, where answers may be to questions of another model; else None.

        Such questions speak of classes that this one does not know.
        """
        return self.start if self.takes_over else None

    def rows(self, samples: Indices) -> Floats:
        """Return some rows of the eigenvectors to all digits."""
        return backend_of(self.vectors).rows(self.vectors, samples).astype(np.float64)

    def variance_at(self, samples: Indices) -> AnyFloats:
        """Return the variance at some samples."""
        return backend_of(self.variance).rows(self.variance, samples)

    @cached_property
    def upper_products(self) -> RowProduct:
        """Products with the weights above the diagonal: half the work of all."""
        return backend_of(self.vectors).row_products(upper(self.weights))

    @cached_property
    def share_products(self) -> RowProduct:
        """Products with the shares."""
        return backend_of(self.vectors).row_products(self.shares)


@dataclass(frozen=True)
class Source:
    """What priors are derived from, each of them once.

    Attributes
    ----------
    problem : Problem
    seed : int
    regime : Regime
    """

    problem: Problem
    seed: int
    regime: Regime

    @property
    def most_groups(self) -> int:
        """How many groups answers may ask for; none of many samples, or if k is known.

        The spectrum of few samples is kept, and looked at again.
        """
        n = self.problem.n_samples
        is_open = self.problem.n_clusters is None and self.regime is EXACT
        return min(n // FEWEST, n_looked(n) - 1) if is_open else 0

    @property
    def backend(self) -> Backend:
        """What works on all samples; looked for once."""
        make = partial(self.regime.backend, self.problem.device)
        return self.problem.once(("flagship's backend", self.regime), make)

    def prior(self, groups: int | None = None) -> Prior:
        """Return the prior for a number of groups, or for as many as there seem."""
        kind = PRIOR if groups is None else f"{PRIOR}-of-{groups}"
        form = form_of_priors(self._made, self.backend)
        key = (self.seed, np.dtype(self.regime.dtype).str, groups)
        return self.problem.kept(kind, key, partial(prior_of, self, groups), form)

    def _made(self, **found: Any) -> Prior:
        problem, regime = self.problem, self.regime
        weights = _as_type(problem.weights, regime)
        takes_over = _takes_over(problem)
        k = problem.n_clusters
        return Prior(weights, k, regime=regime, takes_over=takes_over, **found)

    def clusters(self, groups: int) -> Indices:
        """Return the clusters of few samples for a number of groups."""
        vectors = self.looked_at().vectors[:, :groups]
        key = ("flagship's clusters", groups)
        return self.problem.once(key, lambda: _first_clusters(_unit_rows(vectors)))

    def looked_at(self) -> Spectrum:
        """Return the spectrum that groups are counted in."""
        n, k = self.problem.n_samples, self.problem.n_clusters
        solve = partial(_spectrum, self.problem, n_vectors(n, k) if k else n_looked(n))
        if not self.most_groups:
            return solve()
        return self.problem.kept(SPECTRUM, (), solve, SPECTRA)


def prior_of(source: Source, groups: int | None = None) -> Prior:
    """Return what is derived from a problem before any answer.

    Parameters
    ----------
    source : Source
    groups : int, optional
        How many groups answers have asked for, where k is not known.
    """
    problem, seed, regime = source.problem, source.seed, source.regime
    n, k = problem.n_samples, problem.n_clusters
    weights, spectrum = _as_type(problem.weights, regime), source.looked_at()
    may_be_other = groups is None and _has_few(problem)
    groups = groups or k or count_groups(weights, spectrum.values, spectrum.vectors)
    wanted = n_vectors(n, groups)
    if wanted > len(spectrum.values):
        spectrum = _spectrum(problem, wanted)
    values = np.maximum(spectrum.values[:wanted], 0.0)
    vectors, backend = _scaled(spectrum.vectors[:, :wanted], regime), source.backend
    precision = _coverage_precision(values, groups)
    start, medoids = start_clusters(weights, values, vectors, groups, seed)
    mixture = mixture_of(problem.features, start, seed) if may_be_other else None
    if mixture is not None:
        start, medoids = mixture.labels, mixture.medoids
    here = backend.mirrored(backend.array(vectors))
    bases = [graph_basis(values, here)]
    if problem.features is not None:
        bases.append(feature_basis(problem.features, regime, backend))
    return Prior(
        weights=weights,
        n_groups=k,
        vectors=here,
        precision=precision,
        reach=float((1 / precision[1:]).sum()) or 1.0,
        variance=_variance(here, precision),
        bases=tuple(bases),
        start=start,
        shares=soft_membership(weights, start),
        medoids=medoids,
        regime=regime,
        n_held=0 if mixture is None else mixture.n_held,
        takes_over=_takes_over(problem),
    )


def _takes_over(problem: Problem) -> bool:
    """Tell whether a model may take over answers to questions of another one.

    Of one on a part of many samples, or on what scores meant before it was learned. Of
    others only where the journal is that of an older version, and goes on as it did.
    """
    is_large = problem.n_samples > _regime.COARSE_FROM
    return is_large or problem.affinity.scored is not None


def _has_few(problem: Problem) -> bool:
    """Tell whether there are dense features of few samples."""
    is_dense = problem.features is not None and not sp.issparse(problem.features)
    return is_dense and problem.n_samples <= _regime.FLAGSHIP_LINKED


def _as_type(W: Weights, regime: Regime) -> Weights:
    """Return sparse weights in the precision wanted, copied only if they are not."""
    if not sp.issparse(W) or W.dtype == regime.dtype:
        return W
    return sp.csr_array(
        (W.data.astype(regime.dtype), W.indices, W.indptr), shape=W.shape
    )


def _scaled(vectors: AnyFloats, regime: Regime) -> AnyFloats:
    return (vectors * float(np.sqrt(len(vectors)))).astype(regime.dtype, copy=False)


def _variance(vectors: Array, precision: Floats) -> Array:
    backend = backend_of(vectors)
    variance, weights = backend.zeros(len(vectors)), backend.array(1 / precision[1:])
    for part in parts(vectors):
        squares = vectors[part, 1:] * vectors[part, 1:]
        variance[part] = (squares * weights).sum(1)
    return backend.mirrored(variance.clip(1e-12))


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


def count_groups(W: Weights, values: Floats, vectors: AnyFloats) -> int:
    r"""Return how many groups the spectrum speaks of.

    Clear heaps are counted, whatever their number, size and dimension. Without them,
    the largest gap between eigenvalues of the Laplacian says whether groups are many
    and small. If so, and if hardly anything links them, it is the last gap at least
    half as large. If not, it is the largest gap after some steps of the random walk,
    which leaves only groups that the walk stays in, unless they are much less of a
    clustering than the first: 3/4 of its modularity. Many and small groups come before
    clear heaps if nothing but them is there, and so do groups that stand apart inside
    of the heaps.

    Parameters
    ----------
    W : ndarray or csr_array of shape (n, n)
    values : ndarray of shape (k,)
        The lowest eigenvalues, ascending.
    vectors : ndarray of shape (n, k)
    """
    n, k = len(vectors), len(values)
    if k < 3:  # noqa: PLR2004 - a gap needs two eigenvalues besides the first
        return k
    values = np.maximum(values, 0.0)
    if values[-1] <= min(k / n, MOST_LOOKED) ** 2:  # of a line, 40 times as much
        return k - 1  # more groups than were looked at
    gaps = np.diff(values)[1:].round(DIGITS)
    rough, clear = int(np.argmax(gaps)) + 2, clear_heaps(values)
    are_many = rough > MANY * n
    if are_many:
        many = int(np.flatnonzero(gaps >= gaps.max() / 2).max()) + 2
        labels = _first_clusters(_unit_rows(vectors[:, :many]))
        most = CLEAN if clear else 1 + TIGHT * n / many
        if _cut(_of_different(W), values, labels) <= most:
            return many
    if clear:
        return rough if rough > clear and _are_apart(values, clear, rough) else clear
    stayed = _stayed_in(values)
    if are_many or rough <= stayed:
        return stayed
    fine, coarse = (
        modularity(W, _first_clusters(_unit_rows(vectors[:, :k])))
        for k in (rough, stayed)
    )
    return rough if coarse < MUCH_LESS * fine else stayed


def clear_heaps(values: Floats) -> int:
    r"""Return the number of heaps that stand apart, 0 if none do.

    The last k whose :math:`\lambda_{k+1} / \lambda_k` no heap could have inside. By
    Weyl's law, eigenvalues of a heap grow as :math:`j^\alpha`, :math:`\alpha = 2 / d`
    in d dimensions: its first ones double in a plane, quadruple on a line. So the ratio
    must be 3 at least, and :math:`1.5 \cdot 2^\alpha`, :math:`\alpha` as it is from
    there to four times as many eigenvalues.

    Parameters
    ----------
    values : ndarray of shape (p,)
        The lowest eigenvalues, ascending.

    Examples
    --------
    >>> clear_heaps(np.array([0.0, 0.0001, 0.013, 0.015, 0.035, 0.042]))
    2
    """
    logs = np.log(np.maximum(values, 0.0) + NUMERIC)
    steps = np.diff(logs)[1:].round(DIGITS)
    for k in (np.flatnonzero(steps >= np.log(STEP))[::-1] + 2).tolist():
        end = min(4 * (k + 1), len(values))
        rise = logs[end - 1] - logs[k]
        alpha = min(rise / np.log(end / (k + 1)), 2.0) if rise > 0 else 0.0
        if steps[k - 2] >= np.log(BEYOND) + alpha * np.log(2):
            return int(k)
    return 0


def _are_apart(values: Floats, heaps: int, k: int) -> bool:
    """Tell whether k groups stand apart inside of heaps, about as well as these do.

    A gap of 0.2 is more than lies between eigenvalues of one heap of many samples.
    """
    step, whole = (values[m] / max(values[m - 1], NUMERIC) for m in (k, heaps))
    gap = values[k] - values[k - 1]
    return bool(gap >= APART and step >= TWICE and whole <= TWICE * step)


def _stayed_in(values: Floats) -> int:
    r"""Return how many groups the random walk stays in, as soon as some stand out.

    The largest gap of :math:`(1 - \lambda)^t` after t = 4, 8, 16, ... steps, once one
    is 0.1; after four steps if none ever is.
    """
    gaps = [
        -np.diff(np.clip(1 - values[1:], 0, 1) ** t).round(DIGITS) for t in N_WALKED
    ]
    found = next((gap for gap in gaps if gap.max() >= STANDS_OUT), gaps[0])
    return int(np.argmax(found)) + 2


def _cut(W: Weights, values: Floats, labels: Indices) -> float:
    r"""Return the normalised cut of clusters, in units of the least there can be.

    That is :math:`\sum_{j \le k} \lambda_j`, reached by k groups that the first k
    eigenvectors separate; parts of a heap are far above it.
    """
    membership = _membership(labels)
    volume = membership.T @ np.asarray(W.sum(axis=1)).ravel()
    inside = membership.T @ _inside(W, labels)
    cut = (1 - inside / np.maximum(volume, 1e-300))[volume > 0].sum()
    return float(cut / max(values[: membership.shape[1]].sum(), NUMERIC))


def _of_different(W: Weights) -> Weights:
    """Return the graph without edges between identical samples, whose weight is 1.

    Copies of a sample are no group, but a graph of nothing but ones says so of all.
    """
    if not sp.issparse(W) or (W.data >= 1).all():
        return W
    return sp.csr_array((W.data * (W.data < 1), W.indices, W.indptr), shape=W.shape)


def start_clusters(
    W: Weights, values: Floats, vectors: AnyFloats, k: int, seed: int
) -> tuple[Indices, Indices]:
    """Return a clustering of the spectrum, and its medoids.

    k-means in the first k eigenvectors, unless another clustering is clearly better on
    the graph: its modularity must be larger by 0.005. The others are k-means in all
    eigenvectors, weighted by smoothness, and average linkage in the first k; they cope
    with groups of unequal size, where the first does not. None is better than groups
    that hardly anything links: modularity would rather halve a large one. But a few
    samples that lie far out are no group.

    Returns
    -------
    labels : ndarray of shape (n,)
    medoids : ndarray of shape (at most k,)
        The sample nearest to the middle of each cluster.
    """
    from sklearn.cluster import AgglomerativeClustering

    first = _unit_rows(vectors[:, :k])
    best, middle = _first_clusters(first), first
    least = len(first) / (k * OUTLIERS)
    if _cut(W, values, best) <= CLEAN and np.bincount(best).min() >= least:
        best = in_use(best)
        return best, _medoids(middle, best)
    others = []
    if len(values) > k:
        weights = np.sqrt(values[1:] + SMOOTHING).astype(vectors.dtype)
        smooth = _unit_rows(vectors[:, 1:] / weights)
        found = _from_some(smooth, lambda rows: _k_means(rows, k, seed))
        others.append((found, smooth))
    if 1 < len(first) <= _regime.FLAGSHIP_LINKED:
        linkage = AgglomerativeClustering(k, linkage="average")
        others.append((linkage.fit_predict(first.round(DIGITS)), first))
    bar = modularity(W, best) + CLEARLY
    for labels, coordinates in others:
        if (reached := modularity(W, labels)) > bar:
            best, middle, bar = labels, coordinates, reached
    best = in_use(best)
    return best, _medoids(middle, best)


def modularity(W: Weights, labels: Indices) -> float:
    r"""Return :math:`\sum_c (e_{cc} - a_c^2)`: weight inside, beyond chance."""
    degrees = np.asarray(W.sum(axis=1)).ravel()
    total = degrees.sum() or 1.0
    inside = _inside(W, labels).sum() / total
    ends = _membership(labels).T @ degrees / total
    return float(inside - (ends**2).sum())


def soft_membership(W: Weights, labels: Indices) -> Sparse:
    """Return each sample's share in the clusters: half its own, half its neighbours'.

    One step of the random walk mixed with staying: a sample on the border belongs to
    both sides.

    Returns
    -------
    csr_array of shape (n, k)
    """
    membership = _membership(labels).astype(W.dtype)
    degrees = np.asarray(W.sum(axis=1)).ravel()
    walk = sp.diags_array(1 / np.where(degrees > 0, degrees, 1.0)) @ sp.csr_array(W)
    alone = sp.diags_array((degrees == 0).astype(W.dtype))
    return sp.csr_array(
        0.5 * membership + 0.5 * (walk @ membership + alone @ membership)
    )


def _inside(W: Weights, labels: Indices) -> Floats:
    """Return the weight from each sample to those of its own cluster."""
    if not sp.issparse(W):
        membership = _membership(labels)
        return np.asarray((membership * (W @ membership.toarray())).sum(axis=1))
    found = np.empty(len(labels))
    for part in spans(len(labels), ROWS):
        rows = W[part]
        at = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        is_inside = labels[part][at] == labels[rows.indices]
        found[part] = np.bincount(at, rows.data * is_inside, rows.shape[0])
    return found


def _first_clusters(coordinates: AnyFloats) -> Indices:
    """Return k-means in k coordinates."""
    k = coordinates.shape[1]
    return _from_some(coordinates, lambda rows: k_means(rows, k, ()))


def _from_some(coordinates: AnyFloats, find: Callable[[Floats], Indices]) -> Indices:
    """Return clusters, found from some samples where there are many.

    The others go to the nearest middle; then middles and clusters are adapted to all.
    """
    n, n_drawn = len(coordinates), _regime.FLAGSHIP_CLUSTERED
    if n <= n_drawn:
        return find(coordinates.astype(np.float64, copy=False))
    some = coordinates[evenly(n, n_drawn)].astype(np.float64)
    middles = _middles(some, find(some))
    for _ in range(N_ROUNDS):
        labels = _nearest(coordinates, middles)
        middles = _middles(coordinates, labels)
    return _nearest(coordinates, middles)


def _middles(coordinates: AnyFloats, labels: Indices) -> AnyFloats:
    membership = _membership(labels).astype(coordinates.dtype)
    counts = np.maximum(np.bincount(labels), 1)[:, np.newaxis]
    return membership.T @ coordinates / counts


def _nearest(coordinates: AnyFloats, middles: AnyFloats) -> Indices:
    found = np.empty(len(coordinates), dtype=np.intp)
    middles = middles.astype(coordinates.dtype)
    lengths = (middles**2).sum(axis=1)
    for part in spans(len(coordinates), ROWS):
        apart = lengths - 2 * (coordinates[part] @ middles.T)
        found[part] = least_columns(apart)
    return found


def _membership(labels: Indices) -> Sparse:
    n, k = len(labels), int(labels.max()) + 1
    return sp.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, k))


def _k_means(coordinates: AnyFloats, k: int, seed: int) -> Indices:
    from sklearn.cluster import KMeans

    coordinates = coordinates.round(DIGITS)
    k = min(k, len(np.unique(coordinates, axis=0)))
    return KMeans(k, n_init=10, random_state=seed).fit_predict(coordinates)


def _medoids(coordinates: AnyFloats, labels: Indices) -> Indices:
    medoids = []
    for cluster in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == cluster)
        middle = coordinates[members].mean(axis=0, dtype=np.float64)
        apart = ((coordinates[members] - middle) ** 2).sum(axis=1)
        # Two samples are as far from their middle; so are all at one place.
        apart, within = np.maximum(apart, AT_ONCE**2), slight(coordinates.dtype)
        medoids.append(members[first_least(apart, within=within)])
    return np.array(medoids, dtype=np.intp)


def _unit_rows(coordinates: AnyFloats) -> AnyFloats:
    length = np.linalg.norm(coordinates, axis=1, keepdims=True)
    return coordinates / np.maximum(length, 1e-12)


def upper(W: Sparse) -> Sparse:
    """Return what of a sparse matrix lies above its diagonal, of the same shape.

    Half of a symmetric matrix without a diagonal says all of it: W = U + U'.

    Examples
    --------
    >>> upper(sp.csr_array([[0.0, 2.0], [2.0, 0.0]])).toarray()
    array([[0., 2.],
           [0., 0.]])
    """
    kind = W.indptr.dtype
    counts, data, indices = [np.zeros(1, dtype=kind)], [], []
    for part in spans(W.shape[0], ROWS):
        rows = W[part]
        at = np.repeat(np.arange(part.stop - part.start), np.diff(rows.indptr))
        is_above = rows.indices > at + part.start
        counts.append(np.bincount(at[is_above], minlength=rows.shape[0]))
        data.append(rows.data[is_above])
        indices.append(rows.indices[is_above])
    starts = np.concatenate(counts).cumsum(dtype=kind)
    inside = np.concatenate(data), np.concatenate(indices), starts
    return sp.csr_array(inside, shape=W.shape)

"""What the settled samples and the start say of the others, before any ballot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyFloats, Floats, Indices, dense
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._posterior import ClassField, Coverage
from likewise.methods._likewise._prior import Prior
from likewise.methods._likewise._regimes import parts
from likewise.spectral import DOUBLE, Array, backend_of

FIELD_NOISE = 0.3
AFRESH = 40  # changed samples from which on the coverage, too, is computed anew
FOUNDER = 4.0  # samples that a medoid counts for in its cluster: it is typical
FLOOR = 1e-3  # of a field, in units of its largest value at a sample
TEMPER = 0.5  # of the experts' likelihoods
KEPT = 0.5  # of the start, what is the mean of a field if all was settled on sheets
SLIGHT = 1e-6  # the membership that every sample has in every class


def links_of(prior: Prior, membership: Array) -> Floats:
    """Return Q'WQ: the weight between any two classes, of shape (m, m).

    Parameters
    ----------
    prior : Prior
        Of the weights W.
    membership : array of shape (n, m)
        Q.
    """
    backend = backend_of(membership)
    if not sp.issparse(prior.weights):
        Q = backend.host(membership)
        return np.asarray(Q.T @ (prior.weights @ Q), dtype=np.float64)
    found = np.zeros((membership.shape[1],) * 2)
    for part in parts(membership):
        across = prior.upper_products.times(part, membership)
        found += backend.gram(membership[part], across)
    return found + found.T


@dataclass(frozen=True)
class Surroundings:
    """The settled samples, and the posteriors given them.

    Attributes
    ----------
    prior : Prior
    classes : tuple of int
        Names of the classes, in the order of the columns.
    class_of : mapping of int to int
        The class of each settled sample.
    settled : tuple of ndarray of shape (t,)
        The settled samples, ascending, and the column of each one's class.
    coverage : Coverage
    fields : tuple of ClassField
        One for each basis of the prior.
    faint : mapping of int to float
        Which of the settled samples are only a part of an observation.
    """

    prior: Prior
    classes: tuple[int, ...]
    class_of: Mapping[int, int]
    settled: tuple[Indices, Indices]
    coverage: Coverage
    fields: tuple[ClassField, ...]
    faint: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, prior: Prior, beliefs: Beliefs, coverage: Coverage | None = None
    ) -> Surroundings:
        """Return the posteriors; the coverage, too, unless it is there already."""
        classes, settled = tuple(beliefs.members), settled_of(beliefs)
        shares = parts_of(beliefs.faint, settled[0])
        if coverage is None:
            coverage = Coverage.of(
                prior.vectors, prior.precision, prior.noise, settled[0], shares
            )
        bare = cls(
            prior, classes, beliefs.class_of, settled, coverage, (), beliefs.faint
        )
        fields = tuple(
            ClassField.of(basis, FIELD_NOISE, settled, bare.foreseen, shares)
            for basis in prior.bases
        )
        return replace(bare, fields=fields)

    def holds(self, beliefs: Beliefs) -> bool:
        """Tell whether the posteriors are those for other beliefs, too."""
        is_same = self.classes == tuple(beliefs.members) and self.faint == beliefs.faint
        return is_same and self.class_of == beliefs.class_of

    @cached_property
    def shares(self) -> Floats | None:
        """What part of an observation each settled sample is; None where all are."""
        return parts_of(self.faint, self.settled[0])

    @cached_property
    def kept(self) -> float:
        """What part of the start is the mean of the fields: 0.5 if all are faint.

        Samples that are asked about one by one are chosen by how much they say. Those
        of a sheet are not: where a group was looked through, its members would outweigh
        groups around it of which only one is settled, but for this mean.
        """
        n_asked = len(self.settled[0]) - len(self.classes)
        return KEPT * min(len(self.faint) / max(n_asked, 1), 1.0)

    @cached_property
    def foreseen(self) -> Floats:
        """What the start says of each settled sample but for itself, times that."""
        if not self.kept:
            return np.zeros((len(self.settled[0]), len(self.classes)))
        return self.kept * self._own_without(*self.settled)

    @cached_property
    def experts(self) -> Floats:
        r"""The weight of each field, by leave-one-out likelihood.

        :math:`w_e \propto \exp(\frac12 \sum_i \log(0.01 + 0.99 P_{e,-i}(c_i)))` over
        the settled samples whose class has two members at least.
        """
        _, columns = self.settled
        shared = np.flatnonzero(np.bincount(columns, minlength=1)[columns] > 1)
        rows, columns = np.arange(len(shared)), columns[shared]
        scores = [
            np.log(0.01 + 0.99 * sharp(mean[shared]))[rows, columns].sum()
            for mean in self._means_left_out
        ]
        weights = np.exp(TEMPER * (np.array(scores) - max(scores)))
        return weights / weights.sum()

    def near(self, samples: Indices) -> Floats:
        """Return P(class | sample) by the settled samples nearby, experts mixed."""
        means = [one.at(samples) for one in self.fields]
        if self.kept:
            start = self.kept * self.own(samples)
            means = [start + mean for mean in means]
        return mixed(self.experts.tolist(), means)

    def near_over(self, part: slice) -> Array:
        """Return the same of a block, without the experts that hardly count."""
        faint = self.prior.regime.faint
        experts = zip(self.experts.tolist(), self.fields, strict=True)
        heard = [(weight, one) for weight, one in experts if weight > faint]
        means = [one.over(part) for _, one in heard]
        if self.kept:
            start = self.kept * self.own_over(part)
            means = [start + mean for mean in means]
        return blend([weight for weight, _ in heard], means)

    @cached_property
    def far(self) -> Array:
        """1 where nothing is settled nearby, 0 at a settled sample; of shape (n,)."""
        return (self.coverage.variance / self.prior.variance).clip(0.0, 1.0)

    def far_at(self, samples: Indices) -> Floats:
        """Return the same of some samples to all digits."""
        share = self.coverage.variance_at(samples) / self.prior.variance_at(samples)
        return np.clip(share, 0.0, 1.0)

    def own(self, samples: Indices) -> AnyFloats:
        """Return P(class | sample) by the settled samples of the start clusters."""
        return self.prior.shares[samples] @ self._by_cluster

    def own_over(self, part: slice) -> Array:
        """Return the same of a block."""
        backend, held = backend_of(self.prior.vectors), self._own_held
        if part.start in held:
            return held[part.start]
        by_cluster = backend.array(self._by_cluster)
        found = self.prior.share_products.times(part, by_cluster)
        if not backend.is_processor:  # where there is room for it
            held[part.start] = found
        return found

    @cached_property
    def _own_held(self) -> dict[int, Array]:
        """What was said of blocks, by their first samples; kept on a card."""
        return {}

    @property
    def membership(self) -> Array:
        """Soft membership of all samples, of shape (n, m)."""
        return self._blended[0]

    def membership_at(self, samples: Indices) -> Floats:
        """Return that of some samples that are not settled, to all digits."""
        far = self.far_at(samples)[:, np.newaxis]
        rows = (1 - far) * self.near(samples) + far * self.own(samples) + SLIGHT
        return np.asarray(rows / rows.sum(axis=1, keepdims=True), dtype=np.float64)

    @property
    def totals(self) -> Array:
        """What each row of the membership was divided by, of shape (n,)."""
        return self._blended[1]

    @cached_property
    def sizes(self) -> Floats:
        """Expected size of each class."""
        found, backend = np.zeros(len(self.classes)), backend_of(self.membership)
        for part in parts(self.membership):
            found += backend.column_sums(self.membership[part])
        return found

    @cached_property
    def links(self) -> Floats:
        """The weight between any two classes: Q'WQ, of shape (m, m)."""
        return links_of(self.prior, self.membership)

    @cached_property
    def left_out(self) -> tuple[AnyFloats, AnyFloats, AnyFloats, Indices]:
        """Near, own and far of each settled sample, had it not been settled; and which.

        Founders are left out: nothing was said about them.
        """
        samples, columns = self.settled
        asked = np.flatnonzero(~np.isin(samples, self.classes))
        samples, columns = samples[asked], columns[asked]
        means = [mean[asked] for mean in self._means_left_out]
        near = mixed(self.experts.tolist(), means)
        noise: float | Floats = self.coverage.noise
        noise = noise if self.shares is None else noise / self.shares[asked]
        variance = self.coverage.variance_at(samples)
        widened = variance * noise / np.maximum(noise - variance, 1e-9 * noise)
        far = np.clip(widened / self.prior.variance_at(samples), 0.0, 1.0)
        return near, self._own_without(samples, columns), far, samples

    @cached_property
    def _means_left_out(self) -> list[Floats]:
        """By each field the mean at the settled samples, had each not been settled."""
        left = [one.left_out(self.settled[0], self.shares) for one in self.fields]
        return [self.foreseen + mean for mean in left] if self.kept else left

    @cached_property
    def _blended(self) -> tuple[Array, Array]:
        vectors, (samples, columns) = self.prior.vectors, self.settled
        backend, m = backend_of(vectors), len(self.classes)
        at, ones = backend.indices(samples), backend.array(np.eye(m)[columns])
        full, totals = backend.zeros(len(vectors), m), backend.zeros(len(vectors))
        for part in parts(vectors):
            far = self.far[part][:, None]
            rows = self.near_over(part)
            rows *= 1 - far
            rows += far * self.own_over(part)
            rows += SLIGHT
            totals[part] = backend.row_sums(rows)
            rows /= totals[part][:, None]
            full[part] = rows
        full[at] = ones
        return full, totals

    @cached_property
    def _counts(self) -> Floats:
        """Settled samples by start cluster and class, the medoids for several."""
        samples, columns = self.settled
        shape = (self.prior.shares.shape[1], len(self.classes))
        at = np.ravel_multi_index((self.prior.start[samples], columns), shape)
        counts = np.bincount(at, self._weights(samples), minlength=shape[0] * shape[1])
        return np.asarray(counts, dtype=np.float64).reshape(shape)

    @cached_property
    def _by_cluster(self) -> AnyFloats:
        return _shares(self._counts).astype(self.prior.regime.dtype, copy=False)

    def _weights(self, samples: Indices) -> Floats:
        return np.where(self.prior.is_medoid[samples], FOUNDER, 1.0)

    def _own_without(self, samples: Indices, columns: Indices) -> Floats:
        """Return the start cluster's shares, each sample's own count left out."""
        start, at = self.prior.start[samples], np.arange(len(samples))
        shares = self.prior.shares[samples]
        own = shares @ _shares(self._counts)
        mine = dense(shares)[at, start][:, np.newaxis]
        less = self._counts[start]
        less[at, columns] -= self._weights(samples)
        return own + mine * (_shares(less) - _shares(self._counts[start]))


@dataclass(frozen=True, slots=True)
class Covered:
    """What is kept of surroundings that hold no more: a few numbers for each sample.

    Attributes
    ----------
    class_of : mapping of int to int
        The class that each settled sample had.
    coverage : Coverage
    faint : mapping of int to float
        Which of them were only a part of an observation.
    """

    class_of: Mapping[int, int]
    coverage: Coverage
    faint: Mapping[int, float]


def kept_of(
    earlier: Surroundings | Covered | None, beliefs: Beliefs
) -> Surroundings | Covered | None:
    """Return what of earlier surroundings is good for other beliefs: all, or some."""
    if earlier is None or (
        isinstance(earlier, Surroundings) and earlier.holds(beliefs)
    ):
        return earlier
    return Covered(earlier.class_of, earlier.coverage, earlier.faint)


def brought_to(
    prior: Prior, beliefs: Beliefs, earlier: Surroundings | Covered | None
) -> Surroundings:
    """Return the surroundings for some beliefs, the coverage by rank-one changes."""
    if earlier is None:
        return Surroundings.of(prior, beliefs)
    if isinstance(earlier, Surroundings) and earlier.holds(beliefs):
        return earlier
    before, now = earlier.class_of.keys(), beliefs.class_of.keys()
    was, is_ = earlier.faint, beliefs.faint
    other = {s for s in was.keys() | is_.keys() if was.get(s, 1.0) != is_.get(s, 1.0)}
    gone = sorted((before - now) | (other & before))
    come = sorted((now - before) | (other & now))
    if len(gone) + len(come) > AFRESH:
        return Surroundings.of(prior, beliefs)
    coverage = earlier.coverage
    for sample in gone:
        coverage = coverage.after(sample, -1, was.get(sample, 1.0))
    for sample in come:
        coverage = coverage.after(sample, 1, is_.get(sample, 1.0))
    return Surroundings.of(prior, beliefs, coverage)


def parts_of(faint: Mapping[int, float], samples: Indices) -> Floats | None:
    """Return what part of an observation samples are; None where all are whole."""
    if not faint:
        return None
    return np.array([faint.get(sample, 1.0) for sample in samples.tolist()])


def settled_of(beliefs: Beliefs) -> tuple[Indices, Indices]:
    """Return the settled samples, ascending, and the column of each one's class."""
    column = {name: index for index, name in enumerate(beliefs.members)}
    samples = np.array(sorted(beliefs.class_of), dtype=np.intp)
    columns = [column[beliefs.class_of[int(s)]] for s in samples]
    return samples, np.array(columns, dtype=np.intp)


def sharpened(mean: Array) -> Array:
    """Return U^3, floored at 0.001 of the largest entry of a row, normalised."""
    backend = backend_of(mean)
    share = (mean / backend.largest_of(mean).clip(1e-9)).clip(FLOOR)
    raised = share * share
    raised *= share
    raised /= backend.row_sums(raised)[:, None]
    return raised


def sharp(mean: Floats) -> Floats:
    """Return the same of a few samples."""
    return DOUBLE.host(sharpened(DOUBLE.array(mean))).astype(np.float64, copy=False)


def blend(weights: Sequence[float], means: Sequence[Array]) -> Array:
    """Return P(class) by several fields, each sharpened and weighted."""
    found = sharpened(means[0])
    found *= weights[0]
    for weight, mean in zip(weights[1:], means[1:], strict=True):
        backend_of(found).add_scaled(found, sharpened(mean), weight)
    return found


def mixed(weights: Sequence[float], means: Sequence[Floats]) -> Floats:
    """Return the same of a few samples."""
    found = blend(weights, [DOUBLE.array(mean) for mean in means])
    return DOUBLE.host(found).astype(np.float64, copy=False)


def _shares(counts: Floats) -> Floats:
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-12)

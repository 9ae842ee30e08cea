"""What the settled samples and the start say of the others, before any ballot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices, dense
from likewise.affinity import spans
from likewise.methods._likewise._blocks import ROWS
from likewise.methods._likewise._prior import Ground
from likewise.methods._likewise._scale import Covering, Telling

FOUNDER = 4.0  # samples that a medoid counts for in its cluster: it is typical
FLOOR = 1e-3  # of a field, in units of its largest value at a sample
TEMPER = 0.5  # of the experts' likelihoods
SLIGHT = 1e-6  # the membership that every sample has in every class


@dataclass(frozen=True)
class Surroundings:
    """The settled samples, and the posteriors given them.

    Attributes
    ----------
    ground : Ground
    classes : tuple of int
        Names of the classes, in the order of the columns.
    settled : tuple of ndarray of shape (t,)
        The settled samples, ascending, and the column of each one's class.
    coverage : Covering
    fields : tuple of Telling
        One for each basis of the ground.
    """

    ground: Ground
    classes: tuple[int, ...]
    settled: tuple[Indices, Indices]
    coverage: Covering
    fields: tuple[Telling, ...]

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
            np.log(0.01 + 0.99 * sharpened(mean[shared]))[rows, columns].sum()
            for mean in self._means_left_out
        ]
        weights = np.exp(TEMPER * (np.array(scores) - max(scores)))
        return weights / weights.sum()

    def near(self, samples: slice | Indices) -> AnyFloats:
        """Return P(class | sample) by the settled samples nearby, experts mixed."""
        return mixed(self.experts.tolist(), [f.at(samples) for f in self.fields])

    @cached_property
    def far(self) -> AnyFloats:
        """1 where nothing is settled nearby, 0 at a settled sample; of shape (n,)."""
        coverage = self.coverage.variance / self.ground.prior_variance
        return np.clip(coverage, 0.0, 1.0)

    def own(self, samples: slice | Indices) -> AnyFloats:
        """Return P(class | sample) by the settled samples of the start clusters."""
        return self.ground.shares[samples] @ self._by_cluster

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
        noise, variance = self.coverage.noise, self.coverage.variance_at(samples)
        widened = variance * noise / np.maximum(noise - variance, 1e-9 * noise)
        far = np.clip(widened / self.ground.prior_variance[samples], 0.0, 1.0)
        return near, self._own_without(samples, columns), far, samples

    @cached_property
    def _means_left_out(self) -> list[Floats]:
        """By each field the mean at the settled samples, had each not been settled."""
        return [field.left_out(*self.settled) for field in self.fields]

    @cached_property
    def _counts(self) -> Floats:
        """Settled samples by start cluster and class, the medoids for several."""
        samples, columns = self.settled
        shape = (self.ground.shares.shape[1], len(self.classes))
        at = np.ravel_multi_index((self.ground.start[samples], columns), shape)
        counts = np.bincount(at, self._weights(samples), minlength=shape[0] * shape[1])
        return np.asarray(counts, dtype=np.float64).reshape(shape)

    @cached_property
    def _by_cluster(self) -> AnyFloats:
        return _shares(self._counts).astype(self.ground.scale.dtype, copy=False)

    def _weights(self, samples: Indices) -> Floats:
        return np.where(np.isin(samples, self.ground.medoids), FOUNDER, 1.0)

    def _own_without(self, samples: Indices, columns: Indices) -> Floats:
        """Return the start cluster's shares, each sample's own count left out."""
        start, at = self.ground.start[samples], np.arange(len(samples))
        own = self.ground.shares[samples] @ _shares(self._counts)
        mine = dense(self.ground.shares[samples])[at, start][:, np.newaxis]
        less = self._counts[start]
        less[at, columns] -= self._weights(samples)
        return own + mine * (_shares(less) - _shares(self._counts[start]))


def sharpened(mean: AnyFloats) -> AnyFloats:
    """Return U^3, floored at 0.001 of the largest entry of a row, normalised."""
    top = np.maximum(mean.max(axis=1, keepdims=True), 1e-9)
    raised = np.maximum(mean / top, FLOOR)
    raised = raised * raised * raised
    return raised / raised.sum(axis=1, keepdims=True)


def mixed(weights: Sequence[float], means: Sequence[AnyFloats]) -> AnyFloats:
    """Return P(class) by several fields, each sharpened and weighted."""
    parts = [w * sharpened(mean) for w, mean in zip(weights, means, strict=True)]
    return sum(parts[1:], parts[0])


def _shares(counts: Floats) -> Floats:
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-12)


FAINT = 1e-6  # weight of an expert that is not asked about all samples


@dataclass(frozen=True)
class Survey(Surroundings):
    """Surroundings that keep one row for each sample, and sums over all of them."""

    def near(self, samples: slice | Indices) -> AnyFloats:
        """Return P(class | sample) by the settled samples nearby, experts mixed.

        Of a block, without the experts that hardly count.
        """
        if not isinstance(samples, slice):
            return super().near(samples)
        heard = self.experts > FAINT
        means = [self.fields[e].at(samples) for e in np.flatnonzero(heard)]
        return mixed(self.experts[heard].tolist(), means)

    @property
    def membership(self) -> AnyFloats:
        """Soft membership of all samples before any ballot, of shape (n, m)."""
        return self._blended[0]

    @property
    def totals(self) -> AnyFloats:
        """What each row of the membership was divided by, of shape (n,)."""
        return self._blended[1]

    @property
    def sizes(self) -> Floats:
        """Expected size of each class."""
        return self._sums[0]

    @property
    def links(self) -> Floats:
        """The weight between any two classes: Q'WQ, of shape (m, m)."""
        return self._sums[1]

    @cached_property
    def _blended(self) -> tuple[AnyFloats, AnyFloats]:
        n, dtype = len(self.ground.start), self.ground.scale.dtype
        full = np.empty((n, len(self.classes)), dtype=dtype)
        totals = np.empty(n, dtype=dtype)
        for part in spans(n, ROWS):
            far = self.far[part, np.newaxis]
            rows = (1 - far) * self.near(part) + far * self.own(part) + SLIGHT
            totals[part] = rows.sum(axis=1)
            np.divide(rows, totals[part, np.newaxis], out=full[part])
        samples, columns = self.settled
        full[samples] = 0.0
        full[samples, columns] = 1.0
        return full, totals

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        Q, m = self.membership, len(self.classes)
        sizes, links = np.zeros(m), np.zeros((m, m))
        for part in spans(len(Q), ROWS):
            sizes += Q[part].sum(axis=0)
            links += Q[part].T @ (self.ground.upper[part] @ Q)
        return sizes, links + links.T

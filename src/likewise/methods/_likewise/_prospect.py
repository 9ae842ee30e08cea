"""What screens are worth to the flagship: items beside groups, groups at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.knowledge import GO_ON, Prediction, Question
from likewise.methods._likewise._acquisition import (
    Partners,
    SampleQuestions,
    best_besides,
    expected_of_classes,
    uncertainty_drop,
    weight_of,
)
from likewise.methods._likewise._posterior import Coverage
from likewise.methods._likewise._probabilities import Probabilities
from likewise.methods._screens import (
    AT_ALL,
    HIDDEN,
    N_ITEMS,
    N_SPEAKERS,
    NEARLY_LIKELIEST,
    Prospect,
)
from likewise.spectral import Array

UNLIKELY = 0.05  # two groups that were compared and are less likely one are not again
DOUBTED = 0.99  # a sample that was only passed by comes back below this
SUSPECT = 0.8  # and so does any other one below this


@dataclass
class Covered:
    r"""What is left of the worth of items as others of a sheet are settled.

    With C the covariance once some are, :math:`V_i = v_i^T C v_i` and r the reach,

    .. math:: \frac{r_i}{r_i^0} \left(\kappa + (1 - \kappa) \frac{V_i}{V_i^0}\right),

    :math:`\kappa` the share of samples on which the fields are silent. Those whose
    questions have begun keep all of theirs.
    """

    vectors: Floats
    projected: Floats
    noise: float
    scale: float
    silent: float
    waits: NDArray[np.bool_]

    def __post_init__(self) -> None:
        self.variance = (self.projected * self.vectors).sum(axis=1)
        self._first = np.maximum(self.variance, 1e-12), self._reach

    @property
    def _reach(self) -> Floats:
        noise = np.maximum(self.noise + self.variance, 1e-9 * self.noise)
        return 1 + self.scale * (self.projected**2).sum(axis=1) / noise

    def after(self, at: int) -> Floats:
        """Settle one more item; return the share of worth that each has left."""
        turned = self.projected[at].copy()
        along = self.vectors @ turned
        weight = 1 / (self.noise + along[at])
        self.projected = self.projected - np.outer(along * weight, turned)
        self.variance = self.variance - along**2 * weight
        variance, reach = self._first
        left = np.clip(self.variance / variance, 0.0, 1.0)
        left = self.silent + (1 - self.silent) * left
        return np.where(self.waits, 1.0, self._reach / reach * left)


@dataclass(frozen=True)
class Items:
    """Samples that may be shown, and what is thought of them.

    Attributes
    ----------
    samples : ndarray of shape (s,)
    rows : ndarray of shape (s, m)
        P(class).
    new : ndarray of shape (s,)
        P(of no class).
    scale : ndarray of shape (s,)
        How many samples are decided with each.
    is_free : ndarray of shape (s,)
        Which are not settled.
    """

    samples: Indices
    rows: AnyFloats
    new: AnyFloats
    scale: Floats
    is_free: NDArray[np.bool_]


@dataclass(frozen=True)
class Showing:
    r"""What may be shown, and what it is worth.

    With P(i, h) of a sample and a class, G_hg the chance that two classes are one and h
    shown with the main class g,

    .. math:: p_{ig} = \sum_h P(i, h) G_{hg}, \quad
              S_i = \sum_g p_{ig}^2 + P(i, new)^2 + r_i^2 / 2,

    r what is left to 1. A verdict lowers S as one on a pair does, and counts if the
    item is taken for a member: one that is turned away is settled by nobody yet.
    Sorting an item settles it, so all of 1 - S goes.

    Attributes
    ----------
    partners : Partners
    main : ndarray of shape (m,)
        The main class that each class is shown with.
    pending : tuple of Question
        Open elsewhere.
    """

    partners: Partners
    main: Indices
    pending: tuple[Question, ...]

    @property
    def probabilities(self) -> Probabilities:
        """What is thought of samples and classes."""
        return self.partners.probabilities

    @cached_property
    def groups(self) -> Indices:
        """The main classes."""
        return np.unique(self.main)

    @cached_property
    def speakers(self) -> tuple[tuple[int, ...], ...]:
        """Members that speak for each of them."""
        return tuple(tuple(self.partners.speakers(g)) for g in self.groups.tolist())

    @cached_property
    def _taken(self) -> tuple[int, ...]:
        """Samples that are asked about elsewhere."""
        return tuple(question.sample for question in self.pending)

    @cached_property
    def _questions(self) -> SampleQuestions:
        coverage = self.partners.coverage(self._taken)
        return SampleQuestions(self.probabilities, self.partners, coverage, self._taken)

    @cached_property
    def beyond(self) -> Coverage:
        """The coverage once the samples under way are settled, too."""
        coverage = self._questions.coverage
        for sample in self.probabilities.beliefs.under_way:
            if self.probabilities.is_free[sample] and sample not in self._taken:
                coverage = coverage.after(sample)
        return coverage

    @cached_property
    def items(self) -> Items:
        """The free samples that promise most, and settled ones that may be wrong."""
        free, doubted = self._free(), self._doubted()
        if not len(doubted.samples):
            return free
        return Items(
            np.concatenate([free.samples, doubted.samples]),
            np.vstack([free.rows, doubted.rows]),
            np.concatenate([free.new, doubted.new]),
            np.concatenate([free.scale, doubted.scale]),
            np.concatenate([free.is_free, doubted.is_free]),
        )

    def _free(self) -> Items:
        probabilities, questions = self.probabilities, self._questions
        m = len(self.main)
        if not probabilities.n_free:
            none = np.zeros(0)
            at = none.astype(np.intp)
            return Items(at, np.zeros((0, m)), none, none, none.astype(bool))
        gain, lift, _ = questions.gains(self.partners.blocked)
        samples = self._promising(gain)
        waits = np.isin(samples, probabilities.beliefs.under_way)
        rows, new = probabilities.questioned_of(samples)
        now = probabilities.around.coverage.variance_at(samples)
        spread = self.beyond.spread_at(samples)
        left = np.clip(spread[0] / np.maximum(now, 1e-12), 0.0, 1.0)
        scale = np.where(
            waits,
            questions.reach(questions.coverage.spread_at(samples), 1),
            left * questions.reach(spread, 1),
        )
        every = np.ones(len(samples), dtype=bool)
        return Items(samples, rows, new, lift * scale, every)

    def _promising(self, gain: Array) -> Indices:
        """Return the samples under way, and those of most gain; ascending."""
        probabilities = self.probabilities
        backend, is_free = probabilities.backend, probabilities.is_free
        begun = [s for s in probabilities.beliefs.under_way if is_free[s]]
        waiting = np.array(begun, dtype=np.intp)
        waiting = waiting[backend.rows(gain, waiting) >= 0][:N_ITEMS]
        best = backend.largest(gain, N_ITEMS)
        best = best[(backend.rows(gain, best) >= 0) & ~np.isin(best, waiting)]
        return np.sort(np.concatenate([waiting, best[: N_ITEMS - len(waiting)]]))

    def _doubted(self) -> Items:
        """Return settled samples that may be wrong: most of all those passed by."""
        checked, faint = self.partners.checked, self.probabilities.beliefs.faint
        least = np.where(np.isin(checked.samples, list(faint)), DOUBTED, SUSPECT)
        at = np.flatnonzero(
            (checked.p < least) & ~np.isin(checked.samples, self._taken)
        )
        ones, no = np.ones(len(at)), np.zeros(len(at), dtype=bool)
        return Items(checked.samples[at], checked.rows[at], checked.new[at], ones, no)

    @cached_property
    def _one(self) -> Floats:
        """The chance that two classes are one, 1 for a class and itself."""
        return self.probabilities.pairs + np.eye(len(self.main))

    @cached_property
    def chance(self) -> Floats:
        """The probability that each item is taken for a member, of shape (s, k)."""
        return np.clip(self.items.rows @ self._one[:, self.groups], 0.0, 1.0)

    @cached_property
    def _shown(self) -> Floats:
        """The p above, of shape (s, k)."""
        m, column = len(self.main), np.searchsorted(self.groups, self.main)
        joined = np.zeros((m, len(self.groups)))
        joined[np.arange(m), column] = self._one[np.arange(m), self.main]
        return self.items.rows @ joined

    @cached_property
    def _worth(self) -> tuple[Floats, Floats]:
        """What items are worth beside groups, and what if they are sorted."""
        p, new, scale = self._shown, self.items.new, self.items.scale[:, np.newaxis]
        rest = np.maximum(1 - p.sum(axis=1) - new, 0.0)
        squares = (p**2).sum(axis=1) + new**2 + rest**2 / 2
        wrong = self.probabilities.rates.wrong
        drop = uncertainty_drop(p, squares[:, np.newaxis] - p**2, wrong)
        weight = weight_of(self.probabilities, self.groups)
        may = self._may_show(np.where(drop > 0, p, 0.0))
        reached = scale * self.chance
        whole = np.maximum(1 - squares, 0.0)[:, np.newaxis] * (1 - 2 * wrong)
        return may * drop * weight * reached, may * whole * weight * scale

    def _may_show(self, p: Floats) -> NDArray[np.bool_]:
        """Tell which items may be shown beside which groups, of shape (s, k)."""
        askable = np.where(self._compared, 0.0, p)
        top = askable.max(axis=1, keepdims=True, initial=0.0)
        return (askable >= AT_ALL) & (askable >= NEARLY_LIKELIEST * top)

    @cached_property
    def _compared(self) -> NDArray[np.bool_]:
        """Which free items were compared with which main classes already."""
        known, beliefs = self.partners.known, self.probabilities.beliefs
        column = {self.probabilities.classes[g]: at for at, g in enumerate(self.groups)}
        found = np.zeros((len(self.items.samples), len(self.groups)), dtype=bool)
        for at in np.flatnonzero(self.items.is_free).tolist():
            for other in known.compared.get(int(self.items.samples[at]), ()):
                if (name := beliefs.class_of.get(other)) in column:
                    found[at, column[name]] = True
        return found

    @property
    def _same(self) -> Floats:
        return self.probabilities.pairs[np.ix_(self.groups, self.groups)]

    @property
    def _told(self) -> Floats:
        return self.probabilities.evidence.classes[np.ix_(self.groups, self.groups)]

    @cached_property
    def merging(self) -> Floats:
        """What it is worth to ask about two groups, of shape (k, k)."""
        gain = self.partners.class_gain[np.ix_(self.groups, self.groups)]
        is_done = (self._told != 0) & (self._same < UNLIKELY)
        return np.where(is_done, 0.0, np.maximum(gain, 0.0))

    @cached_property
    def glance(self) -> Floats:
        """What it is worth to see two groups side by side, of shape (k, k).

        Some groups are one that nothing near them says so of: 0.3 pairs are expected
        among those that nobody has compared. Nothing where there are as many groups as
        there should be.
        """
        k, wanted = len(self.groups), self.probabilities.prior.n_groups
        if k < 2 or (wanted is not None and k <= wanted):  # noqa: PLR2004 - a pair
            return np.zeros((k, k))
        hidden = 2 * HIDDEN / (k * (k - 1))
        sizes = self.probabilities.sizes[self.groups]
        found = 2 * np.maximum(self._same, hidden) * np.outer(sizes, sizes)
        found[self._told != 0] = 0.0
        np.fill_diagonal(found, 0.0)
        return found

    # What to ask

    def question(self, sample: int, group: int) -> Question | None:
        """Return what to ask about an item beside the speakers of a group."""
        done = self.partners.known.compared.get(sample, frozenset())
        there = (s for s in self.speakers[group][:N_SPEAKERS] if s != sample)
        against = next((s for s in there if s not in done), None)
        if against is None:
            return None
        at = int(np.flatnonzero(self.items.samples == sample)[0])
        p = float(np.clip(self._shown[at, group], 0.0, 1.0))
        if not self.items.is_free[at]:
            return Question(sample, against, Prediction(p, "check", if_different=GO_ON))
        g = int(self.groups[group])
        predicted = self._questions.expected(sample, against, g, p)
        return Question(sample, against, predicted)

    def merge(self, group: int, other: int) -> Question | None:
        """Return what to ask about two groups on a sheet."""
        g, h = int(self.groups[group]), int(self.groups[other])
        pair = self.partners.pair(g, h)
        shown = self.speakers[group][:N_SPEAKERS]
        if pair is None or pair[0] not in shown:
            return None
        return self._about(pair[1], pair[0], h, g)

    def glanced(self, group: int, other: int) -> Question | None:
        """Return what to ask about two groups at a glance."""
        i, j = self.speakers[group][0], self.speakers[other][0]
        if j in self.partners.known.compared.get(i, ()):
            return None
        return self._about(i, j, int(self.groups[group]), int(self.groups[other]))

    def _about(self, i: int, j: int, g: int, h: int) -> Question:
        return Question(i, j, expected_of_classes(self.probabilities, g, h, "groups"))

    def fading(self, samples: Indices) -> Covered:
        """Return what is left of the worth of items."""
        vectors = self.beyond.rows(samples)
        prior, rates = self.probabilities.prior, self.probabilities.rates
        waits = np.isin(samples, self.probabilities.beliefs.under_way)
        return Covered(
            vectors,
            vectors @ self.beyond.covariance,
            self.beyond.noise,
            len(prior.start) / prior.reach,
            rates.silent,
            waits | ~self.probabilities.is_free[samples],
        )

    @property
    def prospect(self) -> Prospect:
        """All of it, as values."""
        best = best_besides(self.partners, self.pending)
        worth, whole = self._worth
        return Prospect(
            self.items.samples,
            self.speakers,
            self.chance,
            worth,
            whole,
            self._same,
            self.merging,
            self.glance,
            self.fading,
            self.question,
            self.merge,
            self.glanced,
            None if best is None else (best.question, best.worth),
        )

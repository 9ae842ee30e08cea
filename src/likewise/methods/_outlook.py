"""What any clustering can say of itself: how sure it is, and how good it may be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, logit

from likewise._arrays import Floats, Indices
from likewise._ties import best_first
from likewise.knowledge import Knowledge
from likewise.methods._base import Chances, Expectation
from likewise.methods._problem import Problem
from likewise.methods._scores import neighbour_probabilities, own_shares

GOOD_ENOUGH = 0.95  # share of right samples from which on stopping is suggested
UNSURE, SURE = 0.005, 0.995  # nothing is believed more than this before it is asked


@dataclass(frozen=True, slots=True)
class Tally:
    """Samples that a model expects to be in the right group.

    Attributes
    ----------
    n_settled, n_free : int
        Samples in the game whose group is known, and the others.
    settled, free : float
        How many of each are expected to be right.
    n_answers : int
    """

    n_settled: int
    n_free: int
    settled: float
    free: float
    n_answers: int

    @property
    def n_samples(self) -> int:
        """All samples in the game."""
        return self.n_settled + self.n_free


@dataclass(frozen=True, slots=True)
class Correction:
    r"""How a model's own expectation is corrected by what was true elsewhere.

    Of the samples that are free, the share p that the model expects to be right is

    .. math:: \sigma(\mathrm{logit}\, p + a + b \min(t / n, 1))

    after t answers on n samples: the more was asked, the harder is what is left. The
    truth is within :math:`c + d / \sqrt{t + 1}` of that in log odds, in four cases of
    five. ``benchmarks/progress.py`` finds these numbers, and says how well they hold.

    Attributes
    ----------
    shift, toll : float
        a and b.
    spread, early : float
        c and d.
    """

    shift: float
    toll: float
    spread: float
    early: float

    def right(self, tally: Tally) -> float:
        """Return the share of samples that are expected to be right."""
        if not tally.n_free:
            return min(tally.settled / max(tally.n_settled, 1), 1.0)
        p = np.clip(tally.free / tally.n_free, UNSURE, SURE)
        asked = min(tally.n_answers / tally.n_samples, 1.0)
        free = tally.n_free * float(expit(logit(p) + self.shift + self.toll * asked))
        return min((tally.settled + free) / tally.n_samples, 1.0)

    def interval(self, right: float, n_answers: int) -> tuple[float, float]:
        """Return from where to where the share may be.

        Examples
        --------
        >>> low, high = Correction(0.0, 0.0, 1.0, 0.0).interval(0.9, 50)
        >>> round(low, 2), round(high, 2)
        (0.77, 0.96)
        """
        middle = logit(min(max(right, 0.0), 1.0))
        about = self.spread + self.early / np.sqrt(n_answers + 1)
        low, high = expit(middle - about), expit(middle + about)
        return min(float(low), right), max(float(high), right)


def _reached(right: float, level: float) -> int | None:
    """Return that no more questions are needed, or that nobody knows."""
    return 0 if right >= level else None


BY_NEIGHBOURS = Correction(shift=0.0, toll=0.0, spread=1.5, early=3.0)


@dataclass(frozen=True)
class ClusteredModel(ABC):
    """A model that has labels; all else is estimated from the neighbours' labels.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    """

    problem: Problem
    known: Knowledge

    @property
    @abstractmethod
    def labels(self) -> Indices:
        """The cluster of each sample, 0..k-1; certain set t has label t."""

    @cached_property
    def confidence(self) -> Floats:
        """The share of a sample's neighbours in its cluster; 1 where placed."""
        sure = own_shares(self.problem.neighbours, self.labels)
        for group in self.known.certain:
            sure[list(self.known.constraints.samples(group))] = 1.0
        return sure

    @cached_property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be.

        With q_i the confidence in sample i, a pair in one cluster is right with
        probability q_i q_j; as many pairs are taken to be wrongly apart as are wrongly
        together.
        """
        kept = np.ones(len(self.labels), dtype=bool)
        kept[list(self.known.aside)] = False
        labels, sure = self.labels[kept], self.confidence[kept]
        sizes = np.bincount(labels)
        mass = np.bincount(labels, weights=sure)
        square = np.bincount(labels, weights=sure**2)
        right = float(((mass**2 - square) / 2).sum())
        wrong = float((sizes * (sizes - 1) / 2).sum()) - right
        jaccard = right / (right + 2 * wrong) if right + wrong > 0 else 1.0
        tally = self.tally
        share = BY_NEIGHBOURS.right(tally)
        return Expectation(
            jaccard,
            2 * wrong,
            tally.n_settled,
            is_enough=min(jaccard, share) >= GOOD_ENOUGH,
            right=share,
            interval=BY_NEIGHBOURS.interval(share, tally.n_answers),
            until=(_reached(share, 0.95), _reached(share, 0.98)),
        )

    @property
    def tally(self) -> Tally:
        """The samples that are expected to be right: all placed ones, and others."""
        sets = map(self.known.constraints.samples, self.known.certain)
        placed = sum(s not in self.known.aside for members in sets for s in members)
        kept = np.ones(len(self.labels), dtype=bool)
        kept[list(self.known.aside)] = False
        free = float(self.confidence[kept].sum()) - placed
        n_free = int(kept.sum()) - placed
        return Tally(placed, n_free, placed, free, len(self.known.answers))

    def chances(self, sample: int) -> Chances:
        """Return the certain sets by the share of the sample's neighbours with them."""
        constraints, certain = self.known.constraints, self.known.certain
        shares = self._shares([sample])[0]
        home = constraints.group(sample)
        if home in certain:
            shares = (np.arange(len(shares)) == certain.index(home)).astype(np.float64)
        barred = constraints.apart_from(home)
        groups = [
            (constraints.samples(group), 0.0 if group in barred else float(shares[t]))
            for t, group in enumerate(certain)
        ]
        in_order = tuple(groups[at] for at in best_first([p for _, p in groups]))
        return Chances(in_order, max(1.0 - sum(p for _, p in groups), 0.0))

    def _shares(self, samples: list[int] | slice) -> Floats:
        k = max(int(self.labels.max()) + 1, len(self.known.certain))
        rows = self.problem.neighbours[samples]
        return neighbour_probabilities(rows, self.labels, k)

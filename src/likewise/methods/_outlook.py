"""What any clustering can say of itself: how sure it is, and how good it may be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._ties import best_first
from likewise.knowledge import Knowledge
from likewise.methods._base import Chances, Expectation
from likewise.methods._problem import Problem
from likewise.methods._scores import neighbour_probabilities, own_shares

GOOD_ENOUGH = 0.95  # expected Jaccard from which on stopping is suggested


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
        sets = map(self.known.constraints.samples, self.known.certain)
        placed = sum(s not in self.known.aside for members in sets for s in members)
        return Expectation(jaccard, 2 * wrong, placed, jaccard >= GOOD_ENOUGH)

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
        rows, k = self.problem.neighbours[samples], int(self.labels.max()) + 1
        return neighbour_probabilities(rows, self.labels, k)

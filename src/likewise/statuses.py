"""How settled each sample is, and what clusters are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from likewise.arrays import Indices
from likewise.constraints import Verdict
from likewise.knowledge import Knowledge
from likewise.reviews import Repairs

Status: TypeAlias = Literal["confirmed", "guessed", "deferred", "aside"]


@dataclass(frozen=True, slots=True)
class Statuses:
    """The samples of which more is known than a guess; each has one status.

    Attributes
    ----------
    confirmed : frozenset of int
        Answers have put them into a group: a certain one, or one with others.
    deferred : frozenset of int
        Somebody was unsure where they belong, and nothing has confirmed them.
    aside : frozenset of int
        Out of the game.
    """

    confirmed: frozenset[int] = frozenset()
    deferred: frozenset[int] = frozenset()
    aside: frozenset[int] = frozenset()

    def of(self, sample: int) -> Status:
        """Return the status of one sample."""
        if sample in self.aside:
            return "aside"
        if sample in self.confirmed:
            return "confirmed"
        return "deferred" if sample in self.deferred else "guessed"


def statuses_of(known: Knowledge) -> Statuses:
    """Return how settled the samples are.

    Examples
    --------
    >>> from likewise import Answer, Question
    >>> same = Answer(Question(0, 1), Verdict.SAME)
    >>> unsure = Answer(Question(2, 0), Verdict.UNSURE)
    >>> found = statuses_of(Knowledge(4).after_all([same, unsure]))
    >>> [found.of(sample) for sample in range(4)]
    ['confirmed', 'confirmed', 'deferred', 'guessed']
    """
    constraints = known.constraints
    placed = {
        sample
        for group, samples in constraints.members.items()
        if len(samples) > 1 or group in known.certain
        for sample in samples
    }
    unsure = {
        int(answer.question.sample)
        for answer in known.answers
        if answer.verdict is Verdict.UNSURE
    }
    confirmed = frozenset(placed) - known.aside
    return Statuses(confirmed, frozenset(unsure) - known.aside - confirmed, known.aside)


def statuses_within(repairs: Repairs) -> Statuses:
    """Return how settled the samples are in the present clusters.

    A sample that is known to be apart from others, and together with none, is confirmed
    only where it speaks for its cluster: anywhere else it is a guess.
    """
    found, members = statuses_of(repairs.known), repairs.known.constraints.members
    lone = {g for g, samples in members.items() if len(samples) == 1}
    guessed = {g for g in lone & found.confirmed if repairs.anchor(g) != g}
    return replace(found, confirmed=found.confirmed - guessed)


def cluster_names(labels: Indices, names: Mapping[int, str]) -> dict[int, str]:
    """Return the names of clusters: the latest given to any of their samples.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster of each sample; -1 for none.
    names : mapping of int to str
        Names by the sample they were given for, oldest first.

    Examples
    --------
    >>> import numpy as np
    >>> cluster_names(np.array([0, 0, 1]), {0: "oak", 1: "elm", 2: ""})
    {0: 'elm'}
    """
    given = {int(labels[sample]): name for sample, name in names.items() if name}
    return {label: name for label, name in given.items() if label >= 0}

"""What a session shows: values made from the model and what is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from likewise.arrays import Indices
from likewise.knowledge import Answer, Knowledge
from likewise.methods import Model

GOOD_ENOUGH = 0.95  # expected Jaccard from which on stopping is suggested


@dataclass(frozen=True, slots=True)
class Group:
    """Samples known to belong together.

    Attributes
    ----------
    id : int
        Its first sample; stays while the group lives.
    name : str
        As given by :meth:`Session.rename`, or empty.
    label : int
        Its cluster in ``session.labels``; -1 when all of it is set aside.
    samples : tuple of int
        The samples known to be in it, in the order in which they joined.
    is_certain : bool
        Whether it is known to be apart from every other certain group.
    """

    id: int
    name: str
    label: int
    samples: tuple[int, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is, by the method's own estimate.

    Attributes
    ----------
    settled : float
        Share of the samples whose group is known.
    expected_wrong_pairs : float
        Pairs that are together and should not be, or the other way round.
    expected_jaccard : float
        The Jaccard coefficient that follows from it.
    is_good_place_to_stop : bool
    """

    settled: float
    expected_wrong_pairs: float
    expected_jaccard: float
    is_good_place_to_stop: bool


@dataclass(frozen=True)
class View:
    """What a session knew at one moment; stays as it is when the session goes on."""

    model: Model
    known: Knowledge

    @property
    def labels(self) -> Indices:
        """The labels at that moment."""
        return compact(self.model.labels, self.known.aside)

    @property
    def answer(self) -> Answer | None:
        """The last answer, or None."""
        return self.known.answers[-1] if self.known.answers else None

    @property
    def n_questions(self) -> int:
        """How many questions had been answered."""
        return sum(answer.how != "given" for answer in self.known.answers)


def compact(labels: Indices, aside: frozenset[int]) -> Indices:
    """Return labels with -1 for samples set aside, and no number left out."""
    if not aside:
        return labels.copy()
    kept = np.ones(len(labels), dtype=bool)
    kept[list(aside)] = False
    shown = np.full(len(labels), -1, dtype=np.intp)
    shown[kept] = np.unique(labels[kept], return_inverse=True)[1]
    return shown


def groups_of(
    known: Knowledge, labels: Indices, names: Mapping[int, str]
) -> tuple[Group, ...]:
    """Return the known groups, oldest first."""
    constraints = known.constraints
    named = {constraints.group(sample): name for sample, name in names.items()}
    found = sorted(constraints.members, key=constraints.born.__getitem__)
    return tuple(
        Group(
            id=group,
            name=named.get(group, ""),
            label=int(labels[list(constraints.samples(group))].max()),
            samples=constraints.samples(group),
            is_certain=group in known.certain,
        )
        for group in found
    )


def progress_of(known: Knowledge, model: Model) -> Progress:
    r"""Return how far a session is.

    With q_i the confidence in sample i, a pair in one cluster is right with probability
    q_i q_j. That gives the expected number of right pairs and of pairs wrongly
    together; as many are taken to be wrongly apart, as when misplaced samples come from
    clusters like those they are in.
    """
    shown = compact(model.labels, known.aside)
    kept = shown >= 0
    labels, sure = shown[kept], model.confidence[kept]
    sizes = np.bincount(labels)
    mass = np.bincount(labels, weights=sure)
    square = np.bincount(labels, weights=sure**2)
    right = float(((mass**2 - square) / 2).sum())
    wrong = float((sizes * (sizes - 1) / 2).sum()) - right
    jaccard = right / (right + 2 * wrong) if right + wrong > 0 else 1.0
    sets = map(known.constraints.samples, known.certain)
    placed = sum(sample not in known.aside for members in sets for sample in members)
    settled = placed / max(len(labels), 1)
    return Progress(settled, 2 * wrong, jaccard, jaccard >= GOOD_ENOUGH)

"""From one chosen sample to the pairs to ask about it (paper, 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from likewise.affinity import Closeness
from likewise.arrays import Indices
from likewise.constraints import Verdict
from likewise.knowledge import Knowledge, Question

PATIENCE = 2  # members of a set tried for a sample before the set is left open


def opened(known: Knowledge, start: int) -> Knowledge:
    """Return what is known, with a first certain set in it (paper, 3, step 1).

    A start that is set aside gives way to the next sample that is not.
    """
    if known.certain:
        return known
    order = chain(range(start, known.n_samples), range(start))
    first = next((s for s in order if s not in known.aside), start)
    return replace(known, certain=(first,))


def unplaced(known: Knowledge, taken: Sequence[int] = ()) -> Indices:
    """Return the samples of no certain set that may be asked about, ascending.

    Those in `taken` are left out: they are asked about elsewhere.
    """
    free = np.ones(known.n_samples, dtype=bool)
    for group in known.certain:
        free[list(known.constraints.samples(group))] = False
    free[list(known.aside)] = False
    free[list(taken)] = False
    return np.flatnonzero(free)


def begun(known: Knowledge) -> Iterator[int]:
    """Yield the samples asked about that are still without a set, latest first.

    A sample whose questions have begun is placed before another is chosen: inside one
    series the next pair needs no new clustering.
    """
    seen: set[int] = set()
    for answer in reversed(known.answers):
        sample = answer.question.sample
        if answer.how == "asked" and sample not in seen:
            seen.add(sample)
            if not known.is_placed(sample) and sample not in known.aside:
                yield sample


def next_question(
    sample: int, known: Knowledge, closeness: Closeness
) -> Question | None:
    """Return the pair with the closest certain set that is not ruled out.

    Each set is represented by its member closest to the sample. Where nobody could
    tell, the next closest member is tried once, then the set is left open.

    Returns
    -------
    Question or None
        None when no set is left to ask about.
    """
    constraints = known.constraints
    doubted = known.unsure.get(sample, frozenset())
    candidates: list[int] = []
    for group in known.certain:
        members = constraints.samples(group)
        relation = constraints.relation(sample, group)
        if relation is Verdict.SAME:
            return None
        if relation is None and len(doubted.intersection(members)) < PATIENCE:
            candidates += [s for s in members if s not in doubted | known.aside]
    if not candidates:
        return None
    best = np.argmax(closeness(sample, np.array(candidates, dtype=np.intp)))
    return Question(sample, candidates[int(best)])

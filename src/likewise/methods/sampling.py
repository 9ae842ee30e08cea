"""From a score of samples to a question about a pair (paper, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.knowledge import Knowledge, Question
from likewise.methods.clustering import SpectralModel
from likewise.placement import begun, next_question, opened, unplaced

Score: TypeAlias = Callable[
    [SpectralModel, Knowledge, Indices, np.random.Generator], Floats
]


def propose_by_sample(
    score: Score, model: SpectralModel, known: Knowledge, rng: np.random.Generator
) -> Question | None:
    """Ask about the best-scoring sample until it is placed, then choose another.

    Parameters
    ----------
    score : callable
        ``score(model, known, samples, rng)`` says how much would be learned from
        placing each of the samples; the largest is asked about, ties by lot.
    model, known, rng
        As for every method.
    """
    known = opened(known, model.start)
    for sample in _best_first(score, model, known, rng):
        question = next_question(sample, known, model.clustering.problem.closeness)
        if question is not None:
            return question
    return None


def _best_first(
    score: Score, model: SpectralModel, known: Knowledge, rng: np.random.Generator
) -> Iterator[int]:
    yield from begun(known)
    free = unplaced(known)
    if free.size:
        lots = rng.random(len(free))
        scores = score(model, known, free, rng)
        yield from free[np.lexsort((lots, -scores))].tolist()

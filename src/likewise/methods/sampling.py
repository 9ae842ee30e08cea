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


N_COMPARED = 50  # best samples among which those unlike the pending ones are sought


def propose_by_sample(
    score: Score,
    model: SpectralModel,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Ask about the best-scoring sample until it is placed, then choose another.

    Parameters
    ----------
    score : callable
        ``score(model, known, samples, rng)`` says how much would be learned from
        placing each of the samples; the largest is asked about, ties by lot.
    model, known, rng, pending
        As for every method.
    """
    known = opened(known, model.start)
    taken = [question.sample for question in pending]
    for sample in _best_first(score, model, known, rng, taken):
        question = next_question(sample, known, model.clustering.problem.closeness)
        if sample not in taken and question is not None:
            return question
    return None


def _best_first(
    score: Score,
    model: SpectralModel,
    known: Knowledge,
    rng: np.random.Generator,
    taken: list[int],
) -> Iterator[int]:
    yield from begun(known)
    free = unplaced(known, taken)
    if free.size:
        lots = rng.random(len(free))
        scores = score(model, known, free, rng)
        if taken:
            scores = scores * _unlike(model, known, free, scores, taken)
        best = np.flatnonzero(scores == scores.max())
        yield int(free[best[np.argmin(lots[best])]])
        yield from free[np.lexsort((lots, -scores))[1:]].tolist()


def _unlike(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    scores: Floats,
    taken: list[int],
) -> Floats:
    """Return how much of each sample's pull on the eigenvectors the taken ones lack.

    1 for a sample that moves them in a direction of its own, 0 for one that moves them
    as the taken ones do. Only the best samples are compared, the others left out.
    """
    best = np.argsort(-scores, kind="stable")[:N_COMPARED]
    anchors = np.array([known.constraints.samples(g)[0] for g in known.certain])
    both = np.concatenate([free[best], np.array(taken, dtype=np.intp)])
    pulls = model.clustering.pulls(anchors, both)
    mine, theirs = pulls[: len(best)], pulls[len(best) :]
    basis, _ = np.linalg.qr(theirs.T)
    length = np.linalg.norm(mine, axis=1)
    rest = np.linalg.norm(mine - (mine @ basis) @ basis.T, axis=1)
    share = np.zeros(len(free))
    share[best] = np.divide(rest, length, out=np.ones_like(rest), where=length > 0)
    return share

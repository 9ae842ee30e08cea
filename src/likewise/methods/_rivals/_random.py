"""Random pairs, fed to spectral learning: the paper's baseline."""

from __future__ import annotations

from functools import partial

import numpy as np

from likewise._arrays import Indices
from likewise.knowledge import Answer, Knowledge, Question, Verdict
from likewise.methods._base import Method
from likewise.methods.clustering import (
    SpectralModel,
    begin_spectral,
    everything,
    learn_spectral,
)
from likewise.methods.constrained import Recipe

TRIES = 100  # draws before the pairs that are left are counted out


def propose(
    model: SpectralModel,  # noqa: ARG001 - chance looks at nothing
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Return a pair drawn evenly from those whose relation is not known."""
    known = known.after_all(Answer(open_, Verdict.UNSURE) for open_ in pending)
    active = np.setdiff1d(np.arange(known.n_samples), list(known.aside))
    if len(active) < 2:  # noqa: PLR2004 - a pair
        return None
    for _ in range(TRIES):
        i, j = rng.choice(active, 2, replace=False)
        if _is_open(known, int(i), int(j)):
            return Question(int(i), int(j))
    return _drawn_by_counting(known, active, rng)


def _drawn_by_counting(
    known: Knowledge, active: Indices, rng: np.random.Generator
) -> Question | None:
    for i in rng.permutation(active):
        others = [int(j) for j in active if j != i and _is_open(known, int(i), int(j))]
        if others:
            return Question(int(i), int(rng.choice(others)))
    return None


def _is_open(known: Knowledge, i: int, j: int) -> bool:
    told = known.constraints.relation(i, j)
    return told is None and j not in known.unsure.get(i, frozenset())


RANDOM = Method(
    "random",
    "Random pairs, the baseline: asks anything that is not known yet.",
    partial(begin_spectral, Recipe(), everything),
    partial(learn_spectral, everything),
    propose,
)

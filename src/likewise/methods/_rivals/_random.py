"""Chance, fed to spectral learning: random pairs, and random samples.

Random pairs are the paper's baseline. Random samples go through the series of questions
that URASC asks about a sample (paper, 3.3): what is left between the two is the worth
of the choice alone, and not of the way that one asks about it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, Knowledge, Question, Verdict
from likewise.methods.clustering import (
    SpectralModel,
    everything,
    spectral_method,
)
from likewise.methods.sampling import propose_by_sample

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


RANDOM = spectral_method(
    "random",
    "Random pairs, the baseline: asks anything that is not known yet.",
    propose,
    everything,
)


def all_alike(
    model: SpectralModel,  # noqa: ARG001 - chance looks at nothing
    known: Knowledge,  # noqa: ARG001
    free: Indices,
    rng: np.random.Generator,  # noqa: ARG001 - ties are broken by lot as it is
) -> Floats:
    """Return the same score for each of the samples in `free`."""
    return np.zeros(len(free))


LOT = spectral_method(
    "lot",
    "Random samples, the control: draws a sample and asks until it is placed.",
    partial(propose_by_sample, all_alike),
)

"""How often a model contradicts itself, which tells what it is worth before any check.

Who says that a is as b, b as c, and c not as a is wrong at least once. A model is heard
on all pairs of a few similar samples: how many of its answers have to be wrong follows
from how badly they fit any way to sort these samples. Nobody else is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from likewise._arrays import Floats
from likewise.readers._band import LEAST, SUREST, TAILS
from likewise.session import Rate

SIZE = 5  # samples that are heard with each other
OFFSETS = np.linspace(-4.0, 1.0, 101)  # of what is true from what is stated, log odds
SPREAD = 1.0  # of the offset, around none
COUNT = 0.5  # added to how often each kind of sorting was met
N_STEPS = 15  # of expectation and maximisation


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model says of all pairs of a few samples.

    Attributes
    ----------
    same : tuple of bool
        Whether it says "same", pair by pair, as :func:`itertools.combinations` has
        them.
    confidences : tuple of float
        How sure it is of each; 0.5 where it cannot tell.
    """

    same: tuple[bool, ...]
    confidences: tuple[float, ...]


def own_error(heard: Sequence[Heard], confidence: float) -> Rate:
    r"""Return how often a model is wrong that is so sure, by what it says itself.

    It is right with :math:`1 / (1 + e^{-(a + \operatorname{logit} c)})` where it states
    c, but at least with one half, each time anew, for an offset a that is unknown: 0
    for honest confidences. Every
    way to sort the samples explains what was said with some probability; how common
    each kind of sorting is (the sizes of its groups) is estimated too. Errors that fit
    together are not seen by this: they are for people to find.

    Parameters
    ----------
    heard : sequence of Heard
        Of different samples each.
    confidence : float

    Returns
    -------
    Rate
        With an interval of 90 %.

    Examples
    --------
    >>> fits, clashes = (True,) * 10, (True,) * 9 + (False,)
    >>> sure = (0.97,) * 10
    >>> round(own_error([Heard(fits, sure)] * 12, 0.97).mean, 2)
    0.02
    >>> round(own_error([Heard(clashes, sure)] * 12, 0.97).mean, 2)
    0.09
    """
    posterior = _posterior(heard)
    at = float(logit(min(confidence, SUREST)))
    wrong = expit(-np.maximum(OFFSETS + at, 0.0))  # falls with the offset
    high, low = wrong[np.searchsorted(posterior.cumsum(), TAILS)]
    return Rate(float(posterior @ wrong), float(low), float(high))


def _posterior(heard: Sequence[Heard]) -> Floats:
    """Return how likely each offset is, shape (n_offsets,)."""
    fits = _fits(heard)
    shares = np.full((len(OFFSETS), fits.shape[2]), 1 / fits.shape[2])
    for _ in range(N_STEPS):
        weights = shares[:, np.newaxis] * fits
        weights /= weights.sum(axis=2, keepdims=True)
        shares = weights.sum(axis=1) + COUNT
        shares /= shares.sum(axis=1, keepdims=True)
    told = np.log((shares[:, np.newaxis] * fits).sum(axis=2)).sum(axis=1)
    told -= (OFFSETS / SPREAD) ** 2 / 2
    posterior = np.exp(told - told.max())
    return np.asarray(posterior / posterior.sum())


def _fits(heard: Sequence[Heard]) -> Floats:
    """Return how likely what was said is, shape (n_offsets, n_heard, n_kinds).

    By what is true of the confidences, and by the kind of sorting.
    """
    same = np.array([one.same for one in heard])
    stated = np.clip([one.confidences for one in heard], LEAST, SUREST)
    # Nobody is worse than a guess: who always says the opposite would fit as well.
    odds = np.maximum(OFFSETS[:, np.newaxis, np.newaxis] + logit(stated), 0.0)
    odds[:, stated <= LEAST] = 0.0
    right, wrong = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)
    sorted_, kinds = _sortings()
    if_same, if_not = np.where(same, right, wrong), np.where(same, wrong, right)
    told = np.exp(if_same @ sorted_.T + if_not @ ~sorted_.T)
    return np.asarray(told @ (kinds / kinds.sum(axis=0)))


@cache
def _sortings() -> tuple[NDArray[np.bool_], Floats]:
    """Return all ways to sort the samples, and of which kind each is.

    Whether each pair is together, shape (n_ways, n_pairs), and shape (n_ways, n_kinds).
    """
    ways = list(_ways(SIZE))
    pairs = list(combinations(range(SIZE), 2))
    together = np.array([[way[i] == way[j] for i, j in pairs] for way in ways])
    sizes = [tuple(sorted(map(way.count, set(way)))) for way in ways]
    kinds = sorted(set(sizes))
    return together, np.array([[one == kind for kind in kinds] for one in sizes], float)


def _ways(n: int) -> Iterator[tuple[int, ...]]:
    """Yield each way to sort so many samples, as the group of each."""
    if n == 0:
        yield ()
        return
    for way in _ways(n - 1):
        for group in range(max(way, default=-1) + 2):
            yield (*way, group)

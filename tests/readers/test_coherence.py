"""What a model is worth by how often it contradicts itself."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.special import expit, logit

from likewise.readers._coherence import (
    OFFSETS,
    SIZE,
    Heard,
    _fits,
    _posterior,
    _sortings,
    own_error,
)

PAIRS = list(combinations(range(SIZE), 2))


def hearing(
    seed: int, n: int, error: float | None = None, offset: float = 0.0
) -> list[Heard]:
    """Hear a model that errs in a share of pairs, or as often as it says."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(n):
        group = rng.choice(3, SIZE, p=[0.7, 0.2, 0.1])  # neighbours are much alike
        true = np.array([group[i] == group[j] for i, j in PAIRS])
        sure = 0.5 + 0.5 * rng.beta(4, 1, len(PAIRS))
        share = expit(-offset - logit(sure)) if error is None else error
        said = true ^ (rng.random(len(PAIRS)) < share)
        found.append(Heard(tuple(said.tolist()), tuple(sure.tolist())))
    return found


def test_every_way_to_sort_is_there_once() -> None:
    together, kinds = _sortings()
    ways = {tuple(way) for way in together.tolist()}
    bell = 52

    assert len(ways) == len(together) == bell
    assert kinds.sum(axis=1).tolist() == [1] * bell
    at = {pair: k for k, pair in enumerate(PAIRS)}
    for way in together:
        for i, j, k in permutations(range(SIZE), 3):
            ij, jk, ik = (at[min(p), max(p)] for p in ((i, j), (j, k), (i, k)))
            assert not (way[ij] and way[jk]) or way[ik]


def test_what_was_said_is_as_likely_as_by_the_definition() -> None:
    (one,) = hearing(3, 1)
    together, kinds = _sortings()
    for at in (0, 40, len(OFFSETS) - 1):
        right = expit(OFFSETS[at] + logit(np.clip(one.confidences, 0.5, 0.999)))
        right = np.maximum(right, 0.5)
        wanted = np.zeros(kinds.shape[1])
        for way, kind in zip(together, kinds, strict=True):
            told = np.where(way == np.array(one.same), right, 1 - right).prod()
            wanted += kind * told / kinds.sum(axis=0)
        assert _fits([one])[at, 0] == pytest.approx(wanted)


def test_who_cannot_tell_says_nothing() -> None:
    shrugs = Heard((False,) * len(PAIRS), (0.5,) * len(PAIRS))
    heard = hearing(1, 6)

    assert _posterior([*heard, shrugs]) == pytest.approx(_posterior(heard), abs=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_honest_and_wrong_models_are_told_apart(seed: int) -> None:
    honest, wrong = hearing(seed, 30), hearing(seed, 30, error=0.3)

    assert own_error(honest, 0.97).low < 0.06
    assert own_error(wrong, 0.97).low > 0.06


def test_intervals_hold_the_truth() -> None:
    held = 0
    for seed in range(60):
        offset = (-1.0, -0.5, 0.0)[seed % 3]
        found = own_error(hearing(seed, 12, offset=offset), 0.97)
        held += found.low <= expit(-offset - logit(0.97)) <= found.high
    assert held >= 48  # 54 are expected

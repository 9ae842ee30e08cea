"""Random pairs, the baseline."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from tests.definitions import answers

from likewise import METHODS, Verdict
from likewise.knowledge import Knowledge

RANDOM = METHODS["random"]


def test_every_open_pair_is_equally_likely() -> None:
    known = Knowledge(4).after_all(answers([(0, 1, Verdict.DIFFERENT)]))
    rng = np.random.default_rng(0)

    drawn = [RANDOM.propose(None, known, rng) for _ in range(1000)]

    counts = Counter(question.pair for question in drawn if question is not None)
    assert counts.keys() == set(combinations(range(4), 2)) - {(0, 1)}
    assert all(150 < count < 250 for count in counts.values())


@pytest.mark.parametrize("verdict", [Verdict.DIFFERENT, Verdict.UNSURE])
def test_the_last_open_pair_is_found(verdict: Verdict, seed: int) -> None:
    pairs = set(combinations(range(30), 2)) - {(3, 17)}
    known = Knowledge(30).after_all(answers([(i, j, verdict) for i, j in pairs]))

    question = RANDOM.propose(None, known, np.random.default_rng(seed))

    assert question is not None
    assert question.pair == (3, 17)


def test_nothing_is_asked_when_every_pair_is_known(seed: int) -> None:
    pairs = combinations(range(12), 2)
    known = Knowledge(12).after_all(
        answers([(i, j, Verdict.DIFFERENT) for i, j in pairs])
    )

    assert RANDOM.propose(None, known, np.random.default_rng(seed)) is None


@pytest.mark.parametrize("aside", [{0, 1, 2}, {0, 1}])
def test_fewer_than_two_samples_make_no_pair(aside: set[int], seed: int) -> None:
    known = Knowledge(3, aside=frozenset(aside))

    assert RANDOM.propose(None, known, np.random.default_rng(seed)) is None

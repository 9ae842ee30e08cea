"""Random pairs, the baseline."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from likewise import Session, Verdict

Triple = tuple[int, int, Verdict]


def ask(n: int, seed: int, answers: list[Triple]) -> tuple[int, int] | None:
    """Return the pair that is asked about after some answers on n samples."""
    X = np.arange(float(n))[:, np.newaxis]
    question = Session(X, "random", random_state=seed, answers=answers).ask()
    return None if question is None else question.pair


def test_every_open_pair_is_equally_likely() -> None:
    counts = Counter(ask(4, seed, [(0, 1, Verdict.DIFFERENT)]) for seed in range(300))

    assert counts.keys() == set(combinations(range(4), 2)) - {(0, 1)}
    # 60 each are expected: four standard deviations.
    assert all(32 <= count <= 88 for count in counts.values())


@pytest.mark.parametrize("verdict", [Verdict.DIFFERENT, Verdict.UNSURE])
def test_the_last_open_pair_is_found(verdict: Verdict, seed: int) -> None:
    pairs = set(combinations(range(30), 2)) - {(3, 17)}

    assert ask(30, seed, [(i, j, verdict) for i, j in pairs]) == (3, 17)


@pytest.mark.parametrize("verdict", [Verdict.DIFFERENT, Verdict.UNSURE])
def test_nothing_is_asked_when_no_pair_is_open(verdict: Verdict, seed: int) -> None:
    pairs = combinations(range(12), 2)

    assert ask(12, seed, [(i, j, verdict) for i, j in pairs]) is None


@pytest.mark.parametrize("n_left", [0, 1])
def test_fewer_than_two_samples_make_no_pair(n_left: int) -> None:
    session = Session([[0.0], [1.0], [2.0]], "random")

    for sample in range(n_left, 3):
        session.set_aside(sample)

    assert session.ask() is None


# Random samples through the series of URASC


def first_asked_about(answers: list[Triple], seed: int) -> tuple[int, int]:
    """Return the sample that is asked about, and what it is compared with."""
    X = np.arange(6.0)[:, np.newaxis]
    question = Session(X, "lot", 2, random_state=seed, answers=answers).ask()
    assert question is not None
    return question.sample, question.against


def test_every_sample_without_a_set_is_drawn_equally_often() -> None:
    told = [(0, 5, Verdict.DIFFERENT)]
    counts = Counter(first_asked_about(told, seed)[0] for seed in range(300))

    assert counts.keys() == {1, 2, 3, 4}
    # 75 each are expected: four standard deviations.
    assert all(45 <= count <= 105 for count in counts.values())


def test_a_sample_that_was_drawn_is_compared_with_the_nearest_set_first() -> None:
    told = [(0, 5, Verdict.DIFFERENT)]

    for seed in range(20):
        sample, against = first_asked_about(told, seed)
        assert against == (0 if sample <= 2 else 5)


def test_a_sample_that_was_drawn_is_asked_about_until_it_is_placed(seed: int) -> None:
    told = [(0, 5, Verdict.DIFFERENT)]
    sample, against = first_asked_about(told, seed)

    again = first_asked_about([*told, (sample, against, Verdict.DIFFERENT)], seed)

    # Answers that nobody asked for begin no series, so chance may draw another one.
    assert again != (sample, against)

"""Error rates of readers: against the model that they are estimated by."""

from __future__ import annotations

import numpy as np
import pytest

from likewise.knowledge import Answer, Question, Verdict
from likewise.methods._readers import (
    LIKE_OTHERS,
    USUAL,
    Votes,
    errors_in,
    errors_told,
)

SURE = 0.97  # of a pair that is the same; of one that is not, the rest


def said_by(
    rates: dict[str, tuple[float, float]], n: int, seed: int, overlap: float = 0.1
) -> tuple[Votes, np.ndarray]:
    """Return what readers say of n pairs each, and how alike each pair looks."""
    rng = np.random.default_rng(seed)
    chances = rng.choice([SURE, 1 - SURE, 0.7, 0.3], size=n * len(rates))
    truth = rng.random(len(chances)) < chances
    answers: list[Answer] = []
    names = list(rates)
    for pair, same in enumerate(truth):
        first = pair % len(names)
        for at in (first, first + 1) if rng.random() < overlap else (first,):
            by = names[at % len(names)]
            slips = rng.random() < rates[by][1 if same else 0]
            verdict = Verdict.SAME if same != slips else Verdict.DIFFERENT
            answers.append(Answer(Question(2 * pair, 2 * pair + 1), verdict, by=by))
    return Votes.of(answers), chances


TEAM = {"ann": (0.02, 0.02), "bob": (0.05, 0.05), "cid": (0.2, 0.2)}


def test_rates_are_found_and_their_intervals_hold_them() -> None:
    apart, covered = [], []
    for seed in range(60):
        found = errors_in(*said_by(TEAM, 110, seed))
        for by, (rate, _) in TEAM.items():
            wrong = found[by].wrong
            apart.append(abs(wrong.mean - rate))
            covered.append(wrong.low <= rate <= wrong.high)
    assert np.mean(apart) < 0.03
    assert np.mean(covered) > 0.85


def test_the_two_rates_are_told_apart() -> None:
    team = TEAM | {"dot": (0.3, 0.02)}
    found = [errors_in(*said_by(team, 200, seed))["dot"] for seed in range(10)]
    assert np.mean([one.same.mean for one in found]) == pytest.approx(0.3, abs=0.05)
    assert np.mean([one.different.mean for one in found]) < 0.07


@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.97, 0.03), (0.1, 0.9)])
def test_who_guesses_or_always_says_the_same_is_found(
    rates: tuple[float, float],
) -> None:
    found = errors_in(*said_by(TEAM | {"dot": rates}, 80, seed=1))
    assert [by for by, one in found.items() if one.is_guessing] == ["dot"]


def test_the_posterior_is_that_of_the_definition() -> None:
    # Pairs far from any doubt: 27 of 30 that are the same are said to be, and none of
    # the others.
    truth = np.arange(60) % 2 == 0
    says = truth & (np.arange(60) >= 6)
    told = [
        Answer(Question(2 * at, 2 * at + 1), Verdict.of(bool(said)), by="ann")
        for at, said in enumerate(says)
    ]
    found = errors_in(Votes.of(told), np.where(truth, 1.0, 0.0))["ann"].different.mean
    # The prior mean is that of everybody, who is this reader: it is looked for.
    rates, everybody = np.linspace(0.001, 0.979, 400), found
    for _ in range(20):
        pooled = (USUAL[0] + 60 * everybody) / (sum(USUAL) + 60)
        a, b = LIKE_OTHERS * pooled + 3, LIKE_OTHERS * (1 - pooled) + 27
        density = rates ** (a - 1) * (1 - rates) ** (b - 1)
        everybody = float((rates * density).sum() / density.sum())
    assert found == pytest.approx(everybody, abs=0.02)


def test_the_order_of_readers_does_not_matter() -> None:
    votes, chances = said_by(TEAM, 60, seed=4)
    turned = dict(reversed(TEAM.items()))
    order = [list(turned).index(by) for by in TEAM]
    same = Votes(
        tuple(turned),
        np.array(order)[votes.who],
        votes.pair,
        votes.same,
        votes.pairs,
        votes.kind,
    )
    one, other = errors_in(votes, chances), errors_in(same, chances)
    for by in TEAM:
        assert one[by].wrong.mean == pytest.approx(other[by].wrong.mean, rel=1e-9)


def test_of_each_reader_and_pair_the_last_word_counts() -> None:
    asked = Question(0, 1)
    told = [
        Answer(asked, Verdict.SAME, by="ann"),
        Answer(asked, Verdict.UNSURE, by="bob"),
        Answer(asked, Verdict.DIFFERENT, by="ann"),
        Answer(Question(2, 3), Verdict.SAME, how="given"),
    ]
    votes = Votes.of(told)
    assert (votes.readers, votes.same.tolist(), votes.pairs) == (
        ("ann",),
        [False],
        ((0, 1),),
    )


def test_nobody_has_said_anything() -> None:
    assert errors_told([]) == {}
    assert errors_told([Answer(Question(0, 1), Verdict.UNSURE, by="ann")]) == {}

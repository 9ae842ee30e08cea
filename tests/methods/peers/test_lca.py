"""Local clusters and their alternatives against the score that they are about."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances
from tests.problems import blobs

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.experiments import ari
from likewise.methods._peers._lca import GAIN, Board, weights


def score(W: Floats, labels: Indices) -> float:
    together = labels[:, np.newaxis] == labels
    return float(np.where(together, W, -W).sum()) / 2


def symmetric(m: int, rng: np.random.Generator) -> Floats:
    W = np.triu(rng.standard_normal((m, m)), 1)
    return W + W.T


def test_weights_are_log_odds_of_the_rank_of_a_distance() -> None:
    gaps = euclidean_distances(blobs((4, 4)).X)
    upper = gaps[np.triu_indices(8, 1)]

    W = weights(gaps, 2)

    rank = (upper <= gaps[1, 5] + 1e-9).mean()
    p = 1 / (1 + 2 * rank)
    assert W[1, 5] == W[5, 1] == pytest.approx(np.log(p / (1 - p)))


@pytest.mark.parametrize("variant", range(5))
def test_an_alternative_scores_as_much_higher_as_it_says(variant: int) -> None:
    rng = np.random.default_rng(variant)
    board = Board(symmetric(9, rng))
    board.together(0, 3)
    board.together(3, 7)

    for change in list(board.alternatives()):
        after = board.home.copy()
        after[change.moved] = 99 if change.into < 0 else change.into
        alive = board.home >= 0
        W = board.W[np.ix_(alive, alive)]
        gained = score(W, after[alive]) - score(W, board.home[alive])
        assert change.delta == pytest.approx(gained)


def test_sums_stay_those_of_weights_and_clusters(rng: np.random.Generator) -> None:
    board = Board(symmetric(12, rng))

    for step in range(30):
        i, j = rng.choice(12, 2, replace=False).tolist()
        a, b = board.unit_of[i], board.unit_of[j]
        if step % 3 == 0:
            if board.W[a, b] > -board.verdict / 2:
                board.together(i, j)
        elif a != b:
            board.apart(i, j)
        for change in islice(board.alternatives(), 1):
            board.take(change)
        for unit in np.flatnonzero(board.home >= 0):
            for cluster in set(board.home[board.home >= 0].tolist()):
                expected = board.W[unit, board.home == cluster].sum()
                assert board.sums[unit, cluster] == pytest.approx(expected, abs=1e-6)


def test_what_an_alternative_turns_on_is_what_it_puts_otherwise(
    rng: np.random.Generator,
) -> None:
    board = Board(symmetric(8, rng))

    for change in list(board.alternatives()):
        after = board.home.copy()
        after[change.moved] = 99 if change.into < 0 else change.into
        now, then = (home[:, np.newaxis] == home for home in (board.home, after))
        pairs = list(board.differing(change))
        found = np.zeros((8, 8), dtype=bool)
        for a, b in pairs:
            found[a, b] = found[b, a] = True
        np.testing.assert_array_equal(found, now != then)
        heavy = [abs(board.W[pair]) for pair in pairs]
        assert heavy == sorted(heavy, reverse=True)


def test_answers_weigh_more_than_all_else() -> None:
    W = np.ones((4, 4)) - np.eye(4)
    board = Board(W)
    board.apart(0, 1)

    while (change := next(board.alternatives())).delta > GAIN:
        board.take(change)

    assert board.home[0] != board.home[1]
    assert board.verdict > 2 * np.abs(W).sum() / 2


def test_clusters_are_right_after_some_verification() -> None:
    tiny = blobs((12, 10, 8, 6), spread=0.6)
    session = Session(tiny.X, "lca", 4, random_state=0)

    for view in run(session, LabelOracle(tiny.truth), 25):
        found = ari(tiny.truth, view.labels)

    assert found > 0.95

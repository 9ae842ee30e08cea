"""A3S against its formulas."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances
from tests.definitions import answers, truth_of
from tests.problems import blobs

from likewise import LabelOracle, Session, run
from likewise._arrays import Indices
from likewise.experiments import ari
from likewise.knowledge import Answer, Knowledge
from likewise.methods import problem_of
from likewise.methods._peers._a3s import (
    SURE,
    chance_of_one_class,
    compactness,
    entropy_lost,
    log_odds,
    probabilistic_clusters,
    script,
)
from likewise.methods._peers._script import Stages
from likewise.methods._space import Space


def entropy(labels: Indices) -> float:
    share = np.bincount(labels) / len(labels)
    return float(-sum(p * np.log(p) for p in share if p))


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 5), (10, 2)])
def test_merging_lowers_the_entropy_by_that_much(p: int, q: int) -> None:
    before = np.repeat([0, 1, 2], [p, q, 4])
    after = np.where(before == 1, 0, before)

    assert entropy_lost(p, q, p + q + 4) == pytest.approx(
        entropy(before) - entropy(after)
    )


def test_log_odds_fall_with_distance_and_are_bounded() -> None:
    X = blobs((8, 8, 8), spread=1.0).X
    odds = log_odds(X, 3, 0)
    apart = ~np.eye(len(X), dtype=bool)
    by_gap = np.argsort(euclidean_distances(X)[apart], kind="stable")

    assert (np.diff(odds[apart][by_gap]) <= 1e-9).all()
    assert np.abs(odds).max() <= np.log(SURE / (1 - SURE)) + 1e-9
    np.testing.assert_allclose(odds, odds.T, atol=1e-9)


def test_no_sample_gains_by_moving(rng: np.random.Generator) -> None:
    odds = rng.standard_normal((12, 12))
    odds = odds + odds.T
    np.fill_diagonal(odds, 0.0)
    everyone = np.tile(np.arange(12), (12, 1))

    home = probabilistic_clusters(odds, everyone)

    for sample in range(12):
        sums = [odds[sample, home == c].sum() for c in range(home.max() + 1)]
        assert max(sums) <= sums[home[sample]] + 1e-9


def test_two_clusters_are_one_by_their_likeliest_pairs(
    rng: np.random.Generator,
) -> None:
    p = rng.random((3, 6))
    best = [value for row in p for value in sorted(row)[-4:]]
    positive, negative = 1 + sum(best), 1 + sum(1 - value for value in best)

    assert chance_of_one_class(p) == pytest.approx(positive / (positive + negative))


def test_compactness_looks_at_pairs_from_the_middle_on(
    rng: np.random.Generator,
) -> None:
    p = rng.random((9, 9))
    middle = [sorted(row, reverse=True)[4:7] for row in p.tolist()]

    assert compactness(p) == pytest.approx(np.mean(middle))


@pytest.mark.parametrize("seed", range(3))
def test_it_ends_by_itself_before_everything_is_known(seed: int) -> None:
    tiny = blobs((9, 8, 7, 6), spread=1.0, seed=seed)
    problem = problem_of(tiny.X, affinity="auto", n_clusters=None)
    stages = Stages(script(Space(problem, 2), np.arange(30), seed))
    told: tuple[Answer, ...] = ()

    while (pair := stages.after(told).pair) is not None:
        told = (*told, *answers([(*pair, truth_of(tiny.truth.tolist(), *pair))]))

    known = Knowledge(30).after_all(told)
    assert len(known.constraints.members) < 30
    assert len(told) < 60


def test_many_classes_are_found_with_few_questions() -> None:
    tiny = blobs((10,) * 12, spread=0.25)
    session = Session(tiny.X, "a3s", 12, random_state=0)

    for view in run(session, LabelOracle(tiny.truth), 40):
        found = ari(tiny.truth, view.labels)

    assert found > 0.9

"""Which classes may be one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.problems import random_affinity

from likewise._arrays import Floats
from likewise.methods._likewise._probabilities import (
    APART,
    CLOSED,
    CROWDING,
    MOST_LIFT,
    PROMISED,
    SURE,
    TINY,
    apart_of,
    chance_of,
    crowding,
    fitted_map,
    logit,
    main_of,
    pressed,
    shared_out,
    sigmoid,
)

Seen = list[tuple[float, bool]]
WIDE = (-100.0, 100.0)
PRIORS = st.tuples(st.floats(-2, 2), st.floats(0.2, 3))


def seen(max_size: int = 12, *, least: float = 0.0) -> st.SearchStrategy[Seen]:
    x = st.floats(least, 1 - least)
    return st.lists(st.tuples(x, st.booleans()), max_size=max_size)


def penalised_loss(w: Floats, data: Seen, prior: tuple[float, float]) -> float:
    """Return minus the log posterior, by its definition."""
    loss = (w[0] - prior[0]) ** 2 / 2 + 4 * (w[1] - prior[1]) ** 2 / 2
    for x, same in data:
        z = w[0] + w[1] * float(logit(np.array(x)))
        loss += np.logaddexp(0, -z if same else z)
    return float(loss)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_logit_undoes_sigmoid(drawn: list[float]) -> None:
    p = np.clip(drawn, TINY, 1 - TINY)

    np.testing.assert_allclose(sigmoid(logit(p)), p, rtol=1e-9)


def test_logit_and_sigmoid_stay_finite_at_the_ends() -> None:
    assert np.isfinite(logit(np.array([0.0, 1.0]))).all()
    np.testing.assert_allclose(
        sigmoid(np.array([-1e9, 0.0, 1e9])), [0.0, 0.5, 1.0], atol=1e-12
    )


@settings(max_examples=40)
@given(seen(least=0.01), PRIORS)
def test_a_map_is_the_most_probable_one(data: Seen, prior: tuple[float, float]) -> None:
    expected = minimize(penalised_loss, np.array(prior), (data, prior), tol=1e-9)

    actual = fitted_map(tuple(data), prior, WIDE)

    np.testing.assert_allclose(actual, expected.x, atol=1e-5)


@given(seen(max_size=30, least=0.01), PRIORS)
def test_at_the_map_the_loss_is_flat(data: Seen, prior: tuple[float, float]) -> None:
    w = np.array(fitted_map(tuple(data), prior, WIDE))

    step = 1e-5
    for direction in np.eye(2) * step:
        up = penalised_loss(w + direction, data, prior)
        down = penalised_loss(w - direction, data, prior)
        assert abs(up - down) / (2 * step) < 1e-3


def test_a_map_is_the_most_probable_one_also_when_sure_sayings_were_wrong() -> None:
    hits = (1.0, 0.999, 0.001, 0.5, 0.99, 0.5, 1.0, 0.0, 0.9, 0.0)
    misses = (0.1, 1.0, 0.1, 0.9, 0.1)
    data = [*((x, True) for x in hits), *((x, False) for x in misses)]
    prior = (0.0, 1.5)
    expected = minimize(penalised_loss, np.array(prior), (data, prior), tol=1e-9)

    actual = fitted_map(tuple(data), prior, WIDE)

    np.testing.assert_allclose(actual, expected.x, atol=1e-5)


@given(PRIORS)
def test_without_answers_a_map_is_the_prior(prior: tuple[float, float]) -> None:
    assert fitted_map((), prior, WIDE) == prior


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_answers_that_a_line_separates_give_a_finite_map(n: int) -> None:
    data = [(1e-9, False), (0.0, False), (1.0, True), (0.9, True)] * n

    a, b = fitted_map(tuple(data), (0.0, 1.5), WIDE)

    assert np.isfinite([a, b]).all()
    assert abs(a) < 10
    assert 0 < b < 10


@given(seen(max_size=30), st.floats(0.1, 1), st.floats(1, 3))
def test_the_slope_is_kept_inside_its_limits(
    data: Seen, least: float, largest: float
) -> None:
    _, slope = fitted_map(tuple(data), (0.0, 1.0), (least, largest))

    assert least <= slope <= largest


def test_answers_that_say_the_opposite_leave_the_least_slope() -> None:
    data = [(0.01, True), (0.99, False)] * 20

    assert fitted_map(tuple(data), (0.0, 1.0), (0.2, 10.0))[1] == 0.2


def test_more_hits_than_said_raise_the_map_and_fewer_lower_it() -> None:
    hits, misses = [(0.5, True)] * 10, [(0.5, False)] * 10

    assert fitted_map(tuple(hits), (0.0, 1.0), WIDE)[0] > 0.5
    assert fitted_map(tuple(misses), (0.0, 1.0), WIDE)[0] < -0.5


@given(seen(least=0.01), PRIORS, st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_matter(
    data: Seen, prior: tuple[float, float], random: Any
) -> None:
    mixed = random.sample(data, len(data))

    np.testing.assert_allclose(
        fitted_map(tuple(mixed), prior, WIDE),
        fitted_map(tuple(data), prior, WIDE),
        atol=1e-6,
    )


FAINT = APART / 10


def symmetric(m: int, pairs: Iterable[tuple[int, int]], value: float) -> Floats:
    made = np.zeros((m, m))
    for g, h in pairs:
        made[g, h] = made[h, g] = value
    return made


@st.composite
def relations(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Draw how likely classes are one, and what was voted."""
    m = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    same = np.triu(rng.random((m, m)) ** draw(st.integers(1, 8)), 1)
    votes = np.triu(rng.integers(-2, 2, (m, m)), 1).astype(float)
    return same + same.T, votes + votes.T


def test_a_step_is_weight_between_by_weight_of_the_smaller(
    rng: np.random.Generator,
) -> None:
    W, Q = random_affinity(8, rng), rng.dirichlet(np.ones(3), 8)
    R = np.zeros((3, 3))
    for i, j in np.ndindex(8, 8):
        R += W[i, j] * np.outer(Q[i], Q[j])

    actual = chance_of(R)

    for g, h in np.ndindex(3, 3):
        smaller = min(R[g].sum(), R[h].sum())
        assert actual[g, h] == pytest.approx(R[g, h] / smaller)


def test_nothing_steps_where_nothing_is_linked() -> None:
    np.testing.assert_array_equal(chance_of(np.zeros((2, 2))), 0.0)


def test_only_pairs_larger_than_a_group_are_crowded() -> None:
    shares = np.array([0.5, 0.3, 0.1, 0.1])

    actual = crowding(shares, 3)

    assert actual[0, 1] == pytest.approx(CROWDING * np.log(3 * 0.8))
    assert actual[2, 3] == 0.0
    np.testing.assert_allclose(actual, actual.T)


def test_without_a_number_nothing_is_crowded() -> None:
    np.testing.assert_array_equal(crowding(np.array([0.9, 0.1]), 0), 0.0)


@given(relations())
def test_classes_are_apart_when_told_so_and_unlikely_to_be_one(
    drawn: tuple[Floats, Floats],
) -> None:
    same, votes = drawn
    actual = apart_of(same, votes)

    for g, h in np.ndindex(*same.shape):
        assert actual[g, h] == (votes[g, h] < 0 and same[g, h] < APART)


@given(relations(), st.integers(0, 5))
def test_main_classes_are_k_all_apart_with_little_doubt(
    drawn: tuple[Floats, Floats], k: int
) -> None:
    same, votes = drawn

    main = main_of(same, votes, list(range(len(same))), k)

    assert len(main) in (0, k)
    if main:
        assert all(apart_of(same, votes)[g, h] for g, h in combinations(main, 2))
        assert sum(same[g, h] for g, h in combinations(main, 2)) <= CLOSED


def test_larger_classes_are_main_before_smaller_ones() -> None:
    told = [(0, 1), (1, 2)]
    same, votes = symmetric(3, told, FAINT), symmetric(3, told, -1.0)
    same += symmetric(3, [(0, 2)], 0.9)

    assert sorted(main_of(same, votes, [1, 5, 3], 2)) == [1, 2]
    assert sorted(main_of(same, votes, [3, 5, 1], 2)) == [0, 1]


def test_what_is_likely_for_another_class_is_shared_out_among_the_main_ones() -> None:
    same = symmetric(4, combinations(range(3), 2), FAINT)
    for g, p in enumerate((0.8, 0.5, 0.2)):
        same[3, g] = same[g, 3] = p
    odds = np.array([4.0, 1.0, 0.25])

    actual = shared_out(same, [0, 1, 2])

    np.testing.assert_allclose(actual[3, :3], odds / odds.sum())
    np.testing.assert_allclose(actual, actual.T)
    np.testing.assert_array_equal(actual[:3, :3], same[:3, :3])


def test_elimination_is_never_quite_sure() -> None:
    same = symmetric(3, [(0, 1)], FAINT)
    same[2, 0] = same[0, 2] = 1e-9
    same[2, 1] = same[1, 2] = 0.9

    assert shared_out(same, [0, 1])[2, 1] == SURE


@given(relations(), st.integers(1, 6))
def test_pressure_raises_open_pairs_alike_and_no_others(
    drawn: tuple[Floats, Floats], k: int
) -> None:
    same, votes = drawn
    before = same.copy()

    actual = pressed(same, votes, k)

    np.testing.assert_array_equal(same, before)
    np.testing.assert_allclose(actual, actual.T)
    upper = np.triu_indices(len(same), 1)
    now, then, is_open = actual[upper], same[upper], votes[upper] >= 0
    np.testing.assert_array_equal(now[~is_open], then[~is_open])
    assert (now[is_open] >= then[is_open] - 1e-5).all()
    inner = is_open & (then > 1e-5) & (then < 1 - 1e-5)
    lift = np.log(now / (1 - now))[inner] - np.log(then / (1 - then))[inner]
    if lift.size:
        np.testing.assert_allclose(lift, lift[0], atol=1e-4)
        assert -1e-4 <= lift[0] <= MOST_LIFT


def test_open_pairs_promise_a_share_of_the_merges_that_k_asks_for() -> None:
    same = symmetric(8, combinations(range(8), 2), 0.01)

    actual = np.triu(pressed(same, np.zeros((8, 8)), 3), 1).sum()

    assert np.triu(same, 1).sum() < PROMISED * 5 <= actual


def test_pressure_has_its_limit() -> None:
    same = symmetric(8, combinations(range(8), 2), 1e-5)

    actual = pressed(same, np.zeros((8, 8)), 3)

    assert actual.max() <= 1e-5 * np.exp(MOST_LIFT)


@pytest.mark.parametrize("k", [4, 5])
def test_no_more_classes_than_there_are_groups_are_under_no_pressure(k: int) -> None:
    same = symmetric(4, combinations(range(4), 2), 0.1)

    np.testing.assert_array_equal(pressed(same, np.zeros((4, 4)), k), same)

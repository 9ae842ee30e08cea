"""Which classes may be one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.problems import random_affinity

from likewise._arrays import Floats
from likewise.methods._likewise._merges import (
    APART,
    CLOSED,
    CROWDING,
    MOST_LIFT,
    PROMISED,
    SURE,
    apart_of,
    crowding,
    main_of,
    pressed,
    shared_out,
    step_chance,
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


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_a_step_is_weight_between_by_weight_of_the_smaller(
    convert: type, rng: np.random.Generator
) -> None:
    W, Q = random_affinity(8, rng), rng.dirichlet(np.ones(3), 8)
    R = np.zeros((3, 3))
    for i, j in np.ndindex(8, 8):
        R += W[i, j] * np.outer(Q[i], Q[j])

    actual = step_chance(convert(W), Q)

    for g, h in np.ndindex(3, 3):
        smaller = min(R[g].sum(), R[h].sum())
        assert actual[g, h] == pytest.approx(R[g, h] / smaller)


def test_nothing_steps_where_nothing_is_linked() -> None:
    np.testing.assert_array_equal(step_chance(np.zeros((4, 4)), np.eye(4)[:, :2]), 0.0)


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

"""Which clusters may be one, and which may be several."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.session.test_review import SAME, known_of
from tests.strategies import affinities

from likewise._arrays import Weights
from likewise.session import _splitting as closeness
from likewise.session import fusing_answer, likeness_of, parts_within


def values(W: Weights, labels: np.ndarray) -> np.ndarray:
    """Return how alike all clusters are, of shape (k, k)."""
    found = likeness_of(W, labels)
    k = int(labels.max(initial=-1)) + 1
    return np.array([found.of(one) for one in range(k)]).reshape(k, k)


@given(affinities(n_samples=9), st.lists(st.integers(-1, 3), min_size=9, max_size=9))
def test_a_graph_and_a_matrix_say_the_same(W: np.ndarray, labels: list[int]) -> None:
    found = values(sp.csr_array(W), np.array(labels))

    expected = values(W, np.array(labels))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_graph_is_looked_at_some_rows_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    W = sp.random_array((30, 30), density=0.3, rng=np.random.default_rng(0)).tocsr()
    labels = np.arange(30) % 4
    whole = values(W, labels)
    monkeypatch.setattr(closeness, "N_ROWS", 7)

    np.testing.assert_allclose(values(W, labels), whole)


# Parts of a cluster


BLOCKS = np.kron(np.eye(3), np.ones((4, 4))) - np.eye(12) + 0.01 * (1 - np.eye(12))
HALVES = [[0, 1, 2, 3], [4, 5, 6, 7]]


def as_sets(parts: list[list[int]]) -> set[frozenset[int]]:
    return set(map(frozenset, parts))


@pytest.mark.parametrize("W", [BLOCKS, sp.csr_array(BLOCKS)])
def test_a_cluster_falls_apart_where_it_hangs_together_least(W: Weights) -> None:
    assert as_sets(parts_within(W, range(8), 2)) == as_sets(HALVES)


def test_only_members_are_in_the_parts() -> None:
    members = [0, 1, 4, 5, 8, 9]

    parts = parts_within(BLOCKS, members, 3)

    assert as_sets(parts) == {frozenset(p) for p in ([0, 1], [4, 5], [8, 9])}


def test_no_more_parts_than_samples() -> None:
    assert as_sets(parts_within(BLOCKS, [0, 4], 5)) == {frozenset([0]), frozenset([4])}


def test_the_least_coherent_part_comes_first() -> None:
    W = BLOCKS.copy()
    W[np.ix_(range(4, 8), range(8, 12))] = W[np.ix_(range(8, 12), range(4, 8))] = 0.3
    W[np.ix_(range(8, 12), range(8, 12))] *= 0.8

    parts = parts_within(W, range(12), 3)

    assert set(parts[-1]) == {0, 1, 2, 3}


def test_the_answer_that_alone_ties_the_parts_is_found() -> None:
    told = [(0, 1, SAME), (1, 2, SAME), (4, 5, SAME), (2, 5, SAME), (6, 5, SAME)]

    found = fusing_answer(known_of(told), HALVES)

    assert found is not None
    answer, sides = found
    assert answer.id == 4
    assert set(map(frozenset, sides)) == {frozenset([0, 1, 2]), frozenset([4, 5, 6])}


def test_parts_that_two_answers_tie_were_not_fused_by_one() -> None:
    told = [(0, 1, SAME), (4, 5, SAME), (0, 4, SAME), (1, 5, SAME)]

    assert fusing_answer(known_of(told), HALVES) is None


def test_parts_without_answers_were_not_fused() -> None:
    assert fusing_answer(known_of([(0, 1, SAME)]), HALVES) is None


@pytest.mark.parametrize("W", [BLOCKS, sp.csr_array(BLOCKS)])
def test_likeness_is_the_weight_between_as_a_share(W: Weights) -> None:
    labels = np.repeat([0, 1, 2], 4)

    found = values(W, labels)

    volume = BLOCKS[:4].sum()
    assert found[0, 1] == pytest.approx(16 * 0.01 / volume)
    assert found[1, 1] == 0


def test_the_nearest_cluster_is_the_most_alike_one_that_is_left() -> None:
    W = BLOCKS.copy()
    W[0, 8] = W[8, 0] = 1.0
    likeness = likeness_of(W, np.repeat([0, 1, 2], 4))

    assert likeness.nearest(0) == 2
    assert likeness.nearest(0, besides=frozenset([2])) == 1
    assert likeness.nearest(0, besides=frozenset([1, 2])) is None


def test_a_lone_cluster_is_like_none() -> None:
    assert likeness_of(BLOCKS, np.zeros(12, dtype=np.intp)).nearest(0) is None


def test_samples_set_aside_count_for_nothing() -> None:
    labels = np.repeat([0, 1, -1], 4)

    assert values(BLOCKS, labels).shape == (2, 2)

"""What was given, and what is derived from it once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.problems import random_affinity

from likewise._arrays import dense
from likewise.affinity import precomputed
from likewise.errors import InputError
from likewise.methods import Problem, problem_of


@pytest.fixture
def problem(rng: np.random.Generator) -> Problem:
    return problem_of(rng.random((6, 2)), affinity="auto", n_clusters=None)


def test_a_problem_shows_what_its_affinity_has(rng: np.random.Generator) -> None:
    problem = problem_of(rng.random((6, 2)), affinity="auto", n_clusters=2)

    assert problem.n_samples == 6
    assert problem.weights is problem.affinity.weights
    assert problem.neighbours is problem.affinity.neighbours
    assert problem.features is problem.affinity.features
    assert problem.closeness is problem.affinity.closeness


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_samples_set_aside_lose_every_edge_and_no_other_is_lost(
    convert: Any, rng: np.random.Generator
) -> None:
    W = random_affinity(6, rng)
    problem = problem_of(convert(W), affinity="precomputed", n_clusters=None)

    cut = problem.without(frozenset({1, 4}))

    expected = W.copy()
    expected[[1, 4]] = expected[:, [1, 4]] = 0.0
    np.testing.assert_array_equal(dense(cut.weights), expected)
    np.testing.assert_array_equal(dense(cut.neighbours), expected)
    np.testing.assert_array_equal(dense(problem.weights), W)


def test_setting_nothing_aside_changes_nothing(problem: Problem) -> None:
    assert problem.without(frozenset()) is problem


@pytest.mark.parametrize("n_clusters", [0, -1, 7])
def test_a_number_of_clusters_that_cannot_be_is_refused(n_clusters: int) -> None:
    X = np.arange(6.0)[:, np.newaxis]

    with pytest.raises(InputError, match=rf"between 1 and .*\(6\).* {n_clusters}"):
        problem_of(X, affinity="auto", n_clusters=n_clusters)


def test_what_is_derived_from_the_data_is_computed_once(problem: Problem) -> None:
    made: list[str] = []

    def make() -> list[str]:
        made.append("once")
        return made

    assert problem.once("key", make) is problem.once("key", make)
    assert made == ["once"]


def test_another_number_of_clusters_has_derived_nothing_yet(problem: Problem) -> None:
    problem.once("key", lambda: "old")

    assert replace(problem, n_clusters=1).once("key", lambda: "new") == "new"


def test_the_last_cut_is_kept_with_what_was_derived_from_it(problem: Problem) -> None:
    cut = problem.without(frozenset({1}))

    assert problem.without(frozenset({1})) is cut
    assert problem.without(frozenset({2})) is not cut


def test_what_is_cut_out_of_a_graph_leaves_its_numbers_as_they_are(
    rng: np.random.Generator,
) -> None:
    W = sp.csr_array(random_affinity(6, rng).astype(np.float32))
    affinity = replace(precomputed(W), weights=W, neighbours=W)

    cut = Problem(affinity).without(frozenset({2}))

    assert cut.weights.dtype == cut.neighbours.dtype == np.float32
    assert cut.weights.nnz == 20


def test_who_waits_is_told_how_far_the_search_is(rng: np.random.Generator) -> None:
    seen: list[tuple[int, int]] = []

    problem_of(
        rng.random((6, 2)),
        affinity="auto",
        n_clusters=None,
        progress=lambda *at: seen.append(at),
    )

    assert seen[-1] == (6, 6)


def test_a_device_that_there_is_not_is_refused_before_anything_is_searched_for() -> (
    None
):
    def never(_: Any) -> Any:
        raise AssertionError

    with pytest.raises(InputError, match="There is no device 'abacus'"):
        problem_of([[0.0]], affinity=never, n_clusters=None, device="abacus")


def test_the_device_stays_when_samples_are_cut_out(rng: np.random.Generator) -> None:
    problem = problem_of(
        rng.random((6, 2)), affinity="auto", n_clusters=None, device="cuda"
    )

    assert problem.without(frozenset({2})).device == "cuda"

"""What was given, and what is derived from it once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.problems import random_affinity

from likewise.arrays import dense
from likewise.errors import InputError
from likewise.problem import problem_of


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


def test_setting_nothing_aside_changes_nothing(rng: np.random.Generator) -> None:
    problem = problem_of(rng.random((6, 2)), affinity="auto", n_clusters=None)

    assert problem.without(frozenset()) is problem


@pytest.mark.parametrize("n_clusters", [0, -1, 7])
def test_a_number_of_clusters_that_cannot_be_is_refused(n_clusters: int) -> None:
    X = np.arange(6.0)[:, np.newaxis]

    with pytest.raises(InputError, match=rf"between 1 and .*\(6\).* {n_clusters}"):
        problem_of(X, affinity="auto", n_clusters=n_clusters)

"""The flagship as a method: what it keeps when something is taken away."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import blobs

from likewise.knowledge import Knowledge
from likewise.methods import likewise
from likewise.methods.likewise import begin
from likewise.problem import problem_of


@pytest.mark.parametrize(("few", "is_kept"), [(10, True), (100, False)])
def test_among_many_samples_one_set_aside_needs_no_new_solution(
    few: int, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likewise, "FEW_SAMPLES", few)
    problem = problem_of(blobs((8, 8, 8)).X, affinity="auto", n_clusters=3)

    whole, less = (
        begin(problem, Knowledge(24, aside=aside), np.random.default_rng(0))
        for aside in (frozenset[int](), frozenset({5}))
    )

    assert (whole.ground is less.ground) == is_kept


def test_samples_set_aside_are_never_founders_of_a_class() -> None:
    problem = problem_of(blobs((8, 8, 8)).X, affinity="auto", n_clusters=3)
    whole = begin(problem, Knowledge(24), np.random.default_rng(0))
    founders = frozenset(map(int, whole.ground.medoids[:2]))

    less = begin(problem, Knowledge(24, aside=founders), np.random.default_rng(0))

    assert founders.isdisjoint(less.beliefs.class_of)

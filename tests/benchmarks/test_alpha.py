"""The interval of alpha covers the true value, as it says."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.alpha import TEAMS, Team, answers_of, covered, trials

from likewise.knowledge import Verdict
from likewise.session._agreement import alpha_of


def test_the_interval_covers_the_true_alpha() -> None:
    """Of 60 projects, always the same; 200 are those of the benchmark."""
    assert covered(trials(60, seed=0)) >= 0.9


@pytest.mark.parametrize("team", TEAMS[::4])
def test_the_true_alpha_is_that_of_many_pairs(team: Team) -> None:
    rng = np.random.default_rng(0)
    counts: dict[tuple[int, tuple[int, int]], list[float]] = {}
    for at in range(60):
        for answer in answers_of(team, rng):
            both = counts.setdefault((at, answer.question.pair), [0.0, 0.0])
            both[answer.verdict is not Verdict.SAME] += 1

    found = float(alpha_of(np.array(list(counts.values()))))
    assert found == pytest.approx(team.alpha, abs=0.03)

"""Spectral clustering under the answers so far: lazy, and no worse than without."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.definitions import answers, classes_of, truth_of
from tests.problems import Tiny

from likewise import METHODS, Verdict
from likewise._arrays import Indices
from likewise.knowledge import Answer, Knowledge, Question, respect
from likewise.knowledge._constraints import Link
from likewise.methods import AnyMethod, Problem, problem_of
from likewise.methods.clustering import SpectralModel, everything, settled

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
N = 24


@pytest.fixture
def problem(blurred_blobs: Tiny) -> Problem:
    return problem_of(blurred_blobs.X, affinity="auto", n_clusters=3)


@pytest.fixture(params=["urasc+n", "random"])
def method(request: pytest.FixtureRequest) -> AnyMethod:
    return METHODS[request.param]


def after(told: list[Link]) -> Knowledge:
    return Knowledge(N).after_all(answers(told))


def begin(method: AnyMethod, problem: Problem, known: Knowledge) -> SpectralModel:
    model = method.begin(problem, known, np.random.default_rng(0))
    assert isinstance(model, SpectralModel)
    return model


def some_answers(truth: Indices, n: int, seed: int) -> list[Link]:
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(N, 2, replace=False).tolist() for _ in range(n)]
    return [(i, j, truth_of(truth.tolist(), i, j)) for i, j in pairs]


def agreement(raw: Indices, known: Knowledge, groups: tuple[int, ...]) -> float:
    """Return the shares of must-links kept and of cannot-links kept, pair by pair."""
    samples = [s for group in groups for s in known.constraints.samples(group)]
    kept: dict[Verdict, list[bool]] = {SAME: [], DIFFERENT: []}
    for i, j in combinations(samples, 2):
        relation = known.constraints.relation(i, j)
        if relation is not None:
            kept[relation].append((raw[i] == raw[j]) == (relation is SAME))
    return sum(float(np.mean(pairs)) if pairs else 1.0 for pairs in kept.values())


def test_settled_groups_are_the_sets_and_the_larger_groups() -> None:
    known = after([(1, 0, DIFFERENT), (2, 1, DIFFERENT), (4, 5, SAME), (7, 8, UNSURE)])

    assert settled(known) == (0, 1, 4)
    assert everything(known) == (0, 1, 2, 4)


def test_nothing_is_computed_before_somebody_looks(
    method: AnyMethod, problem: Problem
) -> None:
    model = begin(method, problem, after([(1, 0, DIFFERENT)]))

    assert not {"spectrum", "raw", "shares"} & vars(model.clustering).keys()
    assert "labels" not in vars(model)


def test_a_sample_that_is_half_placed_needs_no_new_clustering(
    problem: Problem,
) -> None:
    method, answer = METHODS["urasc+n"], Answer(Question(5, 1), DIFFERENT)
    known = after([(1, 0, DIFFERENT)])
    model = begin(method, problem, known)

    learned = method.learn(model, known.after(answer), answer)

    assert learned.clustering is model.clustering


def test_a_sample_that_is_placed_brings_a_new_clustering(
    method: AnyMethod, problem: Problem
) -> None:
    answer = Answer(Question(5, 1), SAME)
    known = after([(1, 0, DIFFERENT)])
    model = begin(method, problem, known)

    learned = method.learn(model, known.after(answer), answer)

    assert learned.clustering is not model.clustering


@pytest.mark.parametrize("n", [0, 5, 10, 20, 40])
def test_labels_come_from_the_clustering_that_agrees_better_with_the_answers(
    method: AnyMethod, n: int, problem: Problem, seed: int
) -> None:
    classes = np.random.default_rng(seed).integers(0, 3, N)  # not those of the data
    known = after(some_answers(classes, n, seed))
    model = begin(method, problem, known)

    scores: dict[tuple[int, ...], list[float]] = {}
    for found in (model.plain, model.clustering):
        labels = respect(found.raw, found.shares, known.constraints, known.certain)
        agreed = agreement(found.raw[:], known, model.clustering.groups)
        scores.setdefault(tuple(labels), []).append(agreed)

    best = max(max(agreed) for agreed in scores.values())
    assert max(scores[tuple(model.labels)]) == pytest.approx(best)


def test_the_number_of_clusters_grows_with_the_certain_sets(
    method: AnyMethod, problem: Problem
) -> None:
    told = [(i, j, DIFFERENT) for i, j in combinations(range(5), 2)]

    model = begin(method, problem, after(told))

    assert model.clustering.n_clusters == 5
    assert model.labels.max() == 4


def test_placed_samples_are_certain(method: AnyMethod, problem: Problem) -> None:
    model = begin(method, problem, after([(1, 0, DIFFERENT), (2, 0, SAME)]))

    np.testing.assert_array_equal(model.confidence[[0, 1, 2]], 1.0)


def test_without_answers_the_labels_are_the_raw_clusters(
    method: AnyMethod, problem: Problem
) -> None:
    model = begin(method, problem, Knowledge(N))

    assert classes_of(model.labels.tolist()) == classes_of(
        model.clustering.raw[:].tolist()
    )

"""QUIRE: samples that are informative and representative, for two classes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from tests.definitions import euclidean
from tests.problems import Tiny, blobs, random_affinity

from likewise import LabelOracle, Session, run
from likewise.affinity import auto
from likewise.knowledge import Knowledge
from likewise.methods import Problem, problem_of
from likewise.methods._rivals._pool import (
    QUIRE,
    informative_and_representative,
    kernel_columns,
    worst_case_losses,
)
from likewise.methods.clustering import SpectralModel
from likewise.methods.sampling import unplaced


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Two heaps of 12 that run into each other."""
    return blobs((12, 12), spread=2.5, seed=seed)


def everyone(problem: Problem) -> np.ndarray:
    return np.arange(problem.n_samples)


def test_the_kernel_of_features_is_a_gaussian_of_their_mean_distance(
    mixed: Tiny,
) -> None:
    problem = problem_of(mixed.X, affinity="auto", n_clusters=2)

    K = kernel_columns(problem, everyone(problem))

    squared = euclidean(mixed.X) ** 2
    np.testing.assert_allclose(K, np.exp(-squared / squared.mean()), atol=1e-12)


def test_the_kernel_of_sparse_features_is_that_of_dense_ones(mixed: Tiny) -> None:
    problem = problem_of(mixed.X, affinity="auto", n_clusters=2)
    sparse = problem_of(sp.csr_array(mixed.X), affinity="auto", n_clusters=2)
    columns = np.array([3, 0, 7])

    actual = kernel_columns(sparse, columns)

    np.testing.assert_allclose(actual, kernel_columns(problem, columns), atol=1e-12)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_the_kernel_of_any_similarity_is_positive(
    convert: type, rng: np.random.Generator
) -> None:
    W = random_affinity(12, rng) * (rng.random((12, 12)) < 0.3)
    W = np.maximum(W, W.T)
    W[5] = W[:, 5] = 0.0  # a sample without neighbours
    problem = problem_of(convert(W), affinity="precomputed", n_clusters=2)

    K = kernel_columns(problem, everyone(problem))

    np.testing.assert_allclose(K, K.T)
    np.testing.assert_array_equal(np.diag(K), 1.0)
    assert np.linalg.eigvalsh(K).min() > -1e-12


def test_it_asks_about_the_sample_with_the_smallest_loss(mixed: Tiny) -> None:
    session = Session(mixed.X, QUIRE, 2)
    oracle = LabelOracle(mixed.truth)

    for _ in run(session, oracle, budget=25):
        question, known = session.ask(), known_of(session)
        if question is None or len(known.certain) < 2 or len(unfinished(known)):
            continue
        first, second = (list(known.constraints.samples(g)) for g in known.certain)
        placed = np.array(first + second)
        y = np.array([1.0] * len(first) + [-1.0] * len(second))
        free = np.setdiff1d(np.arange(24), placed)
        K = kernel_columns(model_of(session).problem, np.arange(24))
        losses = worst_case_losses(
            K[np.ix_(placed, placed)], K[np.ix_(free, placed)], np.ones(len(free)), y, 1
        )
        assert question.sample == free[losses.argmin()]


def model_of(session: Session) -> SpectralModel:
    model = session.view.model
    assert isinstance(model, SpectralModel)
    return model


def known_of(session: Session) -> Knowledge:
    return Knowledge(session.n_samples).after_all(session.history)


def unfinished(known: Knowledge) -> set[int]:
    """Return the samples whose questions have begun: they go first."""
    touched = {answer.question.sample for answer in known.answers}
    return {sample for sample in touched if not known.is_placed(sample)}


def test_scores_are_positive(mixed: Tiny) -> None:
    session = Session(mixed.X, QUIRE, 2)

    for _ in run(session, LabelOracle(mixed.truth), budget=10):
        known = known_of(session)
        model, chance = model_of(session), np.random.default_rng(0)
        scores = informative_and_representative(model, known, unplaced(known), chance)
        assert (scores > 0).all()


def test_questions_for_many_people_are_about_different_samples(mixed: Tiny) -> None:
    session = Session(mixed.X, QUIRE, 2)
    for _ in run(session, LabelOracle(mixed.truth), budget=6):
        pass

    batch = session.ask(5)

    assert len({question.sample for question in batch}) == 5


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(QUIRE)).name == "quire"


def test_a_similarity_alone_gets_to_the_classes(mixed: Tiny) -> None:
    W = auto(mixed.X).weights
    session = Session(W, QUIRE, 2, "precomputed")

    for _ in run(session, LabelOracle(mixed.truth), budget=1000):
        pass

    assert session.progress.settled == 1.0

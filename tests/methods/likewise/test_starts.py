"""Other starts: a mixture that is found again, groups that answers ask for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from tests.problems import Tiny, blobs

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, MemoryJournal, Question, Verdict
from likewise.methods._likewise._method import FieldModel
from likewise.methods._likewise._starts import (
    FEWEST,
    INSIDE,
    OUTSIDE,
    RIDGE,
    best_support,
    main_directions,
    mixture_clusters,
    mixture_of,
    support,
    told_by,
)


def stretched(seed: int = 0) -> tuple[Floats, Indices]:
    """Return a large flat class and a small long one that cross its middle plane."""
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(160, 3)) * [4.0, 4.0, 0.2]
    long = rng.normal(size=(60, 3)) * [0.3, 0.3, 4.0] + [0.0, 0.0, 9.0]
    return np.vstack([wide, long]), np.repeat([0, 1], [160, 60])


def halves(X: Floats) -> Indices:
    """Return what a graph might make of it: two halves of the same size."""
    return (X[:, 0] > np.median(X[:, 0])).astype(np.intp)


def test_it_finds_the_likeliest_components_that_scikit_learn_finds() -> None:
    X, truth = stretched()
    start = np.where(X[:, 2] > 3, 1, 0)
    ridge = RIDGE * X.var(axis=0).mean()
    means = np.array([X[start == c].mean(axis=0) for c in (0, 1)])
    other = GaussianMixture(
        2, reg_covar=ridge, means_init=means, tol=1e-6, max_iter=500
    )

    found = mixture_clusters(X, start)

    assert adjusted_rand_score(found, other.fit_predict(X)) > 0.97
    assert adjusted_rand_score(found, truth) > 0.9


@given(st.integers(0, 200), st.integers(2, 4))
def test_clusters_are_numbered_without_gaps(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(30, 2)), rng.integers(k, size=30)
    labels[:k] = np.arange(k)

    found = mixture_clusters(X, labels)

    assert set(found.tolist()) == set(range(int(found.max()) + 1))


@pytest.mark.parametrize("factor", [1e-200, 1.0, 1e200])
def test_units_and_directions_are_no_matter(factor: float) -> None:
    X, truth = stretched()
    start = np.where(np.arange(len(X)) < 12, 1, truth)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]

    here = mixture_clusters(main_directions(X), start)
    there = mixture_clusters(main_directions(factor * (X @ turn)), start)

    assert adjusted_rand_score(here, there) == pytest.approx(1.0)


def test_samples_that_are_all_equal_are_left_as_they_are() -> None:
    labels = np.repeat([0, 1], 30)

    assert mixture_of(np.ones((60, 2)), labels, 0) is None


def test_few_samples_a_cluster_tell_nothing() -> None:
    X, _ = stretched()
    labels = np.arange(len(X)) % (len(X) // FEWEST + 1)

    assert mixture_of(X, labels, 0) is None


def test_what_the_graph_shows_already_is_no_mixture() -> None:
    heaps = blobs((30, 30))

    assert mixture_of(heaps.X, heaps.truth, 0) is None


def test_one_long_tail_is_no_cluster() -> None:
    # A mixture would take the tail for a class of its own; normal scores have none.
    X = np.exp(1.5 * np.random.default_rng(0).normal(size=(200, 4)))

    assert mixture_of(X, halves(X), 0) is None


def test_a_mixture_is_held_longer_the_less_of_it_the_graph_shows() -> None:
    X, truth = stretched()
    starts = [np.where(np.arange(len(X)) < n_wrong, 1, truth) for n_wrong in (40, 12)]

    far, near = (mixture_of(X, start, 0) for start in starts)

    assert far is not None
    assert near is not None
    assert far.n_held > near.n_held > 0
    assert [far.labels[m] for m in far.medoids] == [0, 1]


def test_irises_begin_with_their_mixture_and_stay_there_while_it_is_held() -> None:
    X, y = load_iris(return_X_y=True)
    session = Session(X, n_clusters=3)

    scores = [adjusted_rand_score(y, session.labels)]
    views = run(session, LabelOracle(y), 8)
    scores += [adjusted_rand_score(y, view.labels) for view in views]

    assert scores[0] > 0.85  # a graph alone begins at about 0.6
    assert min(scores) > scores[0] - 0.05


# As many groups as the answers ask for


def heaps_of_groups(seed: int = 0) -> Tiny:
    """Return three heaps far apart, each of six groups that touch."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(18), 16))
    angle = 2 * np.pi * (truth % 6) / 6
    middle = np.column_stack([np.cos(angle), np.sin(angle)]) * 2.5
    middle[:, 0] += 30 * (truth // 6)
    return Tiny(middle + 0.7 * rng.standard_normal(middle.shape), truth)


def model_of(session: Session) -> FieldModel:
    model = session._current()
    assert isinstance(model, FieldModel)
    return model


def by_definition(same: NDArray[np.bool_], prior: tuple[float, float]) -> float:
    """Return the log probability of answers, one after the other."""
    a, b = prior
    total = 0.0
    for is_same in same:
        total += np.log((a if is_same else b) / (a + b))
        a, b = a + is_same, b + (not is_same)
    return total


@given(st.integers(0, 500), st.integers(0, 40))
def test_support_is_the_chance_of_one_answer_after_the_other(seed: int, t: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=12)
    first, second = rng.integers(12, size=(2, t))
    same = rng.random(t) < 0.5
    is_inside = labels[first] == labels[second]

    expected = by_definition(same[is_inside], INSIDE)
    expected += by_definition(same[~is_inside], OUTSIDE)

    assert support(labels, (first, second, same)) == pytest.approx(expected)


@given(st.integers(0, 500), st.integers(0, 40))
def test_no_clustering_has_more_support_than_the_best(seed: int, t: int) -> None:
    rng = np.random.default_rng(seed)
    told = (*rng.integers(12, size=(2, t)), rng.random(t) < 0.5)

    assert support(rng.integers(4, size=12), told) <= best_support(told) + 1e-9


def test_unsure_answers_say_nothing() -> None:
    verdicts = (Verdict.SAME, Verdict.UNSURE, Verdict.DIFFERENT)
    answers = [Answer(Question(5, at), verdict) for at, verdict in enumerate(verdicts)]

    first, second, same = told_by(answers)

    assert first.tolist() == [0, 2]
    assert second.tolist() == [5, 5]
    assert same.tolist() == [True, False]
    assert [len(part) for part in told_by([])] == [0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_answers_ask_for_more_groups(seed: int) -> None:
    tiny = heaps_of_groups(seed)
    session = Session(tiny.X, random_state=seed)
    before = len(np.unique(session.labels))

    *_, _ = run(session, LabelOracle(tiny.truth), 80)

    model = model_of(session)
    assert before == 3
    assert len(np.unique(model.prior.start)) >= 12
    assert adjusted_rand_score(tiny.truth, session.labels) > 0.75


def test_right_clusters_stay_as_they_are() -> None:
    tiny = blobs([30, 30, 30, 30])
    session = Session(tiny.X, random_state=0)

    *_, _ = run(session, LabelOracle(tiny.truth), 20)

    assert len(np.unique(model_of(session).prior.start)) == 4


def test_k_that_is_known_is_not_questioned() -> None:
    tiny = heaps_of_groups()
    session = Session(tiny.X, n_clusters=3, random_state=0)

    *_, _ = run(session, LabelOracle(tiny.truth), 40)

    assert len(np.unique(model_of(session).prior.start)) == 3


def test_a_session_taken_up_again_has_looked_as_closely() -> None:
    tiny, journal = heaps_of_groups(), MemoryJournal()
    session = Session(tiny.X, random_state=0, journal=journal)
    *_, _ = run(session, LabelOracle(tiny.truth), 85)

    again = Session(tiny.X, random_state=0, journal=journal)

    assert len(np.unique(model_of(again).prior.start)) > 3
    assert model_of(again).beliefs == model_of(session).beliefs
    assert again.labels.tolist() == session.labels.tolist()
    assert again.ask() == session.ask()


def test_a_medoid_set_aside_has_somebody_speak_for_it() -> None:
    tiny = heaps_of_groups()
    session = Session(tiny.X, random_state=0)
    *_, _ = run(session, LabelOracle(tiny.truth), 85)
    fine = model_of(session)
    told = {end for answer in session.history for end in answer.question.pair}
    unasked = sorted(set(fine.prior.medoids.tolist()) - told)
    assert len(np.unique(fine.prior.start)) > 3

    session.set_aside(unasked[0])

    cluster = np.flatnonzero(fine.prior.start == fine.prior.start[unasked[0]])
    assert set(cluster.tolist()) & set(model_of(session).beliefs.class_of)
    assert unasked[0] not in model_of(session).beliefs.class_of

"""pKNN+AL and QUIRE: which sample of a pool, by those already placed."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.definitions import euclidean
from tests.problems import Tiny, blobs, random_affinity

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.knowledge import Knowledge
from likewise.methods import Method, Problem, problem_of
from likewise.methods._rivals._pool import (
    N_NEAREST,
    PKNN,
    PRIOR,
    QUIRE,
    WIDTH,
    centred,
    class_probabilities,
    disagreement,
    feature_weights,
    gaussian_likeness,
    informative_and_representative,
    kernel_columns,
    mean_square_distance,
    within,
    worst_case_losses,
)
from likewise.methods.clustering import SpectralModel
from likewise.methods.sampling import unplaced


def test_the_spread_within_classes_is_that_of_the_definition(
    rng: np.random.Generator,
) -> None:
    X, classes = rng.standard_normal((9, 3)), np.array([0, 1, 2, 0, 1, 2, 0, 0, 1])

    expected = sum(
        ((X[classes == c] - X[classes == c].mean(axis=0)) ** 2).sum(axis=0)
        for c in range(3)
    )

    np.testing.assert_allclose(within(X, classes), expected)
    np.testing.assert_allclose(within(sp.csr_array(X), classes), expected)


def test_the_mean_square_distance_is_that_over_all_pairs(
    rng: np.random.Generator,
) -> None:
    X = 5 + rng.standard_normal((8, 2))

    expected = (euclidean(X) ** 2).mean()

    assert mean_square_distance(X) == pytest.approx(expected)
    assert mean_square_distance(sp.csr_array(X)) == pytest.approx(expected)


def test_samples_far_from_zero_are_spread_as_they_are_near_it(
    rng: np.random.Generator,
) -> None:
    X = rng.standard_normal((20, 3))

    assert mean_square_distance(X + 1e7) == pytest.approx(mean_square_distance(X))


def test_samples_that_are_all_equal_have_a_scale_nevertheless() -> None:
    assert mean_square_distance(np.full((4, 2), 3.0)) == 1.0


def test_centring_leaves_sparse_samples_alone() -> None:
    X = sp.csr_array(np.eye(3))

    assert centred(X) is X


CLASSES = np.array([0, 1, 1, 2, 0, 2])

# No two are the same, or so near to each other that rounding may have made the
# difference: those count as the same, see below.
likenesses = arrays(np.int64, (4, 6), elements=st.integers(0, 1000), unique=True).map(
    lambda K: K / 1000
)


@given(likenesses, st.integers(1, 9))
def test_probabilities_are_those_of_the_definition(K: Floats, nearest: int) -> None:
    actual = class_probabilities(K, CLASSES, nearest)

    for row, x in enumerate(K):
        near = sorted(range(6), key=lambda i: -x[i])[:nearest]
        total = sum(x[i] for i in near)
        for c in range(3):
            mass = sum(x[i] for i in near if CLASSES[i] == c)
            expected = mass / total if total > 0 else 1 / 3
            assert actual[row, c] == pytest.approx(expected)


def test_a_sample_that_is_like_nobody_may_be_anywhere() -> None:
    actual = class_probabilities(np.zeros((2, 6)), CLASSES, 3)

    np.testing.assert_array_equal(actual, 1 / 3)


def test_samples_as_like_as_the_last_one_count_too() -> None:
    actual = class_probabilities(np.array([[0.5, 0.5, 0.5, 0.1, 0.1, 0.1]]), CLASSES, 1)

    np.testing.assert_allclose(actual, [[1 / 3, 2 / 3, 0.0]])


def test_samples_as_like_as_the_last_one_but_for_rounding_count_too() -> None:
    K = np.array([[0.5 - 1e-13, 0.5 + 1e-13, 0.5, 0.1, 0.1, 0.1]])

    actual = class_probabilities(K, CLASSES, 1)

    np.testing.assert_allclose(actual, [[1 / 3, 2 / 3, 0.0]])


@pytest.mark.parametrize("width", [1e-6, 1.0, 1e6])
def test_a_sample_far_from_all_is_like_the_nearest_one(width: float) -> None:
    actual = gaussian_likeness(np.array([[1e12, 4e12], [0.0, 0.0]]), width)

    np.testing.assert_array_equal(actual, [[1.0, 0.0], [1.0, 1.0]])


def placed_samples(rng: np.random.Generator) -> tuple[Floats, Indices, Indices]:
    """Return samples whose classes differ in the first of three features only."""
    classes = np.arange(40) % 2
    X = rng.standard_normal((40, 3))
    X[:, 0] = 4 * classes + 0.3 * X[:, 0]
    return X - X.mean(axis=0), np.arange(30), classes[:30]


def cost_of(m: Floats, X: Floats, placed: Indices, classes: Indices) -> float:
    """Return what the metric minimises, as its docstring has it."""
    freedom = len(placed) - len(set(classes.tolist()))
    inside = sum(
        ((X[placed[classes == c]] - X[placed[classes == c]].mean(axis=0)) ** 2).sum(0)
        for c in set(classes.tolist())
    )
    ratio = inside / freedom / X.var(axis=0)
    short = freedom * (m * ratio - np.log(m)).sum()
    return float(short + PRIOR * (m - np.log(m)).sum())


def test_no_other_metric_costs_less(rng: np.random.Generator) -> None:
    X, placed, classes = placed_samples(rng)
    m = feature_weights(X, placed, classes)

    least = cost_of(m, X, placed, classes)

    for _ in range(50):
        other = m * np.exp(0.1 * rng.standard_normal(3))
        assert cost_of(other, X, placed, classes) > least


def test_the_feature_that_tells_the_classes_apart_weighs_most(
    rng: np.random.Generator,
) -> None:
    X, placed, classes = placed_samples(rng)

    m = feature_weights(X, placed, classes)

    assert m.argmax() == 0
    assert m[0] > 2 * m[1:].max()


def test_sparse_samples_have_the_metric_of_dense_ones(
    rng: np.random.Generator,
) -> None:
    X, placed, classes = placed_samples(rng)

    actual = feature_weights(sp.csr_array(X), placed, classes)

    np.testing.assert_allclose(actual, feature_weights(X, placed, classes))


def test_one_sample_a_class_teaches_no_metric(rng: np.random.Generator) -> None:
    X = rng.standard_normal((7, 3))

    actual = feature_weights(X, np.array([2, 5, 6]), np.arange(3))

    np.testing.assert_array_equal(actual, 1.0)


@pytest.mark.parametrize("n_placed", [2, 20, 2000])
def test_a_metric_is_bounded_whatever_the_classes_are(n_placed: int) -> None:
    classes = np.arange(n_placed) % 2
    X = np.column_stack([classes - 0.5, np.zeros(n_placed)])

    m = feature_weights(X, np.arange(n_placed), classes)

    assert (m > 0).all()
    assert m.max() <= 1 + n_placed / PRIOR
    assert m[1] == pytest.approx(1.0)


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Three heaps of 10 that run into each other."""
    return blobs((10, 10, 10), spread=2.5, seed=seed)


def steps(session: Session, tiny: Tiny, budget: int) -> Iterator[Knowledge]:
    for _ in run(session, LabelOracle(tiny.truth), budget):
        yield Knowledge(session.n_samples).after_all(session.history)


def scores(session: Session, known: Knowledge) -> dict[int, float]:
    """Return the score of every sample that is in no certain set."""
    free = unplaced(known)
    model = session.view.model
    assert isinstance(model, SpectralModel)
    found = disagreement(model, known, free, np.random.default_rng(0))
    return dict(zip(free.tolist(), found.tolist(), strict=True))


def entropy_of(x: Floats, known: Knowledge, classes: Indices) -> float:
    """Return the entropy of the classes of the placed samples that x is most like."""
    placed = [s for g in known.certain for s in known.constraints.samples(g)]
    near = sorted(placed, key=lambda s: -x[s])[:N_NEAREST]
    mass = [sum(x[s] for s in near if classes[s] == c) for c in set(classes[near])]
    return float(scipy.stats.entropy(mass)) if sum(mass) > 0 else np.nan


def test_the_score_is_the_entropy_in_the_learned_metric(mixed: Tiny) -> None:
    session = Session(mixed.X, PKNN, 3)
    X = mixed.X - mixed.X.mean(axis=0)

    for known in steps(session, mixed, 30):
        sets = [known.constraints.samples(g) for g in known.certain]
        placed = np.array([s for members in sets for s in members])
        classes = np.repeat(np.arange(len(sets)), [len(members) for members in sets])
        m = feature_weights(X, placed, classes)
        squared = (m * (X[:, np.newaxis] - X) ** 2).sum(axis=2)
        K = np.exp(-squared / (WIDTH * squared.mean()))
        for sample, score in scores(session, known).items():
            if K[sample, placed].max() > 1e-200:
                expected = entropy_of(K[sample], known, mixed.truth)
                assert score == pytest.approx(expected, abs=1e-6)


def test_it_asks_about_the_sample_with_the_largest_entropy(mixed: Tiny) -> None:
    session, looked = Session(mixed.X, PKNN, 3), 0

    for known in steps(session, mixed, 30):
        question, found = session.ask(), scores(session, known)
        begun = {a.question.sample for a in known.answers}
        if question is not None and question.sample not in begun:
            assert found[question.sample] == max(found.values())
            looked += 1

    assert looked > 5


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_without_features_the_similarities_decide(convert: type, mixed: Tiny) -> None:
    W = auto(mixed.X).weights.toarray()
    session = Session(convert(W), PKNN, 3, "precomputed")

    for known in steps(session, mixed, 20):
        unlike_all = np.log(len(known.certain))
        for sample, score in scores(session, known).items():
            expected = entropy_of(W[sample], known, mixed.truth)
            assert score == pytest.approx(np.nan_to_num(expected, nan=unlike_all))


def test_sparse_features_give_the_questions_of_dense_ones(mixed: Tiny) -> None:
    told = [(0, i, bool(mixed.truth[0] == mixed.truth[i])) for i in range(1, 9)]
    session = Session(mixed.X, PKNN, 3, answers=told)
    sparse = Session(sp.csr_array(mixed.X), PKNN, 3, answers=told)
    known = Knowledge(30).after_all(session.history)

    expected, actual = scores(session, known), scores(sparse, known)

    assert actual.keys() == expected.keys()
    for sample, score in expected.items():
        # Sparse samples are not centred, so the last digits differ.
        assert actual[sample] == pytest.approx(score, abs=1e-6)


def test_while_one_class_is_known_nothing_disagrees(mixed: Tiny) -> None:
    together = np.flatnonzero(mixed.truth == 0)[:4].tolist()
    told = [(together[0], other, True) for other in together[1:]]
    session = Session(mixed.X, PKNN, 3, answers=told)

    found = scores(session, Knowledge(30).after_all(session.history))

    assert set(found.values()) == {0.0}


@pytest.mark.parametrize("method", [PKNN, QUIRE])
def test_both_can_be_sent_to_another_process(
    method: Method[SpectralModel],
) -> None:
    assert pickle.loads(pickle.dumps(method)).name == method.name


N, N_LABELLED = 9, 4


def kernel(rng: np.random.Generator) -> Floats:
    """Return a kernel of nine samples, far from full rank."""
    X = rng.standard_normal((N, 3))
    return X @ X.T


def loss_of_the_paper(K: Floats, y: Floats, s: int, ridge: float) -> float:
    """Return max over y_s of min over the labels that stay unknown of y'Ly.

    The first samples are labelled; the minimum is where the gradient vanishes,
    L_uu y_u + L_ur y_r = 0.
    """
    L = np.linalg.inv(K + ridge * np.eye(N))
    r = np.array([*range(len(y)), s])
    u = np.setdiff1d(np.arange(N), r)
    losses = []
    for y_s in (1.0, -1.0):
        full = np.zeros(N)
        full[r] = [*y, y_s]
        full[u] = -np.linalg.solve(L[np.ix_(u, u)], L[np.ix_(u, r)] @ full[r])
        losses.append(float(full @ L @ full))
    return max(losses)


def losses(K: Floats, y: Floats, candidates: Indices, ridge: float = 1.0) -> Floats:
    o = np.arange(len(y))
    own = K[candidates, candidates]
    return worst_case_losses(K[np.ix_(o, o)], K[np.ix_(candidates, o)], own, y, ridge)


@pytest.mark.parametrize("ridge", [0.1, 1.0, 10.0])
def test_the_loss_is_that_of_the_paper(ridge: float, rng: np.random.Generator) -> None:
    for _ in range(10):
        K, y = kernel(rng), rng.choice([-1.0, 1.0], N_LABELLED)
        candidates = np.arange(N_LABELLED, N)

        expected = [loss_of_the_paper(K, y, s, ridge) for s in candidates.tolist()]

        np.testing.assert_allclose(losses(K, y, candidates, ridge), expected)


def test_the_labels_that_stay_unknown_are_at_their_best(
    rng: np.random.Generator,
) -> None:
    K, y = kernel(rng), rng.choice([-1.0, 1.0], N_LABELLED)
    L = np.linalg.inv(K + np.eye(N))

    for s in range(N_LABELLED, N):
        least = loss_of_the_paper(K, y, s, 1.0)
        for _ in range(20):
            others = [3 * rng.standard_normal(N) for _ in (1, -1)]
            for other, y_s in zip(others, (1.0, -1.0), strict=True):
                other[: len(y)], other[s] = y, y_s
            assert max(other @ L @ other for other in others) >= least - 1e-9


def test_turning_all_labels_round_changes_nothing(rng: np.random.Generator) -> None:
    K, y = kernel(rng), rng.choice([-1.0, 1.0], N_LABELLED)
    candidates = np.arange(N_LABELLED, N)

    np.testing.assert_allclose(losses(K, -y, candidates), losses(K, y, candidates))


def test_between_two_labels_less_is_lost_than_beside_one() -> None:
    places = np.array([0.0, 4.0, 2.0, 0.5])
    K = np.exp(-((places[:, np.newaxis] - places) ** 2) / 4)

    between, beside = losses(K, np.array([1.0, -1.0]), np.array([2, 3]))

    assert between < beside


def test_equal_samples_do_no_harm() -> None:
    actual = losses(np.ones((N, N)), np.ones(N_LABELLED), np.arange(N_LABELLED, N))

    assert np.isfinite(actual).all()
    assert (actual > 0).all()


@pytest.fixture
def two_mixed(seed: int) -> Tiny:
    """Two heaps of 12 that run into each other."""
    return blobs((12, 12), spread=2.5, seed=seed)


def everyone(problem: Problem) -> np.ndarray:
    return np.arange(problem.n_samples)


def test_the_kernel_of_features_is_a_gaussian_of_their_mean_distance(
    two_mixed: Tiny,
) -> None:
    problem = problem_of(two_mixed.X, affinity="auto", n_clusters=2)

    K = kernel_columns(problem, everyone(problem))

    squared = euclidean(two_mixed.X) ** 2
    np.testing.assert_allclose(K, np.exp(-squared / squared.mean()), atol=1e-12)


def test_the_kernel_of_sparse_features_is_that_of_dense_ones(two_mixed: Tiny) -> None:
    problem = problem_of(two_mixed.X, affinity="auto", n_clusters=2)
    sparse = problem_of(sp.csr_array(two_mixed.X), affinity="auto", n_clusters=2)
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


def test_it_asks_about_the_sample_with_the_smallest_loss(two_mixed: Tiny) -> None:
    session = Session(two_mixed.X, QUIRE, 2)
    oracle = LabelOracle(two_mixed.truth)

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


def test_scores_are_positive(two_mixed: Tiny) -> None:
    session = Session(two_mixed.X, QUIRE, 2)

    for _ in run(session, LabelOracle(two_mixed.truth), budget=10):
        known = known_of(session)
        model, chance = model_of(session), np.random.default_rng(0)
        scores = informative_and_representative(model, known, unplaced(known), chance)
        assert (scores > 0).all()


def test_questions_for_many_people_are_about_different_samples(two_mixed: Tiny) -> None:
    session = Session(two_mixed.X, QUIRE, 2)
    for _ in run(session, LabelOracle(two_mixed.truth), budget=6):
        pass

    batch = session.ask(5)

    assert len({question.sample for question in batch}) == 5


def test_a_similarity_alone_gets_to_the_classes(two_mixed: Tiny) -> None:
    W = auto(two_mixed.X).weights
    session = Session(W, QUIRE, 2, "precomputed")

    for _ in run(session, LabelOracle(two_mixed.truth), budget=1000):
        pass

    assert session.progress.settled == 1.0

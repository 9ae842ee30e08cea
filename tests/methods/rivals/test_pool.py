"""pKNN+AL and QUIRE: which sample of a pool, by those already placed."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from tests.definitions import euclidean
from tests.problems import Tiny, blobs, random_affinity

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.knowledge import Knowledge
from likewise.methods import Method, Problem, problem_of
from likewise.methods._rivals._pool import (
    CALM,
    PKNN,
    QUIRE,
    bounds_of,
    centred,
    doubt,
    informative_and_representative,
    kernel_columns,
    learned_weights,
    least_likely_mode,
    mean_square_distance,
    placed_samples,
    worst_case_losses,
)
from likewise.methods.clustering import SpectralModel
from likewise.methods.sampling import unplaced


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


def gaussian(X: Floats) -> Floats:
    """Return the kernel of the samples, pair by pair."""
    squared = euclidean(X) ** 2
    return np.exp(-squared / squared.mean())


def likeness_of(K: list[Floats], classes: Indices) -> Floats:
    """Return the mean of K_c(i, j) over the j of class c, sum by sum."""
    members = [np.flatnonzero(classes == c).tolist() for c in range(len(K))]
    return np.array(
        [
            [sum(K[c][i, j] for j in js) / len(js) for c, js in enumerate(members)]
            for i in range(len(classes))
        ]
    )


def kernels_of_the_paper(K: Floats, classes: Indices) -> list[Floats]:
    """Return the kernels nearest to K by LogDet under hard bounds, entry by entry.

    A general solver looks for the Cholesky factors; it knows no duals and no ranks.
    """
    o, m = len(K), int(classes.max()) + 1
    rows, columns = np.tril_indices(o)
    inverse = np.linalg.inv(K)

    def kernels(x: Floats) -> list[Floats]:
        factors = np.zeros((m, o, o))
        factors[:, rows, columns] = x.reshape(m, -1)
        return [L @ L.T for L in factors]

    def divergence(x: Floats) -> float:
        dets = [np.linalg.slogdet(k @ inverse)[1] for k in kernels(x)]
        return float(sum(np.trace(k @ inverse) for k in kernels(x)) - sum(dets))

    def kept(x: Floats) -> Floats:
        q = likeness_of(kernels(x), classes)
        total = q.sum(axis=1)
        return np.array(
            [
                q[i, c] - 2 / m * total[i]
                if c == classes[i]
                else 0.99 / m * total[i] - q[i, c]
                for i in range(o)
                for c in range(m)
            ]
        )

    start = np.tile(np.linalg.cholesky(K)[rows, columns], m)
    bounds = [{"type": "ineq", "fun": kept}]
    options = {"maxiter": 1000, "ftol": 1e-12}
    found = minimize(
        divergence, start, method="SLSQP", constraints=bounds, options=options
    )
    assert kept(found.x).min() > -1e-6
    return kernels(found.x)


SOME_CLASSES = [np.array([0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 2, 0])]


@pytest.mark.parametrize("classes", SOME_CLASSES)
def test_the_kernels_are_the_nearest_ones_that_keep_the_bounds(
    classes: Indices, rng: np.random.Generator
) -> None:
    for _ in range(3):
        K = gaussian(rng.standard_normal((len(classes), 4)))

        expected = likeness_of(kernels_of_the_paper(K, classes), classes)

        actual = K @ learned_weights(K, classes)
        np.testing.assert_allclose(actual, expected, atol=5 * CALM)
        changed = np.abs(likeness_of([K] * actual.shape[1], classes) - expected).max()
        assert changed > 20 * CALM  # there was something to learn


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_bounds_are_kept_by_many_samples(
    n_classes: int, rng: np.random.Generator
) -> None:
    classes = np.arange(60) % n_classes
    K = gaussian(rng.standard_normal((60, 6)))

    q = K @ learned_weights(K, classes)

    own, total = q[np.arange(60), classes], q.sum(axis=1)
    assert (own >= 2 / n_classes * total - 3 * CALM).all()
    q[np.arange(60), classes] = -np.inf
    assert (q <= 0.99 / n_classes * total[:, np.newaxis] + 3 * CALM).all()


def test_bounds_that_are_kept_already_change_nothing() -> None:
    K, classes = np.eye(6), np.array([0, 1, 2, 0, 1, 2])

    actual = learned_weights(K, classes)

    np.testing.assert_allclose(actual, bounds_of(K, classes).V, atol=CALM)


def test_equal_samples_of_two_classes_do_no_harm() -> None:
    actual = learned_weights(np.ones((4, 4)), np.array([0, 0, 1, 1]))

    assert np.isfinite(actual).all()


def test_doubt_is_one_over_the_largest_share(rng: np.random.Generator) -> None:
    q = rng.random((20, 4))

    actual = doubt(q)

    for row, found in zip(q.tolist(), actual, strict=True):
        assert found == pytest.approx(1 / max(mine / sum(row) for mine in row))


def test_a_class_less_like_a_sample_leaves_less_doubt() -> None:
    q = np.array([[0.5, other] for other in np.linspace(0.5, -2.0, 26)])

    actual = doubt(q)

    assert actual[0] == pytest.approx(2.0)
    assert (np.diff(actual) <= 0).all()
    assert actual[-1] == 0.0


def test_a_sample_that_is_like_nobody_may_be_anywhere() -> None:
    np.testing.assert_array_equal(doubt(np.array([[0.0, 0.0, 0.0], [-1, -2, 0]])), 3.0)


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
    found = least_likely_mode(model, known, free, np.random.default_rng(0))
    return dict(zip(free.tolist(), found.tolist(), strict=True))


def largest_share(K: Floats, known: Knowledge, sample: int) -> float:
    """Return max P(c | x), from the formula and the kernels of the paper.

    A learned kernel reaches a sample x that it was not learned from through its
    neighbours: K_c(x, .) = K(x, .) K^-1 K_c.
    """
    placed, classes = placed_samples(known)
    among = K[np.ix_(placed, placed)]
    row = np.linalg.solve(among, K[placed, sample])
    q = [
        float(np.mean([row @ learned[:, j] for j in np.flatnonzero(classes == c)]))
        for c, learned in enumerate(kernels_of_the_paper(among, classes))
    ]
    return max(mine / sum(q) for mine in q)


def test_the_score_is_that_of_the_definition(seed: int) -> None:
    tiny, looked = blobs((5, 5), spread=2.5, seed=seed), 0
    session, K = Session(tiny.X, PKNN, 2), gaussian(tiny.X)

    for known in steps(session, tiny, 4):
        if len(known.certain) == 2:
            for sample, score in scores(session, known).items():
                expected = 1 / largest_share(K, known, sample)
                assert score == pytest.approx(expected, abs=0.05)
                looked += 1

    assert looked > 8


def test_it_asks_about_the_sample_whose_likeliest_class_is_least_likely(
    mixed: Tiny,
) -> None:
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
    root = 1 / np.sqrt(W.sum(axis=1))
    K = np.eye(30) + root[:, np.newaxis] * W * root

    for known in steps(session, mixed, 12):
        placed, classes = placed_samples(known)
        if classes.max() > 0:
            weights = learned_weights(K[np.ix_(placed, placed)], classes)
            for sample, score in scores(session, known).items():
                assert score == pytest.approx(
                    doubt(K[[sample]][:, placed] @ weights)[0]
                )


def test_sparse_features_give_the_questions_of_dense_ones(mixed: Tiny) -> None:
    told = [(0, i, bool(mixed.truth[0] == mixed.truth[i])) for i in range(1, 9)]
    session = Session(mixed.X, PKNN, 3, answers=told)
    sparse = Session(sp.csr_array(mixed.X), PKNN, 3, answers=told)
    known = Knowledge(30).after_all(session.history)

    expected, actual = scores(session, known), scores(sparse, known)

    assert actual.keys() == expected.keys()
    for sample, score in expected.items():
        # Sparse samples are not centred, so the last digits differ.
        assert actual[sample] == pytest.approx(score, abs=1e-4)


def test_while_one_class_is_known_all_are_in_equal_doubt(mixed: Tiny) -> None:
    together = np.flatnonzero(mixed.truth == 0)[:4].tolist()
    told = [(together[0], other, True) for other in together[1:]]
    session = Session(mixed.X, PKNN, 3, answers=told)

    found = scores(session, Knowledge(30).after_all(session.history))

    assert set(found.values()) == {1.0}


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
    L = np.linalg.inv(K + ridge * np.eye(len(K)))
    r = np.array([*range(len(y)), s])
    u = np.setdiff1d(np.arange(len(K)), r)
    losses = []
    for y_s in (1.0, -1.0):
        full = np.zeros(len(K))
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
    session, looked = Session(two_mixed.X, QUIRE, 2), 0
    oracle = LabelOracle(two_mixed.truth)

    for _ in run(session, oracle, budget=25):
        question, known = session.ask(), known_of(session)
        if question is None or len(known.certain) < 2 or len(unfinished(known)):
            continue
        first, second = (list(known.constraints.samples(g)) for g in known.certain)
        placed = np.array(first + second)
        y = np.array([1.0] * len(first) + [-1.0] * len(second))
        free = np.setdiff1d(np.arange(24), placed)
        order = np.concatenate([placed, free])
        K = gaussian(two_mixed.X)[np.ix_(order, order)]
        losses = [loss_of_the_paper(K, y, s, 1.0) for s in range(len(placed), 24)]
        assert question.sample == free[np.argmin(losses)]
        looked += 1

    assert looked > 5


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

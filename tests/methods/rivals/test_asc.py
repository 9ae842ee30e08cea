"""ASC: a graph cut in two, and the pair that the cut should get most wrong."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import answers, classes_of, truth_of
from tests.problems import Tiny, blobs, random_affinity
from tests.strategies import labelings, links, pairs

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats
from likewise.affinity import auto
from likewise.knowledge import Knowledge, Verdict
from likewise.knowledge._constraints import Link
from likewise.methods._rivals._asc import (
    ASC,
    Basis,
    CutModel,
    basis_of,
    indicator,
    sides_of,
)

N = 10


def normalised(W: Floats, M: Floats) -> Floats:
    """Return D^-1/2 M D^-1/2."""
    root = 1 / np.sqrt(W.sum(axis=1))
    return root[:, np.newaxis] * M * root


def laplacian(W: Floats) -> Floats:
    return np.eye(len(W)) - normalised(W, W)


def threshold(W: Floats, Q: Floats) -> float:
    """Return beta: half way between the trivial vector's agreement and the largest."""
    trivial = np.sqrt(W.sum(axis=1) / W.sum())
    reached = trivial @ normalised(W, Q) @ trivial
    return float(np.linalg.eigvalsh(normalised(W, Q)).max() + reached) / 2


def indicator_of_the_paper(W: Floats, Q: Floats) -> Floats:
    """Return the cheapest eigenvector of L v = lambda (Q - beta I) v, lambda > 0."""
    L = laplacian(W)
    M = normalised(W, Q) - threshold(W, Q) * np.eye(len(W))
    values, vectors = scipy.linalg.eig(L, M)
    is_good = (np.abs(values.imag) < 1e-8) & (values.real > 1e-6)
    good = vectors[:, is_good].real
    good /= np.linalg.norm(good, axis=0)
    cheapest = good[:, np.einsum("ij,ik,kj->j", good, L, good).argmin()]
    u = cheapest / np.sqrt(W.sum(axis=1))
    return u / np.sqrt((u**2).mean())


def assert_equal_up_to_sign(actual: Floats, expected: Floats) -> None:
    turned = actual * np.sign(actual @ expected)
    np.testing.assert_allclose(turned, expected, atol=1e-3)


def some_sides(rng: np.random.Generator, sizes: tuple[int, ...]) -> Floats:
    """Return sets of known samples of the sizes given, each on two random sides."""
    columns = np.zeros((N, len(sizes)))
    owner = np.repeat(np.arange(len(sizes)), sizes)
    samples = rng.permutation(N)[: len(owner)]
    columns[samples, owner] = rng.choice([-1.0, 1.0], len(owner))
    return columns


@given(st.integers(0, 10_000), st.sampled_from([(2,), (5,), (3, 3), (2, 2, 2), (6, 4)]))
def test_the_cut_is_that_of_the_paper(seed: int, sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(seed)
    W, sides = random_affinity(N, rng), some_sides(rng, sizes)

    actual = indicator(basis_of(W), sides)

    assert_equal_up_to_sign(actual, indicator_of_the_paper(W, sides @ sides.T))


@given(st.integers(0, 10_000), st.sampled_from([(2,), (4, 3), (9,)]))
def test_the_cut_agrees_with_the_known_pairs_well_enough(
    seed: int, sizes: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(seed)
    W, sides = random_affinity(N, rng), some_sides(rng, sizes)

    v = indicator(basis_of(W), sides) * np.sqrt(W.sum(axis=1))

    Q = normalised(W, sides @ sides.T)
    assert v @ Q @ v >= threshold(W, sides @ sides.T) * (v @ v) * (1 - 1e-6)


def test_without_answers_it_is_the_second_eigenvector(
    rng: np.random.Generator,
) -> None:
    W = random_affinity(N, rng)
    _, vectors = np.linalg.eigh(laplacian(W))
    expected = vectors[:, 1] / np.sqrt(W.sum(axis=1))

    actual = indicator(basis_of(W), np.zeros((N, 0)))

    assert_equal_up_to_sign(actual, expected / np.sqrt((expected**2).mean()))


def test_weights_in_other_units_give_the_same_cut(rng: np.random.Generator) -> None:
    W, sides = random_affinity(N, rng), some_sides(rng, (4, 2))

    actual = indicator(basis_of(1000 * W), sides)

    assert_equal_up_to_sign(actual, indicator(basis_of(W), sides))


def test_sparse_weights_give_the_same_cut(rng: np.random.Generator) -> None:
    W, sides = random_affinity(N, rng), some_sides(rng, (4, 2))

    actual = indicator(basis_of(sp.csr_array(W)), sides)

    assert_equal_up_to_sign(actual, indicator(basis_of(W), sides))


@pytest.mark.parametrize(("told", "side"), [(0, 1), (8, -1)])
def test_the_bridge_goes_where_it_is_told_to(
    told: int, side: int, bridge: Tiny
) -> None:
    sides = np.zeros((9, 1))
    sides[[0, 8], 0] = 1.0, -1.0
    sides[4] = sides[told]

    u = indicator(basis_of(bridge.X), sides)

    assert np.sign(u[4] * u[0]) == side
    assert u[0] * u[8] < 0


def pieces() -> Floats:
    """Return three cliques of three, and a sample without neighbours."""
    clique = np.ones((3, 3)) - np.eye(3)
    return sp.block_diag([clique, clique, clique, np.zeros((1, 1))]).toarray()


def test_the_basis_of_a_graph_in_pieces_leaves_only_the_trivial_vector_out() -> None:
    basis = basis_of(pieces())

    assert basis.cuts.shape == (10, 9)
    np.testing.assert_allclose(basis.cuts.T @ basis.cuts, np.eye(9), atol=1e-12)
    np.testing.assert_allclose(basis.trivial @ basis.cuts, 0.0, atol=1e-12)
    np.testing.assert_allclose(basis.costs[:3], [0.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("other", [0, 1, 2])
def test_pieces_are_put_together_by_the_answers(other: int) -> None:
    sides = np.zeros((10, 1))
    sides[[0, 3, 6], 0] = 1.0
    sides[3 * other] = -1.0

    u = indicator(basis_of(pieces()), sides)

    sign = np.sign(u[:9]).reshape(3, 3)
    assert (sign == sign[:, :1]).all()
    assert (sign[:, 0] != sign[other, 0]).sum() == 2
    assert u[9] == 0.0


def test_one_side_for_everybody_does_no_harm(bridge: Tiny) -> None:
    assert np.isfinite(indicator(basis_of(bridge.X), np.ones((9, 1)))).all()


@pytest.mark.parametrize("n", [1, 2])
def test_no_edges_at_all_do_no_harm(n: int) -> None:
    basis = basis_of(np.zeros((n, n)))

    assert isinstance(basis, Basis)
    np.testing.assert_array_equal(indicator(basis, np.ones((n, 1))), 0.0)


def test_a_large_graph_is_cut_by_its_lowest_eigenvectors(seed: int) -> None:
    tiny = blobs((550, 550), spread=1.0, seed=seed)
    side = np.where(tiny.truth == 0, 1.0, -1.0)
    basis = basis_of(auto(tiny.X).weights)
    known = np.zeros((1100, 1))
    known[:20, 0] = side[:20]

    u = indicator(basis, known)

    assert basis.cuts.shape[1] < 50
    assert (np.sign(u * u[0]) == side * side[0]).mean() > 0.99


SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Two heaps of 10 that run into each other."""
    return blobs((10, 10), spread=2.5, seed=seed)


def after(told: list[Link], n: int) -> Knowledge:
    return Knowledge(n).after_all(answers(told))


def model_of(session: Session) -> CutModel:
    model = session.view.model
    assert isinstance(model, CutModel)
    return model


@st.composite
def two_groups(draw: st.DrawFn) -> tuple[list[int], list[Link]]:
    """Draw samples of two groups, and true answers about some of their pairs."""
    labels = draw(labelings(max_size=8, n_classes=2))
    drawn = draw(st.lists(pairs(len(labels)), max_size=10))
    return labels, [(i, j, truth_of(labels, i, j)) for i, j in drawn]


@given(two_groups())
def test_sides_are_those_of_the_two_groups(drawn: tuple[list[int], list[Link]]) -> None:
    labels, told = drawn
    found = sides_of(after(told, len(labels)))

    for i, j in combinations(range(len(labels)), 2):
        if found.cluster[i] == found.cluster[j]:
            assert (found.side[i] == found.side[j]) == (labels[i] == labels[j])


@given(two_groups())
def test_samples_joined_by_answers_are_tied_and_no_others(
    drawn: tuple[list[int], list[Link]],
) -> None:
    labels, told = drawn
    n = len(labels)
    reached = np.eye(n, dtype=bool)
    for i, j, _ in told:
        reached[i, j] = reached[j, i] = True
    for k in range(n):
        reached |= np.outer(reached[:, k], reached[k])

    cluster = sides_of(after(told, n)).cluster

    np.testing.assert_array_equal(cluster[:, np.newaxis] == cluster, reached)


def test_two_samples_apart_from_a_third_are_together() -> None:
    found = sides_of(after([(0, 1, DIFFERENT), (1, 2, DIFFERENT)], 4))

    assert found.side[0] == found.side[2] == -found.side[1]
    np.testing.assert_array_equal(np.abs(found.columns()).sum(axis=1), [1, 1, 1, 0])


def test_an_answer_that_needs_a_third_group_is_left_out() -> None:
    told: list[Link] = [(0, 1, DIFFERENT), (1, 2, DIFFERENT)]

    found = sides_of(after([*told, (0, 2, DIFFERENT)], 3))

    np.testing.assert_array_equal(found.side, sides_of(after(told, 3)).side)


@given(links(6))
def test_any_answers_at_all_have_sides(told: list[Link]) -> None:
    columns = sides_of(after(told, 6)).columns()

    assert (np.abs(columns).sum(axis=1) <= 1).all()
    assert (np.abs(columns).sum(axis=0) >= 2).all()


def expected_errors(u: Floats, Q: Floats) -> Floats:
    """Return the error of every pair, with P(Q_ij) from the rank-one part of Q."""
    values, vectors = np.linalg.eigh(Q)
    rank_one = max(values[-1], 0.0) * np.outer(vectors[:, -1], vectors[:, -1])
    same = (1 + np.clip(rank_one, -1, 1)) / 2
    together = np.outer(u, u)
    return same * (together - 1) ** 2 + (1 - same) * (together + 1) ** 2


def test_it_asks_about_the_open_pair_with_the_largest_expected_error(
    mixed: Tiny,
) -> None:
    session, n = Session(mixed.X, ASC, 2), len(mixed.X)

    for _ in run(session, LabelOracle(mixed.truth), budget=n - 2):
        question, model = session.ask(), model_of(session)
        assert question is not None
        sides = model.sides.columns()
        Q = sides @ sides.T
        errors = np.where(Q == 0, expected_errors(model.indicator, Q), -np.inf)
        np.fill_diagonal(errors, -np.inf)
        assert errors[question.pair] == pytest.approx(errors.max())


def links_of(session: Session) -> Floats:
    """Return the literal Q: the answers, and what follows from them for two groups."""
    n = session.n_samples
    Q = np.eye(n)
    for answer in session.history:
        i, j = answer.question.pair
        Q[i, j] = Q[j, i] = 1.0 if answer.verdict is SAME else -1.0
    for k, i, j in np.ndindex(n, n, n):
        if Q[i, j] == 0:
            Q[i, j] = Q[i, k] * Q[k, j]
    alone = np.abs(Q).sum(axis=1) == 1
    Q[alone, alone] = 0.0  # of a sample in no answer nothing is known
    return Q


def test_each_question_follows_from_the_definitions_alone(
    rng: np.random.Generator,
) -> None:
    W, truth = random_affinity(N, rng), np.arange(N) % 2
    session = Session(W, ASC, 2, "precomputed")

    for _ in run(session, LabelOracle(truth), budget=N - 2):
        Q, question = links_of(session), session.ask()
        assert question is not None
        errors = expected_errors(indicator_of_the_paper(W, Q), Q)
        is_open = (Q == 0) & ~np.eye(N, dtype=bool)
        assert errors[question.pair] == pytest.approx(errors[is_open].max(), rel=1e-2)


def test_the_first_question_compares_the_far_ends(bridge: Tiny) -> None:
    session = Session(bridge.X, ASC, 2, "precomputed")

    question, u = session.ask(), np.abs(model_of(session).indicator)

    assert question is not None
    assert sorted(u[list(question.pair)]) == pytest.approx(sorted(u)[-2:])


def test_the_first_cut_parts_the_cliques(bridge: Tiny) -> None:
    labels = Session(bridge.X, ASC, 2, "precomputed").labels

    assert classes_of(np.delete(labels, 4).tolist()) == {
        frozenset(range(4)),
        frozenset(range(4, 8)),
    }


def test_one_question_a_sample_tells_everything(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2)

    for _ in run(session, LabelOracle(mixed.truth), budget=len(mixed.X) - 1):
        assert set(session.labels.tolist()) <= {0, 1}

    assert classes_of(session.labels.tolist()) == classes_of(mixed.truth.tolist())


def test_what_follows_from_two_groups_is_asked_last(mixed: Tiny) -> None:
    session, n = Session(mixed.X, ASC, 2), len(mixed.X)

    for _ in run(session, LabelOracle(mixed.truth), budget=n - 2):
        cluster, question = model_of(session).sides.cluster, session.ask()
        assert question is not None
        assert cluster[question.sample] != cluster[question.against]


def test_what_follows_from_two_groups_is_asked_in_the_end(mixed: Tiny) -> None:
    told = [(0, i, truth_of(mixed.truth.tolist(), 0, i)) for i in range(1, 20)]
    session = Session(mixed.X, ASC, 2, answers=told)
    apart = {i for _, i, verdict in told if verdict is DIFFERENT}

    for _ in run(session, LabelOracle(mixed.truth), budget=1000):
        assert set(session.history[-1].question.pair) <= apart

    assert session.progress.settled == 1.0


def test_it_asks_about_the_sample_that_fewer_answers_tie(mixed: Tiny) -> None:
    session, n = Session(mixed.X, ASC, 2), len(mixed.X)

    for _ in run(session, LabelOracle(mixed.truth), budget=n - 2):
        cluster, question = model_of(session).sides.cluster, session.ask()
        assert question is not None
        tied = np.bincount(cluster)[cluster]
        assert tied[question.sample] <= tied[question.against]


def test_questions_for_many_people_are_about_different_samples(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2)
    for _ in run(session, LabelOracle(mixed.truth), budget=4):
        pass

    batch = session.ask(6)

    assert len({question.sample for question in batch}) == 6


def test_answers_keep_the_cuts_of_the_graph(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2)
    before = model_of(session).cuts

    session.tell_pair(0, 1, SAME)

    assert model_of(session).cuts is before


def test_nothing_is_computed_before_somebody_looks(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 2, answers=[(0, 1, SAME), (2, 3, UNSURE)])

    model = model_of(session)

    assert not {"labels", "indicator", "sides"} & vars(model).keys()
    assert "basis" not in vars(model.cuts)


def test_one_cluster_is_one_cluster_until_answers_part_it(mixed: Tiny) -> None:
    session = Session(mixed.X, ASC, 1)
    assert set(session.labels.tolist()) == {0}

    session.tell_pair(0, 1, DIFFERENT)

    assert session.labels[0] != session.labels[1]


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(ASC)).name == "asc"

"""The constrained spanning forest, against agglomeration as it is defined."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import all_relations, answers, classes_of, euclidean
from tests.problems import Tiny, random_affinity
from tests.strategies import links

from likewise import Question, Verdict
from likewise import _regime as regime
from likewise._arrays import Floats, Indices
from likewise.knowledge import Constraints, Knowledge
from likewise.knowledge._constraints import Link
from likewise.methods import Problem, problem_of
from likewise.methods._rivals import _forest as forest_module
from likewise.methods._rivals._forest import (
    Edges,
    Flags,
    Forest,
    ForestModel,
    barriers,
    begin_forest,
    edges_of,
    learn_forest,
    propose_edge,
    spanning_forest,
)

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
N = 9


def all_pairs(D: Floats) -> Edges:
    first, second = np.triu_indices(len(D), 1)
    order = np.argsort(D[first, second], kind="stable")
    return Edges(first[order], second[order], D[first, second][order])


def grown(edges: Edges, n: int, told: list[Link], k: int) -> Forest:
    known = Constraints().after_all(told)
    groups = np.array([known.group(sample) for sample in range(n)])
    start = np.unique(groups, return_inverse=True)[1].astype(np.intp)
    return spanning_forest(edges, start, barriers(start, known), k)


def trees(forest: Forest) -> Indices:
    return forest.parts(len(forest.joins))


def agglomerated(D: Floats, told: list[Link], k: int) -> set[frozenset[int]]:
    """Join the two nearest clusters that may be one, until k are left."""
    n = len(D)
    relation = all_relations(Constraints().after_all(told), n)
    together = [{j for j in range(n) if relation[i, j] is SAME} for i in range(n)]
    clusters = {frozenset(group) for group in together}
    while len(clusters) > k:
        nearest = min(
            (
                (min(D[i, j] for i, j in product(a, b)), a, b)
                for a, b in combinations(clusters, 2)
                if all(relation[i, j] is not DIFFERENT for i, j in product(a, b))
            ),
            key=lambda found: found[0],
            default=None,
        )
        if nearest is None:
            break
        clusters = clusters - set(nearest[1:]) | {nearest[1] | nearest[2]}
    return clusters


@given(told=links(N), k=st.integers(1, N), seed=st.integers(0, 1000))
def test_it_is_single_linkage_that_denies_no_answer(
    told: list[Link], k: int, seed: int
) -> None:
    D = random_affinity(N, np.random.default_rng(seed))

    forest = grown(all_pairs(D), N, told, k)

    assert classes_of(trees(forest).tolist()) == agglomerated(D, told, k)


@given(told=links(N), seed=st.integers(0, 1000))
def test_permuting_the_samples_permutes_the_trees(told: list[Link], seed: int) -> None:
    rng = np.random.default_rng(seed)
    D, order = random_affinity(N, rng), rng.permutation(N)
    place = np.argsort(order).tolist()
    moved: list[Link] = [(place[i], place[j], verdict) for i, j, verdict in told]

    here = trees(grown(all_pairs(D), N, told, 3))
    there = trees(grown(all_pairs(D[np.ix_(order, order)]), N, moved, 3))

    assert classes_of(there[place].tolist()) == classes_of(here.tolist())


def test_many_batches_of_edges_give_the_same_trees(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    D = random_affinity(40, rng)
    told: list[Link] = [
        (*rng.choice(40, 2, replace=False).tolist(), DIFFERENT) for _ in range(60)
    ]
    at_once = grown(all_pairs(D), 40, told, 3)

    monkeypatch.setattr(forest_module, "BATCH", 40)
    in_one = grown(all_pairs(D), 40, told, 3)

    np.testing.assert_array_equal(at_once.joins, in_one.joins)


def test_an_edge_outside_of_the_spanning_tree_is_taken_where_others_are_barred() -> (
    None
):
    D = euclidean(np.array([[0.0], [1.0], [2.1]]))

    forest = grown(all_pairs(D), 3, [(0, 1, DIFFERENT), (1, 2, DIFFERENT)], 1)

    assert classes_of(trees(forest).tolist()) == {frozenset({0, 2}), frozenset({1})}


def test_trees_can_be_seen_at_any_join(rng: np.random.Generator) -> None:
    forest = grown(all_pairs(random_affinity(N, rng)), N, [(0, 1, SAME)], 1)

    counts = [len(set(forest.parts(t).tolist())) for t in range(N - 1)]

    assert counts == list(range(N - 1, 0, -1))


def test_edges_are_the_distances_of_all_pairs(rng: np.random.Generator) -> None:
    X = rng.standard_normal((20, 3))
    for given_X in (X, sp.csr_array(X)):
        edges = edges_of(problem_of(given_X, affinity="auto", n_clusters=2))

        assert len(edges.length) == 190
        assert (np.diff(edges.length) >= 0).all()
        expected = euclidean(X)[edges.first, edges.second]
        np.testing.assert_allclose(edges.length, expected, atol=1e-7)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_a_greater_similarity_is_a_shorter_edge(
    convert: type, rng: np.random.Generator
) -> None:
    W = random_affinity(12, rng) * (rng.random((12, 12)) < 0.5)
    W = np.maximum(W, W.T)

    problem = problem_of(convert(W), affinity="precomputed", n_clusters=2)
    edges = edges_of(problem)

    weights = W[edges.first, edges.second]
    assert len(weights) == 66
    assert (np.diff(weights) <= 0).all()


def test_rank_is_the_share_of_edges_that_are_no_longer() -> None:
    edges = Edges(np.zeros(4, int), np.arange(1, 5), np.array([1.0, 2.0, 2.0, 5.0]))

    assert edges.rank.tolist() == [0.25, 0.75, 0.75, 1.0]


def test_many_samples_have_the_edges_of_their_graph_and_hang_together(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    X = np.concatenate([rng.standard_normal((40, 2)) + 100 * c for c in range(3)])
    monkeypatch.setattr(regime, "FOREST_PAIRS", 50)

    edges = edges_of(problem_of(X, affinity="auto", n_clusters=3))
    forest = grown(edges, 120, [], 3)
    whole = grown(edges, 120, [], 1)

    assert len(edges.length) < 120 * 119 / 4
    assert len(set(trees(whole).tolist())) == 1
    assert classes_of(trees(forest).tolist()) == {
        frozenset(range(40 * c, 40 * c + 40)) for c in range(3)
    }
    expected = euclidean(X)[edges.first, edges.second]
    np.testing.assert_allclose(edges.length, expected)


def test_many_samples_with_similarities_alone_keep_the_pieces_of_their_graph(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    pieces = [random_affinity(6, rng), random_affinity(6, rng)]
    W = sp.csr_array(sp.block_diag(pieces))
    monkeypatch.setattr(regime, "FOREST_PAIRS", 10)

    edges = edges_of(problem_of(W, affinity="precomputed", n_clusters=1))

    assert len(set(trees(grown(edges, 12, [], 1)).tolist())) == 2
    weights = W.toarray()[edges.first, edges.second]
    np.testing.assert_array_equal(edges.length, -weights)


N_BLURRED = 24


@pytest.fixture
def problem(blurred_blobs: Tiny) -> Problem:
    return problem_of(blurred_blobs.X, affinity="auto", n_clusters=3)


def begin(
    problem: Problem, told: list[Link], aside: frozenset[int] = frozenset()
) -> ForestModel:
    known = Knowledge(problem.n_samples, aside=aside).after_all(answers(told))
    rng = np.random.default_rng(0)
    return begin_forest(problem.without(aside), known, rng)


def shortest(_: ForestModel, askable: Flags) -> int | None:
    return int(np.argmax(askable)) if askable.any() else None


def nothing(_model: ForestModel, _askable: Flags) -> int | None:
    return None


def ask(model: ForestModel, choose: object = shortest, *pending: Question) -> Question:
    assert callable(choose)
    rng = np.random.default_rng(0)
    question = propose_edge(choose, model, model.known, rng, pending)
    assert question is not None
    return question


def test_nothing_is_sorted_or_grown_before_somebody_looks(problem: Problem) -> None:
    model = begin(problem, [(0, 1, SAME)])

    assert not {"forest", "raw", "labels"} & vars(model).keys()
    assert "edges" not in vars(model.pairs)


def test_the_pairs_are_sorted_once_for_all_answers(problem: Problem) -> None:
    model = begin(problem, [])
    (answer,) = answers([(0, 1, SAME)])

    learned = learn_forest(model, model.known.after(answer), answer)

    assert learned.pairs is model.pairs


@given(told=links(8), k=st.sampled_from([None, 1, 3, 8]))
def test_labels_are_the_trees_under_other_numbers(
    told: list[Link], k: int | None
) -> None:
    X = np.random.default_rng(len(told)).standard_normal((8, 2))
    model = begin(problem_of(X, affinity="auto", n_clusters=k), told)

    assert classes_of(model.labels.tolist()) == classes_of(model.raw.tolist())
    for label, group in enumerate(model.known.certain):
        members = list(model.known.constraints.samples(group))
        assert set(model.labels[members].tolist()) == {label}


def test_an_unknown_number_of_clusters_grows_with_the_cannot_links(
    blurred_blobs: Tiny,
) -> None:
    problem = problem_of(blurred_blobs.X, affinity="auto", n_clusters=None)

    for n_apart in (2, 3, 5):
        told = [(i, j, DIFFERENT) for i, j in combinations(range(n_apart), 2)]
        assert begin(problem, told).labels.max() == n_apart - 1


def test_samples_set_aside_hold_no_tree_together_and_count_for_none() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0]])
    problem = problem_of(X, affinity="auto", n_clusters=2)

    model = begin(problem, [], aside=frozenset({1, 2}))

    left = model.labels[[0, 3, 4, 5]]
    assert classes_of(left.tolist()) == {frozenset({0, 1}), frozenset({2, 3})}


def test_a_must_link_through_a_sample_set_aside_still_holds() -> None:
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    problem = problem_of(X, affinity="auto", n_clusters=2)

    model = begin(problem, [(0, 2, SAME), (2, 4, SAME)], aside=frozenset({2}))

    assert model.labels[0] == model.labels[4]


def test_a_pair_is_not_asked_again_or_while_it_is_pending(problem: Problem) -> None:
    first = ask(begin(problem, []))
    unsure = begin(problem, [(*first.pair, UNSURE)])
    second = ask(unsure)

    assert second.pair != first.pair
    assert not set(ask(unsure, shortest, second).pair) & set(second.pair)


def test_a_pending_sample_is_asked_about_where_there_is_no_other() -> None:
    problem = problem_of([[0.0], [1.0], [3.0]], affinity="auto", n_clusters=2)

    assert ask(begin(problem, []), shortest, Question(0, 1)).pair == (1, 2)


def test_any_open_pair_is_asked_where_no_edge_is_chosen() -> None:
    problem = problem_of([[0.0], [1.0], [3.0]], affinity="auto", n_clusters=2)
    told = [(0, 1, UNSURE), (1, 2, DIFFERENT)]

    assert ask(begin(problem, told), nothing).pair == (0, 2)


def test_the_sample_of_the_smaller_group_is_placed(problem: Problem) -> None:
    i, j = ask(begin(problem, [])).pair
    other = next(s for s in range(N_BLURRED) if s not in (i, j))

    for known, lone in ((i, j), (j, i)):
        question = ask(begin(problem, [(known, other, SAME)]))
        assert (question.sample, question.against) == (lone, known)

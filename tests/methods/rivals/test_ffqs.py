"""FFQS: PCKMeans; explore, consolidate, and confirm what was only assumed."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from tests.definitions import answers, classes_of, euclidean
from tests.problems import Tiny, blobs
from tests.strategies import links

from likewise import LabelOracle, Session, Verdict, run
from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.knowledge import Constraints, Question
from likewise.knowledge._constraints import Link
from likewise.methods._rivals._ffqs import (
    FFQS,
    Clusters,
    FarthestFirstModel,
    pck_means,
    rounds,
    typical_weight,
)
from likewise.methods.sampling import opened
from likewise.spectral import Blocks, known_blocks

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
TWO_HEAPS = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])


def blocks_of(told: Constraints) -> Blocks:
    return known_blocks(told, tuple(told.members))


def after(*told: Link) -> Constraints:
    return Constraints().after_all(told)


def objective(X: Floats, found: Clusters, told: Constraints, weight: float) -> float:
    """Return J pair by pair."""
    scatter = 0.5 * ((X - found.centres[found.labels]) ** 2).sum()
    relations = [
        (told.relation(i, j), found.labels[i] == found.labels[j])
        for i, j in combinations(range(len(X)), 2)
    ]
    n_violated = sum(
        (relation is SAME and not together) or (relation is DIFFERENT and together)
        for relation, together in relations
    )
    return float(scatter + weight * n_violated)


def some_samples(seed: int) -> Floats:
    return np.random.default_rng(seed).standard_normal((8, 2))


@given(links(8), st.integers(1, 5), st.floats(0.01, 10.0), st.integers(0, 20))
def test_the_objective_never_rises(
    told: list[Link], k: int, weight: float, seed: int
) -> None:
    X, known = some_samples(seed), after(*told)

    costs = [
        objective(X, found, known, weight)
        for found in rounds(X, k, blocks_of(known), [], weight)
    ]

    assert len(costs) < 100
    assert all(then <= before + 1e-9 for before, then in pairwise(costs))


@given(links(8), st.integers(1, 4), st.floats(0.01, 10.0), st.integers(0, 20))
def test_no_sample_by_itself_would_be_better_off_elsewhere(
    told: list[Link], k: int, weight: float, seed: int
) -> None:
    X, known = some_samples(seed), after(*told)

    found = pck_means(X, k, blocks_of(known), [], weight)

    cost = objective(X, found, known, weight)
    for sample, cluster in np.ndindex(8, k):
        labels = found.labels.copy()
        labels[sample] = cluster
        moved = Clusters(labels, found.centres)
        assert objective(X, moved, known, weight) >= cost - 1e-9


@given(links(8), st.integers(1, 4), st.integers(0, 20), st.permutations(range(8)))
def test_the_order_of_the_samples_is_no_matter(
    told: list[Link], k: int, seed: int, order: list[int]
) -> None:
    X, place = some_samples(seed), np.argsort(order)
    moved = [(int(place[i]), int(place[j]), verdict) for i, j, verdict in told]

    here = pck_means(X, k, blocks_of(after(*told)), [])
    there = pck_means(X[order], k, blocks_of(after(*moved)), [])

    # Which cluster is called 0 is nothing that the samples decide.
    alike = here.labels[:, np.newaxis] == here.labels
    moved_alike = there.labels[place][:, np.newaxis] == there.labels[place]
    np.testing.assert_array_equal(moved_alike, alike)


@given(links(8), st.floats(0.01, 10.0), st.integers(0, 20))
def test_each_assignment_is_the_cheapest_one(
    told: list[Link], weight: float, seed: int
) -> None:
    # Samples of no link go to the nearest centre; linked ones to where, beside those
    # that are there now, they cost least: none was dearer than where it had been.
    X, known = some_samples(seed), after(*told)
    seeds = [[0], [1], [2]]
    first, *others = rounds(X, 3, blocks_of(known), seeds, weight)

    before = [Clusters(first.labels, X[:3]), first, *others]
    for old, new in pairwise(before):
        for sample in set(range(8)) - set(known.group_of):
            gaps = [float(((X[sample] - c) ** 2).sum()) for c in old.centres]
            assert gaps[new.labels[sample]] == pytest.approx(min(gaps))
        moved = Clusters(new.labels, old.centres)
        stayed = objective(X, old, known, weight)
        assert objective(X, moved, known, weight) <= stayed + 1e-9


def test_centres_are_the_means_of_their_clusters(blurred_blobs: Tiny) -> None:
    X = blurred_blobs.X

    found = pck_means(X, 3, blocks_of(after((0, 1, SAME))), [])

    for cluster, centre in enumerate(found.centres):
        np.testing.assert_allclose(X[found.labels == cluster].mean(axis=0), centre)


def test_without_answers_it_is_k_means(blurred_blobs: Tiny) -> None:
    X = blurred_blobs.X
    *_, found = rounds(X, 3, blocks_of(Constraints()), [], 1.0)

    again = KMeans(3, init=found.centres, n_init=1).fit(X)

    np.testing.assert_array_equal(found.labels, again.labels_)


def test_heaps_far_apart_are_found_without_answers(three_blobs: Tiny) -> None:
    found = pck_means(three_blobs.X, 3, blocks_of(Constraints()), [])

    assert classes_of(found.labels.tolist()) == classes_of(three_blobs.truth.tolist())


def test_a_dear_must_link_is_kept_and_a_cheap_one_is_not() -> None:
    blocks = blocks_of(after((2, 3, SAME)))
    seeds = [[0], [5]]

    dear = pck_means(TWO_HEAPS, 2, blocks, seeds, 100.0).labels
    cheap = pck_means(TWO_HEAPS, 2, blocks, seeds, 0.1).labels

    assert dear[2] == dear[3]
    assert cheap.tolist() == [0, 0, 0, 1, 1, 1]


def test_a_dear_cannot_link_is_kept_and_a_cheap_one_is_not() -> None:
    blocks = blocks_of(after((1, 2, DIFFERENT)))
    seeds = [[0], [5]]

    dear = pck_means(TWO_HEAPS, 2, blocks, seeds, 100.0).labels
    cheap = pck_means(TWO_HEAPS, 2, blocks, seeds, 0.1).labels

    assert dear[1] != dear[2]
    assert cheap[1] == cheap[2]


def test_seeds_give_the_clusters_their_numbers() -> None:
    found = pck_means(TWO_HEAPS, 2, blocks_of(Constraints()), [[4], [0]])

    assert found.labels.tolist() == [1, 1, 1, 0, 0, 0]


def test_the_largest_of_too_many_seeds_are_taken() -> None:
    seeds = [[2], [3, 4], [0, 1]]

    first = next(rounds(TWO_HEAPS, 2, blocks_of(Constraints()), seeds, 1.0))

    assert first.labels.tolist() == [1, 1, 1, 0, 0, 0]


def test_more_centres_are_sought_where_the_scatter_is_largest() -> None:
    X = np.array([[0.0], [1.0], [50.0], [51.0], [90.0], [91.0]])

    found = pck_means(X, 3, blocks_of(Constraints()), [[0, 1]])

    assert found.labels[:2].tolist() == [0, 0]
    assert classes_of(found.labels.tolist()) == {
        frozenset({0, 1}),
        frozenset({2, 3}),
        frozenset({4, 5}),
    }


@pytest.mark.parametrize("k", [1, 2, 6])
def test_samples_that_are_all_equal_can_be_clustered(k: int) -> None:
    X = np.ones((6, 2))

    found = pck_means(X, k, blocks_of(after((0, 1, DIFFERENT))), [[0], [1]])

    assert found.centres.shape == (k, 2)
    assert (found.labels[0] == found.labels[1]) == (k == 1)


def test_sparse_samples_are_clustered_like_dense_ones(blurred_blobs: Tiny) -> None:
    X, blocks = blurred_blobs.X, blocks_of(after((0, 1, DIFFERENT), (1, 2, SAME)))

    thick = pck_means(X, 4, blocks, [[0], [1, 2]])
    thin = pck_means(sp.csr_array(X), 4, blocks, [[0], [1, 2]])

    np.testing.assert_array_equal(thin.labels, thick.labels)
    np.testing.assert_allclose(thin.centres, thick.centres)


def test_the_price_of_a_pair_grows_with_the_scale(blurred_blobs: Tiny) -> None:
    X = blurred_blobs.X

    assert typical_weight(X) == pytest.approx(X.var(axis=0).sum())
    assert typical_weight(3 * X + 7) == pytest.approx(9 * typical_weight(X))
    assert typical_weight(np.ones((4, 2))) == 1.0


LINE = np.array([[0.0], [1.0], [9.0], [10.0], [20.0], [21.0], [13.0]])

APART: list[Link] = [(0, 2, DIFFERENT), (4, 0, DIFFERENT), (4, 2, DIFFERENT)]


def start(X: Floats, k: int | None, told: list[Link], seed: int = 0) -> Session:
    given = answers(told, how="given")
    return Session(X, FFQS, k, random_state=seed, answers=given)


def model_of(session: Session) -> FarthestFirstModel:
    model = session.view.model
    assert isinstance(model, FarthestFirstModel)
    return model


def questions(session: Session, truth: Indices) -> Iterator[Question]:
    for view in run(session, LabelOracle(truth), budget=1000):
        assert view.answer is not None
        yield view.answer.question


def test_it_explores_while_neighbourhoods_are_missing() -> None:
    for seed in range(7):
        question = start(LINE, 3, [], seed).ask()
        assert question is not None
        gaps = euclidean(LINE)[question.against]
        assert gaps[question.sample] == gaps.max()


def test_all_that_is_explored_is_farthest_by_the_definition(seed: int) -> None:
    tiny, looked = blobs((6, 6, 6, 6), spread=2.5, seed=seed), 0
    session, oracle = (
        Session(tiny.X, FFQS, 4, random_state=seed),
        LabelOracle(tiny.truth),
    )

    for _ in range(40):
        question, model = session.ask(), model_of(session)
        known = opened(model.known, model.start)
        if question is None or len(known.certain) == 4:
            break
        placed = [s for g in known.certain for s in known.constraints.samples(g)]
        gaps = {
            x: min(float(np.linalg.norm(tiny.X[x] - tiny.X[z])) for z in placed)
            for x in range(24)
            if x not in placed
        }
        if question.sample not in {a.question.sample for a in session.history}:
            assert gaps[question.sample] == pytest.approx(max(gaps.values()))
            looked += 1
        session.tell(question, oracle(question))

    assert looked >= 3


def test_any_unplaced_sample_may_be_consolidated_next() -> None:
    asked = {start(LINE, 3, APART, seed).ask() for seed in range(40)}

    assert {question.sample for question in asked if question} == {1, 3, 5, 6}


def test_the_nearest_centroid_is_asked_about_first() -> None:
    told = [*APART, (3, 2, SAME), (5, 4, SAME), (1, 0, SAME)]

    question = start(LINE, 3, told).ask()

    assert question is not None
    assert question.sample == 6
    assert question.against in (2, 3)


def test_a_sample_is_asked_about_until_it_is_placed() -> None:
    session = start(LINE, 3, APART)
    first = session.ask()
    assert first is not None

    session.tell(first, "different")

    second = session.ask()
    assert second is not None
    assert second.sample == first.sample


def test_the_last_neighbourhood_is_assumed_and_not_asked_about() -> None:
    session = start(LINE, 3, [*APART, (6, 2, DIFFERENT), (6, 4, DIFFERENT)])

    question = session.ask()

    assert question is not None
    assert question.sample != 6
    assert session.labels[6] == session.labels[0]
    assert set(model_of(session).members(0)) == {0, 6}


def test_what_was_assumed_is_confirmed_when_nothing_else_is_left() -> None:
    placed: list[Link] = [(1, 0, SAME), (3, 2, SAME), (5, 4, SAME)]
    ruled_out: list[Link] = [(6, 2, DIFFERENT), (6, 4, DIFFERENT)]

    question = start(LINE, 3, APART + placed + ruled_out).ask()

    assert question is not None
    assert question.sample == 6
    assert question.against in (0, 1)


@pytest.mark.parametrize("k", [2, None])
def test_nothing_is_assumed_where_the_number_is_unknown_or_wrong(k: int | None) -> None:
    session = start(LINE, k, [*APART, (6, 2, DIFFERENT), (6, 4, DIFFERENT)])

    assert model_of(session).assumed == session.view.known.constraints


def test_consolidating_needs_at_most_one_question_less_than_classes(seed: int) -> None:
    tiny = blobs((6, 6, 6), spread=3.0, seed=seed)
    session = Session(tiny.X, FFQS, 3, random_state=seed)
    counts: Counter[int] = Counter()

    for question in questions(session, tiny.truth):
        left = 18 - sum(len(group.samples) for group in session.groups)
        if len(session.groups) >= 3 and left > len(_assumed(session)):
            counts[question.sample] += 1

    assert max(counts.values()) <= 2


def _assumed(session: Session) -> set[int]:
    """Return the samples that only the number of clusters places."""
    model, known = model_of(session), session.view.known
    return {
        sample
        for group in known.certain
        for sample in model.members(group)
        if sample not in known.constraints.samples(group)
    }


def test_with_a_wrong_number_the_missing_class_is_found_in_the_end(seed: int) -> None:
    tiny = blobs((5, 5, 5), seed=seed)
    session = Session(tiny.X, FFQS, 2, random_state=seed)

    for _ in questions(session, tiny.truth):
        pass

    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())
    assert session.progress.settled == 1.0


def test_heaps_far_apart_need_one_question_a_class_more_or_less(
    three_blobs: Tiny, seed: int
) -> None:
    session = Session(three_blobs.X, FFQS, 3, random_state=seed)

    for _ in run(session, LabelOracle(three_blobs.truth), budget=3):
        pass

    assert len(session.groups) == 3
    expected = classes_of(three_blobs.truth.tolist())
    assert classes_of(session.labels.tolist()) == expected


def test_samples_set_aside_do_not_pull_at_the_clusters() -> None:
    X = np.array([[0.0], [1.0], [5.0], [6.0], [1000.0]])
    session = Session(X, FFQS, 2)

    session.set_aside(4)

    assert session.labels.tolist() in ([0, 0, 1, 1, -1], [1, 1, 0, 0, -1])


def test_everything_may_be_set_aside() -> None:
    session = Session([[0.0], [1.0], [2.0]], FFQS, 2)

    for sample in range(3):
        session.set_aside(sample)

    assert session.ask() is None
    assert session.labels.tolist() == [-1, -1, -1]


def test_sparse_features_give_the_same_questions_and_labels(
    blurred_blobs: Tiny,
) -> None:
    X, truth = blurred_blobs.X, blurred_blobs.truth
    thick, thin = Session(X, FFQS, 3), Session(sp.csr_array(X), FFQS, 3)

    for one, other in zip(questions(thick, truth), questions(thin, truth), strict=True):
        assert one == other
        np.testing.assert_array_equal(thick.labels, thin.labels)


def test_similarities_are_clustered_by_their_eigenvectors(three_blobs: Tiny) -> None:
    W = auto(three_blobs.X).weights

    session = Session(W, FFQS, 3, "precomputed")

    expected = classes_of(three_blobs.truth.tolist())
    assert classes_of(session.labels.tolist()) == expected


def test_nothing_is_computed_before_somebody_looks(blurred_blobs: Tiny) -> None:
    model = model_of(start(blurred_blobs.X, 3, APART))

    assert not {"assumed", "clusters", "labels"} & vars(model).keys()
    assert "coordinates" not in vars(model.space)


def test_the_space_stays_while_answers_come(bridge: Tiny) -> None:
    session = Session(bridge.X, FFQS, 2, "precomputed")
    before = model_of(session).space

    for _ in run(session, LabelOracle(bridge.truth), budget=4):
        assert model_of(session).space is before


def test_a_method_and_its_model_can_be_pickled(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, pickle.loads(pickle.dumps(FFQS)), 3)

    model = pickle.loads(pickle.dumps(session.view.model))

    np.testing.assert_array_equal(model.labels, session.labels)

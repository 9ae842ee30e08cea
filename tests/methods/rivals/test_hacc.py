"""Active-HACC: the expected change, against growing anew and counting pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import answers, brute_relations, consistent, euclidean, truth_of
from tests.problems import Tiny
from tests.strategies import links

from likewise import InputError, Session, Verdict
from likewise._arrays import Floats, Indices
from likewise.experiments import jaccard
from likewise.experiments.runner import Plan, simulate
from likewise.knowledge import Knowledge
from likewise.knowledge._constraints import Link
from likewise.methods import active_hacc, problem_of
from likewise.methods._rivals._ensemble import likeness_of
from likewise.methods._rivals._forest import ForestModel, begin_forest
from likewise.methods._rivals._hacc import (
    ACTIVE_HACC,
    LISTINGS,
    Candidates,
    History,
    Listing,
    barred_changes,
    cut_changes,
    greatest_expected_change,
    joined_changes,
    units_of,
)

SAME, DIFFERENT = Verdict.SAME, Verdict.DIFFERENT
LISTED, ALL = LISTINGS["listed"], LISTINGS["all"]
N = 10


def model_of(X: Floats, told: list[Link], k: int | None) -> ForestModel:
    problem = problem_of(X, affinity="auto", n_clusters=k)
    known = Knowledge(len(X)).after_all(answers(told))
    return begin_forest(problem, known, np.random.default_rng(0))


def history_of(model: ForestModel, n_joins: int | None = None) -> History:
    everything = np.ones(len(model.pairs.edges.length), dtype=bool)
    return History(units_of(model, everything, likeness_of(model.pairs), n_joins))


def chosen(model: ForestModel, listing: Listing) -> int | None:
    everything = np.ones(len(model.pairs.edges.length), dtype=bool)
    return greatest_expected_change(listing, model, everything)


def change(model: ForestModel, i: int, j: int) -> float:
    """Return 1 - J between the clusters and those with the pair inverted."""
    together = model.raw[i] == model.raw[j]
    told = answers([(i, j, DIFFERENT if together else SAME)])
    rng = np.random.default_rng(0)
    other = begin_forest(model.problem, model.known.after_all(told), rng)
    return 1 - jaccard(model.raw, other.raw)


def check(model: ForestModel, found: Candidates, *, together: bool) -> None:
    """Check that each change is that of the forest grown anew."""
    edges, p = model.pairs.edges, likeness_of(model.pairs).chance
    for edge, likely, expected in zip(
        found.edges, found.likely, found.changes, strict=True
    ):
        i, j = int(edges.first[edge]), int(edges.second[edge])
        assert (model.raw[i] == model.raw[j]) == together
        assert model.known.constraints.relation(i, j) is None
        assert likely == pytest.approx(1 - p[edge] if together else p[edge])
        assert change(model, i, j) == pytest.approx(expected)


@settings(max_examples=25)
@given(told=links(N, max_size=12), k=st.integers(1, 6), seed=st.integers(0, 500))
def test_each_change_is_that_of_growing_anew(
    told: list[Link], k: int, seed: int
) -> None:
    model = model_of(np.random.default_rng(seed).standard_normal((N, 2)), told, k)
    likeness, history = likeness_of(model.pairs), history_of(model)

    check(model, cut_changes(history, likeness), together=True)
    check(model, joined_changes(history, likeness), together=False)
    check(model, barred_changes(history, likeness), together=False)


@settings(max_examples=8)
@given(n_told=st.integers(20, 60), k=st.integers(2, 12), seed=st.integers(0, 500))
def test_a_change_that_lets_many_other_trees_go_is_that_of_growing_anew(
    n_told: int, k: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    truth, X = rng.integers(5, size=40), rng.standard_normal((40, 2))
    ends = [rng.choice(40, 2, replace=False).tolist() for _ in range(n_told)]
    told = [(i, j, truth_of(truth.tolist(), i, j)) for i, j in ends]
    model = model_of(X, told, k)
    likeness, history = likeness_of(model.pairs), history_of(model)

    check(model, cut_changes(history, likeness), together=True)
    check(model, barred_changes(history, likeness), together=False)


@dataclass(frozen=True)
class State:
    """A small clustering problem, and what has been answered."""

    X: Floats
    k: int
    told: list[Link]


def states() -> Iterator[State]:
    """Yield 112 states: 14 data sets, each after 0 to 8 answers got in four ways."""
    for seed in range(14):
        rng = np.random.default_rng(seed)
        n, k = 8 + seed % 7, 2 + seed % 3
        truth = rng.integers(k, size=n).tolist()
        X = 2.5 * rng.standard_normal((k, 2))[truth] + rng.standard_normal((n, 2))
        for n_told in (0, 2, 4, 8):
            drawn = [rng.choice(n, 2, replace=False).tolist() for _ in range(n_told)]
            yield State(X, k, [(i, j, truth_of(truth, i, j)) for i, j in drawn])
        drawn = [rng.choice(n, 2, replace=False).tolist() for _ in range(8)]
        wild = [(i, j, SAME if rng.random() < 0.2 else DIFFERENT) for i, j in drawn]
        yield State(X, k, consistent(wild, n))
        for method in ("random", "cac1", "active-hacc"):
            yield State(X, k, asked(X, k, truth, method, 3 + seed % 6))


def asked(X: Floats, k: int, truth: list[int], method: str, n: int) -> list[Link]:
    """Return the first answers that a method gets."""
    session = Session(X, method=method, n_clusters=k, random_state=0)
    told: list[Link] = []
    while len(told) < n and (question := session.ask()) is not None:
        i, j = question.pair
        told.append((i, j, truth_of(truth, i, j)))
        session.tell(question, told[-1][2])
    return told


def single_linkage(D: Floats, told: list[Link], k: int) -> Indices:
    """Join the nearest two clusters that may be one, until k are left."""
    n = len(D)
    known = brute_relations(told, n)
    apart = np.array([[known[i, j] is DIFFERENT for j in range(n)] for i in range(n)])
    first = [min(j for j in range(n) if known[i, j] is SAME) for i in range(n)]
    labels = np.unique(first, return_inverse=True)[1]
    while labels.max() + 1 > k:
        member = labels[:, np.newaxis] == np.arange(labels.max() + 1)
        barred = (member.T @ apart @ member) | np.eye(member.shape[1], dtype=bool)
        far = np.where(barred[np.ix_(labels, labels)], np.inf, D)
        i, j = np.unravel_index(far.argmin(), far.shape)
        if far[i, j] == np.inf:
            break
        labels = np.where(labels == labels[j], labels[i], labels)
        labels = np.unique(labels, return_inverse=True)[1]
    return labels


def brute_gains(state: State, p: Floats) -> Floats:
    """Return the expected change of each pair, -1 where the relation is known."""
    D, n = euclidean(state.X), len(state.X)
    now, gains = single_linkage(D, state.told, state.k), np.full((n, n), -1.0)
    known = brute_relations(state.told, n)
    for i, j in combinations(range(n), 2):
        if known[i, j] is None:
            together = now[i] == now[j]
            other: Link = (i, j, DIFFERENT if together else SAME)
            then = single_linkage(D, [*state.told, other], state.k)
            gains[i, j] = (1 - p[i, j] if together else p[i, j]) * changed(now, then)
    return gains


def changed(now: Indices, then: Indices) -> float:
    """Return 1 - J, by all pairs."""
    together = [labels[:, np.newaxis] == labels for labels in (now, then)]
    a, b = (square[np.triu_indices(len(now), 1)] for square in together)
    return float(1 - (a & b).sum() / (a | b).sum()) if (a | b).any() else 0.0


def gain_chosen(state: State, gains: Floats, listing: Listing) -> float:
    """Return the expected change of the pair that is chosen; -1 where there is none."""
    model = model_of(state.X, state.told, state.k)
    edge, edges = chosen(model, listing), model.pairs.edges
    if edge is None:
        return -1.0
    return float(gains[edges.first[edge], edges.second[edge]])


def test_of_all_pairs_the_best_is_chosen_in_112_small_states() -> None:
    listings = (ALL, LISTED, Listing(n_barred=0))
    missed = []
    for state in states():
        pairs = model_of(state.X, [], state.k).pairs
        p = np.zeros((len(state.X), len(state.X)))
        p[pairs.edges.first, pairs.edges.second] = likeness_of(pairs).chance
        gains = brute_gains(state, np.maximum(p, p.T))
        found = [gain_chosen(state, gains, listing) for listing in listings]
        missed.append(np.array(found) < gains.max() - 1e-9)

    assert len(missed) == 112
    n_all, n_listed, n_unbarred = np.sum(missed, axis=0)
    assert n_all == 0
    assert n_listed <= 2 < n_unbarred  # links across trees that are apart do count


def test_a_short_list_of_joins_leaves_their_changes_as_they_are(
    blurred_blobs: Tiny,
) -> None:
    model = model_of(blurred_blobs.X, [(0, 1, SAME), (2, 3, DIFFERENT)], 3)
    likeness = likeness_of(model.pairs)
    long, short = history_of(model), history_of(model, 6)

    for changes in (cut_changes, joined_changes):
        there, here = changes(long, likeness), changes(short, likeness)
        expected = dict(zip(there.edges.tolist(), there.changes, strict=True))
        in_both = [edge for edge in here.edges.tolist() if edge in expected]
        assert in_both
        for edge, found in zip(here.edges.tolist(), here.changes, strict=True):
            assert found == pytest.approx(expected.get(edge, found))


def test_a_must_link_across_trees_that_are_apart_moves_samples() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.1], [4.1], [5.1]])
    model = model_of(X, [(0, 5, DIFFERENT)], 2)
    likeness, history = likeness_of(model.pairs), history_of(model)

    barred = barred_changes(history, likeness)

    first = model.pairs.edges.first[barred.edges]
    second = model.pairs.edges.second[barred.edges]
    assert model.raw.tolist() == [0, 0, 0, 1, 1, 1]
    assert len(barred.edges) > 0
    assert (first < 3).all()
    assert (second >= 3).all()
    assert (barred.changes > 0.4).all()


def test_two_heaps_that_a_bridge_made_one_are_asked_about() -> None:
    heap = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.12], [0.11, 0.13]])
    X = np.concatenate([heap, heap + np.array([1.0, 0.0]), [[9.0, 9.0]]])
    model = model_of(X, [], 2)

    edge = chosen(model, LISTED)

    assert edge is not None
    ends = model.pairs.edges.first[edge], model.pairs.edges.second[edge]
    assert min(ends) < 4 <= max(ends) < 8


def test_where_no_clustering_doubts_the_largest_change_counts() -> None:
    X = np.array([[0.0], [0.1], [5.0], [5.1], [5.2], [-20.0]])
    told: list[Link] = [(0, 1, SAME), (2, 3, SAME), (3, 4, SAME), (1, 2, DIFFERENT)]
    model = model_of(X, told, 3)
    edges, p = model.pairs.edges, likeness_of(model.pairs).chance

    edge = chosen(model, ALL)

    assert not p[edges.second == 5].any()
    assert edge is not None
    assert (edges.first[edge], edges.second[edge]) == (2, 5)  # not (0, 5), the nearest


def test_pairs_are_listed_or_all() -> None:
    with pytest.raises(InputError, match="'listed' or 'all'"):
        active_hacc("mine", pairs="some")  # type: ignore[arg-type]


def test_heaps_that_run_into_each_other_are_found(blurred_blobs: Tiny) -> None:
    for method in (ACTIVE_HACC, active_hacc("exact", pairs="all")):
        plan = Plan(blurred_blobs.X, blurred_blobs.truth, method, 60, 3)
        curve = simulate(plan, 0)

        assert curve.scores["jaccard"][-1] == 1.0
        assert curve.questions[-1] < len(list(combinations(range(24), 2))) / 3

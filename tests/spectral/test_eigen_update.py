"""Eigenpairs one answer further, against dense ones and against a fresh start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import truth_of
from tests.spectral.scenes import (
    angle_left,
    certain,
    cliques,
    crowd,
    eigenvalues,
    everything,
    exact_pairs,
    isolated,
    laplacian_under,
    largest_angle,
    operator_under,
    ring_of_cliques,
)
from tests.strategies import affinities, links
from tests.strategies import pairs as two_samples

from likewise._arrays import Floats, Sparse
from likewise.errors import InputError
from likewise.knowledge import Constraints, Verdict
from likewise.knowledge._constraints import Link
from likewise.spectral import Pairs, graph_of, solve, updated
from likewise.spectral._eigen_cold import TOLERANCE
from likewise.spectral._eigen_update import REFRESHED, change_between

BOUND = 2 * TOLERANCE  # a residual over the top of the spectrum, 2, bounds a value
N = 90


@pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
@pytest.mark.parametrize("cannot_link", [0.0, -1.0])
def test_after_one_more_certain_sample_the_eigenspace_is_that_of_the_whole_matrix(
    device: str, cannot_link: float, seed: int
) -> None:
    seen = crowd(600, 4, spread=2.5, seed=seed)
    graph = graph_of(seen.weights, device=device)
    before, after = (certain(seen.truth, np.arange(count)) for count in (20, 21))
    options: Any = {"cannot_link": cannot_link}
    pairs = solve(operator_under(graph, before, **options), 4)

    pairs = updated(pairs, operator_under(graph, after, **options))

    laplacian = laplacian_under(seen.weights, after, **options).toarray()
    values, vectors = np.linalg.eigh(laplacian)
    assert pairs.worst <= TOLERANCE
    np.testing.assert_allclose(pairs.values[:4], values[:4], atol=BOUND)
    angle = largest_angle(vectors[:, :4], pairs.vectors[:, :4])
    assert angle <= angle_left(values, 4, TOLERANCE)


def test_one_answer_applies_the_operator_to_few_columns(seed: int) -> None:
    seen = crowd(3000, 8, seed=seed)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(40))), 8)

    counts = []
    for count in range(41, 51):
        operator = operator_under(graph, certain(seen.truth, np.arange(count)))
        pairs = updated(pairs, operator)
        counts.append(pairs.columns)

    assert np.mean(counts) <= 45


def test_the_pairs_before_are_still_theirs(seed: int) -> None:
    """Two answers that may follow start from the same pairs."""
    seen = crowd(500, 3, seed=seed)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(10))), 3)
    vectors, image = pairs.vectors, pairs.ritz.image + 0.0

    updated(pairs, operator_under(graph, certain(seen.truth, np.arange(12))))

    np.testing.assert_array_equal(pairs.vectors, vectors)
    np.testing.assert_array_equal(pairs.ritz.image, image)


def test_the_same_change_gives_the_same_pairs() -> None:
    seen = crowd(500, 3)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(10))), 3)
    operator = operator_under(
        graph, certain(seen.truth, np.arange(11)), aside=[100, 200]
    )

    first, second = updated(pairs, operator), updated(pairs, operator)

    np.testing.assert_array_equal(first.vectors, second.vectors)


def loosely_knit(seed: int) -> tuple[Sparse, list[int]]:
    """Return a graph with faint edges, pieces and lone samples, and its classes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=N)
    alike = truth[:, np.newaxis] == truth
    drawn = rng.random((N, N)) < rng.choice([0.02, 0.05, 0.2])
    W = np.triu(drawn * (1.0 * alike + 0.05 * rng.random((N, N))), 1)
    lone = rng.random(N) < 0.15
    W[lone] = W[:, lone] = 0.0
    return sp.csr_array(W + W.T), truth.tolist()


@settings(max_examples=25)
@given(
    graph_seed=st.integers(0, 10_000),
    acts=st.lists(
        st.one_of(two_samples(N), st.integers(0, N - 1), st.just("undo")),
        min_size=1,
        max_size=6,
    ),
    cannot_link=st.sampled_from([0.0, -0.3, -1.0]),
)
def test_no_eigenvalue_is_missed_whatever_is_answered_undone_or_set_aside(
    graph_seed: int, acts: list[Any], cannot_link: float
) -> None:
    W, truth = loosely_knit(graph_seed)
    graph, history, aside = graph_of(W), [Constraints()], set[int]()
    pairs = solve(operator_under(graph, cannot_link=cannot_link), 4)
    for act in acts:
        if act == "undo":
            history = history[:-1] or history
        elif isinstance(act, int):
            aside ^= {act}
        else:
            i, j = act
            history.append(history[-1].after(i, j, truth_of(truth, i, j)))
        known = everything(history[-1])
        options: Any = {"cannot_link": cannot_link, "aside": sorted(aside)}

        pairs = updated(pairs, operator_under(graph, known, **options))

        expected = eigenvalues(laplacian_under(W, known, **options))[:4]
        assert pairs.worst <= TOLERANCE
        np.testing.assert_allclose(pairs.values[:4], expected, atol=2.5 * BOUND)


def test_a_group_that_is_tied_to_nothing_is_found() -> None:
    """No old vector has anything of it, so no residual tells."""
    W = sp.csr_array(sp.block_diag([ring_of_cliques(14, 30, 0.1), isolated(2)]))
    graph = graph_of(W)
    pairs = exact_pairs(operator_under(graph), laplacian_under(W), 4)
    known = everything(Constraints().after(420, 421, Verdict.SAME))

    pairs = updated(pairs, operator_under(graph, known))

    expected = eigenvalues(laplacian_under(W, known))[:4]
    np.testing.assert_allclose(pairs.values[:4], expected, atol=BOUND)


def test_a_piece_that_only_a_sample_set_aside_held_is_found() -> None:
    """Its samples are tied so faintly that old vectors have next to nothing of it."""
    rest, piece = ring_of_cliques(14, 30, 0.1), 1e-11 * cliques([4])
    both = sp.lil_array(sp.block_diag([rest, piece]))
    both[0, 420:] = both[420:, 0] = 1e-10
    W = sp.csr_array(both)
    graph = graph_of(W)
    pairs = exact_pairs(operator_under(graph), laplacian_under(W), 4)

    pairs = updated(pairs, operator_under(graph, aside=[0]))

    expected = eigenvalues(laplacian_under(W, aside=[0]))[:4]
    np.testing.assert_allclose(pairs.values[:4], expected, atol=BOUND)


def test_a_piece_that_a_sample_taken_back_holds_together_is_found() -> None:
    """Apart, its two samples had no eigenvector among the lowest."""
    both = sp.lil_array(sp.block_diag([ring_of_cliques(14, 30, 0.1), isolated(2)]))
    both[420, 421] = both[421, 420] = 1.0
    W = sp.csr_array(both)
    graph = graph_of(W)
    apart = laplacian_under(W, aside=[420])
    pairs = exact_pairs(operator_under(graph, aside=[420]), apart, 4)

    pairs = updated(pairs, operator_under(graph))

    expected = eigenvalues(laplacian_under(W))[:4]
    np.testing.assert_allclose(pairs.values[:4], expected, atol=BOUND)


def one_by_one(
    n: int, n_classes: int, spread: float, answers: int, device: str = "cpu"
) -> tuple[Pairs, Any]:
    """Return pairs after many answers, and the Laplacian that they are of."""
    seen = crowd(n, n_classes, spread=spread)
    graph = graph_of(seen.weights, device=device)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(30))), n_classes)
    for count in range(31, 31 + answers):
        known = certain(seen.truth, np.arange(count))
        pairs = updated(pairs, operator_under(graph, known))
        assert pairs.worst <= TOLERANCE
    return pairs, laplacian_under(seen.weights, known)


@pytest.mark.parametrize("spread", [2.5, 0.8], ids=["easy", "hard"])
@pytest.mark.parametrize("answers", [99, 101], ids=["oldest", "refreshed"])
def test_a_hundred_answers_leave_no_drift(spread: float, answers: int) -> None:
    """Each change rounds every column once, and after a hundred all is made anew."""
    pairs, laplacian = one_by_one(800, 6, spread, answers)

    V, L = pairs.vectors.astype(np.float64), laplacian.toarray()
    drift = REFRESHED * float(np.finfo(np.float32).eps)
    fresh = np.linalg.norm(L @ V - V * pairs.values, axis=0) / 2
    np.testing.assert_allclose(pairs.residual, fresh, atol=drift)
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=drift)
    values, vectors = np.linalg.eigh(L)
    angle = largest_angle(vectors[:, :6], V[:, :6])
    assert angle <= angle_left(values, 6, TOLERANCE + drift)


def test_rounding_is_cleared_away_after_a_hundred_changes() -> None:
    seen = crowd(300, 3, spread=2.5)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(20))), 3)
    ages = []

    for count in range(21, 123):
        operator = operator_under(graph, certain(seen.truth, np.arange(count)))
        pairs = updated(pairs, operator)
        ages.append(pairs.age)

    assert max(ages) < 100


def test_torch_stays_with_numpy_over_many_answers() -> None:
    """Each is as near to the eigenvectors as its residuals say."""
    one, laplacian = one_by_one(500, 4, 2.5, 15)
    other, _ = one_by_one(500, 4, 2.5, 15, device="torch-cpu")

    left = angle_left(eigenvalues(laplacian), 4, TOLERANCE)
    np.testing.assert_allclose(one.values[:4], other.values[:4], atol=2 * BOUND)
    assert largest_angle(one.vectors[:, :4], other.vectors[:, :4]) <= 2 * left


@pytest.mark.parametrize("more", [1, 4, 8, 20])
def test_guards_that_are_wanted_now_are_as_accurate_as_the_others(more: int) -> None:
    seen = crowd(700, 12, spread=2.0)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(40))), 5)
    known = certain(seen.truth, np.arange(41))

    pairs = updated(pairs, operator_under(graph, known), wanted=5 + more)

    expected = eigenvalues(laplacian_under(seen.weights, known))[: 5 + more]
    assert pairs.wanted == 5 + more
    assert pairs.worst <= TOLERANCE
    np.testing.assert_allclose(pairs.values[: 5 + more], expected, atol=BOUND)


def test_there_are_always_guards_left_when_more_and_more_are_wanted() -> None:
    seen = crowd(700, 12, spread=2.0)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(40))), 3)

    for wanted in range(4, 16):
        operator = operator_under(graph, certain(seen.truth, np.arange(37 + wanted)))
        pairs = updated(pairs, operator, wanted=wanted)

        assert len(pairs.values) >= wanted + 5


def test_fewer_may_be_wanted_after_an_undo() -> None:
    seen = crowd(400, 4)
    graph = graph_of(seen.weights)
    after, before = (certain(seen.truth, np.arange(count)) for count in (21, 20))
    pairs = solve(operator_under(graph, after), 5)

    pairs = updated(pairs, operator_under(graph, before), wanted=4)

    expected = eigenvalues(laplacian_under(seen.weights, before))[:4]
    assert pairs.wanted == 4
    np.testing.assert_allclose(pairs.values[:4], expected, atol=BOUND)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4, 1e-5])
def test_the_tolerance_is_kept_after_an_answer(tolerance: float) -> None:
    seen = crowd(600, 4, spread=1.0)
    graph = graph_of(seen.weights)
    before, after = (
        operator_under(graph, certain(seen.truth, np.arange(count)))
        for count in (30, 31)
    )

    pairs = updated(solve(before, 4, tolerance=tolerance), after, tolerance=tolerance)

    assert pairs.worst <= tolerance


def test_many_groups_at_once_are_a_fresh_start() -> None:
    seen = crowd(500, 12)
    graph = graph_of(seen.weights)
    operator = operator_under(graph, certain(seen.truth, np.arange(100)))

    actual = updated(solve(operator_under(graph), 4), operator)

    np.testing.assert_array_equal(actual.vectors, solve(operator, 4).vectors)


def test_few_samples_are_a_fresh_start() -> None:
    seen = crowd(40, 2)
    graph = graph_of(seen.weights)
    operator = operator_under(graph, certain(seen.truth, np.arange(5)))

    actual = updated(solve(operator_under(graph), 2), operator)

    np.testing.assert_array_equal(actual.vectors, solve(operator, 2).vectors)


def test_nothing_new_leaves_the_pairs_as_they_were() -> None:
    seen = crowd(500, 3)
    graph = graph_of(seen.weights)
    known = certain(seen.truth, np.arange(10))
    pairs = solve(operator_under(graph, known), 3)

    actual = updated(pairs, operator_under(graph, known))

    assert actual.columns == 0
    np.testing.assert_allclose(actual.values, pairs.values, atol=1e-6)


def test_progress_is_told_of_an_update_too() -> None:
    seen = crowd(500, 3)
    graph = graph_of(seen.weights)
    told: list[float] = []

    pairs = updated(
        solve(operator_under(graph), 3),
        operator_under(graph, certain(seen.truth, np.arange(4))),
        progress=lambda _, worst: told.append(worst),
    )

    assert told[-1] == pairs.worst


def test_pairs_of_another_graph_are_refused() -> None:
    one, other = graph_of(crowd(50, 2).weights), graph_of(crowd(50, 2).weights)

    with pytest.raises(InputError, match="another graph"):
        updated(solve(operator_under(one), 2), operator_under(other))


FEW = 8


@settings(max_examples=40)
@given(
    W=affinities(FEW),
    first=links(FEW, max_size=12),
    then=links(FEW, max_size=12),
    aside=st.sets(st.integers(0, FEW - 1), max_size=3),
    cannot_link=st.sampled_from([0.0, -1.0]),
)
def test_rows_that_are_not_named_have_not_changed(
    W: Floats, first: list[Link], then: list[Link], aside: set[int], cannot_link: float
) -> None:
    graph, constraints = graph_of(sp.csr_array(W)), Constraints().after_all(first)
    before = operator_under(graph, everything(constraints), cannot_link=cannot_link)
    after = operator_under(
        graph,
        everything(constraints.after_all(then)),
        cannot_link=cannot_link,
        aside=sorted(aside),
    )
    X = graph.backend.array(np.eye(FEW))

    rows = change_between(before, after).rows

    others = np.setdiff1d(np.arange(FEW), rows)
    at = graph.backend.indices(others)
    np.testing.assert_array_equal((before @ X)[at], (after @ X)[at])


def test_one_more_certain_sample_changes_few_rows() -> None:
    seen = crowd(2000, 4)
    graph = graph_of(seen.weights)
    before, after = (
        operator_under(graph, certain(seen.truth, np.arange(count)))
        for count in (40, 41)
    )

    assert len(change_between(before, after).rows) < 250


def test_groups_that_are_new_are_named_with_their_members() -> None:
    graph = graph_of(crowd(30, 2).weights)
    first = Constraints().after_all(
        [(1, 2, Verdict.SAME), (3, 4, Verdict.DIFFERENT), (7, 8, Verdict.SAME)]
    )
    then = first.after_all([(1, 5, Verdict.SAME), (6, 3, Verdict.DIFFERENT)])

    change = change_between(
        operator_under(graph, everything(first)),
        operator_under(graph, everything(then)),
    )

    named = [sorted(graph.order[members].tolist()) for members in change.groups]
    assert sorted(named) == [[1, 2, 5], [6]]


def test_a_group_that_is_split_leaves_new_groups() -> None:
    graph = graph_of(crowd(30, 2).weights)
    split = Constraints().after(1, 2, Verdict.SAME)
    whole = split.after(2, 3, Verdict.SAME)

    change = change_between(
        operator_under(graph, everything(whole)),
        operator_under(graph, everything(split)),
    )

    assert [sorted(graph.order[members].tolist()) for members in change.groups] == [
        [1, 2]
    ]


def test_an_update_and_a_fresh_start_span_the_same_space() -> None:
    """Also where the gap behind it is narrow: 20 classes that overlap."""
    seen = crowd(4000, 20, spread=0.8)
    graph = graph_of(seen.weights)
    pairs = solve(operator_under(graph, certain(seen.truth, np.arange(40))), 20)

    for count in range(41, 51):
        operator = operator_under(graph, certain(seen.truth, np.arange(count)))
        pairs = updated(pairs, operator)

    fresh = solve(operator, 20)
    angle = largest_angle(pairs.vectors[:, :20], fresh.vectors[:, :20])
    assert pairs.worst <= TOLERANCE
    assert np.cos(np.radians(angle)) >= 0.9997

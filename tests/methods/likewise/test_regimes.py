"""Many samples are thought of as few are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.methods.likewise.hand_made import (
    prior_for,
    probabilities_of,
    seen_in_dialogue,
)
from tests.problems import blobs

from likewise import _regime
from likewise._arrays import AnyFloats, Floats, dense
from likewise.knowledge import Knowledge
from likewise.methods._likewise import _prior, _regimes
from likewise.methods._likewise._acquisition import best_question
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._method import beliefs, clusters, expectation, sums_of
from likewise.methods._likewise._probabilities import Probabilities
from likewise.methods._likewise._regimes import (
    EXACT,
    LARGE,
    N_LOOKED,
    N_NUMBERS,
    N_VECTORS,
    n_looked,
    n_vectors,
    regime_for,
)
from likewise.spectral import DeviceClusters


def test_up_to_5000_samples_are_few() -> None:
    assert regime_for(_regime.FLAGSHIP_EXACT) is EXACT
    assert regime_for(_regime.FLAGSHIP_EXACT + 1) is LARGE


@pytest.mark.parametrize("groups", [2, 20, 50])
def test_there_are_four_vectors_for_each_group_while_they_fit(groups: int) -> None:
    for n in (1, 100, 5000, 6000, 100_000):
        assert n_vectors(n, groups) == min(n, max(N_VECTORS, 4 * groups))


@pytest.mark.parametrize("n", [1, 3, 100, 5000])
def test_of_few_samples_any_number_of_vectors_fits(n: int) -> None:
    assert n_vectors(n, n) == n
    assert n_looked(n) == min(n, max(n // 3, 3), N_LOOKED)


@pytest.mark.parametrize("groups", [2, 20, 50, 300])
def test_vectors_of_very_many_samples_fit_or_are_hardly_more_than_groups(
    groups: int,
) -> None:
    for n in (10**6, 10**7):
        count = n_vectors(n, groups)
        assert groups < count <= 4 * max(groups, N_VECTORS)
        assert count * n <= N_NUMBERS or count <= max(groups + 10, N_VECTORS)


@pytest.mark.parametrize("n", [1, 2, 5, 100, 6000, 10**6, 10**8])
def test_no_more_eigenvalues_are_looked_at_than_there_are(n: int) -> None:
    assert 1 <= n_looked(n) <= min(n, N_LOOKED)


TINY = blobs((12, 10, 9), spread=1.8, seed=3)
N = len(TINY.X)
DOUBLE = replace(LARGE, dtype=np.float64)
Both = tuple[Probabilities, Probabilities]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_prior, "ROWS", 8)
    monkeypatch.setattr(_regimes, "ROWS", 7)


@cache
def of_few(k: int | None) -> list[Probabilities]:
    return seen_in_dialogue(prior_for(TINY, k), TINY.truth, budget=30)[::3]


@pytest.fixture(params=[3, None], ids=["k known", "k unknown"])
def k(request: pytest.FixtureRequest) -> int | None:
    return request.param


@pytest.fixture(params=["cpu", "torch-cpu"])
def both(k: int | None, request: pytest.FixtureRequest) -> list[Both]:
    """What is thought during a dialogue of few samples, and as if they were many.

    By numpy to all digits, by torch in single precision.
    """
    if request.param == "cpu":
        prior = prior_for(TINY, k, DOUBLE)
    else:
        pytest.importorskip("torch")
        prior = prior_for(TINY, k, LARGE, request.param)
    return [(few, probabilities_of(prior, few.beliefs, few.aside)) for few in of_few(k)]


def with_aside(one: Probabilities, aside: frozenset[int]) -> Probabilities:
    return replace(one, aside=aside)


def alike(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, atol=2e-5)


def believed(probabilities: Probabilities) -> Floats:
    return np.vstack([np.asarray(rows) for _, rows in beliefs(probabilities)])


@pytest.mark.parametrize(
    "part",
    [
        lambda p: p.sizes,
        lambda p: p.closeness,
        lambda p: p.pairs,
        lambda p: p.far,
        lambda p: p.near(p.free),
        lambda p: p.belonging(np.arange(N)),
        lambda p: p.checked[0],
        lambda p: p.checked[1],
        lambda p: p.novelty,
        lambda p: p.rates.wrong,
        lambda p: p.rates.silent,
        lambda p: np.column_stack(p.rows_of(p.free)),
        lambda p: np.column_stack(p.questioned_of(p.free)),
        lambda p: np.column_stack(p.doubted(p.free, p.rows_of(p.free))),
        believed,
    ],
    ids=[
        "sizes",
        "closeness",
        "pairs",
        "far",
        "near",
        "belonging",
        "checked",
        "checked new",
        "novelty",
        "wrong",
        "silent",
        "rows",
        "questioned",
        "doubted",
        "believed",
    ],
)
@pytest.mark.parametrize("aside", [frozenset(), frozenset({0, 4, 17})])
def test_what_is_thought_is_the_same(
    part: Callable[[Probabilities], AnyFloats],
    aside: frozenset[int],
    both: list[Both],
) -> None:
    for few, many in both:
        alike(part(with_aside(many, aside)), part(with_aside(few, aside)))


def test_the_likeliest_classes_are_the_same(both: list[Both]) -> None:
    for few, many in both:
        blocked = {int(few.free[0]): [0], int(few.free[-1]): [1]}
        for actual, expected in zip(
            many.likeliest(blocked), few.likeliest(blocked), strict=True
        ):
            alike(np.asarray(actual)[few.free], np.asarray(expected)[few.free])


def test_the_clusters_are_the_same(both: list[Both]) -> None:
    for few, many in both:
        np.testing.assert_array_equal(clusters(many), clusters(few))


def test_as_much_is_expected_of_them(both: list[Both]) -> None:
    for few, many in both:
        labels = clusters(few)[:]
        actual, expected = (
            expectation(p, sums_of(p, DeviceClusters(p.backend.indices(labels))))
            for p in (many, few)
        )
        np.testing.assert_allclose(actual, expected, rtol=1e-4)


def test_the_same_question_is_asked(both: list[Both]) -> None:
    for few, many in both:
        known = Knowledge(N)
        actual, expected = (best_question(p, known) for p in (many, few))
        assert actual is not None
        assert expected is not None
        assert actual.question == expected.question
        assert actual.worth == pytest.approx(expected.worth, rel=1e-4)


def test_besides_open_questions_the_same_one_is_asked(both: list[Both]) -> None:
    few, many = both[0]
    pending = best_question(few, Knowledge(N))
    assert pending is not None

    actual, expected = (
        best_question(p, Knowledge(N), (pending.question,)) for p in (many, few)
    )

    assert actual is not None
    assert expected is not None
    assert actual.question == expected.question


def test_links_are_the_weights_between_classes(both: list[Both]) -> None:
    for one in both[-1]:
        W, Q = dense(one.prior.weights), np.asarray(one.around.membership)

        np.testing.assert_allclose(one.around.links, Q.T @ W @ Q, rtol=1e-6)
        np.testing.assert_allclose(one.around.sizes, Q.sum(axis=0), rtol=1e-6)


def test_what_is_kept_for_every_sample_of_many_is_in_single_precision() -> None:
    prior = prior_for(TINY, 3, LARGE)
    around = probabilities_of(prior, Beliefs.of(prior.medoids)).around

    assert prior.weights.dtype == np.asarray(prior.vectors).dtype == np.float32
    assert prior.shares.dtype == np.asarray(prior.bases[1].array).dtype == np.float32
    for kept in (around.membership, around.far, around.coverage.variance):
        assert np.asarray(kept).dtype == np.float32

"""The picture of many samples shows what that of few samples does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    UNSURE,
    asked,
    ground_for,
    pictures,
)
from tests.problems import blobs

from likewise._arrays import AnyFloats, Floats, dense
from likewise.knowledge import Answer, Knowledge
from likewise.methods._likewise import _probabilities_large as panorama
from likewise.methods._likewise import _surroundings as survey
from likewise.methods._likewise._acquisition import best_question
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._output import beliefs, clusters, expectation
from likewise.methods._likewise._probabilities_exact import Whole
from likewise.methods._likewise._probabilities_large import Panorama
from likewise.methods._likewise._scales import MANY
from likewise.methods._likewise._state import State

TINY = blobs((12, 10, 9), spread=1.8, seed=3)
N = len(TINY.X)
EXACT = replace(MANY, dtype=np.float64, digits=9)
Both = tuple[Whole, Panorama]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panorama, "ROWS", 7)
    monkeypatch.setattr(survey, "ROWS", 10)


@cache
def the_wholes(k: int | None) -> list[Whole]:
    return pictures(ground_for(TINY, k), TINY.truth, budget=30)[::3]


@pytest.fixture(params=[3, None], ids=["k known", "k unknown"])
def both(request: pytest.FixtureRequest) -> list[Both]:
    """Pictures of a dialogue with wrong and unsure answers, and of many samples."""
    ground = ground_for(TINY, request.param, EXACT)
    return [
        (whole, Panorama(ground, State.of(ground, whole.state.beliefs), whole.aside))
        for whole in the_wholes(request.param)
    ]


def with_aside(one: Whole | Panorama, aside: frozenset[int]) -> Whole | Panorama:
    return replace(one, aside=aside)


def alike(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, atol=2e-5)


def believed(picture: Whole | Panorama) -> Floats:
    return np.vstack([rows for _, rows in beliefs(picture)])


@pytest.mark.parametrize(
    "part",
    [
        lambda picture: picture.sizes,
        lambda picture: picture.closeness,
        lambda picture: picture.pairs,
        lambda picture: picture.far,
        lambda picture: picture.near(picture.free),
        lambda picture: picture.belonging(np.arange(N)),
        lambda picture: picture.checked[0],
        lambda picture: picture.checked[1],
        lambda picture: picture.novelty,
        lambda picture: picture.rates.wrong,
        lambda picture: picture.rates.silent,
        lambda picture: np.column_stack(picture.rows_of(picture.free)),
        lambda picture: np.column_stack(picture.questioned_of(picture.free)),
        lambda picture: np.column_stack(picture.doubted_of(picture.free)),
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
    part: Callable[[Whole | Panorama], AnyFloats],
    aside: frozenset[int],
    both: list[Both],
) -> None:
    for whole, many in both:
        alike(part(with_aside(many, aside)), part(with_aside(whole, aside)))


def test_the_likeliest_classes_are_the_same(both: list[Both]) -> None:
    for whole, many in both:
        blocked = {int(whole.free[0]): [0], int(whole.free[-1]): [1]}
        for actual, expected in zip(
            many.likeliest(blocked), whole.likeliest(blocked), strict=True
        ):
            alike(actual, expected)


def test_the_clusters_are_the_same(both: list[Both]) -> None:
    for whole, many in both:
        np.testing.assert_array_equal(clusters(many), clusters(whole))


def test_as_much_is_expected_of_them(both: list[Both]) -> None:
    for whole, many in both:
        labels = clusters(whole)
        actual, expected = (expectation(p, labels) for p in (many, whole))
        np.testing.assert_allclose(actual, expected, rtol=1e-4)


def test_the_same_question_is_asked(both: list[Both]) -> None:
    for whole, many in both:
        known = Knowledge(N)
        actual, expected = (best_question(p, known) for p in (many, whole))
        assert actual is not None
        assert expected is not None
        assert actual.question == expected.question
        assert actual.worth == pytest.approx(expected.worth, rel=1e-4)


def test_besides_open_questions_the_same_one_is_asked(both: list[Both]) -> None:
    whole, many = both[0]
    pending = best_question(whole, Knowledge(N))
    assert pending is not None

    actual, expected = (
        best_question(p, Knowledge(N), (pending.question,)) for p in (many, whole)
    )

    assert actual is not None
    assert expected is not None
    assert actual.question == expected.question


def test_links_are_the_weights_between_classes(both: list[Both]) -> None:
    _, many = both[-1]
    W, Q = dense(many.ground.weights), many.survey.membership

    np.testing.assert_allclose(many.survey.links, Q.T @ W @ Q, atol=1e-9)
    np.testing.assert_allclose(many.survey.sizes, Q.sum(axis=0), atol=1e-9)


def test_an_answer_that_settles_nothing_needs_no_new_survey() -> None:
    ground = ground_for(TINY, 3, MANY)
    before = State.of(ground, Beliefs.of(ground.medoids))
    free = next(s for s in range(N) if s not in before.beliefs.class_of)

    for verdict in (DIFFERENT, UNSURE):
        answer: Answer = asked(free, int(ground.medoids[0]), verdict)
        beliefs_now = before.beliefs.after(answer)
        assert before.holds(beliefs_now)
        assert before.brought_to(ground, beliefs_now).around is before.around

    settled = before.beliefs.after(asked(free, int(ground.medoids[0]), SAME))
    assert not before.holds(settled)


def test_what_is_kept_for_every_sample_is_in_single_precision() -> None:
    ground = ground_for(TINY, 3, MANY)
    state = State.of(ground, Beliefs.of(ground.medoids))
    picture = Panorama(ground, state, frozenset())

    assert ground.weights.dtype == ground.vectors.dtype == np.float32
    assert ground.shares.dtype == ground.bases[1].array.dtype == np.float32
    assert picture.survey.membership.dtype == picture.far.dtype == np.float32

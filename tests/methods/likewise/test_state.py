"""Posteriors brought up to date equal posteriors computed anew."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.methods.likewise.hand_made import ground_for, journals, settled_as
from tests.problems import blobs

from likewise.knowledge import Answer
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._prior import Ground
from likewise.methods._likewise._state import AFRESH, State, settled_of

Classes = dict[int, list[int]]
N = 24


@cache
def the_ground() -> Ground:
    return ground_for(blobs((8, 8, 8), spread=1.5), 3)


@pytest.fixture
def ground() -> Ground:
    return the_ground()


def assert_same_state(actual: State, expected: State, ground: Ground) -> None:
    assert actual.beliefs == expected.beliefs
    assert actual.classes == expected.classes
    # How far a sample is from settled ones, between 0 and 1.
    np.testing.assert_allclose(
        actual.coverage.variance / ground.prior_variance,
        expected.coverage.variance / ground.prior_variance,
        atol=1e-6,
    )
    pairs: Any = zip(actual.fields, expected.fields, strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one.mean, other.mean, atol=1e-6)
        np.testing.assert_allclose(one.variance, other.variance, atol=1e-6)
        np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-6)


def copied(classes: Classes) -> Classes:
    return {name: list(samples) for name, samples in classes.items()}


def changed(classes: Classes, rng: np.random.Generator, *, to_empty: bool) -> Classes:
    """Return the classes after a join, a release, a merge or a new class."""
    classes = copied(classes)
    settled = {s for samples in classes.values() for s in samples}
    free = sorted(set(range(N)) - settled)
    names = list(classes)
    shrinkable = [g for g in names if len(classes[g]) > (0 if to_empty else 1)]
    kind = rng.integers(4)
    if kind == 0 and free:
        classes[int(rng.choice(names))].append(int(rng.choice(free)))
    elif kind == 1 and shrinkable and len(settled) > 1:
        name = int(rng.choice(shrinkable))
        classes[name].remove(int(rng.choice(classes[name])))
        if not classes[name]:
            del classes[name]
    elif kind == 2 and len(names) > 1:
        kept, gone = sorted(rng.choice(len(names), 2, replace=False))
        classes[names[kept]] += classes.pop(names[gone])
    elif kind == 3 and set(free) - set(names):
        founder = int(rng.choice(sorted(set(free) - set(names))))
        classes[founder] = [founder]
    return classes


def test_a_state_is_the_posteriors_of_the_settled_samples(ground: Ground) -> None:
    beliefs = settled_as({7: [7, 2], 3: [3]})

    state = State.of(ground, beliefs)

    assert state.classes == (7, 3)
    assert len(state.fields) == len(ground.bases)
    for field in state.fields:
        mean = field.at(np.arange(N))
        assert mean.shape == (N, 2)
        assert mean[2, 0] > mean[2, 1]
        assert mean[3, 1] > mean[3, 0]


def test_settled_samples_are_ascending_with_the_columns_of_their_classes() -> None:
    samples, columns = settled_of(settled_as({7: [7, 2], 3: [3, 9]}))

    assert samples.tolist() == [2, 3, 7, 9]
    assert columns.tolist() == [0, 1, 0, 1]


def test_without_a_change_the_state_stays(ground: Ground) -> None:
    state = State.of(ground, settled_as({7: [7, 2], 3: [3]}))

    assert_same_state(state.brought_to(ground, state.beliefs), state, ground)


@pytest.mark.parametrize(
    "now",
    [
        {7: [7, 2, 5], 3: [3, 4]},
        {7: [7, 2], 3: [3]},
        {7: [7, 2, 3, 4]},
        {7: [7, 2], 3: [3, 4], 11: [11]},
        {2: [2], 3: [3, 4]},
        {7: [7, 2, 4], 3: [3]},
        {7: [7, 2, 4, 9], 3: [3], 12: [12, 10]},
        {3: [3, 4], 7: [7, 2]},
    ],
    ids=[
        "joined",
        "released",
        "merged",
        "founded",
        "founder released",
        "moved",
        "several",
        "order",
    ],
)
def test_a_change_equals_starting_anew(now: Classes, ground: Ground) -> None:
    before = State.of(ground, settled_as({7: [7, 2], 3: [3, 4]}))
    beliefs = settled_as(dict(now))

    actual = before.brought_to(ground, beliefs)

    assert_same_state(actual, State.of(ground, beliefs), ground)


@pytest.mark.parametrize("seed", range(5))
def test_many_changes_one_by_one_equal_starting_anew(seed: int, ground: Ground) -> None:
    rng = np.random.default_rng(seed)
    classes: Classes = {0: [0], 5: [5], 9: [9]}
    state = State.of(ground, settled_as(dict(classes)))

    for _ in range(60):
        classes = changed(classes, rng, to_empty=False)
        beliefs = settled_as(dict(classes))
        state = state.brought_to(ground, beliefs)

    assert_same_state(state, State.of(ground, beliefs), ground)


@pytest.mark.parametrize(
    "now",
    [{7: [7]}, {7: [7, 3]}, {4: [4, 7], 7: []}],
    ids=["the last one released", "one released, the other moved", "swapped"],
)
def test_samples_of_a_class_that_is_gone_are_let_go(
    now: Classes, ground: Ground
) -> None:
    before = State.of(ground, settled_as({7: [7], 3: [3, 4]}))
    beliefs = settled_as({name: samples for name, samples in now.items() if samples})

    actual = before.brought_to(ground, beliefs)

    assert_same_state(actual, State.of(ground, beliefs), ground)


@pytest.mark.parametrize("seed", range(3))
def test_many_changes_at_a_time_equal_starting_anew(seed: int, ground: Ground) -> None:
    rng = np.random.default_rng(seed)
    classes: Classes = {0: [0], 5: [5], 9: [9]}
    state = State.of(ground, settled_as(dict(classes)))

    for _ in range(60):
        for _ in range(rng.integers(1, 5)):
            classes = changed(classes, rng, to_empty=True)
        beliefs = settled_as(dict(classes))
        state = state.brought_to(ground, beliefs)

    assert_same_state(state, State.of(ground, beliefs), ground)


def test_very_many_changes_equal_starting_anew(seed: int) -> None:
    n = 2 * AFRESH + 10
    ground = ground_for(blobs((n // 2, n - n // 2), seed=seed), 2)
    before = State.of(ground, settled_as({0: [0], 1: [1]}))
    some = range(2, AFRESH + 5)
    beliefs = settled_as({0: [0, *some[::2]], 1: [1, *some[1::2]]})

    actual = before.brought_to(ground, beliefs)

    assert_same_state(actual, State.of(ground, beliefs), ground)


@settings(max_examples=30)
@given(journals(N, max_size=12))
def test_a_state_follows_the_fold_of_any_answers(journal: list[Answer]) -> None:
    ground = the_ground()
    beliefs = Beliefs.of([0, 5, 9])
    state = State.of(ground, beliefs)
    for answer in journal:
        beliefs = beliefs.after(answer)
        state = state.brought_to(ground, beliefs)

    assert_same_state(state, State.of(ground, beliefs), ground)


def test_a_change_leaves_the_state_before_it_as_it_was(ground: Ground) -> None:
    beliefs = settled_as({7: [7, 2], 3: [3, 4]})
    before = State.of(ground, beliefs)

    before.brought_to(ground, settled_as({7: [7, 3, 9], 12: [12]}))

    assert_same_state(before, State.of(ground, beliefs), ground)

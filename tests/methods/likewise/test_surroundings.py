"""What settled samples say: brought up to date, it equals what is computed anew."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    UNSURE,
    asked,
    journals,
    prior_for,
    settled_as,
)
from tests.problems import blobs, random_affinity

from likewise._arrays import Floats
from likewise.knowledge import Answer
from likewise.methods import problem_of
from likewise.methods._likewise import _regimes
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._prior import Prior, Source, prior_of
from likewise.methods._likewise._regimes import EXACT
from likewise.methods._likewise._surroundings import (
    AFRESH,
    FLOOR,
    Covered,
    Surroundings,
    brought_to,
    kept_of,
    links_of,
    settled_of,
    sharp,
)
from likewise.spectral import DOUBLE

Classes = dict[int, list[int]]
N = 24


@cache
def the_prior() -> Prior:
    return prior_for(blobs((8, 8, 8), spread=1.5), 3)


@pytest.fixture
def prior() -> Prior:
    return the_prior()


def assert_same(actual: Surroundings, expected: Surroundings, prior: Prior) -> None:
    assert actual.class_of == expected.class_of
    assert actual.classes == expected.classes
    # How far a sample is from settled ones, between 0 and 1.
    np.testing.assert_allclose(
        actual.coverage.variance / prior.variance,
        expected.coverage.variance / prior.variance,
        atol=1e-6,
    )
    lengths = np.asarray(expected.coverage.lengths)
    np.testing.assert_allclose(
        actual.coverage.lengths, lengths, atol=1e-6 * float(lengths.max())
    )
    for one, other in zip(actual.fields, expected.fields, strict=True):
        np.testing.assert_array_equal(one.coefficients, other.coefficients)
        np.testing.assert_array_equal(one.factor, other.factor)


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


def test_surroundings_are_the_posteriors_of_the_settled_samples(prior: Prior) -> None:
    beliefs = settled_as({7: [7, 2], 3: [3]})

    around = Surroundings.of(prior, beliefs)

    assert around.classes == (7, 3)
    assert len(around.fields) == len(prior.bases)
    for field in around.fields:
        mean = field.at(np.arange(N))
        assert mean.shape == (N, 2)
        assert mean[2, 0] > mean[2, 1]
        assert mean[3, 1] > mean[3, 0]


def test_settled_samples_are_ascending_with_the_columns_of_their_classes() -> None:
    samples, columns = settled_of(settled_as({7: [7, 2], 3: [3, 9]}))

    assert samples.tolist() == [2, 3, 7, 9]
    assert columns.tolist() == [0, 1, 0, 1]


def test_without_a_change_they_stay(prior: Prior) -> None:
    beliefs = settled_as({7: [7, 2], 3: [3]})
    around = Surroundings.of(prior, beliefs)

    assert brought_to(prior, beliefs, around) is around


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
def test_a_change_equals_starting_anew(now: Classes, prior: Prior) -> None:
    before = Surroundings.of(prior, settled_as({7: [7, 2], 3: [3, 4]}))
    beliefs = settled_as(dict(now))

    actual = brought_to(prior, beliefs, before)

    assert_same(actual, Surroundings.of(prior, beliefs), prior)


@pytest.mark.parametrize("seed", range(5))
def test_many_changes_one_by_one_equal_starting_anew(seed: int, prior: Prior) -> None:
    rng = np.random.default_rng(seed)
    classes: Classes = {0: [0], 5: [5], 9: [9]}
    around = Surroundings.of(prior, settled_as(dict(classes)))

    for _ in range(60):
        classes = changed(classes, rng, to_empty=False)
        beliefs = settled_as(dict(classes))
        around = brought_to(prior, beliefs, around)
        _ = around.far  # what was looked at is brought on

    assert_same(around, Surroundings.of(prior, beliefs), prior)


@pytest.mark.parametrize(
    "now",
    [{7: [7]}, {7: [7, 3]}, {4: [4, 7], 7: []}],
    ids=["the last one released", "one released, the other moved", "swapped"],
)
def test_samples_of_a_class_that_is_gone_are_let_go(now: Classes, prior: Prior) -> None:
    before = Surroundings.of(prior, settled_as({7: [7], 3: [3, 4]}))
    beliefs = settled_as({name: samples for name, samples in now.items() if samples})

    actual = brought_to(prior, beliefs, before)

    assert_same(actual, Surroundings.of(prior, beliefs), prior)


@pytest.mark.parametrize("seed", range(3))
def test_many_changes_at_a_time_equal_starting_anew(seed: int, prior: Prior) -> None:
    rng = np.random.default_rng(seed)
    classes: Classes = {0: [0], 5: [5], 9: [9]}
    around = Surroundings.of(prior, settled_as(dict(classes)))

    for _ in range(60):
        for _ in range(rng.integers(1, 5)):
            classes = changed(classes, rng, to_empty=True)
        beliefs = settled_as(dict(classes))
        around = brought_to(prior, beliefs, around)
        _ = around.far  # what was looked at is brought on

    assert_same(around, Surroundings.of(prior, beliefs), prior)


def test_very_many_changes_equal_starting_anew(seed: int) -> None:
    n = 2 * AFRESH + 10
    prior = prior_for(blobs((n // 2, n - n // 2), seed=seed), 2)
    before = Surroundings.of(prior, settled_as({0: [0], 1: [1]}))
    some = range(2, AFRESH + 5)
    beliefs = settled_as({0: [0, *some[::2]], 1: [1, *some[1::2]]})

    actual = brought_to(prior, beliefs, before)

    assert_same(actual, Surroundings.of(prior, beliefs), prior)


@settings(max_examples=30)
@given(journals(N, max_size=12))
def test_surroundings_follow_the_fold_of_any_answers(journal: list[Answer]) -> None:
    prior = the_prior()
    beliefs = Beliefs.of([0, 5, 9])
    around = Surroundings.of(prior, beliefs)
    for answer in journal:
        beliefs = beliefs.after(answer)
        around = brought_to(prior, beliefs, around)

    assert_same(around, Surroundings.of(prior, beliefs), prior)


def test_a_change_leaves_those_before_it_as_they_were(prior: Prior) -> None:
    beliefs = settled_as({7: [7, 2], 3: [3, 4]})
    before = Surroundings.of(prior, beliefs)

    brought_to(prior, settled_as({7: [7, 3, 9], 12: [12]}), before)

    assert_same(before, Surroundings.of(prior, beliefs), prior)


def test_an_answer_that_settles_nothing_leaves_all_of_it_good(prior: Prior) -> None:
    beliefs = Beliefs.of(prior.medoids)
    around = Surroundings.of(prior, beliefs)
    free = next(s for s in range(N) if s not in beliefs.class_of)

    for verdict in (DIFFERENT, UNSURE):
        now = beliefs.after(asked(free, int(prior.medoids[0]), verdict))
        assert around.holds(now)
        assert kept_of(around, now) is around
        assert brought_to(prior, now, around) is around


def test_of_what_holds_no_more_only_the_coverage_is_kept(prior: Prior) -> None:
    beliefs = Beliefs.of(prior.medoids)
    around = Surroundings.of(prior, beliefs)
    free = next(s for s in range(N) if s not in beliefs.class_of)
    now = beliefs.after(asked(free, int(prior.medoids[0]), SAME))
    assert not around.holds(now)

    kept = kept_of(around, now)

    assert kept == Covered(beliefs.class_of, around.coverage, {})
    assert_same(brought_to(prior, now, kept), Surroundings.of(prior, now), prior)
    assert kept_of(None, now) is None


def test_sharpened_rows_are_cubes_floored_and_normalised(
    rng: np.random.Generator,
) -> None:
    mean = rng.uniform(-0.5, 1.0, (6, 4))
    mean[:, 2] = rng.uniform(0.1, 1.0, 6)  # every row speaks for some class

    actual = sharp(mean)

    for row, raised in zip(mean, actual, strict=True):
        cubes = [max(u / row.max(), FLOOR) ** 3 for u in row]
        np.testing.assert_allclose(raised, np.array(cubes) / sum(cubes))


@given(arrays(np.float64, (3, 4), elements=st.floats(-1, 1)))
def test_sharpened_rows_are_probabilities(mean: Floats) -> None:
    actual = sharp(mean)

    assert (actual > 0).all()
    np.testing.assert_allclose(actual.sum(axis=1), 1.0)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_links_are_the_weights_between_classes(
    convert: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_regimes, "ROWS", 7)
    W, Q = random_affinity(20, rng), rng.dirichlet(np.ones(3), 20)
    problem = problem_of(convert(W), affinity="precomputed", n_clusters=2)

    actual = links_of(prior_of(Source(problem, 0, EXACT)), DOUBLE.array(Q))

    expected = sum(W[i, j] * np.outer(Q[i], Q[j]) for i, j in np.ndindex(20, 20))
    np.testing.assert_allclose(actual, expected)


@pytest.mark.parametrize("part", [slice(0, N), slice(2, 9)])
def test_what_the_start_says_of_a_block_is_what_it_says_of_its_samples(
    part: slice, prior: Prior
) -> None:
    around = Surroundings.of(prior, settled_as({7: [7, 2], 3: [3]}))

    expected = around.own(np.arange(N)[part])

    np.testing.assert_allclose(around.own_over(part), expected)

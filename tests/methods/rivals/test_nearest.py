"""Class probabilities by the nearest placed samples, in a learned metric."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from likewise._arrays import Floats, Indices
from likewise.methods._rivals._pool import (
    PRIOR,
    class_probabilities,
    feature_weights,
    gaussian_likeness,
)

CLASSES = np.array([0, 1, 1, 2, 0, 2])

likenesses = arrays(np.float64, (4, 6), elements=st.floats(0.0, 1.0), unique=True)


@given(likenesses, st.integers(1, 9))
def test_probabilities_are_those_of_the_definition(K: Floats, nearest: int) -> None:
    actual = class_probabilities(K, CLASSES, nearest)

    for row, x in enumerate(K):
        near = sorted(range(6), key=lambda i: -x[i])[:nearest]
        total = sum(x[i] for i in near)
        for c in range(3):
            mass = sum(x[i] for i in near if CLASSES[i] == c)
            expected = mass / total if total > 0 else 1 / 3
            assert actual[row, c] == pytest.approx(expected)


def test_a_sample_that_is_like_nobody_may_be_anywhere() -> None:
    actual = class_probabilities(np.zeros((2, 6)), CLASSES, 3)

    np.testing.assert_array_equal(actual, 1 / 3)


def test_samples_as_like_as_the_last_one_count_too() -> None:
    actual = class_probabilities(np.array([[0.5, 0.5, 0.5, 0.1, 0.1, 0.1]]), CLASSES, 1)

    np.testing.assert_allclose(actual, [[1 / 3, 2 / 3, 0.0]])


@pytest.mark.parametrize("width", [1e-6, 1.0, 1e6])
def test_a_sample_far_from_all_is_like_the_nearest_one(width: float) -> None:
    actual = gaussian_likeness(np.array([[1e12, 4e12], [0.0, 0.0]]), width)

    np.testing.assert_array_equal(actual, [[1.0, 0.0], [1.0, 1.0]])


def placed_samples(rng: np.random.Generator) -> tuple[Floats, Indices, Indices]:
    """Return samples whose classes differ in the first of three features only."""
    classes = np.arange(40) % 2
    X = rng.standard_normal((40, 3))
    X[:, 0] = 4 * classes + 0.3 * X[:, 0]
    return X - X.mean(axis=0), np.arange(30), classes[:30]


def cost_of(m: Floats, X: Floats, placed: Indices, classes: Indices) -> float:
    """Return what the metric minimises, as its docstring has it."""
    freedom = len(placed) - len(set(classes.tolist()))
    inside = sum(
        ((X[placed[classes == c]] - X[placed[classes == c]].mean(axis=0)) ** 2).sum(0)
        for c in set(classes.tolist())
    )
    ratio = inside / freedom / X.var(axis=0)
    short = freedom * (m * ratio - np.log(m)).sum()
    return float(short + PRIOR * (m - np.log(m)).sum())


def test_no_other_metric_costs_less(rng: np.random.Generator) -> None:
    X, placed, classes = placed_samples(rng)
    m = feature_weights(X, placed, classes)

    least = cost_of(m, X, placed, classes)

    for _ in range(50):
        other = m * np.exp(0.1 * rng.standard_normal(3))
        assert cost_of(other, X, placed, classes) > least


def test_the_feature_that_tells_the_classes_apart_weighs_most(
    rng: np.random.Generator,
) -> None:
    X, placed, classes = placed_samples(rng)

    m = feature_weights(X, placed, classes)

    assert m.argmax() == 0
    assert m[0] > 2 * m[1:].max()


def test_sparse_samples_have_the_metric_of_dense_ones(
    rng: np.random.Generator,
) -> None:
    X, placed, classes = placed_samples(rng)

    actual = feature_weights(sp.csr_array(X), placed, classes)

    np.testing.assert_allclose(actual, feature_weights(X, placed, classes))


def test_one_sample_a_class_teaches_no_metric(rng: np.random.Generator) -> None:
    X = rng.standard_normal((7, 3))

    actual = feature_weights(X, np.array([2, 5, 6]), np.arange(3))

    np.testing.assert_array_equal(actual, 1.0)


@pytest.mark.parametrize("n_placed", [2, 20, 2000])
def test_a_metric_is_bounded_whatever_the_classes_are(n_placed: int) -> None:
    classes = np.arange(n_placed) % 2
    X = np.column_stack([classes - 0.5, np.zeros(n_placed)])

    m = feature_weights(X, np.arange(n_placed), classes)

    assert (m > 0).all()
    assert m.max() <= 1 + n_placed / PRIOR
    assert m[1] == pytest.approx(1.0)

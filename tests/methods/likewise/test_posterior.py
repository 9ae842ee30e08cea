"""Gaussian posteriors: the textbook formulas, and changes of one sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise._arrays import Floats, Indices
from likewise.methods._likewise._posterior import Coverage, Field


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random basis, its prior, and settled samples with their classes."""

    basis: Floats
    precision: Floats
    noise: float
    settled: Indices
    classes: Indices
    m: int

    @property
    def coverage(self) -> Coverage:
        return Coverage.of(self.basis, self.precision, self.noise, self.settled)

    @property
    def field(self) -> Field:
        return Field.of(self.basis, self.noise, self.settled, self.classes, self.m)

    def without(self, at: int) -> Drawn:
        return Drawn(
            self.basis,
            self.precision,
            self.noise,
            np.delete(self.settled, at),
            np.delete(self.classes, at),
            self.m,
        )


@st.composite
def problems(draw: st.DrawFn, min_settled: int = 0) -> Drawn:
    """Draw shapes and a seed; the numbers are in general position."""
    n = draw(st.integers(max(min_settled, 1), 12))
    k = draw(st.integers(1, 6))
    m = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    settled = rng.permutation(n)[: draw(st.integers(min_settled, n))]
    return Drawn(
        basis=rng.standard_normal((n, k)),
        precision=rng.uniform(0.1, 3.0, k),
        noise=draw(st.sampled_from([0.05, 0.3, 1.0])),
        settled=settled.astype(np.intp),
        classes=rng.integers(0, m, len(settled)).astype(np.intp),
        m=m,
    )


def assert_same_coverage(actual: Coverage, expected: Coverage) -> None:
    np.testing.assert_allclose(actual.projected, expected.projected, atol=1e-8)
    np.testing.assert_allclose(actual.variance, expected.variance, atol=1e-8)


def assert_same_field(actual: Field, expected: Field) -> None:
    np.testing.assert_allclose(actual.covariance, expected.covariance, atol=1e-8)
    np.testing.assert_allclose(actual.variance, expected.variance, atol=1e-8)
    np.testing.assert_allclose(actual.mean, expected.mean, atol=1e-8)


@given(problems())
def test_coverage_is_the_posterior_of_the_textbook(drawn: Drawn) -> None:
    V_S = drawn.basis[drawn.settled]
    C = np.linalg.inv(np.diag(drawn.precision) + V_S.T @ V_S / drawn.noise)

    actual = drawn.coverage

    np.testing.assert_allclose(actual.projected, drawn.basis @ C, atol=1e-10)
    expected = np.diag(drawn.basis @ C @ drawn.basis.T)
    np.testing.assert_allclose(actual.variance, expected, atol=1e-10)


@given(problems())
def test_a_field_is_the_regression_of_the_textbook(drawn: Drawn) -> None:
    B, B_S = drawn.basis, drawn.basis[drawn.settled]
    Y = np.eye(drawn.m)[drawn.classes]
    F = np.linalg.inv(np.eye(B.shape[1]) + B_S.T @ B_S / drawn.noise)

    actual = drawn.field

    np.testing.assert_allclose(actual.covariance, F, atol=1e-10)
    np.testing.assert_allclose(actual.variance, np.diag(B @ F @ B.T), atol=1e-10)
    np.testing.assert_allclose(actual.mean, B @ F @ B_S.T @ Y / drawn.noise, atol=1e-9)


@given(problems())
def test_a_field_is_also_kernel_regression(drawn: Drawn) -> None:
    # The same posterior seen from the samples: U = K_S (K_SS + s2 I)^-1 Y.
    K = drawn.basis @ drawn.basis.T
    K_S, K_SS = K[:, drawn.settled], K[np.ix_(drawn.settled, drawn.settled)]
    Y = np.eye(drawn.m)[drawn.classes]
    inverse = np.linalg.inv(K_SS + drawn.noise * np.eye(len(drawn.settled)))

    np.testing.assert_allclose(drawn.field.mean, K_S @ inverse @ Y, atol=1e-8)


@given(problems(min_settled=1))
def test_one_more_sample_equals_starting_with_it(drawn: Drawn) -> None:
    sample, column = int(drawn.settled[-1]), int(drawn.classes[-1])
    before = drawn.without(-1)

    assert_same_coverage(before.coverage.after(sample), drawn.coverage)
    assert_same_field(before.field.after(sample, column), drawn.field)


@given(problems(min_settled=1))
def test_one_less_sample_equals_starting_without_it(drawn: Drawn) -> None:
    sample, column = int(drawn.settled[0]), int(drawn.classes[0])
    expected = drawn.without(0)

    assert_same_coverage(drawn.coverage.after(sample, -1), expected.coverage)
    assert_same_field(drawn.field.after(sample, column, -1), expected.field)


@given(problems(), st.data())
def test_taking_a_sample_back_undoes_it(drawn: Drawn, data: st.DataObject) -> None:
    sample = data.draw(st.integers(0, len(drawn.basis) - 1))
    column = data.draw(st.integers(0, drawn.m - 1))

    covered = drawn.coverage.after(sample).after(sample, -1)
    field = drawn.field.after(sample, column).after(sample, column, -1)

    assert_same_coverage(covered, drawn.coverage)
    assert_same_field(field, drawn.field)


@given(problems(), st.data())
def test_a_change_leaves_the_value_before_it_as_it_was(
    drawn: Drawn, data: st.DataObject
) -> None:
    sample = data.draw(st.integers(0, len(drawn.basis) - 1))
    covered, field = drawn.coverage, drawn.field

    covered.after(sample)
    field.after(sample, 0)

    assert_same_coverage(covered, drawn.coverage)
    assert_same_field(field, drawn.field)


@given(problems())
def test_more_settled_samples_never_widen_the_posterior(drawn: Drawn) -> None:
    for sample in range(len(drawn.basis)):
        after = drawn.coverage.after(sample)
        assert (after.variance <= drawn.coverage.variance + 1e-9).all()
        assert after.variance[sample] <= drawn.noise + 1e-9


@given(problems(), st.data())
def test_merged_columns_are_the_field_of_the_merged_class(
    drawn: Drawn, data: st.DataObject
) -> None:
    target = data.draw(st.lists(st.integers(0, 2), min_size=drawn.m, max_size=drawn.m))
    sources = [[c for c, t in enumerate(target) if t == new] for new in range(3)]
    merged = np.array(target, dtype=np.intp)[drawn.classes]

    actual = drawn.field.with_columns(sources)

    expected = Field.of(drawn.basis, drawn.noise, drawn.settled, merged, 3)
    assert_same_field(actual, expected)


def test_columns_may_be_dropped_and_added(rng: np.random.Generator) -> None:
    basis = rng.standard_normal((6, 3))
    field = Field.of(basis, 0.3, np.array([1, 4]), np.array([0, 1]), 2)

    actual = field.with_columns([[1], []]).mean

    np.testing.assert_array_equal(actual[:, 0], field.mean[:, 1])
    np.testing.assert_array_equal(actual[:, 1], np.zeros(6))


@given(problems(min_settled=1))
def test_left_out_is_the_mean_of_a_field_without_the_sample(drawn: Drawn) -> None:
    actual = drawn.field.left_out(drawn.settled, drawn.classes)

    for at, sample in enumerate(drawn.settled):
        expected = drawn.without(at).field.mean[sample]
        np.testing.assert_allclose(actual[at], expected, atol=1e-7)


@pytest.mark.parametrize("noise", [0.05, 1.0])
def test_without_settled_samples_a_field_is_the_prior(
    noise: float, rng: np.random.Generator
) -> None:
    basis = rng.standard_normal((7, 3))
    none = np.zeros(0, dtype=np.intp)

    field = Field.of(basis, noise, none, none, 2)

    np.testing.assert_array_equal(field.mean, np.zeros((7, 2)))
    np.testing.assert_allclose(field.variance, (basis**2).sum(axis=1), atol=1e-12)
    assert field.left_out(none, none).shape == (0, 2)

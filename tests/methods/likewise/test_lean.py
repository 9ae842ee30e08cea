"""Posteriors of many samples: the numbers of those that are kept for every sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise._arrays import Floats, Indices
from likewise.methods._likewise import _posterior as lean
from likewise.methods._likewise._posterior import (
    Columns,
    Coverage,
    Field,
    LeanCoverage,
    LeanField,
)

NOISE = 0.3


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random basis, and settled samples with their classes."""

    basis: Columns
    precision: Floats
    settled: Indices
    classes: Indices
    m: int

    @property
    def whole(self) -> Floats:
        """The basis written out."""
        rows = self.basis.array * self.basis.weights
        return np.column_stack([np.ones(len(rows)), rows])

    @property
    def fields(self) -> tuple[LeanField, Field]:
        how = NOISE, self.settled, self.classes, self.m
        return LeanField.of(self.basis, *how), Field.of(self.whole, *how)

    @property
    def coverages(self) -> tuple[LeanCoverage, Coverage]:
        vectors: Any = self.basis.array
        how = self.precision, NOISE, self.settled
        return LeanCoverage.of(vectors, *how), Coverage.of(vectors, *how)


@st.composite
def problems(draw: st.DrawFn) -> Drawn:
    """Draw shapes and a seed; the numbers are in general position."""
    n, k = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    m = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    settled = rng.permutation(n)[: draw(st.integers(0, n))]
    return Drawn(
        basis=Columns(rng.standard_normal((n, k)), rng.uniform(0.2, 2.0, k)),
        precision=rng.uniform(0.1, 3.0, k),
        settled=settled.astype(np.intp),
        classes=rng.integers(0, m, len(settled)).astype(np.intp),
        m=m,
    )


@given(problems())
def test_a_field_says_the_same_at_every_sample(drawn: Drawn) -> None:
    lean_field, field = drawn.fields
    everybody = np.arange(len(drawn.whole))

    np.testing.assert_allclose(lean_field.at(everybody), field.mean, atol=1e-8)
    np.testing.assert_allclose(
        lean_field.at(slice(0, len(everybody))), field.mean, atol=1e-8
    )


@given(problems())
def test_a_field_says_the_same_of_samples_left_out(drawn: Drawn) -> None:
    actual, expected = (
        field.left_out(drawn.settled, drawn.classes) for field in drawn.fields
    )

    np.testing.assert_allclose(actual, expected, atol=1e-8)


def assert_same_coverage(actual: LeanCoverage, expected: Coverage) -> None:
    everybody = np.arange(len(expected.variance))
    np.testing.assert_allclose(actual.variance, expected.variance, atol=1e-8)
    np.testing.assert_allclose(
        actual.variance_at(everybody), expected.variance, atol=1e-8
    )
    np.testing.assert_allclose(
        actual.lengths(everybody), expected.lengths(everybody), atol=1e-8
    )


@given(problems())
def test_samples_are_covered_as_well(drawn: Drawn) -> None:
    assert_same_coverage(*drawn.coverages)


@given(problems(), st.data())
def test_one_more_sample_covers_the_same(drawn: Drawn, data: st.DataObject) -> None:
    sample = data.draw(st.integers(0, len(drawn.whole) - 1))
    actual, expected = drawn.coverages

    assert_same_coverage(actual.after(sample), expected.after(sample))
    assert_same_coverage(*drawn.coverages)


@given(problems(), st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=8))
def test_what_was_looked_at_is_brought_on(
    drawn: Drawn, changes: list[tuple[int, bool]]
) -> None:
    """One sample more, or one less, also of samples that are settled several times."""
    actual, expected = drawn.coverages
    told: list[int] = []
    for number, is_more in changes:
        sample, sign = number % len(drawn.whole), 1 if is_more else -1
        if is_more:
            told.append(sample)
        elif sample in told:
            told.remove(sample)
        else:
            continue
        _ = actual.variance
        actual, expected = actual.after(sample, sign), expected.after(sample, sign)
        assert actual.carried is not None

    np.testing.assert_allclose(actual.variance, expected.variance, atol=1e-6)
    everybody = np.arange(len(drawn.whole))
    np.testing.assert_allclose(
        actual.lengths(everybody), expected.lengths(everybody), atol=1e-6
    )


def test_after_many_changes_everything_is_made_anew(rng: np.random.Generator) -> None:
    coverage = LeanCoverage.of(
        rng.standard_normal((9, 3)), np.ones(3), NOISE, np.array([0])
    )
    ages = []
    for _ in range(lean.AFRESH + 3):
        _ = coverage.variance
        coverage = coverage.after(4)
        ages.append(coverage.age)

    assert ages == [*range(1, lean.AFRESH + 1), 0, 1, 2]


def test_blocks_make_no_difference(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, settled = rng.standard_normal((23, 4)), np.array([3, 9])
    expected = LeanCoverage.of(vectors, np.ones(4), NOISE, settled).variance

    monkeypatch.setattr(lean, "ROWS", 5)
    actual = LeanCoverage.of(vectors, np.ones(4), NOISE, settled).variance

    np.testing.assert_allclose(actual, expected)


def test_single_precision_stays_single_where_all_samples_are_looked_at(
    rng: np.random.Generator,
) -> None:
    array = rng.standard_normal((30, 4)).astype(np.float32)
    settled, classes = np.array([3, 9]), np.array([0, 1])

    field = LeanField.of(Columns(array, np.ones(4)), NOISE, settled, classes, 2)
    coverage = LeanCoverage.of(array, np.ones(4), NOISE, settled)

    assert field.at(slice(0, 30)).dtype == coverage.variance.dtype == np.float32
    assert field.at(settled).dtype == np.float64
    np.testing.assert_allclose(
        field.at(slice(0, 30)), field.at(np.arange(30)), atol=1e-5
    )

"""Gaussian posteriors: the textbook formulas, and changes of one sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.methods._likewise import _regimes
from likewise.methods._likewise._posterior import AFRESH, Basis, ClassField, Coverage
from likewise.spectral import DOUBLE, SINGLE

NOISE = 0.3


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random basis, its prior, and settled samples with their classes."""

    basis: Basis
    precision: Floats
    noise: float
    settled: Indices
    classes: Indices
    m: int

    @property
    def everybody(self) -> Indices:
        return np.arange(len(self.basis.array))

    @property
    def vectors(self) -> AnyFloats:
        return DOUBLE.host(self.basis.array)

    @property
    def rows(self) -> Floats:
        """The basis written out."""
        return np.array(
            [
                [1.0, *(a * s for a, s in zip(row, self.basis.weights, strict=True))]
                for row in self.vectors
            ]
        )

    @property
    def coverage(self) -> Coverage:
        return Coverage.of(self.basis.array, self.precision, self.noise, self.settled)

    @property
    def field(self) -> ClassField:
        return ClassField.of(
            self.basis,
            self.noise,
            (self.settled, self.classes),
            np.zeros((len(self.settled), self.m)),
        )

    @property
    def mean(self) -> AnyFloats:
        return self.field.at(self.everybody)

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
        basis=Basis(
            DOUBLE.array(rng.standard_normal((n, k))), rng.uniform(0.2, 2.0, k)
        ),
        precision=rng.uniform(0.1, 3.0, k),
        noise=draw(st.sampled_from([0.05, 0.3, 1.0])),
        settled=settled.astype(np.intp),
        classes=rng.integers(0, m, len(settled)).astype(np.intp),
        m=m,
    )


def assert_same_coverage(
    actual: Coverage, expected: Coverage, *, atol: float = 1e-8
) -> None:
    everybody = np.arange(len(expected.vectors))
    np.testing.assert_allclose(actual.covariance, expected.covariance, atol=atol)
    np.testing.assert_allclose(actual.variance, expected.variance, atol=atol)
    np.testing.assert_allclose(
        actual.variance_at(everybody), expected.variance, atol=atol
    )
    np.testing.assert_allclose(actual.lengths, expected.lengths, atol=atol)


@given(problems())
def test_coverage_is_the_posterior_of_the_textbook(drawn: Drawn) -> None:
    V, V_S = drawn.vectors, drawn.vectors[drawn.settled]
    C = np.linalg.inv(np.diag(drawn.precision) + V_S.T @ V_S / drawn.noise)

    actual = drawn.coverage

    expected = np.diag(V @ C @ V.T)
    np.testing.assert_allclose(actual.variance, expected, atol=1e-10)
    np.testing.assert_allclose(
        actual.variance_at(drawn.everybody), expected, atol=1e-10
    )
    np.testing.assert_allclose(actual.lengths, ((V @ C) ** 2).sum(axis=1), atol=1e-9)


@given(problems())
def test_a_field_is_the_regression_of_the_textbook(drawn: Drawn) -> None:
    B, B_S = drawn.rows, drawn.rows[drawn.settled]
    Y = np.eye(drawn.m)[drawn.classes]
    F = np.linalg.inv(np.eye(B.shape[1]) + B_S.T @ B_S / drawn.noise)
    expected = B @ F @ B_S.T @ Y / drawn.noise

    L = drawn.field.factor
    np.testing.assert_allclose(np.linalg.inv(L @ L.T), F, atol=1e-9)
    np.testing.assert_allclose(drawn.mean, expected, atol=1e-8)
    everything = slice(0, len(B))
    np.testing.assert_allclose(drawn.field.over(everything), expected, atol=1e-8)


@given(problems())
def test_a_field_is_also_kernel_regression(drawn: Drawn) -> None:
    # The same posterior seen from the samples: U = K_S (K_SS + s2 I)^-1 Y.
    K = drawn.rows @ drawn.rows.T
    K_S, K_SS = K[:, drawn.settled], K[np.ix_(drawn.settled, drawn.settled)]
    Y = np.eye(drawn.m)[drawn.classes]
    inverse = np.linalg.inv(K_SS + drawn.noise * np.eye(len(drawn.settled)))

    np.testing.assert_allclose(drawn.mean, K_S @ inverse @ Y, atol=1e-7)


@given(problems(min_settled=1))
def test_one_more_sample_equals_starting_with_it(drawn: Drawn) -> None:
    before = drawn.without(-1)

    after = before.coverage.after(int(drawn.settled[-1]))

    assert_same_coverage(after, drawn.coverage)


@given(problems(min_settled=1))
def test_one_less_sample_equals_starting_without_it(drawn: Drawn) -> None:
    after = drawn.coverage.after(int(drawn.settled[0]), -1)

    assert_same_coverage(after, drawn.without(0).coverage)


@given(problems(), st.data())
def test_taking_a_sample_back_undoes_it(drawn: Drawn, data: st.DataObject) -> None:
    sample = data.draw(st.integers(0, len(drawn.vectors) - 1))

    covered = drawn.coverage.after(sample).after(sample, -1)

    assert_same_coverage(covered, drawn.coverage)


@pytest.mark.parametrize("is_looked_at", [False, True])
@given(problems(), st.data())
def test_a_change_leaves_the_value_before_it_as_it_was(
    is_looked_at: bool, drawn: Drawn, data: st.DataObject
) -> None:
    sample = data.draw(st.integers(0, len(drawn.vectors) - 1))
    covered = drawn.coverage
    if is_looked_at:
        _ = covered.variance

    _ = covered.after(sample).variance

    assert_same_coverage(covered, drawn.coverage)


@given(problems())
def test_more_settled_samples_never_widen_the_posterior(drawn: Drawn) -> None:
    for sample in range(len(drawn.vectors)):
        after = drawn.coverage.after(sample)
        before = np.asarray(drawn.coverage.variance)
        assert (np.asarray(after.variance) <= before + 1e-9).all()
        assert after.variance[sample] <= drawn.noise + 1e-9


@given(problems(), st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=8))
def test_what_was_looked_at_is_brought_on(
    drawn: Drawn, changes: list[tuple[int, bool]]
) -> None:
    """One sample more, or one less, also of samples that are settled several times."""
    looked_at, unseen = drawn.coverage, drawn.coverage
    told: list[int] = []
    for number, is_more in changes:
        sample, sign = number % len(drawn.vectors), 1 if is_more else -1
        if is_more:
            told.append(sample)
        elif sample in told:
            told.remove(sample)
        else:
            continue
        _ = looked_at.variance
        looked_at, unseen = looked_at.after(sample, sign), unseen.after(sample, sign)
        assert looked_at.spread.values is not None
        assert unseen.spread.values is None

    assert_same_coverage(looked_at, unseen, atol=1e-6)


def test_after_many_changes_everything_is_made_anew(rng: np.random.Generator) -> None:
    coverage = Coverage.of(
        DOUBLE.array(rng.standard_normal((9, 3))), np.ones(3), NOISE, np.array([0])
    )
    ages = []
    for _ in range(AFRESH + 3):
        _ = coverage.variance
        coverage = coverage.after(4)
        ages.append(coverage.spread.age)

    assert ages == [*range(1, AFRESH + 1), 0, 1, 2]


def test_blocks_make_no_difference(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = DOUBLE.array(rng.standard_normal((23, 4)))
    settled = np.array([3, 9])
    expected = Coverage.of(vectors, np.ones(4), NOISE, settled).variance

    monkeypatch.setattr(_regimes, "ROWS", 5)
    actual = Coverage.of(vectors, np.ones(4), NOISE, settled).variance

    np.testing.assert_allclose(actual, expected)


@given(problems(min_settled=1))
def test_left_out_is_the_mean_of_a_field_without_the_sample(drawn: Drawn) -> None:
    actual = drawn.field.left_out(drawn.settled)

    for at, sample in enumerate(drawn.settled):
        expected = drawn.without(at).mean[sample]
        np.testing.assert_allclose(actual[at], expected, atol=1e-7)


@given(problems(), st.data())
def test_the_field_of_a_merged_class_is_the_sum_of_theirs(
    drawn: Drawn, data: st.DataObject
) -> None:
    target = data.draw(st.lists(st.integers(0, 2), min_size=drawn.m, max_size=drawn.m))
    merged = np.array(target, dtype=np.intp)[drawn.classes]

    nothing = np.zeros((len(drawn.settled), 3))
    field = ClassField.of(drawn.basis, drawn.noise, (drawn.settled, merged), nothing)

    members = np.eye(3)[target]  # no column for a class that nothing is merged into
    np.testing.assert_allclose(
        field.at(drawn.everybody), drawn.mean @ members, atol=1e-8
    )


@pytest.mark.parametrize("noise", [0.05, 1.0])
def test_without_settled_samples_a_field_is_the_prior(
    noise: float, rng: np.random.Generator
) -> None:
    basis = Basis(DOUBLE.array(rng.standard_normal((7, 3))), np.ones(3))
    none = np.zeros(0, dtype=np.intp)

    field = ClassField.of(basis, noise, (none, none), np.zeros((0, 2)))

    np.testing.assert_array_equal(field.at(np.arange(7)), np.zeros((7, 2)))
    np.testing.assert_array_equal(field.factor, np.eye(4))
    assert field.left_out(none).shape == (0, 2)


def test_single_precision_stays_single_where_all_samples_are_looked_at(
    rng: np.random.Generator,
) -> None:
    array = SINGLE.array(rng.standard_normal((30, 4)))
    settled, classes = np.array([3, 9]), np.array([0, 1])

    nothing, basis = np.zeros((2, 2)), Basis(array, np.ones(4))
    field = ClassField.of(basis, NOISE, (settled, classes), nothing)
    coverage = Coverage.of(array, np.ones(4), NOISE, settled)

    over, variance = (
        np.asarray(a) for a in (field.over(slice(0, 30)), coverage.variance)
    )
    assert over.dtype == variance.dtype == np.float32
    assert field.at(settled).dtype == np.float64
    np.testing.assert_allclose(over, field.at(np.arange(30)), atol=1e-5)


@dataclass(frozen=True)
class Faint:
    """Settled samples, each a part of an observation, with what was foreseen."""

    basis: Basis
    settled: Indices
    classes: Indices
    foreseen: Floats
    parts: Floats

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Faint:
        basis = Basis(
            DOUBLE.array(rng.standard_normal((12, 3))), rng.uniform(0.5, 2, 3)
        )
        settled = np.sort(rng.permutation(12)[:6])
        foreseen, parts = rng.uniform(0, 1, (6, 2)), rng.uniform(0.02, 1, 6)
        return cls(basis, settled, rng.integers(0, 2, 6), foreseen, parts)

    def field(self, kept: Indices) -> ClassField:
        settled = self.settled[kept], self.classes[kept]
        return ClassField.of(
            self.basis, NOISE, settled, self.foreseen[kept], self.parts[kept]
        )


@pytest.mark.parametrize("seed", range(5))
def test_a_part_of_an_observation_has_so_much_more_noise(seed: int) -> None:
    faint = Faint.drawn(np.random.default_rng(seed))
    everybody, rows = np.arange(6), faint.basis.rows(np.arange(12))
    seen = rows[faint.settled]
    noise = np.diag(NOISE / faint.parts)

    inside = np.linalg.inv(seen @ seen.T + noise)  # of the Gaussian process itself
    expected = rows @ seen.T @ inside @ (np.eye(2)[faint.classes] - faint.foreseen)

    actual = faint.field(everybody).at(np.arange(12))
    np.testing.assert_allclose(actual, expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_left_out_is_right_for_parts_of_observations_too(seed: int) -> None:
    faint = Faint.drawn(np.random.default_rng(seed))
    actual = faint.field(np.arange(6)).left_out(faint.settled, faint.parts)

    for at, sample in enumerate(faint.settled):
        others = np.delete(np.arange(6), at)
        expected = faint.field(others).at(np.array([sample]))[0]
        np.testing.assert_allclose(actual[at], expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_parts_of_observations_come_and_go_by_rank_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = DOUBLE.array(rng.standard_normal((12, 3)))
    precision = rng.uniform(0.5, 2, 3)
    settled, parts = np.array([2, 5, 7]), rng.uniform(0.02, 1, 3)
    whole = Coverage.of(vectors, precision, NOISE, settled, parts)

    fewer = Coverage.of(vectors, precision, NOISE, settled[:2], parts[:2])

    further = fewer.after(7, part=float(parts[2]))
    np.testing.assert_allclose(further.covariance, whole.covariance, atol=1e-9)
    back = whole.after(7, -1, float(parts[2]))
    np.testing.assert_allclose(back.covariance, fewer.covariance, atol=1e-9)

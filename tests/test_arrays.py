"""What comes in: numbers of the right shape, or a sentence."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import get_config
from sklearn.utils import validation

from likewise import Session
from likewise import _arrays as arrays
from likewise import _regime as regime
from likewise._arrays import (
    Floats,
    as_affinity,
    as_samples,
    dense,
    is_frame,
    stack,
    without_diagonal,
)
from likewise.affinity import auto, gaussian
from likewise.errors import InputError
from likewise.methods import problem_of


def test_lists_become_floats() -> None:
    actual = as_samples([[1, 2], [3, 4]])

    assert actual.dtype == np.float64
    np.testing.assert_array_equal(actual, [[1.0, 2.0], [3.0, 4.0]])


def test_texts_that_are_numbers_become_numbers() -> None:
    np.testing.assert_array_equal(as_samples([["1", "2.5"]]), [[1.0, 2.5]])


def test_sparse_samples_stay_sparse() -> None:
    actual = as_samples(sp.coo_matrix([[1, 0], [0, 2]]))

    assert isinstance(actual, sp.csr_array)
    np.testing.assert_array_equal(actual.toarray(), [[1.0, 0.0], [0.0, 2.0]])


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        ([[1.0, np.nan]], "contain NaN"),
        ([[1.0, np.inf]], "contain infinity"),
        ([[1.0, None]], "contain NaN"),
        ([["oak", "elm"]], "values that are not numbers"),
        ([[object(), 1]], "values that are not numbers"),
        ([[1, 2], [3]], "same length"),
        ([1.0, 2.0], "Expected 2D array"),
        (3.0, "Expected 2D array"),
        ([[[1.0]]], "Expected 2D array"),
        ([[1 + 2j, 0]], "Complex data"),
        (np.zeros((0, 3)), r"0 sample\(s\)"),
        (np.zeros((3, 0)), r"0 feature\(s\)"),
        (sp.csr_array([[1.0, np.nan]]), "contain NaN"),
        (sp.csr_array([[-np.inf, 1.0]]), "contain infinity"),
        (sp.csr_array([[1 + 2j, 0]]), "Complex data"),
        (sp.csr_array((0, 3)), r"0 sample\(s\)"),
    ],
    ids=[
        "NaN",
        "infinity",
        "None",
        "text",
        "object",
        "ragged",
        "1-D",
        "0-D",
        "3-D",
        "complex",
        "no samples",
        "no features",
        "sparse NaN",
        "sparse infinity",
        "sparse complex",
        "sparse no samples",
    ],
)
def test_samples_that_cannot_be_used_are_refused_with_a_sentence(
    X: Any, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        as_samples(X)


def test_a_frame_of_numbers_becomes_its_values() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, -1.0]})

    np.testing.assert_array_equal(as_samples(frame), [[1.0, 0.5], [2.0, -1.0]])


@pytest.mark.parametrize(
    "column",
    [
        ["oak", "elm", "oak"],
        pd.Categorical(["oak", "elm", "oak"]),
        pd.array(["oak", "elm", "oak"], dtype="string"),
    ],
    ids=["text", "category", "string"],
)
def test_kinds_are_one_hot_encoded(column: Any) -> None:
    actual = as_samples(pd.DataFrame({"tree": column, "size": [1.0, 2.0, 3.0]}))

    np.testing.assert_array_equal(actual, [[0, 1, 1], [1, 0, 2], [0, 1, 3]])


def test_booleans_are_one_hot_encoded() -> None:
    actual = as_samples(pd.DataFrame({"evergreen": [True, False]}))

    np.testing.assert_array_equal(actual, [[0.0, 1.0], [1.0, 0.0]])


def test_unused_categories_make_no_column() -> None:
    column = pd.Categorical(["oak", "elm"], categories=["oak", "elm", "yew"])

    assert as_samples(pd.DataFrame({"tree": column})).shape == (2, 2)


def test_nullable_integers_are_numbers() -> None:
    frame = pd.DataFrame({"a": pd.array([1, 2], dtype="Int64")})

    np.testing.assert_array_equal(as_samples(frame), [[1.0], [2.0]])


def test_columns_of_one_name_are_all_used() -> None:
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])

    np.testing.assert_array_equal(as_samples(frame), [[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    "column",
    [
        [1.0, None, 2.0],
        ["oak", None, "elm"],
        pd.Categorical(["oak", None, "elm"]),
        pd.array([1, None, 2], dtype="Int64"),
        pd.array([True, None, False], dtype="boolean"),
    ],
    ids=["float", "text", "category", "integer", "boolean"],
)
def test_a_missing_value_is_refused_with_its_column_and_row(column: Any) -> None:
    frame = pd.DataFrame({"whole": [1, 2, 3], "broken": column})

    with pytest.raises(InputError, match=r"'broken' has 1 missing .* row 1"):
        as_samples(frame)


def test_infinity_in_a_frame_is_refused() -> None:
    with pytest.raises(InputError, match="contain infinity"):
        as_samples(pd.DataFrame({"a": [1.0, np.inf]}))


def test_complex_numbers_in_a_frame_are_refused() -> None:
    with pytest.raises(InputError, match="Complex data"):
        as_samples(pd.DataFrame({"a": [1 + 2j, 3j]}))


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (pd.DataFrame(index=range(3)), r"0 feature\(s\)"),
        (pd.DataFrame({"a": np.zeros(0)}), r"0 sample\(s\)"),
    ],
    ids=["no columns", "no rows"],
)
def test_an_empty_frame_is_refused(frame: pd.DataFrame, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        as_samples(frame)


def test_only_frames_are_frames() -> None:
    assert is_frame(pd.DataFrame({"a": [1]}))
    assert not is_frame(np.zeros((2, 2)))


@pytest.mark.parametrize("convert", [np.array, sp.csr_array, sp.coo_matrix])
def test_an_affinity_loses_its_diagonal_only(convert: Any) -> None:
    W = np.array([[5.0, 0.5, 0.0], [0.5, 1.0, 2.0], [0.0, 2.0, 0.0]])

    actual = as_affinity(convert(W))

    np.testing.assert_array_equal(
        dense(actual), [[0.0, 0.5, 0.0], [0.5, 0.0, 2.0], [0.0, 2.0, 0.0]]
    )


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_an_affinity_off_by_rounding_becomes_symmetric(convert: Any) -> None:
    W = convert(np.array([[0.0, 1.0 + 1e-12], [1.0, 0.0]]))

    actual = dense(as_affinity(W))

    np.testing.assert_array_equal(actual, actual.T)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
@pytest.mark.parametrize(
    ("W", "sentence"),
    [
        ([[0.0, 1.0], [0.5, 0.0]], r"must be symmetric.* 0\.5"),
        ([[0.0, -0.25], [-0.25, 0.0]], r"must not be negative.* -0\.25"),
        ([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]], r"must be square.*\(2, 3\)"),
        ([[0.0, np.nan], [np.nan, 0.0]], "contain NaN"),
    ],
    ids=["asymmetric", "negative", "oblong", "missing"],
)
def test_an_affinity_that_cannot_be_used_is_refused(
    convert: Any, W: Any, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        as_affinity(convert(W))


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_checks_do_not_change_what_came_in(convert: Any) -> None:
    W = convert(np.array([[3.0, 1.0], [1.0, 0.0]]))

    as_affinity(W)
    without_diagonal(W)

    np.testing.assert_array_equal(dense(W), [[3.0, 1.0], [1.0, 0.0]])


def test_samples_are_a_copy() -> None:
    X = np.ones((2, 2))

    as_samples(X)[0, 0] = 7.0

    np.testing.assert_array_equal(X, np.ones((2, 2)))


@pytest.mark.parametrize("old", [np.array, sp.csr_array])
@pytest.mark.parametrize("new", [np.array, sp.csr_array])
def test_new_samples_come_behind_the_old(old: Any, new: Any) -> None:
    actual = stack(old([[1.0, 2.0]]), new([[3.0, 0.0], [5.0, 6.0]]), square=False)

    np.testing.assert_array_equal(dense(actual), [[1.0, 2.0], [3.0, 0.0], [5.0, 6.0]])


@pytest.mark.parametrize("old", [np.array, sp.csr_array])
@pytest.mark.parametrize("new", [np.array, sp.csr_array])
def test_new_similarities_make_a_larger_square(old: Any, new: Any) -> None:
    W = old([[0.0, 0.5], [0.5, 0.0]])

    actual = stack(W, new([[0.1, 0.2, 0.0]]), square=True)

    expected = [[0.0, 0.5, 0.1], [0.5, 0.0, 0.2], [0.1, 0.2, 0.0]]
    np.testing.assert_array_equal(dense(actual), expected)


def test_new_rows_of_a_frame_come_behind_the_old() -> None:
    old, new = pd.DataFrame({"tree": ["oak"]}), pd.DataFrame({"tree": ["elm"]})

    np.testing.assert_array_equal(
        as_samples(stack(old, new, square=False)), [[0.0, 1.0], [1.0, 0.0]]
    )


@pytest.mark.parametrize(
    ("old", "new", "square", "sentence"),
    [
        (np.ones((2, 2)), np.ones((1, 3)), False, "3 columns, but 2 are needed"),
        (np.ones((2, 2)), np.ones((1, 2)), True, "2 columns, but 3 are needed"),
        (
            pd.DataFrame({"a": [1]}),
            pd.DataFrame({"b": [1]}),
            False,
            r"\['b'\], but \['a'\] are needed",
        ),
    ],
    ids=["features", "similarities", "frames"],
)
def test_new_samples_of_another_width_are_refused(
    old: Any, new: Any, square: bool, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        stack(old, new, square=square)


@pytest.fixture
def many(rng: np.random.Generator) -> Floats:
    """More samples than are copied to float64."""
    return rng.random((regime.EXACT_SEARCH + 1, 2))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_many_samples_are_not_copied(many: Floats, kind: Any) -> None:
    X = many.astype(kind)

    actual = as_samples(X)

    assert actual.dtype == kind
    assert np.shares_memory(actual, X)


def test_a_large_memory_map_stays_on_disk(tmp_path: Path, many: Floats) -> None:
    np.save(tmp_path / "X.npy", many.astype(np.float32))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")

    assert np.shares_memory(as_samples(X), X)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.uint8, np.float32),
        (np.float16, np.float32),
        (np.bool_, np.float32),
        (np.int64, np.float64),
        (">f4", np.float32),
    ],
)
def test_many_numbers_become_the_smallest_that_hold_them(
    given: Any, kept: Any, many: Floats
) -> None:
    X = (10 * many).astype(given)

    actual = as_samples(X)

    assert actual.dtype == kept
    np.testing.assert_array_equal(actual, X.astype(np.float64))


def test_few_samples_are_copied_to_float64(many: Floats) -> None:
    X = many[: regime.EXACT_SEARCH].astype(np.float32)

    actual = as_samples(X)

    assert actual.dtype == np.float64
    assert not np.shares_memory(actual, X)


@pytest.mark.parametrize(
    ("value", "sentence"), [(np.nan, "contain NaN"), (np.inf, "contain infinity")]
)
def test_a_missing_value_among_many_is_found(
    value: float, sentence: str, many: Floats
) -> None:
    X = np.vstack([many] * 4)
    X[-1, 1] = value

    with pytest.raises(InputError, match=sentence):
        as_samples(X)


def ring(n: int, kind: Any = np.float32) -> sp.csr_array:
    """Return the similarity of samples in a circle, each like the next."""
    at = np.arange(n)
    ends = np.concatenate([at, (at + 1) % n]), np.concatenate([(at + 1) % n, at])
    return sp.csr_array((np.tile(np.linspace(0.1, 1, n), 2).astype(kind), ends))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("convert", [sp.csr_array, sp.coo_matrix, sp.csc_array])
def test_a_large_sparse_affinity_keeps_its_numbers(kind: Any, convert: Any) -> None:
    W = ring(regime.EXACT_SEARCH + 1, kind)

    actual = as_affinity(convert(W))

    assert isinstance(actual, sp.csr_array)
    assert actual.dtype == kind
    assert actual.indices.dtype == np.int32
    assert abs(actual - W).nnz == 0


def test_rounding_of_single_precision_is_no_asymmetry() -> None:
    W = ring(regime.EXACT_SEARCH + 1)
    W.data[0] = np.nextafter(W.data[0], np.float32(2))

    actual = as_affinity(W)

    assert abs(actual - actual.T).nnz == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda W: W.data.__setitem__(0, 0.9), "must be symmetric"),
        (lambda W: W.data.__setitem__(slice(None), -W.data), "must not be negative"),
        (lambda W: W.data.__setitem__(5, np.nan), "contain NaN"),
    ],
)
def test_a_large_sparse_affinity_is_checked(change: Any, sentence: str) -> None:
    W = ring(regime.EXACT_SEARCH + 1)
    change(W)

    with pytest.raises(InputError, match=sentence):
        as_affinity(W)


def test_a_sparse_affinity_is_checked_without_making_it_dense() -> None:
    W = ring(100_000)

    tracemalloc.start()
    as_affinity(W)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 30 * W.data.nbytes


def test_long_indices_become_short() -> None:
    W = ring(10)
    W.indices, W.indptr = W.indices.astype(np.int64), W.indptr.astype(np.int64)

    actual = as_affinity(W)

    assert actual.indices.dtype == actual.indptr.dtype == np.int32


def test_stacked_samples_keep_the_type_of_the_old(many: Floats) -> None:
    old = many.astype(np.float32)

    actual = stack(old, [[1.0, 2.0]], square=False)

    assert actual.dtype == np.float32
    np.testing.assert_array_equal(actual[-1], [1.0, 2.0])


@pytest.mark.parametrize("kind", [np.uint8, np.float16, np.int64])
def test_a_large_memory_map_of_any_numbers_is_not_copied(
    kind: Any, tmp_path: Path
) -> None:
    path = tmp_path / "features.npy"
    np.save(path, np.ones((20_001, 50), dtype=kind))
    mapped = np.load(path, mmap_mode="r")

    assert np.shares_memory(as_samples(mapped), mapped)


def test_a_memory_map_that_nobody_can_write_to_is_looked_through_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "X.npy", np.ones((regime.EXACT_SEARCH + 2, 3), dtype=np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    looked: list[int] = []
    is_finite = np.isfinite

    def counting(values: Any) -> Any:
        looked.append(np.size(values))
        return is_finite(values)

    monkeypatch.setattr(np, "isfinite", counting)
    first = as_samples(mapped)
    again, behind = as_samples(first), as_samples(first[1:])

    assert again is first
    assert behind.shape == (regime.EXACT_SEARCH + 1, 3)
    assert sum(looked) == mapped.size


def test_a_memory_map_that_can_be_written_to_is_looked_through_again(
    tmp_path: Path,
) -> None:
    np.save(tmp_path / "X.npy", np.ones((regime.EXACT_SEARCH + 1, 3)))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r+")
    as_samples(mapped)
    mapped[7, 1] = np.nan

    with pytest.raises(InputError, match="NaN"):
        as_samples(mapped)


def test_a_missing_value_in_a_large_memory_map_is_found(tmp_path: Path) -> None:
    values = np.ones((20_001, 2), dtype=np.float16)
    values[-1, 1] = np.nan
    np.save(tmp_path / "features.npy", values)

    with pytest.raises(InputError, match="contain NaN"):
        as_samples(np.load(tmp_path / "features.npy", mmap_mode="r"))


def test_new_samples_behind_a_memory_map_of_whole_numbers_keep_their_digits(
    tmp_path: Path,
) -> None:
    np.save(tmp_path / "features.npy", np.ones((20_001, 2), dtype=np.uint8))
    old = np.load(tmp_path / "features.npy", mmap_mode="r")

    stacked = stack(old, [[0.5, 300.0]], square=False)

    np.testing.assert_array_equal(stacked[-1], [0.5, 300.0])
    assert stacked.dtype == np.float32


@pytest.mark.parametrize("affinity", ["auto", "gaussian", "chi2", "cosine"])
def test_samples_are_checked_once_on_their_way_into_a_session(
    affinity: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    checked: list[tuple[int, ...]] = []
    refuse = arrays._refuse_missing

    def watched(X: Floats) -> None:
        checked.append(X.shape)
        refuse(X)

    monkeypatch.setattr(arrays, "_refuse_missing", watched)

    Session(rng.random((30, 4)), n_clusters=2, affinity=affinity).ask()

    assert checked == [(30, 4)]


def test_scikit_learn_does_not_check_again(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    trusted: list[bool] = []
    check = validation._assert_all_finite

    def watched(*given: Any, **how: Any) -> None:
        trusted.append(get_config()["assume_finite"])
        check(*given, **how)

    monkeypatch.setattr(validation, "_assert_all_finite", watched)

    auto(rng.random((30, 4)))

    assert trusted
    assert all(trusted)


def test_a_memory_map_stays_one_in_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(regime, "EXACT_SEARCH", 50)
    np.save(tmp_path / "features.npy", rng.random((60, 3), dtype=np.float32))
    X = np.load(tmp_path / "features.npy", mmap_mode="r")

    features = problem_of(X, affinity="auto", n_clusters=2).features

    assert isinstance(features, np.memmap)
    assert np.shares_memory(features, X)


@pytest.mark.parametrize("power", [-1000, -300, 300, 1000])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_numbers_of_any_size_are_clustered_alike(
    three_blobs: Any, power: int, is_sparse: bool
) -> None:
    """A power of two rounds nothing: the very same weights, labels and question."""
    X = sp.csr_array(three_blobs.X) if is_sparse else three_blobs.X
    session, scaled = Session(X), Session(X * 2.0**power)

    np.testing.assert_array_equal(scaled.weights.toarray(), session.weights.toarray())
    np.testing.assert_array_equal(scaled.labels, session.labels)
    assert scaled.ask() == session.ask()


@pytest.mark.parametrize("power", [-1000, 1000])
@pytest.mark.parametrize("kind", ["gaussian", "chi2", "cosine"])
def test_kernels_do_not_overflow(three_blobs: Any, kind: str, power: int) -> None:
    X = np.abs(three_blobs.X)

    plain, scaled = Session(X, affinity=kind), Session(X * 2.0**power, affinity=kind)

    np.testing.assert_allclose(scaled.weights, plain.weights, rtol=1e-12)


def test_a_bandwidth_is_in_the_units_of_the_samples(three_blobs: Any) -> None:
    X = three_blobs.X

    plain = gaussian(X, bandwidth=2.0).weights
    scaled = gaussian(X * 2.0**900, bandwidth=2.0**901).weights

    np.testing.assert_allclose(scaled, plain, rtol=1e-12)


def test_duplicate_entries_of_a_sparse_matrix_are_one() -> None:
    twice = sp.csr_array(([1.0, 2.0], [0, 0], [0, 2, 2]), shape=(2, 1))

    assert as_samples(twice).toarray().tolist() == [[3.0], [0.0]]
    assert as_samples(twice).nnz == 1
    assert twice.nnz == 2

"""Which search for so many samples, and what is said where it takes long."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from likewise.affinity import Search, kind_for, middle_of, search_of, spans
from likewise.affinity import _indexes as equals
from likewise.affinity._indexes import Links, first_equals
from likewise.affinity._knn import Watch, search_for
from likewise.affinity._rows import SPREADS, Rows, around, single_rows
from likewise.errors import InputError, MissingExtraError

SIZES = [
    (20_001, 2, "flat"),
    (100_000, 64, "flat"),
    (40_000, 768, "flat"),
    (200_000, 64, "hnsw"),
    (100_000, 768, "hnsw"),
    (1_000_000, 2, "hnsw"),
]


@pytest.fixture
def without_faiss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)


@pytest.mark.parametrize("n", [1, 20_000])
def test_few_samples_are_searched_as_a_whole(n: int) -> None:
    assert search_for(np.zeros((n, 1))).kind == "whole"
    assert search_for(sp.csr_array((n, 5))).kind == "whole"


@pytest.mark.parametrize(("n", "d", "kind"), SIZES)
def test_the_search_is_chosen_by_samples_and_features(
    n: int, d: int, kind: str
) -> None:
    assert kind_for(n, d) == kind


@pytest.mark.parametrize(("n", "d", "kind"), SIZES)
@pytest.mark.usefixtures("without_faiss")
def test_without_the_extra_all_pairs_are_compared(n: int, d: int, kind: str) -> None:
    assert kind_for(n, d) == "blocks" != kind


def test_many_sparse_samples_are_compared_by_products() -> None:
    assert search_for(sp.csr_array((20_001, 5))).kind == "products"


@pytest.mark.parametrize("kind", ["flat", "hnsw", "blocks"])
def test_rows_at_a_time_are_bounded_by_memory(kind: str) -> None:
    narrow, wide = search_of(kind, 10**9, 8), search_of(kind, 10**9, 100_000)

    for search, d in ((narrow, 8), (wide, 100_000)):
        assert search.shard * 4 * d <= 2**31
        assert search.block * 4 * d <= 2**22
        assert search.shard >= search.block >= 1


def test_an_unknown_search_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no search 'ivf'.*whole, flat, hnsw"):
        Search("ivf", 10, 10)


def test_a_search_of_no_rows_is_refused() -> None:
    with pytest.raises(InputError, match="0 rows"):
        Search("flat", 10, 0)


@pytest.mark.usefixtures("without_faiss")
def test_links_without_the_extra_say_what_to_install() -> None:
    with pytest.raises(MissingExtraError, match=r"likewise\[scale\]"):
        Links.of(Rows(np.zeros((3, 2), np.float32)), lambda _: None)


def ticking(*seconds: float) -> Watch:
    return Watch(Search("blocks", 50_000, 1000), 50_000, None, iter(seconds).__next__)


@pytest.mark.parametrize(
    ("seconds", "spoken"),
    [(1.0, "50 seconds"), (12.0, "10 minutes"), (720.0, "10 hours")],
)
def test_a_slow_search_says_how_slow_after_its_second_block(
    seconds: float, spoken: str
) -> None:
    watch = ticking(7.0, 7.0 + seconds)
    watch.searched(1000)

    with pytest.warns(UserWarning, match=rf"about {spoken}.*likewise\[scale\]"):
        watch.searched(1000)


def test_a_slow_search_says_so_once() -> None:
    watch = ticking(0.0, 1.0)
    watch.searched(1000)
    with pytest.warns(UserWarning, match="50000 samples"):
        watch.searched(1000)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch.searched(1000)


def test_a_slow_search_without_a_clock_does_not_guess() -> None:
    watch = Watch(Search("blocks", 50_000, 1000), 50_000, None, None)
    watch.searched(1000)

    with pytest.warns(UserWarning, match="takes long: run"):
        watch.searched(1000)


def test_many_sparse_samples_are_better_made_dense() -> None:
    watch = Watch(Search("products", 50_000, 100), 50_000, None, None)
    watch.searched(100)

    with pytest.warns(UserWarning, match="TruncatedSVD"):
        watch.searched(100)


@pytest.mark.parametrize("kind", ["flat", "hnsw"])
def test_a_fast_search_says_nothing(kind: str) -> None:
    watch = Watch(Search(kind, 50_000, 1000), 50_000, None, None)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch.searched(1000)
        watch.searched(1000)


@pytest.mark.parametrize("size", [SPREADS[0] / 100, SPREADS[1] * 100])
def test_numbers_that_single_precision_cannot_hold_are_refused(size: float) -> None:
    with pytest.raises(InputError, match="scale them"):
        middle_of(size * np.eye(3))


def test_equal_samples_have_a_middle() -> None:
    np.testing.assert_array_equal(middle_of(np.full((4, 2), 3.0)), 3.0)


def test_a_sample_far_outside_stays_finite() -> None:
    rows = around(np.zeros(2), np.array([[1e300, -1.0]]))

    assert np.isfinite(rows @ rows.T).all()


def test_rows_keep_their_digits_far_from_zero() -> None:
    X = 1e8 + np.arange(8.0)[:, np.newaxis]

    rows = single_rows(X)

    np.testing.assert_array_equal(np.diff(rows[:].ravel()), 1.0)
    np.testing.assert_array_equal(
        rows[np.array([5, 3])] - rows[np.array([3, 3])], [[2], [0]]
    )


def test_spans_cover_all_once() -> None:
    assert [i for span in spans(10, 3) for i in range(10)[span]] == list(range(10))


@pytest.mark.parametrize("kind", ["flat", "blocks"])
def test_all_pairs_of_many_are_compared_in_many_steps(kind: str) -> None:
    search = search_of(kind, 1_000_000, 64)

    assert 256 <= search.block <= 2000


@pytest.mark.parametrize("kind", [np.uint8, np.float16, np.int32, bool])
def test_rows_of_any_numbers_are_moved_without_rounding(kind: Any) -> None:
    rows = np.array([[0, 1], [200, 3]]).astype(kind)

    moved = around(np.array([100.5, 0.25]), rows)

    np.testing.assert_array_equal(moved, rows.astype(float) - [100.5, 0.25])
    assert moved.dtype == np.float32


def test_the_first_of_equal_rows_is_found(rng: np.random.Generator) -> None:
    X = rng.integers(0, 3, (500, 3)).astype(np.float32)
    _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)

    np.testing.assert_array_equal(first_equals(Rows(X)), first[group.ravel()])


def test_zero_with_either_sign_is_equal() -> None:
    X = np.array([[0.0], [-0.0]], dtype=np.float32)

    np.testing.assert_array_equal(first_equals(Rows(X)), [0, 0])


def test_rows_that_only_seem_equal_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equals, "_sums", lambda some: np.zeros(len(some), np.uint64))
    X = np.array([[1.0], [2.0], [1.0]], dtype=np.float32)

    np.testing.assert_array_equal(first_equals(Rows(X)), [0, 1, 0])

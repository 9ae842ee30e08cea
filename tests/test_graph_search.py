"""Which search for so many samples, and what is said where it takes long."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from likewise.errors import InputError, MissingExtraError
from likewise.graph import Search, search_for
from likewise.graph.indexes import Links
from likewise.graph.rows import SPREADS, around, middle_of, single_rows, spans
from likewise.graph.search import kind_for, search_of
from likewise.graph.watching import Watch

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
        Links.of(np.zeros((3, 2), np.float32), lambda _: None)


def ticking(*seconds: float) -> Watch:
    return Watch(Search("blocks", 50_000, 1000), 50_000, None, iter(seconds).__next__)


@pytest.mark.parametrize(
    ("seconds", "spoken"), [(1.0, "50 seconds"), (12.0, "10 minutes")]
)
def test_a_slow_search_says_how_slow_after_its_first_block(
    seconds: float, spoken: str
) -> None:
    watch = ticking(7.0, 7.0 + seconds)

    with pytest.warns(UserWarning, match=rf"about {spoken}.*likewise\[scale\]"):
        watch.searched(1000)


def test_a_slow_search_says_so_once() -> None:
    watch = ticking(0.0, 1.0)
    with pytest.warns(UserWarning, match="50000 samples"):
        watch.searched(1000)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch.searched(1000)


def test_a_slow_search_without_a_clock_does_not_guess() -> None:
    watch = Watch(Search("blocks", 50_000, 1000), 50_000, None, None)

    with pytest.warns(UserWarning, match="takes long: run"):
        watch.searched(1000)


def test_many_sparse_samples_are_better_made_dense() -> None:
    watch = Watch(Search("products", 200_000, 100), 200_000, None, None)

    with pytest.warns(UserWarning, match="TruncatedSVD"):
        watch.searched(100)


@pytest.mark.parametrize("kind", ["flat", "hnsw", "products"])
def test_a_fast_search_says_nothing(kind: str) -> None:
    watch = Watch(Search(kind, 50_000, 1000), 50_000, None, None)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
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

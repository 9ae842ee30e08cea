"""Which search for so many samples, and what each of them finds."""

from __future__ import annotations

import sys
import tracemalloc
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.definitions import euclidean

from likewise._arrays import AnyIndices, Floats
from likewise.affinity import (
    Neighbours,
    Search,
    kind_for,
    nearest_neighbours,
    search_of,
)
from likewise.affinity import _indexes as links
from likewise.affinity._knn import Watch, recall_of, search_for, share_found
from likewise.errors import InputError

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


@pytest.mark.parametrize("kind", ["flat", "blocks"])
def test_all_pairs_of_many_are_compared_in_many_steps(kind: str) -> None:
    search = search_of(kind, 1_000_000, 64)

    assert 256 <= search.block <= 2000


KINDS = ("flat", "hnsw", "blocks", "products", "torch-cpu")

each_kind = pytest.mark.parametrize("kind", KINDS)


def fitting(kind: str, X: Floats) -> Any:
    return sp.csr_array(X) if kind == "products" else X


def found(X: Any, kind: str, shard: int = 1000, block: int = 1000) -> Neighbours:
    return nearest_neighbours(X, 20, search=Search(kind, shard, block))


def true_distances(X: Floats, k: int = 20) -> Floats:
    return np.sort(euclidean(X), axis=1)[:, 1 : k + 1]


@pytest.fixture
def X(rng: np.random.Generator) -> Floats:
    return rng.standard_normal((300, 6))


@each_kind
def test_every_search_finds_the_nearest(kind: str, X: Floats) -> None:
    near = found(fitting(kind, X), kind)

    np.testing.assert_allclose(near.distances, true_distances(X), rtol=1e-4)
    np.testing.assert_array_equal(
        near.indices, euclidean(X).argsort(axis=1, kind="stable")[:, 1:21]
    )


@each_kind
@pytest.mark.parametrize(("shard", "block"), [(300, 300), (300, 7), (64, 50), (30, 45)])
def test_neighbours_do_not_depend_on_how_rows_are_cut(
    kind: str, shard: int, block: int, X: Floats
) -> None:
    near, whole = found(fitting(kind, X), kind, shard, block), found(X, "flat")

    np.testing.assert_array_equal(near.indices, whole.indices)
    np.testing.assert_allclose(near.distances, whole.distances, rtol=1e-5)


@each_kind
def test_many_neighbours_are_kept_in_few_bytes(kind: str, X: Floats) -> None:
    near = found(fitting(kind, X), kind)

    assert near.indices.dtype == np.int32
    assert near.distances.dtype == np.float32


@each_kind
def test_no_sample_is_its_own_neighbour(kind: str) -> None:
    X = np.repeat(np.eye(3), 40, axis=0)

    near = found(fitting(kind, X), kind)

    assert (near.indices != np.arange(120)[:, np.newaxis]).all()
    assert near.indices.min() >= 0


@pytest.mark.parametrize("kind", ["flat", "hnsw", "blocks", "torch-cpu"])
def test_equal_samples_are_at_distance_zero_wherever_zero_is(
    kind: str, rng: np.random.Generator
) -> None:
    X = 1e4 + np.repeat(rng.standard_normal((50, 8)), 3, axis=0).astype(np.float32)

    near = found(X, kind)

    np.testing.assert_array_equal(near.distances[:, :2], 0.0)
    assert near.distances[:, 2].min() > 0.01


def test_samples_at_the_same_distance_come_in_their_order() -> None:
    X = np.concatenate([np.zeros((1, 2)), np.tile(np.eye(2), (10, 1))])

    near = found(X, "flat", shard=4)

    np.testing.assert_array_equal(near.indices[0], np.arange(1, 21))


@pytest.mark.parametrize(("n", "k"), [(2, 1), (5, 4), (21, 20)])
@each_kind
def test_few_samples_have_few_neighbours_in_every_search(
    kind: str, n: int, k: int
) -> None:
    X = np.arange(1.0, n + 1)[:, np.newaxis]

    assert found(fitting(kind, X), kind).indices.shape == (n, k)


def test_links_are_the_same_every_time(rng: np.random.Generator) -> None:
    X = rng.standard_normal((2000, 16))

    first, second = found(X, "hnsw", 2000), found(X, "hnsw", 2000)

    np.testing.assert_array_equal(first.indices, second.indices)


def test_bad_links_say_so_and_are_completed(
    X: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, bad in (("M", 2), ("EF_CONSTRUCTION", 2), ("EF_SEARCH", (2,))):
        monkeypatch.setattr(links, name, bad)

    with pytest.warns(UserWarning, match=r"Only \d+% of the nearest.*PCA"):
        near = found(X, "hnsw")

    assert near.recall < 0.9
    assert near.indices.min() >= 0
    assert np.isfinite(near.distances).all()


def test_an_exact_search_has_recall_one(X: Floats) -> None:
    assert nearest_neighbours(X, 20).recall == found(X, "flat").recall == 1.0


def test_recall_is_the_share_of_true_neighbours(
    X: Floats, rng: np.random.Generator
) -> None:
    near = nearest_neighbours(X, 20)
    wrong = near.distances.copy()
    wrong[:, 15:] += 100.0

    assert recall_of(X, near, 100, rng=rng) == 1.0
    assert recall_of(X, replace(near, distances=wrong), 100, rng=rng) == 0.75


def test_the_stated_recall_is_the_measured_one(
    X: Floats, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "M", 2)
    monkeypatch.setattr(links, "EF_SEARCH", (2,))
    near = found(X, "hnsw")

    assert near.recall == pytest.approx(recall_of(X, near, 300, rng=rng), abs=0.05)
    assert near.first(10).recall == near.recall


def test_any_of_those_that_are_as_far_will_do() -> None:
    assert share_found(np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([2.0, 0.0])) == 1.0


def test_one_sample_has_recall_one(rng: np.random.Generator) -> None:
    X = np.zeros((1, 2))

    assert recall_of(X, nearest_neighbours(X, 20), rng=rng) == 1.0


def test_a_sparse_search_is_exact_among_ties(rng: np.random.Generator) -> None:
    X = np.eye(200, 150) + np.eye(200, 150, 3) * rng.random((200, 1))

    near = found(sp.csr_array(X), "products", 200, 64)

    np.testing.assert_allclose(near.distances, true_distances(X), atol=1e-6)


def test_a_sparse_search_among_more_samples_is_exact(rng: np.random.Generator) -> None:
    X = rng.standard_normal((900, 4))

    near = found(sp.csr_array(X), "products", 900, 300)

    np.testing.assert_allclose(near.distances, true_distances(X), rtol=1e-4)


def test_a_memory_map_is_read_a_block_at_a_time(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = tmp_path / "features.npy"
    np.save(path, rng.standard_normal((3000, 512), dtype=np.float32))
    X = np.load(path, mmap_mode="r")
    search = Search("flat", 150, 150)

    tracemalloc.start()
    near = nearest_neighbours(X, 10, search=search)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 0.6 * X.nbytes
    whole = nearest_neighbours(np.asarray(X), 10)
    np.testing.assert_allclose(near.distances, whole.distances, rtol=1e-5)


@each_kind
def test_progress_goes_up_to_the_total(kind: str, X: Floats) -> None:
    seen: list[tuple[int, int]] = []
    search = Search(kind, 100, 64)

    nearest_neighbours(
        fitting(kind, X), 5, search=search, progress=lambda *at: seen.append(at)
    )

    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {seen[-1][0]}


@pytest.mark.parametrize("kind", ["flat", "hnsw", "blocks", "torch-cpu"])
@pytest.mark.parametrize("numbers", [np.uint8, np.int16, np.float16, np.float32])
def test_small_numbers_in_a_memory_map_are_what_they_are(
    kind: str, numbers: Any, tmp_path: Path, rng: np.random.Generator
) -> None:
    path, given = tmp_path / "features.npy", rng.integers(0, 255, (200, 4))
    np.save(path, given.astype(numbers))

    near = found(np.load(path, mmap_mode="r"), kind, 200)

    np.testing.assert_allclose(
        near.distances, true_distances(given.astype(float)), rtol=1e-5
    )


@pytest.mark.parametrize("times", [2, 5, 50])
def test_links_lead_out_of_heaps_of_equal_samples(
    times: int, rng: np.random.Generator
) -> None:
    X = np.repeat(rng.standard_normal((1000 // times, 8)), times, axis=0)
    X = rng.permutation(X)

    near, exact = found(X, "hnsw"), found(X, "flat")

    assert near.recall > 0.99
    np.testing.assert_allclose(
        near.distances[:, times - 2 : times], exact.distances[:, times - 2 : times]
    )


def test_progress_is_told_of_few_samples_too(X: Floats) -> None:
    seen: list[tuple[int, int]] = []

    nearest_neighbours(X, 5, progress=lambda *at: seen.append(at))

    assert seen == [(300, 300)]


def test_no_neighbours_of_many_samples_are_none_for_each(X: Floats) -> None:
    assert nearest_neighbours(X, 0).indices.shape == (300, 0)


def by_distance_then_index(X: Floats, k: int) -> AnyIndices:
    """Return neighbours by the definition, of whole numbers: nothing is rounded."""
    whole = X.astype(np.int64)
    apart = ((whole[:, np.newaxis] - whole) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.iinfo(np.int64).max)
    return apart.argsort(axis=1, kind="stable")[:, :k]


def whole_numbers(rng: np.random.Generator) -> dict[str, Floats]:
    return {
        "a lattice": np.stack(np.meshgrid(*[np.arange(15.0)] * 2), -1).reshape(-1, 2),
        "yes or no": rng.integers(2, size=(300, 25)).astype(float),
        "few levels": rng.integers(4, size=(300, 18)).astype(float),
        "duplicates": np.repeat(rng.integers(9, size=(60, 3)), 5, axis=0).astype(float),
    }


@pytest.mark.parametrize("name", whole_numbers(np.random.default_rng(0)))
@pytest.mark.parametrize("kind", ["whole", "flat", "blocks", "products", "torch-cpu"])
def test_of_samples_as_far_from_one_the_first_are_its_neighbours(
    name: str, kind: str, rng: np.random.Generator
) -> None:
    """Wherever zero is, and however sums are rounded."""
    X = whole_numbers(rng)[name]
    moved = X if kind == "products" else X - X.mean(axis=0)
    search = Search(kind, len(X), 100)

    near = nearest_neighbours(fitting(kind, moved), 20, search=search)

    np.testing.assert_array_equal(near.indices, by_distance_then_index(X, 20))


def test_equal_samples_are_at_distance_zero_among_few_too(
    rng: np.random.Generator,
) -> None:
    X = 100 + np.repeat(rng.standard_normal((50, 40)), 3, axis=0)

    near = nearest_neighbours(X, 5)

    np.testing.assert_array_equal(near.distances[:, :2], 0.0)

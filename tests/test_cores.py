"""Blocks of rows on all cores give what one core gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, cast

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_info, threadpool_limits

from likewise import _cores
from likewise._arrays import AnyFloats, spans
from likewise._cores import all_cores, n_free, on_cores, one_thread
from likewise.affinity import auto, nearest_neighbours
from likewise.affinity._knn import search_of
from likewise.spectral import graph_of, operator_of, solve
from likewise.spectral._backend import FEW_ROWS, NumpyBackend, Product

Entered: TypeAlias = Callable[[], AbstractContextManager[Any]]
BLOCKS = list(spans(10_000, 64))


@pytest.fixture(params=[1, 2, 3])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return a number of cores that are free, whatever the machine has."""
    n: int = request.param
    monkeypatch.setattr(_cores, "n_free", lambda: n)
    return n


@pytest.mark.usefixtures("cores")
def test_results_come_in_the_order_of_the_blocks() -> None:
    with all_cores():
        assert on_cores(lambda block: block.start, BLOCKS) == list(range(0, 10_000, 64))
        assert on_cores(str, []) == []


@pytest.mark.usefixtures("cores")
def test_what_goes_wrong_in_a_block_is_heard() -> None:
    def fail(block: slice) -> None:
        if block.start == 6400:
            raise ArithmeticError("here")

    with pytest.raises(ArithmeticError, match="here"), all_cores():
        on_cores(fail, BLOCKS)
    with all_cores():  # and the cores are free again
        assert len(on_cores(str, BLOCKS)) == len(BLOCKS)


def test_so_many_threads_work_at_once(cores: int) -> None:
    together = threading.Barrier(cores)
    with all_cores():
        on_cores(lambda _: together.wait(timeout=10), range(cores))


@pytest.mark.usefixtures("cores")
def test_without_being_given_cores_one_thread_does_all() -> None:
    assert set(on_cores(lambda _: threading.get_ident(), BLOCKS)) == {
        threading.get_ident()
    }


@pytest.mark.usefixtures("cores")
def test_whoever_comes_second_has_one_core() -> None:
    found: list[int] = []

    def other() -> None:
        with all_cores():
            found.extend(on_cores(lambda _: threading.get_ident(), BLOCKS))

    with all_cores():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(set(found)) == 1


def test_one_thread_of_linear_algebra_means_one_core() -> None:
    with threadpool_limits(1):
        assert n_free() == 1


def ugly(n: int = 600) -> AnyFloats:
    """Return whole numbers: many samples are equal, and many as far as others."""
    X = np.random.default_rng(0).integers(0, 3, size=(n, 6)).astype(np.float32)
    X[::7] = X[0]
    return X


@pytest.mark.parametrize("kind", ["flat", "hnsw"])
def test_neighbours_are_the_same_on_any_number_of_cores(kind: str) -> None:
    pytest.importorskip("faiss")
    for X in (ugly(), np.random.default_rng(1).normal(size=(1000, 40))):
        search = search_of(kind, *X.shape)
        search = type(search)(search.kind, search.shard, 100)
        found = []
        for n in (1, 2, 3):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_cores, "n_free", lambda n=n: n)
                found.append(nearest_neighbours(X, 10, search=search))
        for other in found[1:]:
            np.testing.assert_array_equal(found[0].indices, other.indices)
            np.testing.assert_array_equal(found[0].distances, other.distances)


@pytest.mark.usefixtures("cores")
def test_arithmetic_is_the_same_bit_by_bit() -> None:
    rng, backend = np.random.default_rng(0), NumpyBackend()
    n = FEW_ROWS + 5000
    at = rng.integers(n, size=(2, 4 * n))
    W = sp.csr_array((rng.random(4 * n), tuple(at)), (n, n), dtype=np.float32)
    A, B = (backend.array(rng.normal(size=(n, 7))) for _ in range(2))
    turn, product = rng.normal(size=(7, 5)), backend.sparse(W)

    with all_cores():
        found = [
            backend.gram(A, B),
            backend.combined([A, B], [turn, turn]),
            product @ A,
            backend.sparse_sum(product, A, 0.3, [(B, 2.0)]),
        ]
    alone = [
        backend.gram(A, B),
        backend.combined([A, B], [turn, turn]),
        W @ np.asarray(A),
        super(NumpyBackend, backend).sparse_sum(cast(Product, W), A, 0.3, [(B, 2.0)]),
    ]
    for one, other in zip(found, alone, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_a_spectrum_is_the_same_on_any_number_of_threads() -> None:
    X = np.random.default_rng(0).normal(size=(2000, 3))
    graph = graph_of(sp.csr_array(auto(X).weights))
    found = []
    for n in (1, 2, 3):
        with threadpool_limits(n):
            found.append(solve(operator_of(graph), 20).vectors)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def blas_threads() -> set[int]:
    """Return the threads of all linear algebra that has one pool in the process."""
    found = threadpool_info()
    pools = [one for one in found if one.get("threading_layer") != "openmp"]
    return {one["num_threads"] for one in pools if one["user_api"] == "blas"}


def set_by_another(n: int) -> None:
    setter = threading.Thread(target=threadpool_limits, args=(n, "blas"))
    setter.start()
    setter.join()


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Give linear algebra two threads, set by nobody who is still there."""
    before = max(blas_threads())
    set_by_another(2)
    yield
    set_by_another(before)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("first", [one_thread, all_cores])
@pytest.mark.parametrize("second", [one_thread, all_cores])
def test_who_leaves_first_takes_nothing_from_who_came_later(
    first: Entered, second: Entered
) -> None:
    entered, left = threading.Event(), threading.Event()

    def other() -> None:
        with second():
            entered.set()
            left.wait(timeout=10)

    thread = threading.Thread(target=other)
    with first():
        thread.start()
        entered.wait(timeout=10)
    inside = blas_threads()
    left.set()
    thread.join()

    assert (inside, blas_threads()) == ({1}, {2})


@pytest.mark.usefixtures("two_threads")
def test_one_thread_of_ours_leaves_the_cores() -> None:
    with one_thread(), all_cores():
        assert len(on_cores(str, BLOCKS)) == len(BLOCKS)
        assert _cores._mine.cores == min(2, joblib.cpu_count())


def test_what_the_caller_set_holds_again_afterwards() -> None:
    with threadpool_limits(2, "blas"):
        with one_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {2}

"""Blocks of rows on all cores that are free, with the results of one.

What is worked on is cut into blocks whatever the number of cores, each block is worked
on by one thread, and what comes of them is put together in their order: so the results
are the same, bit by bit, on any number of cores.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from threading import Event, Lock, Thread, local
from typing import TypeVar

import joblib
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")

_in_use = Lock()
_mine = local()


class _OneThread:
    """Linear algebra on one thread for as long as anybody asks for it.

    The first to come sets that, and when the last has gone it is as before: whoever
    leaves takes nothing from the others. Set by a thread of its own, as only the thread
    that has set it may take it back.
    """

    def __init__(self) -> None:
        self._lock, self._n_asking, self._n_before = Lock(), 0, 1
        self._over = Event()
        self._holder: Thread | None = None

    def come(self) -> int:
        """Ask for it, and return how many cores are free besides."""
        with self._lock:
            if not self._n_asking:
                self._n_before = n_free()
                if self._n_before > 1:
                    self._begin()
            self._n_asking += 1
            return self._n_before

    def go(self) -> None:
        """Need it no more."""
        with self._lock:
            self._n_asking -= 1
            if not self._n_asking and self._holder is not None:
                self._over.set()
                self._holder.join()
                self._holder = None

    def _begin(self) -> None:
        begun, self._over = Event(), Event()
        self._holder = Thread(target=_hold, args=(begun, self._over), daemon=True)
        self._holder.start()
        begun.wait()


def _hold(begun: Event, over: Event) -> None:
    try:
        with libraries().limit(limits=1, user_api="blas"):
            begun.set()
            over.wait()
    finally:
        begun.set()  # whoever waits is not left waiting


_everybody = _OneThread()


@lru_cache(maxsize=1)
def _found_among(_n_modules: int) -> ThreadpoolController:
    return ThreadpoolController()


def libraries() -> ThreadpoolController:
    """Return the libraries that have threads of their own.

    They are looked for anew, for some milliseconds, whenever a module was loaded since:
    it may have brought one.
    """
    return _found_among(len(sys.modules))


def n_free() -> int:
    """Return how many cores may be used.

    Those that the process may run on, and no more than the libraries of linear algebra
    were left: where ``OMP_NUM_THREADS`` is 1, one.
    """
    left = [
        library.num_threads or 1
        for library in libraries().lib_controllers
        if library.user_api == "blas"
    ]
    return min(joblib.cpu_count(), max(left)) if left else joblib.cpu_count()


@contextmanager
def one_thread() -> Iterator[int]:
    """Let linear algebra have one thread: of small matrices, more are in the way.

    Yields how many cores are free besides.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with one_thread():
    ...     found = threadpool_info()
    >>> {one["num_threads"] for one in found if one["user_api"] == "blas"}
    {1}
    """
    n = _everybody.come()
    try:
        # where this thread has set something itself, only it may set something else
        with libraries().limit(limits=1, user_api="blas"):
            yield n
    finally:
        _everybody.go()


@contextmanager
def all_cores() -> Iterator[None]:
    """Give :func:`on_cores` all cores that are free, and libraries one thread each.

    For as long as it lasts, and in this thread; around a function as a decorator too.
    Where another thread has them already, this one works alone.
    """
    with one_thread() as n, libraries().limit(limits=1, user_api="openmp"):
        if not _in_use.acquire(blocking=False):
            yield
            return
        try:
            _mine.cores = n
            yield
        finally:
            _mine.cores = 1
            _in_use.release()


def on_cores(work: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
    """Return what becomes of each block, in their order.

    Parameters
    ----------
    work : callable
        Of one block. It uses one thread, and what it writes lies in its block.
    blocks : iterable
        The same ones whatever the number of cores.

    Examples
    --------
    >>> with all_cores():
    ...     on_cores(lambda block: block.stop, [slice(0, 2), slice(2, 5)])
    [2, 5]
    """
    blocks = list(blocks)
    n = min(getattr(_mine, "cores", 1), len(blocks))
    return _shared(work, blocks, n) if n > 1 else [work(block) for block in blocks]


def _shared(work: Callable[[T], R], blocks: list[T], n: int) -> list[R]:
    todo, found = deque(enumerate(blocks)), dict[int, R]()

    def go() -> None:
        try:
            while (item := _next(todo)) is not None:
                found[item[0]] = work(item[1])
        finally:
            todo.clear()  # nothing is begun any more once something has failed

    with ThreadPoolExecutor(n - 1) as pool:
        others = [pool.submit(go) for _ in range(n - 1)]
        go()
        for other in others:
            other.result()
    return [found[at] for at in range(len(blocks))]


def _next(todo: deque[tuple[int, T]]) -> tuple[int, T] | None:
    try:
        return todo.popleft()
    except IndexError:  # another thread was faster
        return None

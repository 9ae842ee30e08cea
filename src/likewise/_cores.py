"""Blocks of rows on all cores that are free, with the results of one.

What is worked on is cut into blocks whatever the number of cores, each block is worked
on by one thread, and what comes of them is put together in their order: so the results
are the same, bit by bit, on any number of cores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, local
from typing import TypeVar

import joblib
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")

_in_use = Lock()
_mine = local()


@lru_cache(maxsize=1)
def libraries() -> ThreadpoolController:
    """Return the libraries that have threads of their own; anew after a clearing."""
    return ThreadpoolController()


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
def all_cores() -> Iterator[None]:
    """Give :func:`on_cores` all cores that are free, and libraries one thread each.

    For as long as it lasts, and in this thread; around a function as a decorator too.
    Where another thread has them already, or no more than one is free, nothing changes.
    """
    if not _in_use.acquire(blocking=False):
        yield
        return
    try:
        _mine.cores = n_free()
        with libraries().limit(limits=1):
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

"""Linear algebra on one thread: of small matrices, a second one is only in the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class _Threads:
    """How many ask for one thread at the moment; the first to come sets it.

    What it was before holds again when the last has gone.
    """

    def __init__(self) -> None:
        self._lock, self._n_asking = Lock(), 0
        self._libraries: ThreadpoolController | None = None
        self._limit: Any = None

    def come(self) -> None:
        with self._lock:
            if self._libraries is None:
                self._libraries = ThreadpoolController().select(user_api="blas")
            if not self._n_asking:
                self._limit = self._libraries.limit(limits=1)
            self._n_asking += 1

    def go(self) -> None:
        with self._lock:
            self._n_asking -= 1
            if not self._n_asking:
                self._limit.restore_original_limits()


_THREADS = _Threads()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra have one thread, in all of the process.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> from threadpoolctl import threadpool_info
    >>> with one_thread():
    ...     found = threadpool_info()
    >>> {one["num_threads"] for one in found if one["user_api"] == "blas"}
    {1}
    """
    _THREADS.come()
    try:
        yield
    finally:
        _THREADS.go()

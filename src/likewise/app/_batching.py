"""Work that is done once for all who wait for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

Wish = TypeVar("Wish")
Result = TypeVar("Result")
Given = ParamSpec("Given")
Found = TypeVar("Found")


class Batches(Generic[Wish, Result]):
    """One thread that does for all who wait what each would have to do alone.

    Whoever comes while it works waits for the next round, which takes all of them: a
    round begins after the last of its wishes was made. What goes wrong goes wrong for
    everybody in the round. All the work is in one thread, so that the memory that it
    takes is taken once, and not once for each thread of a server.

    Parameters
    ----------
    work : callable
        ``work(wishes)`` returns a result for each wish.

    Examples
    --------
    >>> doubled = Batches(lambda wishes: [2 * wish for wish in wishes])
    >>> doubled.wait_for(21)
    42
    """

    def __init__(self, work: Callable[[Sequence[Wish]], Sequence[Result]]) -> None:
        self._work = work
        self._waiting: list[tuple[Wish, Future[Result]]] = []
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, "batches")

    def wait_for(self, wish: Wish) -> Result:
        """Return the result for a wish, once a round has served it."""
        mine: Future[Result] = Future()
        with self._lock:
            self._waiting.append((wish, mine))
        # A round before this one may have served it; then this one has less to do.
        self._thread.submit(self._round)
        return mine.result()

    def do(
        self, work: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs
    ) -> Found:
        """Do something else between two rounds, in the same thread."""
        return self._thread.submit(work, *args, **kwargs).result()

    def _round(self) -> None:
        with self._lock:
            served, self._waiting = self._waiting, []
        if not served:
            return
        try:
            found = self._work([wish for wish, _ in served])
        except BaseException as error:
            for _, theirs in served:
                theirs.set_exception(error)
        else:
            for (_, theirs), result in zip(served, found, strict=True):
                theirs.set_result(result)

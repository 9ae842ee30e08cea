"""How far a search is, and one sentence where it takes long."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from likewise.arrays import FEW
from likewise.graph.search import Search

MANY = 100_000  # sparse samples from which on comparing all pairs takes long
ADVICE = {
    "blocks": "run `pip install 'likewise[scale]'` for a faster search",
    "products": "reduce them to some 100 dense features first, for example with "
    "scikit-learn's TruncatedSVD",
}
MINUTE = 60  # seconds

Progress = Callable[[int, int], None]
Clock = Callable[[], float]


class Watch:
    """Counts the rows that a search has done with.

    Parameters
    ----------
    search : Search
    n : int
        How many rows there are.
    progress : callable, optional
        Called as ``progress(done, total)``.
    clock : callable, optional
        Returns seconds.
    """

    def __init__(
        self, search: Search, n: int, progress: Progress | None, clock: Clock | None
    ) -> None:
        self._n = n
        self._n_searches = n * len(range(0, n, search.shard))
        self._done = 0
        self._progress, self._clock = progress, clock
        self._began = clock() if clock else 0.0
        is_slow = n > (FEW if search.kind == "blocks" else MANY)
        self._advice = ADVICE.get(search.kind) if is_slow else None

    def taken_in(self, n_rows: int) -> None:
        """Count rows that can now be searched in."""
        self._done += n_rows
        if self._progress is not None:
            self._progress(self._done, self._n + self._n_searches)

    def searched(self, n_rows: int) -> None:
        """Count rows that were searched for; after the first, say how long it takes."""
        if self._advice is not None:
            self._warn(self._advice, n_rows)
            self._advice = None
        self.taken_in(n_rows)

    def _warn(self, advice: str, n_rows: int) -> None:
        takes = "takes long"
        if self._clock is not None:
            seconds = (self._clock() - self._began) * self._n_searches / n_rows
            takes = f"takes about {_spoken(seconds)}"
        warnings.warn(
            f"Comparing all {self._n} samples with each other {takes}: {advice}.",
            stacklevel=6,
        )


def _spoken(seconds: float) -> str:
    if seconds < 2 * MINUTE:
        return f"{max(seconds, 1.0):.0f} seconds"
    return f"{seconds / MINUTE:.0f} minutes"

"""How far a search is, and one sentence where it takes long."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from likewise.arrays import FEW
from likewise.graph.search import Search

ADVICE = {
    "blocks": "run `pip install 'likewise[scale]'` for a faster search",
    "products": "reduce them to some 100 dense features first, for example with "
    "scikit-learn's TruncatedSVD",
}
TIMED = 2  # the block whose time says how long all take
MINUTE, HOUR = 60, 3600  # seconds

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
        self._done, self._n_blocks = 0, 0
        self._progress, self._clock = progress, clock
        self._began = 0.0
        self._advice = ADVICE.get(search.kind) if n > FEW else None

    def taken_in(self, n_rows: int) -> None:
        """Count rows that can now be searched in."""
        self._done += n_rows
        if self._progress is not None:
            self._progress(self._done, self._n + self._n_searches)

    def searched(self, n_rows: int) -> None:
        """Count a block that was searched for; after two, say how long all take.

        The first is slower than the others, the second is timed.
        """
        self._n_blocks += 1
        if self._n_blocks == 1 and self._clock is not None:
            self._began = self._clock()
        if self._n_blocks == TIMED and self._advice is not None:
            self._warn(self._advice, n_rows)
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
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} minutes"
    return f"{seconds / HOUR:.0f} hours"

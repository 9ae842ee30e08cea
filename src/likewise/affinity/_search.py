"""Which search: the one place that decides, by the number of samples and features.

===========  ======================  =============================================
kind         for                     by
===========  ======================  =============================================
``whole``    up to 20,000 samples    scikit-learn, float64, exact
``flat``     n n d up to 1.5e12      faiss, all pairs in float32, exact
``hnsw``     more than that          faiss, a graph of links (M = 16,
                                     efConstruction = 64, efSearch = 64 or as
                                     many more as 95 % of neighbours need)
``blocks``   instead of these two    scikit-learn, all pairs in float32, exact;
                                     where the extra ``scale`` is not installed
``products`` sparse samples          sparse products, all pairs, exact
===========  ======================  =============================================
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec

import scipy.sparse as sp

from likewise._arrays import FEW, Samples
from likewise.errors import InputError

AFFORDABLE = 1.5e12  # n n d: about a minute on one core, and as fast as links there
NARROW = 64  # fewer features than this cost as much as this many
LINKS = 200  # bytes of links beside each row
SHARD_BYTES = 2**31  # rows that are searched in at a time, with their links
BLOCK_BYTES = 2**22  # rows that are searched for at a time
AT_ONCE = 1.5e10  # pairs times features, between two words about progress
FEWEST = 256  # rows that are searched for at a time, where all pairs are compared
PROOF_BYTES = 2**26  # rows that a few are searched for in at a time
PRODUCT_BYTES = 2**26  # products of sparse samples at a time
KINDS = ("whole", "flat", "hnsw", "blocks", "products")


@dataclass(frozen=True, slots=True)
class Search:
    """How nearest neighbours are searched.

    Attributes
    ----------
    kind : {"whole", "flat", "hnsw", "blocks", "products"}
        As in the table above.
    shard : int
        Rows that are searched in at a time.
    block : int
        Rows that are searched for at a time.
    """

    kind: str
    shard: int
    block: int

    def __post_init__(self) -> None:
        if self.kind not in KINDS or min(self.shard, self.block) < 1:
            raise InputError(
                f"There is no search {self.kind!r} of {self.shard} and {self.block} "
                f"rows at a time. Choose one of: {', '.join(KINDS)}, and rows from 1 "
                f"on."
            )


def search_for(X: Samples) -> Search:
    """Return the search that suits so many samples of so many features.

    Examples
    --------
    >>> import numpy as np
    >>> search_for(np.zeros((100, 5))).kind
    'whole'
    """
    n, d = X.shape
    if n <= FEW:
        return Search("whole", n, n)
    return search_of(kind_for(n, d, is_sparse=sp.issparse(X)), n, d)


def kind_for(n: int, d: int, *, is_sparse: bool = False) -> str:
    """Return the kind of search for many samples."""
    if is_sparse:
        return "products"
    if not has_faiss():
        return "blocks"
    return "flat" if n * n * max(d, NARROW) <= AFFORDABLE else "hnsw"


def search_of(kind: str, n: int, d: int) -> Search:
    """Return a search of some kind, with as many rows at a time as memory should."""
    if kind == "products":
        return Search(kind, n, max(PRODUCT_BYTES // (8 * n), 1))
    shard = min(n, max(SHARD_BYTES // (4 * d + LINKS), 1))
    block = max(BLOCK_BYTES // (4 * d), 1)
    if kind != "hnsw":
        block = min(block, max(int(AT_ONCE / (shard * max(d, NARROW))), FEWEST))
    return Search(kind, shard, block)


def exact_search(X: Samples) -> Search:
    """Return an exact search for some rows among all."""
    n, d = X.shape
    if sp.issparse(X):
        return search_of("products", n, d)
    shard = max(PROOF_BYTES // (4 * d), 1)
    return replace(search_of(exact_kind(), n, d), shard=min(n, shard))


def exact_kind() -> str:
    """Return the fastest kind that is exact, for dense samples."""
    return "flat" if has_faiss() else "blocks"


def has_faiss() -> bool:
    """Tell whether the extra ``scale`` is installed."""
    return find_spec("faiss") is not None


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

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
``cuda``     more than 20,000        torch, all pairs in float32, exact: see ``_card``;
             dense samples, where    ``torch-cpu`` is the same on the processor
             a card was asked for
``-cells``   more than 3 million     torch, pairs of cells that are near each other,
             of these                as many as 95 % of neighbours need: see ``_cells``
===========  ======================  =============================================

Each search is cut into tasks, one shard after the other for one piece of the samples,
which a runner works off here or on a cluster; the k best of all shards are kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from likewise import _regime as regime
from likewise._arrays import (
    AnyFloats,
    AnyIndices,
    Floats,
    Indices,
    Samples,
    significant,
    spans,
)
from likewise._cores import all_cores, on_cores
from likewise.affinity._card import N_QUERIES, rows_that_fit
from likewise.affinity._devices import torch_for
from likewise.affinity._indexes import INDEXES, Index, Ranking, unheard
from likewise.affinity._rows import (
    Pieces,
    Report,
    Rows,
    Source,
    all_squared,
    evenly,
    lengths,
    pieces_here,
    rows_of,
    single_rows,
    squared,
)
from likewise.errors import InputError

N_EDGES = 10  # neighbours that make the graph
N_SHARES = 20  # neighbours whose clusters count as evidence (the paper's k = 20)
NARROW = 64  # fewer features than this cost as much as this many
LINKS = 200  # bytes of links beside each row
SHARD_BYTES = 2**31  # rows that are searched in at a time, with their links
IN_CELLS_AT_ONCE = 2**21  # rows that are searched for at a time, in cells
BLOCK_BYTES = 2**22  # rows that are searched for at a time
AT_ONCE = 1.5e10  # pairs times features, between two words about progress
FEWEST = 256  # rows that are searched for at a time, where all pairs are compared
PROOF_BYTES = 2**26  # rows that a few are searched for in at a time
PRODUCT_BYTES = 2**26  # products of sparse samples at a time
SPARE = 4  # candidates beyond k and the sample itself, against rounding
MOST_TIED = 1024  # candidates at most, where many are as far as the last
DOUBLE_ROUNDING = 2.0**-30  # of a squared distance in float64
N_COMPARED = 2**24  # pairs of samples that are compared at a time
N_PROVED = 200  # rows searched exactly, to say how many neighbours links have missed
LEAST = 0.9  # recall, below which somebody should know
ROUNDING = 1e-5  # of a distance
BY_TORCH = "cuda", "torch-cpu"
IN_CELLS = "cuda-cells", "torch-cpu-cells"
KINDS = ("whole", "flat", "hnsw", "blocks", "products", *BY_TORCH, *IN_CELLS)
INEXACT = ("hnsw", *IN_CELLS)  # they miss some neighbours
ON_CORES = "flat", "hnsw"  # blocks of rows, each searched for by one thread
BLOCKS = 32  # of them between two words about progress
ADVICE = {
    "blocks": "run `pip install 'likewise[scale]'` for a faster search",
    "products": "reduce them to some 100 dense features first, for example with "
    "scikit-learn's TruncatedSVD",
}
TIMED = 2  # the block whose time says how long all take
MINUTE, HOUR = 60, 3600  # seconds

Clock: TypeAlias = Callable[[], float]  # seconds since some moment


@dataclass(frozen=True, slots=True)
class Search:
    """How nearest neighbours are searched.

    Attributes
    ----------
    kind : str
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


def search_for(X: Samples, device: str = "cpu") -> Search:
    """Return the search that suits so many samples of so many features.

    On a device of torch, many dense samples are compared there.

    Examples
    --------
    >>> import numpy as np
    >>> search_for(np.zeros((100, 5))).kind
    'whole'
    """
    n, d = X.shape
    if n <= regime.EXACT_SEARCH:
        return Search("whole", n, n)
    if not sp.issparse(X) and torch_for(device) is not None:
        cells = "-cells" if n > regime.CARD_ALL_PAIRS else ""
        return search_of(device + cells, n, d)
    return search_of(kind_for(n, d, is_sparse=sp.issparse(X)), n, d)


def kind_for(n: int, d: int, *, is_sparse: bool = False) -> str:
    """Return the kind of search for many samples."""
    if is_sparse:
        return "products"
    if not has_faiss():
        return "blocks"
    is_affordable = n * n * max(d, NARROW) <= regime.ALL_PAIRS_COST
    return "flat" if is_affordable else "hnsw"


def search_of(kind: str, n: int, d: int) -> Search:
    """Return a search of some kind, with as many rows at a time as memory should."""
    if kind == "products":
        return Search(kind, n, max(PRODUCT_BYTES // (8 * n), 1))
    if kind in BY_TORCH:
        return Search(kind, min(n, rows_that_fit(kind, d)), N_QUERIES)
    if kind in IN_CELLS:
        device = BY_TORCH[IN_CELLS.index(kind)]
        return Search(kind, min(n, rows_that_fit(device, d) // 2), IN_CELLS_AT_ONCE)
    shard = min(n, max(SHARD_BYTES // (4 * d + LINKS), 1))
    block = max(BLOCK_BYTES // (4 * d), 1)
    if kind != "hnsw":
        block = min(block, max(int(AT_ONCE / (shard * max(d, NARROW))), FEWEST))
    return Search(kind, shard, block)


def exact_search(n: int, d: int, *, is_sparse: bool) -> Search:
    """Return an exact search for some rows among all."""
    if is_sparse:
        return search_of("products", n, d)
    shard = max(PROOF_BYTES // (4 * d), 1)
    return replace(search_of(exact_kind(), n, d), shard=min(n, shard))


def exact_kind() -> str:
    """Return the fastest kind that is exact, for dense samples."""
    return "flat" if has_faiss() else "blocks"


def has_faiss() -> bool:
    """Tell whether the extra ``scale`` is installed."""
    return find_spec("faiss") is not None


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
        self, search: Search, n: int, progress: Report | None, clock: Clock | None
    ) -> None:
        self._n = n
        self._n_searches = n * len(range(0, n, search.shard))
        self._done, self._n_blocks = 0, 0
        self._progress, self._clock = progress, clock
        self._began = 0.0
        self._advice = ADVICE.get(search.kind) if n > regime.EXACT_SEARCH else None

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
            stacklevel=11,  # whoever has called the affinity
        )


def _spoken(seconds: float) -> str:
    if seconds < 2 * MINUTE:
        return f"{max(seconds, 1.0):.0f} seconds"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} minutes"
    return f"{seconds / HOUR:.0f} hours"


@dataclass(frozen=True, slots=True)
class Best:
    """The nearest rows found so far for each of some queries, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (q, at most k)
        -1 where there is none.
    squared : ndarray of shape (q, at most k)
        Squared distances; infinite where there is none.
    """

    indices: AnyIndices
    squared: AnyFloats


def nothing(n_queries: int) -> Best:
    """Return what is found before any search."""
    empty = np.zeros((n_queries, 0))
    return Best(empty.astype(np.int32), empty.astype(np.float32))


def searched(best: Best, index: Index, start: int, queries: Samples, k: int) -> Best:
    """Return the k best among those found so far and those in one more shard.

    Parameters
    ----------
    best : Best
    index : Index
        Of the shard.
    start : int
        Where the shard begins among all samples.
    queries : ndarray or csr_array of shape (q, d)
    k : int

    Notes
    -----
    Rows at the same distance are taken in the order of the samples, so that the result
    does not depend on the order of the shards, nor on how sums are rounded.
    """
    found = _in_shard(index, start, queries, k, min(k + SPARE, len(index)))
    if not best.indices.shape[1]:
        return found
    return _first(
        np.hstack([best.indices, found.indices]),
        np.hstack([best.squared, found.squared]),
        k,
    )


def _in_shard(index: Index, start: int, queries: Samples, k: int, width: int) -> Best:
    """Return the k best in a shard, looking further where the last of them are as far.

    Of those that are, an index returns any.
    """
    if isinstance(index, Ranking):
        at, near = index.ranked(queries, min(k, len(index)))
        return Best(at + np.int32(start), near)
    found = index.candidates(queries, width)
    there = found >= 0
    apart = np.empty(found.shape, dtype=np.float32)
    for column, rows in enumerate(found.T):
        apart[:, column] = squared(index.at(rows), queries)
    indices = np.where(there, found + start, -1).astype(np.int32)
    apart[~there] = np.inf
    listed = _first(indices, apart, width)
    best = Best(listed.indices[:, :k], listed.squared[:, :k])
    further = min(8 * width, MOST_TIED, len(index))
    keys = significant(listed.squared[:, [min(k, width) - 1, -1]])
    tied = np.flatnonzero((keys[:, 0] == keys[:, 1]) & np.isfinite(keys[:, 0]))
    if tied.size and further > width:
        return _with(best, tied, _in_shard(index, start, queries[tied], k, further))
    return best


def without(best: Best, own: AnyIndices) -> Best:
    """Return the best without the queries themselves, one fewer for each.

    Parameters
    ----------
    best : Best
    own : ndarray of shape (q,)
        Which of the samples each query is.
    """
    is_own = best.indices == own[:, np.newaxis]
    is_own[:, -1] |= ~is_own.any(axis=1)  # where it is not among them, the last goes
    shape = len(own), best.indices.shape[1] - 1
    return Best(
        best.indices[~is_own].reshape(shape), best.squared[~is_own].reshape(shape)
    )


def _first(indices: AnyIndices, apart: AnyFloats, k: int) -> Best:
    order = np.lexsort((indices, significant(apart)), axis=1)[:, :k]
    return Best(
        np.take_along_axis(indices, order, axis=1),
        np.take_along_axis(apart, order, axis=1),
    )


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest neighbours of each sample, itself left out.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, k)
        Nearest first.
    distances : ndarray of shape (n_samples, k)
    recall : float
        The share of the true neighbours that were found: 1 for an exact search, else
        measured on 200 samples; :func:`recall_of` measures it again.
    index : Index or None
        What they were found in, where it can be asked for more.
    """

    indices: AnyIndices
    distances: AnyFloats
    recall: float = 1.0
    index: Index | None = field(default=None, repr=False, compare=False)

    def first(self, k: int) -> Neighbours:
        """Return the nearest k of them."""
        return replace(
            self, indices=self.indices[:, :k], distances=self.distances[:, :k]
        )


@dataclass(frozen=True, slots=True)
class How:
    """What all tasks of a search know.

    Attributes
    ----------
    search : Search
    middle : ndarray of shape (d,), or None
        Where zero is put.
    k : int
        How many rows are looked for, the sample itself among them.
    watch : Watch, optional
        Counts rows, where tasks run in this process.
    """

    search: Search
    middle: Floats | None
    k: int
    watch: Watch | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece that can be searched in.

    Attributes
    ----------
    start : int
        The first of its samples.
    index : Index
    """

    start: int
    index: Index


def shard_of(how: How, source: Source, start: int) -> Shard:
    """Return a piece that can be searched in."""
    taken_in = unheard if how.watch is None else how.watch.taken_in
    return Shard(start, INDEXES[how.search.kind](rows_of(source, how.middle), taken_in))


def found_in(how: How, best: Best | None, shard: Shard, source: Source) -> Best:
    """Return the best for each row of a piece: those so far and those in a shard."""
    return _found(how, best, shard, rows_of(source, how.middle))


def found_between(
    how: How, best: Best | None, base: Source, start: int, source: Source
) -> Best:
    """Return the same, for a shard whose index is less work to make than to send."""
    return found_in(how, best, shard_of(how, base, start), source)


def found_for(
    how: How, best: Best | None, base: Source, start: int, queries: Samples
) -> Best:
    """Return the same for a few rows, around `middle` already, a part at a time."""
    rows = rows_of(base, how.middle)
    for part in spans(len(rows), how.search.shard):
        index = INDEXES[how.search.kind](rows.part(part), unheard)
        best = _found(how, best, Shard(start + part.start, index), Rows(queries))
    return best or nothing(queries.shape[0])


def _found(how: How, best: Best | None, shard: Shard, queries: Rows) -> Best:
    before = best or nothing(len(queries))
    k = min(how.k, before.indices.shape[1] + len(shard.index))
    indices = np.empty((len(queries), k), dtype=np.int32)
    apart = np.empty((len(queries), k), dtype=np.float32)

    def search(span: slice) -> int:
        so_far = Best(before.indices[span], before.squared[span])
        new = searched(so_far, shard.index, shard.start, queries[span], how.k)
        indices[span], apart[span] = new.indices, new.squared
        return span.stop - span.start

    blocks = list(spans(len(queries), how.search.block))
    together = BLOCKS if how.search.kind in ON_CORES else 1
    for some in spans(len(blocks), together):
        for n_rows in on_cores(search, blocks[some]):
            if how.watch is not None:
                how.watch.searched(n_rows)
    return Best(indices, apart)


def others(best: Best, start: int, block: int) -> Neighbours:
    """Return the neighbours of a piece's samples, themselves left out."""
    n, k = best.indices.shape
    indices = np.empty((n, k - 1), dtype=np.int32)
    distances = np.empty((n, k - 1), dtype=np.float32)
    for span in spans(n, block):
        own = np.arange(start + span.start, start + span.stop)
        left = without(Best(best.indices[span], best.squared[span]), own)
        indices[span], distances[span] = left.indices, np.sqrt(left.squared)
    return Neighbours(indices, distances)


def indices_of(near: Neighbours, which: AnyIndices) -> AnyIndices:
    """Return the neighbours of some samples of a piece."""
    return near.indices[which]


def distances_of(near: Neighbours, which: AnyIndices) -> AnyFloats:
    """Return how far the neighbours of some samples of a piece are."""
    return near.distances[which]


def _short(best: Best) -> AnyIndices:
    """Return the rows of a piece of which links have not found enough."""
    return np.flatnonzero(best.indices[:, -1] < 0)


def _with(best: Best, rows: AnyIndices, found: Best) -> Best:
    """Return the best of a piece with others in the place of some rows."""
    indices, apart = best.indices.copy(), best.squared.copy()
    indices[rows], apart[rows] = found.indices, found.squared
    return Best(indices, apart)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found, where it was found.

    Attributes
    ----------
    near : list of Neighbours
        Of each piece, or what stands for them.
    recall : float
    index : Index or None
        Of all samples, if it is here.
    """

    near: list[Neighbours]
    recall: float
    index: Index | None


def neighbours_in(
    pieces: Pieces,
    k: int,
    search: Search,
    *,
    watch: Watch | None = None,
    report: Report | None = None,
) -> Found:
    """Return the nearest neighbours of the samples of each piece among all.

    Parameters
    ----------
    pieces : Pieces
        Each is searched for in each of them.
    k : int
        Fewer where there are fewer other samples.
    search : Search
        Of any kind but "whole".
    watch : Watch, optional
        Counts rows, where tasks run in this process.
    report : callable, optional
        Called as ``report(done, total)``, in pieces whose neighbours are known.
    """
    runner, k = pieces.runner, min(k, len(pieces) - 1)
    best, index = _best(pieces, How(search, pieces.middle, k + 1, watch))
    if search.kind == "hnsw":
        best = _completed(pieces, best, k + 1)
    near = [
        runner.task(others, best.pop(0), span.start, search.block)  # and let it go
        for span in pieces.spans
    ]
    runner.finish(near, report)
    is_exact = search.kind not in INEXACT
    recall = 1.0 if is_exact else _recall(pieces, near, evenly(len(pieces), N_PROVED))
    return Found(near, recall, index)


def _best(pieces: Pieces, how: How) -> tuple[list[Best], Index | None]:
    """Return the best of each piece, and the index of all samples if it is here."""
    runner, sources = pieces.runner, pieces.sources
    best: list[Best | None] = [None for _ in sources]
    shard: Shard | None = None
    for base, span in zip(sources, pieces.spans, strict=True):
        shard = None  # the one before is let go first
        if runner.is_here or how.search.kind == "hnsw":
            shard = runner.task(shard_of, how, base, span.start)
        for at, source in enumerate(sources):
            best[at] = (
                runner.task(found_between, how, best[at], base, span.start, source)
                if shard is None
                else runner.task(found_in, how, best[at], shard, source)
            )
    is_whole = runner.is_here and len(sources) == 1
    index = shard.index if shard is not None and is_whole else None
    return [found for found in best if found is not None], index


def _completed(pieces: Pieces, best: list[Best], k: int) -> list[Best]:
    """Search exactly for rows of which links have not found enough."""
    runner = pieces.runner
    short = runner.results([runner.task(_short, found) for found in best])
    starts = pieces.bounds[:-1]
    some = np.concatenate([rows + at for rows, at in zip(short, starts, strict=True)])
    if not some.size:
        return best
    exact, ends = _exact(pieces, some, k), np.cumsum([len(rows) for rows in short])
    for at, (rows, end) in enumerate(zip(short, ends, strict=True)):
        mine = slice(end - len(rows), end)
        if rows.size:
            right = Best(exact.indices[mine], exact.squared[mine])
            best[at] = runner.task(_with, best[at], rows, right)
    return best


def _exact(pieces: Pieces, some: AnyIndices, k: int) -> Best:
    """Return the k best of all samples for a few of them."""
    runner, best = pieces.runner, None
    is_sparse = pieces.middle is None
    search = exact_search(len(pieces), pieces.n_features, is_sparse=is_sparse)
    how, queries = How(search, pieces.middle, k), runner.kept(pieces.fetched(some))
    for base, span in zip(pieces.sources, pieces.spans, strict=True):
        best = runner.task(found_for, how, best, base, span.start, queries)
    return runner.results([best or nothing(len(some))])[0]


def _recall(pieces: Pieces, near: Sequence[Neighbours], some: AnyIndices) -> float:
    found = pieces.gathered(distances_of, some, near)
    true = without(_exact(pieces, some, found.shape[1] + 1), some).squared[:, -1]
    return share_found(found, np.sqrt(true))


def nearest_among(pieces: Pieces, points: AnyFloats, search: Search) -> Best:
    """Return the nearest of some points for each sample.

    Parameters
    ----------
    pieces : Pieces
        Dense.
    points : ndarray of shape (m, n_features) and type float32
        Around the samples' middle.
    search : Search

    Returns
    -------
    Best
        One column; all points are searched in at a time.
    """
    runner = pieces.runner
    points = runner.kept(points)
    shard = runner.task(shard_of, How(search, None, 1), points, 0)
    how = How(search, pieces.middle, 1)
    found = runner.results(
        [runner.task(found_in, how, None, shard, source) for source in pieces.sources]
    )
    return Best(
        np.concatenate([best.indices for best in found]),
        np.concatenate([best.squared for best in found]),
    )


def nearest_neighbours(
    X: Samples,
    k: int,
    *,
    search: Search | None = None,
    device: str = "cpu",
    progress: Report | None = None,
    clock: Clock | None = None,
) -> Neighbours:
    """Return the k nearest neighbours of each row by Euclidean distance.

    Parameters
    ----------
    X : ndarray, memory map or csr_array of shape (n_samples, n_features)
        Read a block at a time if there are more than 20,000 rows.
    k : int
        Fewer where there are fewer other rows.
    search : Search, optional
        How; :func:`~likewise.affinity.search_for` chooses unless given.
    device : {"cpu", "cuda", "torch-cpu"}, default="cpu"
        Where many rows are compared, if no search is given.
    progress : callable, optional
        Called as ``progress(done, total)``, in rows: those that can be searched in
        and those that were searched for.
    clock : callable, optional
        Returns seconds; with it, a search that will be slow says how slow.

    Returns
    -------
    Neighbours
        float64 and exact up to 20,000 rows; float32 and indices of 32 bits above.

    Examples
    --------
    >>> nearest_neighbours(np.array([[0.0], [1.0], [3.0]]), 1).indices.ravel()
    array([1, 0, 1])
    """
    k = min(k, X.shape[0] - 1)
    search = search or search_for(X, device)
    if k == 0:
        none = np.zeros((X.shape[0], 0))
        return Neighbours(none.astype(np.intp), none)
    if search.kind == "whole":
        near = _whole(X, k)
        if progress is not None:
            progress(X.shape[0], X.shape[0])
        return near
    watch = Watch(search, X.shape[0], progress, clock)
    pieces = pieces_here(X, search.shard, single_rows(X).middle)
    with all_cores():
        found = neighbours_in(pieces, k, search, watch=watch)
    return _together(found)


def _whole(X: Samples, k: int) -> Neighbours:
    """Return the neighbours among few samples, in float64.

    scikit-learn finds some more than are wanted, in any order where rounding decides.
    They are measured again, by differences, and put in order; where the last are as far
    as others that it has not named, all samples are compared.
    """
    from sklearn.neighbors import NearestNeighbors

    n = X.shape[0]
    width = min(k + SPARE, n - 1)
    found = NearestNeighbors(n_neighbors=width).fit(X).kneighbors(return_distance=False)
    apart = _apart(X, np.arange(n), found)
    order = np.lexsort((found, significant(apart)), axis=1)
    found, apart = (np.take_along_axis(some, order, axis=1) for some in (found, apart))
    reach = apart[:, k - 1] * (1 + DOUBLE_ROUNDING) + _blur(X)
    indices, tied = found[:, :k].astype(np.intp), np.flatnonzero(apart[:, -1] <= reach)
    if width < n - 1:
        for span in spans(len(tied), max(N_COMPARED // n, 1)):
            rows = tied[span]
            indices[rows] = _first_within(X, rows, found[rows], apart[rows], k)
    distances = np.sqrt(_apart(X, np.arange(n), indices))
    return Neighbours(indices, distances)


def _apart(X: Samples, rows: AnyIndices, others: AnyIndices) -> AnyFloats:
    """Return the squared distances of some rows from others, of shape (m, k)."""
    apart = np.empty(others.shape)
    for column, some in enumerate(others.T):
        apart[:, column] = squared(X[some], X[rows])
    return apart


def _blur(X: Samples) -> float:
    """Return how far off squared distances by products may be."""
    longest = float(lengths(X).max(initial=0.0))
    return 64 * float(np.finfo(np.float64).eps) * longest


def _first_within(
    X: Samples, rows: Indices, found: AnyIndices, apart: AnyFloats, k: int
) -> Indices:
    """Return the nearest k of some rows; of all that are as far as the last, the first.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    rows : ndarray of shape (m,)
    found, apart : ndarray of shape (m, more than k)
        Candidates, the nearest first, and their squared distances.
    k : int
    """
    blur, last = _blur(X), apart[:, k - 1 : k]
    within = all_squared(X[rows], X) <= last * (1 + DOUBLE_ROUNDING) + blur
    within[np.arange(len(rows)), rows] = False
    is_nearer = apart < last * (1 - DOUBLE_ROUNDING) - blur
    chosen = np.empty((len(rows), k), dtype=np.intp)
    for at, candidates in enumerate(found):
        nearer = candidates[is_nearer[at]]
        within[at, nearer] = False
        others = np.flatnonzero(within[at])[: k - len(nearer)]
        chosen[at] = np.concatenate([nearer, others])
    return chosen


def _together(found: Found) -> Neighbours:
    """Return the neighbours of all pieces, or of the one; say if many were missed."""
    near, *more = found.near
    if more:
        near = Neighbours(
            np.concatenate([piece.indices for piece in found.near]),
            np.concatenate([piece.distances for piece in found.near]),
        )
    if found.recall < LEAST:
        warnings.warn(
            f"Only {found.recall:.0%} of the nearest neighbours of "
            f"{len(near.indices)} samples were found: reduce them to fewer features, "
            f"for example with scikit-learn's PCA.",
            stacklevel=5,
        )
    return replace(near, recall=found.recall, index=found.index)


def recall_of(
    X: Samples, near: Neighbours, n_rows: int = 500, *, rng: np.random.Generator
) -> float:
    """Return the share of true neighbours among those found, on some rows.

    Parameters
    ----------
    X : ndarray, memory map or csr_array of shape (n_samples, n_features)
    near : Neighbours
        Of all rows of `X`.
    n_rows : int
        How many rows are drawn and searched exactly.
    rng : numpy.random.Generator

    Examples
    --------
    >>> X = np.arange(9.0)[:, np.newaxis]
    >>> recall_of(X, nearest_neighbours(X, 2), rng=np.random.default_rng(0))
    1.0
    """
    n = X.shape[0]
    if near.indices.shape[1] == 0:
        return 1.0
    some = np.sort(rng.choice(n, min(n, n_rows), replace=False))
    return _recall(pieces_here(X, n, single_rows(X).middle), [near], some)


def share_found(found: AnyFloats, farthest: AnyFloats) -> float:
    """Return the share of neighbours that are no farther than the farthest true one.

    Parameters
    ----------
    found : ndarray of shape (m, k)
        Their distances.
    farthest : ndarray of shape (m,)
        The distance of the true k-th neighbour. Where several are as far, any will do.
    """
    slack = ROUNDING * np.maximum(farthest, np.median(farthest))
    return float((found <= (farthest + slack)[:, np.newaxis]).mean())

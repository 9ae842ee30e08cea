"""Samples in pieces that are read where they are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyIndices, Floats, Indices, Samples, as_samples
from likewise.affinity import N_TYPICAL, Rows, evenly, middle_of, spans
from likewise.distributed._running import Crew
from likewise.errors import InputError

PIECE_BYTES = 2**28  # rows of a piece, in float32
N_SENT = 100_000  # positions that are sent along with a task


@dataclass(frozen=True, slots=True)
class Saved:
    """Some rows of a ``.npy`` file that every worker can read."""

    path: str
    start: int
    stop: int

    def rows(self) -> Samples:
        """Return the rows as a memory map."""
        return np.load(self.path, mmap_mode="r")[self.start : self.stop]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Samples, cut into pieces.

    Attributes
    ----------
    crew : Crew
    sources : tuple
        Where the rows of each piece are: here, on a worker or in a file.
    bounds : ndarray of shape (n_pieces + 1,)
        Where each piece begins, and the number of samples.
    n_features : int
    middle : ndarray of shape (n_features,), or None
        Where zero is put; None for sparse samples.
    """

    crew: Crew
    sources: tuple[Any, ...]
    bounds: Indices
    n_features: int
    middle: Floats | None = None

    def __len__(self) -> int:
        return int(self.bounds[-1])

    @property
    def spans(self) -> list[slice]:
        """The samples of each piece."""
        return [slice(int(a), int(b)) for a, b in pairwise(self.bounds)]

    def fetched(self, which: AnyIndices) -> Samples:
        """Return some of the samples here, in the order asked for."""
        return self.gathered(_some, which, self.sources, self.middle)

    def gathered(
        self,
        pick: Callable[..., Samples],
        which: AnyIndices,
        held: Sequence[Any],
        *more: Any,
    ) -> Samples:
        """Return ``pick(held[p], positions in p, *more)`` of each piece p, in order."""
        piece = np.searchsorted(self.bounds, which, side="right") - 1
        order = np.argsort(piece, kind="stable")
        tasks = []
        for p in np.unique(piece):
            at = which[piece == p] - self.bounds[p]
            some = at if len(at) <= N_SENT else self.crew.kept(at)
            tasks.append(self.crew.task(pick, held[p], some, *more))
        found = self.crew.results(tasks)
        rows = sp.vstack(found).tocsr() if sp.issparse(found[0]) else np.vstack(found)
        return rows[np.argsort(order)]


def pieces_of(X: Any, crew: Crew, n_rows: int | None = None) -> Pieces:
    """Return samples in pieces of at most so many rows, checked where they lie.

    Parameters
    ----------
    X : array, sparse matrix, memory map, path, Dask array, or a list of those
        Paths are those of ``.npy`` files that every worker can read.
    crew : Crew
    n_rows : int, optional
        As many as take 256 MB unless given.
    """
    found = [piece for part in _parts(X) for piece in _cut(part, crew, n_rows)]
    if not found:
        raise InputError("There are no samples in any of the pieces: pass some data.")
    sources, lengths, widths = zip(*found, strict=True)
    if len(set(widths)) > 1:
        raise InputError(
            f"The pieces have {sorted(set(widths))} features: pass pieces of the same "
            f"samples' features."
        )
    bounds = np.append(0, np.cumsum(lengths))
    pieces = Pieces(crew, sources, bounds, widths[0])
    typical = evenly(len(pieces), N_TYPICAL)
    tasks = [
        crew.task(_checked, source, _inside(typical, span))
        for source, span in zip(sources, pieces.spans, strict=True)
    ]
    some = crew.results(tasks)
    if sp.issparse(some[0]):
        return pieces
    return replace(pieces, middle=middle_of(np.vstack(some)))


def rows_in(source: Any) -> Samples:
    """Return the rows of a source as floating numbers, wherever they are."""
    if isinstance(source, Saved):
        source = source.rows()
    elif hasattr(source, "compute"):
        source = source.compute()
    is_single = np.can_cast(source.dtype, np.float32)
    return source.astype(np.float32 if is_single else np.float64, copy=False)


def _checked(source: Any, which: AnyIndices) -> Samples:
    return as_samples(rows_in(source))[which]


def _some(source: Any, which: AnyIndices, middle: Floats | None) -> Samples:
    return Rows(rows_in(source), middle)[which]


def _inside(which: Indices, span: slice) -> Indices:
    return which[(which >= span.start) & (which < span.stop)] - span.start


def _parts(X: Any) -> list[Any]:
    """Return what was passed as a list of matrices, Dask arrays and paths."""
    if isinstance(X, str | Path) or hasattr(X, "shape"):
        return [X]
    is_list = isinstance(X, list | tuple) and len(X)
    if is_list and all(isinstance(x, str | Path) or hasattr(x, "shape") for x in X):
        return list(X)
    return [as_samples(X)]


def _cut(part: Any, crew: Crew, n_rows: int | None) -> list[tuple[Any, int, int]]:
    """Return the source, the number of rows and of features of each piece."""
    if isinstance(part, str | Path):
        part = np.load(part, mmap_mode="r", allow_pickle=False)
    if len(part.shape) != 2:  # noqa: PLR2004 - a matrix has two dimensions
        raise InputError(
            f"A piece has shape {part.shape}: pass (n_samples, n_features)."
        )
    d = int(part.shape[1])
    size = n_rows or max(PIECE_BYTES // (4 * max(d, 1)), 1)
    if hasattr(part, "to_delayed"):
        return _cut_chunks(part, crew, size)
    path = _path_of(part)
    return [
        (
            Saved(path, span.start, span.stop) if path else crew.kept(part[span]),
            span.stop - span.start,
            d,
        )
        for span in spans(part.shape[0], size)
    ]


def _cut_chunks(X: Any, crew: Crew, size: int) -> list[tuple[Any, int, int]]:
    if not np.isfinite(X.chunks[0]).all():
        raise InputError(
            "The Dask array does not know how many rows it has: call its "
            "compute_chunk_sizes() first."
        )
    if len(X.chunks[1]) > 1 or max(X.chunks[0]) > size:
        X = X.rechunk({0: min(size, max(X.chunks[0])), 1: -1})
    blocks = X.to_delayed().ravel()
    return [
        (crew.computed(block), int(length), int(X.shape[1]))
        for block, length in zip(blocks, X.chunks[0], strict=True)
    ]


def _path_of(X: Any) -> str | None:
    """Return the ``.npy`` file that a memory map is all of, or None."""
    if not isinstance(X, np.memmap) or X.filename is None or X.mode == "c":
        return None  # what was written to a copy is not in the file
    try:
        whole = np.load(X.filename, mmap_mode="r", allow_pickle=False)
    except ValueError:  # a file of another kind
        return None
    is_all = (whole.shape, whole.strides, whole.dtype) == (X.shape, X.strides, X.dtype)
    return str(Path(X.filename).resolve()) if is_all else None

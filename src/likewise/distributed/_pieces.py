"""Samples in pieces that are read where they are needed, and the workers there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyIndices, Indices, Samples, as_samples, float_kind, spans
from likewise.affinity import (
    N_TYPICAL,
    LocalRunner,
    Pieces,
    Report,
    Runner,
    Source,
    evenly,
    middle_of,
    rows_of,
)
from likewise.errors import InputError, MissingExtraError

PIECE_BYTES = 2**28  # rows of a piece, in float32

P = ParamSpec("P")
T = TypeVar("T")


class Client(Protocol):
    """What is used of a ``distributed.Client``, which has no types of its own."""

    def submit(self, func: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> object:
        """Begin a task and return its future."""

    def scatter(self, data: object, *, hash: bool) -> object:  # noqa: A002 - Dask's
        """Send a value to a worker and return its future."""

    def compute(self, collections: object) -> object:
        """Begin to compute an expression and return its future."""

    def gather(self, futures: Sequence[object]) -> list[object]:
        """Return the results of futures."""


@dataclass(frozen=True, slots=True)
class DaskRunner:
    """The workers of a Dask client; futures stand for results.

    Attributes
    ----------
    client : distributed.Client
    """

    client: Client

    @property
    def is_here(self) -> bool:
        """Never: tasks run on the workers."""
        return False

    def task(
        self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs
    ) -> T:
        """Submit a task."""
        submit = cast("Callable[..., T]", self.client.submit)
        return submit(function, *arguments, pure=False, **named)

    def kept(self, value: T) -> T:
        """Send a value to the workers."""
        return cast("T", self.client.scatter(value, hash=False))

    def results(self, tasks: Sequence[T], report: Report | None = None) -> list[T]:
        """Bring the results here."""
        self.finish(tasks, report)
        return cast("list[T]", self.client.gather(list(tasks)))

    def finish(self, tasks: Sequence[object], report: Report | None = None) -> None:
        """Wait for the tasks; the first that fails raises its error here."""
        try:
            from distributed import as_completed
        except ImportError:
            raise MissingExtraError("distributed", "dask") from None
        for done, task in enumerate(as_completed(list(tasks)), start=1):
            if task.status == "error":
                task.result()
            if report is not None:
                report(done, len(tasks))


def runner_of(client: Client | None) -> Runner:
    """Return the workers of a Dask client, or this process for None."""
    return LocalRunner() if client is None else DaskRunner(client)


@dataclass(frozen=True, slots=True)
class Saved:
    """Some rows of a ``.npy`` file that every worker can read."""

    path: str
    start: int
    stop: int

    def read(self) -> Samples:
        """Return the rows as a memory map."""
        return np.load(self.path, mmap_mode="r")[self.start : self.stop]


class Delayed(Protocol):
    """A Dask expression."""

    def compute(self) -> Samples:
        """Return its value."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a Dask array, computed in this process when they are read."""

    chunk: Delayed

    def read(self) -> Samples:
        """Return the rows."""
        return self.chunk.compute()


def pieces_of(X: Any, runner: Runner, n_rows: int | None = None) -> Pieces:
    """Return samples in pieces of at most so many rows, checked where they lie.

    Parameters
    ----------
    X : array, sparse matrix, memory map, path, Dask array, or a list of those
        Paths are those of ``.npy`` files that every worker can read.
    runner : Runner
    n_rows : int, optional
        As many as take 256 MB unless given.
    """
    found = [piece for part in _parts(X) for piece in _cut(part, runner, n_rows)]
    if not found:
        raise InputError("There are no samples in any of the pieces: pass some data.")
    sources, lengths, widths = zip(*found, strict=True)
    if len(set(widths)) > 1:
        raise InputError(
            f"The pieces have {sorted(set(widths))} features: pass pieces of the same "
            f"samples' features."
        )
    bounds = np.append(0, np.cumsum(lengths))
    pieces = Pieces(runner, sources, bounds, widths[0])
    typical = evenly(len(pieces), N_TYPICAL)
    tasks = [
        runner.task(_checked, source, _inside(typical, span))
        for source, span in zip(sources, pieces.spans, strict=True)
    ]
    some = runner.results(tasks)
    if sp.issparse(some[0]):
        return pieces
    return replace(pieces, middle=middle_of(np.vstack(some)))


def _checked(source: Source, which: AnyIndices) -> Samples:
    """Return some rows of a piece, all of which are refused if one is not finite."""
    return as_samples(rows_of(source, None).X)[which]


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


def _cut(
    part: Any, runner: Runner, n_rows: int | None
) -> list[tuple[Source, int, int]]:
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
        return _cut_chunks(part, runner, size)
    if sp.issparse(part):
        part = sp.csr_array(part).astype(float_kind(part.dtype), copy=False)
    elif part.dtype.kind not in "biufc":
        part = as_samples(part)
    path = _path_of(part)
    return [
        (
            Saved(path, span.start, span.stop) if path else runner.kept(part[span]),
            span.stop - span.start,
            d,
        )
        for span in spans(part.shape[0], size)
    ]


def _cut_chunks(X: Any, runner: Runner, size: int) -> list[tuple[Source, int, int]]:
    if not np.isfinite(X.chunks[0]).all():
        raise InputError(
            "The Dask array does not know how many rows it has: call its "
            "compute_chunk_sizes() first."
        )
    if len(X.chunks[1]) > 1 or max(X.chunks[0]) > size:
        X = X.rechunk({0: min(size, max(X.chunks[0])), 1: -1})
    blocks = X.to_delayed().ravel()
    return [
        (_chunk(block, runner), int(length), int(X.shape[1]))
        for block, length in zip(blocks, X.chunks[0], strict=True)
    ]


def _chunk(block: Delayed, runner: Runner) -> Source:
    """Return where a chunk is: with a worker, or to be computed here."""
    if isinstance(runner, DaskRunner):
        return runner.client.compute(block)
    return Chunk(block)


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

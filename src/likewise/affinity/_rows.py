"""Samples, a block of rows at a time: in one place, or in pieces in several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ParamSpec, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyFloats, AnyIndices, Floats, Indices, Samples, spans
from likewise.errors import InputError

N_TYPICAL = 200  # rows that say where the samples are
FARTHEST = 1e15  # from there; beyond, squares would leave float32
SPREADS = 1e-12, 1e12  # of typical samples, for the same reason
N_SENT = 100_000  # positions that are sent along with a task

P = ParamSpec("P")
T = TypeVar("T")

Report: TypeAlias = Callable[[int, int], None]  # how much is done, and of how much


@dataclass(frozen=True, slots=True)
class Rows:
    """Samples of which only some are in memory at a time.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n, d)
    middle : ndarray of shape (d,), or None
        Where zero is put, so that distances in float32 lose no digits to rounding;
        None leaves the rows as they are.
    """

    X: Samples
    middle: Floats | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """How many numbers a row has."""
        return int(self.X.shape[1])

    def __getitem__(self, which: slice | AnyIndices) -> Samples:
        """Return some of the rows; around `middle`, they are float32."""
        rows = self.X[which]
        return rows if self.middle is None else around(self.middle, rows)

    def part(self, span: slice) -> Rows:
        """Return some of the rows, still where they are."""
        return Rows(self.X[span], self.middle)


class Runner(Protocol):
    """Who runs tasks: this process, or the workers of a cluster.

    What stands for a result has the type of the result. It may be an argument of the
    next task; to look at it, ask for :meth:`results`.
    """

    @property
    def is_here(self) -> bool:
        """Whether a task is done in this process, when it is begun."""

    def task(
        self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs
    ) -> T:
        """Begin a task and return what stands for its result."""

    def kept(self, value: T) -> T:
        """Put a value where tasks find it, and return what stands for it."""

    def results(self, tasks: Sequence[T], report: Report | None = None) -> list[T]:
        """Return the results of tasks, in their order."""

    def finish(self, tasks: Sequence[object], report: Report | None = None) -> None:
        """Wait for tasks whose results stay where they are."""


class LocalRunner:
    """The present process: a task is done when it is begun."""

    is_here = True

    def task(
        self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs
    ) -> T:
        """Run a task."""
        return function(*arguments, **named)

    def kept(self, value: T) -> T:
        """Return the value."""
        return value

    def results(self, tasks: Sequence[T], report: Report | None = None) -> list[T]:
        """Return what the tasks have returned."""
        self.finish(tasks, report)
        return list(tasks)

    def finish(self, tasks: Sequence[object], report: Report | None = None) -> None:
        """Say that all tasks are done."""
        if report is not None:
            report(len(tasks), len(tasks))


@runtime_checkable
class Stored(Protocol):
    """Rows that are read where they are needed."""

    def read(self) -> Samples:
        """Return the rows."""


Source: TypeAlias = Samples | Stored  # samples in memory or on a disk


def rows_of(source: Source, middle: Floats | None) -> Rows:
    """Return the rows of a source, wherever they are, around a point."""
    return Rows(source.read() if isinstance(source, Stored) else source, middle)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Samples, cut into pieces, and who works on them.

    Attributes
    ----------
    runner : Runner
    sources : tuple
        Where the rows of each piece are: here, on a worker or in a file.
    bounds : ndarray of shape (n_pieces + 1,)
        Where each piece begins, and the number of samples.
    n_features : int
    middle : ndarray of shape (n_features,), or None
        Where zero is put; None for sparse samples, and for those in double precision.
    """

    runner: Runner
    sources: tuple[Source, ...]
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
        return self.gathered(partial(_some, self.middle), which, self.sources)

    def gathered(
        self,
        pick: Callable[[T, AnyIndices], Samples],
        which: AnyIndices,
        held: Sequence[T],
    ) -> Samples:
        """Return ``pick(held[p], positions in p)`` of each piece p, in order."""
        piece = np.searchsorted(self.bounds, which, side="right") - 1
        order = np.argsort(piece, kind="stable")
        tasks = []
        for p in np.unique(piece):
            at = which[piece == p] - self.bounds[p]
            some = at if len(at) <= N_SENT else self.runner.kept(at)
            tasks.append(self.runner.task(pick, held[p], some))
        found = self.runner.results(tasks)
        rows = sp.vstack(found).tocsr() if sp.issparse(found[0]) else np.vstack(found)
        return rows[np.argsort(order)]


def _some(middle: Floats | None, source: Source, which: AnyIndices) -> Samples:
    return rows_of(source, middle)[which]


def pieces_here(X: Samples, size: int, middle: Floats | None) -> Pieces:
    """Return samples of this process in pieces of at most so many rows."""
    n, d = X.shape
    parts = (X,) if size >= n else tuple(X[span] for span in spans(n, size))
    return Pieces(LocalRunner(), parts, np.append(np.arange(0, n, size), n), d, middle)


def single_rows(X: Samples) -> Rows:
    """Return samples around zero in float32; sparse ones stay as they are."""
    if sp.issparse(X):
        return Rows(X)
    return Rows(X, middle_of(X[evenly(X.shape[0], N_TYPICAL)]))


def middle_of(some: AnyFloats) -> Floats:
    """Return the mean of typical rows, or refuse what float32 cannot hold.

    Parameters
    ----------
    some : ndarray of shape (at most 200, d)
        Spread evenly over all samples, so that whoever has them finds the same middle.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
        middle = np.asarray(some, dtype=np.float64).mean(axis=0)
        spread = float(np.abs(some - middle).max())
    if spread and not SPREADS[0] <= spread <= SPREADS[1]:
        raise InputError(
            f"The samples differ by about {spread:.1g}, which single precision "
            f"cannot hold: scale them to about 1."
        )
    return middle


def around(middle: Floats, rows: AnyFloats) -> AnyFloats:
    """Return rows around a point, in float32.

    Small whole numbers and float16 are moved in float32, which holds them exactly.
    """
    kind = np.result_type(rows.dtype, np.float32)
    moved = rows.astype(kind, copy=False) - middle.astype(kind)
    np.clip(moved, -FARTHEST, FARTHEST, out=moved)
    return np.ascontiguousarray(moved, dtype=np.float32)


def evenly(n: int, count: int) -> Indices:
    """Return at most `count` of 0..n-1, evenly spread.

    Examples
    --------
    >>> evenly(100, 3)
    array([ 0, 49, 99])
    """
    return np.linspace(0, n - 1, min(n, count)).astype(np.intp)


def squared(A: Samples, B: Samples) -> AnyFloats:
    """Return the squared distance of each row of A to the same row of B.

    By differences, so that equal rows are at 0 wherever zero is.
    """
    apart = A - B
    if sp.issparse(apart):
        return np.asarray(apart.multiply(apart).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", apart, apart)


def all_squared(A: Samples, B: Samples) -> AnyFloats:
    """Return the squared distance of each row of A to each row of B, by products."""
    products = A @ B.T
    if sp.issparse(products):
        products = products.toarray()
    return lengths(A)[:, np.newaxis] + lengths(B) - 2 * products


def lengths(A: Samples) -> AnyFloats:
    """Return the squared length of each row."""
    if sp.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)

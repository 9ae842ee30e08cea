"""The array libraries that the engine runs on: numpy with scipy, or torch.

The engine is written once. What the two libraries have in common it writes as it is
(``@``, slices, ``*=``, ``.argmax(1)``); what they do not is here. Large arrays are
float32 and live where the backend says; small ones are float64 and always numpy's.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from types import EllipsisType, ModuleType
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from likewise import _ties
from likewise._arrays import AnyFloats, Floats, Indices, Sparse, spans
from likewise._cores import on_cores
from likewise._regime import ONE_THREAD
from likewise.affinity import torch_for

R = TypeVar("R")
FEW_ROWS = ONE_THREAD + 1
CUT_ROWS = 4096  # of a sparse matrix that are multiplied at a time


class Array(Protocol):
    """What the arrays of all libraries can do: numpy.ndarray and torch.Tensor alike.

    Nothing but a backend makes one, and nothing but a backend looks behind it.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def T(self) -> Array: ...  # noqa: N802 - as the libraries call it
    def __len__(self) -> int: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __array__(self) -> NDArray[Any]: ...
    def __getitem__(self, key: Key, /) -> Array: ...
    def __setitem__(self, key: Key, value: Array | float, /) -> None: ...
    def __matmul__(self, other: Array, /) -> Array: ...
    def __add__(self, other: Array | float, /) -> Array: ...
    def __radd__(self, other: float, /) -> Array: ...
    def __sub__(self, other: Array | float, /) -> Array: ...
    def __rsub__(self, other: float, /) -> Array: ...
    def __mul__(self, other: Array | float, /) -> Array: ...
    def __rmul__(self, other: float, /) -> Array: ...
    def __truediv__(self, other: Array | float, /) -> Array: ...
    def __rtruediv__(self, other: float, /) -> Array: ...
    def __floordiv__(self, other: int, /) -> Array: ...
    def __pow__(self, other: float, /) -> Array: ...
    def __neg__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __gt__(self, other: float, /) -> Array: ...
    def __ge__(self, other: float, /) -> Array: ...
    def __le__(self, other: float, /) -> Array: ...
    def __eq__(self, other: object, /) -> Array: ...  # type: ignore[override]
    def __ne__(self, other: object, /) -> Array: ...  # type: ignore[override]
    def any(self, axis: int, /) -> Array: ...
    def argmax(self, axis: int | None = None, /) -> Array: ...
    def clip(self, lowest: float, highest: float | None = None, /) -> Array: ...
    def max(self) -> Array: ...
    def ravel(self) -> Array: ...
    def sum(self, axis: int | None = None, /) -> Array: ...


Where: TypeAlias = "Array | slice | int | EllipsisType | None"
Key: TypeAlias = "Where | tuple[Where, ...]"


class Product(Protocol):
    """A sparse matrix where a backend keeps it."""

    def __matmul__(self, other: Array, /) -> Array:
        """Return the product with a vector or with the columns of a matrix."""


class RowProduct(Protocol):
    """A sparse matrix that is multiplied by some of its rows at a time."""

    def times(self, part: slice, other: Array, /) -> Array:
        """Return the product of some rows with the columns of a matrix."""


Tables: TypeAlias = Sequence[tuple[Floats, Floats]]  # values, ascending, and results


class Backend(ABC):
    """What the engine asks of an array library.

    Attributes
    ----------
    rows_at_once : int
        Rows worked on together, where a whole array would need a second one beside it.
    is_processor : bool
        Whether arrays are numpy's: what is worked on should fit into the cache.
    """

    rows_at_once: int
    is_processor: bool

    @abstractmethod
    def array(self, values: ArrayLike) -> Array:
        """Return numbers as float32, where the backend keeps them."""

    @abstractmethod
    def indices(self, values: ArrayLike) -> Array:
        """Return positions as integers, where the backend keeps them."""

    @abstractmethod
    def numbers(self, n: int) -> Array:
        """Return 0..n-1."""

    @abstractmethod
    def host(self, values: Array) -> AnyFloats:
        """Return numbers as an ordinary numpy array."""

    @abstractmethod
    def host_indices(self, values: Array) -> Indices:
        """Return integers as an ordinary numpy array."""

    @abstractmethod
    def sparse(self, matrix: Sparse) -> Product:
        """Return a csr matrix as something that ``@`` multiplies with arrays."""

    @abstractmethod
    def zeros(self, *shape: int) -> Array:
        """Return an array of zeros."""

    @abstractmethod
    def beside(self, blocks: Sequence[Array]) -> Array:
        """Return blocks of columns as one array."""

    @abstractmethod
    def joined(self, blocks: Sequence[Array]) -> Array:
        """Return blocks of rows as one array; one alone as it is."""

    @abstractmethod
    def doubled(self, values: Array) -> Array:
        """Return float64."""

    @abstractmethod
    def multiply(self, left: Array, right: Array, out: Array) -> None:
        """Write ``left @ right`` into `out`."""

    @abstractmethod
    def add_scaled(self, out: Array, values: Array, factor: float) -> None:
        """Add ``factor * values`` to `out`, in its place."""

    def sparse_sum(
        self,
        product: Product,
        X: Array,
        factor: float,
        others: Sequence[tuple[Array, float]],
    ) -> Array:
        """Return ``factor * (product @ X)`` and other columns, each scaled."""
        out = product @ X
        out *= factor
        for values, times in others:
            self.add_scaled(out, values, times)
        return out

    @abstractmethod
    def householder(self, V: Array) -> Array:
        """Return as many orthonormal columns as V has, whatever its rank."""

    @abstractmethod
    def tally(self, keys: Array, weights: Array | None, size: int) -> Array:
        """Return the sum of weights, or the count, for each key below `size`."""

    @abstractmethod
    def flatnonzero(self, mask: Array) -> Array:
        """Return the positions where the mask is true."""

    @abstractmethod
    def log(self, values: Array) -> Array:
        """Return natural logarithms."""

    @abstractmethod
    def exp(self, values: Array) -> Array:
        """Return powers of e."""

    @abstractmethod
    def wide(self, values: ArrayLike) -> Array:
        """Return numbers as float64, where the backend keeps them."""

    @abstractmethod
    def narrow(self, values: Array) -> Array:
        """Return numbers in the precision that the backend keeps them in."""

    @abstractmethod
    def interpolated(self, columns: Array, tables: Tables) -> Array:
        """Return columns looked up in tables, with straight lines between values."""

    @abstractmethod
    def rows(self, values: Array, samples: Indices) -> AnyFloats:
        """Return some rows as an ordinary numpy array."""

    @abstractmethod
    def mirrored(self, values: Array) -> Array:
        """Return numbers of which a few rows are looked up often, also here."""

    @abstractmethod
    def row_sums(self, rows: Array) -> Array:
        """Return the sum of each row."""

    @abstractmethod
    def put(self, values: Array, samples: Indices, rows: ArrayLike) -> None:
        """Write some rows, or one number for each sample, in their place."""

    @abstractmethod
    def row_products(self, matrix: Sparse) -> RowProduct:
        """Return a csr matrix of which some rows are multiplied at a time."""

    @abstractmethod
    def largest_of(self, rows: Array) -> Array:
        """Return the largest entry of each row, of shape (s, 1)."""

    @abstractmethod
    def best_columns(self, rows: Array) -> Array:
        """Return the column of the largest entry of each row; of ties, the first."""

    @abstractmethod
    def best_and_tied(self, rows: Array) -> tuple[Array, Array]:
        """Return the same, and in which rows several entries tie with the largest."""

    @abstractmethod
    def entries(self, rows: Array, columns: Array) -> Array:
        """Return one entry of each row."""

    @abstractmethod
    def with_entries(self, rows: Array, columns: Array, values: Array | float) -> Array:
        """Return rows with another entry in one column each; in their place."""

    @abstractmethod
    def totals(self, rows: Array, keys: Array, size: int) -> Floats:
        """Return the sums of the rows of each key below `size`, of shape (size, m)."""

    @abstractmethod
    def column_sums(self, rows: Array) -> Floats:
        """Return the sum of each column."""

    @abstractmethod
    def tied_best(self, scores: Array, *, within: float) -> Indices:
        """Return where scores tie with the largest of them, ascending."""

    @abstractmethod
    def edge(self, scores: Array, k: int) -> float:
        """Return the k-th largest score."""

    def largest(self, scores: Array, k: int) -> Indices:
        """Return where the k largest scores are, falling; of equal ones, the first."""
        at = self.flatnonzero(scores >= self.edge(scores, min(k, len(scores))))
        values = self.host(scores[at])
        order = np.argsort(-values, kind="stable")[:k]
        return self.host_indices(at)[order]

    def chunks(self, n: int) -> Iterator[slice]:
        """Yield slices that cover n rows."""
        for start in range(0, n, self.rows_at_once):
            yield slice(start, min(n, start + self.rows_at_once))

    def each(self, work: Callable[[slice], R], n: int) -> list[R]:
        """Return what becomes of each chunk of n rows."""
        return [work(rows) for rows in self.chunks(n)]

    def gram(self, A: Array, B: Array, *, exactly: bool = False) -> Floats:
        """Return A'B, summed in float64; `exactly` multiplies in float64 too."""
        wide: Callable[[Array], Array] = self.doubled if exactly else lambda part: part

        def product(rows: slice) -> Array:
            return wide(A[rows]).T @ wide(B[rows])

        total = self.doubled(self.zeros(A.shape[1], B.shape[1]))
        for part in self.each(product, len(A)):
            total += part
        return cast(Floats, self.host(total))

    def combined(self, blocks: Sequence[Array], factors: Sequence[Floats]) -> Array:
        """Return the sum of each block of columns times its small factor."""
        small = [self.array(factor) for factor in factors]
        out = self.zeros(len(blocks[0]), small[0].shape[1])

        def add(rows: slice) -> None:
            self.multiply(blocks[0][rows], small[0], out[rows])
            for block, factor in zip(blocks[1:], small[1:], strict=True):
                out[rows] += block[rows] @ factor

        self.each(add, len(out))
        return out


class NumpyBackend(Backend):
    """One core, numpy and scipy."""

    rows_at_once = 2048  # 150 columns of them stay in the cache
    is_processor = True

    def __init__(self, kind: type[np.floating] = np.float32) -> None:
        self._kind = kind

    def array(self, values: ArrayLike) -> Array:
        return _array(np.ascontiguousarray(values, dtype=self._kind))

    def indices(self, values: ArrayLike) -> Array:
        return _array(np.asarray(values, dtype=np.intp))

    def numbers(self, n: int) -> Array:
        return _array(np.arange(n))

    def host(self, values: Array) -> AnyFloats:
        return cast(AnyFloats, values)

    def host_indices(self, values: Array) -> Indices:
        return np.asarray(values, dtype=np.intp)

    def sparse(self, matrix: Sparse) -> Product:
        found = matrix.astype(self._kind, copy=False)
        return cast(Product, found if matrix.shape[0] < FEW_ROWS else _Cut.of(found))

    def each(self, work: Callable[[slice], R], n: int) -> list[R]:
        if n < FEW_ROWS:
            return super().each(work, n)
        return on_cores(work, self.chunks(n))

    def sparse_sum(
        self,
        product: Product,
        X: Array,
        factor: float,
        others: Sequence[tuple[Array, float]],
    ) -> Array:
        if not isinstance(product, _Cut):
            return super().sparse_sum(product, X, factor, others)
        return _array(
            product.with_others(
                self.host(X),
                self._kind(factor),
                [(self.host(values), self._kind(times)) for values, times in others],
            )
        )

    def zeros(self, *shape: int) -> Array:
        return _array(np.zeros(shape, dtype=self._kind))

    def beside(self, blocks: Sequence[Array]) -> Array:
        return _array(np.hstack(blocks))

    def joined(self, blocks: Sequence[Array]) -> Array:
        return blocks[0] if len(blocks) == 1 else _array(np.concatenate(blocks))

    def doubled(self, values: Array) -> Array:
        return _array(self.host(values).astype(np.float64))

    def multiply(self, left: Array, right: Array, out: Array) -> None:
        np.matmul(left, right, out=self.host(out))

    def add_scaled(self, out: Array, values: Array, factor: float) -> None:
        def add(rows: slice) -> None:
            scaled = self._kind(factor) * self.host(values[rows])
            out[rows] += _array(scaled)

        self.each(add, len(out))

    def householder(self, V: Array) -> Array:
        return _array(np.ascontiguousarray(np.linalg.qr(self.host(V))[0]))

    def tally(self, keys: Array, weights: Array | None, size: int) -> Array:
        return _array(np.bincount(self.host_indices(keys), weights, size))

    def flatnonzero(self, mask: Array) -> Array:
        return _array(np.flatnonzero(mask))

    def log(self, values: Array) -> Array:
        return _array(np.log(self.host(values)))

    def exp(self, values: Array) -> Array:
        return _array(np.exp(self.host(values)))

    def wide(self, values: ArrayLike) -> Array:
        return _array(np.asarray(values, dtype=np.float64))

    def narrow(self, values: Array) -> Array:
        return _array(self.host(values).astype(self._kind, copy=False))

    def interpolated(self, columns: Array, tables: Tables) -> Array:
        found = map(np.interp, self.host(columns).T, *zip(*tables, strict=True))
        return _array(np.column_stack([*found]))

    def rows(self, values: Array, samples: Indices) -> AnyFloats:
        return self.host(values)[samples]

    def mirrored(self, values: Array) -> Array:
        return values

    def row_sums(self, rows: Array) -> Array:
        return rows.sum(1)

    def put(self, values: Array, samples: Indices, rows: ArrayLike) -> None:
        self.host(values)[samples] = rows

    def row_products(self, matrix: Sparse) -> RowProduct:
        return _Sliced(matrix)

    def largest_of(self, rows: Array) -> Array:
        return _array(self.host(rows).max(axis=1, keepdims=True))

    def best_columns(self, rows: Array) -> Array:
        return _array(_ties.best_columns(self.host(rows)))

    def best_and_tied(self, rows: Array) -> tuple[Array, Array]:
        here = self.host(rows)
        return _array(_ties.best_columns(here)), _array(_ties.is_tied(here))

    def entries(self, rows: Array, columns: Array) -> Array:
        return _array(self.host(rows)[np.arange(len(rows)), np.asarray(columns)])

    def with_entries(self, rows: Array, columns: Array, values: Array | float) -> Array:
        at = np.arange(len(rows)), np.asarray(columns)
        self.host(rows)[at] = cast(AnyFloats, values)
        return rows

    def totals(self, rows: Array, keys: Array, size: int) -> Floats:
        n = len(rows)
        ones = np.ones(n, dtype=self.host(rows).dtype)
        at = self.host_indices(keys), np.arange(n)
        return np.asarray(sp.csr_array((ones, at), shape=(size, n)) @ rows)

    def column_sums(self, rows: Array) -> Floats:
        return np.asarray(self.host(rows).sum(axis=0), dtype=np.float64)

    def tied_best(self, scores: Array, *, within: float) -> Indices:
        return np.flatnonzero(_ties.tied_best(self.host(scores), within=within))

    def edge(self, scores: Array, k: int) -> float:
        return float(-np.partition(-self.host(scores), k - 1)[k - 1])


@dataclass(frozen=True, slots=True)
class _Cut:
    """A csr matrix, cut into blocks of rows that are multiplied on all cores."""

    blocks: tuple[tuple[slice, Sparse], ...]
    n_rows: int

    @classmethod
    def of(cls, matrix: Sparse) -> _Cut:
        n, m = matrix.shape
        blocks = []
        for rows in spans(n, CUT_ROWS):
            starts = matrix.indptr[rows.start : rows.stop + 1]
            inside = slice(int(starts[0]), int(starts[-1]))
            parts = matrix.data[inside], matrix.indices[inside], starts - starts[0]
            shape = rows.stop - rows.start, m
            blocks.append((rows, sp.csr_array(parts, shape=shape)))
        return cls(tuple(blocks), n)

    def __matmul__(self, other: Array, /) -> Array:
        found = on_cores(lambda block: block[1] @ other, self.blocks)
        return _array(np.concatenate(found))

    def with_others(
        self,
        X: AnyFloats,
        factor: np.floating,
        others: Sequence[tuple[AnyFloats, np.floating]],
    ) -> AnyFloats:
        """Return the product times a factor, and others; a block goes through once."""
        out = np.empty((self.n_rows, *X.shape[1:]), dtype=X.dtype)

        def fill(block: tuple[slice, Sparse]) -> None:
            rows, matrix = block
            found = matrix @ X
            found *= factor
            for values, times in others:
                found += times * values[rows]
            out[rows] = found

        on_cores(fill, self.blocks)
        return out


class _Sliced:
    """A csr matrix, cut when it is multiplied; whole, it is not copied."""

    def __init__(self, matrix: Sparse) -> None:
        self._matrix = matrix

    def times(self, part: slice, other: Array, /) -> Array:
        is_whole = part == slice(0, self._matrix.shape[0])
        return cast(Array, (self._matrix if is_whole else self._matrix[part]) @ other)


def _array(values: NDArray[np.generic]) -> Array:
    return cast(Array, values)  # the stubs of numpy know its own arrays alone


class Tensor(Array, Protocol):
    """What an array of torch can do beside."""

    @property
    def device(self) -> object: ...
    @property
    def dtype(self) -> Any: ...
    def add_(self, other: Array, *, alpha: float) -> object: ...
    def amax(self, axis: int, *, keepdim: bool) -> Tensor: ...
    def cpu(self) -> Tensor: ...
    def double(self) -> Tensor: ...
    def exp(self) -> Tensor: ...
    def gather(self, axis: int, index: Array) -> Tensor: ...
    def log(self) -> Tensor: ...
    def nonzero(self) -> Tensor: ...
    def numpy(self) -> AnyFloats: ...
    def scatter_(self, axis: int, index: Array, value: Array | float) -> Tensor: ...
    def to(self, dtype: object) -> Tensor: ...
    def topk(self, k: int) -> tuple[Tensor, Tensor]: ...


def _tensor(values: Array) -> Tensor:
    return cast(Tensor, values)


class TorchBackend(Backend):
    """A graphics card, or the processor through torch."""

    rows_at_once = 1 << 20
    is_processor = False

    def __init__(self, torch: ModuleType, device: str) -> None:
        self._torch = torch
        self._device = device

    def _made(self, values: NDArray[np.generic]) -> Tensor:
        if self._device == "cpu" or not 0 < values.nbytes <= N_STAGED // 4:
            return cast(Tensor, self._torch.tensor(values, device=self._device))
        if values.nbytes <= N_TAKEN_ALONG:
            return cast(Tensor, sent(self._torch, values, self._device))
        return cast(Tensor, staged(self._torch, values, self._device))

    def array(self, values: ArrayLike) -> Array:
        values = np.ascontiguousarray(values, dtype=np.float32)
        return self._made(values)

    def indices(self, values: ArrayLike) -> Array:
        short = np.asarray(values, dtype=np.int32)  # half the way
        return self._made(short).to(self._torch.int64)

    def numbers(self, n: int) -> Array:
        return cast(Tensor, self._torch.arange(n, device=self._device))

    def host(self, values: Array) -> AnyFloats:
        return _tensor(values).cpu().numpy()

    def host_indices(self, values: Array) -> Indices:
        short = _tensor(values).to(self._torch.int32)  # half the way to the processor
        if self._device == "cpu":
            return short.numpy().astype(np.intp)
        # By way of memory that the card can write to, which torch keeps for the next.
        here = self._torch.empty(short.shape, dtype=self._torch.int32, pin_memory=True)
        here.copy_(short)
        return cast(Indices, here.numpy().astype(np.intp))

    def sparse(self, matrix: Sparse) -> Product:
        parts = (
            self._made(part)
            for part in (
                matrix.indptr.astype(np.int32),
                matrix.indices.astype(np.int32),
                matrix.data.astype(np.float32),
            )
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sparse")  # in beta for years
            made = self._torch.sparse_csr_tensor(
                *parts, size=matrix.shape, check_invariants=False
            )
        return cast(Product, made)

    def zeros(self, *shape: int) -> Array:
        return cast(Tensor, self._torch.zeros(shape, device=self._device))

    def beside(self, blocks: Sequence[Array]) -> Array:
        return cast(Tensor, self._torch.hstack(list(blocks)))

    def joined(self, blocks: Sequence[Array]) -> Array:
        if len(blocks) == 1:
            return blocks[0]
        return cast(Tensor, self._torch.cat(list(blocks)))

    def doubled(self, values: Array) -> Array:
        return _tensor(values).double()

    def multiply(self, left: Array, right: Array, out: Array) -> None:
        self._torch.matmul(left, right, out=out)

    def add_scaled(self, out: Array, values: Array, factor: float) -> None:
        _tensor(out).add_(values, alpha=factor)

    def householder(self, V: Array) -> Array:
        return cast(Tensor, self._torch.linalg.qr(V)[0].contiguous())

    def tally(self, keys: Array, weights: Array | None, size: int) -> Array:
        found = cast(Tensor, self._torch.bincount(keys, weights, size))
        return found if weights is None else found.to(_tensor(weights).dtype)

    def flatnonzero(self, mask: Array) -> Array:
        return _tensor(mask).nonzero().ravel()

    def log(self, values: Array) -> Array:
        return _tensor(values).log()

    def exp(self, values: Array) -> Array:
        return _tensor(values).exp()

    def wide(self, values: ArrayLike) -> Array:
        if isinstance(values, np.ndarray):  # as they are, then widened: half the way
            return self._made(np.ascontiguousarray(values)).double()
        return self._made(np.asarray(values, dtype=np.float64))

    def narrow(self, values: Array) -> Array:
        return _tensor(values).to(self._torch.float32)

    def interpolated(self, columns: Array, tables: Tables) -> Array:
        x, y = self._padded(tables)
        values = self._torch.clamp(columns.T, x[:, :1], x[:, -1:]).contiguous()
        at = self._torch.searchsorted(x, values).clip(1, x.shape[1] - 1)
        (x0, x1), (y0, y1) = ((t.gather(1, at - 1), t.gather(1, at)) for t in (x, y))
        share = (values - x0) / (x1 - x0).clip(1e-300)
        return cast(Tensor, (y0 + share * (y1 - y0)).T)

    def _padded(self, tables: Tables) -> tuple[Any, Any]:
        """Return tables as rows of one length: their last values are repeated."""
        most = max(2, *(len(x) for x, _ in tables))
        ends = [
            [np.pad(one, (0, most - len(one)), "edge") for one in t] for t in tables
        ]
        x, y = np.stack(ends).swapaxes(0, 1)
        return self.wide(x), self.wide(y)

    def rows(self, values: Array, samples: Indices) -> AnyFloats:
        here: AnyFloats | None = getattr(values, "here", None)
        if here is not None:
            return here[samples]
        return self.host(values[self.indices(samples)])

    def mirrored(self, values: Array) -> Array:
        cast(Any, values).here = self.host(values)
        return values

    def row_sums(self, rows: Array) -> Array:
        kind = _tensor(rows).dtype
        ones = self._torch.ones(rows.shape[1], dtype=kind, device=self._device)
        return rows @ cast(Array, ones)

    def put(self, values: Array, samples: Indices, rows: ArrayLike) -> None:
        if not len(samples):
            return
        given = np.asarray(rows, dtype=np.float64)
        instead = self._made(given).to(_tensor(values).dtype) if given.ndim else rows
        values[self.indices(samples)] = cast(Array, instead)

    def row_products(self, matrix: Sparse) -> RowProduct:
        return _Moved(self, matrix)

    def largest_of(self, rows: Array) -> Array:
        return _tensor(rows).amax(1, keepdim=True)

    def _reached(self, rows: Array) -> Tensor:
        """Tell which entries tie with the largest of their row."""
        best = self.largest_of(rows)
        share = _ties.LARGE if rows_are_single(rows) else _ties.EXACT
        return cast(Tensor, rows >= best - share * abs(best))  # type: ignore[operator]

    def best_columns(self, rows: Array) -> Array:
        return self._reached(rows).to(self._torch.uint8).argmax(1)

    def best_and_tied(self, rows: Array) -> tuple[Array, Array]:
        reached = self._reached(rows).to(self._torch.uint8)
        return reached.argmax(1), reached.sum(1) > 1

    def entries(self, rows: Array, columns: Array) -> Array:
        return _tensor(rows).gather(1, columns[:, None])[:, 0]

    def with_entries(self, rows: Array, columns: Array, values: Array | float) -> Array:
        if not isinstance(values, float):
            values = _tensor(values).to(_tensor(rows).dtype)[:, None]
        return _tensor(rows).scatter_(1, columns[:, None], values)

    def totals(self, rows: Array, keys: Array, size: int) -> Floats:
        # Sums by number, each of which is added in an order of its own, would differ
        # in their last digits from run to run: products do not.
        total = self.doubled(self.zeros(size, rows.shape[1]))
        at_once = max(MOST_ONES // size, 1)
        names = self.numbers(size)
        for start in range(0, len(rows), at_once):
            part = slice(start, min(start + at_once, len(rows)))
            is_one = _tensor(keys[part][:, None] == names)
            ones = is_one.to(_tensor(rows).dtype)
            total += ones.T @ rows[part]
        return cast(Floats, self.host(total))

    def column_sums(self, rows: Array) -> Floats:
        kind = _tensor(rows).dtype
        ones = self._torch.ones((len(rows), 1), dtype=kind, device=self._device)
        return self.gram(cast(Array, ones), rows)[0]

    def tied_best(self, scores: Array, *, within: float) -> Indices:
        best = float(scores.max())
        share = within * abs(best) if np.isfinite(best) else 0.0
        return self.host_indices(self.flatnonzero(scores >= best - share))

    def edge(self, scores: Array, k: int) -> float:
        return float(_tensor(scores).topk(k)[0][-1])


class _Stage:
    """Memory that a card reads from while both go on with what they have to do.

    Used from its beginning to its end; then the card is waited for.
    """

    def __init__(self, torch: ModuleType) -> None:
        self._torch, self._at, self._lock = torch, 0, Lock()
        self._memory = torch.empty(N_STAGED, dtype=torch.uint8, pin_memory=True)
        self._here = self._memory.numpy()

    def sent(self, values: NDArray[np.generic], device: str) -> Any:
        with self._lock:
            if self._at + values.nbytes > N_STAGED:
                self._torch.cuda.synchronize()
                self._at = 0
            part = slice(self._at, self._at + values.nbytes)
            self._here[part] = values.reshape(-1).view(np.uint8)
            self._at = -(-part.stop // 256) * 256
            there = self._memory[part].to(device, non_blocking=True)
        kind = getattr(self._torch, values.dtype.name)
        return there.view(kind).reshape(values.shape)


@lru_cache(maxsize=1)
def _stage(torch: ModuleType) -> _Stage:
    return _Stage(torch)


def staged(torch: ModuleType, values: NDArray[np.generic], device: str) -> Any:
    """Return numbers on a card, without waiting for it."""
    return _stage(torch).sent(np.ascontiguousarray(values), device)


def sent(torch: ModuleType, values: NDArray[np.generic], device: str) -> Any:
    """Return few numbers on a card, which takes them along with the order to copy."""
    if not values.flags.writeable:
        values = values.copy()
    return torch.from_numpy(values).to(device, non_blocking=True)


class _Moved:
    """A csr matrix, of which rows are moved to their device when first multiplied."""

    def __init__(self, backend: TorchBackend, matrix: Sparse) -> None:
        self._backend, self._matrix = backend, matrix
        self._parts: dict[tuple[int, int], Product] = {}

    def times(self, part: slice, other: Array, /) -> Array:
        key = part.start, part.stop
        if key not in self._parts:
            self._parts[key] = self._backend.sparse(sp.csr_array(self._matrix[part]))
        return self._parts[key] @ other


def rows_are_single(rows: Array) -> bool:
    """Tell whether numbers of torch are float32."""
    return bool(_tensor(rows).dtype.itemsize < 8)  # noqa: PLR2004 - bytes of float64


def backend_of(values: object) -> Backend:
    """Return the backend that keeps an array.

    Examples
    --------
    >>> type(backend_of(np.zeros(3))).__name__
    'NumpyBackend'
    """
    if isinstance(values, np.ndarray):
        return SINGLE if values.dtype == np.float32 else DOUBLE
    import torch

    return TorchBackend(torch, str(_tensor(cast(Array, values)).device))


# Numbers on the processor, in float32 and in float64.
SINGLE, DOUBLE = NumpyBackend(), NumpyBackend(np.float64)
N_STAGED = 1 << 26  # bytes by way of which numbers are brought to a card
N_TAKEN_ALONG = 1 << 16  # bytes that a card has taken when it has the order to copy
MOST_ONES = 1 << 28  # numbers of a matrix of ones and zeros at a time: 1 GB


def backend_for(device: str) -> Backend:
    """Return the backend of a device.

    Parameters
    ----------
    device : {"cpu", "cuda", "torch-cpu"}
        As in :func:`~likewise.affinity.torch_for`.

    Examples
    --------
    >>> type(backend_for("cpu")).__name__
    'NumpyBackend'
    """
    found = torch_for(device)
    return NumpyBackend() if found is None else TorchBackend(*found)

"""The array libraries that the engine runs on: numpy with scipy, or torch.

The engine is written once. What the two libraries have in common it writes as it is
(``@``, slices, ``*=``, ``.argmax(1)``); what they do not is here. Large arrays are
float32 and live where the backend says; small ones are float64 and always numpy's.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType, ModuleType
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from likewise._arrays import AnyFloats, Floats, Indices, Sparse
from likewise.affinity import torch_for


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
    def __array__(self) -> NDArray[np.generic]: ...
    def __getitem__(self, key: Key, /) -> Array: ...
    def __setitem__(self, key: Key, value: Array | float, /) -> None: ...
    def __matmul__(self, other: Array, /) -> Array: ...
    def __add__(self, other: Array | float, /) -> Array: ...
    def __radd__(self, other: float, /) -> Array: ...
    def __sub__(self, other: Array | float, /) -> Array: ...
    def __mul__(self, other: Array | float, /) -> Array: ...
    def __rmul__(self, other: float, /) -> Array: ...
    def __truediv__(self, other: Array | float, /) -> Array: ...
    def __floordiv__(self, other: int, /) -> Array: ...
    def __pow__(self, other: float, /) -> Array: ...
    def __neg__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __gt__(self, other: float, /) -> Array: ...
    def __le__(self, other: float, /) -> Array: ...
    def __eq__(self, other: object, /) -> Array: ...  # type: ignore[override]
    def __ne__(self, other: object, /) -> Array: ...  # type: ignore[override]
    def any(self, axis: int, /) -> Array: ...
    def argmax(self, axis: int | None = None, /) -> Array: ...
    def clip(self, lowest: float, /) -> Array: ...
    def ravel(self) -> Array: ...
    def sum(self, axis: int | None = None, /) -> Array: ...


Where: TypeAlias = "Array | slice | int | EllipsisType | None"
Key: TypeAlias = "Where | tuple[Where, ...]"


class Product(Protocol):
    """A sparse matrix where a backend keeps it."""

    def __matmul__(self, other: Array, /) -> Array:
        """Return the product with a vector or with the columns of a matrix."""


class Backend(ABC):
    """What the engine asks of an array library.

    Attributes
    ----------
    rows_at_once : int
        Rows worked on together, where a whole array would need a second one beside it.
    """

    rows_at_once: int

    @abstractmethod
    def array(self, values: ArrayLike) -> Array:
        """Return numbers as float32, where the backend keeps them."""

    @abstractmethod
    def indices(self, values: ArrayLike) -> Array:
        """Return positions as integers, where the backend keeps them."""

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
    def doubled(self, values: Array) -> Array:
        """Return float64."""

    @abstractmethod
    def multiply(self, left: Array, right: Array, out: Array) -> None:
        """Write ``left @ right`` into `out`."""

    @abstractmethod
    def add_scaled(self, out: Array, values: Array, factor: float) -> None:
        """Add ``factor * values`` to `out`, in its place."""

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

    def chunks(self, n: int) -> Iterator[slice]:
        """Yield slices that cover n rows."""
        for start in range(0, n, self.rows_at_once):
            yield slice(start, min(n, start + self.rows_at_once))

    def gram(self, A: Array, B: Array, *, exactly: bool = False) -> Floats:
        """Return A'B, summed in float64; `exactly` multiplies in float64 too."""
        wide: Callable[[Array], Array] = self.doubled if exactly else lambda part: part
        total = np.zeros((A.shape[1], B.shape[1]))
        for rows in self.chunks(len(A)):
            total += self.host(wide(A[rows]).T @ wide(B[rows]))
        return total

    def combined(self, blocks: Sequence[Array], factors: Sequence[Floats]) -> Array:
        """Return the sum of each block of columns times its small factor."""
        small = [self.array(factor) for factor in factors]
        out = self.zeros(len(blocks[0]), small[0].shape[1])
        for rows in self.chunks(len(out)):
            self.multiply(blocks[0][rows], small[0], out[rows])
            for block, factor in zip(blocks[1:], small[1:], strict=True):
                out[rows] += block[rows] @ factor
        return out


class NumpyBackend(Backend):
    """One core, numpy and scipy."""

    rows_at_once = 2048  # 150 columns of them stay in the cache

    def __init__(self, kind: type[np.floating] = np.float32) -> None:
        self._kind = kind

    def array(self, values: ArrayLike) -> Array:
        return _array(np.ascontiguousarray(values, dtype=self._kind))

    def indices(self, values: ArrayLike) -> Array:
        return _array(np.asarray(values, dtype=np.intp))

    def host(self, values: Array) -> AnyFloats:
        return cast(AnyFloats, values)

    def host_indices(self, values: Array) -> Indices:
        return np.asarray(values, dtype=np.intp)

    def sparse(self, matrix: Sparse) -> Product:
        return cast(Product, matrix.astype(self._kind))

    def zeros(self, *shape: int) -> Array:
        return _array(np.zeros(shape, dtype=self._kind))

    def beside(self, blocks: Sequence[Array]) -> Array:
        return _array(np.hstack(blocks))

    def doubled(self, values: Array) -> Array:
        return _array(self.host(values).astype(np.float64))

    def multiply(self, left: Array, right: Array, out: Array) -> None:
        np.matmul(left, right, out=self.host(out))

    def add_scaled(self, out: Array, values: Array, factor: float) -> None:
        for rows in self.chunks(len(out)):
            scaled = self._kind(factor) * self.host(values[rows])
            out[rows] += _array(scaled)

    def householder(self, V: Array) -> Array:
        return _array(np.ascontiguousarray(np.linalg.qr(self.host(V))[0]))

    def tally(self, keys: Array, weights: Array | None, size: int) -> Array:
        return _array(np.bincount(self.host_indices(keys), weights, size))

    def flatnonzero(self, mask: Array) -> Array:
        return _array(np.flatnonzero(mask))

    def log(self, values: Array) -> Array:
        return _array(np.log(self.host(values)))


def _array(values: NDArray[np.generic]) -> Array:
    return cast(Array, values)  # the stubs of numpy know its own arrays alone


class Tensor(Array, Protocol):
    """What an array of torch can do beside."""

    @property
    def dtype(self) -> object: ...
    def add_(self, other: Array, *, alpha: float) -> object: ...
    def cpu(self) -> Tensor: ...
    def double(self) -> Tensor: ...
    def log(self) -> Tensor: ...
    def nonzero(self) -> Tensor: ...
    def numpy(self) -> AnyFloats: ...
    def to(self, dtype: object) -> Tensor: ...


def _tensor(values: Array) -> Tensor:
    return cast(Tensor, values)


class TorchBackend(Backend):
    """A graphics card, or the processor through torch."""

    rows_at_once = 1 << 18

    def __init__(self, torch: ModuleType, device: str) -> None:
        self._torch = torch
        self._device = device

    def _made(self, values: NDArray[np.generic]) -> Tensor:
        return cast(Tensor, self._torch.tensor(values, device=self._device))

    def array(self, values: ArrayLike) -> Array:
        values = np.ascontiguousarray(values, dtype=np.float32)
        return self._made(values)

    def indices(self, values: ArrayLike) -> Array:
        values = np.asarray(values, dtype=np.int64)
        return self._made(values)

    def host(self, values: Array) -> AnyFloats:
        return _tensor(values).cpu().numpy()

    def host_indices(self, values: Array) -> Indices:
        return _tensor(values).cpu().numpy().astype(np.intp)

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

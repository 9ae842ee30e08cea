"""The array libraries that the engine runs on: numpy with scipy, or torch.

The engine is written once. What the two libraries have in common it writes as it is
(``@``, slices, ``*=``, ``.argmax(1)``); what they do not is here. Large arrays are
float32 and live where the backend says; small ones are float64 and always numpy's.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np

from likewise._arrays import Floats, Sparse
from likewise.errors import AssumptionWarning, InputError, MissingExtraError

Array: TypeAlias = Any  # numpy.ndarray or torch.Tensor
DEVICES = ("cpu", "cuda", "torch-cpu")


class Backend(ABC):
    """What the engine asks of an array library.

    Attributes
    ----------
    rows_at_once : int
        Rows worked on together, where a whole array would need a second one beside it.
    """

    rows_at_once: int

    @abstractmethod
    def array(self, values: Any) -> Array:
        """Return numbers as float32, where the backend keeps them."""

    @abstractmethod
    def indices(self, values: Any) -> Array:
        """Return positions as integers, where the backend keeps them."""

    @abstractmethod
    def host(self, values: Array) -> Any:
        """Return an ordinary numpy array."""

    @abstractmethod
    def sparse(self, matrix: Sparse) -> Any:
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

    def array(self, values: Any) -> Array:
        return np.ascontiguousarray(values, dtype=self._kind)

    def indices(self, values: Any) -> Array:
        return np.asarray(values, dtype=np.intp)

    def host(self, values: Array) -> Any:
        return values

    def sparse(self, matrix: Sparse) -> Any:
        return matrix.astype(self._kind)

    def zeros(self, *shape: int) -> Array:
        return np.zeros(shape, dtype=self._kind)

    def beside(self, blocks: Sequence[Array]) -> Array:
        return np.hstack(blocks)

    def doubled(self, values: Array) -> Array:
        return values.astype(np.float64)

    def multiply(self, left: Array, right: Array, out: Array) -> None:
        np.matmul(left, right, out=out)

    def add_scaled(self, out: Array, values: Array, factor: float) -> None:
        for rows in self.chunks(len(out)):
            out[rows] += self._kind(factor) * values[rows]

    def householder(self, V: Array) -> Array:
        return np.ascontiguousarray(np.linalg.qr(V)[0])

    def tally(self, keys: Array, weights: Array | None, size: int) -> Array:
        return np.bincount(keys, weights, size)

    def flatnonzero(self, mask: Array) -> Array:
        return np.flatnonzero(mask)

    def log(self, values: Array) -> Array:
        return np.log(values)


class TorchBackend(Backend):
    """A graphics card, or the processor through torch."""

    rows_at_once = 1 << 18

    def __init__(self, torch: Any, device: str) -> None:
        self._torch = torch
        self._device = device

    def array(self, values: Any) -> Array:
        values = np.ascontiguousarray(values, dtype=np.float32)
        return self._torch.tensor(values, device=self._device)

    def indices(self, values: Any) -> Array:
        values = np.asarray(values, dtype=np.int64)
        return self._torch.tensor(values, device=self._device)

    def host(self, values: Array) -> Any:
        return values.cpu().numpy()

    def sparse(self, matrix: Sparse) -> Any:
        parts = (
            self._torch.tensor(part, device=self._device)
            for part in (
                matrix.indptr.astype(np.int32),
                matrix.indices.astype(np.int32),
                matrix.data.astype(np.float32),
            )
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sparse")  # in beta for years
            return self._torch.sparse_csr_tensor(
                *parts, size=matrix.shape, check_invariants=False
            )

    def zeros(self, *shape: int) -> Array:
        return self._torch.zeros(shape, device=self._device)

    def beside(self, blocks: Sequence[Array]) -> Array:
        return self._torch.hstack(list(blocks))

    def doubled(self, values: Array) -> Array:
        return values.double()

    def multiply(self, left: Array, right: Array, out: Array) -> None:
        self._torch.matmul(left, right, out=out)

    def add_scaled(self, out: Array, values: Array, factor: float) -> None:
        out.add_(values, alpha=factor)

    def householder(self, V: Array) -> Array:
        return self._torch.linalg.qr(V)[0].contiguous()

    def tally(self, keys: Array, weights: Array | None, size: int) -> Array:
        found = self._torch.bincount(keys, weights, size)
        return found if weights is None else found.to(weights.dtype)

    def flatnonzero(self, mask: Array) -> Array:
        return mask.nonzero().ravel()

    def log(self, values: Array) -> Array:
        return values.log()


def checked(device: str) -> str:
    """Return the name of a device, or refuse one that there is not."""
    if device not in DEVICES:
        raise InputError(
            f"There is no device {device!r}. Choose one of: {', '.join(DEVICES)}."
        )
    return device


def backend_for(device: str) -> Backend:
    """Return the backend of a device.

    Parameters
    ----------
    device : {"cpu", "cuda", "torch-cpu"}
        "cpu" is numpy and scipy; the others are torch. Where "cuda" finds no torch or
        no card, a warning says so and "cpu" takes its place.

    Examples
    --------
    >>> type(backend_for("cpu")).__name__
    'NumpyBackend'
    """
    if checked(device) == "cpu":
        return NumpyBackend()
    if find_spec("torch") is None:
        if device == "torch-cpu":
            raise MissingExtraError("torch", "gpu")
        return _without_card("torch is missing (pip install 'likewise[gpu]')")
    torch = import_module("torch")
    if device == "torch-cpu":
        return TorchBackend(torch, "cpu")
    if not torch.cuda.is_available():
        return _without_card("torch finds no card")
    return TorchBackend(torch, "cuda")


def _without_card(why: str) -> Backend:
    warnings.warn(
        f"The device 'cuda' was asked for, but {why}, so the processor does the work.",
        AssumptionWarning,
        stacklevel=4,
    )
    return NumpyBackend()

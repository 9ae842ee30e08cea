"""What is slow to find and follows from data alone: how it is kept, and under what."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

T = TypeVar("T")
Arrays: TypeAlias = Mapping[str, NDArray[Any]]

MAKING = 1  # to be raised whenever the same data would lead to something else
N_HASHED = 1 << 16  # rows that are read together


class Cache(Protocol):
    """Keeps arrays; whatever it holds may be gone at any time, and is made anew then.

    A kind says what it is, in a word; a key is the digest of all that it depends on.
    """

    def read(self, kind: str, key: str) -> Arrays | None:
        """Return arrays as they were kept, or None."""

    def keep(self, kind: str, key: str, arrays: Arrays) -> None:
        """Keep arrays, if that is possible."""


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """How something becomes arrays, and comes back as it was, to the last bit."""

    packed: Callable[[T], Arrays]
    unpacked: Callable[[Arrays], T]


def digest_of(*parts: object) -> str:
    """Return what tells parts from others, and our way to work on them from others.

    Arrays and sparse matrices count by their numbers, everything else by how it is
    written.

    Examples
    --------
    >>> digest_of(np.eye(2), "graph") == digest_of(np.eye(2), "spectrum")
    False
    """
    digest = hashlib.blake2b(f"{MAKING} {version('likewise')}".encode(), digest_size=20)
    for part in parts:
        for content in _contents(part):
            digest.update(content)
    return digest.hexdigest()


def _contents(part: object) -> Iterator[Any]:
    if sp.issparse(part):
        matrix = sp.csr_array(part)
        yield f" sparse {matrix.shape}".encode()
        for values in (matrix.indptr, matrix.indices, matrix.data):
            yield from _contents(values)
    elif isinstance(part, np.ndarray):
        yield f" {part.dtype.str} {part.shape}".encode()
        for start in range(0, len(part), N_HASHED):  # it may be larger than memory
            yield np.ascontiguousarray(part[start : start + N_HASHED]).data
    else:
        yield f" {part!r}".encode()


def packed_matrix(name: str, matrix: Any) -> dict[str, NDArray[Any]]:
    """Return a csr matrix as arrays whose names begin with its own."""
    return {
        f"{name}-starts": matrix.indptr,
        f"{name}-columns": matrix.indices,
        f"{name}-values": matrix.data,
        f"{name}-shape": np.array(matrix.shape),
    }


def unpacked_matrix(name: str, arrays: Arrays) -> sp.csr_array:
    """Return the csr matrix of :func:`packed_matrix`."""
    parts = ("values", "columns", "starts")
    inside = tuple(arrays[f"{name}-{part}"] for part in parts)
    rows, columns = arrays[f"{name}-shape"].tolist()
    return sp.csr_array(inside, shape=(rows, columns))

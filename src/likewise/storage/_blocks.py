"""Arrays as blocks of rows in bytes: large ones never stand in memory twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Samples
from likewise.errors import InputError

N_ROWS = 4096


def pack(rows: Samples) -> bytes:
    """Return rows as the bytes of a ``.npy`` file, sparse ones of an ``.npz``."""
    file = BytesIO()
    if sp.issparse(rows):
        sp.save_npz(file, sp.csr_array(rows))
    else:
        np.save(file, np.ascontiguousarray(rows), allow_pickle=False)
    return file.getvalue()


def unpack(content: bytes) -> Samples:
    """Return the rows that were packed.

    Examples
    --------
    >>> unpack(pack(np.array([[1.0, 2.0]], dtype=np.float32)))
    array([[1., 2.]], dtype=float32)
    """
    if content.startswith(b"PK"):
        return sp.csr_array(sp.load_npz(BytesIO(content)))
    return np.load(BytesIO(content), allow_pickle=False)


def split(X: Samples) -> Iterator[Samples]:
    """Yield ``X`` in blocks of rows; one empty block when there are none."""
    for start in range(0, max(X.shape[0], 1), N_ROWS):
        yield X[start : start + N_ROWS]


def joined(blocks: Iterable[Samples], n_rows: int) -> Samples:
    """Return blocks of the same type and width as one array of n_rows rows."""
    remaining = iter(blocks)
    first = next(remaining)
    if sp.issparse(first):
        return sp.csr_array(sp.vstack([first, *remaining], format="csr"))
    X = np.empty((n_rows, *first.shape[1:]), dtype=first.dtype)
    X[: len(first)] = first
    end = len(first)
    for block in remaining:
        X[end : end + len(block)] = block
        end += len(block)
    return X


def checked_array(X: Samples) -> Samples:
    """Return an array that can be kept: numbers or truth values, in rows."""
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    if X.ndim < 1 or X.dtype.kind not in "biuf":
        raise InputError(
            f"An array of {X.dtype} with {X.ndim} dimensions cannot be kept: give "
            f"numbers in rows."
        )
    return X


def stacked(old: Samples, new: Samples) -> Samples:
    """Return rows of the same type and width below each other, or say what differs."""
    if _form(old) != _form(new):
        raise InputError(
            f"The new rows are {_form(new)}, but the array holds {_form(old)}: convert "
            f"them first."
        )
    if sp.issparse(old):
        return sp.csr_array(sp.vstack([old, new], format="csr"))
    return np.concatenate([old, new])


def _form(rows: Samples) -> str:
    width = " x ".join(map(str, rows.shape[1:])) or "1"
    return f"{'sparse ' if sp.issparse(rows) else ''}{rows.dtype} of width {width}"

"""What sessions are begun with: samples, numbers, and things by name."""

# mypy: disable-error-code="arg-type, assignment, misc, call-arg"
# Calls that types forbid are what this is about.

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from tests.border.calls import (
    COUNTS,
    FRAME,
    INF,
    NAMES,
    NAN,
    NO_SEEDS,
    SEEDS,
    SPARSE,
    TEXTS,
    WHOLE,
    Call,
    N,
    X,
    Y,
    begun,
    csr,
    fitted,
)

from likewise import (
    METHODS,
    Session,
)

# What sessions are begun with


class Arraylike:
    """What other array libraries have: a way to be an array."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._values, dtype=dtype)


def mapped(mode: Any, values: Any = X) -> Any:
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "X.npy"
    np.save(path, values)
    found = np.load(path, mmap_mode=mode)
    folder.cleanup()  # what is mapped stays readable
    return found


def long_indices() -> Any:
    made = sp.csr_array(X)
    made.indices = made.indices.astype(np.int64)
    made.indptr = made.indptr.astype(np.int64)
    return made


def unsorted() -> Any:
    made = sp.csr_array(X)
    return sp.csr_array(
        (made.data.reshape(-1, 2)[:, ::-1].ravel(), np.tile([1, 0], N), made.indptr),
        shape=(N, 2),
    )


def with_duplicates() -> Any:
    i, j = np.repeat(np.arange(N), 4), np.tile([0, 1, 0, 1], N)
    return sp.coo_array((np.hstack([X, X]).ravel() / 2, (i, j)), shape=(N, 2))


def with_zeros() -> Any:
    made = sp.csr_array(X)
    made.data[::3] = 0.0
    return made


TAKEN_SAMPLES: dict[str, Callable[[], Any]] = {
    "lists": X.tolist,
    "tuples": lambda: tuple(map(tuple, X)),
    "rows": lambda: list(X),
    "whole numbers": lambda: X.round().astype(int),
    "small whole numbers": lambda: X.round().astype(np.int8),
    "booleans": lambda: X > 1,
    "float16": lambda: X.astype(np.float16),
    "float32": lambda: X.astype(np.float32),
    "longdouble": lambda: X.astype(np.longdouble),
    "big endian": lambda: X.astype(">f8"),
    "big endian numbers": lambda: X.round().astype(">i4"),
    "uint64": lambda: np.full((N, 2), 2**64 - 1, np.uint64) - Y[:, np.newaxis],
    "Fortran order": lambda: np.asfortranarray(X),
    "negative strides": lambda: X[::-1, ::-1],
    "every other column": lambda: np.hstack([X, X])[:, ::2],
    "read only": lambda: np.frombuffer(X.tobytes()).reshape(X.shape),
    "a memory map": lambda: mapped("r"),
    "a memory map in memory": lambda: mapped("c"),
    "a small memory map of whole numbers": lambda: mapped("r", X.round().astype("i2")),
    "a matrix": lambda: sp.csr_matrix(X).todense(),
    "objects": lambda: X.astype(object),
    "decimals": lambda: [[Decimal(str(v)) for v in row] for row in X],
    "fractions": lambda: [[Fraction(v) for v in row] for row in X],
    "texts of numbers": lambda: X.astype(str),
    "bytes of numbers": lambda: X.astype(str).astype(bytes),
    "another array": lambda: Arraylike(X),
    "a masked array without a mask": lambda: np.ma.masked_array(X),
    "a masked array with nothing masked": lambda: np.ma.masked_array(X, X > 99),
    "a frame": lambda: FRAME,
    "a frame with texts": lambda: TEXTS,
    "a frame with categories": lambda: TEXTS.astype({"kind": "category"}),
    "a frame with booleans": lambda: FRAME.assign(c=FRAME.a > 1),
    "a frame with equal names": lambda: FRAME.set_axis(["a", "a"], axis=1),
    "a frame of nullable numbers": lambda: FRAME.round().astype("Int64"),
    "one sample": lambda: X[:1],
    "two samples": lambda: X[:2],
    "three samples": lambda: X[:3],
    "one feature": lambda: X[:, :1],
    "identical samples": lambda: np.ones((N, 2)),
    "two identical samples": lambda: np.ones((2, 1)),
    "zeros": lambda: np.zeros((N, 2)),
    "negative zeros": lambda: -np.zeros((N, 2)),
    "constant columns": lambda: np.hstack([X, np.ones((N, 3))]),
    "1e300": lambda: X * 1e300,
    "the largest numbers": lambda: np.sign(X - 3) * np.finfo(float).max,
    "1e154": lambda: X * 1e154,
    "1e300 and 1": lambda: X * [1e300, 1.0],
    "one sample at 1e300": lambda: np.vstack([X, [[1e300, 0.0]]]),
    "1e-300": lambda: X * 1e-300,
    "denormals": lambda: X.round() * 5e-324,
    "1e-170": lambda: X * 1e-170,
    "the largest float32": lambda: (X / 10 * 3e38).astype(np.float32),
    "sparse 1e300": lambda: csr(X * 1e300),
    "sparse 1e-300": lambda: csr(X * 1e-300),
    "sparse with long indices": long_indices,
    "sparse with explicit zeros": with_zeros,
    "sparse with duplicates": with_duplicates,
    "sparse without order": unsorted,
    "sparse booleans": lambda: csr(X > 1),
    "sparse whole numbers": lambda: csr(X.round().astype(int)),
    "sparse float16 by way of float32": lambda: csr(X.astype(np.float32)),
    "sparse without entries": lambda: sp.csr_array((N, 2)),
    **{f"sparse {k}": partial(sp.coo_array(X).asformat, k) for k in SPARSE},
    **{f"a {k} matrix": partial(sp.coo_matrix(X).asformat, k) for k in SPARSE},
}

REFUSED_SAMPLES: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a number": lambda: 3.0,
    "a text": lambda: "leaves.csv",
    "bytes": lambda: b"leaves",
    "a set": lambda: {1, 2},
    "a mapping": lambda: {"a": [1, 2]},
    "an object": object,
    "a type": lambda: np.ndarray,
    "a generator": lambda: (row for row in X),
    "a function": lambda: len,
    "one dimension": lambda: X[:, 0],
    "a range": lambda: range(5),
    "a series": lambda: FRAME.a,
    "three dimensions": lambda: X[np.newaxis],
    "an empty list": list,
    "an empty row": lambda: [[]],
    "no samples": lambda: X[:0],
    "no features": lambda: X[:, :0],
    "an empty frame": pd.DataFrame,
    "a frame without rows": lambda: FRAME[:0],
    "rows of other lengths": lambda: [[1.0], [1.0, 2.0]],
    "NaN": lambda: np.where(X > 6, NAN, X),
    "infinity": lambda: np.where(X > 6, INF, X),
    "minus infinity": lambda: np.where(X > 6, -INF, X),
    "None inside": lambda: [[1.0, None], [2.0, 3.0]],
    "complex numbers": lambda: X.astype(complex),
    "complex objects": lambda: [[1j, Decimal(1)]],
    "dates": lambda: X.astype("datetime64[s]"),
    "spans of time": lambda: X.astype("timedelta64[s]"),
    "date objects": lambda: [[datetime(2000, 1, 1)], [datetime(2001, 1, 1)]],
    "records": lambda: np.zeros((3, 2), dtype=[("a", float)]),
    "raw bytes": lambda: np.zeros((3, 2), dtype="V8"),
    "words": lambda: [["oak"], ["elm"]],
    "texts of NaN": lambda: [["nan"], ["1"]],
    "texts of infinity": lambda: [["1e999"], ["1"]],
    "lists inside": lambda: np.array([[[1], 2], [3, 4]], dtype=object),
    "whole numbers beyond all": lambda: [[10**400], [1]],
    "longdouble beyond all": lambda: X.astype(np.longdouble) * np.longdouble("1e4000"),
    "a masked array": lambda: np.ma.masked_array(X, X > 6),
    "masked floats": lambda: np.ma.masked_invalid(np.where(X > 6, NAN, X)),
    "sparse NaN": lambda: csr(np.where(X > 6, NAN, X)),
    "sparse infinity": lambda: csr(np.where(X > 6, INF, X)),
    "sparse complex": lambda: csr(X.astype(complex)),
    "sparse of one dimension": lambda: sp.coo_array(np.arange(5.0)),
    "sparse with wrong indices": lambda: csr(indices=np.full(2 * N, 99, np.int32)),
    "sparse with negative indices": lambda: csr(indices=np.full(2 * N, -1, np.int32)),
    "a frame with NaN": lambda: FRAME.where(FRAME < 6),
    "a frame with infinity": lambda: FRAME * INF + 1,
    "a frame with NA": lambda: FRAME.round().astype("Int64").where(FRAME < 6),
    "a frame of complex numbers": lambda: FRAME.astype(complex),
    "another array with NaN": lambda: Arraylike([[NAN], [1.0]]),
}


def samples() -> Iterator[Call]:
    for name, make in TAKEN_SAMPLES.items():
        yield Call(f"samples: {name}", lambda make=make: begun(make()))
    for name, make in REFUSED_SAMPLES.items():
        yield Call(f"samples: {name}", lambda make=make: Session(make()), False)
    for name in ("one sample", "identical samples", "1e300", "lists", "a frame"):
        make = TAKEN_SAMPLES[name]
        yield Call(f"fit: {name}", lambda make=make: fitted(make()))
    for name in ("NaN", "a masked array", "nothing", "words", "dates", "no samples"):
        make = REFUSED_SAMPLES[name]
        yield Call(f"fit: {name}", lambda make=make: fitted(make()), False)


def numbers() -> Iterator[Call]:
    for name, k in COUNTS.items():
        yield Call(f"n_clusters: {name}", lambda k=k: begun(n_clusters=k))
    for name, k in {**WHOLE, "zero": 0, "too many": N + 1, "huge": 10**30}.items():
        yield Call(
            f"n_clusters: {name}", lambda k=k: Session(X, n_clusters=k), is_taken=False
        )
    for name, seed in SEEDS.items():
        yield Call(f"random_state: {name}", lambda s=seed: begun(random_state=s))
        yield Call(f"fit random_state: {name}", lambda s=seed: fit_seeded(s))
    yield Call(
        "fit random_state: RandomState", lambda: fit_seeded(np.random.RandomState(0))
    )
    for name, seed in {**WHOLE, **NO_SEEDS}.items():
        yield Call(
            f"random_state: {name}", lambda s=seed: Session(X, random_state=s), False
        )
        yield Call(f"fit random_state: {name}", lambda s=seed: fit_seeded(s), False)
    yield Call(
        "random_state: RandomState",
        lambda: Session(X, random_state=np.random.RandomState(0)),
        is_taken=False,
    )
    for name, k in WHOLE.items():
        yield Call(
            f"fit n_clusters: {name}", lambda k=k: fitted(how={"n_clusters": k}), False
        )


def fit_seeded(seed: Any) -> None:
    fitted(how={"random_state": seed})


def named() -> Iterator[Call]:
    for method in METHODS:
        known = {"n_clusters": 2} if METHODS[method].most_clusters else {}
        yield Call(f"method: {method}", lambda m=method, k=known: begun(method=m, **k))
        for few, data in (
            ("one sample", X[:1]),
            ("two samples", X[:2]),
            ("identical samples", np.ones((5, 2))),
            ("1e300", X * 1e300),
        ):
            yield Call(
                f"method: {method} of {few}",
                lambda m=method, d=data: begun(d, method=m, n_clusters=min(2, len(d))),
            )
    for name, value in NAMES.items():
        for what in ("method", "affinity", "device", "progress"):
            if (what, name) != ("progress", "None"):
                yield Call(
                    f"{what}: {name}",
                    lambda w=what, v=value: Session(X, **{w: v}),
                    is_taken=False,
                )
    yield Call("progress", lambda: begun(progress=lambda *_: None))
    yield Call("journal: a path", lambda: Session(X, journal="answers.jsonl"), False)
    yield Call("journal: a list", lambda: Session(X, journal=[]), False)


PARTS = (samples, numbers, named)

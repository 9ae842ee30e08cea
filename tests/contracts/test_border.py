"""The library's border: each call is taken rightly, or refused in one sentence.

A table of calls, each with what is expected of it. After a refusal a session is as it
was; after an act its journal can be written, read and replayed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import likewise
from likewise import (
    METHODS,
    ActiveClustering,
    Answer,
    FunctionOracle,
    LabelOracle,
    Question,
    Session,
    Verdict,
    affinity,
    datasets,
    encoders,
    experiments,
    jaccard,
    run,
    storage,
    v_measure,
)
from likewise.errors import AssumptionWarning, LikewiseError
from likewise.exports import export_chunks, samples_of, session_of, table_chunks
from likewise.knowledge import (
    Kept,
    MemoryJournal,
    Numbered,
    Prediction,
    Renamed,
    Retracted,
    SetAside,
    Told,
    Undone,
    decode,
    encode,
)
from likewise.session import Revision

N = 12
CENTRES = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 7.0]], 4, axis=0)
X = CENTRES + np.random.default_rng(0).normal(scale=0.3, size=(N, 2))
Y = np.repeat([0, 1, 2], 4)
W = np.exp(-((X[:, np.newaxis] - X) ** 2).sum(axis=2))
NAN, INF = float("nan"), float("inf")
QUICK = "urasc+n"  # what comes in does not depend on the method


@dataclass(frozen=True)
class Call:
    """One call, and whether it is taken."""

    name: str
    do: Callable[[], object]
    is_taken: bool = True


# What is expected of everything


def is_one_sentence(error: BaseException) -> bool:
    words = str(error)
    return bool(words.strip()) and words.endswith(".") and "\n" not in words


def refuses(do: Callable[[], object]) -> None:
    with pytest.raises(LikewiseError) as caught:
        do()
    assert is_one_sentence(caught.value), str(caught.value)


def check(session: Session, journal: MemoryJournal | None = None) -> None:
    """Look at everything, take an answer and take it back again."""
    labels = session.labels
    assert labels.shape == (session.n_samples,)
    assert labels.dtype.kind == "i"
    assert -1 <= labels.min() <= labels.max() < session.n_samples
    assert 0 <= session.progress.expected_jaccard <= 1
    question = session.ask()
    if question is not None:
        assert type(question.sample) is type(question.against) is int
        assert 0 <= min(question.pair) < max(question.pair) < session.n_samples
        assert session.explain(question)
        session.tell(question, "unsure")
        session.undo()
        assert session.ask() == question
    np.testing.assert_array_equal(session.labels, labels)
    if journal is not None:
        check_journal(session, journal)


def check_journal(session: Session, journal: MemoryJournal) -> None:
    events = list(journal.read())
    written = json.dumps([encode(event) for event in events])
    read = [decode(body) for body in json.loads(written)]
    assert read == events
    assert {type(n) for event in events for n in samples_of(event)} <= {int}
    again = Session(X, QUICK, 3, journal=MemoryJournal(read))
    np.testing.assert_array_equal(again.labels, session.labels)
    assert again.ask() == session.ask()


def begun(data: Any = X, **how: Any) -> None:
    check(Session(data, **{"method": QUICK, **how}))


def half_done() -> tuple[Session, MemoryJournal]:
    journal = MemoryJournal()
    session = Session(X, QUICK, 3, journal=journal)
    session.tell_pair(0, 1, "same")
    session.tell_pair(0, 4, "different")
    session.rename(0, "oak")
    return session, journal


def acted(act: Callable[[Session], object]) -> None:
    session, journal = half_done()
    act(session)
    check(session, journal)


@cache
def unharmed() -> tuple[Session, MemoryJournal, Question | None, Any]:
    """Return one session for all refusals, which must leave it as it is."""
    session, journal = half_done()
    return session, journal, session.ask(), session.labels


def refuses_act(act: Callable[[Session], object]) -> None:
    """Refuse an act, and leave everything as it was."""
    session, journal, question, labels = unharmed()
    events, history = list(journal.read()), session.history
    try:
        refuses(lambda: act(session))
        assert list(journal.read()) == events
        assert session.ask() == question
        np.testing.assert_array_equal(session.labels, labels)
        assert session.history == history
    except BaseException:
        unharmed.cache_clear()  # it is harmed: the others get another one
        raise


def fitted(data: Any = X, how: Any = None, **options: Any) -> None:
    found = ActiveClustering(**(how or {})).fit(data, **options)
    assert len(found.labels_) == found.session_.n_samples
    assert found.n_clusters_ == len(set(found.labels_.tolist()))


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


def csr(values: Any = X, **parts: Any) -> Any:
    made = sp.csr_array(values)
    for name, part in parts.items():
        setattr(made, name, part)
    return made


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


SPARSE = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
FRAME = pd.DataFrame(X, columns=["a", "b"])
TEXTS = FRAME.assign(kind=["oak", "elm"] * 6)

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
    "date objects": lambda: [[datetime(2000, 1, 1)], [datetime(2001, 1, 1)]],  # noqa: DTZ001 - as people write them
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


WHOLE = {
    "a float": 2.0,
    "numpy's float": np.float64(3),
    "a half": 2.5,
    "a truth": True,
    "numpy's truth": np.True_,
    "a text": "3",
    "bytes": b"3",
    "NaN": NAN,
    "infinity": INF,
    "a list": [3],
    "an array": np.array([3, 4]),
    "complex": 3j,
    "an object": object(),
    "minus one": -1,
    "numpy's minus one": np.int64(-1),
}
COUNTS = {
    "one": 1,
    "three": 3,
    "as many as samples": N,
    "numpy's": np.int64(3),
    "numpy's small": np.int8(3),
    "numpy's unsigned": np.uint64(3),
}
SEEDS = {
    "zero": 0,
    "2**32": 2**32,
    "2**40": 2**40,
    "2**130": 2**130,
    "None": None,
    "numpy's": np.int64(5),
    "numpy's unsigned": np.uint64(2**63),
}
NO_SEEDS = {
    "a generator": np.random.default_rng(0),
    "a sequence": np.random.SeedSequence(0),
    "two": (1, 2),
}
NAMES: dict[str, Any] = {
    "nonsense": "nonsense",
    "empty": "",
    "None": None,
    "a number": 3,
    "a list": ["likewise"],
    "bytes": b"likewise",
    "an object": object(),
    "NaN": NAN,
}


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
        lambda: Session(X, random_state=np.random.RandomState(0)),  # type: ignore[arg-type]
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
    yield Call("progress", lambda: begun(progress=lambda done, total: None))
    yield Call("journal: a path", lambda: Session(X, journal="answers.jsonl"), False)  # type: ignore[arg-type]
    yield Call("journal: a list", lambda: Session(X, journal=[]), False)  # type: ignore[arg-type]


# Similarities

TAKEN_WEIGHTS: dict[str, Callable[[], Any]] = {
    "lists": W.tolist,
    "float32": lambda: W.astype(np.float32),
    "a frame": lambda: pd.DataFrame(W),
    "a diagonal": lambda: W + 5 * np.eye(N),
    "rounding": lambda: W * (1 + 1e-12 * np.triu(np.ones((N, N)))),
    "zeros": lambda: np.zeros((N, N)),
    "ones": lambda: np.ones((N, N)),
    "one sample": lambda: [[1.0]],
    "whole numbers": lambda: np.rint(9 * W).astype(int),
    "booleans": lambda: W > 0.1,
    "1e300": lambda: W * 1e300,
    "the largest numbers": lambda: np.full((N, N), np.finfo(float).max),
    "1e-300": lambda: W * 1e-300,
    "denormals": lambda: np.ceil(W * 9) * 5e-324,
    "sparse without entries": lambda: sp.csr_array((N, N)),
    "sparse 1e300": lambda: csr(W * 1e300),
    **{f"sparse {k}": partial(sp.coo_array(W).asformat, k) for k in SPARSE},
}
REFUSED_WEIGHTS: dict[str, Callable[[], Any]] = {
    "not square": lambda: W[:5],
    "not symmetric": lambda: np.triu(W),
    "negative": lambda: -W,
    "NaN": lambda: np.where(W < 0.1, NAN, W),
    "infinity": lambda: np.where(W < 0.1, INF, W),
    "nothing": lambda: None,
    "a text": lambda: "W",
    "a number": lambda: 1.0,
    "one dimension": lambda: W[0],
    "complex": lambda: W.astype(complex),
    "masked": lambda: np.ma.masked_array(W, W < 0.1),
    "sparse and not symmetric": lambda: csr(np.triu(W)),
    "sparse and negative": lambda: csr(-W),
    "1e300 and not symmetric": lambda: 1e300 * np.triu(W),
    "1e-300 and not symmetric": lambda: 1e-300 * np.triu(W),
}
NO_BANDWIDTHS = {**WHOLE, "zero": 0.0, "1e-200": 1e-200}
for numeric in ("a float", "numpy's float", "a half"):
    del NO_BANDWIDTHS[numeric]
del NO_BANDWIDTHS["1e-200"]


def similarities() -> Iterator[Call]:
    for name in affinity.AFFINITIES:
        data = W if name == "precomputed" else np.abs(X)
        yield Call(f"affinity: {name}", lambda n=name, d=data: begun(d, affinity=n))
        if name != "precomputed":
            for much in (1e300, 1e-300):
                yield Call(
                    f"affinity: {name} of {much}",
                    lambda n=name, m=much: begun(np.abs(X) * m, affinity=n),
                )
            for few in (1, 2):
                yield Call(
                    f"affinity: {name} of {few}",
                    lambda n=name, f=few: begun(np.abs(X[:f]), affinity=n),
                )
            yield Call(
                f"affinity: {name} of zeros",
                lambda n=name: begun(np.zeros((N, 2)), affinity=n),
            )
            yield Call(
                f"affinity: {name} of sparse",
                lambda n=name: begun(csr(np.abs(X)), affinity=n),
            )
    for name, make in TAKEN_WEIGHTS.items():
        yield Call(
            f"precomputed: {name}", lambda m=make: begun(m(), affinity="precomputed")
        )
        if name != "one sample":
            yield Call(
                f"kernel: {name}",
                lambda m=make: begun(affinity=lambda _, m=m: m()),
            )
    for name, make in REFUSED_WEIGHTS.items():
        yield Call(
            f"precomputed: {name}",
            lambda m=make: Session(m(), affinity="precomputed"),
            is_taken=False,
        )
        yield Call(
            f"kernel: {name}",
            lambda m=make: Session(X, affinity=lambda _, m=m: m()),
            is_taken=False,
        )
    for size in (1, N - 1, N + 1):
        yield Call(
            f"kernel: of {size} samples",
            lambda s=size: Session(X, affinity=lambda _, s=s: np.ones((s, s))),
            is_taken=False,
        )
    yield Call(
        "kernel: an affinity of others",
        lambda: Session(X, affinity=lambda _: affinity.auto(X[:3])),
        is_taken=False,
    )
    yield Call("kernel: of lists", lambda: begun(X.tolist(), affinity=affinity.auto))
    yield Call(
        "kernel: of words",
        lambda: begun(["oak", "elm", "ash"], affinity=lambda words: np.ones((3, 3))),
    )
    for name, width in NO_BANDWIDTHS.items():
        yield Call(
            f"bandwidth: {name}",
            lambda b=width: affinity.gaussian(X, bandwidth=b),
            is_taken=False,
        )
    for much in (1e-300, 1e-3, 1, 1e300):
        yield Call(
            f"bandwidth: {much}",
            lambda m=much: begun(
                X * m, affinity=partial(affinity.gaussian, bandwidth=m)
            ),
        )
    yield Call("chi2: negative", lambda: affinity.chi2(-X), is_taken=False)
    yield Call("affinity_of: nonsense", lambda: affinity.affinity_of(X, "no"), False)


# What is known from the start

TAKEN_ANSWERS: dict[str, Any] = {
    "none": [],
    "triples": [(0, 1, "same"), (0, 4, False), (1, 5, None)],
    "numpy's": [(np.int64(0), np.uint64(1), np.bool_(True))],
    "a generator": ((0, i, "same") for i in range(1, 3)),
    "an array of whole numbers": np.array([[0, 1, 1], [0, 4, 0]]),
    "answers": [Answer(Question(0, 1), Verdict.SAME)],
    "answers of numpy's": [Answer(Question(np.uint64(0), np.int8(1)), Verdict.SAME)],
    "contradictions": [(0, 1, "same"), (1, 0, "different")],
    "the same twice": [(0, 1, "same"), (0, 1, "same")],
}
REFUSED_ANSWERS: dict[str, Any] = {
    "a number": 3,
    "a text": "same",
    "a pair": [(0, 1)],
    "four": [(0, 1, "same", "again")],
    "numbers": [1, 2, 3],
    "None": [None],
    "halves": [(0.5, 1, "same")],
    "floats": [(0.0, 1.0, "same")],
    "texts": [("0", "1", "same")],
    "truths": [(False, True, "same")],
    "negative": [(0, -1, "same")],
    "beyond": [(0, N, "same")],
    "huge": [(0, 10**30, "same")],
    "NaN": [(0, NAN, "same")],
    "itself": [(3, 3, "same")],
    "a wrong word": [(0, 1, "maybe")],
    "a wrong number": [(0, 1, 2)],
    "a list for an answer": [(0, 1, ["same"])],
    "an array for an answer": [(0, 1, np.array([1, 0]))],
    "NA for an answer": [(0, 1, pd.NA)],
    "an answer without a question": [Answer(None, Verdict.SAME)],  # type: ignore[arg-type]
    "an answer without a verdict": [Answer(Question(0, 1), "maybe")],  # type: ignore[arg-type]
    "an answer beyond": [Answer(Question(0, N), Verdict.SAME)],
    "an answer of halves": [Answer(Question(0, 1.5), Verdict.SAME)],  # type: ignore[arg-type]
    "an answer that came about by an object": [
        Answer(Question(0, 1), Verdict.SAME, how=object())  # type: ignore[arg-type]
    ],
}
TAKEN_CLASSES: dict[str, Any] = {
    "a mapping": {0: "oak", 1: "oak", 4: "elm"},
    "a mapping of numpy's": {np.uint64(0): "oak", np.int8(1): "oak"},
    "a list": [*"aab", *[None] * (N - 3)],
    "an array": Y,
    "floats and NaN": np.where(Y == 0, NAN, Y),
    "a series": pd.Series(Y),
    "a series of categories": pd.Series(Y).astype("category"),
    "NA": pd.Series([1, 1, *[pd.NA] * (N - 2)], dtype="Int64"),
    "a mapping of nothing": {},
    "all missing": [None] * N,
    "not a time": [np.datetime64("NaT"), *"aab", *[None] * (N - 4)],
}
REFUSED_CLASSES: dict[str, Any] = {
    "a number": 3,
    "a text": "a" * N,
    "too few": [0, 1],
    "too many": [0] * (N + 1),
    "two dimensions": np.zeros((N, 2)),
    "lists": [[0]] * N,
    "a mapping of halves": {0.5: "oak"},
    "a mapping of texts": {"0": "oak"},
    "a mapping of truths": {True: "oak"},
    "a mapping beyond": {0: "oak", N: "oak"},
    "a mapping below": {0: "oak", -1: "oak"},
    "a mapping to lists": {0: ["oak"], 1: ["elm"]},
    "one beyond, alone": {N: "oak"},
}


def starts() -> Iterator[Call]:
    for name, given in TAKEN_ANSWERS.items():
        given = list(given) if name == "a generator" else given
        yield Call(
            f"answers: {name}",
            lambda g=given, n=name: begun(answers=iter(g) if n == "a generator" else g),
        )
    for name, given in REFUSED_ANSWERS.items():
        yield Call(f"answers: {name}", lambda g=given: Session(X, answers=g), False)
    for name, given in TAKEN_CLASSES.items():
        yield Call(f"known: {name}", lambda g=given: begun(known=g))
    for name, given in REFUSED_CLASSES.items():
        yield Call(f"known: {name}", lambda g=given: Session(X, known=g), False)
    yield Call(
        "fit answers: nonsense", lambda: fitted(answers=[(0, 99, "same")]), False
    )


def journals() -> Iterator[Call]:
    told = partial(Told)
    good = Answer(Question(0, 1), Verdict.SAME, 1)
    for name, events, is_taken in (
        ("answers", [told((good,))], True),
        ("a sample beyond", [told((replace(good, question=Question(0, N)),))], False),
        ("a sample below", [told((replace(good, question=Question(-1, 1)),))], False),
        ("itself", [told((replace(good, question=Question(1, 1)),))], False),
        ("aside beyond", [SetAside(N)], False),
        ("a name beyond", [Renamed(N, "oak")], False),
        ("a name for a float", [Renamed(0.5, "oak")], False),  # type: ignore[arg-type]
        ("no events", [None], False),
        ("a text", "told", False),
    ):
        yield Call(
            f"journal: {name}",
            lambda e=events: begun(journal=MemoryJournal(e)),
            is_taken,
        )


# Acts

SAMPLES = {**WHOLE, "too large": N, "huge": 10**30, "None": None}
VERDICTS: dict[str, tuple[Any, bool]] = {
    "a word": ("same", True),
    "a loud word": (" SAME ", True),
    "a verdict": (Verdict.SAME, True),
    "a truth": (True, True),
    "numpy's truth": (np.True_, True),
    "one": (1, True),
    "numpy's one": (np.int64(1), True),
    "nobody can tell": (None, True),
    "two": (2, False),
    "minus one": (-1, False),
    "NaN": (NAN, False),
    "empty": ("", False),
    "another word": ("maybe", False),
    "a list": (["same"], False),
    "two truths": (np.array([True, False]), False),
    "NA": (pd.NA, False),
    "a frame": (FRAME, False),
    "an object": (object(), False),
    "bytes": (b"same", False),
    "a surrogate": ("\ud800", False),
}
QUESTIONS: dict[str, Any] = {
    "None": None,
    "a pair": (2, 3),
    "a number": 3,
    "a text": "2 and 3",
    "an answer": Answer(Question(2, 3), Verdict.SAME),
    "itself": Question(3, 3),
    "beyond": Question(2, N),
    "below": Question(-1, 2),
    "halves": Question(2.5, 3),  # type: ignore[arg-type]
    "floats": Question(2.0, 3.0),  # type: ignore[arg-type]
    "texts": Question("2", "3"),  # type: ignore[arg-type]
    "truths": Question(False, True),
    "lists": Question([2], [3]),  # type: ignore[arg-type]
    "a wrong prediction": Question(2, 3, "likely"),  # type: ignore[arg-type]
    "a prediction of NaN": Question(2, 3, Prediction(NAN)),
    "a prediction above one": Question(2, 3, Prediction(2.0)),
    "a prediction of infinity": Question(2, 3, Prediction(0.5, aux=INF)),
    "a prediction of a text": Question(2, 3, Prediction("x")),  # type: ignore[arg-type]
    "a prediction of no kind": Question(2, 3, Prediction(0.5, None)),  # type: ignore[arg-type]
    "a prediction that means nobody": Question(2, 3, Prediction(0.5, if_different=N)),
    "a prediction that means less": Question(2, 3, Prediction(0.5, if_different=-9)),
}
BAD_NAMES: dict[str, Any] = {
    "a surrogate": "\ud800",
    "half a pair": "oak \udfff",
    "an escape": "\x1b[2J",
    "a null": "o\x00k",
    "a line": "oak\nelm",
    "a tab": "oak\telm",
    "delete": "oak\x7f",
    "a control of 8 bits": "oak\x9b2J",
    "a turn of direction": "oak\u202egnp.exe",
    "an isolate": "oak\u2066elm",
    "a zero width": "oa\u200bk",
    "a mark at the start": "\ufeffoak",
    "a line separator": "oak\u2028elm",
    "a joiner at the end": "oak\u200d",
    "two joiners": "a\u200d\u200db",
    "nothing to be seen": "\u3164",
    "a tag": "oak\U000e0041",
    "no sign": "\uffff",
    "too long": "x" * 201,
    "a number": 3,
    "None": None,
    "bytes": b"oak",
    "a list": ["oak"],
}
GOOD_NAMES = {
    "plain": "oak",
    "empty": "",
    "long": "x" * 200,
    "trimmed": "  oak ",
    "composed": "e\u0301tude",
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Hindi": "\u0915\u094d\u200d\u0937",
    "a family": "\U0001f469\u200d\U0001f467",
    "a heart": "\u2764\ufe0f",
    "Hebrew": "\u05d0\u05dc\u05d5\u05df",
    "a formula": "=1+1",
    "a private sign": "\ue000",
    "Malayalam": "\u0d05\u0d35\u0d28\u0d4d\u200d",
}


def on_samples(name: str, act: Callable[[Session, Any], object]) -> Iterator[Call]:
    for which, number in {"numpy's": np.int64(2), "unsigned": np.uint64(2)}.items():
        yield Call(f"{name}: {which}", lambda n=number: acted(lambda s: act(s, n)))
    for which, number in SAMPLES.items():
        yield Call(
            f"{name}: {which}", lambda n=number: refuses_act(lambda s: act(s, n))
        )


def acts() -> Iterator[Call]:
    yield from on_samples("tell_pair", lambda s, i: s.tell_pair(i, 5, "same"))
    yield from on_samples("tell_pair against", lambda s, i: s.tell_pair(5, i, "same"))
    yield from on_samples("tell_group", lambda s, i: s.tell_group(i, 0))
    yield from on_samples("tell_group with", lambda s, i: s.tell_group(5, i))
    yield from on_samples("unlike", lambda s, i: s.tell_group(5, "new", unlike=[i]))
    yield from on_samples("set_aside", lambda s, i: s.set_aside(i))
    yield from on_samples("put_back", lambda s, i: s.put_back(i))
    yield from on_samples("rename of", lambda s, i: s.rename(i, "elm"))
    yield from on_samples("candidates", lambda s, i: s.candidates(i))
    yield from on_samples(
        "revise aside", lambda s, i: s.revise(Revision(aside=(i,), renamed=((i, "a"),)))
    )
    yield from on_samples("number", lambda s, i: s.number(Numbered(((1, i),))))
    for name, (said, is_taken) in VERDICTS.items():
        act = acted if is_taken else refuses_act
        yield Call(
            f"tell: {name}", lambda a=act, v=said: a(lambda s: s.tell(s.ask(), v))
        )
        yield Call(
            f"ahead: {name}", lambda a=act, v=said: a(lambda s: s.ahead(s.ask(), v))
        )
        yield Call(
            f"oracle: {name}",
            lambda a=act, v=said: a(lambda s: list(run(s, lambda i, j: v, 1))),
        )
    for name, question in QUESTIONS.items():
        yield Call(
            f"tell about {name}",
            lambda q=question: refuses_act(lambda s: s.tell(q, "same")),
        )
        for what in ("explain", "ask_besides", "check"):
            yield Call(
                f"{what} {name}",
                lambda q=question, w=what: refuses_act(
                    lambda s: getattr(s, w)(q if w == "explain" else [q])
                ),
            )
        yield Call(
            f"ahead of {name}",
            lambda q=question: refuses_act(lambda s: s.ahead(q, "same")),
        )
    yield Call(
        "tell about numpy's",
        lambda: acted(lambda s: s.tell(Question(np.uint64(2), np.int64(3)), 1)),
    )
    for name, label in BAD_NAMES.items():
        yield Call(
            f"name: {name}", lambda n=label: refuses_act(lambda s: s.rename(0, n))
        )
        yield Call(
            f"revise name: {name}",
            lambda n=label: refuses_act(
                lambda s: s.revise(Revision(renamed=((0, n),)))
            ),
        )
    for name, label in GOOD_NAMES.items():
        yield Call(f"name: {name}", lambda n=label: acted(lambda s: s.rename(0, n)))


def counts() -> Iterator[Call]:
    for name, n in WHOLE.items():
        yield Call(f"ask: {name}", lambda n=n: refuses_act(lambda s: s.ask(n)))
        yield Call(
            f"budget: {name}",
            lambda n=n: refuses_act(lambda s: run(s, LabelOracle(Y), n)),
        )
        yield Call(f"undo: {name}", lambda n=n: refuses_act(lambda s: s.undo(n)))
        yield Call(f"retract: {name}", lambda n=n: refuses_act(lambda s: s.retract(n)))
        yield Call(f"keep: {name}", lambda n=n: refuses_act(lambda s: s.keep(n)))
        yield Call(
            f"fit budget: {name}",
            lambda n=n: fitted(how={"budget": n}, oracle=LabelOracle(Y)),
            is_taken=False,
        )
    yield Call(
        "budget: None", lambda: refuses_act(lambda s: run(s, LabelOracle(Y), None))
    )  # type: ignore[arg-type]
    for n in (0, 1, 3, np.uint64(2), 1000):
        yield Call(f"ask: {n}", lambda n=n: acted(lambda s: s.ask(n)))
    for n in (0, 1, np.int64(2), 1000):
        yield Call(
            f"budget: {n}", lambda n=n: acted(lambda s: list(run(s, LabelOracle(Y), n)))
        )
    for n in (1, np.uint64(2)):
        yield Call(f"retract: {n}", lambda n=n: acted(lambda s: s.retract(n)))
        yield Call(f"keep: {n}", lambda n=n: acted(lambda s: s.keep(n)))
        yield Call(f"undo: {n}", lambda n=n: acted(lambda s: s.undo(n)))
    for n in (0, 99, 10**30):
        yield Call(f"retract: {n}", lambda n=n: refuses_act(lambda s: s.retract(n)))
        yield Call(f"keep: {n}", lambda n=n: refuses_act(lambda s: s.keep(n)))
    yield Call("undo: 99", lambda: refuses_act(lambda s: s.undo(99)))


def orders() -> Iterator[Call]:
    def twice(session: Session) -> None:
        question = session.ask()
        assert question is not None
        session.tell(question, "same")
        session.tell(question, "same")

    def against(session: Session) -> None:
        session.tell_pair(1, 4, "same")

    def all_aside(session: Session) -> None:
        for sample in range(N):
            session.set_aside(sample)

    def undone(session: Session) -> None:
        while session.undo():
            pass
        assert session.undo() is None

    yield Call("tell before ask", lambda: acted(lambda s: s.tell(Question(2, 3), 1)))
    yield Call("tell twice", lambda: acted(twice))
    yield Call("tell the opposite", lambda: refuses_act(against))
    yield Call("all aside", lambda: acted(all_aside))
    yield Call("undo everything", lambda: acted(undone))
    yield Call(
        "on_conflict",
        lambda: refuses_act(lambda s: s.tell(s.ask(), 1, on_conflict="x")),
    )
    yield Call(
        "on_conflict: a list",
        lambda: refuses_act(lambda s: s.tell(s.ask(), 1, on_conflict=["keep"])),
    )
    yield Call(
        "put back twice", lambda: acted(lambda s: (s.put_back(3), s.put_back(3)))
    )
    yield Call("tell_group: old", lambda: refuses_act(lambda s: s.tell_group(3, "old")))
    yield Call("tell_group: new", lambda: acted(lambda s: s.tell_group(8, "new")))
    yield Call(
        "tell_group: a group", lambda: acted(lambda s: s.tell_group(2, s.groups[0]))
    )
    yield Call(
        "unlike: a number",
        lambda: refuses_act(lambda s: s.tell_group(3, "new", unlike=5)),
    )
    yield Call("revise: None", lambda: refuses_act(lambda s: s.revise(None)))
    yield Call("revise: a tuple", lambda: refuses_act(lambda s: s.revise((1, 2))))
    yield Call(
        "revise: an answer that is not there",
        lambda: refuses_act(lambda s: s.revise(Revision(retracted=(99,)))),
    )
    yield Call(
        "revise: answers of numpy's",
        lambda: acted(lambda s: s.revise(Revision(retracted=(np.uint64(1),)))),
    )
    yield Call(
        "revise: an answer beyond",
        lambda: refuses_act(
            lambda s: s.revise(Revision(told=(Answer(Question(0, N), Verdict.SAME),)))
        ),
    )
    yield Call("numbers: None", lambda: refuses_act(lambda s: s.number(None)))
    yield Call(
        "numbers: halves",
        lambda: refuses_act(lambda s: s.number(Numbered(((0.5, 1),)))),
    )
    yield Call(
        "numbers: zero", lambda: refuses_act(lambda s: s.number(Numbered(((0, 1),))))
    )
    yield Call(
        "explain: called", lambda: acted(lambda s: s.explain(s.ask(), ("a", "b")))
    )
    yield Call(
        "explain: called by one",
        lambda: refuses_act(lambda s: s.explain(s.ask(), ("a",))),
    )


def additions() -> Iterator[Call]:
    for name, more in {
        "lists": [[0.0, 1.0]],
        "float32": X[:2].astype(np.float32),
        "sparse": csr(X[:2]),
        "1e300": [[1e300, 0.0]],
        "far": [[1e150, 0.0]],
    }.items():
        yield Call(f"add: {name}", lambda m=more: added(m))
    for name, more in {
        "nothing": None,
        "NaN": [[NAN, 1.0]],
        "one column": [[1.0]],
        "three columns": [[1.0, 2.0, 3.0]],
        "one dimension": [1.0, 2.0],
        "no samples": X[:0],
        "words": [["a", "b"]],
        "masked": np.ma.masked_array(X[:2], X[:2] > -9),
        "a text": "more",
        "a frame of other columns": FRAME.assign(c=1),
    }.items():
        yield Call(f"add: {name}", lambda m=more: refuses_act(lambda s: s.add(m)))
    yield Call("add: a frame to a frame", lambda: added(FRAME[:2], FRAME))
    yield Call(
        "add: an array to a frame of texts",
        lambda: refuses(lambda: Session(TEXTS).add(X[:2])),
    )
    yield Call(
        "add: other columns to a frame",
        lambda: refuses(lambda: Session(FRAME).add(TEXTS[:2])),
    )
    yield Call(
        "add: to a similarity",
        lambda: added(W[:1, :1].repeat(N + 1, 1), W, "precomputed"),
    )
    yield Call(
        "add: too little to a similarity",
        lambda: refuses(lambda: Session(W, affinity="precomputed").add(W[:1])),
    )
    yield Call(
        "add: negative to a similarity",
        lambda: refuses(
            lambda: Session(W, affinity="precomputed").add(-np.ones((1, N + 1)))
        ),
    )


def added(more: Any, data: Any = X, kind: str = "auto") -> None:
    session = Session(data, affinity=kind, n_clusters=3)
    session.tell_pair(0, 1, "same")
    session.add(more)
    assert session.n_samples == N + np.shape(more)[0]
    check(session)


# Sessions in a database


def opened(data: Any = X, url: Any = "memory://", **how: Any) -> None:
    check(Session.open(url, data, **how))


def databases() -> Iterator[Call]:
    for name, url in {
        "None": None,
        "a number": 3,
        "empty": "",
        "a word": "leaves",
        "a web address": "http://127.0.0.1/leaves",
        "no file": "sqlite://",
        "bytes": b"leaves.db",
        "a folder that is not there": "sqlite:////no/such/folder/leaves.db",
        "a null": "lea\x00ves.db",
        "a surrogate": "\ud800.db",
    }.items():
        yield Call(f"open: {name}", lambda u=url: opened(url=u), is_taken=False)
    for name, value in {**WHOLE, "zero": 0, "too many": N + 1}.items():
        yield Call(
            f"open n_clusters: {name}", lambda v=value: opened(n_clusters=v), False
        )
    for name, value in {**WHOLE, **NO_SEEDS}.items():
        yield Call(
            f"open random_state: {name}", lambda v=value: opened(random_state=v), False
        )
    for name, value in SEEDS.items():
        yield Call(f"open random_state: {name}", lambda v=value: opened(random_state=v))
    for name, value in BAD_NAMES.items():
        for what in ("name", "who"):
            yield Call(
                f"open {what}: {name}", lambda w=what, v=value: opened(**{w: v}), False
            )
    yield Call("open name: empty", lambda: opened(name=" "), is_taken=False)
    yield Call("open who: empty", lambda: opened(who=""), is_taken=False)
    yield Call("open name: trimmed", lambda: opened(name=" leaves "))
    for what in ("method", "affinity", "device"):
        for name, value in NAMES.items():
            yield Call(
                f"open {what}: {name}", lambda w=what, v=value: opened(**{w: v}), False
            )
    for name, value in {"a number": 3.0, "None": None, "a text": "now"}.items():
        yield Call(
            f"open clock: {name}", lambda v=value: opened(clock=v), is_taken=False
        )
    yield Call("open: another setting", lambda: opened(colour="red"), is_taken=False)
    yield Call("open: nothing", lambda: opened(None), is_taken=False)
    yield Call("open: NaN", lambda: opened([[NAN]]), is_taken=False)
    yield Call("open: a frame of texts", lambda: opened(TEXTS), is_taken=False)
    yield Call("open: a frame", lambda: opened(FRAME))
    yield Call("open: sparse", lambda: opened(csr()))
    yield Call("open: 1e300", lambda: opened(X * 1e300))
    yield Call("open: masked", lambda: opened(np.ma.masked_array(X, X > 6)), False)
    yield Call("store: another project", lambda: store().project("elm"), is_taken=False)
    yield Call(
        "store: a list to find", lambda: store().project(["elm"]), is_taken=False
    )
    for name, value in BAD_NAMES.items():
        yield Call(
            f"store: {name}", lambda v=value: store().create(v, {}, now=0.0), False
        )


def store() -> Any:
    return storage.open_store("memory://")


# Oracles, measures, and the rest


def rest() -> Iterator[Call]:
    for name, rate in {**WHOLE, "two": 2.0}.items():
        if name in ("a truth", "numpy's truth"):
            continue
        for what in ("error_rate", "unsure_rate"):
            yield Call(
                f"{what}: {name}",
                lambda w=what, r=rate: LabelOracle(Y, **{w: r}),
                False,
            )
    for name, seed in {**WHOLE, **NO_SEEDS}.items():
        yield Call(f"oracle seed: {name}", lambda s=seed: LabelOracle(Y, seed=s), False)
    for name, labels in {
        "None": None,
        "a number": 3,
        "a text": "abc",
        "two dimensions": np.zeros((3, 2)),
        "other lengths": [[1], [1, 2]],
        "masked": np.ma.masked_array([1, 2], [True, False]),
    }.items():
        yield Call(f"labels: {name}", lambda v=labels: LabelOracle(v), is_taken=False)
    for name, labels in {
        "a list": [*"aaaabbbbcccc"],
        "a series": pd.Series(Y),
        "mixed": [1, "a"] * 6,
        "a masked array": np.ma.masked_array(Y),
        "a longer one": [*Y, 0, 0],
    }.items():
        yield Call(
            f"labels: {name}",
            lambda v=labels: acted(lambda s: list(run(s, LabelOracle(v), 3))),
        )
    yield Call(
        "labels: too few",
        lambda: refuses(lambda: list(run(Session(X), LabelOracle([0]), 3))),
    )
    yield Call(
        "oracle about nothing", lambda: LabelOracle(Y)(Question(0, N)), is_taken=False
    )
    yield Call("oracle about None", lambda: LabelOracle(Y)(None), is_taken=False)  # type: ignore[arg-type]
    for name, value in NAMES.items():
        yield Call(
            f"function: {name}", lambda v=value: FunctionOracle(v), is_taken=False
        )
        yield Call(f"run: {name}", lambda v=value: refuses_act(lambda s: run(s, v, 3)))
        yield Call(
            f"run on {name}", lambda v=value: run(v, LabelOracle(Y), 3), is_taken=False
        )
        if value is not None:
            yield Call(f"fit oracle: {name}", lambda v=value: fitted(oracle=v), False)
        yield Call(
            f"data set: {name}", lambda v=value: datasets.load(v), is_taken=False
        )
        if isinstance(value, str | int | float | list):
            yield Call(
                f"encoder: {name}",
                lambda v=value: encoders.encoder_for("text", v),
                is_taken=False,
            )
        yield Call(
            f"kind of things: {name}", lambda v=value: encoders.encoder_for(v), False
        )
        yield Call(
            f"export: {name}", lambda v=value: table_chunks(v, iter(())), is_taken=False
        )
        yield Call(f"method to find: {name}", lambda v=value: METHODS.find(v), False)
    yield Call("export of an empty project", lambda: exported(), is_taken=False)
    for measure in (jaccard, v_measure, experiments.ari):
        what = measure.__name__
        yield Call(f"{what}: lists", lambda m=measure: between(m([0, 0, 1], [1, 1, 0])))
        yield Call(f"{what}: words", lambda m=measure: between(m(["a", "b"], [0, 1])))
        yield Call(f"{what}: one", lambda m=measure: between(m([0], [0])))
        yield Call(f"{what}: mixed", lambda m=measure: between(m([0, "a"], [0, 1])))
        for name, pair in {
            "other lengths": ([0, 1], [0]),
            "None": (None, None),
            "a number": (3, 3),
            "two dimensions": (np.zeros((2, 2)), np.zeros((2, 2))),
            "ragged": ([[1], [1, 2]], [0, 1]),
            "empty": ([], []),
            "NaN": ([NAN, 1.0], [0, 1]),
            "objects": ([object(), {}], [0, 1]),
            "masked": (np.ma.masked_array([0, 1], [True, False]), [0, 1]),
        }.items():
            yield Call(
                f"{what}: {name}", lambda m=measure, p=pair: m(*p), is_taken=False
            )


def between(score: float) -> None:
    assert -1 <= score <= 1


def exported() -> object:
    project = store().create("leaves", {}, now=0.0)
    return b"".join(export_chunks("csv", project, session_of(project)))


TABLE = (
    samples, numbers, named, similarities, starts, journals, acts, counts, orders,
    additions, databases, rest,
)  # fmt: skip
CALLS = [call for part in TABLE for call in part()]


@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
@pytest.mark.filterwarnings(f"ignore::{__name__}.AssumptionWarning")
def test_a_call_is_taken_rightly_or_refused_in_one_sentence(call: Call) -> None:
    if call.is_taken:
        call.do()
    else:
        refuses(call.do)


def test_the_table_is_long_and_says_each_thing_once() -> None:
    assert len(CALLS) >= 300
    assert len({call.name for call in CALLS}) == len(CALLS)

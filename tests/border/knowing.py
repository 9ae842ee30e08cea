"""Similarities, and what is known from the start."""

# mypy: disable-error-code="arg-type, assignment, misc, call-arg"
# Calls that types forbid are what this is about.

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from tests.border.calls import (
    INF,
    NAN,
    SPARSE,
    WHOLE,
    Call,
    N,
    W,
    X,
    Y,
    begun,
    csr,
    fitted,
)

from likewise import (
    Answer,
    Question,
    Session,
    Verdict,
    affinity,
)
from likewise.knowledge import (
    MemoryJournal,
    Renamed,
    SetAside,
    Told,
)

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
        data = W if name in affinity.PAIRWISE else np.abs(X)
        yield Call(f"affinity: {name}", lambda n=name, d=data: begun(d, affinity=n))
        if name not in affinity.PAIRWISE:
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


def precomputed() -> Iterator[Call]:
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


def kernels() -> Iterator[Call]:
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
        lambda: begun(["oak", "elm", "ash"], affinity=lambda _: np.ones((3, 3))),
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
    "an answer without a question": [Answer(None, Verdict.SAME)],
    "an answer without a verdict": [Answer(Question(0, 1), "maybe")],
    "an answer beyond": [Answer(Question(0, N), Verdict.SAME)],
    "an answer of halves": [Answer(Question(0, 1.5), Verdict.SAME)],
    "an answer that came about by an object": [
        Answer(Question(0, 1), Verdict.SAME, how=object())
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
        ("a name for a float", [Renamed(0.5, "oak")], False),
        ("no events", [None], False),
        ("a text", "told", False),
    ):
        yield Call(
            f"journal: {name}",
            lambda e=events: begun(journal=MemoryJournal(e)),
            is_taken,
        )


PARTS = (similarities, precomputed, kernels, starts, journals)

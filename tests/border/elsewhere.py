"""Sessions in a database, oracles, measures, and what else is public."""

# mypy: disable-error-code="arg-type, assignment, misc, call-arg"
# Calls that types forbid are what this is about.

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from tests.border.calls import (
    BAD_NAMES,
    FRAME,
    NAMES,
    NAN,
    NO_SEEDS,
    SEEDS,
    TEXTS,
    WHOLE,
    Call,
    N,
    X,
    Y,
    acted,
    check,
    csr,
    fitted,
    refuses,
    refuses_act,
    store,
)

from likewise import (
    METHODS,
    FunctionOracle,
    LabelOracle,
    Question,
    Session,
    datasets,
    encoders,
    experiments,
    jaccard,
    run,
    v_measure,
)
from likewise.exports import export_chunks, session_of, table_chunks

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


def kept() -> Iterator[Call]:
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


# Oracles, measures, and the rest


def oracles() -> Iterator[Call]:
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


def classes() -> Iterator[Call]:
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
    yield Call("oracle about None", lambda: LabelOracle(Y)(None), is_taken=False)


def by_name() -> Iterator[Call]:
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


def measures() -> Iterator[Call]:
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


PARTS = (databases, kept, oracles, classes, by_name, measures)

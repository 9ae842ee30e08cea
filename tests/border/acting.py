"""What is done to a session, and in which order."""

# mypy: disable-error-code="arg-type, assignment, misc, call-arg"
# Calls that types forbid are what this is about.

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from tests.border.calls import (
    BAD_NAMES,
    FRAME,
    GOOD_NAMES,
    INF,
    NAN,
    TEXTS,
    WHOLE,
    Call,
    N,
    W,
    X,
    Y,
    acted,
    check,
    csr,
    fitted,
    refuses,
    refuses_act,
)

from likewise import (
    Answer,
    LabelOracle,
    Overview,
    Question,
    Session,
    Sheet,
    Verdict,
    run,
)
from likewise.knowledge import (
    Numbered,
    Prediction,
)
from likewise.session import Revision

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
    "halves": Question(2.5, 3),
    "floats": Question(2.0, 3.0),
    "texts": Question("2", "3"),
    "truths": Question(False, True),
    "lists": Question([2], [3]),
    "a wrong prediction": Question(2, 3, "likely"),
    "a prediction of NaN": Question(2, 3, Prediction(NAN)),
    "a prediction above one": Question(2, 3, Prediction(2.0)),
    "a prediction of infinity": Question(2, 3, Prediction(0.5, aux=INF)),
    "a prediction of a text": Question(2, 3, Prediction("x")),
    "a prediction of no kind": Question(2, 3, Prediction(0.5, None)),
    "a prediction that means nobody": Question(2, 3, Prediction(0.5, if_different=N)),
    "a prediction that means less": Question(2, 3, Prediction(0.5, if_different=-9)),
}


SHEET = Sheet((7,), (Question(2, 7), Question(3, 7)))
OVERVIEW = Overview((Question(2, 7), Question(3, 7), Question(3, 2)))
OTHERS: dict[str, Any] = {
    "None": None,
    "a question": Question(2, 7),
    "a list": [2, 3],
    "an item beyond": Sheet((7,), (Question(N, 7),)),
    "a half": Sheet((7,), (Question(2.5, 7),)),
}


def on_screens() -> Iterator[Call]:
    for name, sheet in OTHERS.items():
        yield Call(
            f"tell_sheet: {name}",
            lambda s=sheet: refuses_act(lambda session: session.tell_sheet(s)),
        )
    for name in ("None", "a question", "a list", "an item beyond"):
        yield Call(
            f"tell_overview: {name}",
            lambda s=OTHERS[name]: refuses_act(
                lambda session: session.tell_overview(s)
            ),
        )
    yield Call("tell_sheet", lambda: acted(lambda s: s.tell_sheet(SHEET, [2])))
    yield Call("tell_overview", lambda: acted(lambda s: s.tell_overview(OVERVIEW)))


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
    yield from on_samples("candidates", lambda s, i: s.candidates([i]))
    yield from on_samples("unlike them", lambda s, i: s.candidates(5, unlike=[i]))
    yield from on_samples("tapped", lambda s, i: s.tell_sheet(SHEET, tapped=[i]))
    yield from on_samples("unsure", lambda s, i: s.tell_sheet(SHEET, unsure=[i]))
    yield from on_samples("same", lambda s, i: s.tell_overview(OVERVIEW, [[i, 7]]))
    yield from on_screens()
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
            lambda a=act, v=said: a(lambda s: list(run(s, lambda *_: v, 1))),
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
    )
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
    yield Call("put back what was here", lambda: acted(lambda s: s.put_back(3)))
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


PARTS = (acts, counts, orders, additions)

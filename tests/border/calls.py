"""One call, what is expected of it, and what is handed in by mistake."""

# mypy: disable-error-code="arg-type, assignment, misc, call-arg"
# Calls that types forbid are what this is about.

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from likewise import (
    ActiveClustering,
    Question,
    Session,
    storage,
)
from likewise.errors import LikewiseError
from likewise.exports import samples_of
from likewise.knowledge import (
    MemoryJournal,
    decode,
    encode,
)

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


def csr(values: Any = X, **parts: Any) -> Any:
    made = sp.csr_array(values)
    for name, part in parts.items():
        setattr(made, name, part)
    return made


SPARSE = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
FRAME = pd.DataFrame(X, columns=["a", "b"])
TEXTS = FRAME.assign(kind=["oak", "elm"] * 6)

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


def store() -> Any:
    return storage.open_store("memory://")

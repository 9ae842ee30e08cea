"""A store with many items reads and writes no more than is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event

from likewise import InputError
from likewise.storage import Item, Trace, open_store
from likewise.storage.sql import _store as items_
from likewise.storage.sql import _store as sql_
from likewise.storage.sql._store import SqlProject


@pytest.fixture
def project(tmp_path: Path) -> SqlProject:
    made = open_store(tmp_path / "pile.db").create("pile", {}, now=0.0)
    assert isinstance(made, SqlProject)
    return made


def numbered(n: int, start: int = 0) -> Iterator[Item]:
    for at in range(start, n):
        yield Item(str(at), "row", f"digest {at}", {"x": at})


@contextmanager
def statements(project: SqlProject) -> Iterator[list[str]]:
    """Give what the database is told meanwhile."""
    told: list[str] = []

    def listen(*said: object) -> None:
        told.append(str(said[2]))

    engine = project._database.engine
    event.listen(engine, "before_cursor_execute", listen)
    yield told
    event.remove(engine, "before_cursor_execute", listen)


def test_items_are_added_some_at_a_time(
    project: SqlProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items_, "AT_ONCE", 10)
    with statements(project) as told:
        added = project.add_items(numbered(35))

    assert added == range(35)
    assert project.items() == tuple(numbered(35))
    assert sum(said.startswith("INSERT INTO item") for said in told) == 4


def test_a_key_that_is_taken_late_leaves_nothing_behind(
    project: SqlProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items_, "AT_ONCE", 10)
    project.add_items(numbered(5))
    late = [*numbered(60, start=5), Item("3", "row")]

    with pytest.raises(InputError, match="'3' already"):
        project.add_items(late)
    assert project.info().n_items == 5


def test_traces_are_read_a_page_at_a_time(
    project: SqlProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_, "PAGE", 10)
    project.add_items(numbered(35))

    with statements(project) as told:
        traces = project.traces()
        first = next(traces)
        n_begun = sum("FROM item" in said and "digest" in said for said in told)
        rest = list(traces)

    assert first == Trace("0", "digest 0", "here")
    assert n_begun == 1
    assert [trace.key for trace in rest] == [str(at) for at in range(1, 35)]


def test_of_many_positions_some_are_named_at_once(
    project: SqlProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items_, "N_NAMED", 10)
    project.add_items(numbered(100))
    wanted = range(0, 200, 4)

    found = project.items_at(wanted)

    assert sorted(found) == list(range(0, 100, 4))
    assert all(item.key == str(at) for at, item in found.items())


def test_to_count_items_is_to_look_at_the_last_one(project: SqlProject) -> None:
    project.add_items(numbered(7))
    with statements(project) as told:
        assert project.info().n_items == 7

    assert not any("count(" in said for said in told)


def test_blocks_of_an_array_that_are_the_same_are_not_written_again(
    project: SqlProject,
) -> None:
    X = np.arange(30_000.0).reshape(10_000, 3)
    project.put_array("features", X)
    changed = X.copy()
    changed[9_000] = -1.0

    with statements(project) as told:
        project.put_array("features", changed)

    assert sum(said.startswith("INSERT INTO array_block") for said in told) == 1
    np.testing.assert_array_equal(project.array("features"), changed)


def test_a_shorter_array_leaves_no_rows_of_the_longer_one(project: SqlProject) -> None:
    X = np.arange(30_000.0).reshape(10_000, 3)
    project.put_array("features", X)
    project.put_array("features", X[:4096])

    assert project.n_rows("features") == 4096
    np.testing.assert_array_equal(project.array("features"), X[:4096])

"""Many items: pages read what they show, and are those of a look at everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from tests.app.places import Served, answered, path_source, rows_source, served
from tests.problems import Tiny, blobs

from likewise import Answer, Question, Session
from likewise._arrays import Floats, Indices
from likewise.app import Preparation, _snapshot
from likewise.app._preparing import ALIKE
from likewise.app._project import moved_between
from likewise.app._schemas import Preparing
from likewise.app._snapshot import Display, ItemCache, Snapshot
from likewise.app.groups._presenter import PER_PAGE
from likewise.exports import _tables as tables_
from likewise.exports import export_chunks
from likewise.items import _gather as gather_
from likewise.knowledge import Knowledge
from likewise.methods import Method
from likewise.methods._base import Chances, Expectation
from likewise.session import Numbers
from likewise.storage import Item, MemoryStore, open_store
from likewise.storage.sql import _store as sql_
from likewise.storage.sql._store import SqlProject

N_LARGE = 400
UNKNOWN = (False, 0.5, (0.0, 1.0), (None, None))  # whether to stop, what is right


# A method whose clusters are given


@dataclass(frozen=True)
class Given:
    """Clusters as somebody wants them."""

    known: Knowledge
    labels: Indices
    confidence: Floats

    @property
    def expectation(self) -> Expectation:
        return Expectation(0.5, 0.0, 0, *UNKNOWN)

    def chances(self, _: int) -> Chances:
        return Chances((), 1.0)


def given_clusters(labels: Any, sure: Any) -> Method[Given]:
    def begin(_: Any, known: Knowledge, __: Any) -> Given:
        return Given(known, np.asarray(labels), np.asarray(sure))

    def learn(model: Given, known: Knowledge, _: Answer) -> Given:
        return Given(known, model.labels, model.confidence)

    def propose(_: Given, known: Knowledge, *__: Any) -> Question:
        i = len(known.answers)
        return Question(i, i + 1)

    return Method("given", "As it is.", begin, learn, propose)


def ones(X: Any) -> Any:
    return np.ones((len(X), len(X)))


@pytest.fixture
def large(tmp_path: Path) -> Served:
    """Four hundred rows of two groups, in a database."""
    rng = np.random.default_rng(0)
    tiny = Tiny(rng.normal(size=(N_LARGE, 2)), rng.integers(2, size=N_LARGE))
    method = given_clusters(tiny.truth, rng.random(N_LARGE))
    project = open_store(tmp_path / "pile.db").create(
        "pile", {"screens": "pairs"}, now=0.0
    )
    options = {"method": method, "affinity": ones}
    here = served(tmp_path, rows_source(tiny), project=project, options=options)
    return here.prepared()


@contextmanager
def statements(here: Served) -> Iterator[list[tuple[str, Any]]]:
    """Give what the database is told meanwhile, and with which values."""
    assert isinstance(here.project, SqlProject)
    engine, told = here.project._database.engine, []

    def listen(*said: Any) -> None:
        told.append((said[2], said[3]))

    event.listen(engine, "before_cursor_execute", listen)
    yield told
    event.remove(engine, "before_cursor_execute", listen)


def n_items_read(told: list[tuple[str, Any]]) -> int:
    """Return how many items were asked for; each must have been named."""
    reading = [(said, values) for said, values in told if "FROM item" in said]
    shown = [values for said, values in reading if "item.shown" in said]
    assert all("item.position IN" in said for said, _ in reading if "shown" in said)
    return sum(len(values) - 1 for values in shown)  # the first one is the project


# Pages


@pytest.mark.parametrize(
    ("address", "most"),
    [
        ("/api/groups/{item}?start=120", PER_PAGE + 8),
        ("/api/items?which=not-placed&start=240", PER_PAGE),
        ("/api/groups?members=12", 24),
        ("/api/state", 2),
    ],
)
def test_a_page_reads_the_items_that_it_shows(
    large: Served, address: str, most: int
) -> None:
    browser = large.seat()
    item = large.now.anchor(0)
    with statements(large) as told:
        first = browser.get(address.format(item=item))
    with statements(large) as again:
        second = browser.get(address.format(item=item))

    assert first.status_code == 200
    assert first.json() == second.json()
    assert 0 < n_items_read(told) <= most
    assert n_items_read(again) == 0


def test_the_items_of_all_groups_are_read_at_once(large: Served) -> None:
    with statements(large) as told:
        found = large.seat().get("/api/groups?members=12").json()["groups"]

    assert len(found) > 1
    assert sum("item.shown" in said for said, _ in told) == 1


def test_all_pages_together_are_the_group(large: Served) -> None:
    browser, item = large.seat(), large.now.anchor(1)
    seen: list[int] = []
    for start in range(0, N_LARGE, PER_PAGE):
        page = browser.get(f"/api/groups/{item}?start={start}").json()
        seen += [card["item"] for card in page["items"]]

    found = large.now
    members = np.flatnonzero(found.labels == 1)
    assert seen == members[np.argsort(found.sure[members])].tolist()


def looked_at(session: Session) -> Snapshot:
    return Snapshot(
        view=session.view,
        acts=(),
        standing=session.acts,
        names=session.names,
        kept=session.kept,
        weights=session.weights,
        neighbours=session.neighbours,
        features=session.features,
        before=Numbers(),
        moved=0,
        n_screens=0,
        display=Display("pile", "row", "Same?", "Numbers.", hints=False, checks=0),
        items=lambda _: [],
    )


@given(st.data())
def test_orders_are_those_of_a_look_at_everything(data: st.DataObject) -> None:
    n = 12
    chance = st.sampled_from([0.1, 0.5, 0.7, 0.9])
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    sure = data.draw(st.lists(chance, min_size=n, max_size=n))
    session = Session(np.zeros((n, 1)), given_clusters(labels, sure), affinity=ones)
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    for i, j in data.draw(st.lists(pair.filter(lambda p: p[0] != p[1]), max_size=4)):
        verdict = "same" if labels[i] == labels[j] else "unsure"
        session.tell_pair(i, j, verdict)
    for sample in data.draw(st.sets(st.integers(0, n - 1), max_size=2)):
        session.set_aside(sample)
    found = looked_at(session)

    inside = [i for i in range(n) if found.labels[i] >= 0]
    known = {i for i in inside if found.confirmed[i]}
    for label in found.clusters:
        here = [i for i in inside if found.labels[i] == label]
        unsure = sorted(here, key=lambda i: (i in known, i in known or sure[i], i))
        typical = sorted(here, key=lambda i: (i not in known, i in known or -sure[i]))
        assert found.order(label).tolist() == unsure
        for count in (1, 3, n):
            assert found.typical(label, count) == typical[:count]
        assert found.order(label, typical_first=True).tolist() == typical
        assert found.size(label) == len(here)
        assert found.n_confirmed(label) == len(known & set(here))
        assert found.n_unsure(label) == sum(sure[i] < 0.8 for i in {*here} - known)
    rest = [i for i in inside if i not in known and i not in found.statuses.deferred]
    assert found.guessed.tolist() == sorted(rest, key=lambda i: sure[i])
    assert found.n_guessed == len(rest)


labels_before_and_after = st.lists(
    st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1
)


@given(labels_before_and_after)
def test_moved_items_are_those_that_left_most_of_the_others(
    both: list[tuple[int, int]],
) -> None:
    before, after = (np.array(column) for column in zip(*both, strict=True))
    stayed: dict[int, int] = {}
    for (old, _), count in Counter(both).items():
        stayed[old] = max(stayed.get(old, 0), count)

    assert moved_between(before, after) == len(both) - sum(stayed.values())


# Opening


class Told(Preparation):
    """A preparation that remembers what it has said."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.said: list[Preparing] = []

    def _watch(self, done: int, total: int, note: str) -> None:
        super()._watch(done, total, note)
        self.said.append(self.status)


def test_every_stage_is_told_with_how_far_it_is(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", blobs((30, 30)).X)
    source = path_source(tmp_path / "X.npy", tmp_path / "v")
    project = MemoryStore().create("pile", {"screens": "pairs"}, now=0.0)
    preparation = Told(project, source, lambda: 0.0, {"method": "likewise"})

    preparation.prepare()

    stages = list(dict.fromkeys(status.stage for status in preparation.said))
    assert len(stages) == 6
    assert stages[0] == "Looking through the files"
    assert any(s.stage == ALIKE and s.done == s.total > 1 for s in preparation.said)
    assert all(0 <= s.done <= s.total for s in preparation.said)


def test_an_unchanged_pile_is_opened_without_writing(large: Served) -> None:
    with statements(large) as told:
        large.restarted()

    writing = ("INSERT", "UPDATE", "DELETE")
    assert [said for said, _ in told if said.startswith(writing)] == []
    assert not any("item.shown" in said for said, _ in told)


def test_rows_of_a_long_array_show_their_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather_, "EXACT_SEARCH", 5)
    X = blobs((4, 4)).X
    np.save(tmp_path / "X.npy", X)
    here = served(tmp_path, path_source(tmp_path / "X.npy", tmp_path / "v")).prepared()

    (card,) = here.now.cards([5])
    assert [(c.name, c.value) for c in card.columns] == [
        ("feature 0", f"{X[5, 0]:.4g}"),
        ("feature 1", f"{X[5, 1]:.4g}"),
    ]
    np.save(tmp_path / "X.npy", X[:5])
    (gone,) = here.restarted().now.cards([5])
    assert (gone.status, gone.columns) == ("gone", [])


def test_a_longer_array_keeps_its_answers(tmp_path: Path) -> None:
    X = blobs((6, 6)).X
    np.save(tmp_path / "X.npy", X[:10])
    here = served(tmp_path, path_source(tmp_path / "X.npy", tmp_path / "v")).prepared()
    answered(here.seat(), "different")
    said = here.session.history
    np.save(tmp_path / "X.npy", X)

    again = here.restarted()

    assert again.session.history == said
    np.testing.assert_array_equal(again.project.array("features"), X)
    assert [item.key for item in again.project.items(9)] == ["10", "11", "12"]


# Items that are kept


def test_what_was_looked_at_lately_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_snapshot, "MANY", 3)
    project = MemoryStore().create("pile", {"screens": "pairs"}, now=0.0)
    project.add_items(Item(str(at), "row") for at in range(9))
    kept = ItemCache(project)
    kept.items([0, 1, 2])
    kept.items([0])
    kept.items([5])
    project.mark_all({"0": "gone", "1": "gone"})

    statuses = [item.status for item in kept.items([0, 1])]

    assert statuses == ["here", "gone"]  # the first was kept, the second read again


def test_more_than_are_kept_can_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_snapshot, "MANY", 3)
    project = MemoryStore().create("pile", {"screens": "pairs"}, now=0.0)
    project.add_items(Item(str(at), "row") for at in range(9))

    keys = [item.key for item in ItemCache(project).items([8, 0, 3, 8, 5, 7])]

    assert keys == ["8", "0", "3", "8", "5", "7"]


# Exports


def test_an_export_reads_items_while_it_is_written(
    large: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_, "PAGE", 10)
    monkeypatch.setattr(tables_, "ROWS_A_CHUNK", 10)
    with statements(large) as told:
        chunks = export_chunks("csv", large.project, large.session)
        begun = [next(chunks), next(chunks)]
        n_pages = sum("item.digest" in said for said, _ in told)
        rest = b"".join(chunks)

    assert n_pages == 1
    assert begun[1].count(b"\n") == 10
    assert rest.count(b"\n") == N_LARGE - 10
    assert not any("item.shown" in said for said, _ in told)


def test_an_export_of_answers_reads_the_items_that_they_are_about(
    large: Served,
) -> None:
    answered(large.seat(), "different")
    with statements(large) as told:
        (line,) = b"".join(
            export_chunks("answers", large.project, large.session)
        ).splitlines()

    assert b'"items": {"0": "1", "1": "2"}' in line
    assert n_items_read(told) == 2

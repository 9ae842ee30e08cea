"""Trouble with disks, folders and databases, as the server and its start tell it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.app.killing import rightly
from tests.app.places import Served, answered, new_id, path_source, pile_file, served
from tests.app.processes import NAME, Person, Running, write_table
from tests.e2e.running import warm_context
from tests.problems import blobs
from tests.troubles import NEEDS_LINUX, Unprivileged, postgres, shut

from likewise.cli._places import home_of
from likewise.errors import CacheWarning
from likewise.storage import open_store


@pytest.fixture
def on_disk(tmp_path: Path) -> Iterator[Served]:
    """Twelve rows in three heaps, in a SQLite file."""
    (tmp_path / "project").mkdir()
    store = open_store(tmp_path / "project" / "pile.db")
    yield served(
        tmp_path, project=store.create("pile", {"screens": "pairs"}, now=0.0)
    ).prepared()
    store.close()


def answer(browser: TestClient, state: Any, id_: str) -> Any:
    body = {"question": state["question"]["id"], "verdict": "same", "client_id": id_}
    return browser.post("/api/answer", json=body)


# While it runs


def test_an_answer_is_not_taken_while_the_file_is_away(
    on_disk: Served, tmp_path: Path
) -> None:
    ann, id_ = on_disk.seat(), new_id()
    state = answered(ann, "different")
    away = (tmp_path / "project").rename(tmp_path / "away")

    reply = answer(ann, state, id_)
    assert reply.status_code == 503
    assert "pile.db was moved" in reply.json()["error"]

    away.rename(tmp_path / "project")
    assert answer(ann, state, id_).json()["version"] == 2
    assert answer(ann, state, id_).json()["version"] == 2


def test_a_page_that_cannot_be_drawn_says_why_and_comes_again(
    on_disk: Served, tmp_path: Path
) -> None:
    ann = on_disk.seat()
    ann.get("/api/state")
    (tmp_path / "project").rename(tmp_path / "away")

    reply = ann.get("/", headers={"Accept": "text/html"})

    assert reply.status_code == 503
    assert reply.headers["refresh"] == "3"
    assert "This page tries again by itself." in reply.text
    assert "Content-Security-Policy" in reply.headers


def test_a_database_that_was_away_needs_no_new_server(tmp_path: Path) -> None:
    database = postgres()
    store = open_store(database.new_url())
    project = store.create("pile", {"screens": "pairs"}, now=0.0)
    ann, id_ = served(tmp_path, project=project).prepared().seat(), new_id()
    state = answered(ann, "different")

    with database.away():
        reply = answer(ann, state, id_)
        assert reply.status_code == 503
        assert "see that it runs and can be reached" in reply.json()["error"]
        assert ann.get("/api/state").status_code == 503

    assert ann.get("/api/state").json()["question"] == state["question"]
    assert answer(ann, state, id_).json()["version"] == 2
    store.close()


def test_pictures_that_cannot_be_kept_are_made_each_time(pictures: Served) -> None:
    (pictures.folder / "thumbs").write_text("where a folder should be")
    thumb = pictures.seat().get("/api/state").json()["question"]["sample"]["thumb"]

    replies = [pictures.seat().get(thumb) for _ in range(2)]

    assert [reply.status_code for reply in replies] == [200, 200]
    assert replies[0].content == replies[1].content


def test_a_picture_that_a_crash_has_emptied_is_made_again(pictures: Served) -> None:
    thumb = pictures.seat().get("/api/state").json()["question"]["sample"]["thumb"]
    made = pictures.seat().get(thumb).content
    for kept in (pictures.folder / "thumbs").rglob("*.jpg"):
        kept.write_bytes(b"")

    assert pictures.seat().get(thumb).content == made


def test_a_pile_whose_vectors_cannot_be_kept_is_sorted_all_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "vectors").write_text("where a folder should be")
    pile = path_source(pile_file("image", tmp_path), tmp_path / "vectors")

    with pytest.warns(CacheWarning, match=r"cannot be kept in .*next start takes"):
        ann = served(tmp_path, pile).prepared().seat()

    assert answered(ann, "different")["version"] == 1


# At the start


def start(folder: Path, *words: str) -> tuple[int | None, str]:
    """Run ``likewise app`` on a table as somebody whom permissions bind.

    Returns
    -------
    code : int
        With which it ended.
    said : str
    """
    command = ["likewise", "app", str(folder / "table.csv"), *words, "--port", "0"]
    command += ["--columns", "guessed"]
    said = folder / "said.txt"
    context: Any = Unprivileged(warm_context())
    process = context.Process(_main, (command, folder / "home", said))
    process.start()
    process.join()
    return process.exitcode, said.read_text()


def _main(command: list[str], home: Path, said: Path) -> None:
    from likewise.cli import main

    os.environ["LIKEWISE_HOME"] = str(home)
    sys.argv = [*command, "--no-browser"]
    sys.stderr = said.open("w", buffering=1)
    main()


def refused(ran: tuple[int | None, str], *words: str) -> None:
    code, said = ran
    last = said.splitlines()[-1]
    assert code == 2, said
    assert "Traceback" not in said
    assert last.startswith("likewise: ")
    for part in words:
        assert part in last


@NEEDS_LINUX
@pytest.mark.parametrize("is_new", [False, True])
def test_a_folder_that_is_shut_is_told_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    write_table(tmp_path, blobs((4, 4)))
    monkeypatch.setenv("LIKEWISE_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    if not is_new:
        open_store(home_of(tmp_path / "table.csv") / "project.db").close()

    with shut(tmp_path / "home"):
        ran = start(tmp_path)

    refused(ran, str(tmp_path / "home"), "allow writing to")


@NEEDS_LINUX
def test_a_project_that_may_only_be_read_is_told_at_the_start(tmp_path: Path) -> None:
    write_table(tmp_path, blobs((4, 4)))
    file = tmp_path / "project" / "leaves.db"
    file.parent.mkdir()
    open_store(file).close()

    with shut(file.parent):
        ran = start(tmp_path, "--project", str(file))

    refused(ran, str(file), "allow writing to its file and its folder")


# Copies


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    """Somebody whose server was killed after their first answer."""
    write_table(tmp_path, blobs((4, 4, 4)))
    person = Person(Running(tmp_path, "random"))
    person.running.start()
    person.enter()
    person.say(rightly([0] * 12)(person.state(), "first-answer"))
    person.running.kill()
    yield person
    person.running.kill()


def test_a_start_copies_what_was_done_before(person: Person, tmp_path: Path) -> None:
    assert list(tmp_path.glob("*.copy-*")) == []  # nothing was done before

    person.running.start()

    (copy,) = tmp_path.glob("project.copy-*.db")
    store = open_store(copy)
    acts = store.project(NAME).acts()
    store.close()
    assert [act.client_id for act in acts] == ["first-answer"]


def test_a_copy_that_cannot_be_made_is_no_reason_not_to_start(
    person: Person, tmp_path: Path
) -> None:
    (tmp_path / "project.1.unfinished").mkdir()  # cannot be cleared away as a file

    person.running.start()

    assert person.state()["version"] == 1
    assert "cannot be written" in (tmp_path / "stderr.txt").read_text()


# What was acknowledged and is not there


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("no log", "is empty now, but 1 answers were saved in it"),
        ("no file", "is not there, but 1 answers were saved in it"),
        ("no bytes", "is empty now, but 1 answers were saved in it"),
        ("another", "is another database now, but 1 answers were saved in it"),
    ],
)
def test_a_killed_server_never_begins_at_zero(
    person: Person, tmp_path: Path, damage: str, said: str
) -> None:
    file, log = tmp_path / "project.db", tmp_path / "project.db-wal"
    kept = {path: path.read_bytes() for path in (file, log)}
    for path in (file, log, tmp_path / "project.db-shm"):
        if damage != "no log" or path != file:
            path.unlink()
    if damage == "no bytes":
        file.touch()
    elif damage == "another":
        store = open_store(tmp_path / "other.db")
        store.create(NAME, {}, now=9.0)
        store.close()
        (tmp_path / "other.db").rename(file)

    with pytest.raises(AssertionError, match=said):
        person.running.start()

    for path in (file, log, tmp_path / "project.db-shm"):
        path.unlink(missing_ok=True)
    for path, content in kept.items():
        path.write_bytes(content)
    person.running.kill()
    person.running.start()
    assert person.state()["version"] == 1

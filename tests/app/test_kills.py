"""Nothing that was acknowledged is lost, however often the server is killed."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from tests.app.killing import HARMS, SENDING, Killing, Mixed, moments, rightly
from tests.app.processes import NAME, Person, Running, write_table
from tests.problems import Tiny, blobs

from likewise import Session
from likewise._regime import COARSE_FROM
from likewise.knowledge import told_in
from likewise.storage import open_store

CASES = [
    pytest.param("likewise", (8,) * 4, 20, 3, id="some answers"),
    pytest.param("random", (10,) * 8, 200, 25, id="many", marks=pytest.mark.slow),
    pytest.param("likewise", (6,) * 20, 200, 25, id="ours", marks=pytest.mark.slow),
]
PAIRS = {"checks": 0, "screens": "pairs"}


@pytest.mark.parametrize(("method", "sizes", "n_answers", "n_kills"), CASES)
def test_a_killed_server_has_every_acknowledged_answer_and_the_same_question(
    tmp_path: Path,
    seed: int,
    method: str,
    sizes: tuple[int, ...],
    n_answers: int,
    n_kills: int,
) -> None:
    tiny, rng = blobs(sizes, spread=1.5, seed=seed), random.Random(seed)
    write_table(tmp_path, tiny)
    running = Running(tmp_path, method, PAIRS)
    killing = Killing(Person(running), rightly(tiny.truth.tolist()), rng)

    killing.begin()
    doomed = set(rng.sample(range(n_answers), n_kills))
    for at in range(n_answers):
        assert killing.go_on(rng.choice(SENDING) if at in doomed else None)
    running.kill()

    p95 = np.percentile(killing.seconds, 95) * 1000
    print(
        f"{method}: {n_answers} answers, {n_kills} kills, {len(killing.lost)} lost, "
        f"{killing.n_recorded} of those cut off were recorded already; p95 of an "
        f"answer {p95:.0f} ms"
    )
    assert killing.wrong == []
    assert killing.lost == killing.doubled == set()
    assert running.log() == killing.acknowledged
    assert len(killing.acknowledged) == n_answers
    asked = asked_in(tmp_path)
    assert asked == undisturbed(tmp_path / "calm", tiny, method, n_answers)
    n_alike = until_tired(asked)
    assert asked[:n_alike] == asked_alone(tiny, method, n_alike)


def test_acts_of_every_kind_survive_kills_at_any_moment(
    tmp_path: Path, seed: int
) -> None:
    tiny, rng = blobs((8,) * 6, spread=1.5, seed=seed), random.Random(seed)
    write_table(tmp_path, tiny)
    person = Person(Running(tmp_path, "likewise"))
    killing = Killing(person, Mixed(person, tiny.truth.tolist(), rng), rng)

    killing.begin()
    for moment in moments(rng):
        assert killing.go_on(moment)
        if killing.moments.total() == 6:
            break
    person.running.kill()

    assert killing.wrong == []
    assert killing.lost == killing.doubled == set()
    assert person.running.log() == killing.acknowledged


def test_a_damaged_database_never_begins_at_zero(tmp_path: Path, seed: int) -> None:
    """Nor anywhere before the last act that was acknowledged, without a word."""
    tiny, rng = blobs((8,) * 6, spread=1.5, seed=seed), random.Random(seed)
    write_table(tmp_path, tiny)
    running = Running(tmp_path, "likewise")
    person = Person(running)
    killing = Killing(person, rightly(tiny.truth.tolist()), rng)

    killing.begin()
    for kind in (*HARMS, "clock"):
        assert killing.go_on(None)
        killing.harms = (kind,)
        while not killing.harmed[kind]:
            assert killing.go_on("idle")
    running.kill()

    assert killing.silent == killing.wrong == []
    assert killing.lost == killing.doubled == set()
    assert "Traceback" not in running.errors()
    assert running.log() == killing.acknowledged


def asked_in(folder: Path) -> list[tuple[int, int]]:
    """Return the pairs in the log of a project."""
    store = open_store(f"sqlite:///{folder / 'project.db'}")
    events = [act.event for act in store.project(NAME).acts()]
    store.close()
    told = [told_in(event)[0].question for event in events]
    return [(question.sample, question.against) for question in told]


def undisturbed(
    folder: Path, tiny: Tiny, method: str, n_answers: int
) -> list[tuple[int, int]]:
    """Return what is asked when nothing is killed."""
    folder.mkdir()
    write_table(folder, tiny)
    running = Running(folder, method, PAIRS)
    verdict = rightly(tiny.truth.tolist())
    calm = Killing(Person(running), verdict, random.Random(0))
    calm.begin()
    for _ in range(n_answers):
        assert calm.go_on(None)
    running.kill()
    return asked_in(folder)


def until_tired(asked: list[tuple[int, int]]) -> int:
    """Return after how many pairs an item was in three in a row, or how many are."""
    rows = zip(asked, asked[1:], asked[2:], strict=False)
    tiring = (at + 3 for at, row in enumerate(rows) if set.intersection(*map(set, row)))
    return next(tiring, len(asked))


def asked_alone(tiny: Tiny, method: str, n_answers: int) -> list[tuple[int, int]]:
    """Return what a session asks of whom it does not spare."""
    X = (tiny.X - tiny.X.mean(axis=0)) / tiny.X.std(axis=0)
    session, asked = Session(X, method), []
    for _ in range(n_answers):
        question = session.ask()
        assert question is not None
        i, j = question.sample, question.against
        session.tell(question, bool(tiny.truth[i] == tiny.truth[j]))
        asked.append((i, j))
    return asked


def test_a_server_that_is_killed_while_it_compares_has_every_answer(
    tmp_path: Path,
) -> None:
    """Its first questions are about a part of the items; so they are in its journal."""
    tiny = blobs((COARSE_FROM // 2 + 1,) * 2)
    write_table(tmp_path, tiny)
    running = Running(tmp_path, "random", PAIRS)
    person, verdict = Person(running), rightly(tiny.truth.tolist())
    said: list[tuple[str | None, int | None]] = []
    for _ in range(2):
        running.start()
        person.enter()
        state = person.state()
        for _ in range(3):
            act = verdict(state, f"client-{len(said):08}")
            state = person.say(act)
            said.append(act.mark)
        running.kill()

    assert running.log() == said

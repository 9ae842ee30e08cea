"""People answer about a part of the items while all of them are compared."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.app.early import COUNT, EARLY, all_compared, begun_early
from tests.app.places import (
    HOME,
    Served,
    answered,
    new_id,
    painted,
    path_source,
    picture_folder,
    rows_source,
    served,
    truly,
)
from tests.problems import Tiny, blobs

from likewise import METHODS, Question, Session
from likewise._regime import COARSE_AGAIN, COARSE_FROM
from likewise.app._commands import Rename, Reply
from likewise.app._context import COMPARING
from likewise.app._early import is_early, said_early
from likewise.knowledge import Renamed, Told, Verdict, told_in
from likewise.session import coarse_session, is_long
from likewise.storage import MemoryStore, ProjectJournal, open_store

TINY = blobs((20, 20, 20), spread=0.8)


@pytest.fixture
def here(tmp_path: Path) -> Served:
    return begun_early(served(tmp_path, rows_source(TINY)).prepared())


def told(here: Served) -> list[tuple[tuple[int, int], str]]:
    """Return the answers that the project holds."""
    answers = (a for act in here.project.acts() for a in told_in(act.event))
    return [(a.question.pair, a.verdict.value) for a in answers]


def rightly(browser: Any, n: int, tiny: Tiny = TINY) -> Any:
    verdict, state = truly(tiny), browser.get("/api/state").json()
    for _ in range(n):
        state = answered(browser, verdict(state), state)
    return state


def part_of(here: Served) -> set[int]:
    return set(here.session._method.learn.__self__.part.rows.tolist())  # type: ignore[attr-defined]


def test_answers_are_in_the_journal_of_the_project(here: Served) -> None:
    state = rightly(here.seat(), 5)

    assert state["early"] == EARLY
    assert state["n_items"] == 60
    assert state["progress"]["answers"] == 5
    assert len(told(here)) == 5
    assert all(set(pair) <= part_of(here) for pair, _ in told(here))


def test_whoever_takes_over_goes_on_with_all_of_them(here: Served) -> None:
    browser = here.seat()
    rightly(browser, 3)
    full = all_compared(here)
    rightly(browser, 3)
    before = told(here)
    here.service.take_over(full)
    state = browser.get("/api/state").json()

    assert state["early"] == ""
    assert state["progress"]["answers"] == 6
    assert told(here) == before
    assert here.session is full
    again = all_compared(here)
    assert here.session.known == again.known
    assert np.array_equal(here.session.labels, again.labels)


def test_what_is_open_stays_open(here: Served) -> None:
    asked = {who: here.question(who) for who in ("ann", "bob")}
    here.service.take_over(all_compared(here))

    assert all(question is not None for question in asked.values())
    for who, before in asked.items():
        now = here.question(who)
        assert now is not None
        assert before is not None
        assert (now.id, now.question) == (before.id, before.question)
        state = rightly(here.seat(who), 1)
        assert state["question"]["id"] != before.id


def test_two_readers_have_different_items(here: Served) -> None:
    ann, bob = here.question("ann"), here.question("bob")
    assert ann is not None
    assert bob is not None

    assert not ann.clashes(bob)


def test_an_answer_is_undone_after_others_took_over(here: Served) -> None:
    browser = here.seat()
    rightly(browser, 2)
    asked = browser.get("/api/state").json()["question"]
    answered(browser, "same")
    here.service.take_over(all_compared(here))
    state = browser.post("/api/undo", json={"client_id": new_id()}).json()

    assert state["question"]["before"] == "same"
    for side in ("sample", "against"):
        assert state["question"][side]["item"] == asked[side]["item"]
    assert state["progress"]["answers"] == 2


def test_an_act_is_done_once_whoever_asks(here: Served) -> None:
    mine = here.question("ann")
    assert mine is not None
    reply = Reply(client_id=new_id(), question=mine.id, verdict="same")
    here.service.act("ann", reply.client_id, reply)
    here.service.take_over(all_compared(here))
    here.service.act("ann", reply.client_id, reply)

    assert len(told(here)) == 1


def test_answers_that_disagree_are_kept(here: Served) -> None:
    rightly(here.seat(), 4)
    with here.service.hold():
        first = here.service.session.history[0]
        other = Verdict.DIFFERENT if first.verdict is Verdict.SAME else Verdict.SAME
        with here.service.journal.by(author()):
            session = here.service.session
            session.tell(first.question, other, on_conflict="keep")
    here.service.take_over(all_compared(here))

    assert [a.verdict for a in here.session.doubtful] == [other]
    assert here.seat().get("/api/state").json()["disagreements"] == 1


def author() -> Any:
    from likewise.storage import Author

    return Author("bob")


def test_names_and_what_is_set_aside_are_taken_along(here: Served) -> None:
    browser = here.seat()
    rightly(browser, 6)
    aside = browser.get("/api/state").json()["question"]["sample"]["item"]
    browser.post("/api/aside", json={"item": aside, "client_id": new_id()})
    named = told(here)[0][0][0]
    client_id = new_id()
    command = Rename(client_id=client_id, item=named, name="oak")
    here.service.act("ann", client_id, command)
    here.service.take_over(all_compared(here))

    assert here.session.labels[aside] == -1
    assert here.session.names == {named: "oak"}
    kinds = [type(act.event) for act in here.project.acts()]
    assert Told in kinds
    assert Renamed in kinds or len(kinds) > 6


def test_answers_of_another_server_count_at_once(here: Served) -> None:
    rightly(here.seat(), 2)
    out = sorted(set(range(60)) - part_of(here))[:2]
    elsewhere = here.elsewhere("bob")
    elsewhere.tell_pair(out[0], out[1], "same")
    labels = here.session.labels

    assert here.state("ann").version == 3
    assert labels[out[0]] == labels[out[1]]


def test_whoever_is_killed_meanwhile_has_lost_nothing(tmp_path: Path) -> None:
    project = open_store(tmp_path / "pile.db").create(
        "pile", {"screens": "pairs"}, now=0.0
    )
    here = begun_early(served(tmp_path, rows_source(TINY), project=project).prepared())
    rightly(here.seat(), 4)
    asked, before = here.question("ann"), told(here)
    kept = open_store(tmp_path / "pile.db").project("pile")
    for begin in (begun_early, lambda whole: whole):
        again = begin(served(tmp_path, rows_source(TINY), project=kept).prepared())
        assert told(again) == before
        assert again.session.n_questions == 4
        assert again.question("ann") == asked


def test_people_act_while_others_take_over(here: Served) -> None:
    """Nobody loses an act, and nobody is refused one."""
    failed: list[BaseException] = []

    def answer(who: str) -> None:
        try:
            rightly(here.seat(who), 8)
        except BaseException as error:
            failed.append(error)

    people = [threading.Thread(target=answer, args=(who,)) for who in ("ann", "bob")]
    for person in people:
        person.start()
    here.service.take_over(all_compared(here))
    for person in people:
        person.join()

    assert failed == []
    assert len(told(here)) == here.session.n_questions == 16


def test_items_that_come_meanwhile_are_taken_in(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "p")
    here = begun_early(served(tmp_path, path_source(folder, tmp_path / "v")).prepared())
    early, full = here.service, all_compared(here)
    painted(folder / "new.png", (250, 1, 1))
    here.restarted().elsewhere("bob").tell(Question(12, 0), "different")
    here.preparation._hand_over(early, full)
    while here.preparation.service is None:
        assert here.preparation.status.error is None
        time.sleep(0.01)

    assert here.preparation.status.error is None
    assert here.session.n_samples == 13
    assert len(told(here)) == here.session.n_questions == 1


def test_what_needs_all_items_says_so(here: Served) -> None:
    browser = here.seat()
    rightly(browser, 2)
    for path in ("/api/map", "/export/csv", "/export/jsonl"):
        reply = browser.get(path)
        assert (reply.status_code, reply.json()) == (503, {"error": COMPARING})
    for path in ("/", "/groups", "/history", "/map", "/export", "/export/answers"):
        assert browser.get(path).status_code == 200, path
    for path in ("/groups", "/history", "/map", "/export"):
        assert EARLY in browser.get(path).text
    here.service.take_over(all_compared(here))

    assert browser.get("/export/csv").status_code == 200
    assert EARLY not in browser.get("/groups").text


def test_settings_that_change_leave_the_line(here: Served) -> None:
    state = here.seat().post("/api/settings", json={"criterion": "Alike?"}).json()

    assert (state["criterion"], state["early"]) == ("Alike?", EARLY)


# Who has one, and who has none


def test_small_piles_wait_for_all_of_their_items(tmp_path: Path) -> None:
    here = served(tmp_path, rows_source(TINY))

    assert not is_early(here.project, TINY.X, here.options)
    assert here.prepared().state("ann").early == ""


@pytest.mark.parametrize(
    ("n", "how", "is_again", "expected"),
    [
        (COARSE_FROM, {}, False, False),
        (COARSE_FROM + 1, {}, False, True),
        (COARSE_FROM + 1, {"method": "urasc+n"}, False, True),
        (COARSE_FROM + 1, {}, True, False),
        (COARSE_AGAIN + 1, {}, True, True),
        (COARSE_AGAIN + 1, {"affinity": "cosine"}, False, False),
        (COARSE_AGAIN + 1, {"method": "duplicates"}, False, False),
    ],
)
def test_it_takes_many_items(n: int, how: Any, is_again: bool, expected: bool) -> None:
    assert is_long(np.zeros((n, 1)), how, is_again=is_again) is expected


def test_where_much_was_answered_there_is_no_part() -> None:
    project = MemoryStore().create("pile", {}, now=0.0)
    journal = ProjectJournal(project, "ann", lambda: 0.0)
    session = Session(TINY.X, METHODS["random"], journal=journal)
    for i in range(0, 2 * COUNT, 2):
        session.tell_pair(i, i + 1, "same", on_conflict="keep")

    assert coarse_session(TINY.X, journal, count=COUNT) is None
    assert coarse_session(TINY.X, journal, count=2 * COUNT) is not None


def test_a_large_pile_begins_with_a_part(tmp_path: Path) -> None:
    tiny = blobs((COARSE_FROM // 2 + 1,) * 2)
    np.save(tmp_path / "pile.npy", tiny.X)
    source = path_source(tmp_path / "pile.npy", tmp_path / "v")
    here = served(tmp_path, source, options={"method": "random", "n_clusters": 2})
    seen: list[str] = []
    watch: Any = here.preparation._watch_neighbours

    def look(done: int, total: int) -> None:
        watch(done, total)
        seen.append(here.service.display.early)

    here.preparation._watch_neighbours = look  # type: ignore[method-assign]
    here.prepared()

    assert {words.split(" of ")[0] for words in seen} == {
        "The first questions come from 3,000"
    }
    assert here.service.display.early == ""
    assert here.session.n_samples == len(tiny.X)
    assert not is_early(here.project, tiny.X, here.options)  # opened again
    others = {**here.options, "method": "likewise"}
    assert is_early(here.project, tiny.X, others)
    assert said_early(here.session).count("10,002") == 1
    assert here.seat().get(HOME).status_code == 200

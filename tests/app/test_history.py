"""Every answer can be seen, changed and taken back; nothing is silently dropped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.app.places import Clock, Served, answered, new_id, rows_heap, served
from tests.problems import blobs

from likewise import Answer, Question, Session, Verdict
from likewise.app.history._choosing import SURPRISING, Wanted, chosen
from likewise.app.history._ledger import Ledger, Mark, ledger_of
from likewise.app.history._show import PER_ACT, PER_PAGE, History
from likewise.knowledge import (
    Event,
    Kept,
    Knowledge,
    Numbered,
    Prediction,
    Renamed,
    Retracted,
    SetAside,
    Together,
    Told,
    Undone,
    standing,
    with_numbers,
)
from likewise.storage import Act

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
Tell = Callable[..., None]


# What has become of answers


def told(*answers: tuple[int, int, int, Verdict], how: str = "asked") -> Told:
    """Return answers, each given as its id, two samples and what was said."""
    return Told(tuple(Answer(Question(i, j), v, n, how) for n, i, j, v in answers))


def guessed(number: int, probability: float, verdict: Verdict, kind: str) -> Told:
    question = Question(number, 0, Prediction(probability, kind))
    return Told((Answer(question, verdict, number),))


def ledger(*events: Event, who: str = "ann") -> Ledger:
    acts = [Act(at, event, who, 60.0 * at) for at, event in enumerate(events)]
    stands = standing(events)
    known = Knowledge(20).after_all(stands.answers)
    return ledger_of(acts, stands.acts, [known.answers[at].id for at in known.doubtful])


def states(found: Ledger) -> list[str]:
    return [entry.state for entry in found.answers.values()]


ONE, OTHER = told((1, 0, 1, SAME)), told((2, 1, 2, SAME))
AGAINST = told((3, 0, 2, DIFFERENT))


def test_an_answer_stands_until_something_happens_to_it() -> None:
    assert states(ledger(ONE, OTHER)) == ["stands", "stands"]


def test_an_answer_that_others_deny_is_doubtful() -> None:
    assert states(ledger(ONE, OTHER, AGAINST)) == ["stands", "stands", "doubtful"]


def test_one_that_was_left_to_disagree_says_who_left_it() -> None:
    entry = ledger(ONE, OTHER, AGAINST, Kept((3,))).answers[3]

    assert (entry.state, entry.by) == ("kept", Mark(3, "ann", 180.0))


def test_numbers_of_groups_are_not_told() -> None:
    numbers = Numbered(((1, 4),))

    found = ledger(numbers, with_numbers(ONE, numbers), Undone(1))

    assert [record.act.event for record in found.records] == [ONE]
    assert states(found) == ["undone"]


def test_one_that_was_taken_back_says_when() -> None:
    entry = ledger(ONE, OTHER, Retracted((1,))).answers[1]

    assert (entry.state, entry.by) == ("taken back", Mark(2, "ann", 120.0))


def test_one_that_was_undone_says_when() -> None:
    entry = ledger(ONE, Undone(0)).answers[1]

    assert (entry.state, entry.by) == ("undone", Mark(1, "ann", 60.0))


def test_a_retraction_that_was_undone_has_done_nothing() -> None:
    assert states(ledger(ONE, Retracted((1,)), Undone(1))) == ["stands"]


def test_a_changed_answer_names_the_one_given_instead() -> None:
    change = Together((Retracted((1,)), told((2, 1, 0, DIFFERENT))))
    found = ledger(ONE, change)

    assert (found.answers[1].state, found.answers[1].became) == ("taken back", 2)
    assert found.answers[2].state == "stands"


@pytest.mark.parametrize(
    ("verdict", "surprise"), [(SAME, 0.8), (DIFFERENT, 0.2), (UNSURE, None)]
)
def test_surprise_is_how_unlikely_the_answer_was(
    verdict: Verdict, surprise: float | None
) -> None:
    entry = ledger(guessed(1, 0.2, verdict, "sample")).answers[1]

    assert entry.predicted == 0.2
    assert entry.surprise == (None if surprise is None else pytest.approx(surprise))


def test_what_a_pick_implies_was_never_guessed() -> None:
    assert ledger(guessed(1, 0.0, SAME, "group")).answers[1].surprise is None


@pytest.mark.parametrize(
    ("kept", "shown"),
    [("asked", "asked"), ("group", "picker"), ("review", "review"), ("given", "given")],
)
def test_how_an_answer_came_about(kept: str, shown: str) -> None:
    assert ledger(told((1, 0, 1, SAME), how=kept)).answers[1].how == shown


def test_a_check_is_called_so_once_it_was_answered() -> None:
    assert ledger(guessed(1, 0.9, SAME, "check")).answers[1].how == "check"


# Which of them are wanted


def numbers(found: Ledger, **wanted: Any) -> list[int]:
    return [record.act.number for record in chosen(found, Wanted(**wanted))]


def test_the_newest_comes_first() -> None:
    assert numbers(ledger(ONE, OTHER, AGAINST)) == [2, 1, 0]


def test_an_undoing_is_shown_with_what_it_undid() -> None:
    found = ledger(ONE, OTHER, Undone(0))

    assert numbers(found) == [1, 0]
    assert found.by_act[0].undone == Mark(2, "ann", 120.0)


def test_doubtful_ones_come_by_their_surprise() -> None:
    mild, strong = SURPRISING + 0.01, 0.99
    found = ledger(
        told((1, 1, 0, SAME)),
        guessed(2, strong, DIFFERENT, "sample"),
        guessed(3, 0.5, DIFFERENT, "sample"),
        guessed(4, mild, DIFFERENT, "sample"),
        told((5, 1, 2, SAME)),
    )

    assert numbers(found, only="doubtful") == [4, 1, 3]


def test_failed_checks_are_found() -> None:
    check = guessed(2, 0.9, DIFFERENT, "check")
    right = guessed(3, 0.9, SAME, "check")
    found = ledger(told((1, 2, 0, SAME)), check, right)

    assert numbers(found, only="checks") == [1]


def test_an_item_is_followed_through_all_acts() -> None:
    found = ledger(
        ONE,
        told((2, 5, 6, SAME), (3, 5, 1, DIFFERENT)),
        Retracted((1,)),
        Renamed(0, "oak"),
        SetAside(0),
        Renamed(6, "elm"),
    )

    assert numbers(found, item=0) == [4, 3, 2, 0]


def test_of_an_act_only_the_answers_about_the_item_are_shown() -> None:
    found = ledger(told((1, 5, 6, SAME), (2, 5, 1, DIFFERENT)))
    record = chosen(found, Wanted(item=6))[0]

    assert [entry.answer.id for entry in record.entries] == [1]


def test_people_and_ways_are_told_apart() -> None:
    found = ledger(ONE, told((2, 3, 4, SAME), how="group"), Renamed(0, "oak"))

    assert numbers(found, who="bob") == []
    assert numbers(found, who="ann", how="picker") == [1]
    assert numbers(found, how="other") == [2]


# Acts


@pytest.fixture
def tell(rows: Served) -> Tell:
    """Let somebody say something that nobody asked."""

    def tell(i: int, j: int, verdict: str, who: str = "ann") -> None:
        def do(session: Session) -> None:
            session.tell_pair(i, j, verdict, on_conflict="keep")

        rows.desk.act(who, new_id(), do)

    return tell


@pytest.fixture
def torn(tell: Tell) -> None:
    """Ann has said that 0, 1 and 2 are the same, and Bob that 0 and 2 are not."""
    tell(0, 1, "same")
    tell(1, 2, "same")
    tell(0, 2, "different", "bob")


def post(browser: TestClient, path: str, **body: Any) -> Any:
    reply = browser.post(path, json={"client_id": new_id(), **body})
    assert reply.status_code == 200, reply.text
    return reply.json()


def refused(browser: TestClient, path: str, **body: Any) -> tuple[int, str]:
    reply = browser.post(path, json={"client_id": new_id(), **body})
    return reply.status_code, reply.json()["error"]


def history(browser: TestClient, query: str = "") -> Any:
    return browser.get(f"/api/history?{query}").json()


def shown_states(browser: TestClient) -> dict[int, str]:
    acts = history(browser)["acts"]
    return {e["id"]: e["state"] for act in acts for e in act["answers"]}


def test_an_answer_is_changed(ann: TestClient, tell: Tell, rows: Served) -> None:
    tell(0, 1, "same")

    reply = post(ann, "/api/change", answer=1, verdict="different")

    assert reply["saved"] == "Saved: answer 1 changed to different"
    assert (reply["can_undo"], reply["disagreement"]) == (True, None)
    assert [str(a) for a in rows.desk.session.history] == [
        "answer 2: 0 and 1 are different"
    ]
    assert shown_states(ann) == {2: "stands", 1: "taken back"}


def test_a_change_that_others_deny_is_kept_as_doubtful(
    ann: TestClient, tell: Tell
) -> None:
    tell(0, 1, "same")
    tell(1, 2, "same")
    tell(0, 2, "unsure")

    reply = post(ann, "/api/change", answer=3, verdict="different")

    assert reply["disagreement"] == 4
    assert "disagree" in reply["notice"]
    assert shown_states(ann)[4] == "doubtful"


def test_answers_are_taken_back_together_and_brought_back_together(
    ann: TestClient, tell: Tell
) -> None:
    for j in (1, 2, 3):
        tell(0, j, "same")

    act = post(ann, "/api/retract", answers=[1, 3, 1])["act"]
    assert shown_states(ann) == {1: "taken back", 2: "stands", 3: "taken back"}

    assert post(ann, "/api/undo-act", act=act)["saved"] == "Saved: brought back"
    assert set(shown_states(ann).values()) == {"stands"}


ACTS: dict[str, dict[str, Any]] = {
    "/api/change": {"answer": 1, "verdict": "unsure"},
    "/api/retract": {"answers": [1]},
    "/api/keep": {"answer": 3},
    "/api/undo-act": {"act": 0},
}


@pytest.mark.usefixtures("torn")
@pytest.mark.parametrize("path", ACTS)
def test_each_act_is_one_step_of_undo(rows: Served, path: str) -> None:
    bob = rows.seat("bob")
    before = shown_states(bob)

    act = post(bob, path, **ACTS[path])["act"]
    assert shown_states(bob) != before
    post(bob, "/api/undo-act", act=act)

    assert {n: s for n, s in shown_states(bob).items() if n in before} == before


@pytest.mark.usefixtures("torn")
@pytest.mark.parametrize("path", ACTS)
def test_each_act_is_undone_like_an_answer(rows: Served, path: str) -> None:
    bob = rows.seat("bob")
    before = shown_states(bob)

    post(bob, path, **ACTS[path])
    post(bob, "/api/undo")

    assert {n: s for n, s in shown_states(bob).items() if n in before} == before


@pytest.mark.usefixtures("torn")
@pytest.mark.parametrize("path", ACTS)
def test_an_act_sent_twice_is_done_once(
    ann: TestClient, rows: Served, path: str
) -> None:
    body = {**ACTS[path], "client_id": new_id()}

    first, again = (ann.post(path, json=body).json() for _ in range(2))

    assert first["act"] == again["act"] == 3
    assert rows.desk.version == 4


OTHERS: dict[str, Callable[[Session], None]] = {
    "rename": lambda session: session.rename(0, "oak"),
    "aside": lambda session: session.set_aside(5),
    "keep": lambda session: session.keep(3),
    "retract": lambda session: session.retract(1),
    "change": lambda session: session.revise(session.repairs.change(1, UNSURE)),
}


def picture_of(session: Session) -> Any:
    said = [(a.question.pair, a.verdict) for a in session.history]
    return set(said), session.names, session.view.known.aside, session.kept


@pytest.mark.usefixtures("torn")
@pytest.mark.parametrize("name", OTHERS)
def test_an_undone_act_can_be_brought_back(
    rows: Served, ann: TestClient, name: str
) -> None:
    session = rows.desk.session
    rows.desk.act("bob", new_id(), OTHERS[name])
    done = picture_of(session)

    undoing = post(ann, "/api/undo-act", act=3)["act"]
    assert picture_of(session) != done
    post(ann, "/api/undo-act", act=undoing)

    assert picture_of(session) == done


def test_an_undone_answer_is_brought_back_once(ann: TestClient) -> None:
    answered(ann, "same")
    post(ann, "/api/undo")
    undoing = history(ann)["acts"][0]["again"]

    post(ann, "/api/undo-act", act=undoing)

    assert list(shown_states(ann).values()) == ["stands", "undone"]
    assert history(ann)["acts"][1]["again"] is None
    assert refused(ann, "/api/undo-act", act=undoing)[0] == 409


@pytest.mark.usefixtures("torn")
def test_what_is_gone_meanwhile_is_refused_in_a_sentence(
    ann: TestClient, rows: Served
) -> None:
    post(rows.seat("bob"), "/api/retract", answers=[1])
    gone = "Answer 1 was taken back meanwhile by bob: look again."

    assert refused(ann, "/api/change", answer=1, verdict="unsure") == (409, gone)
    assert refused(ann, "/api/retract", answers=[2, 1]) == (409, gone)
    assert refused(ann, "/api/keep", answer=3)[0] == 409
    assert refused(ann, "/api/undo-act", act=0)[0] == 409
    assert rows.desk.version == 4


@pytest.mark.usefixtures("torn")
def test_an_act_undone_by_somebody_else_is_refused(
    ann: TestClient, rows: Served
) -> None:
    act = post(ann, "/api/retract", answers=[1])["act"]
    post(rows.seat("bob"), "/api/undo-act", act=act)

    assert refused(ann, "/api/undo-act", act=act) == (
        409,
        "This was undone meanwhile: look again.",
    )


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/change", {"answer": 7, "verdict": "same"}),
        ("/api/retract", {"answers": [7]}),
        ("/api/keep", {"answer": 7}),
        ("/api/undo-act", {"act": 7}),
    ],
)
def test_what_never_was_is_refused(
    ann: TestClient, path: str, body: dict[str, Any]
) -> None:
    code, words = refused(ann, path, **body)

    assert code == 400
    assert words.startswith("There is no ")


def test_an_answer_cannot_be_changed_to_what_it_says(
    ann: TestClient, tell: Tell
) -> None:
    tell(0, 1, "unsure")

    assert refused(ann, "/api/change", answer=1, verdict="unsure") == (
        400,
        "Answer 1 says “not sure” already.",
    )


# Disagreements


@pytest.mark.usefixtures("torn")
def test_a_disagreement_shows_the_chain_from_one_item_to_the_other(
    ann: TestClient,
) -> None:
    found = ann.get("/api/disagreements").json()
    clash = found["open"][0]

    assert (clash["answer"]["id"], clash["implied"]) == (3, "same")
    assert clash["answer"]["sample"]["item"] == 0
    assert [link["to"]["item"] for link in clash["chain"]] == [1, 2]
    assert [link["answer"]["id"] for link in clash["chain"]] == [1, 2]
    assert clash["people"] == ["bob", "ann"]
    assert ann.get("/api/state").json()["disagreements"] == 1


@pytest.mark.usefixtures("torn")
def test_one_that_is_kept_is_listed_apart_and_not_counted(ann: TestClient) -> None:
    act = post(ann, "/api/keep", answer=3)["act"]
    found = ann.get("/api/disagreements").json()

    assert (found["n_open"], found["n_kept"]) == (0, 1)
    assert found["kept"][0]["answer"]["by"]["act"] == act
    assert ann.get("/api/state").json()["disagreements"] == 0


@pytest.mark.usefixtures("torn")
def test_taking_back_what_denies_an_answer_settles_it(ann: TestClient) -> None:
    post(ann, "/api/retract", answers=[2])

    assert ann.get("/api/disagreements").json()["n_open"] == 0
    assert shown_states(ann)[3] == "stands"


# Pages


def test_pages_hold_fifty_acts(ann: TestClient, rows: Served) -> None:
    for at in range(PER_PAGE + 1):
        rows.desk.act("ann", new_id(), lambda s, at=at: s.rename(0, f"name {at}"))  # type: ignore[misc]

    first, second = (history(ann, f"page={page}") for page in (0, 1))

    assert (len(first["acts"]), first["has_more"]) == (PER_PAGE, True)
    assert (len(second["acts"]), second["has_more"]) == (1, False)
    assert first["n_acts"] == PER_PAGE + 1


def test_an_act_with_many_answers_is_shown_whole_by_its_number(
    tmp_path: Path, clock: Clock
) -> None:
    here = served(tmp_path, rows_heap(blobs((20, 20))), clock=clock).prepared()
    ann = here.seat("ann")
    here.desk.act("ann", new_id(), lambda s: s.revise(s.repairs.found(range(30))))
    n_answers = len(here.desk.session.history)

    act = history(ann)["acts"][0]
    assert (len(act["answers"]), act["n_answers"]) == (PER_ACT, n_answers)
    whole = history(ann, "act=0")["acts"][0]

    assert len(whole["answers"]) == n_answers


def test_me_is_whoever_asks(ann: TestClient, rows: Served, tell: Tell) -> None:
    tell(0, 1, "same")
    tell(2, 3, "same", "bob")

    assert [act["made"]["who"] for act in history(ann, "who=me")["acts"]] == ["ann"]
    assert history(rows.seat("bob"), "who=ann")["n_acts"] == 1


@pytest.mark.usefixtures("torn")
@pytest.mark.parametrize(
    "query",
    ["", "who=me", "only=doubtful", "only=checks", "item=0", "item=99", "how=told",
     "how=", "how=other", "act=0", "act=99", "page=3"],
)  # fmt: skip
def test_every_filter_has_a_page(ann: TestClient, query: str) -> None:
    assert ann.get(f"/history?{query}").status_code == 200
    assert ann.get(f"/api/history?{query}").status_code == 200


@pytest.mark.parametrize(
    "query", ["only=evil", "how=evil", "item=-1", "item=x", f"item={2**31}", "page=-1"]
)
def test_a_filter_that_is_none_is_refused(ann: TestClient, query: str) -> None:
    assert ann.get(f"/api/history?{query}").status_code == 422


def test_every_kind_of_item_has_its_pages(any_kind: Served) -> None:
    ann = any_kind.seat("ann")
    answered(ann, "same")
    page = ann.get("/history").text

    card = history(ann)["acts"][0]["answers"][0]["sample"]
    assert card["title"] in page
    assert ann.get(f"/history?item={card['item']}").status_code == 200
    assert ann.get("/disagreements").status_code == 200


def test_names_cannot_break_out_of_the_page(ann: TestClient, rows: Served) -> None:
    evil = "<script>alert('x')</script>\"'&"
    rows.desk.act("ann", new_id(), lambda s: s.rename(0, evil))

    assert "<script>alert" not in ann.get("/history").text


@pytest.mark.usefixtures("torn")
def test_other_acts_are_told_in_words(ann: TestClient, rows: Served) -> None:
    for name in ("rename", "aside", "keep", "retract"):
        rows.desk.act("bob", new_id(), OTHERS[name])

    assert [act["words"] for act in history(ann)["acts"]][:4] == [
        "took back answer 1",
        "left answer 3 to disagree",
        "set an item aside",
        "named a group “oak”",
    ]


# The journal


@pytest.mark.usefixtures("torn")
def test_the_journal_is_folded_once_for_each_version(rows: Served, tell: Tell) -> None:
    past = History(rows.shown)
    first = past.ledger()

    assert past.ledger() is first
    tell(5, 6, "same")
    assert len(past.ledger().records) == len(first.records) + 1


@pytest.mark.usefixtures("torn")
def test_everything_is_there_after_a_restart(rows: Served, ann: TestClient) -> None:
    post(ann, "/api/keep", answer=3)
    post(ann, "/api/retract", answers=[1])
    before = history(ann)

    assert history(rows.restarted().seat("ann")) == before


@pytest.mark.usefixtures("torn")
def test_what_another_server_records_is_seen(rows: Served, ann: TestClient) -> None:
    other = rows.restarted().seat("bob")
    history(ann)
    post(other, "/api/retract", answers=[1])

    assert shown_states(ann)[1] == "taken back"


@pytest.mark.usefixtures("torn")
def test_the_log_keeps_what_was_taken_back(ann: TestClient) -> None:
    post(ann, "/api/change", answer=1, verdict="different")
    post(ann, "/api/retract", answers=[2])
    lines = [json.loads(line) for line in ann.get("/export/answers").text.splitlines()]

    assert len(lines) == 5
    assert [line["number"] for line in lines] == list(range(5))

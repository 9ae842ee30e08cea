"""Every answer can be seen, changed and taken back; nothing is silently dropped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.app.places import (
    Clock,
    Served,
    answered,
    new_id,
    rows_source,
    served,
    shared,
)
from tests.problems import blobs

from likewise import Session, Verdict
from likewise.app.history._presenter import PER_ACT, PER_PAGE

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
Tell = Callable[..., None]


# Acts


@pytest.fixture
def tell(rows: Served) -> Tell:
    """Let somebody say something that nobody asked."""

    def tell(i: int, j: int, verdict: str, who: str = "ann") -> None:
        rows.elsewhere(who).tell_pair(i, j, verdict, on_conflict="keep")

    return tell


@pytest.fixture
def torn(tell: Tell) -> None:
    """Ann has said that 0, 1 and 2 are the same, and Bob that 0 and 2 are not."""
    tell(0, 1, "same")
    tell(1, 2, "same")
    tell(0, 2, "different", "bob")


@pytest.fixture
def everybody(rows: Served, torn: None) -> None:  # noqa: ARG001 - ann has begun
    """Everybody may change what others said."""
    shared(rows, "ann")


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
    assert [str(a) for a in rows.session.history] == ["answer 2: 0 and 1 are different"]
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


@pytest.mark.usefixtures("everybody")
@pytest.mark.parametrize("path", ACTS)
def test_each_act_is_one_step_of_undo(rows: Served, path: str) -> None:
    bob = rows.seat("bob")
    before = shown_states(bob)

    act = post(bob, path, **ACTS[path])["act"]
    assert shown_states(bob) != before
    post(bob, "/api/undo-act", act=act)

    assert {n: s for n, s in shown_states(bob).items() if n in before} == before


@pytest.mark.usefixtures("everybody")
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
    assert rows.now.version == 4


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
    OTHERS[name](rows.elsewhere("bob"))
    session = rows.session
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


@pytest.mark.usefixtures("everybody")
def test_what_is_gone_meanwhile_is_refused_in_a_sentence(
    ann: TestClient, rows: Served
) -> None:
    post(rows.seat("bob"), "/api/retract", answers=[1])
    gone = "Answer 1 was taken back meanwhile by bob: look again."

    assert refused(ann, "/api/change", answer=1, verdict="unsure") == (409, gone)
    assert refused(ann, "/api/retract", answers=[2, 1]) == (409, gone)
    assert refused(ann, "/api/keep", answer=3)[0] == 409
    assert refused(ann, "/api/undo-act", act=0)[0] == 409
    assert rows.now.version == 4


@pytest.mark.usefixtures("everybody")
def test_an_act_undone_by_somebody_else_is_refused(
    ann: TestClient, rows: Served
) -> None:
    act = post(ann, "/api/retract", answers=[1])["act"]
    post(rows.seat("bob"), "/api/undo-act", act=act)

    assert refused(ann, "/api/undo-act", act=act) == (
        409,
        "This was undone in the meantime: look again.",
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
    session = rows.elsewhere("ann")
    for at in range(PER_PAGE + 1):
        session.rename(0, f"name {at}")

    first, second = (history(ann, f"page={page}") for page in (0, 1))

    assert (len(first["acts"]), first["has_more"]) == (PER_PAGE, True)
    assert (len(second["acts"]), second["has_more"]) == (1, False)
    assert first["n_acts"] == PER_PAGE + 1


def test_an_act_with_many_answers_is_shown_whole_by_its_number(
    tmp_path: Path, clock: Clock
) -> None:
    here = served(tmp_path, rows_source(blobs((20, 20))), clock=clock).prepared()
    ann = here.seat("ann")
    session = here.elsewhere("ann")
    session.revise(session.repairs.found(range(30)))
    n_answers = len(here.session.history)

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
    rows.elsewhere("ann").rename(0, evil)

    assert "<script>alert" not in ann.get("/history").text


@pytest.mark.usefixtures("torn")
def test_other_acts_are_told_in_words(ann: TestClient, rows: Served) -> None:
    for name in ("rename", "aside", "keep", "retract"):
        OTHERS[name](rows.elsewhere("bob"))

    assert [act["words"] for act in history(ann)["acts"]][:4] == [
        "took back answer 1",
        "left answer 3 to disagree",
        "set an item aside",
        "named a group “oak”",
    ]


# The journal


@pytest.mark.usefixtures("torn")
def test_the_journal_is_folded_once_for_each_version(rows: Served, tell: Tell) -> None:
    first = rows.now.ledger

    assert rows.now.ledger is first
    tell(5, 6, "same")
    assert len(rows.now.ledger.records) == len(first.records) + 1


@pytest.mark.usefixtures("torn")
def test_everything_is_there_after_a_restart(rows: Served, ann: TestClient) -> None:
    post(ann, "/api/keep", answer=3)
    post(ann, "/api/retract", answers=[1])
    before = history(ann)

    assert history(rows.restarted().seat("ann")) == before


@pytest.mark.usefixtures("everybody")
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


# Who may change what


@pytest.mark.usefixtures("torn")
@pytest.mark.parametrize("path", ["/api/change", "/api/retract", "/api/undo-act"])
def test_nobody_changes_what_another_said(rows: Served, path: str) -> None:
    """Ann has begun, and Bob may say otherwise, but not change what she said."""
    bob = rows.seat("bob")
    before = shown_states(bob)

    code, words = refused(bob, path, **ACTS[path])

    assert code == 403
    assert "what ann said" in words
    assert shown_states(bob) == before


@pytest.mark.usefixtures("torn")
def test_whoever_has_begun_may_change_what_others_said(
    rows: Served, ann: TestClient
) -> None:
    post(ann, "/api/retract", answers=[3])

    assert shown_states(rows.seat("bob"))[3] == "taken back"


@pytest.mark.usefixtures("torn")
def test_everybody_changes_what_they_said_themselves(rows: Served) -> None:
    bob = rows.seat("bob")
    post(bob, "/api/keep", answer=3)
    post(bob, "/api/change", answer=3, verdict="same")
    post(bob, "/api/undo")
    post(bob, "/api/undo-act", act=3)

    assert shown_states(bob)[3] == "doubtful"


def test_what_disagrees_is_decided_by_whose_it_is_or_by_the_owner(
    rows: Served, ann: TestClient, tell: Tell
) -> None:
    tell(0, 1, "same")
    tell(0, 1, "different", "cat")

    code, _ = refused(rows.seat("bob"), "/api/keep", answer=2)
    assert code == 403
    post(ann, "/api/keep", answer=2)


@pytest.mark.usefixtures("torn")
def test_the_owner_says_who_may_change_what_others_said(
    rows: Served, ann: TestClient
) -> None:
    bob = rows.seat("bob")
    free = {"changes": "everybody"}
    assert bob.post("/api/settings", json=free).status_code == 403

    assert ann.post("/api/settings", json=free).json()["changes"] == "everybody"
    post(bob, "/api/retract", answers=[1])

    back = rows.restarted()
    assert back.now.display.changes == "everybody"
    assert ann.post("/api/settings", json={"changes": "owner"}).status_code == 200
    assert refused(bob, "/api/retract", answers=[2])[0] == 403


@pytest.mark.usefixtures("torn")
def test_a_named_owner_goes_before_whoever_has_begun(rows: Served) -> None:
    rows.project.change({"owner": "bob"})
    here = rows.restarted()

    assert refused(here.seat("ann"), "/api/retract", answers=[3])[0] == 403
    post(here.seat("bob"), "/api/retract", answers=[1])


def test_what_nobody_said_under_a_name_is_everybodys(rows: Served, tell: Tell) -> None:
    """As a project that was begun alone, and is then opened to others."""
    tell(0, 1, "same", "me")

    post(rows.seat("bob"), "/api/retract", answers=[1])


@pytest.mark.usefixtures("torn")
def test_pages_offer_what_a_person_may_do(rows: Served, ann: TestClient) -> None:
    bob = rows.seat("bob")
    for address in ("/history", "/disagreements"):
        theirs, owners = bob.get(address).text, ann.get(address).text
        assert "Change answer 3 to" in theirs
        assert "Change answer 1 to" not in theirs
        assert "Change answer 1 to" in owners
        assert "Change answer 3 to" in owners
    entries = {e["id"]: e for a in history(bob)["acts"] for e in a["answers"]}
    assert [entries[id_]["may_change"] for id_ in (1, 2, 3)] == [False, False, True]

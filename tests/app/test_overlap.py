"""Second readers: what they are asked, what they do not see, and who decides."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.app.places import (
    Clock,
    Served,
    answered,
    new_id,
    new_project,
    rows_source,
    served,
    truly,
)
from tests.problems import blobs

from likewise.app._map import sheet_of
from likewise.knowledge import DECIDED, Verdict
from likewise.session import OVERLAP, is_second
from likewise.session._overlap import REFERRED, is_overlap
from likewise.storage import Member

PILE = blobs((10, 10, 10), spread=1.2)
right = truly(PILE)
WRONG = {"same": "different", "different": "same"}


def team(folder: Path, **settings: Any) -> Served:
    """Return a server of Ann's project, where Vera reviews; no checks but overlap."""
    project = new_project()
    project.change({"owner": "ann", "checks": 0, "refer": False, **settings})
    project.set_member(Member("vera", "reviewer", 0.0))
    return served(folder, rows_source(PILE), project=project, clock=Clock()).prepared()


def turn(here: Served, who: str, *, wrong: bool = False) -> Any:
    """Answer what somebody has before them; return the question."""
    browser = here.seat(who)
    state = browser.get("/api/state").json()
    mine = here.question(who)
    if state["question"] is None or mine is None:
        return None
    verdict = right(state)
    answered(browser, WRONG[verdict] if wrong else verdict, state)
    return mine.question


def until_second(here: Served, who: str = "bob", other: str = "eve") -> Any:
    """Let two answer in turn until one is asked what another reader has answered."""
    for _ in range(30):
        mine = here.question(who)
        assert mine is not None
        if is_second(mine.question):
            return mine.question
        turn(here, who)
        turn(here, other)
    raise AssertionError("nobody was asked what another one has answered")


def disputed(here: Served) -> tuple[int, int]:
    """Have Bob deny what Eve said; return the pair."""
    question = until_second(here)
    turn(here, "bob", wrong=True)
    pair: tuple[int, int] = question.pair
    return pair


def decided(
    here: Served, pair: tuple[int, int], verdict: str, who: str = "vera"
) -> Any:
    body = {"one": pair[0], "other": pair[1], "verdict": verdict, "client_id": new_id()}
    return here.seat(who).post("/api/decide", json=body)


# How often, and what


def test_one_question_in_five_is_what_another_reader_answered(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.2)
    asked: dict[str, list[bool]] = {"bob": [], "eve": []}
    for _ in range(10):
        for who, kinds in asked.items():
            question = turn(here, who)
            kinds.append(question is not None and is_overlap(question))

    for kinds in asked.values():
        assert [at for at, is_it in enumerate(kinds) if is_it] == [4, 9]


@pytest.mark.parametrize("settings", [{"overlap": 0.0}, {}])
def test_nobody_is_second_where_it_is_off_or_one_is_alone(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    here = team(tmp_path, **settings)
    people = ["bob", "eve"] if settings else ["bob"]
    for _ in range(15):
        for who in people:
            question = turn(here, who)
            assert question is None or not is_second(question)


def test_the_owner_sets_how_often(tmp_path: Path) -> None:
    here = team(tmp_path)
    ann = here.seat("ann")
    assert ann.get("/api/state").json()["overlap"] == 0.1

    state = ann.post("/api/settings", json={"overlap": 0.5, "refer": True}).json()
    assert (state["overlap"], state["refer"]) == (0.5, True)
    assert ann.post("/api/settings", json={"overlap": 0.6}).status_code == 422
    assert (
        here.seat("bob").post("/api/settings", json={"overlap": 0}).status_code == 403
    )
    assert here.restarted().seat("ann").get("/api/state").json()["overlap"] == 0.5


def test_a_restart_shows_the_same_pair(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    question = until_second(here)

    mine = here.restarted().question("bob")
    assert mine is not None
    assert mine.question == question
    assert mine.question.predicted == question.predicted


def test_no_two_have_the_same_item_before_them(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5, refer=True)
    n_second = 0
    for _ in range(12):
        open_ = [q for who in ("bob", "eve", "joe") if (q := here.question(who))]
        items = [one.question.sample for one in open_]
        pairs = [one.question.pair for one in open_]
        assert len(set(items)) == len(items)
        assert len(set(pairs)) == len(pairs)
        n_second += sum(is_second(one.question) for one in open_)
        for who in ("bob", "eve", "joe"):
            turn(here, who)
    assert n_second


def test_what_puzzles_one_is_put_to_another_once(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.0, refer=True)
    turn(here, "bob")
    eve = here.seat("eve")
    state = eve.get("/api/state").json()
    puzzle = here.question("eve")
    assert puzzle is not None
    answered(eve, "unsure", state)

    here.service.release("eve")  # who would be asked about the same item
    turn(here, "bob")

    mine = here.question("bob")
    assert mine is not None
    assert mine.question.pair == puzzle.question.pair
    predicted = mine.question.predicted
    assert predicted is not None
    assert predicted.kind == REFERRED
    turn(here, "bob")
    for _ in range(3):
        for who in ("bob", "joe"):
            question = turn(here, who)
            assert question is None or not is_second(question)
    assert here.session.agreement.n_pairs == 0


# What the second reader sees


def test_the_question_is_as_any_other(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    plain = here.seat("bob").get("/api/state").json()["question"]
    question = until_second(here)
    state = here.seat("bob").get("/api/state").json()

    assert state["question"].keys() == plain.keys()
    said = json.dumps(state)
    assert OVERLAP not in said
    assert "eve" not in said
    assert "same group so far" not in said
    assert "different groups so far" not in said
    members = (state["question"]["group"] or {}).get("members", [])
    assert question.sample not in [card["item"] for card in members]


def test_what_the_first_reader_said_is_the_same_to_see(tmp_path: Path) -> None:
    """The card is the same whether the first reader said same or different."""
    cards = []
    for verdict in ("same", "different"):
        folder = tmp_path / verdict
        folder.mkdir()
        here = team(folder, overlap=0.5)
        eve, bob = here.seat("eve"), here.seat("bob")
        answered(eve, verdict, eve.get("/api/state").json())
        here.service.release("eve")
        first = bob.get("/api/state").json()
        answered(bob, right(first), first)
        state = bob.get("/api/state").json()
        mine = here.question("bob")
        assert mine is not None
        assert is_second(mine.question)
        card = state["question"]
        cards.append({key: card[key] for key in ("why", "group", "picker", "before")})
    assert cards[0] == cards[1]


@pytest.mark.parametrize("path", ["/api/history", "/history", "/api/disagreements"])
def test_history_keeps_it_until_it_is_answered(tmp_path: Path, path: str) -> None:
    here = team(tmp_path, overlap=0.5)
    question = until_second(here)
    bob = here.seat("bob")
    item = {"item": question.sample} if "history" in path else {}

    def told() -> list[Any]:
        found = bob.get("/api/history", params={"item": question.sample}).json()
        entries = [e for act in found["acts"] for e in act["answers"]]
        pairs = [{e["sample"]["item"], e["against"]["item"]} for e in entries]
        return [pair for pair in pairs if pair == {*question.pair}]

    assert bob.get(path, params=item).status_code == 200
    assert told() == []
    turn(here, "bob")
    assert len(told()) == 2


def shown_in_groups(here: Served, who: str) -> dict[int, int]:
    """Return in which group, by its number, somebody sees each item."""
    browser = here.seat(who)
    groups = browser.get("/api/groups").json()["groups"]
    return {
        card["item"]: group["number"]
        for group in groups
        for card in browser.get(f"/api/groups/{group['id']}").json()["items"]
    }


@pytest.mark.parametrize("verdict", ["same", "different", "unsure"])
def test_groups_keep_it_until_it_is_answered(tmp_path: Path, verdict: str) -> None:
    here = team(tmp_path, overlap=0.5, refer=True)
    eve, bob = here.seat("eve"), here.seat("bob")
    first = eve.get("/api/state").json()
    answered(eve, verdict, first)
    here.service.release("eve")
    turn(here, "bob")
    mine = here.question("bob")
    assert mine is not None
    assert is_second(mine.question)
    pair = mine.question.pair
    for item in pair:
        name = {"item": item, "name": f"of {item}", "client_id": new_id()}
        assert here.seat("ann").post("/api/rename", json=name).status_code == 200

    before, full = shown_in_groups(here, "bob"), shown_in_groups(here, "ann")

    assert before == {item: n for item, n in full.items() if item not in pair}
    for item in pair:
        for path in (f"/api/groups/{item}", f"/api/groups/{item}/parts"):
            assert bob.get(path).status_code == 404
        assert bob.get(f"/groups/{item}").status_code == 404
    for which in ("not-placed", "not-sure"):
        listed = bob.get("/api/items", params={"which": which}).json()["items"]
        assert not {*pair} & {card["item"] for card in listed}
        assert bob.get(f"/groups/{which}").status_code == 200
    assert bob.get("/groups").status_code == 200
    turn(here, "bob")
    assert {*pair} <= {*shown_in_groups(here, "bob")}


def test_the_picker_shows_no_chances_and_nothing_twice(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5, hints=True)
    until_second(here)
    listed = here.seat("bob").get("/api/candidates").json()["groups"]

    assert {group["probability"] for group in listed} == {None}
    for group in listed:
        items = [card["item"] for card in group["members"]]
        assert len(set(items)) == len(items)


def test_the_map_keeps_it_until_it_is_answered(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    pair = until_second(here).pair
    now, seen = here.service.snapshot(), here.service.seen("bob")
    plane = np.zeros((now.n_items, 2), dtype=np.float32)

    full, found = sheet_of(now, plane, ""), sheet_of(seen, plane, "")

    assert [found.group[item] for item in pair] == [0, 0]
    guessed = found.statuses.index("guessed")
    assert [found.status[item] for item in pair] == [guessed, guessed]
    others = [item for item in range(now.n_items) if item not in pair]
    assert [found.group[at] for at in others] == [full.group[at] for at in others]
    assert here.service.seen("eve") == here.service.snapshot()


def test_who_denies_the_first_reader_is_not_told(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    disputed(here)
    state = here.seat("bob").get("/api/state").json()

    assert (state["slip"], state["disagreement"], state["notice"]) == (None, None, None)
    found = here.seat("bob").get("/api/disagreements").json()
    assert (found["open"], found["pairs"], found["n_pairs"]) == ([], [], 1)


# Who decides


def test_a_reviewer_sees_both_opinions_without_names(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    pair = disputed(here)
    vera = here.seat("vera")
    (dispute,) = vera.get("/api/disagreements").json()["pairs"]

    assert (dispute["sample"]["item"], dispute["against"]["item"]) == pair
    assert dispute["words"] == "One reader said same, another reader different."
    assert [one["who"] for one in dispute["said"]] == [None, None]
    page = vera.get("/disagreements").text
    assert page.count("Readers disagree on 1 pair") == 1
    assert "bob" not in page
    assert "eve" not in page


@pytest.mark.parametrize("verdict", ["same", "different", "unsure"])
def test_a_decision_counts_and_can_be_undone(tmp_path: Path, verdict: str) -> None:
    here = team(tmp_path, overlap=0.5)
    pair = disputed(here)
    before, agreed = here.session.known, here.session.agreement

    reply = decided(here, pair, verdict).json()

    assert reply["saved"].startswith("Saved: decided")
    assert reply["disagreement"] is None
    wanted = None if verdict == "unsure" else Verdict(verdict)
    assert here.session.known.constraints.relation(*pair) is wanted
    assert not here.session.doubtful
    assert here.session.agreement == agreed == here.now.agreement
    last = here.session.history[-1]
    assert (last.how, last.by, last.verdict.value) == (DECIDED, "vera", verdict)
    found = here.seat("vera").get("/api/disagreements").json()
    (decision,) = found["decided"]
    assert {one["who"] for one in decision["said"]} == {"bob", "eve"}
    assert found["n_pairs"] == 0
    assert "bob" in here.seat("vera").get("/disagreements").text
    assert "decided between readers" in here.seat("vera").get("/history").text

    undo = {"act": decision["made"]["act"], "client_id": new_id()}
    assert here.seat("vera").post("/api/undo-act", json=undo).status_code == 200
    assert here.session.known == before
    assert here.seat("vera").get("/api/disagreements").json()["n_pairs"] == 1


def test_readers_do_not_decide_and_nothing_is_decided_twice(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    pair = disputed(here)

    assert decided(here, pair, "same", "bob").status_code == 403
    assert decided(here, pair, "same").status_code == 200
    assert decided(here, pair, "different").status_code == 409
    assert decided(here, (0, 10**6), "same").status_code == 409


# Agreement


def test_the_page_of_readers_says_how_well_they_agree(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    vera, bob = here.seat("vera"), here.seat("bob")
    assert "No pair was answered by two readers yet" in vera.get("/people").text
    disputed(here)
    until_second(here)
    turn(here, "bob")

    page = vera.get("/people").text
    found = vera.get("/api/agreement").json()
    assert found["sentence"] in page
    assert "too few pairs to rely on" in found["sentence"]
    assert found["few"]
    assert "Who agrees with whom" in page
    (shared,) = found["shared"]
    assert (shared["one"], shared["other"]) == ("bob", "eve")
    n, agreed = shared["pairs"], shared["agreed"]
    assert f"{agreed} of {n}" in page
    own = bob.get("/api/agreement").json()
    assert (own["sentence"], own["shared"]) == (found["sentence"], [])
    assert "Who agrees with whom" not in bob.get("/people").text


def test_agreement_as_csv(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    disputed(here)

    content = here.seat("vera").get("/export/agreement").text
    rows = list(csv.DictReader(io.StringIO(content.lstrip("\ufeff"))))
    assert [row["reader"] for row in rows] == ["bob", "all"]
    assert here.seat("bob").get("/export/agreement").status_code == 403


def test_second_opinions_are_no_checks_of_who_gives_them(tmp_path: Path) -> None:
    here = team(tmp_path, overlap=0.5)
    disputed(here)

    cards = here.seat("vera").get("/api/readers").json()["readers"]
    bob = next(card for card in cards if card["who"] == "bob")
    assert (bob["checks"], bob["failed"]) == (0, 0)

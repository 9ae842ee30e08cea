"""A slip is asked about at once, and nobody sees the same item again and again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.app.places import Served, answered, new_id, rows_source, served, truly
from tests.problems import blobs

from likewise.app._dealing import rested
from likewise.app._project import IN_A_ROW
from likewise.app._snapshot import LATE
from likewise.knowledge import Answer, Knowledge, Question, Verdict

PILE = blobs((16, 16, 16, 16), spread=1.6)
right = truly(PILE)
OPPOSITE = {"same": "different", "different": "same"}
PEOPLE = ("ann", "bob")


def sorting(folder: Path, every: int = 4) -> Served:
    here = served(folder, rows_source(PILE))
    alone = {"overlap": 0.0, "refer": False}  # who slips is asked, and nobody else
    here.project.change({"checks": every, "changes": "everybody", **alone})
    return here.prepared()


def is_wrong(one: Any) -> bool:
    i, j = one["sample"]["item"], one["against"]["item"]
    return (PILE.truth[i] == PILE.truth[j]) != (one["verdict"] == "same")


def contradicted(here: Served, slips_at: int) -> Any:
    """Let two people answer, one of them wrongly once, until somebody is asked."""
    for at in range(120):
        who = PEOPLE[at % 2]
        browser = here.seat(who)
        state = browser.get("/api/state").json()
        if state["question"] is None:
            break
        verdict = right(state)
        said = OPPOSITE[verdict] if at == slips_at else verdict
        state = answered(browser, said, state)
        if state["slip"] is not None:
            return who, state
    return None, None


@pytest.mark.parametrize("slips_at", [8, 10, 14, 18, 22])
def test_the_slip_is_listed_first_after_two_contradicted_answers_at_most(
    slips_at: int, tmp_path: Path
) -> None:
    here = sorting(tmp_path)
    who, state = contradicted(here, slips_at)

    assert who is not None
    assert state["disagreements"] <= 2
    listed = state["slip"]["suspects"]
    assert [is_wrong(one) for one in listed] == [True] + [False] * (len(listed) - 1)

    first = listed[0]
    body = {"answer": first["id"], "verdict": OPPOSITE[first["verdict"]]}
    reply = here.seat(who).post("/api/change", json={**body, "client_id": new_id()})
    assert reply.status_code == 200
    state = here.seat(who).get("/api/state").json()
    assert (state["slip"], state["disagreements"]) == (None, 0)


@pytest.mark.parametrize("wrong", [(), (7, 12, 13, 20, 28)])
def test_no_item_is_shown_more_than_three_times_in_a_row(
    wrong: tuple[int, ...], tmp_path: Path
) -> None:
    here = sorting(tmp_path)
    rows: dict[str, Counter[int]] = {who: Counter() for who in PEOPLE}
    for at in range(50):
        who = PEOPLE[at % 2]
        browser = here.seat(who)
        state = browser.get("/api/state").json()
        question = state["question"]
        if question is None:
            break
        items = {question[side]["item"] for side in ("sample", "against")}
        rows[who] = Counter({item: rows[who][item] + 1 for item in items})
        assert max(rows[who].values()) <= IN_A_ROW
        verdict = right(state)
        answered(browser, OPPOSITE[verdict] if at in wrong else verdict, state)


def test_items_that_answers_disagree_on_are_left_alone_for_a_while(
    tmp_path: Path,
) -> None:
    here = sorting(tmp_path)
    who, state = contradicted(here, 10)
    disputed = state["disagreement"] or state["slip"]["answer"]
    entry = next(a for a in here.session.history if a.id == disputed)

    for _ in range(3):
        asked = state["question"]
        shown = {asked[side]["item"] for side in ("sample", "against")}
        assert not shown & {*entry.question.pair}
        state = answered(here.seat(who), right(state), state)


def test_who_decides_later_is_not_asked_about_the_same_a_few_acts_later(
    tmp_path: Path,
) -> None:
    here = sorting(tmp_path)
    who, state = contradicted(here, 10)
    first = state["slip"]["answer"]
    for _ in range(LATE):
        state = answered(here.seat(who), right(state), state)

    assert (state["slip"] or {}).get("answer") != first
    assert state["disagreements"] >= 1


# Another of the same group


def test_a_sample_that_rests_is_replaced_by_one_of_its_group() -> None:
    told = [
        Answer(Question(1, 2), Verdict.SAME, 1),
        Answer(Question(2, 3), Verdict.SAME, 2),
    ]
    known = Knowledge(6).after_all(told)

    found = rested(Question(0, 1), known, {1, 2})
    assert found is not None
    assert (found.sample, found.against) == (0, 3)
    assert rested(Question(0, 1), known, {1, 2, 3}) is None
    assert rested(Question(0, 1), known, ()) == Question(0, 1)


def test_one_that_was_compared_already_does_not_speak_for_another() -> None:
    told = [
        Answer(Question(1, 2), Verdict.SAME, 1),
        Answer(Question(0, 2), Verdict.UNSURE, 2),
    ]
    assert rested(Question(0, 1), Knowledge(4).after_all(told), {1}) is None

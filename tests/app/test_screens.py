"""Sheets and overviews: one screen, one act, one person."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.app.killing import filled
from tests.app.places import (
    Clock,
    Served,
    answered,
    new_id,
    new_project,
    path_source,
    picture_folder,
    rows_source,
    served,
)
from tests.problems import blobs
from tests.stores import reopener

from likewise.app._ledger import screen_in
from likewise.app._project import ALREADY, ASIDE, LEASE
from likewise.app.question._presenter import WHY
from likewise.knowledge import (
    GO_ON,
    NEW,
    Overview,
    Prediction,
    Question,
    Sheet,
    Shown,
    Told,
    told_in,
    without_numbers,
)
from likewise.storage import OpenQuestion, Project

FOUR = blobs((12,) * 4, spread=0.6)
TRUTH = FOUR.truth.tolist()
ONE, TWO, THREE = ([i for i, k in enumerate(TRUTH) if k == at] for at in range(3))
SHEET = Sheet(
    tuple(ONE[:2]),
    tuple(Question(item, ONE[0]) for item in (*TWO[:2], *ONE[2:5])),
    sorts=True,
    seconds=7.0,
)
MISFITS = TWO[:2]
GROUPS = (ONE[0], TWO[0], THREE[0], ONE[1])  # the last is the same as the first
OVERVIEW = Overview(
    tuple(
        Question(one, other) for at, one in enumerate(GROUPS) for other in GROUPS[:at]
    )
)


@pytest.fixture(params=["memory", "sqlite"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    store = reopener(request.param, tmp_path)()
    yield store.create("pile", {"checks": 0}, now=0.0)
    store.close()


@pytest.fixture
def here(tmp_path: Path, project: Project, clock: Clock) -> Served:
    """Forty-eight rows in four heaps, on screens of every kind."""
    return served(tmp_path, rows_source(FOUR), project=project, clock=clock).prepared()


@pytest.fixture
def ann(here: Served) -> TestClient:
    return here.seat("ann")


def give(here: Served, screen: Sheet | Overview, who: str = "ann") -> int:
    """Put a screen before a person, whatever would be best, and return its id."""
    for one in here.project.latest(0).questions:
        if one.who == who:
            here.project.close_question(one.id)
    until = here.clock() + LEASE
    wanted = OpenQuestion(who, screen.questions[0], until, screen=screen)
    opened = here.project.open_question(wanted, now=here.clock())
    assert opened is not None
    return opened.id


def post(browser: TestClient, path: str, **body: Any) -> Any:
    reply = browser.post(f"/api/{path}", json={"client_id": new_id(), **body})
    assert reply.status_code == 200, reply.text
    return reply.json()


def state_of(browser: TestClient, fits: int | None = None) -> Any:
    query = "" if fits is None else f"?fits={fits}"
    return browser.get(f"/api/state{query}").json()


def items(cards: Any) -> list[int]:
    return [card["item"] for card in cards]


def last_told(here: Served) -> Told:
    event = without_numbers(here.project.acts()[-1].event)
    assert isinstance(event, Told)
    return event


# What is shown


def test_a_sheet_has_speakers_and_items(here: Served, ann: TestClient) -> None:
    id_ = give(here, SHEET)

    state = state_of(ann)

    screen = state["screen"]
    assert (state["question"], state["status"]) == (None, "asking")
    assert (screen["kind"], screen["id"]) == ("sheet", id_)
    assert (screen["tap"], screen["sorts"]) == ("misfits", True)
    assert items(screen["speakers"]) == list(SHEET.speakers)
    assert items(screen["items"]) == list(SHEET.items)
    assert (screen["group"], screen["before"]) == (None, None)
    assert screen["why"] == WHY["misfits"]


def test_a_sheet_of_a_known_group_names_it(here: Served, ann: TestClient) -> None:
    elsewhere = here.elsewhere("bob")
    elsewhere.tell_pair(ONE[0], ONE[1], "same")
    elsewhere.rename(ONE[0], "oak")
    give(here, SHEET)
    post_settings(here.seat("bob"), why=False)  # who has begun

    screen = state_of(ann)["screen"]

    assert screen["group"]["name"] == "oak"
    assert screen["group"]["confirmed"] == 2
    assert screen["why"] is None


def test_an_overview_has_a_speaker_of_each_group(here: Served, ann: TestClient) -> None:
    here.elsewhere("bob").tell_pair(ONE[0], ONE[5], "same")
    id_ = give(here, OVERVIEW)

    state = state_of(ann)

    screen = state["screen"]
    assert (state["question"], state["status"]) == (None, "asking")
    assert (screen["kind"], screen["id"]) == ("overview", id_)
    assert items(group["speaker"] for group in screen["groups"]) == list(GROUPS)
    assert items(screen["groups"][0]["more"]) == [ONE[5]]
    assert all(group["number"] and group["size"] for group in screen["groups"])
    assert screen["before"] is None


def test_people_who_tell_the_truth_are_done_soon(here: Served, ann: TestClient) -> None:
    state, kinds = state_of(ann, fits=24), []
    while state["status"] == "asking":
        path, body = filled(state, TRUTH, lambda at: ann.get(at).json())
        kinds.append(path)
        state = post(ann, path, **body)
        assert state["notice"] is None
        assert state["saved"]

    assert set(kinds) > {"sheet"}
    assert state["status"] == "settled"
    assert state["progress"]["screens"] == len(kinds) == len(here.project.acts())
    assert state["progress"]["answers"] > len(kinds)
    found = [{TRUTH[s] for s in group.samples} for group in here.session.groups]
    assert sorted(found, key=str) == [{0}, {1}, {2}, {3}]
    shown = [event.shown for event in told_events(here)]
    assert all(one is not None and one.seconds for one in shown)


def told_events(here: Served) -> list[Told]:
    events = (without_numbers(act.event) for act in here.project.acts())
    return [
        event
        for event in events
        if isinstance(event, Told) and event.answers[0].how != "asked"
    ]


@pytest.mark.parametrize("fits", [4, 8])
def test_a_small_screen_holds_few_items_and_nothing_to_sort(
    ann: TestClient, fits: int
) -> None:
    state, n_sheets = state_of(ann, fits=fits), 0
    while state["status"] == "asking" and n_sheets < 3:
        screen = state["screen"]
        if screen is not None:
            n_sheets += screen["kind"] == "sheet"
            shown = screen["items"] if "items" in screen else screen["groups"]
            assert len(shown) <= fits
            assert not screen.get("sorts")
        path, body = filled(state, TRUTH)
        state = post(ann, path, **body, fits=fits)

    assert n_sheets


def test_a_phone_begins_with_few_items(here: Served) -> None:
    phone, desktop = here.seat("ann"), here.seat("bob")
    phone.headers["User-Agent"] = "Mozilla/5.0 (Linux; Android 14) Mobile Safari"
    phone.get("/")
    desktop.get("/")

    assert here.service._fits == {"ann": 8}


def test_whoever_stays_with_pairs_gets_no_other_screens(
    here: Served, ann: TestClient
) -> None:
    give(here, SHEET)
    assert state_of(ann)["screens"] == "all"

    state = post_settings(ann, screens="pairs")

    assert (state["screens"], state["screen"]) == ("pairs", None)
    assert state["question"]
    for _ in range(15):
        state = answered(ann, filled(state, TRUTH)[1]["verdict"], state)
        assert state["screen"] is None
    assert here.restarted().state("ann").screens == "pairs"


def post_settings(browser: TestClient, **body: Any) -> Any:
    reply = browser.post("/api/settings", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_every_method_shows_sheets(tmp_path: Path) -> None:
    options = {"method": "random", "n_clusters": 4, "random_state": 0}
    project = new_project(screens="all")
    here = served(tmp_path, rows_source(FOUR), project=project, options=options)

    state = here.prepared().state("ann")

    assert state.question is None
    assert state.screen is not None
    assert state.screen.kind == "sheet"


# What is told


def test_a_sheet_is_one_act_with_all_that_was_seen(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, SHEET)

    state = post(
        ann, "sheet", screen=id_, tapped=MISFITS, unsure=[ONE[4]], seconds=7.25
    )

    assert (state["saved"], state["notice"]) == ("Saved: 3 marked", None)
    assert state["version"] == len(here.project.acts()) == 1
    (act,) = here.project.acts()
    assert act.closed == id_
    told = last_told(here)
    said = {a.question.sample: (a.verdict.value, a.how) for a in told.answers}
    assert said == {
        **dict.fromkeys(MISFITS, ("different", "tapped")),
        **dict.fromkeys(ONE[2:4], ("same", "passed")),
        ONE[4]: ("unsure", "passed"),
    }
    assert told.shown == Shown(
        "sheet",
        SHEET.speakers,
        SHEET.items,
        "misfits",
        tuple(MISFITS),
        (),
        7.25,
        SHEET.sorts,
    )
    assert state["progress"]["screens"] == 1
    assert state["progress"]["answers"] == 5


def test_an_overview_says_which_groups_are_the_same_and_which_not(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, OVERVIEW)

    state = post(ann, "overview", screen=id_, same=[[ONE[0], ONE[1]]], seconds=3.0)

    assert state["saved"] == "Saved: 2 groups are the same"
    relation = here.session.known.constraints.relation
    assert relation(ONE[0], ONE[1]) == "same"
    assert relation(TWO[0], ONE[1]) == relation(TWO[0], THREE[0]) == "different"
    told = last_told(here)
    assert told.shown is not None
    assert (told.shown.kind, told.shown.speakers) == ("overview", GROUPS)
    assert len(here.project.acts()) == 1


def test_an_answer_says_how_long_it_took(here: Served, ann: TestClient) -> None:
    post_settings(ann, screens="pairs")
    question = state_of(ann)["question"]["id"]

    post(ann, "answer", question=question, verdict="unsure", seconds=2.5)

    assert last_told(here).shown == Shown("pair", seconds=2.5)


def test_misfits_are_put_where_they_belong(here: Served, ann: TestClient) -> None:
    elsewhere = here.elsewhere("bob")
    elsewhere.tell_pair(TWO[3], TWO[4], "same")
    elsewhere.tell_pair(ONE[0], ONE[1], "same")
    elsewhere.tell_pair(TWO[3], ONE[0], "different")
    id_ = give(here, SHEET)
    reply = ann.get("/api/candidates", params={"items": MISFITS})
    assert reply.status_code == 200, reply.text
    found = reply.json()

    assert found["question"] == id_
    assert 1 <= len(found["groups"]) <= 8
    members = {m for group in found["groups"] for m in items(group["members"])}
    assert members.isdisjoint({*ONE[:2], *MISFITS})
    right = next(g["id"] for g in found["groups"] if TRUTH[g["id"]] == 1)
    pile = {"items": MISFITS, "group": right}
    post(ann, "sheet", screen=id_, tapped=MISFITS, piles=[pile], seconds=9.0)

    relation = here.session.known.constraints.relation
    assert all(relation(item, right) == "same" for item in MISFITS)
    told = last_told(here)
    assert {a.how for a in told.answers} == {"tapped", "passed", "piled"}
    assert told.shown is not None
    assert told.shown.offered == (1,)


def test_a_pile_of_none_of_these_is_a_group_of_its_own(
    here: Served, ann: TestClient
) -> None:
    here.elsewhere("bob").tell_pair(THREE[0], THREE[1], "same")
    id_ = give(here, SHEET)
    pile = {"items": MISFITS, "group": None, "unlike": [THREE[0]]}

    post(ann, "sheet", screen=id_, tapped=MISFITS, piles=[pile])

    relation = here.session.known.constraints.relation
    assert relation(*MISFITS) == "same"
    assert relation(MISFITS[0], THREE[1]) == "different"


def test_what_others_settled_meanwhile_is_told_and_kept_as_doubtful(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, SHEET)
    assert state_of(ann)["screen"]["id"] == id_
    here.elsewhere("bob").tell_pair(ONE[2], ONE[0], "different")
    here.elsewhere("bob").tell_pair(ONE[3], ONE[0], "same")
    assert state_of(ann)["screen"]["id"] == id_

    state = post(ann, "sheet", screen=id_, tapped=MISFITS)

    (doubtful,) = here.session.doubtful
    assert state["disagreement"] == doubtful.id
    assert doubtful.question.sample == ONE[2]
    assert len(last_told(here).answers) == len(SHEET.items)


def test_a_screen_of_which_nothing_is_left_is_exchanged(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, SHEET)
    elsewhere = here.elsewhere("bob")
    for item in SHEET.items:
        verdict = "different" if item in MISFITS else "same"
        assert state_of(ann)["screen"]["id"] == id_
        elsewhere.tell_pair(item, ONE[0], verdict)

    state = state_of(ann)
    late = post(ann, "sheet", screen=id_, tapped=MISFITS)

    assert (state["screen"] or state["question"])["id"] != id_
    assert (late["notice"], late["saved"]) == (ALREADY, None)


def test_what_was_set_aside_meanwhile_is_left_out(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, SHEET)
    state = post(ann, "aside", item=MISFITS[0])
    assert state["screen"]["id"] == id_
    assert items(state["screen"]["items"]) == list(SHEET.items[1:])

    pile = {"items": MISFITS}
    post(ann, "sheet", screen=id_, tapped=MISFITS, unsure=MISFITS[:1], piles=[pile])

    told = [answer.question.sample for answer in last_told(here).answers]
    assert told == list(SHEET.items[1:])


def test_groups_that_were_set_aside_meanwhile_are_left_out(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, OVERVIEW)
    post(ann, "aside", item=ONE[1])

    post(ann, "overview", screen=id_, same=[[ONE[0], ONE[1]]])

    seen = {end for a in last_told(here).answers for end in a.question.pair}
    assert seen == {ONE[0], TWO[0], THREE[0]}


def test_a_sheet_that_was_set_aside_whole_takes_nothing(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, SHEET)
    state_of(ann)
    here.elsewhere("bob").set_aside(ONE[0])

    reply = ann.post("/api/sheet", json={"screen": id_, "client_id": new_id()})

    assert (reply.status_code, reply.json()["error"]) == (409, ASIDE)
    assert len(here.project.acts()) == 1


# It stays theirs


@pytest.mark.parametrize("screen", [SHEET, OVERVIEW])
def test_a_screen_stays_over_reload_and_restart(
    here: Served, ann: TestClient, screen: Sheet | Overview
) -> None:
    give(here, screen)
    first = state_of(ann)["screen"]

    assert state_of(ann)["screen"] == first
    again = here.restarted()
    assert state_of(again.seat("ann"))["screen"] == first
    assert again.service.turn("ann").mine == here.service.turn("ann").mine


def test_what_the_planner_shows_stays_over_a_restart(
    here: Served, ann: TestClient
) -> None:
    state = state_of(ann)
    for _ in range(8):
        shown = state["screen"] or state["question"]
        found = state_of(here.restarted().seat("ann"))
        assert (found["screen"] or found["question"]) == shown
        if shown is None:
            break
        path, body = filled(state, TRUTH)
        state = post(ann, path, **body)


def test_a_sheet_sent_twice_is_told_once(here: Served, ann: TestClient) -> None:
    id_ = give(here, SHEET)
    body = {"screen": id_, "tapped": MISFITS, "client_id": new_id()}

    first = ann.post("/api/sheet", json={**body, "seconds": 7.0}).json()
    second = ann.post("/api/sheet", json={**body, "seconds": 9.0}).json()
    third = here.restarted().seat("ann").post("/api/sheet", json=body).json()

    assert first["notice"] is second["notice"] is third["notice"] is None
    assert first["version"] == second["version"] == third["version"] == 1
    other = ann.post("/api/sheet", json={**body, "tapped": []})
    assert other.status_code == 409


def test_a_screen_of_another_tab_is_not_told_again(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, OVERVIEW)
    post(ann, "overview", screen=id_, same=[])

    state = post(ann, "overview", screen=id_, same=[])

    assert (state["notice"], state["saved"]) == (ALREADY, None)
    assert len(here.project.acts()) == 1


def test_a_lease_grows_with_what_there_is_to_look_at(
    here: Served, ann: TestClient, clock: Clock
) -> None:
    give(here, SHEET)
    state_of(ann)
    (mine,) = here.project.latest(0).questions

    assert mine.until == clock() + LEASE + 20 * SHEET.seconds


@pytest.mark.parametrize("seed", range(3))
def test_no_two_people_have_the_same_item_before_them(here: Served, seed: int) -> None:
    rng, people = random.Random(seed), ("ann", "bob", "cat")
    seats = {who: here.seat(who) for who in people}
    n_screens = 0
    for _ in range(25):
        who = rng.choice(people)
        state = state_of(seats[who], fits=rng.choice((6, 24)))
        open_ = here.project.latest(0).questions
        asked = [{q.sample for q in one.questions} for one in open_]
        assert sum(map(len, asked)) == len(set().union(*asked))
        n_screens += state["screen"] is not None
        if state["status"] == "asking" and rng.random() < 0.8:
            path, body = filled(state, TRUTH)
            assert post(seats[who], path, **body)["notice"] is None
    assert n_screens


def test_everybody_of_several_has_something_to_look_at(here: Served) -> None:
    people = [here.seat(f"person {at}") for at in range(4)]
    states = [state_of(browser, fits=8) for browser in people]

    for _ in range(5):
        assert {state["status"] for state in states} == {"asking"}
        for at, browser in enumerate(people):
            path, body = filled(states[at], TRUTH)
            states[at] = post(browser, path, **body)
            assert states[at]["notice"] is None
        if states[-1]["progress"]["settled"] > 0.5:
            break


# Undo, and one pair instead


def test_undo_takes_back_a_whole_sheet_and_shows_it_again(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, SHEET)
    before = state_of(ann)["screen"]
    post(ann, "sheet", screen=id_, tapped=MISFITS[:1], unsure=[ONE[3]], seconds=5.0)

    state = post(ann, "undo")

    screen = state["screen"]
    assert state["saved"] == "Undone"
    assert screen["before"] == {"tapped": MISFITS[:1], "unsure": [ONE[3]]}
    assert screen["id"] != id_
    for name in ("kind", "tap", "speakers", "items"):
        assert screen[name] == before[name]
    assert not len(here.session.history)
    assert state_of(ann)["screen"] == {**screen, "before": None}
    assert state_of(here.restarted().seat("ann"))["screen"]["id"] == screen["id"]
    assert post(ann, "sheet", screen=screen["id"], tapped=MISFITS)["saved"]
    assert len(here.session.history) == len(SHEET.items)


def test_undo_takes_back_an_overview_also_after_a_restart(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, OVERVIEW)
    post(ann, "overview", screen=id_, same=[[ONE[0], ONE[1]]])

    screen = post(here.restarted().seat("ann"), "undo")["screen"]

    assert screen["before"] == [[ONE[1], ONE[0]]]
    assert items(group["speaker"] for group in screen["groups"]) == list(GROUPS)
    assert post(ann, "overview", screen=screen["id"], same=[])["saved"]
    known = here.session.known.constraints
    pairs = [question.pair for question in OVERVIEW.questions]
    assert all(known.relation(*pair) == "different" for pair in pairs)


def test_undo_takes_back_piles_too(here: Served, ann: TestClient) -> None:
    id_ = give(here, SHEET)
    pile = {"items": MISFITS, "group": None, "unlike": [THREE[0]]}
    post(ann, "sheet", screen=id_, tapped=MISFITS, piles=[pile])

    screen = post(ann, "undo")["screen"]

    assert screen["before"]["tapped"] == MISFITS
    assert screen["sorts"]
    assert not len(here.session.history)


def test_a_misfit_that_was_put_elsewhere_is_asked_about_anew() -> None:
    guess = Prediction(0.4, "sample", if_different=NEW)
    sheet = Sheet((7,), (Question(1, 7, guess), Question(2, 7, guess)), sorts=True)
    left = Prediction(0.4, "sample", if_different=-3)
    answers = [*sheet.answers([1, 2])]
    piled = [
        type(a)(Question(a.question.sample, 9), a.verdict, how="piled")
        for a in answers[:1]
    ]
    first = type(answers[0])(Question(1, 7, left), answers[0].verdict, how="tapped")
    shown = Shown("sheet", (7,), (1, 2), "misfits", (1, 2), (8,))

    again = screen_in(Told((first, answers[1], *piled), shown))

    assert isinstance(again, Sheet)
    means = [q.predicted and q.predicted.if_different for q in again.questions]
    assert means == [GO_ON, NEW]


def test_a_pair_is_given_instead_of_a_screen(here: Served, ann: TestClient) -> None:
    id_ = give(here, SHEET)
    body = {"screen": id_, "client_id": new_id()}

    state = ann.post("/api/skip", json=body).json()
    again = ann.post("/api/skip", json=body).json()

    assert (state["screen"], state["notice"], state["saved"]) == (None, None, None)
    assert state["question"] == again["question"]
    assert here.project.acts() == ()
    assert (state_of(ann)["question"] or {})["id"] == state["question"]["id"]
    late = post(ann, "sheet", screen=id_, tapped=[])
    assert late["notice"] == ALREADY


def test_a_pair_is_not_skipped(ann: TestClient) -> None:
    post_settings(ann, screens="pairs")
    question = state_of(ann)["question"]

    state = post(ann, "skip", screen=question["id"])

    assert state["question"] == question


# Refused, in one sentence


OFF = ONE[6]  # not on the sheet


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("sheet", {"tapped": [OFF]}, 400),
        ("sheet", {"unsure": [OFF]}, 400),
        ("sheet", {"tapped": MISFITS, "piles": [{"items": [OFF]}]}, 400),
        ("sheet", {"tapped": [], "piles": [{"items": MISFITS}]}, 400),
        (
            "sheet",
            {"tapped": MISFITS, "piles": [{"items": MISFITS, "group": ONE[0]}]},
            400,
        ),
        ("sheet", {"tapped": MISFITS, "piles": [{"items": [], "group": 1}]}, 422),
        (
            "sheet",
            {"tapped": MISFITS, "piles": [{"items": MISFITS, "group": 10**9}]},
            400,
        ),
        (
            "sheet",
            {"tapped": MISFITS, "piles": [{"items": MISFITS, "unlike": [10**9]}]},
            400,
        ),
        (
            "sheet",
            {"tapped": MISFITS, "piles": [{"items": MISFITS, "unlike": MISFITS}]},
            400,
        ),
        ("sheet", {"tapped": ["a"]}, 422),
        ("sheet", {"tapped": [], "seconds": -1}, 422),
        ("sheet", {"tapped": [], "seconds": "soon"}, 422),
        ("sheet", {"tapped": [], "fits": 3}, 422),
        ("sheet", {"tapped": [], "fits": 49}, 422),
        ("sheet", {"shown": []}, 422),
        ("overview", {"same": []}, 400),
        ("overview", {"same": [[ONE[0]]]}, 422),
        ("answer", {"verdict": "same"}, 400),
        ("pick", {"group": "new"}, 400),
    ],
)
def test_what_cannot_be_said_of_a_sheet_is_refused(
    here: Served, ann: TestClient, path: str, body: dict[str, Any], code: int
) -> None:
    id_ = give(here, SHEET)
    name = "question" if path in ("answer", "pick") else "screen"

    reply = ann.post(f"/api/{path}", json={name: id_, "client_id": new_id(), **body})

    assert reply.status_code == code, reply.text
    assert reply.json()["error"].endswith(".")
    assert here.project.acts() == ()
    assert state_of(ann)["screen"]["id"] == id_


@pytest.mark.parametrize("same", [[[ONE[0], OFF]], [[ONE[0], ONE[1]]] * 2])
def test_what_cannot_be_said_of_an_overview_is_refused(
    here: Served, ann: TestClient, same: list[list[int]]
) -> None:
    body = {"screen": give(here, OVERVIEW), "same": same, "client_id": new_id()}

    reply = ann.post("/api/overview", json=body)

    assert reply.status_code == 400, reply.text
    assert here.project.acts() == ()


@pytest.mark.parametrize("query", ["fits=3", "fits=49", "fits=x"])
def test_nobody_has_such_a_screen(ann: TestClient, query: str) -> None:
    assert ann.get(f"/api/state?{query}").status_code == 422


def test_candidates_are_for_items_of_the_sheet(here: Served, ann: TestClient) -> None:
    give(here, SHEET)
    state_of(ann)

    assert ann.get("/api/candidates").status_code == 404
    assert ann.get(f"/api/candidates?items={OFF}").status_code == 400
    assert ann.get("/api/candidates?items=-1").status_code == 422
    assert ann.get(f"/api/candidates?items={10**30}").status_code == 422
    give(here, OVERVIEW)
    state_of(ann)
    assert ann.get(f"/api/candidates?items={ONE[0]}").status_code == 400


# Afterwards


def test_the_history_says_what_a_screen_was(here: Served, ann: TestClient) -> None:
    id_ = give(here, SHEET)
    post(ann, "sheet", screen=id_, tapped=MISFITS, unsure=[ONE[4]])
    id_ = give(here, OVERVIEW)
    post(ann, "overview", screen=id_, same=[[ONE[0], ONE[1]]])
    id_ = give(
        here, Sheet((THREE[0],), tuple(Question(i, THREE[0]) for i in THREE[1:3]))
    )
    post(ann, "sheet", screen=id_, tapped=[])

    acts = ann.get("/api/history").json()["acts"]

    assert [act["words"] for act in acts] == [
        "looked through 2 items: none did not belong",
        "compared 4 groups: 2 were the same",
        "looked through 5 items: 2 did not belong, 1 not sure",
    ]
    assert [act["how"] for act in acts] == ["sheet", "overview", "sheet"]
    assert items(acts[2]["items"]) == [ONE[0], *SHEET.items]
    assert {entry["how"] for entry in acts[2]["answers"]} == {"tapped", "passed"}
    found = ann.get("/api/history?how=overview").json()
    assert found["n_acts"] == 1
    page = ann.get("/history")
    assert page.status_code == 200
    assert "Looked through 5 items: 2 did not belong, 1 not sure" in page.text
    assert "seen and not tapped" in page.text


def test_a_sheet_is_undone_and_brought_back_from_the_history(
    here: Served, ann: TestClient
) -> None:
    id_ = give(here, SHEET)
    post(ann, "sheet", screen=id_, tapped=MISFITS)
    first = [(a.question.pair, a.verdict) for a in here.session.history]

    post(ann, "undo-act", act=0)
    assert not len(here.session.history)
    post(ann, "undo-act", act=1)

    said = [(a.question.pair, a.verdict) for a in here.session.history]
    assert said == first


def test_numbers_of_groups_stay_with_a_sheet(here: Served, ann: TestClient) -> None:
    before = {g["id"]: g["number"] for g in ann.get("/api/groups").json()["groups"]}
    id_ = give(here, SHEET)
    post(ann, "sheet", screen=id_, tapped=MISFITS)
    again = here.restarted().seat("ann")

    after = again.get("/api/groups").json()["groups"]

    assert {TRUTH[g["id"]]: g["number"] for g in after} == {
        TRUTH[item]: number for item, number in before.items()
    }


def test_seconds_that_a_person_took_are_at_hand(here: Served, ann: TestClient) -> None:
    for _ in range(3):
        state = state_of(ann)
        path, body = filled(state, TRUTH)
        post(ann, path, **{**body, "seconds": 5.5})
    post(ann, "undo")

    shown = here.service._tally.shown("ann", 200)

    assert [one.seconds for one in shown] == [5.5, 5.5]
    assert here.service._tally.shown("bob", 200) == []
    assert len(here.service._tally.shown("ann", 1)) == 1


def test_pictures_of_what_may_follow_a_pair_are_listed(tmp_path: Path) -> None:
    source = path_source(picture_folder(tmp_path / "p"), tmp_path / "vectors")
    here = served(tmp_path, source, project=new_project(screens="all")).prepared()
    ann = here.seat("ann")
    state, n_pairs = state_of(ann), 0
    while state["status"] == "asking" and n_pairs < 2:
        pictures = ann.get("/api/ahead").json()["pictures"]
        assert state["screen"] is None or not pictures
        n_pairs += state["screen"] is None
        path, body = filled(state, [at % 2 for at in range(12)])
        state = post(ann, path, **body)
    assert told_in(here.project.acts()[0].event)

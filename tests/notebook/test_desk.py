"""What a view asks for is in the session at once; what is late changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from likewise import Session, Verdict
from likewise.notebook._contents import contents_of
from likewise.notebook._desk import DISPUTED, LATE, Desk
from likewise.session import Group

N = 60
ALL = ("pair", "sheet", "overview")


def a_session(**how: Any) -> tuple[Session, Any]:
    X, y = make_blobs(N, centers=4, cluster_std=1.4, random_state=3)
    return Session(X, **how), y


def a_desk(session: Session, kinds: Iterable[str] = ALL) -> Desk:
    words = [f"leaf {at}" for at in range(session.n_samples)]
    return Desk(session, contents_of(session.n_samples, words, None), "?", kinds, "d")


def state_of(desk: Desk) -> dict[str, Any]:
    state: dict[str, Any] = desk.reply({"what": "state"}).message["state"]
    return state


def filled(state: dict[str, Any], y: Any) -> dict[str, Any]:
    """Return what somebody who knows says to a screen."""
    if question := state["question"]:
        is_same = y[question["sample"]["item"]] == y[question["against"]["item"]]
        verdict = "same" if is_same else "different"
        return {"what": "answer", "screen": question["id"], "verdict": verdict}
    screen = state["screen"]
    if screen["kind"] == "sheet":
        truth = y[screen["speakers"][0]["item"]]
        items = [card["item"] for card in screen["items"]]
        is_in = screen["tap"] == "members"
        tapped = [item for item in items if (y[item] == truth) == is_in]
        return {"what": "sheet", "screen": screen["id"], "tapped": tapped}
    parts: dict[int, list[int]] = {}
    for group in screen["groups"]:
        item = group["speaker"]["item"]
        parts.setdefault(int(y[item]), []).append(item)
    same = [part for part in parts.values() if len(part) > 1]
    return {"what": "overview", "screen": screen["id"], "same": same}


def answered(desk: Desk, y: Any, most: int = 200) -> dict[str, Any]:
    state = state_of(desk)
    for _ in range(most):
        if state["status"] == "settled":
            break
        state = desk.reply(filled(state, y)).message["state"]
    return state


@pytest.mark.parametrize("kinds", [ALL, ("pair",)])
def test_whoever_answers_rightly_sorts_everything(kinds: tuple[str, ...]) -> None:
    session, y = a_session()

    last = answered(a_desk(session, kinds), y)

    together = session.labels[:, None] == session.labels[None, :]
    assert last["status"] == "settled"
    assert (together == (y[:, None] == y[None, :])).all()


def test_all_that_is_sent_is_plain() -> None:
    session, y = a_session()
    desk = a_desk(session)
    for _ in range(12):
        state = state_of(desk)
        json.dumps(state, allow_nan=False)
        if state["question"]:
            asked = {"what": "candidates", "screen": state["question"]["id"]}
            json.dumps(desk.reply({**asked, "page": 0}).message, allow_nan=False)
        desk.reply(filled(state, y))


def test_an_answer_is_in_the_session_at_once_and_undo_takes_it_back() -> None:
    session, y = a_session()
    desk = a_desk(session, ["pair"])
    before = session.labels

    first = state_of(desk)
    told = desk.reply({**filled(first, y), "seconds": 1.5}).message["state"]
    assert (session.n_questions, told["saved"], told["can_undo"]) == (1, "Saved", True)

    back = desk.reply({"what": "undo"}).message["state"]
    assert (session.n_questions, back["saved"], back["can_undo"]) == (
        0,
        "Undone",
        False,
    )
    assert back["question"]["before"] in {"same", "different"}
    assert back["question"]["sample"] == first["question"]["sample"]
    np.testing.assert_array_equal(session.labels, before)


def test_a_screen_that_was_taken_back_has_its_marks() -> None:
    session, y = a_session()
    for kind in ("sheet", "overview"):
        desk = a_desk(session, [kind])
        said = filled(state_of(desk), y)
        desk.reply(said)
        screen = desk.reply({"what": "undo"}).message["state"]["screen"]
        if kind == "sheet":
            assert screen["before"] == {"tapped": said["tapped"], "unsure": []}
        else:
            assert sorted(map(sorted, screen["before"])) == sorted(said["same"])


def test_an_answer_to_an_earlier_screen_changes_nothing() -> None:
    session, y = a_session()
    desk = a_desk(session, ["pair"])
    late = filled(state_of(desk), y)
    desk.reply(late)

    state = desk.reply(late).message["state"]

    assert (session.n_questions, state["notice"]) == (1, LATE)


def test_what_is_told_elsewhere_makes_the_screen_late() -> None:
    session, y = a_session()
    desk = a_desk(session, ["pair"])
    late = filled(state_of(desk), y)
    question = session.ask()
    assert question is not None
    session.tell(question, "unsure")

    assert desk.reply(late).message["state"]["notice"] == LATE
    assert session.n_questions == 1


def test_a_group_is_picked() -> None:
    session, y = a_session()
    desk = a_desk(session, ["pair"])
    for _ in range(6):
        desk.reply(filled(state_of(desk), y))
    question = state_of(desk)["question"]
    sample = question["sample"]["item"]

    asked = {"screen": question["id"], "page": 0}
    found = desk.reply({**asked, "what": "candidates"}).message["found"]
    right = next(g for g in found["groups"] if y[g["id"]] == y[sample])
    desk.reply({**asked, "what": "pick", "group": right["id"], "rejected": []})

    groups = [g for g in session.groups if isinstance(g, Group) and sample in g.samples]
    assert found["question"] == question["id"]
    assert groups
    assert right["id"] in groups[0].samples


def test_a_new_group_is_unlike_all_others() -> None:
    session, y = a_session()
    desk = a_desk(session, ["pair"])
    for _ in range(6):
        desk.reply(filled(state_of(desk), y))
    question = state_of(desk)["question"]
    sample, n_groups = question["sample"]["item"], len(session.groups)

    picked = {"what": "pick", "screen": question["id"], "group": "new", "rejected": []}
    desk.reply(picked)

    assert len(session.groups) >= n_groups
    assert [g.samples for g in session.groups if sample in g.samples] == [(sample,)]


def test_one_pair_instead_of_a_screen_and_then_screens_again() -> None:
    session, y = a_session()
    desk = a_desk(session, ["sheet", "pair"])
    while state_of(desk)["screen"] is None:
        desk.reply(filled(state_of(desk), y))

    screen = state_of(desk)["screen"]
    pair = desk.reply({"what": "skip", "screen": screen["id"]}).message["state"]
    assert pair["question"] is not None

    desk.reply(filled(pair, y))
    assert not desk._now.is_pair_wanted


def test_what_is_set_aside_is_not_asked_again() -> None:
    session, _ = a_session()
    desk = a_desk(session, ["pair"])
    question = state_of(desk)["question"]

    desk.reply({"what": "aside", "screen": question["id"]})

    assert session.labels[question["sample"]["item"]] == -1


def test_the_start_of_a_session_is_not_undone() -> None:
    session, _ = a_session(known={0: "oak", 1: "elm"})
    n_told = len(session.history)

    state = a_desk(session).reply({"what": "undo"}).message["state"]

    assert not state["can_undo"]
    assert len(session.history) == n_told


def test_an_answer_that_disagrees_is_kept_and_said() -> None:
    session, y = a_session()
    desk = a_desk(session, ["pair"])
    denied: list[int] = []
    while not denied:
        state = desk.reply(filled(state_of(desk), y)).message["state"]
        asked = state["question"]["id"], state["question"]["sample"]["item"]
        told = [a for a in session.history if a.verdict is Verdict.DIFFERENT]
        denied = [a.question.against for a in told if a.question.sample == asked[1]]

    picked = {"what": "pick", "group": denied[0], "rejected": [], "screen": asked[0]}
    state = desk.reply(picked).message["state"]

    assert state["notice"] == DISPUTED
    assert len(session.doubtful) == 1


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"what": "everything"},
        {"what": "look", "items": ["a"]},
        {"what": "candidates", "screen": "gone", "page": 0},
    ],
)
def test_what_no_view_asks_for_is_refused_in_a_sentence(request_: Any) -> None:
    session, _ = a_session()

    error = a_desk(session).reply(request_).message["error"]

    assert error.endswith(".")


def test_pictures_come_with_what_shows_them_and_no_others() -> None:
    session, _ = a_session()
    pictures = np.random.default_rng(0).random((N, 4, 4))
    contents = contents_of(N, pictures, None)
    desk = Desk(session, contents, "?", ["pair"], "d")

    reply = desk.reply({"what": "state"})

    question = reply.message["state"]["question"]
    shown = {str(question[side]["item"]) for side in ("sample", "against")}
    assert set(reply.message["pictures"]) == shown
    assert [content[:2] for content in reply.pictures] == [b"\xff\xd8"] * 2


def test_two_rows_show_first_what_differs() -> None:
    rows = [{"leaf": "oak", "cm": "8"}, {"leaf": "oak", "cm": "9"}]
    session = Session([[0.0], [0.1], [5.0], [5.1]])
    desk = Desk(session, contents_of(4, rows * 2, None), "?", ["pair"], "d")

    cards = desk.reply({"what": "look", "items": [0, 1]}).message["cards"]

    assert [column["name"] for column in cards[0]["columns"]] == ["cm", "leaf"]
    assert [column["differs"] for column in cards[1]["columns"]] == [True, False]

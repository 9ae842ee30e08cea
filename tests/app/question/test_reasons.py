"""Why something is asked, and why the picker opens: in a few words, with no numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.app.places import Served, answered, rows_source, served, truly
from tests.problems import blobs

PILE = blobs((10, 10, 10), spread=1.2)
right = truly(PILE)


def sorting(folder: Path, **settings: Any) -> Served:
    here = served(folder, rows_source(PILE))
    here.project.change(settings)
    return here.prepared()


def test_every_question_has_a_short_reason_without_numbers_or_checks(
    tmp_path: Path,
) -> None:
    browser = sorting(tmp_path, checks=3).seat()
    state = browser.get("/api/state").json()
    for _ in range(30):
        if state["question"] is None:
            break
        why = state["question"]["why"]
        assert len(why) < 80
        assert "%" not in why
        assert not re.search("check|earlier|make sure", why)
        state = answered(browser, right(state), state)
    assert state["progress"]["checks"] > 3


def test_the_reason_can_be_switched_off_for_everybody(tmp_path: Path) -> None:
    here = sorting(tmp_path)
    reply = here.seat("ann").post("/api/settings", json={"why": False})

    assert reply.json()["question"]["why"] is None
    assert here.seat("bob").get("/api/state").json()["question"]["why"] is None
    assert here.project.info().settings["why"] is False


def test_scores_stay_hidden_where_reasons_are_shown(tmp_path: Path) -> None:
    browser = sorting(tmp_path).seat()
    state = browser.get("/api/state").json()
    for _ in range(6):
        state = answered(browser, right(state), state)
    groups = browser.get("/api/candidates").json()["groups"]

    assert groups
    assert {group["probability"] for group in groups} == {None}


def test_the_picker_never_lists_a_group_twice(tmp_path: Path) -> None:
    browser = sorting(tmp_path).seat()
    state = browser.get("/api/state").json()
    for _ in range(20):
        if state["question"] is None:
            break
        groups = browser.get("/api/candidates").json()["groups"]
        numbers = [group["number"] for group in groups if group["number"]]
        assert len(set(numbers)) == len(numbers)
        state = answered(browser, right(state), state)


def test_the_picker_shows_the_nearest_and_then_typical_confirmed_members(
    tmp_path: Path,
) -> None:
    here = sorting(tmp_path)
    browser = here.seat()
    state = browser.get("/api/state").json()
    for _ in range(14):
        state = answered(browser, right(state), state)
    sample = state["question"]["sample"]["item"]
    weights = here.session.weights
    for group in browser.get("/api/candidates").json()["groups"]:
        shown = [card["item"] for card in group["members"]]
        found = next(g for g in here.session.groups if group["id"] in g.samples)
        confirmed = [s for s in found.samples if s != sample]
        assert sample not in shown
        if confirmed:
            assert shown[0] == max(confirmed, key=lambda s: weights[sample, s])
            assert set(shown[: len(confirmed)]) <= set(confirmed)

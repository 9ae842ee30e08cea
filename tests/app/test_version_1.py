"""A project of version 0.1 opens, shows what it showed, and goes on."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.app.places import Clock, Served, answered, new_id

from likewise.app import PathSource
from likewise.items import Reading
from likewise.storage import open_store

FILES = Path(__file__).parents[1] / "data" / "v1"
EXPECTED = json.loads((FILES / "app.expected.json").read_text())
STATE = EXPECTED["state"]
CARD = ("number", "id", "name", "size", "confirmed", "unsure")
CLOSE = 0.01  # of probabilities: their third digit differs between processors


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Served]:
    """A copy of the project, served by this version."""
    for name in ("app.db", "table.csv"):
        shutil.copy(FILES / name, tmp_path)
    store = open_store(tmp_path / "app.db")
    source = PathSource(
        tmp_path / "table.csv", "auto", tmp_path / "v", Reading(label="group")
    )
    project = store.project("table")
    now = project.acts()[-1].at + 1.0
    yield Served(project, source, tmp_path, clock=Clock(now)).prepared()
    store.close()


def seen(state: Any) -> Any:
    """Return of a question what the file says of it."""
    question = state["question"]
    return {
        "id": question["id"],
        "sample": question["sample"]["item"],
        "against": question["against"]["item"],
        "group": {name: question["group"][name] for name in CARD},
        "picker": question["picker"],
        "before": question["before"],
    }


def groups(browser: TestClient) -> list[dict[str, Any]]:
    found = browser.get("/api/groups").json()["groups"]
    return [{name: group[name] for name in CARD} for group in found]


def numbers(browser: TestClient) -> dict[str, int]:
    return {str(group["number"]): group["id"] for group in groups(browser)}


@pytest.mark.parametrize("who", EXPECTED["people"])
def test_everybody_has_the_question_they_had(older: Served, who: str) -> None:
    state = older.seat(who).get("/api/state").json()

    assert seen(state) == STATE[f"question_of_{who}"]
    status = STATE[f"status_of_{who}"]
    assert {name: state[name] for name in status} == status


def test_groups_names_and_numbers_are_as_they_were(older: Served) -> None:
    browser = older.seat("ann")

    assert groups(browser) == STATE["groups"]
    assert numbers(browser) == STATE["numbers_shown"]
    progress = browser.get("/api/state").json()["progress"]
    then = STATE["progress"]
    assert {name: progress[name] for name in then} == pytest.approx(then, abs=CLOSE)


def test_exports_are_as_they_were(older: Served) -> None:
    text = older.seat("ann").get("/export/csv").text
    rows = list(csv.DictReader(io.StringIO(text)))

    for row, before in zip(rows, STATE["export_rows"], strict=True):
        chance, old = row.pop("probability"), before["probability"]
        assert row == {key: before[key] for key in row}
        # Methods learn: how sure they are may change, what they say of it may not.
        assert (chance and float(chance)) == (
            old and pytest.approx(float(old), abs=5 * CLOSE)
        )


def test_history_has_every_act(older: Served) -> None:
    found = older.seat("ann").get("/api/history").json()

    totals = STATE["history_total"]
    assert {name: found[name] for name in totals} == totals


def test_what_was_done_before_is_not_done_again(older: Served) -> None:
    last = EXPECTED["acts_kept"][-1]
    body = {"question": last["closed"], "verdict": "same"}
    ann = older.seat(last["who"])
    state = ann.post("/api/answer", json={**body, "client_id": last["client_id"]})

    assert state.json()["notice"] is None
    assert state.json()["version"] == len(EXPECTED["acts_kept"])


def test_numbers_go_on_from_those_of_the_settings(older: Served) -> None:
    ann = older.seat("ann")
    before = numbers(ann)
    answered(ann, "same")
    body = {"item": next(iter(before.values())), "name": "elm", "client_id": new_id()}
    ann.post("/api/rename", json=body)

    assert before.items() <= numbers(older.restarted().seat("ben")).items()
    kept = older.project.info().settings["numbers"]
    assert kept == EXPECTED["settings_kept"]["numbers"]  # nothing writes there any more

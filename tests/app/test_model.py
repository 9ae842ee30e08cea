"""A model as reader beside the people, started by the owner on the page of readers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.app.places import Served, new_id, path_source, pile_file, served
from tests.readers.scripted import Script, playing

from likewise.app._auth import name_of
from likewise.app._machine import StartModel
from likewise.errors import InputError


@pytest.fixture
def script() -> Iterator[Script]:
    with playing(Script()) as played:
        yield played


@pytest.fixture
def texts(tmp_path: Path) -> Served:
    """Twelve lines about fruit and about cars."""
    path = pile_file("text", tmp_path)
    return served(tmp_path, path_source(path, tmp_path / "vectors")).prepared()


def same_kind(shown: dict[str, str]) -> dict[str, str]:
    """Tell fruit from cars, whatever is asked."""
    kinds = {
        name: any(w in text for w in ("car", "bus")) for name, text in shown.items()
    }
    (first, *rest) = kinds.values()
    return {"answer": "same" if all(kind is first for kind in rest) else "different"}


def started(here: Served, **said: Any) -> dict[str, Any]:
    """Start a model and wait until it has ended."""
    thread = here.context.machine.start(StartModel(**said))
    thread.join(60)
    return here.seat("ann").get("/api/model").json()


# Off, and for the owner


def test_it_is_off_and_says_what_leaves_the_machine(texts: Served) -> None:
    found = texts.seat("ann").get("/api/model").json()

    assert found["state"] == "off"
    assert found["leaves"] == "The model is on this machine: nothing leaves it."
    assert found["settings"]["key"] == "LIKEWISE_API_KEY"
    assert "A model as reader" in texts.seat("ann").get("/people").text


def test_it_is_the_owners_alone(texts: Served) -> None:
    ann, bob = texts.seat("ann"), texts.seat("bob")
    texts.preparation.change({"owner": "ann"})

    assert bob.post("/api/model/start", json={"model": "m"}).status_code == 403
    assert bob.get("/api/model").status_code == 403
    assert "A model as reader" not in bob.get("/people").text
    assert ann.get("/api/model").status_code == 200


def test_nothing_is_sent_elsewhere_unless_somebody_said_so(texts: Served) -> None:
    with pytest.raises(InputError, match="not this machine: nothing was sent"):
        texts.context.machine.start(
            StartModel(model="m", endpoint="https://models.example/v1")
        )


def test_the_key_is_never_shown(
    texts: Served, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    monkeypatch.setenv("LIKEWISE_API_KEY", "a-secret-key")
    started(texts, model="scripted", endpoint=script.url)

    ann = texts.seat("ann")
    assert ann.get("/api/model").json()["has_key"]
    assert "a-secret-key" not in ann.get("/people").text + ann.get("/api/model").text
    assert "a-secret-key" not in repr(texts.project.info().settings)


def test_nobody_comes_in_under_the_name_of_a_model() -> None:
    with pytest.raises(InputError, match="those of models"):
        name_of("model:small")


# At work


def test_it_reads_in_the_background_and_its_answers_are_marked(
    texts: Served, script: Script
) -> None:
    script.answer = same_kind
    found = started(texts, model="scripted", endpoint=script.url, calls=30)

    assert found["state"] == "ended", found
    assert found["answers"] > 0
    assert found["calls"] > 0
    ann = texts.seat("ann")
    assert texts.project.info().settings["reader"]["model"] == "scripted"
    assert "⚙" in ann.get("/history").text
    assert "Said by a model" in ann.get("/people").text
    assert "model:scripted,model" in ann.get("/export/readers").text
    assert not texts.project.latest(0).questions  # it holds nothing back from people


def test_a_model_that_is_never_sure_enough_is_said_to_be_silent(
    texts: Served, script: Script
) -> None:
    script.answer, script.sure = same_kind, 0.7
    found = started(texts, model="scripted", endpoint=script.url, calls=60)

    assert (found["answers"], found["silent"]) == (0, True)
    assert "it is silent, and people answer" in found["trust"]
    assert found["trust"] in texts.seat("ann").get("/people").text


def test_a_server_that_is_not_there_ends_it_with_a_sentence(texts: Served) -> None:
    found = started(texts, model="m", endpoint="http://127.0.0.1:9/v1")

    assert found["state"] == "failed"
    assert found["words"].endswith(".")
    assert texts.seat("ann").get("/api/state").status_code == 200


def test_it_can_be_stopped_and_started_again(texts: Served, script: Script) -> None:
    machine = texts.context.machine
    machine.stop()
    assert machine.going.state == "off"

    started(texts, model="scripted", endpoint=script.url, calls=2)
    found = started(texts, model="scripted", endpoint=script.url, calls=2)

    assert found["state"] == "ended"


# All that a reader said


def told(here: Served, who: str, n: int = 2) -> None:
    for _ in range(n):
        state = here.seat(who).get("/api/state").json()
        asked, id_ = state["question"], new_id()
        said = {"question": asked["id"], "verdict": "same", "client_id": id_}
        assert here.seat(who).post("/api/answer", json=said).status_code == 200


def standing(here: Served) -> list[str]:
    return [answer.by for answer in here.session.history]


def test_a_reviewer_takes_back_all_that_a_reader_said_and_undoes_it(
    rows: Served, ann: TestClient
) -> None:
    rows.preparation.change({"owner": "ann"})
    told(rows, "bob")
    told(rows, "ann", 1)
    n_acts = len(list(rows.project.acts()))
    wanted = {"who": "ann", "client_id": new_id()}
    assert rows.seat("bob").post("/api/take-back", json=wanted).status_code == 403

    done = ann.post("/api/take-back", json={"who": "bob", "client_id": new_id()}).json()

    assert standing(rows) == ["ann"]
    assert len(list(rows.project.acts())) == n_acts + 1  # one act
    assert done["saved"] == "Saved: all that bob said taken back"
    ann.post("/api/undo-act", json={"act": done["act"], "client_id": new_id()})
    assert standing(rows) == ["bob", "bob", "ann"]


def test_there_must_be_something_to_take_back(ann: TestClient) -> None:
    reply = ann.post("/api/take-back", json={"who": "eve", "client_id": new_id()})

    assert reply.status_code == 409
    assert "Nothing that eve said stands" in reply.json()["error"]

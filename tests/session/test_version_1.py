"""What version 0.1 wrote is opened, and goes on: with the same groups and acts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likewise import Question, Session
from likewise.storage import JsonLinesJournal

FILES = Path(__file__).parents[1] / "data" / "v1"

# What a model expects rests on eigenvectors and on maps that are fitted step by step:
# on another processor the third digit may be another one, the pair may not.
CLOSE = 0.01


def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FILES / f"{name}.expected.json").read_text())
    return found


def shown(question: Question | None) -> dict[str, Any]:
    assert question is not None
    assert question.predicted is not None
    return {
        "sample": question.sample,
        "against": question.against,
        "kind": question.predicted.kind,
        "same": pytest.approx(question.predicted.same, abs=CLOSE),
        "if_different": question.predicted.if_different,
    }


def asked(kept: dict[str, Any]) -> dict[str, Any]:
    predicted = kept["predicted"]
    names = ("kind", "same", "if_different")
    pair = {"sample": kept["sample"], "against": kept["against"]}
    return pair | {name: predicted[name] for name in names}


def assert_goes_on(session: Session, state: dict[str, Any]) -> None:
    assert session.n_questions == state["n_questions"]
    assert session.labels.tolist() == state["labels"]
    assert [answer.id for answer in session.history] == [
        answer["id"] for answer in state["history"]
    ]
    assert [
        (group.id, group.name, group.label, list(group.samples), group.is_certain)
        for group in session.groups
    ] == [tuple(group.values()) for group in state["groups"]]
    assert list(session.acts) == state["acts"]
    assert {str(at): name for at, name in session.names.items()} == state["names"]
    assert [answer.id for answer in session.doubtful] == state["doubtful"]
    assert sorted(session.kept) == state["kept"]
    assert shown(session.check()) == asked(state["next_check"])
    assert shown(session.ask()) == asked(state["next_question"])


def test_a_journal_file_goes_on(tmp_path: Path) -> None:
    was = expected("journal")
    path = shutil.copy(FILES / was["file"], tmp_path)
    X, journal = np.array(was["data"]["X"]), JsonLinesJournal(path)

    session = Session(X, "likewise", 3, random_state=3, journal=journal)

    assert_goes_on(session, was["state"])


def test_a_project_goes_on(tmp_path: Path) -> None:
    was = expected("project")
    path = shutil.copy(FILES / was["file"], tmp_path)

    session = Session.open(path, name=was["name"], who=was["who"])

    assert_goes_on(session, was["state"])

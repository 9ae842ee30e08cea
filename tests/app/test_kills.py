"""Nothing that was acknowledged is lost, however often the server is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.app import killing
from tests.problems import Tiny, blobs

from likewise import Session
from likewise.journal import Told
from likewise.storage import open_store


def written(folder: Path, tiny: Tiny) -> None:
    rows = [
        f"{x!r},{y!r},{k}"
        for (x, y), k in zip(tiny.X.tolist(), tiny.truth, strict=True)
    ]
    (folder / "table.csv").write_text("\n".join(["x,y,group", *rows]))


def killed(folder: Path, method: str, n_answers: int, n_kills: int, seed: int) -> Any:
    """Let a process of its own do the work; return what it saw."""
    words = [method, str(n_answers), str(n_kills), str(seed)]
    done = subprocess.run(
        [sys.executable, killing.__file__, str(folder), *words],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


CASES = [
    pytest.param("likewise", (8,) * 4, 20, 3, id="some answers"),
    pytest.param("random", (10,) * 8, 200, 25, id="many", marks=pytest.mark.slow),
    pytest.param("likewise", (6,) * 20, 200, 25, id="ours", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("method", "sizes", "n_answers", "n_kills"), CASES)
def test_a_killed_server_has_every_acknowledged_answer_and_the_same_question(
    tmp_path: Path,
    seed: int,
    method: str,
    sizes: tuple[int, ...],
    n_answers: int,
    n_kills: int,
) -> None:
    tiny = blobs(sizes, spread=1.5, seed=seed)
    written(tmp_path, tiny)

    saw = killed(tmp_path, method, n_answers, n_kills, seed)

    store = open_store(f"sqlite:///{tmp_path / 'project.db'}")
    acts = store.project("table").acts()
    store.close()
    lost = set(saw["acknowledged"]) - {act.client_id for act in acts}
    p95 = np.percentile(saw["seconds"], 95) * 1000
    print(
        f"{method}: {n_answers} answers, {n_kills} kills, {len(saw['acknowledged'])} "
        f"acknowledged, {len(lost)} lost, {saw['n_repeated']} of those cut off were "
        f"recorded already; p95 of an answer {p95:.0f} ms"
    )
    assert saw["wrong"] == []
    assert [act.client_id for act in acts] == saw["acknowledged"]
    assert len(acts) == n_answers
    told = [act.event.answers[0] for act in acts if isinstance(act.event, Told)]
    asked = [[a.question.sample, a.question.against] for a in told]
    assert asked == saw["pairs"] == undisturbed(tiny, method, n_answers)


def undisturbed(tiny: Tiny, method: str, n_answers: int) -> list[list[int]]:
    """Return what is asked when nothing is killed."""
    X = (tiny.X - tiny.X.mean(axis=0)) / tiny.X.std(axis=0)
    session, asked = Session(X, method), []
    for _ in range(n_answers):
        question = session.ask()
        assert question is not None
        i, j = question.sample, question.against
        session.tell(question, bool(tiny.truth[i] == tiny.truth[j]))
        asked.append([i, j])
    return asked

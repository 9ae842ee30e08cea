"""``likewise read``: a model at work on a project, stopped at any moment."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.readers.scripted import (
    Handler,
    Script,
    failing,
    playing,
    saying,
    shown_in,
)
from tests.readers.trees import TEXTS, TRUTH, project_at, session_of

from likewise import jaccard
from likewise.cli._places import home_of
from likewise.readers import SURE, Patience
from likewise.storage import Project, open_store

SECRET = "sk-very-secret-0123456789"
LABELS = [sorted(set(TRUTH)).index(kind) for kind in TRUTH]
MAIN = "from likewise.cli import main; main()"
# The same, ended by force just before or just after an answer is written.
CUT = """
import os, signal
from likewise.storage import ProjectJournal
append, left = ProjectJournal.append, [{n}]
def cut(journal, event):
    left[0] -= 1
    if left[0] == 0 and {before}:
        os.kill(os.getpid(), signal.SIGKILL)
    append(journal, event)
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
ProjectJournal.append = cut
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIKEWISE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LIKEWISE_API_KEY", raising=False)
    return tmp_path / "home"


@pytest.fixture
def script() -> Iterator[Script]:
    with playing(Script()) as played:
        yield played


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """A folder of texts that is being sorted."""
    folder = tmp_path / "trees"
    folder.mkdir()
    for at, text in enumerate(TEXTS):
        (folder / f"{at}.txt").write_text(text)
    project_at(f"sqlite:///{home_of(folder.resolve()) / 'project.db'}")
    return folder


def kept(trees: Path) -> Project:
    return open_store(home_of(trees.resolve()) / "project.db").project("trees")


def words(trees: Path, script: Script, *more: str) -> list[str]:
    return [
        "read", str(trees), "--model", "tiny", "--endpoint", script.url, *more,
    ]  # fmt: skip


def everything_in(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


# What it says


def test_a_model_reads_a_folder(likewise: Run, trees: Path, script: Script) -> None:
    ran = likewise(*words(trees, script, "--price-in", "2", "--json"))

    said = json.loads(ran.out)
    assert ran.code == 0, ran.err
    assert (said["stopped"], said["silent"]) == (None, False)
    assert (said["calls"], said["unsure"], said["cached"]) == (script.n_calls, 0, 0)
    assert said["tokens"] == 110 * script.n_calls
    assert said["money"] == pytest.approx(2e-4 * script.n_calls)
    session, _ = session_of(kept(trees))
    assert jaccard(LABELS, session.labels) == 1
    assert said["answers"] == session.n_questions
    assert {act.who for act in kept(trees).acts()} == {"model:tiny"}
    assert "Nothing is left to ask" in ran.err


def test_the_help_says_what_is_usual(likewise: Run) -> None:
    said = " ".join(likewise("read", "--help").out.replace("│", " ").split())

    assert f"an answer counts; else {SURE:g}." in said
    assert f"Seconds for one call; else {Patience().timeout:g}." in said
    assert f"came to nothing; else {Patience().retries}." in said


def test_a_model_that_is_never_sure_enough_is_said_to_be_silent(
    likewise: Run, trees: Path, script: Script
) -> None:
    script.sure = 0.7
    ran = likewise(*words(trees, script, "--json"))

    said = json.loads(ran.out)
    assert (said["answers"], said["silent"]) == (0, True)
    assert "it is silent, and people answer" in ran.err


def test_a_limit_is_said_and_a_table_printed(
    likewise: Run, trees: Path, script: Script
) -> None:
    ran = likewise(*words(trees, script, "--budget", "3"))

    rows = dict(line.split("\t") for line in ran.out.splitlines())
    assert ran.code == 0
    assert rows["calls"] == "3"
    assert set(rows) == {
        "what", "answers", "unsure", "calls", "cached", "tokens", "money", "seconds",
    }  # fmt: skip
    assert "The limit of 3 calls is reached: raise it to go on" in ran.err
    assert len(kept(trees).acts()) <= 3


def test_money_is_limited_where_there_are_prices(
    likewise: Run, trees: Path, script: Script
) -> None:
    limited = words(trees, script, "--max-cost", "0.0005")

    without = likewise(*limited)
    within = likewise(*limited, "--price-in", "2")

    assert without.code == 2
    assert "--max-cost needs prices" in without.err
    assert within.code == 0
    assert script.n_calls == 3


def test_the_criterion_is_the_projects_unless_another_is_said(
    likewise: Run, trees: Path, script: Script
) -> None:
    likewise(*words(trees, script, "--budget", "1"))
    kept(trees).change({"criterion": "Is it the same tree?"})
    likewise(*words(trees, script, "--budget", "1"))
    likewise(*words(trees, script, "--budget", "1", "--criterion", "same wood?"))

    asked = [b["messages"][-1]["content"].splitlines()[0] for b in script.asked]
    assert asked == [
        'The criterion: "Do they belong together?"',
        'The criterion: "Is it the same tree?"',
        'The criterion: "same wood?"',
    ]


# What goes wrong


def test_a_server_that_is_not_there_is_named(
    likewise: Run, trees: Path, script: Script
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    script.url = f"http://127.0.0.1:{port}/v1"

    ran = likewise(*words(trees, script, "--json"))

    assert ran.code == 2
    assert f"Nothing answers at {script.url}" in ran.err
    assert json.loads(ran.out)["answers"] == 0


def test_faults_change_nothing_of_what_is_answered(
    likewise: Run, trees: Path, script: Script
) -> None:
    wait = "Retry-After: 0"
    script.faults += [
        failing(429, wait),
        failing(500, wait),
        saying("Well."),
        failing(503),
    ]

    ran = likewise(*words(trees, script, "--json"))

    assert ran.code == 0, ran.err
    session, _ = session_of(kept(trees))
    for answer in session.history:
        i, j = answer.question.pair
        assert (answer.verdict.value == "same") == (TRUTH[i] == TRUTH[j])
    assert json.loads(ran.out)["unsure"] > 0


def test_a_server_that_breaks_down_leaves_what_was_answered(
    likewise: Run, trees: Path, script: Script
) -> None:
    likewise(*words(trees, script, "--budget", "3"))
    n_acts = len(kept(trees).acts())
    script.faults += [failing(500)] * 99

    ran = likewise(*words(trees, script, "--retries", "0"))

    assert ran.code == 2
    assert "is too busy (500: no): go on later; what was answered is kept." in ran.err
    assert len(kept(trees).acts()) == n_acts


def test_another_machine_needs_consent(
    likewise: Run, trees: Path, script: Script
) -> None:
    script.url = "http://192.0.2.1:9/v1"

    ran = likewise(*words(trees, script))

    assert ran.code == 2
    assert "will be sent to http://192.0.2.1:9/v1, which is not this machine" in ran.err
    assert "say --yes if they may leave this machine" in ran.err


def test_what_was_never_opened_is_named(
    likewise: Run, tmp_path: Path, script: Script
) -> None:
    (tmp_path / "new").mkdir()

    ran = likewise(*words(tmp_path / "new", script))

    assert ran.code == 2
    assert "begin with `likewise app" in ran.err


# Keys


def test_no_key_is_ever_written(
    likewise: Run,
    trees: Path,
    script: Script,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LIKEWISE_API_KEY", SECRET)
    echo = saying(f'{{"answer": "same", "note": "{SECRET}"}}')
    refusal = failing(500, says=f"Bearer {SECRET} is over its quota")
    script.faults += [echo, echo]

    ran = likewise(*words(trees, script, "--json"))
    script.faults += [refusal] * 9
    other = likewise(*words(trees, script, "--criterion", "other", "--retries", "0"))

    assert script.headers[0]["Authorization"] == f"Bearer {SECRET}"
    assert (ran.code, other.code) == (0, 2)
    assert SECRET not in ran.out + ran.err + other.out + other.err
    assert (home / "replies.db").stat().st_mode & 0o077 == 0
    assert SECRET.encode() not in everything_in(tmp_path)


# Ended by force


def started(trees: Path, script: Script, before: str = "") -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", before + MAIN, *words(trees, script, "--json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LIKEWISE_API_KEY": SECRET},
    )


def acts_of(trees: Path) -> list[Any]:
    return [(act.event, act.who, act.client_id) for act in kept(trees).acts()]


def test_nothing_is_lost_doubled_or_asked_twice_after_a_kill(
    trees: Path, script: Script, tmp_path: Path
) -> None:
    """Killed while a call is under way, before an answer is written, and after it."""
    child: list[subprocess.Popen[bytes]] = []

    def kill(handler: Handler) -> None:
        child[-1].send_signal(signal.SIGKILL)
        child[-1].wait()
        handler.close_connection = True

    def answer(handler: Handler) -> None:
        body = handler.script.asked[-1]
        said = handler.script.answer(shown_in(body))
        reply = {"choices": [{"message": {"content": json.dumps(said)}}]}
        handler.say(200, reply)

    script.has_chances = False
    script.faults += [answer, answer, answer, kill]
    for cut in ("", CUT.format(n=2, before=True), CUT.format(n=2, before=False)):
        child.append(started(trees, script, cut))
        child[-1].communicate()
        assert child[-1].returncode == -signal.SIGKILL
    n_before = script.n_calls
    child.append(started(trees, script))
    out, err = child[-1].communicate()

    assert child[-1].returncode == 0, err
    assert json.loads(out)["calls"] == script.n_calls - n_before
    prompts = script.prompts
    in_flight = prompts[3]  # its reply never came
    assert len(prompts) == len(set(prompts)) + 1
    assert prompts.count(in_flight) == 2
    interrupted = acts_of(trees)
    ids = [client_id for _, _, client_id in interrupted]
    assert len(ids) == len(set(ids))
    assert jaccard(LABELS, session_of(kept(trees))[0].labels) == 1
    assert SECRET.encode() not in everything_in(tmp_path) + out + err

    undisturbed = project_at("memory://")
    _read_all(undisturbed, script)
    assert interrupted == [
        (act.event, act.who, act.client_id) for act in undisturbed.acts()
    ]


def _read_all(project: Project, script: Script) -> None:
    from tests.readers.trees import reader_of

    from likewise.readers import ModelOracle, ProjectContents

    contents = ProjectContents(project, None)
    oracle = ModelOracle(
        contents,
        model="tiny",
        endpoint=script.url,
        criterion="Do they belong together?",
    )
    list(reader_of(project, oracle).read())

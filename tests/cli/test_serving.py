"""``likewise app``: options, messages, where things are kept, and a real run."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.app.places import picture_folder
from tests.commands import Run

from likewise import InputError
from likewise.app import listening
from likewise.app._schemas import Preparing
from likewise.app._server import PORT
from likewise.cli import _serving as serving
from likewise.cli._places import home_of, secret_of
from likewise.cli._serving import (
    Listening,
    _name_owner,
    chosen_password,
    without_password,
)
from likewise.storage import open_store

MAIN = "from likewise.cli import main; main()"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIKEWISE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LIKEWISE_PASSWORD", raising=False)
    return tmp_path / "home"


# Messages


def test_a_path_that_is_not_there_is_named(likewise: Run) -> None:
    ran = likewise("app", "nowhere", "--no-browser")

    assert ran.code == 2
    assert "There is no nowhere: name a folder or a file." in ran.err
    assert ran.out == ""


def test_a_port_in_use_is_named(likewise: Run, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        ran = likewise("app", "table.csv", "--no-browser", "--port", str(port))

    assert ran.code == 2
    assert f"Port {port} of 127.0.0.1 cannot be used" in ran.err
    assert "choose another one with --port." in ran.err


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_cannot_be_is_named(
    likewise: Run, tmp_path: Path, port: str
) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    ran = likewise("app", "table.csv", "--no-browser", f"--port={port}")

    assert ran.code == 2
    assert f"Port {port} of 127.0.0.1 cannot be used" in ran.err


@pytest.mark.parametrize("command", ["app", "demo"])
def test_other_machines_need_a_password(
    likewise: Run, tmp_path: Path, command: str
) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    words = ["table.csv"] if command == "app" else []
    ran = likewise(command, *words, "--no-browser", "--host", "0.0.0.0")

    assert ran.code == 2
    assert "give a password with --password or LIKEWISE_PASSWORD." in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "magic"], "magic"),
        (["--n-clusters", "some"], "takes a number or 'unknown'"),
        (["--scale", "twice"], "takes 'auto' or 'none'"),
        (["--who", "  "], "A name is needed"),
    ],
)
def test_options_that_cannot_be_are_named(
    likewise: Run, tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    ran = likewise("app", "table.csv", "--no-browser", "--port", "0", *words)

    assert ran.code == 2
    assert said in ran.err


def test_help_names_every_option(likewise: Run) -> None:
    shown = likewise("app", "--help").out

    for option in ("--encoder", "--criterion", "--host", "--password", "--json"):
        assert option in shown


def test_who_may_change_what_others_said_is_named(
    likewise: Run, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    ran = likewise("app", "table.csv", "--no-browser", "--changes", "nobody")

    assert ran.code == 2
    assert "--changes is owner or everybody, not 'nobody'." in ran.err


@pytest.mark.parametrize(
    ("password", "who", "kept", "owner"),
    [
        (None, "me", None, "me"),  # who opens the printed address
        (None, "ann", "bob", "ann"),
        ("word", "ann", "me", "ann"),  # named
        ("word", "me", "bob", "bob"),  # as it was
        ("word", "me", "me", ""),  # begun alone: the first who acts
    ],
)
def test_the_owner_is_noted(
    password: str | None, who: str, kept: str | None, owner: str
) -> None:
    project = open_store("memory://").create("pile", {"owner": kept}, now=0.0)
    how = Listening("127.0.0.1", 0, password, who, no_browser=True, as_json=False)

    _name_owner(project, how)

    assert project.info().settings["owner"] == owner


def test_an_asked_password_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getpass", lambda _: "sesame")

    assert chosen_password("127.0.0.1", is_wanted=True) == "sesame"


def test_an_empty_password_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getpass", lambda _: "")

    with pytest.raises(InputError, match="empty"):
        chosen_password("0.0.0.0", is_wanted=True)


def test_an_address_is_shown_without_its_password() -> None:
    shown = without_password("postgresql://ann:se:cr@et@host:5432/db")

    assert "cr" not in shown
    assert shown.startswith("postgresql://ann:…@")
    assert without_password("sqlite:///a/b.db") == "sqlite:///a/b.db"


# Ports


def test_any_free_port_will_do_when_ours_is_busy() -> None:
    with listening("127.0.0.1", None) as first, listening("127.0.0.1", None) as second:
        ports = [one.getsockname()[1] for one in (first, second)]

    assert ports[1] != PORT
    assert len(set(ports)) == 2


def test_nobody_else_gets_a_port_that_is_bound() -> None:
    refusal = pytest.raises(InputError, match="cannot be used")
    with listening("127.0.0.1", 0) as bound, refusal:
        listening("127.0.0.1", bound.getsockname()[1])


def test_who_comes_early_waits() -> None:
    with listening("127.0.0.1", 0) as bound:
        socket.create_connection(bound.getsockname(), timeout=5).close()


# Homes


def test_a_path_has_a_home_of_its_own(home: Path, tmp_path: Path) -> None:
    one, other = home_of(tmp_path / "a" / "leaves"), home_of(tmp_path / "b" / "leaves")

    assert one != other
    assert one == home_of(tmp_path / "a" / "leaves")
    assert one.is_dir()
    assert one.parent == home
    assert one.name.startswith("leaves-")


@pytest.mark.parametrize("name", ["Ä b", "...", "a/../x", "日本", "x" * 100])
def test_any_name_makes_a_home(home: Path, name: str) -> None:
    made = home_of(Path("/pile") / name)

    assert made.parent == home
    assert "/" not in made.name
    assert ".." not in made.name


def test_without_a_wish_homes_are_where_the_system_keeps_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIKEWISE_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    assert home_of(Path("leaves")).parent == tmp_path / "data" / "likewise"


def test_a_secret_is_made_once_and_for_us_alone(tmp_path: Path) -> None:
    secret = secret_of(tmp_path)

    assert len(secret) == 32
    assert secret_of(tmp_path) == secret
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


def test_homes_have_secrets_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    assert secret_of(tmp_path) != secret_of(tmp_path / "a")


# A real run


@contextmanager
def running(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command until the block ends; give the address that it prints."""
    command = [sys.executable, "-c", MAIN, "app", *words, "--no-browser", "--json"]
    with subprocess.Popen(
        [*command, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.stderr and process.stderr.read()
            yield process, json.loads(line)["url"]
        finally:
            process.kill()


@contextmanager
def entered(address: str) -> Iterator[httpx.Client]:
    """Give a browser that has opened the printed address."""
    home = httpx.URL(address).copy_with(path="/", query=None)
    ours = {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=home, headers=ours, trust_env=False) as browser:
        assert browser.get(address).status_code == 303
        yield browser


def ready(browser: httpx.Client) -> Any:
    state = browser.get("/api/state").json()
    while state["status"] == "preparing":
        assert state["preparing"]["error"] is None
        state = browser.get("/api/state").json()
    return state


def test_a_killed_app_goes_on_where_it_was(tmp_path: Path, home: Path) -> None:
    folder = picture_folder(tmp_path / "leaves")
    words = (str(folder), "--encoder", "hog+colour", "--criterion", "Same colour?")
    before = sorted(folder.rglob("*"))

    with running(*words) as (process, address), entered(address) as browser:
        state = ready(browser)
        assert state["criterion"] == "Same colour?"
        for at, verdict in enumerate(("different", "same", "different")):
            body = {"question": state["question"]["id"], "verdict": verdict}
            body["client_id"] = f"client-{at}"
            state = browser.post("/api/answer", json=body).json()
            assert state["saved"] == f"Saved: {verdict}"
        assert browser.get(state["question"]["sample"]["thumb"]).status_code == 200
        assert httpx.get(address, trust_env=False).status_code == 403
        process.send_signal(signal.SIGKILL)
        process.wait(30)

    with running(*words) as (_, address), entered(address) as browser:
        again = ready(browser)

    assert again["question"] == state["question"]
    assert again["version"] == again["progress"]["answers"] == 3
    assert sorted(folder.rglob("*")) == before  # nothing is written beside the files
    assert [path.name for path in home.iterdir()] == [home_of(folder).name]


# How far the pile is


class Scripted:
    """A preparation that is one step further whenever somebody looks."""

    service = None

    def __init__(self, *statuses: Preparing) -> None:
        self._left = list(statuses)

    @property
    def status(self) -> Preparing:
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


def test_each_stage_is_told_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serving, "MOMENT", 0.0)
    reading = [Preparing(stage="Reading", done=at, total=50) for at in range(51)]
    thinking = [Preparing(stage="Thinking", done=0, total=1)] * 60
    end = Preparing(stage="Thinking", done=0, total=1, error="It broke.")

    serving._follow(Scripted(*reading, *thinking, end))

    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("Reading: ")]
    assert "Thinking." in lines
    assert lines[-1] == "likewise: It broke."

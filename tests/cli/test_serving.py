"""``likewise app``: options, messages, where things are kept, and a real run."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Barrier, Event
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from tests.app.places import OPTIONS, picture_folder, table_file
from tests.commands import Run
from tests.problems import blobs

from likewise import InputError
from likewise.app import PathSource, Preparation
from likewise.app._schemas import Preparing
from likewise.cli import _serving as serving
from likewise.cli._places import home_of, secret_of, usual_name
from likewise.cli._running import PORT, Passes, listening, running_at
from likewise.cli._serving import Listening, Sorting, _name_owner, chosen_password
from likewise.errors import StorageError
from likewise.items import Broken, Reading
from likewise.knowledge import Renamed
from likewise.storage import open_store, without_password

MAIN = "from likewise.cli import main; main()"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIKEWISE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LIKEWISE_PASSWORD", raising=False)
    return tmp_path / "home"


# Messages


def test_a_path_that_is_not_there_is_named(likewise: Run, home: Path) -> None:
    ran = likewise("app", "nowhere", "--no-browser")

    assert ran.code == 2
    assert "There is no nowhere: name a folder or a file." in ran.err
    assert ran.out == ""
    assert not home.exists()


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
        (["--who", "a\u202eb"], "cannot be seen"),
        (["--project", "nowhere/new.db"], "nowhere"),
    ],
)
def test_options_that_cannot_be_are_named(
    likewise: Run, home: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    ran = likewise("app", "table.csv", "--no-browser", "--port", "0", *words)

    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("likewise: ") == 1
    assert list(home.glob("*")) == []  # no project is left behind


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


def test_kinds_of_screens_are_named(likewise: Run, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    ran = likewise("app", "table.csv", "--no-browser", "--screens", "films")

    assert ran.code == 2
    assert "--screens is all or pairs, not 'films'." in ran.err


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


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:{}@127.0.0.1:1/db",
        "postgresql://ann:se:cr@{}@127.0.0.1:1/db",
        "postgresql://ann:se/cr?{}@127.0.0.1:1/db",
        "postgresql://ann@corp:{}@127.0.0.1:1/db",
        "postgresql://ann%40corp:{}@127.0.0.1:1/db",
        "postgresql://ann%3A{}@127.0.0.1:1/db",
        "postgresql://:{}@127.0.0.1:1/db",
        "postgresql+psycopg://ann:{}@127.0.0.1:1/db",
        "postgres:/ann:{}@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1/db?user=ann&password={}",
        "postgresql://127.0.0.1:1/db?PASSWORD={}&user=ann",
        "postgresql://127.0.0.1:1/db?p%61ssword={}",
        "postgresql://ann:x@127.0.0.1:1/db?sslpassword={}",
        "host=h password={} user=ann",
        "host=h password = '{} more' user=ann",
        "host=h password='it\\'s {}' user=ann",
        "mysql://ann:{}@127.0.0.1:1/db",
    ],
)
def test_no_address_shows_its_password(
    address: str, likewise: Run, tmp_path: Path
) -> None:
    given, table = address.format("geheim"), tmp_path / "table.csv"
    table.write_text("x\n1\n2\n3\n")

    assert "geheim" not in without_password(given)
    for words in (
        ("app", given),
        ("app", str(table), "--no-browser", "--port", "0", "--project", given),
        ("export", given),
        ("import", given, str(table)),
    ):
        ran = likewise(*words)
        assert ran.code == 2
        assert "geheim" not in ran.err + ran.out


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:///a/b.db", "sqlite:////home/a:b@c/d.db", "leaves.db", "memory://",
        "postgresql://ann@host/db", "postgresql://host/db?port=1", "C:/a:b@c.db",
    ],
)  # fmt: skip
def test_an_address_without_a_password_is_shown_as_it_is(address: str) -> None:
    assert without_password(address) == address


def test_nothing_that_is_printed_by_mistake_shows_a_password(tmp_path: Path) -> None:
    url = "postgresql://ann:geheim@host/db"
    what = Sorting(url, "x", None, tmp_path, {})
    how = Listening("127.0.0.1", 0, "geheim", "me", no_browser=True, as_json=True)

    assert "geheim" not in repr((what, how))


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


def test_a_secret_that_others_could_read_is_theirs_no_longer(tmp_path: Path) -> None:
    secret = secret_of(tmp_path)
    (tmp_path / "secret").chmod(0o644)

    assert secret_of(tmp_path) == secret
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"x", b"x" * 31])
def test_a_secret_that_can_be_guessed_is_refused(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "secret").write_bytes(content)

    with pytest.raises(StorageError, match="delete that file and start again"):
        secret_of(tmp_path)


def test_servers_that_start_at_once_share_a_secret(tmp_path: Path) -> None:
    for attempt in range(20):
        home, start = tmp_path / str(attempt), Barrier(8)
        home.mkdir()

        def begin(_: int, home: Path = home, start: Barrier = start) -> bytes:
            start.wait(30)
            return secret_of(home)

        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(begin, range(8)))) == 1
        assert [path.name for path in home.iterdir()] == ["secret"]


def test_a_home_is_for_us_alone(home: Path) -> None:
    made = home_of(Path("leaves"))
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    made.chmod(0o755)  # as earlier versions made them

    assert stat.S_IMODE(home_of(Path("leaves")).stat().st_mode) == 0o700


def test_homes_have_secrets_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    assert secret_of(tmp_path) != secret_of(tmp_path / "a")


# A real run


@contextmanager
def running(
    *words: str, port: str = "0"
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command until the block ends; give the address that it prints."""
    command = [sys.executable, "-c", MAIN, "app", *words, "--no-browser", "--json"]
    command += ["--columns", "guessed"]
    with subprocess.Popen(
        [*command, *(("--port", port) if port else ())],
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
    words = (
        *(str(folder), "--encoder", "hog+colour", "--criterion", "Same colour?"),
        *("--screens", "pairs"),
    )
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


# Whose pile it is


def table(folder: Path, seed: int) -> Path:
    folder.mkdir(exist_ok=True)
    return table_file(folder / "table.csv", blobs((4, 4, 4), seed=seed))


def sorted_before(path: Path, database: Path) -> None:
    """Leave what an app leaves in which one question was answered."""
    with closing(open_store(database)) as store:
        project = store.create(path.stem, {"n_clusters": 3}, now=0.0)
        source = PathSource(path, "auto", database.parent / "vectors", Reading())
        Preparation(project, source, lambda: 1.0, dict(OPTIONS)).prepare()
        project.act(Renamed(1, "oak"), who="ann", now=1.0)


def test_another_file_of_the_same_name_ends_the_app(
    likewise: Run, tmp_path: Path
) -> None:
    database = tmp_path / "all.db"
    sorted_before(table(tmp_path / "a", 0), database)
    other = table(tmp_path / "b", 1)

    words = ("--project", str(database), "--no-browser", "--port", "0", "--as-is")
    ran = likewise("app", str(other), *words, "--n-clusters", "2")

    assert ran.code == 2
    last = ran.err.splitlines()[-1]
    assert last.startswith("likewise: The project 'table' holds 12 items of ")
    assert last.endswith("with --name, or another database with --project.")
    with closing(open_store(database)) as store:
        kept = store.project("table")
        assert kept.info().settings["n_clusters"] == 3
        assert {item.status for item in kept.items()} == {"here"}


def test_without_a_terminal_nothing_is_marked_as_gone(
    likewise: Run, tmp_path: Path
) -> None:
    database, file = tmp_path / "all.db", table(tmp_path / "a", 0)
    sorted_before(file, database)
    table(tmp_path / "a", 1)

    words = ("--project", str(database), "--no-browser", "--port", "0")
    ran = likewise("app", str(file), *words)

    assert ran.code == 2
    assert "12 are no longer in" in ran.err.splitlines()[-1]
    assert "with --as-is, or begin another project with --name." in ran.err
    assert ran.err.count("12 are no longer in") == 1


def test_why_an_app_ends_stands_below_its_address(
    likewise: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, file = tmp_path / "all.db", table(tmp_path / "a", 0)
    sorted_before(file, database)
    table(tmp_path / "a", 1)
    # A browser that is slow to open: by then it is known that nothing can be sorted.
    monkeypatch.setattr("webbrowser.open", lambda _: Event().wait(2))

    ran = likewise("app", str(file), "--project", str(database), "--port", "0")

    assert ran.code == 2
    assert "Stop with Ctrl+C" in ran.err.splitlines()[-2]
    assert "12 are no longer in" in ran.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("key", "as_is", "may"),
    [("y", False, True), ("n", False, False), ("", False, False), ("", True, True)],
)
def test_on_a_terminal_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    key: str,
    as_is: bool,
    may: bool,
) -> None:
    terminal = io.StringIO(f"{key}\n" if key else "")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)

    assert serving._Consent(as_is)("Mark them as gone?") is may

    assert ("Mark them as gone? [y/N]" in capsys.readouterr().err) is not as_is


def test_a_pile_that_was_moved_is_told_of_its_answers(
    likewise: Run, tmp_path: Path
) -> None:
    before = table(tmp_path / "a", 0)
    database = home_of(before) / "project.db"
    sorted_before(before, database)
    (tmp_path / "a").rename(tmp_path / "b")

    # It ends before it serves, because nobody is named.
    words = ("--no-browser", "--port", "0", "--who", " ")
    ran = likewise("app", str(tmp_path / "b" / "table.csv"), *words)

    assert f"{before} was sorted before and is not there any more" in ran.err
    assert f"go on with --project {database} --name table." in ran.err


def test_answers_that_are_missing_end_the_app_until_they_are_given_up(
    likewise: Run, tmp_path: Path
) -> None:
    file = table(tmp_path / "a", 0)
    database = home_of(file) / "project.db"
    sorted_before(file, database)
    database.write_bytes(b"")
    words = ("app", str(file), "--no-browser", "--port", "0", "--who", " ")

    ran = likewise(*words)

    assert ran.code == 2
    assert "is empty now, but 1 answers were saved in it" in ran.err
    assert f"`likewise restore --as-is {database}`" in ran.err
    assert database.read_bytes() == b""
    assert "A name is needed" in likewise(*words, "--as-is").err
    assert "A name is needed" in likewise(*words).err


def test_what_the_app_makes_is_its_owners_alone(home: Path, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        folder = picture_folder(tmp_path / "leaves")
        words = (str(folder), "--encoder", "hog+colour")
        with running(*words) as (_, address), entered(address) as browser:
            state = ready(browser)
            browser.get(state["question"]["sample"]["thumb"])
            made = [home, *home.rglob("*")]
            modes = {path: stat.S_IMODE(path.stat().st_mode) for path in made}
    finally:
        os.umask(before)

    assert {modes[path] for path in made if path.is_dir()} == {0o700}
    assert {modes[path] for path in made if path.is_file()} == {0o600}


@pytest.mark.usefixtures("home")
def test_an_app_with_nothing_to_sort_says_why_and_ends(
    tmp_path: Path, home: Path
) -> None:
    damaged = tmp_path / "leaves.npz"
    damaged.write_bytes(b"PK and no more")

    with running(str(damaged)) as (process, _):
        _, said = process.communicate(timeout=120)

    assert process.returncode == 2
    assert "likewise: leaves.npz is no .npz file, or damaged: write it again." in said
    assert "Traceback" not in said
    assert list(home.iterdir()) == []


def test_a_pile_that_cannot_be_read_any_more_leaves_its_project(
    tmp_path: Path,
) -> None:
    file = table(tmp_path / "a", 0)
    database = home_of(file) / "project.db"
    sorted_before(file, database)
    file.write_text("")

    with running(str(file)) as (process, _):
        process.communicate(timeout=120)

    assert process.returncode == 2
    with closing(open_store(database)) as store:
        assert store.project("table").info().n_items == 12


def test_a_database_that_is_of_no_use_is_not_left(tmp_path: Path, home: Path) -> None:
    damaged, kept = tmp_path / "leaves.npz", tmp_path / "kept"
    damaged.write_bytes(b"PK and no more")
    kept.mkdir()

    with running(str(damaged), "--project", str(kept / "new.db")) as (process, _):
        process.communicate(timeout=120)

    assert process.returncode == 2
    assert list(kept.iterdir()) == list(home.iterdir()) == []


# A second start


def test_a_second_start_opens_the_page_of_the_first(
    likewise: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, opened = table(tmp_path / "a", 0), list[str]()
    monkeypatch.setattr("webbrowser.open", opened.append)

    with running(str(file), port="") as (process, address):
        ran = likewise("app", str(file), "--json")

        second = json.loads(ran.out)["url"]
        assert ran.code == 0
        assert opened == [second]
        assert f"table is open already (process {process.pid})" in ran.err
        assert f"Open {second}" in ran.err
        assert httpx.URL(second).port == httpx.URL(address).port
        with entered(second) as browser:
            assert ready(browser)["project"] == "table"
        assert httpx.get(second, trust_env=False).status_code == 403  # good once
        with entered(address) as browser:
            assert ready(browser)["who"] == "me"


@pytest.mark.parametrize("how", ["port", "name", "project", "password"])
def test_whoever_wants_another_server_gets_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    file = table(tmp_path / "a", 0)
    others = {
        "port": ("--port", "0"),
        "name": ("--name", "other"),
        "project": ("--project", str(tmp_path / "all.db")),
        "password": (),
    }
    with running(str(file), port="") as (_, first):
        if how == "password":
            monkeypatch.setenv("LIKEWISE_PASSWORD", "sesame")
        with running(str(file), *others[how], port="") as (_, second):
            assert httpx.URL(first).port != httpx.URL(second).port


def test_a_killed_server_leaves_no_claim(tmp_path: Path) -> None:
    file = table(tmp_path / "a", 0)
    with running(str(file), port="") as (process, first):
        process.kill()
        process.wait(30)
        assert running_at(home_of(file)) is None

        with running(str(file), port="") as (again, second):
            found = running_at(home_of(file))
            assert found is not None
            assert (found.pid, found.name) == (again.pid, "table")
            assert second.startswith(found.root)
            late = httpx.URL(first).copy_with(port=httpx.URL(second).port)
            assert httpx.get(late, trust_env=False).status_code == 403
    assert running_at(home_of(file)) is None


def test_the_printed_address_lets_the_same_browser_in_again(tmp_path: Path) -> None:
    file = table(tmp_path / "a", 0)
    with running(str(file)) as (_, address), entered(address) as browser:
        again = browser.get(address)

        assert (again.status_code, again.headers["location"]) == (303, "/")
        assert httpx.get(address, trust_env=False).status_code == 403


def test_the_address_is_there_before_anything_is_loaded(tmp_path: Path) -> None:
    file = table(tmp_path / "a", 0)
    # Whatever the app is made of ends the program: the address does not wait for it.
    (tmp_path / "ending").mkdir()
    for module in ("fastapi", "sqlalchemy"):
        (tmp_path / f"ending/{module}.py").write_text("raise SystemExit(7)\n")
    first = f"import sys; sys.path.insert(0, {str(tmp_path / 'ending')!r}); "
    words = [sys.executable, "-c", first + MAIN, "app", str(file), "--no-browser"]

    ran = subprocess.run(words, capture_output=True, text=True, check=False)

    opening, address = ran.stderr.splitlines()
    assert ran.returncode == 7
    assert opening.startswith("Opening table.")
    assert address.startswith("Open http://127.0.0.1:")


def test_a_pass_is_for_one_server_of_one_home() -> None:
    passes = Passes(b"s" * 32)

    assert passes.who(passes.new("Ann Ä")) == "Ann Ä"
    assert passes.new("ann") != passes.new("ann")
    assert Passes(b"s" * 32).who(passes.new("ann")) is None
    assert Passes(b"t" * 32, passes.mark).who(passes.new("ann")) is None
    for forged in ("", ".", "..", "bWU.x.y", passes.new("ann")[:-1], "ä.ö.ü"):
        assert passes.who(forged) is None


def test_files_that_are_left_out_are_counted_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serving, "MOMENT", 0.0)
    ready = Scripted(Preparing(stage="Reading", done=0, total=1))
    ready.service = SimpleNamespace(display=SimpleNamespace(early=""))
    ready.broken = (Broken("a.png", "a.png is empty: leave it out."),) * 1200

    serving._follow(ready)

    assert capsys.readouterr().err.splitlines() == [
        "Files left out: 1,200, the first because: a.png is empty: leave it out.",
        "The first question is on the page.",
    ]


@pytest.mark.parametrize("name", [b"\xff\xfe.csv", b"x" * 255, "ä".encode() * 127])
@pytest.mark.usefixtures("home")
def test_a_file_of_any_name_has_a_home(name: bytes) -> None:
    path = Path("/") / os.fsdecode(name)

    found = home_of(path)

    assert found.is_dir()
    assert found.name.endswith(hashlib.sha256(b"/" + name).hexdigest()[:8])
    assert usual_name(path.stem).encode()


# How far the pile is


class Scripted:
    """A preparation that is one step further whenever somebody looks."""

    service: object = None
    is_asking = is_refused = False
    notice: str | None = None
    broken: tuple[Broken, ...] = ()
    left_out: tuple[str, ...] = ()

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

"""``likewise app`` without a path: a page from which everything else is opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.app.places import table_file
from tests.commands import Run
from tests.problems import blobs

from likewise.cli._places import home_of
from likewise.cli._running import running_at

MAIN = "from likewise.cli import main; main()"
SLOW = 120  # seconds that a test waits for what must come


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIKEWISE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LIKEWISE_PASSWORD", raising=False)
    return tmp_path / "home"


@contextmanager
def started() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the start page until the block ends; give the address that it prints."""
    command = [sys.executable, "-c", MAIN, "app", "--no-browser", "--json"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


@contextmanager
def entered(address: str) -> Iterator[httpx.Client]:
    root = httpx.URL(address).copy_with(path="/", query=None)
    ours = {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(
        base_url=root, headers=ours, trust_env=False, timeout=SLOW
    ) as browser:
        assert browser.get(address).status_code == 303
        yield browser


def opened(browser: httpx.Client, path: object) -> Any:
    now = browser.post("/api/open", json={"path": str(path)}).json()
    while now["status"] == "opening":
        now = browser.get(f"/api/open/{now['id']}").json()
    return now


def wait_for_nobody(home: Path) -> None:
    end = time.monotonic() + SLOW
    while running_at(home) is not None:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_projects_are_opened_from_the_page_and_end_with_it(tmp_path: Path) -> None:
    table = table_file(tmp_path / "leaves.csv", blobs((4, 4, 4)))
    with started() as (process, address), entered(address) as browser:
        assert "There are none yet." in browser.get("/").text

        now = opened(browser, table)
        assert now["status"] == "open", now
        with entered(now["url"]) as project:
            page = project.get("/", follow_redirects=True).text
            assert f'href="{browser.base_url}">All projects</a>' in page
        again = opened(browser, table)
        assert httpx.URL(again["url"]).port == httpx.URL(now["url"]).port
        assert again["url"] != now["url"]
        with entered(again["url"]):
            pass

        listed = browser.get("/").text
        assert f'data-path="{table}"' in listed
        assert "open now" in listed
        process.kill()

    wait_for_nobody(home_of(table))


def test_what_cannot_be_opened_is_said_and_leaves_nothing(
    tmp_path: Path, home: Path
) -> None:
    with started() as (_, address), entered(address) as browser:
        now = opened(browser, tmp_path / "nowhere")
        assert now["status"] == "failed"
        assert now["words"] == (
            f"There is no {tmp_path / 'nowhere'}: name a folder or a file."
        )
        assert "There are none yet." in browser.get("/").text
    assert [path for path in home.iterdir() if path.is_dir()] == []


def test_a_second_start_opens_the_same_page(likewise: Run) -> None:
    with started() as (process, address):
        ran = likewise("app", "--no-browser", "--json")

        assert ran.code == 0
        assert f"open already (process {process.pid})" in ran.err
        second = json.loads(ran.out)["url"]
        assert httpx.URL(second).port == httpx.URL(address).port
        with entered(second) as browser:
            assert "What would you like to sort?" in browser.get("/").text


@pytest.mark.parametrize("words", [["--host", "0.0.0.0"], ["--host", "192.0.2.1"]])
def test_it_is_for_this_machine_alone(
    likewise: Run, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("LIKEWISE_PASSWORD", "sesame")

    ran = likewise("app", "--no-browser", *words)

    assert ran.code == 2
    assert "is for this machine alone" in ran.err


def test_options_about_a_pile_need_one(likewise: Run) -> None:
    ran = likewise("app", "--no-browser", "--n-clusters", "3")

    assert ran.code == 2
    assert "--n-clusters is about a pile: name a folder or a file" in ran.err

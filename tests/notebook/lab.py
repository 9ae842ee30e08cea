"""JupyterLab as a process of its own, and a notebook in it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import TimeoutError as LateError

PATIENCE = 120  # seconds until it answers
TRIES, ONE_TRY = 4, 30_000  # of a cell, in milliseconds
SOURCE = Path(__file__).parents[2] / "src"
HOMES = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")


def a_notebook(*cells: str) -> str:
    """Return a notebook of some cells, as a file has it."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{at}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for at, source in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python", "language": "python"}
    return json.dumps(
        {
            "cells": made,
            "metadata": {"kernelspec": kernel},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


@dataclass(frozen=True)
class Lab:
    """A server, and where it is."""

    url: str
    folder: Path


@contextmanager
def running(folder: Path) -> Iterator[Lab]:
    """Serve a folder until the block ends; nothing outside of it is written."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    homes = dict.fromkeys(HOMES, str(folder / ".jupyter"))
    environment = {
        **os.environ,
        **homes,
        "PYTHONPATH": str(SOURCE),
        "OMP_NUM_THREADS": "1",
    }
    words = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"),
        *("--ip=127.0.0.1", "--ServerApp.token=", "--ServerApp.password="),
        *("--allow-root", "--ServerApp.port_retries=0", f"--notebook-dir={folder}"),
        "--LabApp.news_url=",
    ]
    with (folder / "lab.log").open("wb") as log:
        process = subprocess.Popen(
            words, env=environment, cwd=folder, stdout=log, stderr=log
        )
    try:
        _wait(f"http://127.0.0.1:{port}/api", process)
        yield Lab(f"http://127.0.0.1:{port}", folder)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, "JupyterLab has ended at once: see lab.log."
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise AssertionError("JupyterLab does not answer: see lab.log.")


class Page:
    """A notebook that is open in a browser."""

    def __init__(self, page: Any, lab: Lab, name: str) -> None:
        self.page = page
        page.goto(f"{lab.url}/lab/tree/{name}?reset")
        page.locator(".jp-Notebook").wait_for(timeout=60_000)
        page.get_by_text("| Idle").wait_for(timeout=60_000)

    def run(self, at: int) -> None:
        """Run a cell and wait until it is done; a kernel that starts may not hear."""
        cell = self.page.locator(".jp-CodeCell").nth(at)
        prompt = cell.locator(".jp-InputArea-prompt")
        before = prompt.inner_text().strip()
        for _ in range(TRIES):
            cell.locator(".jp-InputArea-editor").click()
            self.page.keyboard.press("Control+Enter")
            if self._is_done(prompt, before):
                return
        raise AssertionError(f"Cell {at} does not run: see lab.log.")

    def _is_done(self, prompt: Any, before: str) -> bool:
        try:
            self.page.wait_for_function(
                "([one, before]) => /[0-9]/.test(one.textContent)"
                " && one.textContent.trim() !== before",
                arg=[prompt.element_handle(), before],
                timeout=ONE_TRY,
            )
        except LateError:
            return False
        return True

    def printed(self, at: int) -> str:
        """Return what a cell has printed, once it was run again."""
        self.run(at)
        out = self.page.locator(".jp-CodeCell").nth(at).locator(".jp-OutputArea-output")
        out.first.wait_for()
        return str(out.first.inner_text()).strip()

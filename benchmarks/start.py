"""From a folder of pictures to the first question, and again after a restart.

    python -m benchmarks.start FOLDER [--encoder auto]

Runs ``likewise app`` as a user does, in a fresh process with an empty home, and prints
for how long each stage was shown; then stops it, starts it again and compares the
questions. Stages are asked for every 50 milliseconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from tests.e2e.running import Server, cold_context, started

STEP = 0.05  # seconds between looks
LONGEST = 600.0  # seconds after which it is given up
FIRST = "First question"


def states(browser: OpenerDirector, server: Server) -> Iterator[tuple[float, Any]]:
    """Yield what the page would show, and when, until there is a question."""
    end = time.perf_counter() + LONGEST
    while time.perf_counter() < end:
        with browser.open(f"{server.root}api/state") as reply:
            state = json.load(reply)
        yield time.perf_counter(), state
        if state["status"] != "preparing" or state["preparing"]["error"]:
            return
        time.sleep(STEP)
    raise SystemExit(f"There was no question after {LONGEST:.0f} s.")


def stages(folder: Path, encoder: str, home: Path) -> tuple[dict[str, float], Any]:
    """Start the app; return when each stage began, in seconds, and the question."""
    begun = time.perf_counter()
    words = [str(folder), "--encoder", encoder, "--screens", "pairs"]
    server = started(cold_context(), words, home)
    try:
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        browser.open(server.url).close()
        found: dict[str, float] = {"Starting": 0.0}
        for now, state in states(browser, server):
            is_going_on = state["status"] == "preparing"
            stage = state["preparing"]["stage"] if is_going_on else FIRST
            found.setdefault(stage, now - begun)
        if state["status"] == "preparing":
            raise SystemExit(state["preparing"]["error"])
        return found, state["question"]
    finally:
        server.stop()


def show(title: str, found: dict[str, float]) -> None:
    """Print for how long each stage was shown."""
    print(f"\n{title}\n\n| stage | seconds |\n|---|---|")
    begins = list(found.values())
    for stage, begin, end in zip(found, begins, begins[1:], strict=False):
        print(f"| {stage} | {end - begin:.1f} |")
    print(f"| **to the first question** | **{found[FIRST]:.1f}** |")


def main() -> None:
    """Start twice, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoder", default="auto")
    given = parser.parse_args()
    with TemporaryDirectory() as home:
        first, asked = stages(given.folder, given.encoder, Path(home))
        show("Fresh", first)
        second, again = stages(given.folder, given.encoder, Path(home))
        show("Started again", second)
    same = (asked["sample"], asked["against"]) == (again["sample"], again["against"])
    print(f"\nThe same question after the restart: {'yes' if same else 'NO'}.")


if __name__ == "__main__":
    main()

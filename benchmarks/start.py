"""From a folder of pictures to the first question, and again after a restart.

    python -m benchmarks.start [FOLDER] [--pictures 10000] [--encoder auto]

Runs ``likewise app`` as a user does, in a fresh process with an empty home, and prints
for how long each stage was shown; then stops it, starts it again and compares the
questions. Stages are asked for every 50 milliseconds. Without a folder, digits are
drawn: pictures of 64 by 64 pixels, turned and shifted a little. Besides, it prints the
processor seconds of the whole process, from its start to its end after the question.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import numpy as np
from PIL import Image
from tests.e2e.running import Server, cold_context, started

from likewise.datasets import load

EDGE = 64  # pixels of a drawn digit
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


def drawn(folder: Path, n: int) -> Path:
    """Draw digits into a folder."""
    rng, digits = np.random.default_rng(0), load("digits").X
    folder.mkdir()
    for at in range(n):
        ink = np.pad(digits[at % len(digits)].reshape(8, 8), 1) * 15.9
        grey = (255 - np.clip(ink, 0, 255)).astype(np.uint8)
        picture = Image.fromarray(grey).resize((EDGE, EDGE), Image.Resampling.BICUBIC)
        shift = tuple(rng.integers(-4, 5, 2).tolist())
        turned = picture.rotate(rng.uniform(-15, 15), fillcolor=255, translate=shift)
        pixels = np.asarray(turned) + rng.normal(0, 6, (EDGE, EDGE))
        pixels = np.clip(pixels, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{at:06}.png")
    return folder


def processor() -> float:
    """Return the processor seconds of all processes that have ended."""
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime


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


def show(title: str, found: dict[str, float], worked: float) -> None:
    """Print for how long each stage was shown."""
    print(f"\n{title}\n\n| stage | seconds |\n|---|---|")
    begins = list(found.values())
    for stage, begin, end in zip(found, begins, begins[1:], strict=False):
        print(f"| {stage} | {end - begin:.1f} |")
    print(f"| **to the first question** | **{found[FIRST]:.1f}** |")
    print(f"| processor | {worked:.2f} |")


def started_once(title: str, folder: Path, encoder: str, home: Path) -> Any:
    """Start once, print, and return the question."""
    begun = processor()
    found, asked = stages(folder, encoder, home)
    show(title, found, processor() - begun)
    return asked


def main() -> None:
    """Start twice, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("--encoder", default="auto")
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        home = Path(place) / "home"
        folder = given.folder or drawn(Path(place) / "pictures", given.pictures)
        asked, again = (
            started_once(title, folder, given.encoder, home)
            for title in ("Fresh", "Started again")
        )
    same = (asked["sample"], asked["against"]) == (again["sample"], again["against"])
    print(f"\nThe same question after the restart: {'yes' if same else 'NO'}.")


if __name__ == "__main__":
    main()

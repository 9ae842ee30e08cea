"""From a key press to the next pair on the screen, in a real browser.

    python -m benchmarks.page [--items 10000] [--questions 150] [--pause 500]

Draws as many small pictures (48 by 48 pixels, ten groups whose colours overlap), serves
them with hog+colour vectors, and answers rightly by keys. The page itself marks when a
key came and when the next pair was painted; reading and encoding the pile are not in
the table. A series are questions about one sample; with many groups the picker ends it.
`--pause` is how long the person looks, in milliseconds: the page uses it to fetch what
may come next.
"""

from __future__ import annotations

import argparse
import colorsys
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright
from tests.e2e.running import ARGUMENTS, NO_BROWSER, chromium, cold_context, started
from tests.e2e.seat import Seat

N_GROUPS, EDGE = 10, 48
START = 600_000  # milliseconds that the first start may take
LAST = """() => {
  const sent = performance.getEntriesByType("resource")
    .filter((entry) => /\\/api\\/(answer|pick)$/.test(entry.name)).at(-1);
  const waited = performance.getEntriesByName("answer", "measure").at(-1);
  return [waited.duration, sent.responseEnd - sent.requestStart];
}"""
ROOM = "() => performance.setResourceTimingBufferSize(100000)"


@dataclass(frozen=True)
class Step:
    """One answer: how long it took, and the server's share, in milliseconds."""

    is_in_series: bool
    is_picked: bool
    total: float
    server: float


def draw(folder: Path, n: int) -> None:
    """Write small discs of ten colours that run into each other."""
    rng = np.random.default_rng(0)
    groups = rng.integers(N_GROUPS, size=n).tolist()
    hues = rng.normal(groups, 0.2) / N_GROUPS % 1
    for number, (group, hue) in enumerate(zip(groups, hues.tolist(), strict=True)):
        rgb = colorsys.hsv_to_rgb(hue, *rng.uniform(0.6, 1, 2).tolist())
        picture = Image.new("RGB", (EDGE, EDGE), (244, 242, 236))
        left, top, size = rng.integers(4, 16, 3).tolist()
        box = (left, top, left + 16 + size, top + 16 + size)
        ImageDraw.Draw(picture).ellipse(box, fill=tuple(int(255 * c) for c in rgb))
        picture.save(folder / f"g{group}-{number:05}.png", compress_level=1)


def steps(seat: Seat, n: int, pause: int) -> Iterator[Step]:
    """Answer rightly, and yield what the page says about each answer."""
    for _ in range(n):
        if not seat.is_asked:
            return
        sample = seat.pair()[0]
        seat.page.wait_for_timeout(pause)
        is_picked = seat.page.locator("#picker").is_visible()
        if is_picked:
            group = sample.partition("-")[0]
            seat.pick(lambda name, group=group: name.startswith(group))  # type: ignore[misc]
        else:
            seat.page.keyboard.press(seat.truth())
        seat.ready()
        total, server = seat.page.evaluate(LAST)
        is_in_series = seat.is_asked and seat.pair()[0] == sample
        yield Step(is_in_series, is_picked, total, server)


def seated(browser: Browser, url: str) -> Page:
    """Open the page and wait for the first question."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(START)
    page.goto(url)
    Seat(page).ready()
    page.evaluate(ROOM)
    return page


def measured(folder: Path, home: Path, n: int, pause: int) -> list[Step]:
    """Serve a folder, answer `n` questions about it, and return what each took."""
    server = started(cold_context(), [str(folder), "--encoder", "hog+colour"], home)
    try:
        with sync_playwright() as driver:
            path = chromium(driver.chromium.executable_path)
            if path is None:
                raise SystemExit(NO_BROWSER)
            browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
            begun = time.perf_counter()
            page = seated(browser, server.url)
            print(f"Folder to first question: {time.perf_counter() - begun:.0f} s.")
            found = list(steps(Seat(page), n, pause))
            browser.close()
            return found
    finally:
        server.stop()


def show(found: list[Step], n: int) -> None:
    """Print the table."""
    parts = {
        "inside a series": [step for step in found if step.is_in_series],
        "after a sample was placed": [step for step in found if not step.is_in_series],
        "of these by the picker": [step for step in found if step.is_picked],
        "all": found,
    }
    print(f"\nKey press to next pair painted, {n:,} items, milliseconds:\n")
    print("| | answers | median | p95 | max | server median | server p95 |")
    print("|---|---|---|---|---|---|---|")
    for name, some in parts.items():
        print(f"| {name} | {len(some)} | {_spread(some)} |")


def _spread(some: list[Step]) -> str:
    if not some:
        return " | ".join("–" * 5)
    total = np.array([step.total for step in some])
    server = np.array([step.server for step in some])
    numbers = (
        np.median(total),
        np.percentile(total, 95),
        total.max(),
        np.median(server),
        np.percentile(server, 95),
    )
    return " | ".join(f"{number:.0f}" for number in numbers)


def static_bytes() -> int:
    """Return how much the page's own files weigh."""
    folder = files("likewise.app") / "static"
    return sum(len(file.read_bytes()) for file in folder.iterdir())


def main() -> None:
    """Draw, serve, answer, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--pause", type=int, default=500)
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        folder, home = Path(place) / "pictures", Path(place) / "home"
        folder.mkdir()
        draw(folder, given.items)
        show(measured(folder, home, given.questions, given.pause), given.items)
    print(f"\nStatic files: {static_bytes():,} bytes.")
    print(f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()

"""Pictures of the app for the README, from a real session on real pictures.

    python -m examples.screenshots FOLDER [OUT]

Beside the folder lies ``labels.csv`` with the columns ``file`` and ``class``; questions
are answered by it, through the page.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    sync_playwright,
)
from tests.e2e.looker import Looker
from tests.e2e.running import ARGUMENTS, NO_BROWSER, chromium, cold_context, started
from tests.e2e.seat import Seat

N_QUESTIONS = 40
N_MEMBERS = 3
WORDS = ("--name", "dogs", "--criterion", "Are these two dogs of the same breed?")
DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=780)
COLOURS = 256  # in a picture: keeps it small, and nobody sees it
START = 600_000  # milliseconds that reading the folder may take


@dataclass(frozen=True)
class Person:
    """Somebody who knows the right answers."""

    seat: Seat
    classes: dict[str, str]

    def answer(self) -> None:
        """Answer one question rightly: in the picker if it has opened, else by key."""
        left, right = self.seat.pair()
        if self.seat.page.locator("#picker").is_visible():
            self.seat.pick(lambda name: self.classes[name] == self.classes[left])
        else:
            self.seat.press("s" if self.classes[left] == self.classes[right] else "d")

    def slip(self) -> bool:
        """Say once that two belong together that do not; tell whether it shows."""
        for _ in range(N_QUESTIONS):
            left, right = self.seat.pair()
            is_slip = self.classes[left] != self.classes[right]
            if is_slip and not self.seat.page.locator("#picker").is_visible():
                break
            self.answer()
        self.seat.press("s")
        for _ in range(2 * N_QUESTIONS):
            if self.seat.state()["disagreements"]:
                return True
            self.answer()
        return False

    def look_for_example(self) -> None:
        """Answer until a pair belongs together, of a group with further members."""
        for _ in range(N_QUESTIONS):
            left, right = self.seat.pair()
            n_members = self.seat.page.locator("#pair .strip li").count()
            if self.classes[left] == self.classes[right] and n_members >= N_MEMBERS:
                break
            self.answer()
        self.seat.page.keyboard.press("Escape")  # the picker, if it has opened


def classes_of(folder: Path) -> dict[str, str]:
    """Return the class of each file."""
    with (folder.parent / "labels.csv").open(newline="") as file:
        return {row["file"]: row["class"] for row in csv.DictReader(file)}


@contextmanager
def browsing() -> Iterator[Browser]:
    """Open a browser."""
    with sync_playwright() as driver:
        path = chromium(driver.chromium.executable_path)
        if path is None:
            raise SystemExit(NO_BROWSER)
        browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


def take(page: Page, path: Path) -> None:
    """Take a picture of what is on the screen, and make it small."""
    page.wait_for_load_state("networkidle")
    page.screenshot(path=path, animations="disabled")
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def take_all(context: BrowserContext, url: str, folder: Path, out: Path) -> None:
    """Answer some questions, and take every picture."""
    page = context.new_page()
    page.set_default_timeout(START)
    page.goto(url)
    person = Person(Seat(page), classes_of(folder))
    for _ in range(N_QUESTIONS):
        person.answer()
    person.look_for_example()
    take(page, out / "app-question.png")
    page.emulate_media(color_scheme="dark")
    take(page, out / "app-dark.png")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    take(page, out / "app-phone.png")
    page.set_viewport_size(DESKTOP)
    person.seat.open_picker()
    take(page, out / "app-picker.png")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    pages = ["map", "history"]
    if person.slip():  # a check has found it
        pages.append("disagreements")
    take_review(page, out, pages)


def take_review(page: Page, out: Path, pages: list[str]) -> None:
    """Take the pictures of what can be looked through and put right."""
    page.locator("#tab-groups").click()
    take(page, out / "app-groups.png")
    page.locator(".group h2 a").first.click()
    page.wait_for_load_state("networkidle")
    for key in ("Space", "ArrowRight", "Space", "ArrowRight", "Space"):
        page.keyboard.press(key)
    take(page, out / "app-review.png")
    for name in pages:
        page.locator(f"#tab-{name}").click()
        page.wait_for_load_state("networkidle")
        take(page, out / f"app-{name}.png")


def take_screens(context: BrowserContext, url: str, folder: Path, out: Path) -> None:
    """Look through sheets and overviews, and take pictures of both."""
    page = context.new_page()
    page.set_default_timeout(START)
    page.goto(url)
    looker = Looker(page, classes_of(folder))
    looker.ready()
    looker.until("overview", least=10)
    take(page, out / "app-overview.png")
    sheet = looker.until("sheet", least=7)
    while not sheet["sorts"]:
        looker.finish()
        sheet = looker.until("sheet", least=7)
    home = looker.classes[sheet["speakers"][0]["title"]]
    titles = {card["item"]: card["title"] for card in sheet["items"]}
    misfits = [item for item, title in titles.items() if looker.classes[title] != home]
    looker.tap(*misfits)
    take(page, out / "app-sheet.png")
    page.keyboard.press("g")
    page.locator("#piles").wait_for()
    take(page, out / "app-piles.png")
    page.keyboard.press("Escape")
    page.set_viewport_size(PHONE)
    take(page, out / "app-sheet-phone.png")


def main(folder: Path, out: Path) -> None:
    """Serve a folder, and write the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    for which, take_them in (("pairs", take_all), ("all", take_screens)):
        words = [str(folder), *WORDS, "--screens", which]
        with TemporaryDirectory() as home, browsing() as browser:
            server = started(cold_context(), words, Path(home))
            try:
                context = browser.new_context(viewport=DESKTOP)
                take_them(context, server.url, folder, out)
            finally:
                server.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images"))

"""Pictures of every page of the app, from a real session on real pictures.

    python -m examples.screenshots FOLDER [OUT]

Makes every picture of the app in the docs: each page as ``app-PAGE.png`` on a desk,
``app-PAGE-phone.png`` on a phone and ``app-PAGE-dark.png`` in the dark; docs/pages.md
shows them. Beside the folder lies ``labels.csv`` with the columns ``file`` and
``class``; questions are answered by it, through the page.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias
from urllib.parse import urljoin

from PIL import Image
from playwright.sync_api import (
    Browser,
    Page,
    ViewportSize,
    sync_playwright,
)
from tests.e2e.looker import Looker
from tests.e2e.piles import pictures, table, texts
from tests.e2e.running import ARGUMENTS, NO_BROWSER, chromium, cold_context, started
from tests.e2e.seat import Seat
from tests.records import companies

Take: TypeAlias = Callable[[Page, Path, Path], None]
N_QUESTIONS = 40
N_MEMBERS = 3
N_ALIKE, N_AGAIN = 12, 3  # pictures of a small pile, and those saved once more
BREED = "Are these two dogs of the same breed?"
WORDS = ("--name", "dogs", "--criterion", BREED)
DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=780)
COLOURS = 256  # in a picture: keeps it small, and nobody sees it
OFTEN = ("--encoder", "hog+colour", "--checks", "4")
PAGES = {  # taken once everything is on them: their names and their addresses
    "guessed": "groups/not-placed",
    "map": "map",
    "history": "history",
    "export": "export",
    "people": "people",
    "api": "api",
    "enter": "enter",
}
NAMES = ("Meier & Sons", "Blue Harbour", "Ada Works", "Nordlicht", "Casa Verde")
CITIES = ("Oslo", "Lyon", "Graz", "Porto")
DRAWN = """() => [...document.images].every((image) => {
  const { top, bottom } = image.getBoundingClientRect();
  return bottom < 0 || top > innerHeight || (image.complete && image.naturalWidth > 0)
    || !image.checkVisibility();
})"""
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
    page.wait_for_function(DRAWN)
    page.screenshot(path=path, animations="disabled")
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def take_looks(page: Page, out: Path, name: str) -> None:
    """Take a page as it looks on a desk, on a phone and in the dark."""
    take(page, out / f"app-{name}.png")
    page.set_viewport_size(PHONE)
    take(page, out / f"app-{name}-phone.png")
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="dark")
    take(page, out / f"app-{name}-dark.png")
    page.emulate_media(color_scheme="light")


def take_pairs(page: Page, folder: Path, out: Path) -> None:
    """Answer some questions about pairs, and take every page."""
    Seat(page).ready()
    take_looks(page, out, "first")
    person = Person(Seat(page), classes_of(folder))
    for _ in range(N_QUESTIONS):
        person.answer()
    person.look_for_example()
    take_looks(page, out, "question")
    page.keyboard.press("v")
    page.locator(".pane").first.wait_for()
    take_looks(page, out, "large")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    take_looks(page, out, "keys")
    page.keyboard.press("Escape")
    person.seat.open_picker()
    take_looks(page, out, "picker")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    take_rest(page, out)


def take_rest(page: Page, out: Path) -> None:
    """Take the pages beside the question."""
    take_review(page, out)
    for name, address in PAGES.items():
        page.goto(urljoin(page.url, f"/{address}"))
        page.wait_for_load_state("networkidle")
        take_looks(page, out, name)


def take_review(page: Page, out: Path) -> None:
    """Take the pictures of what can be looked through and put right."""
    page.locator("#tab-groups").click()
    take_looks(page, out, "groups")
    page.locator(".group h2 a").first.click()
    page.wait_for_load_state("networkidle")
    for key in ("Space", "ArrowRight", "Space", "ArrowRight", "Space"):
        page.keyboard.press(key)
    take_looks(page, out, "review")


def take_screens(page: Page, folder: Path, out: Path) -> None:
    """Look through sheets and overviews, and take both."""
    looker = Looker(page, classes_of(folder))
    looker.ready()
    looker.until("overview", least=10)
    take_looks(page, out, "overview")
    sheet = looker.until("sheet", least=7)
    while not sheet["sorts"]:
        looker.finish()
        sheet = looker.until("sheet", least=7)
    home = looker.classes[sheet["speakers"][0]["title"]]
    titles = {card["item"]: card["title"] for card in sheet["items"]}
    misfits = [item for item, title in titles.items() if looker.classes[title] != home]
    looker.tap(*misfits)
    take_looks(page, out, "sheet")
    page.keyboard.press("g")
    page.locator("#piles").wait_for()
    take(page, out / "app-piles.png")


def take_kind(page: Page, _: Path, out: Path, name: str) -> None:
    """Answer a little about texts or rows, and take the question and its groups."""
    seat = Seat(page)
    seat.ready()
    for key in "ddd":
        seat.press(key)
    take_looks(page, out, name)
    page.keyboard.press("v")
    page.locator("#large :is(.text, .rows)").first.wait_for()
    take_looks(page, out, f"{name}-large")
    page.keyboard.press("Escape")
    page.locator("#tab-groups").click()
    take_looks(page, out, f"{name}-groups")


def take_slip(page: Page, _: Path, out: Path) -> None:
    """Contradict an earlier answer, and take what comes of it."""
    seat = Seat(page)
    seat.ready()
    while not seat.state()["progress"]["checks"]:
        seat.skip(1)
    seat.press("z")
    seat.press("d" if seat.truth() == "s" else "s")
    while seat.state()["slip"] is None:  # a few answers tell which one is wrong
        seat.answer()
    page.locator("#slip").wait_for()
    take_looks(page, out, "slip")
    page.keyboard.press("Escape")
    page.goto(urljoin(page.url, "/disagreements"))
    take_looks(page, out, "disagreements")


def take_quietly(page: Page, _: Path, out: Path, name: str) -> None:
    """Take a page on which nothing is asked."""
    page.locator("h1").wait_for()
    take_looks(page, out, name)


def take_records(page: Page, _: Path, out: Path) -> None:
    """Take a question about records that may be the same thing."""
    seat = Seat(page)
    seat.ready()
    seat.press("d")
    take_looks(page, out, "records")


def take_alike(page: Page, _: Path, out: Path) -> None:
    """Take what is offered where pictures look almost identical."""
    Seat(page).ready()
    page.goto(urljoin(page.url, "/groups"))
    page.get_by_text("Show", exact=True).click()
    take(page, out / "app-alike.png")


def write_companies(path: Path) -> Path:
    """Write a table of companies, some of which are entered more than once."""
    made = companies(250, seed=7)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(made.fields)
        writer.writerows(zip(*made.values, strict=True))
    return path


def write_again(folder: Path, pile: Path) -> Path:
    """Copy some pictures of a folder, and save three of them once more."""
    pile.mkdir()
    found = sorted(path for path in folder.iterdir() if path.is_file())
    some = found[:: max(len(found) // N_ALIKE, 1)][:N_ALIKE]
    for at, path in enumerate(some):
        with Image.open(path) as picture:
            picture.convert("RGB").save(pile / f"{at:02}.jpg", quality=95)
            if at < N_AGAIN:
                picture.convert("RGB").save(pile / f"again-{at:02}.jpg", quality=60)
    return pile


def write_contacts(path: Path) -> Path:
    """Write a table with a column of each kind."""
    lines = ["id;name;city;turnover;since;note;active"]
    for at in range(40):
        name, city = NAMES[at % len(NAMES)], CITIES[at % len(CITIES)]
        lines.append(
            f"C-{at:04};{name} {at % 9};{city};{at * 137 % 900},50;"
            f"{2000 + at % 20}-0{at % 9 + 1}-15;"
            f"Asked for a quote by telephone and wants an answer by mail, {at} pieces;"
            f"{'yes' if at % 3 else 'no'}"
        )
    path.write_text("\n".join(lines))
    return path


def show(
    words: Sequence[str],
    folder: Path,
    out: Path,
    take_them: Take,
    *,
    choosing: bool = False,
) -> None:
    """Serve a pile, sit down in front of it, and take the pictures."""
    with TemporaryDirectory() as home, browsing() as browser:
        server = started(cold_context(), words, Path(home), choosing=choosing)
        try:
            page = browser.new_context(viewport=DESKTOP).new_page()
            page.set_default_timeout(START)
            page.goto(server.url)
            take_them(page, folder, out)
        finally:
            server.kill()


def main(folder: Path, out: Path) -> None:
    """Serve piles of each kind, and write the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    for which, take_them in (("pairs", take_pairs), ("all", take_screens)):
        show([str(folder), *WORDS, "--screens", which], folder, out, take_them)
    with TemporaryDirectory(prefix="ann-") as drawer:
        for name, made in (
            ("text", texts(Path(drawer) / "texts", 8)),
            ("row", table(Path(drawer) / "things.csv", 8)),
        ):
            show([str(made)], made, out, partial(take_kind, name=name))
        shapes = pictures(Path(drawer) / "shapes", 14)
        show([str(shapes), *OFTEN], shapes, out, take_slip)
        table_of_all = write_contacts(Path(drawer) / "contacts.csv")
        customers = write_companies(Path(drawer) / "customers.csv")
        show([str(customers), "--duplicates"], customers, out, take_records)
        pile = write_again(folder, Path(drawer) / "pile")
        show([str(pile)], pile, out, take_alike)
        columns = partial(take_quietly, name="columns")
        show([str(table_of_all)], table_of_all, out, columns, choosing=True)
        os.environ["HOME"] = drawer  # where the start page begins
        show([], Path(drawer), out, partial(take_quietly, name="start"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images"))

"""A person in front of the pages of history and of disagreements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect
from tests.e2e.seat import Seat

READY = """() => document.body?.classList.contains("ready")
  && document.getElementById("deeds")?.getAttribute("aria-busy") === "false" """


@dataclass(frozen=True)
class Past:
    """Somebody who looks back."""

    page: Page

    @classmethod
    def of(cls, seat: Seat, path: str = "/history") -> Past:
        """Leave the question page for another one."""
        past = cls(seat.page)
        past.go(path)
        return past

    def go(self, path: str) -> None:
        """Open a page of this server and wait until it takes keys."""
        parts = urlsplit(self.page.url)
        self.page.goto(f"{parts.scheme}://{parts.netloc}{path}")
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_function(READY)

    def entry(self, answer: int) -> Locator:
        """Return what is shown of an answer."""
        return self.page.locator(f"#answer-{answer}")

    def ids(self) -> list[str]:
        """Return the entries of the page, from top to bottom."""
        self.ready()
        every = (
            "(all) => all.filter((one) => one.checkVisibility()).map((one) => one.id)"
        )
        found: list[str] = self.page.locator("#found .entry").evaluate_all(every)
        return found

    def click(self, words: str) -> None:
        """Press a button by its name, and wait for what comes of it."""
        self.ready()
        self.page.get_by_role("button", name=words, exact=True).first.click()
        self.ready()

    def press(self, *keys: str) -> None:
        """Press keys one after the other, each when the page takes it."""
        for key in keys:
            self.ready()
            self.page.keyboard.press(key)
        self.ready()

    def tear(self) -> None:
        """Be unsure about a pair, and then put both with a third item.

        Answer 1 can then be changed to what the two others deny.
        """
        asked = self.fetched("/api/state")["question"]
        a, b = asked["sample"]["item"], asked["against"]["item"]
        third = min({0, 1, 2} - {a, b})
        self.post("/api/answer", question=asked["id"], verdict="unsure")
        self.post("/api/review", action="new", items=[third, a, b])

    def focus(self, answer: int) -> None:
        self.ready()
        self.entry(answer).focus()

    def is_at(self, place: str) -> None:
        """Check that an entry or a link has the focus."""
        expect(self.page.locator(f"#{place}")).to_be_focused()

    def undo(self) -> None:
        self.press("z")

    def says(self, words: str) -> None:
        """Check what the page says was saved."""
        expect(self.page.locator("#saved")).to_have_text(words)

    def states(self) -> dict[int, str]:
        """Return what has become of every answer, as the server tells."""
        acts = self.fetched("/api/history")["acts"]
        return {e["id"]: e["state"] for act in acts for e in act["answers"]}

    def fetched(self, path: str) -> Any:
        return Seat(self.page).get(path)

    def post(self, path: str, **body: Any) -> Any:
        """Do something as a program would."""
        return Seat(self.page).post(path, **body)

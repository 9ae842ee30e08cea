"""A person who looks through groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect
from tests.e2e.seat import Seat

AWAKE = """() => document.readyState === "complete"
  && document.querySelector("[data-do]:not([disabled])") !== null
  && !document.body.classList.contains("busy")"""


@dataclass(frozen=True)
class Reviewer:
    """Somebody at one of the groups pages."""

    page: Page

    @classmethod
    def of(cls, seat: Seat) -> Reviewer:
        return cls(seat.page)

    def open(self, path: str) -> None:
        """Go to a page and wait until it takes keys."""
        root = self.page.url.split("/", 3)[:3]
        self.page.goto("/".join([*root, path.lstrip("/")]))
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_function(AWAKE)

    def press(self, *keys: str) -> None:
        """Press keys that change nothing on the server."""
        for key in keys:
            self.page.keyboard.press(key)

    def act(self, key: str, words: str) -> None:
        """Press a key that does something, and wait until the page says what."""
        self.ready()
        self.page.keyboard.press(key)
        self.says(words)

    def says(self, words: str) -> None:
        expect(self.page.locator("#saved")).to_contain_text(words)
        self.ready()

    def get(self, path: str) -> Any:
        return Seat(self.page).get(path)

    def tell(self, path: str, **body: Any) -> Any:
        """Do something without the page."""
        return Seat(self.page).post(path, **body)

    def groups(self) -> list[Any]:
        return list(self.get("/api/groups")["groups"])

    def items(self) -> list[int]:
        """Return the items on the page, in their order."""
        return [
            int(str(item.get_attribute("data-item")))
            for item in self.page.locator("#review .item").all()
        ]

    def chosen(self) -> list[int]:
        pressed = "#review .item:has(.pick[aria-pressed=true])"
        return [
            int(str(item.get_attribute("data-item")))
            for item in self.page.locator(pressed).all()
        ]

    def is_at(self, item: int) -> None:
        """Check that an item has the focus; a dialog that closes gives it back late."""
        pick = self.page.locator(f"#review [data-item='{item}'] .pick")
        expect(pick).to_be_focused()

    def focus(self, at: int) -> None:
        """Put the focus on an item of the page."""
        self.page.locator("#review .pick").nth(at).focus()

    def version(self) -> int:
        return int(self.get("/api/groups?members=0")["version"])

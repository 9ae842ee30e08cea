"""A person in front of the question page, who acts by keys alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

GUARD = 160  # milliseconds in which the page takes a key for one too many, and some
PICKER = "123456789abc"  # its keys
GET = "(path) => fetch(path).then((reply) => reply.json())"
POST = """([path, body]) => fetch(path, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ ...body, client_id: crypto.randomUUID() }),
}).then((reply) => reply.json())"""
SORTED = """async (n) => {
  const send = (path, body) => fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...body, client_id: crypto.randomUUID() }),
  }).then((reply) => reply.json());
  const kind = ({ title }) => title.split("-")[0];
  let { question } = await fetch("/api/state").then((reply) => reply.json());
  for (let done = 0; question && done < n; done += 1) {
    const isSame = kind(question.sample) === kind(question.against);
    const body = { question: question.id, verdict: isSame ? "same" : "different" };
    ({ question } = await send("/api/answer", body));
  }
}"""
ALL = 10_000  # questions, more than there are
READY = f"""() => {{
  const at = (id) => document.getElementById(id);
  const same = document.querySelector("[data-do=same]");
  if (document.readyState !== "complete" || !at("bar") || !same) return false;
  if (at("bar").hidden || same.getAttribute("aria-disabled") !== "false") return false;
  if (at("answers").hidden && at("deal").hidden) return true;
  const marks = performance.getEntriesByName("painted", "mark");
  return marks.length > 0 && performance.now() > marks.at(-1).startTime + {GUARD};
}}"""


@dataclass(frozen=True)
class Seat:
    """Somebody at a page that shows questions."""

    page: Page

    def ready(self) -> None:
        """Wait until the page takes keys."""
        self.page.wait_for_function(READY)

    def press(self, key: str) -> None:
        """Press a key when the page takes one, and wait for what comes of it."""
        self.ready()
        self.page.keyboard.press(key)
        self.ready()

    def pair(self) -> tuple[str, str]:
        """Return the names of the two items on the page."""
        self.ready()
        left, right = self.page.locator("#pair .card-foot > .title").all_inner_texts()
        return left, right

    def truth(self) -> str:
        """Return the key of the right answer, by the names of the files."""
        left, right = (name.partition("-")[0] for name in self.pair())
        return "s" if left == right else "d"

    def answer(self) -> str:
        """Answer rightly; return the key that was pressed."""
        key = self.truth()
        self.press(key)
        return key

    def answers(self, n: int) -> None:
        """Answer some questions rightly."""
        for _ in range(n):
            self.answer()

    def skip(self, n: int = ALL) -> None:
        """Answer some questions rightly at once, without the page, or all of them."""
        self.ready()  # a page that waits for its pile loads itself again
        self.page.evaluate(SORTED, n)
        self.page.reload()
        self.ready()

    @property
    def n_answers(self) -> int:
        return int(self.page.locator("#n-answers").inner_text())

    @property
    def is_asked(self) -> bool:
        self.ready()
        return self.page.locator("#answers").is_visible()

    def state(self) -> Any:
        """Return what the server says now."""
        return self.get("/api/state")

    def get(self, path: str) -> Any:
        """Return what the server says of something."""
        return self.page.evaluate(GET, path)

    def post(self, path: str, **body: Any) -> Any:
        """Do something without the page, as a program would."""
        return self.page.evaluate(POST, [path, body])

    def acts(self) -> list[Any]:
        """Return the log of everything that was said."""
        fetched = "() => fetch('/export/answers').then((r) => r.text())"
        return [json.loads(line) for line in self.page.evaluate(fetched).splitlines()]

    def open_picker(self) -> None:
        """Open the picker and wait until it takes keys."""
        self.ready()
        self.page.keyboard.press("g")
        self.page.locator("#picker-none").wait_for()
        self.past_guard()

    def candidates(self) -> list[str]:
        """Return the name of one item of each group in the picker."""
        found = self.page.locator(".candidate").all()
        return [str(c.locator("img").first.get_attribute("alt")) for c in found]

    def pick(self, is_right: Callable[[str], bool]) -> None:
        """Choose the group whose item is right in the open picker, or a new one."""
        while True:
            self.page.locator("#picker-none").wait_for()
            self.past_guard()
            right = [at for at, name in enumerate(self.candidates()) if is_right(name)]
            is_last = "new group" in self.page.locator("#picker-none").inner_text()
            self.page.keyboard.press(PICKER[right[0]] if right else "0")
            if right or is_last:
                self.ready()
                return

    def past_guard(self) -> None:
        """Wait until a key can no longer be meant for the page before."""
        now = self.page.evaluate("() => performance.now()")
        waited = f"(since) => performance.now() > since + {GUARD}"
        self.page.wait_for_function(waited, arg=now)

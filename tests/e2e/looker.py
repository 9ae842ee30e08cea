"""A person in front of sheets and overviews, who knows the names of the files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, expect
from tests.e2e.seat import Seat

UNTIL = """async ([wanted, least, fits, classes]) => {
  const send = (path, body) => fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...body, client_id: crypto.randomUUID() }),
  }).then((reply) => reply.json());
  const kind = ({ title }) => classes[title] ?? title.split("-")[0];
  const verdict = ({ sample, against }) =>
    (kind(sample) === kind(against) ? "same" : "different");
  const tapped = ({ tap, items, speakers }) => items
    .filter((card) => (kind(card) === kind(speakers[0])) === (tap === "members"))
    .map((card) => card.item);
  const same = ({ groups }) => [...Map.groupBy(groups, ({ speaker }) => kind(speaker))
    .values()].filter((set) => set.length > 1)
    .map((set) => set.map(({ speaker }) => speaker.item));
  let { question, screen } = await fetch(`/api/state?fits=${fits}`)
    .then((reply) => reply.json());
  for (let done = 0; (question || screen) && done < 300; done += 1) {
    const found = screen ? screen.kind : "pair";
    const size = (screen?.items ?? screen?.groups ?? []).length;
    if (found === wanted && size >= least) return true;
    if (question) {
      ({ question, screen } = await send("/api/answer",
        { question: question.id, verdict: verdict(question) }));
    } else if (screen.kind === "sheet") {
      ({ question, screen } = await send("/api/sheet",
        { screen: screen.id, tapped: tapped(screen) }));
    } else {
      ({ question, screen } = await send("/api/overview",
        { screen: screen.id, same: same(screen) }));
    }
  }
  return false;
}"""
KINDS = ("pair", "sheet", "overview")


@dataclass(frozen=True)
class Looker(Seat):
    """Somebody at a page that shows pairs, sheets and overviews.

    Attributes
    ----------
    classes : dict of str to str
        The class of each file; what its name begins with where it is not there.
    """

    classes: dict[str, str] = field(default_factory=dict)

    def until(self, kind: str, least: int = 0, fits: int = 24) -> Any:
        """Answer rightly without the page until something is asked; return it."""
        self.ready()  # a page that waits for its pile loads itself again
        wanted = [kind, least, fits, self.classes]
        assert self.page.evaluate(UNTIL, wanted), f"no {kind} came"
        self.page.reload()
        assert self.kind == kind
        return self.asked()

    @property
    def kind(self) -> str:
        """What is asked on the page, or "nothing"."""
        self.ready()
        shown = [one for one in KINDS if self.page.locator(f"#{one}").is_visible()]
        assert len(shown) <= 1
        return shown[0] if shown else "nothing"

    def asked(self) -> Any:
        """Return the question or the screen that the server has for this person."""
        state = self.state()
        return state["question"] or state["screen"]

    # Tiles

    @property
    def tiles(self) -> Locator:
        return self.page.locator(".screen:visible .pick")

    def tile(self, item: int) -> Locator:
        return self.page.locator(f'.screen:visible [data-item="{item}"] .pick')

    def said(self) -> dict[int, str]:
        """Return what is written on the tiles that are marked."""
        found = self.page.locator(".screen:visible .item:has(.said:not(:empty))").all()
        return {
            int(one.get_attribute("data-item") or -1): one.locator(".said").inner_text()
            for one in found
        }

    def tap(self, *items: int) -> None:
        """Click some tiles."""
        for item in items:
            self.tile(item).click()

    # The one button

    @property
    def done(self) -> Locator:
        return self.page.locator("[data-do=done]")

    def says(self, words: str) -> None:
        """Check what the one button says."""
        expect(self.page.locator("#done-words")).to_have_text(words)

    def finish(self) -> None:
        """Press the one button, and wait for what comes next."""
        self.ready()
        self.done.click()
        self.ready()

    def last_act(self) -> Any:
        """Return the newest act of the log."""
        return self.acts()[-1]

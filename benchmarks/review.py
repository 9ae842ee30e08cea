"""Questions first, then a review of the groups, by a person who is never wrong.

    python -m benchmarks.review FOLDER LABELS [--questions 150] [--encoder auto]

Serves the pictures of a folder as `likewise app` does and drives the API that the pages
use. LABELS is a csv with the columns ``file`` and ``class``; the person knows it, the
app does not. A question is one answer about a pair. A screen is what a person sees at
once: a question, a page of a group, that page again after each act on it, a dialog.
The review goes through the list of groups once to merge those that are the same, and
then through each group, the one that needs a look most first: what fits on a page is
confirmed at once, what does not is moved to its group, or begins one.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request

from examples.front_end import Client
from tests.e2e.running import cold_context, started

from likewise.experiments import ari, jaccard

LEVELS = (0.9, 0.95, 0.99, 1.0)


@dataclass
class Sorter:
    """Somebody who knows the class of each file."""

    client: Client
    classes: dict[str, str]
    screens: Counter[str] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    done: set[int] = field(default_factory=set)

    def of(self, card: Any) -> str:
        """Return the class of an item."""
        return self.classes[card["title"]]

    def ask(self) -> Any:
        """Wait for the pile and return what the page shows."""
        while (state := self.client.send("/api/state"))["status"] == "preparing":
            if state["preparing"]["error"]:
                raise SystemExit(state["preparing"]["error"])
            time.sleep(0.2)
        return state

    def answer(self, state: Any) -> Any:
        """Answer the question on the page."""
        question = state["question"]
        same = self.of(question["sample"]) == self.of(question["against"])
        verdict = "same" if same else "different"
        self.screens["questions"] += 1
        return self.client.act("/api/answer", question=question["id"], verdict=verdict)

    def groups(self) -> list[Any]:
        """Return the groups with some of their items."""
        found: list[Any] = self.client.send("/api/groups")["groups"]
        return sorted(found, key=lambda group: -group["unsure"])

    def meant(self, group: Any) -> str:
        """Return the class that most of the shown items of a group are of."""
        return Counter(map(self.of, group["members"])).most_common(1)[0][0]

    def merge(self) -> Iterator[None]:
        """Make those one that are the same, by what the list of groups shows."""
        alike: dict[str, list[int]] = defaultdict(list)
        for group in self.groups():
            alike[self.meant(group)].append(group["id"])
        self.screens["review"] += 1
        for ids in alike.values():
            if len(ids) > 1:
                self.act("merge", "/api/merge", groups=ids)
                self.screens["review"] += 2  # the dialog, and the list again
                yield

    def look(self) -> Iterator[None]:
        """Go through every group until all items were seen."""
        while (item := self._next()) is not None:
            start, has_more = 0, True
            while has_more:
                page = self.client.send(f"/api/groups/{item}?start={start}")
                cards, settled = page["items"], page["confirmed"]
                has_more, start = page["has_more"], start + page["per_page"]
                if all(card["item"] in self.done for card in cards):
                    continue
                self.screens["review"] += 1
                yield from self._page(self.meant(page["group"]), cards, settled)

    def _next(self) -> int | None:
        for group in self.groups():
            if group["size"] > group["confirmed"] or group["id"] not in self.done:
                return int(group["id"])
        return None

    def _page(
        self, meant: str, cards: list[Any], settled: list[bool]
    ) -> Iterator[None]:
        fits = [card["item"] for card in cards if self.of(card) == meant]
        new = [
            c["item"]
            for c, is_known in zip(cards, settled, strict=True)
            if not is_known
        ]
        strangers: dict[str, list[int]] = defaultdict(list)
        for card in cards:
            if self.of(card) != meant:
                strangers[self.of(card)].append(card["item"])
        if set(fits).intersection(new):
            self.act("confirm", "/api/review", action="confirm", items=fits)
            self.screens["review"] += 1
            yield
        for name, items in strangers.items():
            homes = [g["id"] for g in self.groups() if self.meant(g) == name]
            if homes:
                where = {"action": "move", "group": homes[0]}
                self.screens["review"] += 1  # the dialog
            else:
                where = {"action": "new"}
            self.act(str(where["action"]), "/api/review", **where, items=items)
            self.screens["review"] += 1
            yield
        self.done.update(card["item"] for card in cards)

    def act(self, name: str, path: str, **body: Any) -> None:
        """Do something to groups, and count it."""
        reply = self.client.act(path, **body)
        self.acts[name] += 1
        self.acts["answers"] += (
            reply["recorded"]["same"] + reply["recorded"]["different"]
        )
        self.acts["taken back"] += reply["recorded"]["taken_back"]

    def score(self) -> tuple[float, float]:
        """Return the Jaccard coefficient and ARI of what would be exported now."""
        request = Request(f"{self.client.root}/export/jsonl", None, self.client.headers)
        with self.client.open(request) as got:
            rows = [json.loads(line) for line in got.read().decode().splitlines()]
        truth = [self.classes[Path(row["key"]).name] for row in rows]
        found = [row["group"] for row in rows]
        return jaccard(truth, found), ari(truth, found)


def run(sorter: Sorter, n_questions: int) -> None:
    """Ask, review, and print what it took."""
    print("| after | questions | review screens | all screens | Jaccard | ARI |")
    print("|---|---|---|---|---|---|")
    state = sorter.ask()
    for _ in range(n_questions):
        if state["question"] is None:
            break
        state = sorter.answer(state)
    line(f"{sorter.screens['questions']} questions", sorter)
    reached = dict.fromkeys(LEVELS, False)
    for name, steps in (
        ("merging", sorter.merge()),
        ("looking through", sorter.look()),
    ):
        for _ in steps:
            found, _ = sorter.score()
            for level in LEVELS:
                if found >= level and not reached[level]:
                    reached[level] = True
                    line(f"Jaccard {level} in {name}", sorter)
    line("everything was seen", sorter)
    print(
        "\nActs of the review: " + ", ".join(f"{n} {k}" for k, n in sorter.acts.items())
    )


def line(what: str, sorter: Sorter) -> None:
    """Print one line of the table."""
    asked, review = sorter.screens["questions"], sorter.screens["review"]
    found, rand = sorter.score()
    print(
        f"| {what} | {asked} | {review} | {asked + review} | {found:.3f} | {rand:.3f} |"
    )


def main() -> None:
    """Serve, sort, stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--encoder", default="auto")
    given = parser.parse_args()
    with given.labels.open(newline="") as file:
        classes = {Path(row["file"]).name: row["class"] for row in csv.DictReader(file)}
    with TemporaryDirectory() as home:
        words = [str(given.folder), "--encoder", given.encoder, "--screens", "pairs"]
        server = started(cold_context(), words, Path(home))
        try:
            run(Sorter(Client(server.url), classes), given.questions)
        finally:
            server.stop()


if __name__ == "__main__":
    main()

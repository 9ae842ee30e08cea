"""The groups pages at 10,000 items: what the server needs for a page, and for an act.

    python -m benchmarks.groups [--items 10000] [--answers 300] [--repeats 5]

Ten overlapping clouds in a SQLite database, as many right answers as asked for, and an
app in this process: no browser, no pictures. Each page is timed after a first look;
each act on 60 items together with the page that is drawn after it. Times are medians,
in milliseconds, and ratios to a product of two 1000 by 1000 matrices in the same run.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.piles import clouds
from fastapi.testclient import TestClient
from tests.app.places import Served, new_id, served
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Verdict
from likewise.app._commands import Reply
from likewise.app._preparing import Encoded, Source, Watch
from likewise.items import Gathered, Item
from likewise.storage import Project, open_store

N_ACTED = 60
PAGES = {
    "the list of groups": "/groups",
    "one group": "/groups/{item}",
    "not placed": "/groups/not-placed",
    "set aside": "/groups/set-aside",
    "all groups, the nearest first": "/api/groups?near={item}&members=4",
    "two parts of a group": "/api/groups/{item}/parts",
}
ACTIONS = ("confirm", "reject", "move", "new", "aside")


def source_of(X: Any) -> Source:
    """Return items that nobody looks at."""
    items = tuple(
        Item(f"{at:05}.png", "image", f"{at:064x}", {"name": f"{at:05}.png"})
        for at in range(len(X))
    )

    def source(_: Watch, __: Project) -> Encoded:
        return Encoded(Gathered(Path(), "image", items), X, "Clouds.", "clouds/1")

    return source


def prepared(folder: Path, n: int, answers: int) -> Served:
    """Return an app on a pile of which some is known."""
    X, y = clouds(n, n_clouds=10)
    store = open_store(folder / "pile.db")
    here = served(folder, source_of(X), project=store.create("pile", {}, now=0.0))
    here.prepared()
    oracle = LabelOracle(y)

    for _ in range(answers):
        mine = here.question("ann")
        if mine is None:
            break
        said = Verdict.of(oracle(mine.question)).value
        body = {"question": mine.id, "verdict": said, "client_id": new_id()}
        reply = Reply.model_validate(body)
        here.service.act("ann", reply.client_id, reply)
    return here


def guessed(browser: TestClient) -> tuple[int, list[int]]:
    """Return an item of the largest group, and 60 of that group that are guessed."""
    item = browser.get("/api/groups").json()["groups"][0]["id"]
    page = browser.get(f"/api/groups/{item}").json()
    start = page["group"]["confirmed"]
    more = browser.get(f"/api/groups/{item}?start={start}").json()
    return item, [card["item"] for card in more["items"]][:N_ACTED]


def timed(work: Callable[[], Any]) -> float:
    """Return the milliseconds that some work takes."""
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def page_times(browser: TestClient, repeats: int) -> Iterator[tuple[str, float]]:
    """Yield what each page takes once it was looked at."""
    item, _ = guessed(browser)
    for name, path in PAGES.items():
        address = path.format(item=item)
        browser.get(address)
        took = [timed(lambda at=address: browser.get(at)) for _ in range(repeats)]  # type: ignore[misc]
        yield name, float(np.median(took))


def act_times(browser: TestClient, repeats: int) -> Iterator[tuple[str, float]]:
    """Yield what each action and its undo take, each with the page after it."""
    for action in ACTIONS:
        done, undone = [], []
        for _ in range(repeats):
            item, items = guessed(browser)
            other = browser.get("/api/groups").json()["groups"][1]["id"]
            body = {"action": action, "items": items, "group": other}
            done.append(timed(lambda b=body, at=item: _acted(browser, "review", b, at)))  # type: ignore[misc]
            undone.append(timed(lambda at=item: _acted(browser, "undo", {}, at)))  # type: ignore[misc]
        yield f"{action} {N_ACTED}, and the page", float(np.median(done))
        yield f"undo of {action}, and the page", float(np.median(undone))


def _acted(browser: TestClient, act: str, body: dict[str, Any], item: int) -> None:
    reply = browser.post(f"/api/{act}", json={**body, "client_id": new_id()})
    assert reply.status_code == 200, reply.text
    stay = reply.json().get("stay") or item
    page = browser.get(f"/groups/{stay}")
    assert page.status_code == 200, page.text


def yardstick(repeats: int) -> float:
    """Return the milliseconds of a product of two matrices, undisturbed."""
    A = np.random.default_rng(0).normal(size=(1000, 1000))
    return min(timed(lambda: A @ A) for _ in range(repeats))


def main() -> None:
    """Fill a database, look, act, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with TemporaryDirectory() as place, threadpool_limits(1):
        browser = prepared(Path(place), given.items, given.answers).seat()
        unit = yardstick(given.repeats)
        print(
            f"{given.items:,} items, {given.answers:,} answers; unit {unit:.1f} ms.\n"
        )
        print("| | milliseconds | ratio |\n|---|---|---|")
        for times in (page_times, act_times):
            for name, took in times(browser, given.repeats):
                print(f"| {name} | {took:.0f} | {took / unit:.2f} |", flush=True)
    print(f"\nLoad {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()

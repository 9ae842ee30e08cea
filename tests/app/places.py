"""Small piles of every kind, and what serves them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image
from tests.problems import Tiny, blobs

from likewise.app import AppContext, Door, PathSource, Preparation, create_app
from likewise.app._preparing import Encoded, Source, Watch
from likewise.app._project import ProjectService
from likewise.app._schemas import State
from likewise.app._snapshot import Snapshot
from likewise.app.question import present_state
from likewise.encoders import Encoder
from likewise.items import Gathered, Item, Reading
from likewise.session import Session, session_on
from likewise.storage import MemoryStore, OpenQuestion, Project, ProjectJournal

KINDS = ("image", "text", "row")
PORT = 8757
HOME = f"http://127.0.0.1:{PORT}"
SECRET = b"a secret of the tests"
OPTIONS: dict[str, Any] = {"method": "likewise", "n_clusters": None, "random_state": 0}
_ids = itertools.count()


@dataclass
class Clock:
    """A clock that goes when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def new_id() -> str:
    """Return a client id that was not there before."""
    return f"client-{next(_ids):08}"


# Piles


def mean_colours(batch: Iterable[Any]) -> list[Any]:
    return [np.asarray(p.resize((2, 2))).ravel() / 255 for p in batch]


COLOURS = Encoder("colours/1", "The colours of four quarters.", "image", mean_colours)


def painted(path: Path, colour: tuple[int, int, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (20, 20), colour).save(path)


def picture_folder(folder: Path, n: int = 12) -> Path:
    """Write reddish and bluish pictures in turn."""
    for at in range(n):
        strong, weak = 200 + at, 20 + at
        painted(
            folder / f"{at}.png",
            (strong, weak, 0) if at % 2 else (0, weak, strong),
        )
    return folder


def text_file(file: Path, n: int = 12) -> Path:
    """Write lines about fruit and about cars in turn."""
    fruit, cars = ("apple pear plum", "cherry apple fig"), ("car bus van", "bus lorry")
    lines = [
        f"{(cars if at % 2 else fruit)[at // 2 % 2]} {'number ' * (at % 3)}{at}"
        for at in range(n)
    ]
    file.write_text("\n".join(lines))
    return file


def table_file(file: Path, tiny: Tiny) -> Path:
    rows = [f"{x:.6f},{y:.6f},const" for x, y in tiny.X]
    file.write_text("\n".join(["x,y,word", *rows]))
    return file


def pile_file(kind: str, folder: Path) -> Path:
    """Write a pile of this kind, and return where."""
    if kind == "image":
        return picture_folder(folder / "pictures")
    if kind == "text":
        return text_file(folder / "lines.txt")
    return table_file(folder / "table.csv", blobs((4, 4, 4)))


def path_source(path: Path, cache: Path, **how: Any) -> PathSource:
    encoder = COLOURS if path.is_dir() else "auto"
    return PathSource(path, how.pop("encoder", encoder), cache, Reading(), **how)


def rows_source(tiny: Tiny, titles: Iterable[str] | None = None) -> Source:
    """Return rows that no file is behind."""
    names = list(titles or (f"row {at}" for at in range(len(tiny.X))))
    items = tuple(
        Item(str(at + 1), "row", f"{at:064x}", {"name": name, "x": f"{x[0]:.3f}"})
        for at, (name, x) in enumerate(zip(names, tiny.X, strict=True))
    )
    gathered = Gathered(Path(), "row", items)

    def source(watch: Watch, _: Project) -> Encoded:
        watch(0, 1, "Rows")
        return Encoded(gathered, tiny.X, "Numbers.", "rows/1", is_piecemeal=True)

    return source


# What serves them


@dataclass
class Served:
    """An app in this process, with everything that stands behind it."""

    project: Project
    source: Source
    folder: Path
    clock: Clock = field(default_factory=Clock)
    password: str | None = None
    options: dict[str, Any] = field(default_factory=lambda: dict(OPTIONS))
    hosts: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        how = (self.project, self.source, self.clock, self.options)
        self.preparation = Preparation(*how)
        self.door = Door(SECRET, self.clock, self.password, self.clock)
        thumbs = self.folder / "thumbs"
        self.context = AppContext(self.preparation, self.door, thumbs)
        self.app: FastAPI = create_app(self.context, port=PORT, hosts=self.hosts)

    def prepared(self) -> Served:
        self.preparation.prepare()
        return self

    def restarted(self) -> Served:
        """Return another server on the same project."""
        return replace(self).prepared()

    @property
    def service(self) -> ProjectService:
        found = self.preparation.service
        assert found is not None
        return found

    @property
    def now(self) -> Snapshot:
        return self.service.snapshot()

    @property
    def session(self) -> Session:
        """The session, with all that others have done."""
        with self.service.hold():
            return self.service.session

    def state(self, who: str) -> State:
        return present_state(self.context, who)

    def question(self, who: str) -> OpenQuestion | None:
        return self.service.turn(who).mine

    def elsewhere(self, who: str) -> Session:
        """Return a session of another process on the same project, as of now."""
        journal = ProjectJournal(self.project, who, self.clock)
        return session_on(Session, self.project, journal, **self.options)

    def outside(self) -> TestClient:
        """Return a browser that nobody has let in."""
        return TestClient(self.app, HOME, follow_redirects=False)

    def seat(self, who: str = "ann") -> TestClient:
        """Return a browser at one of our pages."""
        browser = self.outside()
        browser.headers["Sec-Fetch-Site"] = "same-origin"
        browser.cookies.set(f"likewise-{PORT}", self.door.cookie(who))
        return browser


def new_project(name: str = "pile", screens: str = "pairs") -> Project:
    """Return a project whose people see pairs, unless told otherwise."""
    return MemoryStore().create(name, {"screens": screens}, now=0.0)


def served(folder: Path, source: Source | None = None, **how: Any) -> Served:
    """Return a server in memory; of three heaps of rows if nothing is said."""
    project = how.pop("project", None) or new_project()
    return Served(project, source or rows_source(blobs((4, 4, 4))), folder, **how)


def answered(browser: TestClient, verdict: str, state: Any = None) -> Any:
    """Answer the present question, and return the state after it."""
    state = state or browser.get("/api/state").json()
    body = {"question": state["question"]["id"], "verdict": verdict}
    reply = browser.post("/api/answer", json={**body, "client_id": new_id()})
    assert reply.status_code == 200, reply.text
    return reply.json()


def shared(here: Served, owner: str) -> None:
    """Let the owner allow everybody to change what others said."""
    reply = here.seat(owner).post("/api/settings", json={"changes": "everybody"})
    assert reply.status_code == 200, reply.text


def truly(tiny: Tiny) -> Callable[[Any], str]:
    """Return who knows the right answer to the question of a state."""

    def verdict(state: Any) -> str:
        question = state["question"]
        i, j = question["sample"]["item"], question["against"]["item"]
        return "same" if tiny.truth[i] == tiny.truth[j] else "different"

    return verdict


def routes(app: FastAPI) -> list[tuple[str, str]]:
    """Return the method and the path of every route there is."""
    found: list[tuple[str, str]] = []
    waiting: list[Any] = list(app.routes)
    while waiting:
        route = waiting.pop()
        inner = getattr(route, "original_router", None)
        if inner is not None:  # newer FastAPI keeps what was included as it is
            waiting += inner.routes
            continue
        found += [(method, route.path) for method in sorted(route.methods - {"HEAD"})]
    return sorted(found)


def address(path: str) -> str:
    """Return an address of a route."""
    return re.sub(r"\{(\w+)\}", lambda name: EXAMPLES[name[1]], path)


def addresses(app: FastAPI) -> list[tuple[str, str]]:
    """Return the method and an address of every route there is."""
    return [(method, address(path)) for method, path in routes(app)]


EXAMPLES = {
    "item": "0",
    "kind": "csv",
    "folder": "lib",
    "name": "base.css",
    "token": "no-such-token",
}

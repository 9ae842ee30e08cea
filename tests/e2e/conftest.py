"""A real browser in front of a real server; nothing may leave this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.e2e.looker import Looker
from tests.e2e.piles import pictures, table, texts
from tests.e2e.running import (
    ARGUMENTS,
    NO_BROWSER,
    Server,
    chromium,
    started,
    warm_context,
)
from tests.e2e.seat import Seat
from tests.e2e.windows import PATIENCE, Windows

playwright = pytest.importorskip("playwright.sync_api")

ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
playwright.expect.set_options(timeout=PATIENCE)
Serve: TypeAlias = Callable[..., Server]
Sit: TypeAlias = Callable[..., Seat]
Look: TypeAlias = Callable[..., Looker]
NewPage: TypeAlias = Callable[..., Any]
MANY = ("--encoder", "hog+colour", "--screens", "all")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests, which finds no other machine than this one."""
    with playwright.sync_playwright() as driver:
        path = chromium(driver.chromium.executable_path)
        if path is None:
            pytest.skip(NO_BROWSER)
        found = driver.chromium.launch(executable_path=path, args=[*ARGUMENTS, ALONE])
        yield found
        found.close()


@pytest.fixture(scope="session")
def windows(browser: Any) -> Windows:
    return Windows(browser)


@pytest.fixture(scope="session")
def processes() -> BaseContext:
    return warm_context()


@pytest.fixture
def serve(processes: BaseContext, tmp_path: Path) -> Iterator[Serve]:
    """Serve a pile; a second time, the same project again."""
    with serving(processes, tmp_path / "home") as serve:
        yield serve


@pytest.fixture(scope="module")
def serve_once(
    processes: BaseContext, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serve]:
    """Serve a pile for all tests of a file: for those that leave no traces."""
    with serving(processes, tmp_path_factory.mktemp("once") / "home") as serve:
        yield serve


@contextmanager
def serving(processes: BaseContext, home: Path) -> Iterator[Serve]:
    """Serve piles until the block ends."""
    running: list[Server] = []

    def serve(pile: Path, *words: str, **how: Any) -> Server:
        server = started(processes, [str(pile), *words], home, **how)
        running.append(server)
        return server

    yield serve
    for server in running:
        server.kill()


@pytest.fixture
def new_page(windows: Windows) -> Iterator[NewPage]:
    """Open browsers' windows that share nothing; they ask for nothing but from here."""
    yield windows.open
    assert windows.close() == []


@pytest.fixture
def sit(windows: Windows, new_page: NewPage) -> Sit:
    """Let somebody in by the printed address once the pile is read."""

    def sit(server: Server, **looks: Any) -> Seat:
        page = new_page(**looks)
        windows.let_in(page, server)
        page.goto(server.root)
        seat = Seat(page)
        seat.ready()
        return seat

    return sit


@pytest.fixture
def look(sit: Sit) -> Look:
    """Let somebody in who is shown more than pairs."""

    def look(server: Server, **looks: Any) -> Looker:
        return Looker(sit(server, **looks).page)

    return look


@pytest.fixture
def enter(new_page: NewPage) -> Sit:
    """Let somebody in by their name and the password."""

    def enter(server: Server, name: str, password: str) -> Seat:
        page = new_page()
        page.goto(server.root)
        page.get_by_label("Your name").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Enter").click()
        return Seat(page)

    return enter


@pytest.fixture(scope="session")
def piles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every pile, drawn once: nothing is ever written into them."""
    root = tmp_path_factory.mktemp("piles")
    pictures(root / "shapes", 14)
    pictures(root / "few", 2)
    texts(root / "texts", 8)
    table(root / "things.csv", 8)
    (root / "nothing").mkdir()
    return root


@pytest.fixture
def shapes(piles: Path, serve: Serve, sit: Sit) -> Seat:
    """Somebody in front of 42 pictures in three clear groups."""
    return sit(serve(piles / "shapes", "--encoder", "hog+colour"))


@pytest.fixture
def many(piles: Path, serve: Serve, look: Look) -> Looker:
    """Somebody in front of the same 42 pictures, who is shown all kinds of screens."""
    return look(serve(piles / "shapes", *MANY))


@pytest.fixture
def few(piles: Path, serve: Serve, sit: Sit) -> Seat:
    """Somebody in front of six pictures in three clear groups."""
    return sit(serve(piles / "few", "--encoder", "hog+colour"))

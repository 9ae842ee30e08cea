"""A real browser in front of a real server; nothing may leave this machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, TypeAlias

import pytest
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

playwright = pytest.importorskip("playwright.sync_api")

PATIENCE = 20_000  # milliseconds; a loaded machine is slow, a broken page never comes
OUTSIDE = re.compile(r"^(?!http://127\.0\.0\.1:)")
playwright.expect.set_options(timeout=PATIENCE)
Serve: TypeAlias = Callable[..., Server]
Sit: TypeAlias = Callable[..., Seat]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests; each page has its own cookies."""
    with playwright.sync_playwright() as driver:
        path = chromium(driver.chromium.executable_path)
        if path is None:
            pytest.skip(NO_BROWSER)
        found = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield found
        found.close()


@pytest.fixture(scope="session")
def processes() -> BaseContext:
    return warm_context()


@pytest.fixture
def serve(processes: BaseContext, tmp_path: Path) -> Iterator[Serve]:
    """Serve a pile; a second time, the same project again."""
    running: list[Server] = []

    def serve(pile: Path, *words: str, port: int = 0, password: str = "") -> Server:
        command = [str(pile), *words]
        home = tmp_path / "home"
        server = started(processes, command, home, port=port, password=password)
        running.append(server)
        return server

    yield serve
    for server in running:
        server.kill()


@pytest.fixture
def leaks() -> list[str]:
    """Addresses outside of this machine that a page has asked for."""
    return []


@pytest.fixture
def new_context(browser: Any, leaks: list[str]) -> Iterator[Callable[..., Any]]:
    """Make browsers' windows that share nothing; they get nowhere but here."""
    contexts: list[Any] = []

    def refuse(route: Any) -> None:
        leaks.append(route.request.url)
        route.abort()

    def new_context(**looks: Any) -> Any:
        context = browser.new_context(**looks)
        context.set_default_timeout(PATIENCE)
        context.route(OUTSIDE, refuse)
        contexts.append(context)
        return context

    yield new_context
    for context in contexts:
        context.close()
    assert leaks == []


@pytest.fixture
def sit(new_context: Callable[..., Any]) -> Sit:
    """Let somebody in by the printed address once the pile is read."""

    def sit(server: Server, **looks: Any) -> Seat:
        context = new_context(**looks)
        context.request.get(server.url, max_redirects=0)
        while context.request.get(f"{server.root}api/state").json()["preparing"]:
            pass
        seat = Seat(context.new_page())
        seat.page.goto(server.root)
        seat.ready()
        return seat

    return sit


@pytest.fixture
def enter(new_context: Callable[..., Any]) -> Sit:
    """Let somebody in by their name and the password."""

    def enter(server: Server, name: str, password: str) -> Seat:
        page = new_context().new_page()
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
def few(piles: Path, serve: Serve, sit: Sit) -> Seat:
    """Somebody in front of six pictures in three clear groups."""
    return sit(serve(piles / "few", "--encoder", "hog+colour"))

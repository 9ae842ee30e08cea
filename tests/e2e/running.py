"""The app as a process of its own, and the browser to look at it with."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from urllib.parse import urlsplit

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NO_BROWSER = (
    "There is no Chromium: set LIKEWISE_CHROMIUM to one, put it on the PATH, or run "
    "`playwright install chromium`."
)


def chromium(of_playwright: str) -> str | None:
    """Return the path of a browser, or None if there is none."""
    named = os.environ.get("LIKEWISE_CHROMIUM")
    if named:
        return named
    if Path(of_playwright).exists():
        return of_playwright
    return shutil.which("chromium") or shutil.which("google-chrome")


def warm_context() -> BaseContext:
    """Return a way to start processes in which everything is imported already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        [
            "likewise.cli",
            "likewise.app._server",
            "likewise.app._preparing",
            "likewise.app._context",
            "likewise.encoders._classical",
            "likewise.encoders._texts",
            "likewise.items",
            "likewise.storage.sql._store",
            "sklearn.decomposition",
            "sklearn.feature_extraction.text",
            "tests.e2e.warm",
        ]
    )
    return context


def cold_context() -> BaseContext:
    """Return a way to start processes as a user does, from nothing."""
    return multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Server:
    """A running app.

    Attributes
    ----------
    process : Process
    url : str
        The address that it has printed, which lets one person in.
    """

    process: BaseProcess
    url: str

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 80

    @property
    def root(self) -> str:
        """The address of the question page."""
        return f"http://127.0.0.1:{self.port}/"

    def stop(self) -> None:
        """Stop as Ctrl+C does."""
        self.process.terminate()
        self.process.join()

    def kill(self) -> None:
        """Stop at once, in the middle of anything."""
        self.process.kill()
        self.process.join()


def started(
    context: BaseContext,
    words: Sequence[str],
    home: Path,
    *,
    port: int = 0,
    password: str = "",
    choosing: bool = False,
) -> Server:
    """Start ``likewise app`` with some arguments and return it once it listens.

    It asks about pairs only, unless the arguments say otherwise, and about the columns
    of a table only where they are to be chosen.
    """
    home.mkdir(parents=True, exist_ok=True)
    is_start = not words  # the start page: options about a pile need one
    pairs = () if is_start or "--screens" in words else ("--screens", "pairs")
    chosen = is_start or choosing or "--columns" in words
    guessed = () if chosen else ("--columns", "guessed")
    command = [
        "app",
        *words,
        *pairs,
        *guessed,
        "--port",
        str(port),
        "--no-browser",
        "--json",
    ]
    reader, writer = multiprocessing.Pipe(duplex=False)
    process = context.Process(  # type: ignore[attr-defined]
        target=_serve, args=(command, home, password, writer), daemon=True
    )
    process.start()
    writer.close()
    with reader, os.fdopen(reader.fileno(), closefd=False) as lines:
        line = lines.readline()
    if not line:
        process.join()
        raise AssertionError((home / "stderr.txt").read_text())
    return Server(process, json.loads(line)["url"])


def _serve(words: list[str], home: Path, password: str, out: Connection) -> None:
    from likewise.cli import main

    os.environ["LIKEWISE_HOME"] = str(home)
    os.environ["LIKEWISE_PASSWORD"] = password
    sys.argv = ["likewise", *words]
    sys.stdout = os.fdopen(os.dup(out.fileno()), "w", buffering=1)
    sys.stderr = (home / "stderr.txt").open("a", buffering=1)
    main()

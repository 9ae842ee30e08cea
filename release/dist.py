"""What is built is looked through, installed elsewhere, and tried.

``python -m release.dist FOLDER`` checks the wheel and the sdist in a folder: that they
hold what they should and no more; that the wheel alone can be imported, sorts the wines
and says of each extra how to install it; and that, with the extra ``app``, the demo
starts, answers on this machine and stops.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener
from zipfile import ZipFile

HERE = Path(__file__).parent
MOST_BYTES = 1_500_000  # of the wheel
WHEEL = re.compile(r"likewise(-[^/]+\.dist-info)?/")
SDIST = re.compile(
    r"(src/likewise/.*|[A-Z]+\.(md|cff)|LICENSE|pyproject\.toml|PKG-INFO)"
)
IGNORED = re.compile(r"\.gitignore")  # hatchling packs it, wanted or not
PATIENCE = 120.0  # seconds until the demo has its first question


class DistError(Exception):
    """A distribution is not what it should be."""


def names_in(archive: Path) -> list[str]:
    """Return the files of a wheel, or of an sdist below its one folder."""
    if archive.suffix == ".whl":
        with ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as sdist:
        names = [member.name for member in sdist if member.isfile()]
    return [name.partition("/")[2] for name in names]


def misplaced(archive: Path) -> list[str]:
    """Return what does not belong: tests, their data, pictures, whatever is no code."""
    names = names_in(archive)
    if archive.suffix == ".whl":
        return [name for name in names if not WHEEL.match(name)]
    kept = [name for name in names if not IGNORED.fullmatch(name)]
    return [name for name in kept if not SDIST.fullmatch(name)]


@dataclass(frozen=True)
class Environment:
    """A Python with a folder of packages of its own."""

    root: Path

    @classmethod
    def made(cls, root: Path) -> Environment:
        """Return a new one, with nothing in it."""
        venv.create(root, with_pip=True)
        return cls(root)

    def program(self, name: str) -> str:
        """Return where a program of it stands."""
        return str(self.root / ("Scripts" if os.name == "nt" else "bin") / name)

    def install(self, *what: str) -> None:
        """Install packages as anybody does: without constraints."""
        self.run("-m", "pip", "install", "--quiet", *what)

    def run(self, *words: str) -> str:
        """Return what its Python prints, far from this folder."""
        with TemporaryDirectory() as elsewhere:
            words = (self.program("python"), *words)
            ran = subprocess.run(
                words, cwd=elsewhere, capture_output=True, text=True, check=False
            )
        if ran.returncode:
            raise DistError(f"{' '.join(words)} failed: {ran.stderr.strip()}")
        return ran.stdout


def sorts_the_wines(place: Environment) -> str:
    """Return the versions with which a session sorts the wines."""
    return place.run(str(HERE / "session.py")).strip()


def silent_entries(place: Environment) -> list[str]:
    """Return what needs an extra, without saying so as it should."""
    tried = json.loads(place.run(str(HERE / "missing.py")))
    return [entry["code"] for entry in tried if entry["said"] != entry["sentence"]]


def extras_missed(place: Environment) -> set[str]:
    """Return the extras that something says are missing."""
    tried = json.loads(place.run(str(HERE / "missing.py")))
    return {entry["extra"] for entry in tried if entry["said"] is not None}


def first_question(place: Environment) -> str:
    """Start the demo, wait for what it asks, and stop it."""
    with TemporaryDirectory() as home, _demo(place, Path(home)) as address:
        jar = HTTPCookieProcessor(CookieJar())
        browser = build_opener(ProxyHandler({}), jar)
        with browser.open(address, timeout=PATIENCE) as page:
            root = page.url.rpartition("/")[0]
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with browser.open(f"{root}/api/state", timeout=PATIENCE) as reply:
                state = json.load(reply)
            if state["status"] == "asking":
                return str(state["criterion"])
            time.sleep(0.2)
    raise DistError("The demo had no question in time.")


@contextmanager
def _demo(place: Environment, home: Path) -> Iterator[str]:
    words = [place.program("likewise"), "demo", "--no-browser", "--json"]
    server = subprocess.Popen(
        words,
        cwd=home,
        env={**os.environ, "LIKEWISE_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["url"]
        server.send_signal(signal.SIGINT)
        server.wait(PATIENCE)
    finally:
        server.kill()
        server.communicate()
    if server.returncode not in (0, 130):
        raise DistError(f"The demo ended with exit code {server.returncode}.")


def check(folder: Path) -> None:
    """Check what is in a folder, and say what was found."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    for archive in (wheel, sdist):
        if odd := misplaced(archive):
            raise DistError(f"{archive.name} holds {', '.join(odd[:5])}.")
        print(f"{archive.name}: {archive.stat().st_size / 1e6:.2f} MB")
    if wheel.stat().st_size > MOST_BYTES:
        raise DistError(f"The wheel is larger than {MOST_BYTES / 1e6} MB.")
    with TemporaryDirectory() as root:
        place = Environment.made(Path(root))
        place.install(str(wheel))
        print(f"Alone: {sorts_the_wines(place)}")
        if silent := silent_entries(place):
            raise DistError(f"No extra is named by: {'; '.join(silent)}")
        print("Every extra that is missing is named.")
        place.install(f"{wheel}[app]")
        print(f"The demo asks: {first_question(place)}")


if __name__ == "__main__":
    try:
        check(Path(sys.argv[1]).resolve())
    except DistError as error:
        sys.exit(str(error))

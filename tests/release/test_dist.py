"""The wheel, alone in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from release.dist import (
    MOST_BYTES,
    Environment,
    first_question,
    misplaced,
    silent_entries,
    sorts_the_wines,
)

ROOT = Path(__file__).parents[2]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it, unless there is nowhere to take from what builds it."""
    folder = tmp_path_factory.mktemp("dist")
    words = [*PIP, "download", "--no-deps", "--dest", str(folder / "net"), "hatchling"]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("No package can be fetched here, so the wheel is not installed.")
    words = [*PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(words, capture_output=True, check=True)
    return next(folder.glob("likewise-*.whl"))


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    place = Environment.made(tmp_path_factory.mktemp("alone"))
    place.install(str(wheel))
    return place


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_no_more(wheel: Path) -> None:
    assert misplaced(wheel) == []
    assert wheel.stat().st_size <= MOST_BYTES


@pytest.mark.slow
def test_the_wheel_alone_sorts_and_names_every_extra_that_is_missing(
    alone: Environment,
) -> None:
    assert sorts_the_wines(alone).startswith("Python")
    assert silent_entries(alone) == []


@pytest.mark.slow
def test_with_the_app_the_demo_asks_and_stops(alone: Environment, wheel: Path) -> None:
    alone.install(f"{wheel}[app]")

    assert first_question(alone) == "Are these the same digit?"


def test_what_does_not_belong_into_an_archive_is_noticed(tmp_path: Path) -> None:
    wheel, sdist = tmp_path / "a-1-py3-none-any.whl", tmp_path / "a-1.tar.gz"
    with ZipFile(wheel, "w") as packed:
        for name in ("likewise/a.py", "likewise-1.dist-info/RECORD", "tests/a.db"):
            packed.writestr(name, "")
    with tarfile.open(sdist, "w:gz") as packed:
        for name in ("README.md", "src/likewise/a.py", "tests/README.md", "a.png"):
            packed.addfile(tarfile.TarInfo(f"likewise-1/{name}"))

    assert misplaced(wheel) == ["tests/a.db"]
    assert misplaced(sdist) == ["tests/README.md", "a.png"]

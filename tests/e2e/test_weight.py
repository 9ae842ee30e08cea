"""The app is light: it comes with the package, and nothing is fetched for it."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest

FOREIGN = re.compile(r"(?:https?:)?//(?!www\.w3\.org/)[a-z0-9.-]+\.[a-z]{2,}")


def files_in(folder: Traversable) -> list[Traversable]:
    """Return the files of a folder and of those in it."""
    found = []
    for entry in folder.iterdir():
        if entry.is_file():
            found.append(entry)
        elif entry.name != "__pycache__":
            found.extend(files_in(entry))
    return found


def test_the_files_of_the_page_weigh_less_than_300_kilobytes() -> None:
    static = files_in(files("likewise.app") / "static")

    assert 0 < sum(len(file.read_bytes()) for file in static) < 300_000


def test_the_package_weighs_less_than_three_megabytes() -> None:
    package = files_in(files("likewise"))

    assert sum(len(file.read_bytes()) for file in package) < 3_000_000


@pytest.mark.parametrize("folder", ["static", "templates"])
def test_no_page_names_another_machine(folder: str) -> None:
    for file in files_in(files("likewise.app") / folder):
        assert FOREIGN.findall(file.read_text()) == [], file.name

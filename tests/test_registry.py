"""Things by name: built in, announced by packages, and one's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from likewise._registry import Registry
from likewise.errors import InputError, PluginWarning

PLUGIN = """
TWO = 2
WORD = "three"
"""


@pytest.fixture
def numbers() -> Registry[int]:
    return Registry("number", int, "likewise.test_numbers", [("one", 1)])


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package as pip would have installed it, with entry points of its own."""
    info = tmp_path / "plugin_of_numbers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: plugin-of-numbers\nVersion: 1.0\n")
    (tmp_path / "plugin_of_numbers.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    yield info / "entry_points.txt"
    sys.modules.pop("plugin_of_numbers", None)


def announce(package: Path, *lines: str) -> None:
    package.write_text("\n".join(["[likewise.test_numbers]", *lines]))


def test_what_is_built_in_is_found_by_its_name(numbers: Registry[int]) -> None:
    assert numbers.find("one") == numbers["one"] == 1


def test_what_is_registered_is_listed_and_found(numbers: Registry[int]) -> None:
    numbers["five"] = 5

    assert list(numbers) == ["one", "five"]
    assert numbers.find("five") == 5


def test_an_unknown_name_is_answered_with_the_known_ones(
    numbers: Registry[int],
) -> None:
    with pytest.raises(InputError, match=r"no number 'six'\. Choose one of: one"):
        numbers.find("six")


def test_what_is_built_in_stays(numbers: Registry[int]) -> None:
    with pytest.raises(InputError, match="built in"):
        numbers["one"] = 11
    with pytest.raises(InputError, match="built in"):
        del numbers["one"]


def test_what_was_registered_can_go(numbers: Registry[int]) -> None:
    numbers["five"] = 5

    del numbers["five"]

    assert len(numbers) == 1


def test_a_thing_of_another_kind_is_refused(numbers: Registry[int]) -> None:
    with pytest.raises(InputError, match="A number is a int, but 'word' is a str"):
        numbers["word"] = "word"  # type: ignore[assignment]


def test_what_a_package_announces_is_there(
    numbers: Registry[int], package: Path
) -> None:
    announce(package, "two = plugin_of_numbers:TWO")

    assert numbers["two"] == 2
    assert dict(numbers) == {"one": 1, "two": 2}


@pytest.mark.parametrize(
    "line", ["bad = plugin_of_numbers:WORD", "bad = plugin_of_numbers:NONE"]
)
def test_a_broken_announcement_is_named_and_left_out(
    numbers: Registry[int], package: Path, line: str
) -> None:
    announce(package, line, "two = plugin_of_numbers:TWO")

    with pytest.warns(PluginWarning, match="The number 'bad' of plugin_of_numbers"):
        assert list(numbers) == ["one", "two"]

"""Figures that pages state come from files, and the pages have them as they are."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from benchmarks import kept, tables
from benchmarks.peers import summary

FILES = sorted(
    path for path in tables.KEPT.rglob("*.json") if '"rows":' in path.read_text("utf-8")
)


def name_of(path: Path) -> str:
    return str(path.relative_to(tables.ROOT))


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    rows = [{"n": 3, "warm": 0.25}, {"n": 4, "warm": 0.5}]
    path = tmp_path / "some.json"
    kept.keep(path, rows, card=None)

    found = kept.kept_in(path)

    assert found["rows"] == rows
    assert found["card"] is None
    assert found["versions"]["numpy"]


def test_each_row_has_a_line_of_its_own(tmp_path: Path) -> None:
    kept.keep(tmp_path / "some.json", [{"n": at} for at in range(20)])

    lines = (tmp_path / "some.json").read_text("utf-8").splitlines()

    assert sum(line.startswith('  {"n"') for line in lines) == 20


def test_a_command_is_kept_without_where_things_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = str(Path(tables.__file__).with_name("scale.py"))
    words = ["--keep", str(tmp_path / "piles"), "--json", "a folder/kept.json"]
    monkeypatch.setattr(sys, "argv", [script, *words, "Splink's"])

    assert kept.circumstances()["command"] == (
        "python -m benchmarks.scale --keep piles --json 'a folder/kept.json' "
        '"Splink\'s"'
    )


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_of_figures_says_when_and_on_what(path: Path) -> None:
    found = json.loads(path.read_text("utf-8"))

    assert {"date", "command", "commit", "processor", "versions"} <= set(found)
    assert not any(word.startswith("/") for word in shlex.split(found["command"]))


@pytest.mark.parametrize("page", tables.pages(), ids=name_of)
def test_the_tables_of_a_page_are_what_the_files_say(page: Path) -> None:
    text = page.read_text("utf-8")

    assert tables.brought_up(text) == text


def test_every_table_is_on_a_page() -> None:
    text = "".join(page.read_text("utf-8") for page in tables.pages())

    assert {name for _, name, _ in tables.BETWEEN.findall(text)} == set(tables.TABLES)


@pytest.mark.parametrize(
    ("value", "said"), [(0.0301, "0.030"), (4.44, "4.4"), (116.4, "116"), (9.96, "10")]
)
def test_two_digits_are_enough(value: float, said: str) -> None:
    assert tables.digits(value) == said


def test_the_front_page_counts_the_sets_on_which_we_get_furthest() -> None:
    rows = [
        row
        for name in ("peers.json", "unseen.json")
        for row in kept.kept_in(tables.KEPT / name)["rows"]
    ]
    sets = {row["set"] for row in rows}
    others = {row["system"] for row in rows} - {"likewise", "likewise, k unknown"}

    def area(system: str, name: str) -> float:
        wanted = (system, name)
        runs = [row for row in rows if (row["system"], row["set"]) == wanted]
        return summary(runs).area

    ahead = [
        name
        for name in sets
        if area("likewise", name) > max(area(system, name) for system in others)
    ]
    front = " ".join((tables.ROOT / "docs/index.md").read_text("utf-8").split())
    assert (len(ahead), len(sets), len(others)) == (8, 9, 10)
    assert "ten other ways to ask" in front
    assert "eight of nine sets" in front

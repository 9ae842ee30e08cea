"""Figures that pages state are kept in files that say where they come from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks import kept


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
    script = str(Path(kept.__file__).with_name("scale.py"))
    words = [script, "--keep", str(tmp_path / "piles"), "--json", "a folder/kept.json"]
    monkeypatch.setattr(sys, "argv", words)

    assert kept.circumstances()["command"] == (
        "python -m benchmarks.scale --keep piles --json 'a folder/kept.json'"
    )

"""What is said of the columns of a table, and which table of a file is meant."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.commands import Run
from tests.items.drawer import DRAWER

from likewise.cli._options import reading_of
from likewise.cli._places import home_of, stem_of
from likewise.errors import InputError
from likewise.items import Reading


@pytest.mark.parametrize(
    ("columns", "kinds", "weights"),
    [
        ("guessed", (), ()),
        ("price:number:2", (("price", "number"),), (("price", 2.0),)),
        ("price:2, name:text", (("name", "text"),), (("price", 2.0),)),
        ('"a, b":long text', (("a, b", "long text"),), ()),
        ("made of:yes/no:0.5", (("made of", "yes/no"),), (("made of", 0.5),)),
        ("price", (), ()),
    ],
)
def test_what_is_said_of_columns(columns: str, kinds: object, weights: object) -> None:
    how = reading_of(None, None, "auto", columns)

    assert (how.kinds, how.weights) == (kinds, weights)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("price:number:much", "NAME:KIND:WEIGHT, such as price:number:2"),
        (":number", "but one of them is ':number'"),
        ("price:colour", "cannot be of the kind 'colour'"),
        ("price:number:-1", "from 0 to 1,000"),
    ],
)
def test_columns_that_cannot_be_are_one_sentence(columns: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        reading_of(None, None, "auto", columns)


def test_a_title_and_duplicates_can_be_said() -> None:
    how = reading_of("class", ["id"], "none", None, "name", duplicates=True)

    assert how == Reading("class", ("id",), False, title="name", seek="duplicates")


def test_each_table_of_a_file_is_a_pile_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("LIKEWISE_HOME", str(home))
    file = tmp_path / "shop.xlsx"
    file.write_bytes(b"")
    names = ["shop.xlsx", "shop.xlsx::2024", "shop.xlsx::Prices, old/new"]

    homes = {home_of(tmp_path / name) for name in names}

    assert len(homes) == 3
    assert all(one.parent == home for one in homes)
    assert stem_of(tmp_path / names[1]) == "shop 2024"


def test_a_sheet_is_asked_about(
    likewise: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_HOME", str(tmp_path / "home"))
    pytest.importorskip("openpyxl")
    DRAWER["another sheet"].write(Path())

    ran = likewise("ask", "sheets.xlsx::The trees", keys="q\n")

    assert (ran.code, "height" in ran.err) == (0, True)
    words = ("app", "sheets.xlsx::Shrubs", "--no-browser", "--port", "0")
    app = subprocess.run(  # a server has the loop of its process for itself
        [sys.executable, "-c", "from likewise.cli import main; main()", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert app.returncode == 2
    assert "There is no sheet 'Shrubs' in sheets.xlsx. It has: Notes" in app.stderr
    ran = likewise("export", "sheets.xlsx::The trees")
    assert "Nothing of sheets.xlsx::The trees has been sorted yet" in ran.err

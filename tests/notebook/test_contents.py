"""What people see of samples: told by the items alone."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from likewise import InputError
from likewise.notebook._contents import LARGE, SMALL, contents_of

OAK = [[0, 255], [255, 0]]


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def a_picture(folder: Path, name: str = "oak.png") -> Path:
    Image.new("RGB", (900, 600), "red").save(folder / name)
    return folder / name


def test_texts_are_texts() -> None:
    found = contents_of(2, ["an <b>oak</b>", "an elm"], None)

    assert found.kind == "text"
    assert found.card(0)["text"] == "an <b>oak</b>"
    assert found.card(1)["title"] == "text 1"
    assert found.picture(0, SMALL) == b""


@pytest.mark.parametrize("spelled", [str, Path])
def test_paths_of_pictures_are_pictures(tmp_path: Path, spelled: Any) -> None:
    found = contents_of(1, [spelled(a_picture(tmp_path))], None)

    assert found.kind == "image"
    assert found.card(0)["title"] == "oak.png"
    assert opened(found.picture(0, SMALL)).size == (480, 320)
    assert opened(found.picture(0, LARGE)).size == (900, 600)


def test_paths_of_texts_are_read(tmp_path: Path) -> None:
    (tmp_path / "oak.txt").write_text("an oak", encoding="utf-8")

    card = contents_of(1, [tmp_path / "oak.txt"], None).card(0)

    assert (card["text"], card["title"]) == ("an oak", "oak.txt")


def test_a_picture_that_is_gone_is_no_error(tmp_path: Path) -> None:
    assert contents_of(1, [tmp_path / "gone.png"], None).picture(0, SMALL) == b""


@pytest.mark.parametrize(
    "items",
    [
        [Image.new("L", (2, 2))],
        [np.array(OAK)],
        np.array([OAK]),
        np.zeros((1, 2, 2, 3)),
        np.zeros((1, 2, 2, 1)),
    ],
)
def test_pictures_in_memory_are_pictures(items: Any) -> None:
    found = contents_of(1, items, None)

    assert found.kind == "image"
    assert opened(found.picture(0, SMALL)).size == (128, 128)


def test_numbers_become_shades_from_the_least_to_the_largest_of_all() -> None:
    found = contents_of(
        2, np.array([np.zeros((200, 200)), np.full((200, 200), 0.5)]), 0
    )

    shades = [opened(found.picture(at, SMALL)).getpixel((9, 9)) for at in (0, 1)]

    assert shades == [(0, 0, 0), (255, 255, 255)]


def test_a_picture_of_ones_own_stays_as_it_is() -> None:
    mine = Image.new("RGB", (2, 2))

    contents_of(1, [mine], None).picture(0, SMALL)

    assert mine.size == (2, 2)


def test_tables_are_rows() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"leaf": ["oak", None], "cm": [8.25, 3.0]})

    found = contents_of(2, table, None, titles="leaf")

    assert found.kind == "row"
    assert found.card(0)["title"] == "oak"
    assert [c["value"] for c in found.card(0)["columns"]] == ["oak", "8.25"]
    assert [c["value"] for c in found.card(1)["columns"]] == ["", "3"]


def test_tables_of_polars_are_rows_too() -> None:
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"leaf": ["oak", None], "cm": [8.25, 3.0]})

    found = contents_of(2, table, None, titles="leaf")

    assert found.card(0)["title"] == "oak"
    assert [c["value"] for c in found.card(1)["columns"]] == ["", "3"]


def test_mappings_and_lists_are_rows() -> None:
    named = contents_of(1, [{"leaf": "oak"}], None).card(0)["columns"]
    unnamed = contents_of(1, [("oak", 8)], None).card(0)["columns"]

    assert named == [{"name": "leaf", "value": "oak"}]
    assert [column["name"] for column in unnamed] == ["column 0", "column 1"]


def test_without_items_people_see_the_features() -> None:
    shown = contents_of(1, None, np.array([[0.5]])).card(0)

    assert shown["columns"] == [{"name": "feature 0", "value": "0.5"}]
    assert contents_of(1, None, None).card(0)["columns"] == []


@pytest.mark.parametrize(
    ("items", "how", "words"),
    [
        (["one"], {}, "There are 1 items for 2 samples"),
        ("ab", {}, "Items are a list"),
        (["a", "b"], {"kind": "tree"}, "Items are 'image', 'text' or 'row'"),
        (["a", "b"], {"titles": ["a"]}, "There are 1 items for 2 samples"),
        (["a", "b"], {"titles": "leaf"}, "Only a table has columns"),
    ],
)
def test_what_does_not_fit_is_refused(items: Any, how: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        contents_of(2, items, None, **how)


def test_a_table_without_the_column_of_titles_is_refused() -> None:
    pandas = pytest.importorskip("pandas")

    with pytest.raises(InputError, match="The table has no column 'tree'"):
        contents_of(1, pandas.DataFrame({"leaf": ["oak"]}), None, titles="tree")

"""Tables: csv, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from likewise import InputError, Session
from likewise.exports import EXPORTS, Row, original_suffix, rows_of, table_chunks
from likewise.exports._tables import (
    COLUMNS,
    csv_chunks,
    jsonl_chunks,
    original_chunks,
    parquet_chunks,
    training_chunks,
    unguarded,
    xlsx_chunks,
)
from likewise.storage import Item

ROWS = [
    Row(0, "a b.png", 1, "oak, or elm", "confirmed", 1.0),
    Row(1, "ä\n.png", 2, 'the "other"', "guessed", 0.1234567),
    Row(2, "c.png", None, "", "aside", None),
]
ROUNDED = [*ROWS[:1], Row(1, "ä\n.png", 2, 'the "other"', "guessed", 0.123457), ROWS[2]]

rows_drawn = st.lists(
    st.builds(
        Row,
        st.integers(0, 10**6),
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
        st.none() | st.integers(1, 99),
        st.text(st.characters(exclude_categories=["Cs"])),
        st.sampled_from(["confirmed", "guessed", "deferred", "aside"]),
        st.none() | st.floats(0, 1).map(lambda sure: round(sure, 6)),
    )
)


def from_csv(chunks: Iterable[bytes]) -> list[dict[str, str]]:
    text = b"".join(chunks).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def from_parquet(chunks: Iterable[bytes]) -> list[Row]:
    table = parquet.read_table(io.BytesIO(b"".join(chunks)))
    return [Row(**record) for record in table.to_pylist()]


def many(n_rows: int) -> Iterator[Row]:
    return (
        Row(at, f"leaves/{at}.png", at % 7 + 1, "oak", "guessed", 0.5)
        for at in range(n_rows)
    )


def test_a_csv_has_a_header_even_without_rows() -> None:
    assert b"".join(csv_chunks([])).decode() == ",".join(COLUMNS) + "\r\n"


def test_cells_of_a_csv_keep_commas_quotes_and_lines() -> None:
    first, second, third = from_csv(csv_chunks(ROWS))

    assert first["name"] == "oak, or elm"
    assert (second["key"], second["name"]) == ("ä\n.png", 'the "other"')
    assert (third["group"], third["probability"]) == ("", "")


@pytest.mark.parametrize("beginning", ["=", "+", "-", "@", "\t", "\r"])
def test_a_csv_runs_no_formula(beginning: str) -> None:
    evil = beginning + 'HYPERLINK("http://x")'
    row = Row(0, evil, 1, evil, "guessed", 0.5)

    (cells,) = from_csv(csv_chunks([row]))

    assert cells["key"] == cells["name"] == "'" + evil
    assert unguarded(cells["key"]) == evil


EVIL = [
    "oak;=1+1", "oak,=1+1", "oak|=1", "oak\t=1", "oak\n=1", 'oak"=1', "oak; =1",
    "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20SUM(1)", "\ufeff=1", "\u200b=1", " =1",
    "\xa0=1", "\u3000\uff1d1", "\n=1", ";=1", ";\ufeff@x", "'=1", "';=1", "\u202e=1",
]  # fmt: skip


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_cell_is_a_formula_however_a_csv_is_cut(evil: str, delimiter: str) -> None:
    text = b"".join(csv_chunks([Row(0, evil, 1, evil, "guessed", 0.5)])).decode()
    cut = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)

    for cell in (cell for line in cut for cell in line):
        seen = cell.lstrip(' \xa0\u3000\u200b\ufeff\u202e"\t\r\n')
        assert not seen.startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff20"))


signs = st.sampled_from("=+-@;,|\"'\t\r\n a\ufeff\u200b\uff1d\uff20\xa0")


@given(st.text(signs | st.characters(exclude_categories=["Cs"])))
def test_a_guarded_cell_comes_back_as_it_was(cell: str) -> None:
    row = Row(0, cell, 1, cell, "guessed", 0.5)

    (cells,) = from_csv(csv_chunks([row]))

    assert unguarded(cells["key"]) == unguarded(cells["name"]) == cell


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_key_that_is_no_unicode_is_replaced(kind: str) -> None:
    row = Row(0, "leaf\udcff.png", 1, "\ud800", "guessed", 0.5)

    assert b"".join(table_chunks(kind, iter([row])))


def test_a_raw_csv_keeps_what_looks_like_a_formula() -> None:
    row = Row(0, "=1+1", 1, "-", "guessed", 0.5)

    (cells,) = from_csv(csv_chunks([row], raw=True))

    assert (cells["key"], cells["name"]) == ("=1+1", "-")


@given(rows_drawn)
def test_json_lines_hold_the_rows(rows: list[Row]) -> None:
    lines = b"".join(jsonl_chunks(rows)).split(b"\n")[:-1]

    assert [Row(**json.loads(line)) for line in lines] == rows


@given(rows_drawn)
def test_a_csv_holds_the_rows(rows: list[Row]) -> None:
    cells = from_csv(csv_chunks(rows, raw=True))

    expected = [["" if v is None else str(v) for v in astuple(row)] for row in rows]
    assert [list(found.values()) for found in cells] == expected


@pytest.mark.parametrize("rows", [[], ROWS], ids=["none", "some"])
def test_a_parquet_file_holds_the_rows(rows: list[Row]) -> None:
    assert from_parquet(parquet_chunks(rows)) == ROUNDED[: len(rows)]


def test_a_parquet_file_of_many_pieces_is_whole() -> None:
    assert from_parquet(parquet_chunks(many(45_000))) == list(many(45_000))


@pytest.mark.parametrize(
    ("chunks", "megabytes"), [(csv_chunks, 2), (jsonl_chunks, 2), (parquet_chunks, 25)]
)
def test_many_rows_never_sit_in_memory_together(
    chunks: Callable[[Iterable[Row]], Iterator[bytes]], megabytes: int
) -> None:
    list(chunks(many(10)))  # imports
    tracemalloc.start()
    n_bytes = sum(map(len, chunks(many(100_000))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert n_bytes > 500_000
    assert peak < megabytes * 2**20


def test_every_kind_of_table_can_be_made_by_its_name() -> None:
    for kind in EXPORTS.keys() - {"answers", "table", "zip", "sklearn"}:
        assert b"".join(table_chunks(kind, iter(ROWS)))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InputError, match="no table 'xls'"):
        table_chunks("xls", iter(ROWS))


# Workbooks


def from_xlsx(content: bytes) -> list[tuple[object, ...]]:
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    return [tuple(row) for row in sheet.iter_rows(values_only=True)]


def test_a_workbook_holds_the_rows() -> None:
    header, *found = from_xlsx(b"".join(xlsx_chunks(ROWS)))

    assert header == COLUMNS
    assert found[0] == (0, "a b.png", 1, "oak, or elm", "confirmed", 1)
    assert found[1][1] == "ä\n.png"
    assert found[2][2] is found[2][5] is None


@pytest.mark.parametrize("evil", ["=1+1", "=HYPERLINK(1)", "a\x00b"])
def test_a_workbook_runs_no_formula(evil: str) -> None:
    content = b"".join(xlsx_chunks([Row(0, evil, 1, evil, "guessed", 0.5)]))
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active

    assert {sheet.cell(2, column).data_type for column in (2, 4)} == {"s"}


# The user's own table

PLACES = [
    Row(0, "1", 2, "oak", "confirmed", 1.0),
    Row(0, "3", 2, "oak", "confirmed", 1.0),  # a copy of the first
    Row(1, "2", None, "", "aside", None),
]


def original(path: Path) -> bytes:
    return b"".join(original_chunks(path, PLACES))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_table_keeps_its_cells_rows_columns_and_separator(
    tmp_path: Path, separator: str
) -> None:
    file = tmp_path / "trees.csv"
    lines = ["size;kind;remark", "1.50;a;=1+1", '2;b;"x ""y"""', "1.50;a;=1+1", "9;d;"]
    file.write_text("\n".join(lines).replace(";", separator))

    text = original(file).decode()

    found = list(csv.reader(io.StringIO(text), delimiter=separator))
    assert found == [
        ["size", "kind", "remark", "group", "group name", "status"],
        ["1.50", "a", "=1+1", "2", "oak", "confirmed"],
        ["2", "b", 'x "y"', "", "", "aside"],
        ["1.50", "a", "=1+1", "2", "oak", "confirmed"],
        ["9", "d", "", "", "", ""],  # a row that the project does not know
    ]


def test_a_name_that_was_typed_is_guarded_and_cells_are_not(tmp_path: Path) -> None:
    file = tmp_path / "trees.csv"
    file.write_text("size,remark\n1,=1+1\n")
    row = Row(0, "1", 1, "=cmd()", "guessed", 0.5)

    (cells,) = csv.DictReader(
        io.StringIO(b"".join(original_chunks(file, [row])).decode())
    )

    assert (cells["remark"], cells["group name"]) == ("=1+1", "'=cmd()")


def test_columns_of_the_same_name_are_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "trees.csv"
    file.write_text("group,status\n7,old\n8,new\n")

    header = original(file).decode().splitlines()[0]

    assert header == "group,status,group 2,group name,status 2"


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    file = tmp_path / "trees.csv"
    file.write_text("größe,art\n1,a\n", encoding="utf-8-sig")

    assert original(file).startswith(b"\xef\xbb\xbfgr")


def test_a_workbook_keeps_its_cells_and_their_types(tmp_path: Path) -> None:
    file, book = tmp_path / "trees.xlsx", openpyxl.Workbook()
    book.active.append(["size", "kind"])
    for row in ([1.5, "a"], [2, "=A2*2"], [1.5, "a"]):
        book.active.append(row)
    book.active["A2"].number_format = "0.000"
    book.save(file)

    content = original(file)

    assert from_xlsx(content)[0][2:] == ("group", "group name", "status")
    assert from_xlsx(content)[1] == (1.5, "a", 2, "oak", "confirmed")
    assert from_xlsx(content)[2][1] == "=A2*2"
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    assert sheet["A2"].number_format == "0.000"
    assert original_suffix(file) == "xlsx"


def test_a_parquet_table_keeps_its_types(tmp_path: Path) -> None:
    table = pa.table({"size": [1.5, 2.0, 1.5], "at": pa.array([1, 2, 3], pa.int8())})
    parquet.write_table(table, tmp_path / "trees.parquet")

    found = parquet.read_table(io.BytesIO(original(tmp_path / "trees.parquet")))

    assert found.select(["size", "at"]).equals(table)
    assert found["group"].to_pylist() == [2, None, 2]
    assert found["status"].to_pylist() == ["confirmed", "aside", "confirmed"]


def test_json_lines_keep_what_is_nested(tmp_path: Path) -> None:
    file = tmp_path / "trees.jsonl"
    records: list[dict[str, object]] = [{"a": [1, {"b": None}]}, {"a": 2, "c": "x"}]
    file.write_text("\n".join(map(json.dumps, records)))

    found = [json.loads(line) for line in original(file).decode().splitlines()]

    assert found[0] == {**records[0], **dict(zip(ADDED, PLACES_OF_1, strict=True))}
    assert found[1]["c"] == "x"


ADDED = ("group", "group name", "status")
PLACES_OF_1 = (2, "oak", "confirmed")


def test_what_has_no_columns_is_no_table(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(3))

    with pytest.raises(InputError, match="no table with columns"):
        original_chunks(tmp_path / "a.npy", PLACES)


# Training sets


def test_a_training_set_trains_a_classifier(tmp_path: Path) -> None:
    X = np.array([[0.0], [0.2], [0.1], [9.0], [9.2], [9.1]])
    session = Session(X, n_clusters=2)
    session.tell_pair(0, 3, "different")
    session.set_aside(5)
    items = [Item(f"{n}.png", "image", copies=(f"copy {n}",)) for n in range(6)]

    content = b"".join(training_chunks(session, rows_of(session, items)))

    (tmp_path / "training.npz").write_bytes(content)
    packed = np.load(io.BytesIO(content), allow_pickle=False)
    assert (
        len(packed["X"]) == len(packed["y"]) == 5
    )  # without copies, and what is aside
    assert packed["confirmed"].tolist() == [True, False, False, True, False]
    words = str(packed["howto"]).replace("training.npz", str(tmp_path / "training.npz"))
    done: dict[str, Any] = {}
    exec(words, done)
    assert done["model"].predict([[0.3], [8.0]]).tolist() == [
        packed["y"][0],
        packed["y"][3],
    ]


def test_a_training_set_needs_features() -> None:
    session = Session(np.eye(3) + 0.5, affinity="precomputed")

    with pytest.raises(InputError, match="Only similarities"):
        training_chunks(session, ROWS)

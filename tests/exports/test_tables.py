"""Tables: csv, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from likewise import InputError
from likewise.exports import EXPORTS, Row, table_chunks
from likewise.exports._tables import (
    COLUMNS,
    csv_chunks,
    jsonl_chunks,
    parquet_chunks,
    unguarded,
)

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
    for kind in EXPORTS.keys() - {"answers"}:
        assert b"".join(table_chunks(kind, iter(ROWS)))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InputError, match="no export 'xls'"):
        table_chunks("xls", iter(ROWS))

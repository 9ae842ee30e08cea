"""Rows as files that other programs read, a piece at a time."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from operator import attrgetter
from typing import Any

from likewise.errors import InputError, MissingExtraError
from likewise.exports._answers import answer_chunks
from likewise.exports._rows import Row, numbers_of, rows_of, traces_of
from likewise.knowledge import valid_text
from likewise.session import Session
from likewise.storage import Project

COLUMNS = tuple(field.name for field in fields(Row))
ROWS_A_CHUNK = 1000
ROWS_A_GROUP = 20_000  # of a Parquet file: fewer would make it large
# What a spreadsheet may take for the start of a formula, also in its wide and small
# forms; after what it may cut a cell at, if told to; and behind what is not seen.
SIGNS = "=+@\\-\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212"
CUTS = ';,|"\t\r\n'
UNSEEN = "[^\\S\t\r\n]|[\xad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
FORMULA = rf"'*(?:(?:{UNSEEN})*[{SIGNS}]|[\t\r\n])"
START = rf"(?:^|(?<=[{CUTS}]))"
UNGUARDED = re.compile(rf"{START}(?={FORMULA})")
GUARDED = re.compile(rf"{START}'(?={FORMULA})")
DIGITS = 6

_all_but_last = attrgetter(*COLUMNS[:-1])


def csv_chunks(rows: Iterable[Row], *, raw: bool = False) -> Iterator[bytes]:
    r"""Yield a table with a header, in UTF-8.

    Parameters
    ----------
    rows : iterable of Row
    raw : bool
        Whether texts that a spreadsheet would run as formulas stay as they are;
        otherwise an apostrophe goes before them, also inside of a text where a program
        that cuts at other signs would see the start of a cell.

    Examples
    --------
    >>> row = Row(0, "=1+1.png", 3, "oak", "guessed", 0.75)
    >>> b"".join(csv_chunks([row])).decode().splitlines()
    ['item,key,group,name,status,probability', "0,'=1+1.png,3,oak,guessed,0.75"]
    """
    yield _lines([COLUMNS])
    for some in _batches(rows, ROWS_A_CHUNK):
        yield _lines([_cells(row, raw=raw) for row in some])


def jsonl_chunks(rows: Iterable[Row]) -> Iterator[bytes]:
    r"""Yield one JSON object a line, in UTF-8.

    Examples
    --------
    >>> print(*jsonl_chunks([Row(0, "a.png", None, "", "aside", None)]))
    b'{"item": 0, "key": "a.png", "group": null, "name": "", "status": "aside",
    "probability": null}\n'
    """
    for some in _batches(rows, ROWS_A_CHUNK):
        named = (dict(zip(COLUMNS, _values(row), strict=True)) for row in some)
        lines = [json.dumps(line, ensure_ascii=False) for line in named]
        yield "".join(line + "\n" for line in lines).encode()


def parquet_chunks(rows: Iterable[Row]) -> Iterator[bytes]:
    """Return the pieces of a Parquet file; needs the extra ``tables``."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    text, number = pa.string(), pa.int64()
    types = (number, text, number, text, text, pa.float64())
    schema = pa.schema(list(zip(COLUMNS, types, strict=True)))

    def pieces() -> Iterator[bytes]:
        pipe = _Pipe()
        with parquet.ParquetWriter(pipe, schema) as writer:
            for some in _batches(rows, ROWS_A_GROUP):
                columns = zip(*map(_values, some), strict=True)
                named = dict(zip(COLUMNS, columns, strict=True))
                writer.write_table(pa.table(named, schema=schema))
                yield pipe.taken()
        yield pipe.taken()

    return pieces()


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet runs: an apostrophe before each formula.

    One more goes before those that are there, so that :func:`unguarded` gives every
    text back as it was.

    Examples
    --------
    >>> guarded("=1+1.png"), guarded("oak;=1+1"), guarded("'=1"), guarded("'oak'")
    ("'=1+1.png", "oak;'=1+1", "''=1", "'oak'")
    """
    return UNGUARDED.sub("'", cell)


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophes that `csv_chunks` may have put into it.

    Examples
    --------
    >>> unguarded("'=1+1.png"), unguarded("oak;'=1+1"), unguarded("'quoted'")
    ('=1+1.png', 'oak;=1+1', "'quoted'")
    """
    return GUARDED.sub("", cell)


class _Pipe(io.RawIOBase):
    """A file that is read while it is written, and keeps only what is in between."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._position += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        whole = b"".join(self._pieces)
        self._pieces.clear()
        return whole


def _batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    source = iter(rows)
    while some := list(islice(source, size)):
        yield some


def _lines(cells: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(cells)
    return text.getvalue().encode()


def _cells(row: Row, *, raw: bool) -> list[Any]:
    item, key, group, name, status, sure = _values(row)  # None is written as nothing
    if not raw:
        key, name = guarded(key), guarded(name)
    return [item, key, group, name, status, sure]


def _values(row: Row) -> tuple[Any, ...]:
    item, key, group, name, status = _all_but_last(row)
    sure = None if row.probability is None else round(row.probability, DIGITS)
    return item, valid_text(key), group, valid_text(name), status, sure


@dataclass(frozen=True, slots=True)
class Export:
    """A kind of file: the stem and suffix of its name, and its media type."""

    stem: str
    suffix: str
    media_type: str


EXPORTS = {
    "csv": Export("items", "csv", "text/csv; charset=utf-8"),
    "jsonl": Export("items", "jsonl", "application/x-ndjson"),
    "parquet": Export("items", "parquet", "application/vnd.apache.parquet"),
    "answers": Export("answers", "jsonl", "application/x-ndjson"),
}


def export_chunks(
    kind: str, project: Project, session: Session, *, raw: bool = False
) -> Iterator[bytes]:
    r"""Return a file piece by piece, as things stand when this is called.

    Parameters
    ----------
    kind : {"csv", "jsonl", "parquet", "answers"}
        The items with their groups, or the log of everything that was said.
    project : Project
    session : Session
        That of the project; it may go on while the pieces are read.
    raw : bool
        Whether a csv keeps texts that a spreadsheet would run as formulas.

    Examples
    --------
    >>> from likewise.storage import Item, open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> _ = project.add_items([Item(f"{name}.png", "image") for name in "abc"])
    >>> session = Session([[0.0], [0.1], [9.0]], n_clusters=2)
    >>> next(export_chunks("csv", project, session))
    b'item,key,group,name,status,probability\r\n'
    """
    if kind == "answers":
        return answer_chunks(project)
    rows = rows_of(session, traces_of(project), numbers_of(project))
    return table_chunks(kind, rows, raw=raw)


def table_chunks(
    kind: str, rows: Iterator[Row], *, raw: bool = False
) -> Iterator[bytes]:
    """Return rows as a file of a kind, piece by piece."""
    match kind:
        case "csv":
            return csv_chunks(rows, raw=raw)
        case "jsonl":
            return jsonl_chunks(rows)
        case "parquet":
            return parquet_chunks(rows)
    raise InputError(f"There is no export {kind!r}: use {', '.join(EXPORTS)}.")

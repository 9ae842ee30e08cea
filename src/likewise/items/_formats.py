"""Files to columns of strings: every kind of table, whatever state it is in.

Nothing is refused for a row or a column. A row that is too short is filled up, one that
is too long is cut, a header that is missing is made up, and all of that is noted. What
is no table at all is one sentence.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote
from zipfile import ZipFile

from likewise.encoders import open_ordinary
from likewise.errors import InputError, MissingExtraError
from likewise.items._cells import (
    CELL,
    ROWS_AT_ONCE,
    Bounded,
    Columns,
    Rows,
    Wanted,
    Watch,
    assembled,
    counted,
    filled,
    n_next,
    named,
    unwatched,
)
from likewise.items._limits import (
    SMALL_ENOUGH,
    WELL_PACKED,
    free_memory,
    refuse_large,
    undamaged,
)
from likewise.items._separated import read_separated, text_lines

PART = "::"  # between a file and the sheet or table in it
LONGEST_CELL = 200  # characters of a nested value that are shown
WIDEST = 64  # bytes of a value of fixed width
JSON = 12  # bytes that a byte of JSON takes, as objects


def place_of(path: str | Path) -> tuple[Path, str | None]:
    """Return the file of a path, and which sheet or table in it is meant.

    Examples
    --------
    >>> place_of("shop.xlsx::Prices")
    (PosixPath('shop.xlsx'), 'Prices')
    >>> place_of("shop.csv")
    (PosixPath('shop.csv'), None)
    """
    whole = str(path)
    file, mark, part = whole.partition(PART)
    if not mark or Path(file).suffix.lower() not in PARTED:
        return Path(path), None
    return Path(file), part


def read_columns(
    path: Path,
    watch: Watch = unwatched,
    most: int | None = None,
    without: Collection[str] = (),
) -> Columns:
    r"""Return the columns of a table.

    Parameters
    ----------
    path : Path
        ``FILE`` or, of a workbook or a database, ``FILE::PART``.
    watch : callable
        ``watch(done, total)`` is called now and then.
    most : int, optional
        Rows after which to stop.
    without : collection of str
        Columns that need not be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "t.csv"
    ...     _ = file.write_text("size;name\n1,5;oak\n2;elm\n")
    ...     read_columns(file).by_name
    {'size': ['1,5', '2'], 'name': ['oak', 'elm']}
    """
    file, part = place_of(path)
    wanted = Wanted(file, part, watch, most, frozenset(without))
    found = FORMATS[file.suffix.lower()](wanted)
    kept = [at for at, name in enumerate(found.names) if name not in without]
    if len(kept) == len(found.names):
        return found
    return replace(
        found,
        names=tuple(found.names[at] for at in kept),
        values=tuple(found.values[at] for at in kept),
        skipped=tuple(name for name in found.names if name in without),
    )


# Workbooks


def _read_workbook(wanted: Wanted) -> Columns:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("openpyxl", "tables") from None
    with open_ordinary(wanted.path) as file, undamaged(wanted.path, "workbook"):
        _refuse_inflated(wanted, file)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        with closing(book):
            sheet = _sheet(wanted, book)
            rows = _sheet_rows(sheet)
            size = os.fstat(file.fileno()).st_size
            return assembled(wanted, rows, [], size)


def _refuse_inflated(wanted: Wanted, file: BinaryIO) -> None:
    with ZipFile(file) as archive:
        n_bytes = sum(one.file_size for one in archive.infolist())
    packed = max(1, os.fstat(file.fileno()).st_size)
    if n_bytes > SMALL_ENOUGH and n_bytes > WELL_PACKED * packed:
        raise InputError(
            f"{wanted.name} would unpack to far more than it is: save it as .csv."
        )
    refuse_large(wanted.path.name, n_bytes, free_memory(), "save it as .csv")
    file.seek(0)


def _sheet(wanted: Wanted, book: Any) -> Any:
    """Return the sheet that is meant, or the first with something in it."""
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if wanted.part is not None:
        return _of_name(wanted, sheets, "sheet")
    for sheet in sheets.values():
        if next(_sheet_rows(sheet), None) is not None:
            return sheet
    raise InputError(f"{wanted.name} is empty: give a workbook with a table in it.")


def _of_name(wanted: Wanted, parts: Mapping[str, Any], kind: str) -> Any:
    if wanted.part is None or wanted.part not in parts:
        raise InputError(
            f"There is no {kind} {wanted.part!r} in {wanted.name}. It has: "
            f"{', '.join(parts)}."
        )
    return parts[wanted.part]


def _sheet_rows(sheet: Any) -> Rows:
    sheet.reset_dimensions()  # what a file says of them is often wrong
    for row in sheet.iter_rows(values_only=True):
        cells = [_plain(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield cells


def _plain(value: Any) -> str:
    """Return a value as a person would write it."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float() if value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004
            return str(int(value))
        case datetime() if not (value.hour or value.minute or value.second):
            return value.date().isoformat()
        case bytes():
            return f"{len(value)} bytes"
    return str(value).replace("\0", "")


# Columns of known types


def _read_parquet(wanted: Wanted) -> Columns:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    path, noticed = wanted.path, list[str]()
    with open_ordinary(path) as source, undamaged(path, "parquet file"):
        with parquet.ParquetFile(source) as file:
            schema, about = file.schema_arrow, file.metadata
            places = _places(wanted, schema, noticed)
            words = [schema.names[at] for at in places if _is_words(schema, at)]
            unpacked = sum(
                about.row_group(at).total_byte_size
                for at in range(about.num_row_groups)
            )
            n_rows = min(about.num_rows, wanted.most or about.num_rows)
            needed, free = CELL * len(places) * n_rows, free_memory()
            needed += unpacked * n_rows // max(about.num_rows, 1)
            refuse_large(path.name, needed, free)
        if not places or not n_rows:
            raise InputError(f"{wanted.name} has no rows: give some data.")
        source.seek(0)
        # A text that is there a million times is kept once.
        with parquet.ParquetFile(source, read_dictionary=words) as file:
            values = _batches(wanted, file, places, n_rows, free - needed)
    names = named([schema.names[at] for at in places], len(places), noticed)
    is_whole = n_rows == about.num_rows
    skipped = tuple(name for name in schema.names if name in wanted.without)
    return Columns(tuple(names), tuple(values), tuple(noticed), is_whole, skipped)


def _places(wanted: Wanted, schema: Any, noticed: list[str]) -> list[int]:
    """Return which columns of a parquet file hold something to look at."""
    from pyarrow import types

    places = []
    for at, name in enumerate(schema.names):
        kind = schema.field(at).type
        inner = getattr(kind, "value_type", None)
        is_wide = types.is_fixed_size_binary(kind) and kind.byte_width > WIDEST
        is_vector = types.is_list(kind) or types.is_large_list(kind)
        is_vector = is_vector or types.is_fixed_size_list(kind)
        if is_wide or (is_vector and not _holds_words(inner)):
            noticed.append(f"{name!r} left out: it holds {kind}, not one value a row")
        elif name not in wanted.without:
            places.append(at)
    return places


def _is_words(schema: Any, at: int) -> bool:
    from pyarrow import types

    kind = schema.field(at).type
    is_bytes = types.is_binary(kind) or types.is_large_binary(kind)
    return _holds_words(kind) or bool(is_bytes)


def _holds_words(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _batches(
    wanted: Wanted, file: Any, places: list[int], n_rows: int, free: int
) -> list[list[str]]:
    columns: list[list[str]] = [[] for _ in places]
    names = file.schema_arrow.names
    is_plain = len(set(names)) == len(names)
    wish = {"columns": [names[at] for at in places]} if is_plain else {}
    at_once, n_read, n_letters = min(ROWS_AT_ONCE, n_rows), 0, 0
    for batch in file.iter_batches(at_once, use_threads=False, **wish):
        found = batch.columns if is_plain else [batch.columns[at] for at in places]
        n_read += batch.num_rows
        for column, values in zip(columns, found, strict=True):
            cells = _cells(values)
            n_letters += sum(map(len, cells))
            column += cells
        refuse_large(wanted.path.name, n_letters, free)
        wanted.watch(min(n_read, n_rows), n_rows)
        if n_read >= n_rows:
            break
    if n_read < n_rows or (wanted.most is None and n_read > n_rows):
        raise ValueError("there are not as many rows as it says")
    return [column[:n_rows] for column in columns]


def _cells(column: Any) -> list[str]:
    if not hasattr(column, "dictionary"):
        return ["" if value is None else _told(value) for value in column.to_pylist()]
    words = ["" if w is None else _told(w) for w in column.dictionary.to_pylist()]
    codes = column.indices.to_pylist()
    return ["" if code is None else words[code] for code in codes]


def _told(value: Any) -> str:
    """Return a value of a column as words."""
    if isinstance(value, list | dict):
        return _nested(value)
    return str(value).replace("\0", "")


def _nested(value: Any) -> str:
    """Return lists and objects as text: words of a list one after the other."""
    if isinstance(value, list) and not any(isinstance(v, list | dict) for v in value):
        return ", ".join(_plain(one) for one in value)
    return json.dumps(value, default=str)[:LONGEST_CELL].replace("\0", "")


# Records


def _read_json_lines(wanted: Wanted) -> Columns:
    noticed: list[str] = []
    with (
        open_ordinary(wanted.path) as raw,
        TextIOWrapper(raw, "utf-8-sig", errors="replace") as file,
    ):
        size = os.fstat(raw.fileno()).st_size
        n_bad = 0

        def records() -> Iterator[Any]:
            nonlocal n_bad
            for line in text_lines(wanted, file, noticed):
                if not line.strip():
                    continue
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError):
                    n_bad += 1

        found = _from_records(wanted, records(), noticed, size)
    if n_bad:
        said = f"{counted(n_bad, 'line')} that {'is' if n_bad == 1 else 'are'} no JSON"
        noticed.append(f"{said} left out")
    return replace(found, noticed=tuple(noticed))


def _read_json(wanted: Wanted) -> Columns:
    with open_ordinary(wanted.path) as file:
        size = os.fstat(file.fileno()).st_size
        refuse_large(wanted.path.name, JSON * size, free_memory())
        try:
            found = json.loads(file.read().decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            raise InputError(
                f"{wanted.name} is no JSON, or damaged: write a list of records, or "
                f"one a line into a .jsonl file."
            ) from None
    if isinstance(found, dict):
        lists = [value for value in found.values() if isinstance(value, list)]
        found = lists[0] if len(lists) == 1 else [found]
    records = found if isinstance(found, list) else [found]
    return _from_records(wanted, iter(records), [], size)


def _from_records(
    wanted: Wanted, records: Iterator[Any], noticed: list[str], n_bytes: int
) -> Columns:
    """Return columns of records that need not all have the same fields."""
    columns: dict[str, list[str]] = {}
    n_rows, bounded, most = 0, Bounded(wanted, n_bytes), wanted.most
    while some := [_fields(one) for one in islice(records, n_next(n_rows, most))]:
        for fields in some:
            for name, value in fields.items():
                column = columns.setdefault(name, [])
                column += [""] * (n_rows - len(column))
                column.append(value)
            n_rows += 1
        bounded.add([list(fields.values()) for fields in some])
    for column in columns.values():
        column += [""] * (n_rows - len(column))
    if not columns:
        raise InputError(f"{wanted.name} holds no records: give one object a line.")
    is_whole = most is None or next(records, None) is None
    return Columns(tuple(columns), tuple(columns.values()), tuple(noticed), is_whole)


def _fields(record: Any) -> dict[str, str]:
    """Return the fields of a record; those inside a field go by both names."""
    if not isinstance(record, dict):
        return {"value": _field(record)}
    found: dict[str, str] = {}
    for name, value in record.items():
        if isinstance(value, dict) and value:
            found |= {_field(f"{name}.{at}"): _field(v) for at, v in value.items()}
        else:
            found[_field(name) or "column"] = _field(value)
    return found


def _field(value: Any) -> str:
    words = _nested(value) if isinstance(value, list | dict) else _plain(value)
    return words.encode("utf-8", "replace").decode()  # JSON may hold what is no text


# Databases


def _read_database(wanted: Wanted) -> Columns:
    size = wanted.path.stat().st_size
    with _database(wanted) as db:
        asked = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        asked += "AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        tables = {str(name): str(name) for (name,) in db.execute(asked)}
        if not tables:
            raise InputError(f"{wanted.name} holds no table: give another database.")
        if wanted.part is None and len(tables) > 1:
            raise InputError(
                f"{wanted.name} holds {len(tables)} tables: name one of them as "
                f"{wanted.name}{PART}{next(iter(tables))}. It has: "
                f"{', '.join(tables)}."
            )
        name = _of_name(wanted, tables, "table") if wanted.part else next(iter(tables))
        quoted = name.replace('"', '""')
        found = db.execute(f'SELECT * FROM "{quoted}"')
        noticed: list[str] = []
        heads = [str(column[0]) for column in found.description]
        names = named(heads, len(heads), noticed)
        rows = ([_plain(value) for value in row] for row in found)
        return filled(wanted, names, rows, noticed, size)


@contextmanager
def _database(wanted: Wanted) -> Iterator[sqlite3.Connection]:
    with open_ordinary(wanted.path):
        address = f"file:{quote(str(wanted.path.resolve()))}?mode=ro"
    with (
        undamaged(wanted.path, "SQLite database"),
        closing(sqlite3.connect(address, uri=True)) as db,
    ):
        db.text_factory = lambda content: content.decode("utf-8", "replace")
        yield db


FORMATS: dict[str, Callable[[Wanted], Columns]] = {
    ".csv": read_separated,
    ".tsv": read_separated,
    ".txt": read_separated,
    ".xlsx": _read_workbook,
    ".xlsm": _read_workbook,
    ".parquet": _read_parquet,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".json": _read_json,
    ".sqlite": _read_database,
    ".sqlite3": _read_database,
    ".db": _read_database,
}
PARTED = (".xlsx", ".xlsm", ".sqlite", ".sqlite3", ".db")

"""Files to columns of strings: every kind of table, whatever state it is in.

Nothing is refused for a row or a column. A row that is too short is filled up, one that
is too long is cut, a header that is missing is made up, and all of that is noted. What
is no table at all is one sentence.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from io import TextIOWrapper
from itertools import chain, islice, pairwise
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Literal, TextIO, TypeAlias
from urllib.parse import quote
from zipfile import ZipFile

from likewise.encoders import open_ordinary
from likewise.errors import InputError, MissingExtraError
from likewise.items._item import printable
from likewise.items._limits import (
    SMALL_ENOUGH,
    WELL_PACKED,
    free_memory,
    refuse_large,
    undamaged,
)

Watch = Callable[[int, int], None]
Cells: TypeAlias = list[str]
Rows: TypeAlias = Iterator[Cells]
Quoting: TypeAlias = Literal[0, 3]  # as usual, or not at all
PART = "::"  # between a file and the sheet or table in it
ROWS_AT_ONCE = 10_000  # of a table that are read together
CELL = 100  # bytes that a cell of a table takes: as text, and as a number
LONGEST_LINE = 50_000_000  # characters
LONGEST_CELL = 200  # characters of a nested value that are shown
WIDEST = 64  # bytes of a value of fixed width
JSON = 12  # bytes that a byte of JSON takes, as objects
N_HEAD = 4096  # bytes that tell what a file is
N_PEEKED = 100  # rows that tell how a table is written
N_PREAMBLE = 20  # lines that may stand above a header
MOST = 0.6  # of the rows that have as many cells, in a table
SEPARATORS = ",;\t|"
END = "\0end"  # no line of a table: those have no NUL
NO_TABLES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"PK\x03\x04", b"PAR1")
ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")
CALLED = {"cp1252": "Latin-1", "latin-1": "Latin-1", "utf-16": "UTF-16"}


@dataclass(frozen=True)
class Columns:
    """A table as it stands in its file.

    Attributes
    ----------
    names : tuple of str
        Each of its own.
    values : tuple of lists of str
        For each column; all of the same length. What is missing is empty.
    noticed : tuple of str
        What was odd, in clauses.
    is_whole : bool
        Whether all rows were read.
    skipped : tuple of str
        Columns that are there, but were not wanted.
    """

    names: tuple[str, ...]
    values: tuple[list[str], ...]
    noticed: tuple[str, ...] = ()
    is_whole: bool = True
    skipped: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.values[0]) if self.values else 0

    @property
    def by_name(self) -> dict[str, list[str]]:
        return dict(zip(self.names, self.values, strict=True))


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


def unwatched(done: int, total: int) -> None:
    """Let nobody know how far it is."""


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
    wanted = _Wanted(file, part, watch, most, frozenset(without))
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


@dataclass(frozen=True)
class _Wanted:
    path: Path
    part: str | None
    watch: Watch
    most: int | None
    without: frozenset[str]

    @property
    def name(self) -> str:
        return printable(self.path.name)


# Rows of cells, of which the first may be a header


def _assembled(
    wanted: _Wanted, rows: Rows, noticed: list[str], n_bytes: int
) -> Columns:
    """Return the columns of rows that are as people leave them."""
    first = list(islice(rows, N_PEEKED))
    if not first:
        raise InputError(f"{wanted.name} is empty: give a table with a header line.")
    width, start = _shape(first)
    if start:
        noticed.append(f"{_count(start, 'line')} above the header left out")
    head = first[start] if has_header(first[start:]) else None
    if head is None:
        noticed.append("there is no header, so columns go by their numbers")
    names = _named(head or [], width, noticed)
    body = chain(first[start + (head is not None) :], rows)
    return _filled(wanted, names, body, noticed, n_bytes)


def _shape(rows: Sequence[Cells]) -> tuple[int, int]:
    """Return how many columns a table has, and how many lines stand above it."""
    counts = Counter(map(len, rows))
    usual, times = counts.most_common(1)[0]
    if times < MOST * len(rows):
        return max(len(rows[0]), usual if times > len(rows) / 2 else 1), 0
    for at, row in enumerate(rows[: N_PREAMBLE + 1]):
        n_there = sum(bool(cell.strip()) for cell in row)
        is_title = n_there <= 1 and usual > 2  # noqa: PLR2004 - a title over a table
        if 2 * len(row) > usual and not (is_title and at + 1 < len(rows)):
            return max(len(row), usual), at
    return usual, 0


def has_header(rows: Sequence[Cells]) -> bool:
    """Tell whether the first row names the columns.

    It does not if it holds numbers where numbers stand below it, or words that are
    found again below. Years in a row are names.

    Examples
    --------
    >>> has_header([["name", "size"], ["oak", "3"]])
    True
    >>> has_header([["oak", "3"], ["elm", "4"], ["oak", "5"]])
    False
    """
    first, below = rows[0], rows[1:]
    if not below:
        return True
    columns = [
        [row[at].strip() for row in below if at < len(row)] for at in range(len(first))
    ]
    pairs = [(c.strip(), b) for c, b in zip(first, columns, strict=True) if any(b)]
    numeric = [cell for cell, values in pairs if all(map(_is_number, values))]
    words = [(cell, values) for cell, values in pairs if cell not in numeric]
    if _are_years(numeric):
        return True
    if any(cell and not _is_number(cell) for cell in numeric):
        return True
    if any(map(_is_plain_number, numeric)):
        return False
    return not any(cell and cell in values for cell, values in words)


def _are_years(cells: Sequence[str]) -> bool:
    found = [int(cell) for cell in cells if re.fullmatch(r"(18|19|20)\d\d", cell)]
    steps = {b - a for a, b in pairwise(found)}
    return len(found) == len(cells) > 1 and steps == {1}


def _is_number(cell: str) -> bool:
    return not cell or _is_plain_number(cell)


def _is_plain_number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.,]*\d[\d.,]*([eE][-+]?\d+)?%?", cell) is not None


def _named(head: Sequence[str], width: int, noticed: list[str]) -> list[str]:
    """Return a name for each column, each of its own."""
    names: list[str] = []
    given = [*head, *[""] * (width - len(head))]
    for at, name in enumerate(given, start=1):
        wish, number = name if name.strip() else f"column {at}", 1
        while wish in names:
            number += 1
            wish = f"{name or f'column {at}'} {number}"
        if number > 1:
            noticed.append(f"a second column named {name!r} is called {wish!r}")
        names.append(wish)
    n_empty = sum(not name.strip() for name in head)
    if n_empty:
        noticed.append(f"{_count(n_empty, 'column')} without a name")
    return names


def _filled(
    wanted: _Wanted,
    names: list[str],
    rows: Iterable[Cells],
    noticed: list[str],
    n_bytes: int,
) -> Columns:
    """Return columns of rows that may be too short or too long."""
    width, bounded = len(names), _Bounded(wanted, n_bytes)
    columns: list[list[str]] = [[] for _ in names]
    n_short = n_long = 0
    rows, most = iter(rows), wanted.most
    while some := list(islice(rows, _next(bounded.n_rows, most))):
        for at, row in enumerate(some):
            if len(row) != width:
                n_short += len(row) < width
                n_long += any(cell.strip() for cell in row[width:])
                some[at] = [*row[:width], *[""] * (width - len(row))]
        for column, values in zip(columns, zip(*some, strict=True), strict=True):
            column += values
        bounded.add(some)
    if not bounded.n_rows:
        raise InputError(f"{wanted.name} has a header but no rows: give some data.")
    if n_short:
        noticed.append(f"{_count(n_short, 'row')} shorter than the header filled up")
    if n_long:
        noticed.append(f"{_count(n_long, 'row')} longer than the header cut")
    is_whole = most is None or next(rows, None) is None
    return Columns(tuple(names), tuple(columns), tuple(noticed), is_whole)


def _next(n_rows: int, most: int | None) -> int:
    return ROWS_AT_ONCE if most is None else min(ROWS_AT_ONCE, most - n_rows)


class _Bounded:
    """Counts what is read, says how far it is, and refuses what does not fit."""

    def __init__(self, wanted: _Wanted, n_bytes: int) -> None:
        self._wanted, self._n_bytes = wanted, n_bytes
        self._free = free_memory()
        self.n_rows = self._n_cells = self._n_read = 0

    def add(self, rows: Sequence[Cells]) -> None:
        wanted, n_cells = self._wanted, sum(map(len, rows))
        self.n_rows += len(rows)
        self._n_cells += n_cells
        self._n_read += n_cells + sum(map(len, chain.from_iterable(rows)))
        needed = CELL * self._n_cells + self._n_read
        advice = "write its numbers into a .npy file"
        refuse_large(wanted.path.name, needed, self._free, advice)
        n_all = self.n_rows * self._n_bytes // max(self._n_read, 1)  # as long as these
        wanted.watch(self.n_rows, max(self.n_rows, n_all))


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


# Lines of text


class _LongCells:
    """While anybody reads a table, a long cell is no reason to stop.

    The limit is one for the whole process: whoever comes first raises it, and whoever
    leaves last puts it back.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._n_inside:
                self._before = csv.field_size_limit()
                csv.field_size_limit(max(self._before, LONGEST_LINE))
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside:
                csv.field_size_limit(self._before)


_LONG_CELLS = _LongCells()


class _OpenQuoteError(Exception):
    """A quote that does not end."""


def _read_lines(wanted: _Wanted) -> Columns:
    with open_ordinary(wanted.path) as file:
        head = file.read(N_HEAD)
    if not head.strip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0"):
        size = wanted.path.stat().st_size
        if size <= N_HEAD:
            raise InputError(
                f"{wanted.name} is empty: give a table with a header line."
            )
    _refuse_binary(wanted, head)
    with _LONG_CELLS:
        return _read_text(wanted, _encodings(head))


def _read_text(wanted: _Wanted, likely: Iterable[str]) -> Columns:
    """Return the columns of a text in the first encoding that fits."""
    quoting: Quoting = csv.QUOTE_MINIMAL
    encodings = iter(likely)
    encoding = next(encodings)
    while True:
        noticed = [f"read as {CALLED[encoding]}"] if encoding in CALLED else []
        try:
            return _read_as(wanted, encoding, quoting, noticed)
        except UnicodeError:
            encoding = next(encodings)
        except (_OpenQuoteError, csv.Error):
            if quoting == csv.QUOTE_NONE:
                raise
            quoting = csv.QUOTE_NONE


def _refuse_binary(wanted: _Wanted, head: bytes) -> None:
    odd = sum(byte < 32 and byte not in b"\0\t\n\v\f\r\x1b" for byte in head)  # noqa: PLR2004
    if head.startswith(NO_TABLES) or 10 * odd > len(head):
        raise InputError(
            f"{wanted.name} is no table, but something else by that name: give a text "
            f"with separators, or rename it."
        )


def _encodings(head: bytes) -> Iterable[str]:
    """Return how the text of a table may be written, likeliest first."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ("utf-16", *ENCODINGS)
    pairs = len(head) // 2
    for name, here in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        there = head[::2] if name == "utf-16-le" else head[1::2]
        if pairs and 5 * here.count(0) > 2 * pairs and 10 * there.count(0) < pairs:
            return (name, *ENCODINGS)
    return ENCODINGS


def _read_as(
    wanted: _Wanted, encoding: str, quoting: Quoting, noticed: list[str]
) -> Columns:
    with TextIOWrapper(open_ordinary(wanted.path), encoding=encoding) as file:
        lines = _lines(wanted, file, noticed)
        first = list(islice(lines, N_PEEKED))
        if not any(line.strip() for line in first):
            raise InputError(
                f"{wanted.name} is empty: give a table with a header line."
            )
        separator = _separator(first, wanted.path.suffix.lower())
        lines = chain(first, lines)
        if separator == NO_SEPARATOR and _are_spaced(first):
            separator, lines = " ", (" ".join(line.split()) for line in lines)
        rows = csv.reader(chain(lines, [END]), delimiter=separator, quoting=quoting)
        whole = _complete(rows)
        if quoting == csv.QUOTE_NONE:
            noticed.append("a quote that does not end taken for a letter")
            whole = ([_unquoted(cell) for cell in row] for row in whole)
        return _assembled(wanted, whole, noticed, os.fstat(file.fileno()).st_size)


def _lines(wanted: _Wanted, file: TextIO, noticed: list[str]) -> Iterator[str]:
    """Yield the lines of a table; there is always one that ends."""
    number, has_nul = 0, False
    while whole := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(whole) > LONGEST_LINE:
            raise InputError(
                f"Line {number} of {wanted.name} has more than {LONGEST_LINE:,} "
                f"characters, which is no row: check that the file is a table."
            )
        if "\0" in whole:
            whole = whole.replace("\0", "")
            if not has_nul:
                noticed.append("NULs dropped")
                has_nul = True
        yield from whole.splitlines()


def _complete(rows: Any) -> Rows:
    """Yield the rows of a table in which every quote ends, but for blank ones."""
    for row in rows:
        if row == [END]:
            return
        if any(cell.strip() for cell in row):
            yield row
    raise _OpenQuoteError


def _unquoted(cell: str) -> str:
    is_whole = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1] if is_whole else cell


def _separator(lines: Sequence[str], suffix: str) -> str:
    """Return what stands between the cells of these lines."""
    full = [line for line in lines if line.strip()]
    if suffix == ".tsv" and "\t" in full[0]:
        return "\t"
    scores = {mark: _regularity(full, mark) for mark in SEPARATORS}
    best = max(SEPARATORS, key=scores.__getitem__)
    alone = 0.9 if not any(mark in full[0] for mark in SEPARATORS) else 0.0
    return best if scores[best] > alone else NO_SEPARATOR


NO_SEPARATOR = "\x1f"  # no letter: a table of one column has none


def _are_spaced(lines: Sequence[str]) -> bool:
    """Tell whether lines are numbers with spaces between them, under a header."""
    full = [line.split() for line in lines if line.strip()]
    is_even = len({len(cells) for cells in full}) == 1 < len(full)
    numbers = [all(map(_is_plain_number, cells)) for cells in full[1:]]
    return is_even and len(full[0]) > 1 and all(numbers)


def _regularity(lines: Sequence[str], mark: str) -> float:
    """Return how well a mark cuts lines into as many cells each."""
    try:
        counts = [len(row) for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return 0.0
    usual, times = Counter(counts).most_common(1)[0]
    if usual == 1:
        return 0.0
    return times / len(counts) + 0.5 * (counts[0] == usual)


def looks_like_table(path: Path) -> bool:
    """Tell whether a ``.txt`` file is a table, and not a text a line.

    It is if tabs, semicolons or bars cut all of its first lines into as many cells.
    """
    with open_ordinary(path) as file:
        head = file.read(16 * N_HEAD)
    try:
        lines = head.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        lines = head.decode("latin-1").splitlines()
    if len(head) == 16 * N_HEAD:
        lines.pop()  # it may be cut off
    full = [line for line in lines[:N_PEEKED] if line.strip()]
    return len(full) > 2 and any(  # noqa: PLR2004 - a header and two rows
        full[0].count(mark) > 0 and len({line.count(mark) for line in full}) == 1
        for mark in "\t;|"
    )


# Workbooks


def _read_workbook(wanted: _Wanted) -> Columns:
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
            return _assembled(wanted, rows, [], size)


def _refuse_inflated(wanted: _Wanted, file: BinaryIO) -> None:
    with ZipFile(file) as archive:
        n_bytes = sum(one.file_size for one in archive.infolist())
    packed = max(1, os.fstat(file.fileno()).st_size)
    if n_bytes > SMALL_ENOUGH and n_bytes > WELL_PACKED * packed:
        raise InputError(
            f"{wanted.name} would unpack to far more than it is: save it as .csv."
        )
    refuse_large(wanted.path.name, n_bytes, free_memory(), "save it as .csv")
    file.seek(0)


def _sheet(wanted: _Wanted, book: Any) -> Any:
    """Return the sheet that is meant, or the first with something in it."""
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if wanted.part is not None:
        return _of_name(wanted, sheets, "sheet")
    for sheet in sheets.values():
        if next(_sheet_rows(sheet), None) is not None:
            return sheet
    raise InputError(f"{wanted.name} is empty: give a workbook with a table in it.")


def _of_name(wanted: _Wanted, parts: Mapping[str, Any], kind: str) -> Any:
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


def _read_parquet(wanted: _Wanted) -> Columns:
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
    names = _named([schema.names[at] for at in places], len(places), noticed)
    is_whole = n_rows == about.num_rows
    skipped = tuple(name for name in schema.names if name in wanted.without)
    return Columns(tuple(names), tuple(values), tuple(noticed), is_whole, skipped)


def _places(wanted: _Wanted, schema: Any, noticed: list[str]) -> list[int]:
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
    wanted: _Wanted, file: Any, places: list[int], n_rows: int, free: int
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


def _read_json_lines(wanted: _Wanted) -> Columns:
    noticed: list[str] = []
    with (
        open_ordinary(wanted.path) as raw,
        TextIOWrapper(raw, "utf-8-sig", errors="replace") as file,
    ):
        size = os.fstat(raw.fileno()).st_size
        n_bad = 0

        def records() -> Iterator[Any]:
            nonlocal n_bad
            for line in _lines(wanted, file, noticed):
                if not line.strip():
                    continue
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError):
                    n_bad += 1

        found = _from_records(wanted, records(), noticed, size)
    if n_bad:
        said = f"{_count(n_bad, 'line')} that {'is' if n_bad == 1 else 'are'} no JSON"
        noticed.append(f"{said} left out")
    return replace(found, noticed=tuple(noticed))


def _read_json(wanted: _Wanted) -> Columns:
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
    wanted: _Wanted, records: Iterator[Any], noticed: list[str], n_bytes: int
) -> Columns:
    """Return columns of records that need not all have the same fields."""
    columns: dict[str, list[str]] = {}
    n_rows, bounded, most = 0, _Bounded(wanted, n_bytes), wanted.most
    while some := [_fields(one) for one in islice(records, _next(n_rows, most))]:
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


def _read_database(wanted: _Wanted) -> Columns:
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
        names = _named(heads, len(heads), noticed)
        rows = ([_plain(value) for value in row] for row in found)
        return _filled(wanted, names, rows, noticed, size)


@contextmanager
def _database(wanted: _Wanted) -> Iterator[sqlite3.Connection]:
    with open_ordinary(wanted.path):
        address = f"file:{quote(str(wanted.path.resolve()))}?mode=ro"
    with (
        undamaged(wanted.path, "SQLite database"),
        closing(sqlite3.connect(address, uri=True)) as db,
    ):
        db.text_factory = lambda content: content.decode("utf-8", "replace")
        yield db


FORMATS: dict[str, Callable[[_Wanted], Columns]] = {
    ".csv": _read_lines,
    ".tsv": _read_lines,
    ".txt": _read_lines,
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

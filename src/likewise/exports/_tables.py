"""Rows as files that other programs read, a piece at a time."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import count, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from likewise.errors import InputError, MissingExtraError
from likewise.exports._answers import answer_chunks
from likewise.exports._folders import Pipe, zip_chunks
from likewise.exports._rows import Row, numbers_of, rows_of, traces_of
from likewise.items import Columns, is_table, place_of, read_columns
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
HEAD = 65_536  # bytes in which the names of columns stand
SEPARATORS = ",;\t|"
BOM = b"\xef\xbb\xbf"
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")  # in no workbook

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


def small_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    r"""Return a small table in UTF-8; no spreadsheet runs what is in it.

    Examples
    --------
    >>> small_csv(["reader", "answers"], [["=1+1", 3], ["Ann", None]])
    b"reader,answers\r\n'=1+1,3\r\nAnn,\r\n"
    """
    cells = [["" if c is None else guarded(str(c)) for c in row] for row in rows]
    return _lines([header, *cells])


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
        pipe = Pipe()
        with parquet.ParquetWriter(pipe, schema) as writer:
            for some in _batches(rows, ROWS_A_GROUP):
                columns = zip(*map(_values, some), strict=True)
                named = dict(zip(COLUMNS, columns, strict=True))
                writer.write_table(pa.table(named, schema=schema))
                yield pipe.taken()
        yield pipe.taken()

    return pieces()


def xlsx_chunks(rows: Iterable[Row]) -> Iterator[bytes]:
    """Return the pieces of a workbook; needs the extra ``tables``."""
    openpyxl = _openpyxl()

    def pieces() -> Iterator[bytes]:
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet("items")
        sheet.append(COLUMNS)
        for row in rows:
            sheet.append([_as_text(sheet, value) for value in _values(row)])
        yield _saved(book)

    return pieces()


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("openpyxl", "tables") from None
    return openpyxl


def _as_text(sheet: Any, value: Any) -> Any:
    """Return a cell that is shown as it is: a text is never a formula."""
    if not isinstance(value, str):
        return value
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet)
    _write_text(cell, value)
    return cell


def _write_text(cell: Any, value: str) -> None:
    cell.value = UNPRINTABLE.sub("\ufffd", value)
    cell.data_type = "s"


def _saved(book: Any) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


# The table that is being sorted, with where each row belongs


def original_chunks(path: Path, rows: Iterable[Row]) -> Iterator[bytes]:
    r"""Return the table that is being sorted, with three more columns.

    Its rows and columns stand in their order and its cells are as they were; behind
    them are the group, its name, and the status of each row. In the format that it has:
    csv, tsv, xlsx, parquet or JSON lines; what is kept in other ways becomes csv.

    Parameters
    ----------
    path : Path
        Of the table, or of the sheet in it that was named.
    rows : iterable of Row
        Keys are the numbers of rows from 1 on; those that are not among them are left
        empty.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> row = Row(0, "2", 3, "oak", "guessed", 0.9)
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "trees.csv"
    ...     _ = file.write_text("size;kind\n1,5;a\n2;=b\n")
    ...     print(b"".join(original_chunks(file, [row])).decode().strip())
    size;kind;group;group name;status
    1,5;a;;;
    2;=b;3;oak;guessed
    """
    if not is_table(path):
        raise InputError(
            f"{path.name} is no table with columns: export the list of items instead."
        )
    found = {row.key: (row.group, row.name, row.status) for row in rows}
    write = _ORIGINALS.get(place_of(path)[0].suffix.lower(), _original_csv)
    return iter([write(path, found)])


def original_suffix(path: Path) -> str:
    """Return how the name of such a file ends.

    Examples
    --------
    >>> original_suffix(Path("shop.xlsx::Prices")), original_suffix(Path("a.sqlite"))
    ('xlsx', 'csv')
    """
    suffix = place_of(path)[0].suffix.lower()
    return suffix.removeprefix(".") if suffix in _ORIGINALS else "csv"


def _original_csv(path: Path, found: Mapping[str, _Place]) -> bytes:
    columns = read_columns(path)
    file = place_of(path)[0]
    is_text = file.suffix.lower() in (".csv", ".tsv", ".txt")
    head = _head(file) if is_text else b""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=_separator(columns, head), lineterminator="\n")
    writer.writerow([*columns.names, *_added(columns.names)])
    for at, cells in enumerate(zip(*columns.values, strict=True), start=1):
        group, name, status = found.get(str(at), NOWHERE)
        writer.writerow([*cells, group, guarded(valid_text(name)), status])
    return (BOM if head.startswith(BOM) else b"") + text.getvalue().encode()


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(HEAD)


def _separator(columns: Columns, head: bytes) -> str:
    """Return what parts the names of columns in a file, or else a comma."""
    text = head.decode(errors="replace").replace('"', "")
    first, *rest = columns.names[:2]
    for sign in SEPARATORS if rest else ():
        if f"{first}{sign}{rest[0]}".strip() in text:
            return sign
    return ","


def _original_xlsx(path: Path, found: Mapping[str, _Place]) -> bytes:
    file, part = place_of(path)
    columns = read_columns(path)
    book = _openpyxl().load_workbook(file)
    sheet = book[part] if part else book.active
    top = _header_row(sheet, columns)
    at = sheet.max_column + 1
    for place, name in enumerate(_added(columns.names)):
        _write_text(sheet.cell(top, at + place), name)
    for number in range(1, columns.n_rows + 1):
        group, name, status = found.get(str(number), NOWHERE)
        sheet.cell(top + number, at).value = group
        _write_text(sheet.cell(top + number, at + 1), valid_text(name))
        _write_text(sheet.cell(top + number, at + 2), status)
    return _saved(book)


def _header_row(sheet: Any, columns: Columns) -> int:
    """Return the row with the names of the columns; 0 where they were made up."""
    last = max(sheet.max_row - columns.n_rows, 1)
    for number, cells in enumerate(sheet.iter_rows(1, last, values_only=True), start=1):
        if columns.names[0] in [str(cell) for cell in cells if cell is not None]:
            return number
    raise InputError(
        "The sheet has no line with the names of its columns: export it as csv instead."
    )


def _original_parquet(path: Path, found: Mapping[str, _Place]) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    table = parquet.read_table(path)
    kept = [found.get(str(at + 1), NOWHERE) for at in range(table.num_rows)]
    types = (pa.int64(), pa.string(), pa.string())
    for at, name in enumerate(_added(table.column_names)):
        values = pa.array([one[at] for one in kept], types[at])
        table = table.append_column(name, values)
    pipe = io.BytesIO()
    parquet.write_table(table, pipe)
    return pipe.getvalue()


def _original_jsonl(path: Path, found: Mapping[str, _Place]) -> bytes:
    lines = [line for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
    records = [json.loads(line) for line in lines]
    if not all(isinstance(record, dict) for record in records):
        return _original_csv(path, found)
    names = _added([name for record in records for name in record])
    text = io.StringIO()
    for at, record in enumerate(records, start=1):
        added = dict(zip(names, found.get(str(at), NOWHERE), strict=True))
        text.write(json.dumps({**record, **added}, ensure_ascii=False) + "\n")
    return text.getvalue().encode()


def _added(names: Iterable[str]) -> list[str]:
    """Return names for the new columns that the table has not."""
    taken = set(names)
    return [next(name for name in _named(one) if name not in taken) for one in ADDED]


def _named(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {number}" for number in count(2))


_Place: TypeAlias = tuple[int | None, str, str]
NOWHERE: _Place = (None, "", "")  # a row that the project does not know
ADDED = ("group", "group name", "status")
_ORIGINALS: dict[str, Callable[[Path, Mapping[str, _Place]], bytes]] = {
    ".csv": _original_csv,
    ".tsv": _original_csv,
    ".xlsx": _original_xlsx,
    ".parquet": _original_parquet,
    ".jsonl": _original_jsonl,
}


# A training set


# Five lines that train a classifier on what was exported.
SNIPPET = """\
import numpy as np
from sklearn.linear_model import LogisticRegression

data = np.load("{file}")
model = LogisticRegression(max_iter=1000)
model.fit(data["X"], data["y"], sample_weight=data["confidence"])
names = dict(zip(data["groups"], data["names"]))  # of the numbers in y
"""


def training_chunks(session: Session, rows: Iterable[Row]) -> Iterator[bytes]:
    """Return a training set as an ``.npz`` file that needs no pickle.

    Arrays ``X`` (what the items are compared by), ``y`` (numbers of groups),
    ``confidence``, ``confirmed`` and ``keys``, for each item that is in a group and
    not put off; ``groups`` and ``names`` for the groups; ``howto``, some lines that
    train a classifier. Copies count once.

    Examples
    --------
    >>> session = Session([[0.0], [0.2], [9.0]], n_clusters=2)
    >>> rows = [Row(0, "a", 1, "oak", "guessed", 0.9)]
    >>> rows += [Row(2, "c", 2, "", "confirmed", 1.0)]
    >>> packed = np.load(io.BytesIO(b"".join(training_chunks(session, rows))))
    >>> packed["X"].tolist(), packed["y"].tolist(), packed["names"].tolist()
    ([[0.0], [9.0]], [1, 2], ['oak', ''])
    """
    if session.features is None:
        raise InputError(
            "Only similarities are known, and a classifier needs features: export the "
            "items, and train on what you have of them."
        )
    chosen = {row.item: row for row in rows if row.status in ("confirmed", "guessed")}
    if not chosen:
        raise InputError("No item is in a group yet: answer some questions first.")
    named = {row.group: row.name for row in chosen.values()}
    groups = sorted(number for number in named if number is not None)
    X = session.features[list(chosen)]
    file = io.BytesIO()
    np.savez_compressed(
        file,
        X=X if isinstance(X, np.ndarray) else X.toarray(),
        y=np.array([row.group for row in chosen.values()]),
        confidence=np.array([row.probability for row in chosen.values()]),
        confirmed=np.array([row.status == "confirmed" for row in chosen.values()]),
        keys=np.array([valid_text(row.key) for row in chosen.values()]),
        groups=np.array(groups),
        names=np.array([valid_text(named[number]) for number in groups]),
        howto=np.array(SNIPPET.format(file="training.npz")),
    )
    return iter([file.getvalue()])


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


EXPORTS = {  # every format by its name
    "csv": Export("items", "csv", "text/csv; charset=utf-8"),
    "jsonl": Export("items", "jsonl", "application/x-ndjson"),
    "parquet": Export("items", "parquet", "application/vnd.apache.parquet"),
    "xlsx": Export(
        "items",
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    "table": Export("sorted", "csv", "application/octet-stream"),
    "zip": Export("groups", "zip", "application/zip"),
    "sklearn": Export("training", "npz", "application/octet-stream"),
    "answers": Export("answers", "jsonl", "application/x-ndjson"),
}


def export_chunks(
    kind: str,
    project: Project,
    session: Session,
    root: Path | None = None,
    *,
    raw: bool = False,
) -> Iterator[bytes]:
    r"""Return a file piece by piece, as things stand when this is called.

    Parameters
    ----------
    kind : str
        One of :data:`EXPORTS`: the items with their groups, the table that they come
        from, their files, a training set, or the log of everything that was said.
    project : Project
    session : Session
        That of the project; it may go on while the pieces are read.
    root : Path, optional
        What is being sorted: needed for its table, or its files.
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
    return chunks_of(kind, rows, session, root, raw=raw)


def chunks_of(
    kind: str,
    rows: Iterator[Row],
    session: Session,
    root: Path | None,
    *,
    raw: bool = False,
) -> Iterator[bytes]:
    """Return some rows as a file of any kind but the log, piece by piece."""
    if kind == "sklearn":
        return training_chunks(session, rows)
    if kind not in ("table", "zip"):
        return table_chunks(kind, rows, raw=raw)
    if root is None:
        raise InputError(
            "What is being sorted is not known here: name its folder or file."
        )
    return original_chunks(root, rows) if kind == "table" else zip_chunks(rows, root)


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
        case "xlsx":
            return xlsx_chunks(rows)
    raise InputError(f"There is no table {kind!r}: use csv, jsonl, parquet or xlsx.")

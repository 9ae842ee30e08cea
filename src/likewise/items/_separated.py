"""Lines of text to columns: any separator, any encoding, quotes that never end."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TextIO, TypeAlias

from likewise.encoders import open_ordinary
from likewise.errors import InputError
from likewise.items._cells import (
    N_PEEKED,
    Columns,
    Rows,
    Wanted,
    assembled,
    is_plain_number,
)

Quoting: TypeAlias = Literal[0, 3]  # as usual, or not at all
LONGEST_LINE = 50_000_000  # characters
N_HEAD = 4096  # bytes that tell what a file is
SEPARATORS = ",;\t|"
END = "\0end"  # no line of a table: those have no NUL
NO_TABLES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"PK\x03\x04", b"PAR1")
ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")
CALLED = {"cp1252": "Latin-1", "latin-1": "Latin-1", "utf-16": "UTF-16"}


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


def read_separated(wanted: Wanted) -> Columns:
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


def _read_text(wanted: Wanted, likely: Iterable[str]) -> Columns:
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


def _refuse_binary(wanted: Wanted, head: bytes) -> None:
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
    wanted: Wanted, encoding: str, quoting: Quoting, noticed: list[str]
) -> Columns:
    with TextIOWrapper(open_ordinary(wanted.path), encoding=encoding) as file:
        lines = text_lines(wanted, file, noticed)
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
        return assembled(wanted, whole, noticed, os.fstat(file.fileno()).st_size)


def text_lines(wanted: Wanted, file: TextIO, noticed: list[str]) -> Iterator[str]:
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
    numbers = [all(map(is_plain_number, cells)) for cells in full[1:]]
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

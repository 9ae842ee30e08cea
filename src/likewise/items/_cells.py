"""Rows of cells to columns: headers, names, rows that are too short or too long."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TypeAlias

from likewise.errors import InputError
from likewise.items._item import printable
from likewise.items._limits import (
    free_memory,
    refuse_large,
)

Watch = Callable[[int, int], None]
Cells: TypeAlias = list[str]
Rows: TypeAlias = Iterator[Cells]
ROWS_AT_ONCE = 10_000  # of a table that are read together
CELL = 100  # bytes that a cell of a table takes: as text, and as a number
N_PEEKED = 100  # rows that tell how a table is written
N_PREAMBLE = 20  # lines that may stand above a header
MOST = 0.6  # of the rows that have as many cells, in a table


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


def unwatched(done: int, total: int) -> None:
    """Let nobody know how far it is."""


@dataclass(frozen=True)
class Wanted:
    path: Path
    part: str | None
    watch: Watch
    most: int | None
    without: frozenset[str]

    @property
    def name(self) -> str:
        return printable(self.path.name)


# Rows of cells, of which the first may be a header


def assembled(wanted: Wanted, rows: Rows, noticed: list[str], n_bytes: int) -> Columns:
    """Return the columns of rows that are as people leave them."""
    first = list(islice(rows, N_PEEKED))
    if not first:
        raise InputError(f"{wanted.name} is empty: give a table with a header line.")
    width, start = _shape(first)
    if start:
        noticed.append(f"{counted(start, 'line')} above the header left out")
    head = first[start] if has_header(first[start:]) else None
    if head is None:
        noticed.append("there is no header, so columns go by their numbers")
    names = named(head or [], width, noticed)
    body = chain(first[start + (head is not None) :], rows)
    return filled(wanted, names, body, noticed, n_bytes)


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
    if any(map(is_plain_number, numeric)):
        return False
    return not any(cell and cell in values for cell, values in words)


def _are_years(cells: Sequence[str]) -> bool:
    found = [int(cell) for cell in cells if re.fullmatch(r"(18|19|20)\d\d", cell)]
    steps = {b - a for a, b in pairwise(found)}
    return len(found) == len(cells) > 1 and steps == {1}


def _is_number(cell: str) -> bool:
    return not cell or is_plain_number(cell)


def is_plain_number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.,]*\d[\d.,]*([eE][-+]?\d+)?%?", cell) is not None


def named(head: Sequence[str], width: int, noticed: list[str]) -> list[str]:
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
        noticed.append(f"{counted(n_empty, 'column')} without a name")
    return names


def filled(
    wanted: Wanted,
    names: list[str],
    rows: Iterable[Cells],
    noticed: list[str],
    n_bytes: int,
) -> Columns:
    """Return columns of rows that may be too short or too long."""
    width, bounded = len(names), Bounded(wanted, n_bytes)
    columns: list[list[str]] = [[] for _ in names]
    n_short = n_long = 0
    rows, most = iter(rows), wanted.most
    while some := list(islice(rows, n_next(bounded.n_rows, most))):
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
        noticed.append(f"{counted(n_short, 'row')} shorter than the header filled up")
    if n_long:
        noticed.append(f"{counted(n_long, 'row')} longer than the header cut")
    is_whole = most is None or next(rows, None) is None
    return Columns(tuple(names), tuple(columns), tuple(noticed), is_whole)


def n_next(n_rows: int, most: int | None) -> int:
    return ROWS_AT_ONCE if most is None else min(ROWS_AT_ONCE, most - n_rows)


class Bounded:
    """Counts what is read, says how far it is, and refuses what does not fit."""

    def __init__(self, wanted: Wanted, n_bytes: int) -> None:
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


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"

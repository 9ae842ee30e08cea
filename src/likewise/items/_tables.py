"""The user's own tables, arrays and files of texts."""

from __future__ import annotations

import csv
import os
import stat
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO
from zipfile import ZipFile

import numpy as np

from likewise._arrays import Floats, as_samples, from_words, n_signs
from likewise._regime import EXACT_SEARCH
from likewise.affinity import standardised
from likewise.encoders import encode_texts, open_ordinary
from likewise.errors import AssumptionWarning, InputError, MissingExtraError
from likewise.items._item import columns_shown, features_shown, printable
from likewise.items._limits import (
    claimed,
    free_memory,
    member,
    mode_of,
    refuse_large,
    said_plainly,
    undamaged,
)

Watch = Callable[[int, int], None]
MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
ROWS_AT_ONCE = 10_000  # of a table that are read together
MANY_KINDS = 50  # different texts in a column from which on it looks like free text
CELL = 100  # bytes that a cell of a table takes: as text, and as a number
LONGEST_LINE = 50_000_000  # characters
LARGEST = 1e150  # squares of larger numbers are infinite
WIDEST = 64  # bytes of a value of fixed width
N_NAMED, N_SHORT = 10, 60  # arrays and characters that a message repeats
TEXT = 4  # bytes that a byte of text takes, as lines
END = "\0end"  # no line of a file: there are none with a NUL in it


@dataclass(frozen=True)
class Table:
    """Samples from a file, with words for showing each of them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    shown : sequence of dict
        For each sample, its columns by name, or its text; made when it is looked at.
    labels : list of str, or None
        The column that was named as the label.
    """

    X: Floats
    shown: Sequence[dict[str, str]]
    labels: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a table.

    Attributes
    ----------
    label : str or None
        The column that holds the class, if there is one.
    ignore : tuple of str
        Columns to leave out.
    scale : bool
        Whether the columns are standardised.
    """

    label: str | None = None
    ignore: tuple[str, ...] = ()
    scale: bool = True


def unwatched(done: int, total: int) -> None:
    """Let nobody know how far it is."""


def read_table(path: Path, how: Reading, watch: Watch = unwatched) -> Table:
    """Return the samples of a file.

    Parameters
    ----------
    path : Path
        ``.csv``, ``.tsv`` or ``.parquet`` (a table), ``.npy`` or ``.npz`` (features; in
        an archive the array X, and y as label), ``.txt`` (one text a line).
    how : Reading
    watch : callable
        ``watch(done, total)`` is called now and then.
    """
    reader = _READERS.get(path.suffix.lower())
    shown = printable(str(path))
    with said_plainly(path):
        if not stat.S_ISREG(mode_of(path)):
            raise InputError(f"{shown} is no ordinary file: name another one.")
        if reader is None:
            raise InputError(
                f"{printable(path.name)} is of no known kind: give a "
                f"{', '.join(_READERS)} file."
            )
        return reader(path, how, watch)


# Tables


def _read_csv(path: Path, how: Reading, watch: Watch) -> Table:
    with TextIOWrapper(open_ordinary(path), encoding="utf-8-sig") as file:
        lines = _lines(path, file)
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            raise InputError(
                f"{printable(path.name)} is empty: give a table with a header line."
            )
        delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(first)
        rows = csv.reader(chain([first], lines, [END]), delimiter=delimiter)
        columns = _columns(path, _complete(path, rows), watch)
    return _from_columns(path, columns, how)


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    """Yield the lines of a table; there is always one that ends."""
    number = 0
    while whole := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(whole) > LONGEST_LINE:
            raise InputError(
                f"Line {number} of {printable(path.name)} has more than "
                f"{LONGEST_LINE:,} characters, which is no row: check that the file "
                f"is a table."
            )
        if "\0" in whole:
            raise InputError(
                f"Line {number} of {printable(path.name)} holds a NUL, which is no "
                f"text: save the table as UTF-8 and try again."
            )
        yield from whole.splitlines()


def _complete(path: Path, rows: Any) -> Iterator[list[str]]:
    """Yield the rows of a table in which every quote ends."""
    try:
        for row in rows:
            if row == [END]:
                return
            if row:
                yield row
    except csv.Error as error:
        raise InputError(
            f"Line {rows.line_num} of {printable(path.name)} cannot be read "
            f"({error}): mend it."
        ) from None
    raise InputError(
        f"{printable(path.name)} has a quote that does not end: close it, or remove it."
    )


def _columns(
    path: Path, rows: Iterator[list[str]], watch: Watch
) -> dict[str, list[str]]:
    """Return the columns of a table by their names, read some rows at a time."""
    header = next(rows, [])
    _refuse_twins(path, header)
    columns: list[list[str]] = [[] for _ in header]
    n_rows = n_read = 0
    n_all, free = path.stat().st_size, free_memory()
    while some := list(islice(rows, ROWS_AT_ONCE)):
        for number, row in enumerate(some, start=n_rows + 2):
            if len(row) != len(header):
                raise InputError(
                    f"Line {number} of {printable(path.name)} has {len(row)} columns, "
                    f"but the header has {len(header)}: mend that line."
                )
        for column, values in zip(columns, zip(*some, strict=True), strict=True):
            column += values
        n_rows += len(some)
        n_read += len(header) * len(some) + sum(map(len, chain.from_iterable(some)))
        needed = CELL * len(header) * n_rows + n_read
        refuse_large(path.name, needed, free, "write its numbers into a .npy file")
        watch(n_rows, max(n_rows, n_rows * n_all // n_read))  # as long as these
    if not n_rows:
        raise InputError(
            f"{printable(path.name)} has a header but no rows: give some data."
        )
    return dict(zip(header, columns, strict=True))


def _refuse_twins(path: Path, names: Sequence[str]) -> None:
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise InputError(
            f"{printable(path.name)} has {times} columns named {name!r}: give each a "
            f"name of its own."
        )


def _read_parquet(path: Path, how: Reading, watch: Watch) -> Table:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    with open_ordinary(path) as source, undamaged(path, "parquet file"):
        with parquet.ParquetFile(source) as file:
            schema, about = file.schema_arrow, file.metadata
            _refuse_twins(path, schema.names)
            _refuse_unknown(schema.names, how)
            kept = [name for name in schema.names if name not in how.ignore]
            words = [name for name in kept if _is_plain(path, schema, name)]
            unpacked = sum(
                about.row_group(at).total_byte_size
                for at in range(about.num_row_groups)
            )
            needed, free = CELL * len(kept) * about.num_rows + unpacked, free_memory()
            refuse_large(path.name, needed, free)
        source.seek(0)
        # A text that is there a million times is kept once.
        with parquet.ParquetFile(source, read_dictionary=words) as file:
            columns = _batches(path, file, kept, watch, free - needed)
    return _from_columns(path, columns, replace(how, ignore=()))


def _is_plain(path: Path, schema: Any, name: str) -> bool:
    """Tell whether a column of a parquet file holds words; refuse lists."""
    from pyarrow import types

    kind = schema.field(name).type
    is_wide = types.is_fixed_size_binary(kind) and kind.byte_width > WIDEST
    if types.is_nested(kind) or is_wide:
        raise InputError(
            f"Column {name!r} of {printable(path.name)} holds {kind}, not one value a "
            f"row: leave it out with --ignore."
        )
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _batches(
    path: Path, file: Any, names: list[str], watch: Watch, free: int
) -> dict[str, list[str]]:
    n_rows, n_read, n_letters = file.metadata.num_rows, 0, 0
    columns: dict[str, list[str]] = {name: [] for name in names}
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=names, use_threads=False):
        n_read += batch.num_rows
        if n_read > n_rows:
            break
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            cells = _cells(path, name, column)
            n_letters += sum(map(len, cells))
            columns[name] += cells
        refuse_large(path.name, n_letters, free)
        watch(n_read, n_rows)
    if n_read != n_rows:
        raise ValueError("there are not as many rows as it says")
    if not n_rows:
        raise InputError(f"{printable(path.name)} has no rows: give some data.")
    return columns


def _cells(path: Path, name: str, column: Any) -> list[str]:
    if not hasattr(column, "dictionary"):
        return ["" if value is None else str(value) for value in column.to_pylist()]
    words = [
        "" if word is None else str(word) for word in column.dictionary.to_pylist()
    ]
    if any("\0" in word for word in words):
        raise InputError(
            f"Column {name!r} of {printable(path.name)} holds a NUL, which is no text: "
            f"remove it, or leave the column out with --ignore."
        )
    codes = column.indices.to_pylist()
    return ["" if code is None else words[code] for code in codes]


# Arrays


def _read_array(path: Path, _: Reading, __: Watch) -> Table:
    with open_ordinary(path) as file, undamaged(path, "array of numbers"):
        claim = claimed(path, file, os.fstat(file.fileno()).st_size)
        # Few are copied anyway, and what is no float has to become one.
        stays = claim.n_rows > EXACT_SEARCH and claim.kind in (np.float32, np.float64)
        refuse_large(path.name, 0 if stays else claim.as_floats, free_memory())
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    X = as_samples(mapped if stays else np.array(mapped))
    return Table(X, features_shown(X), None)


def _read_archive(path: Path, _: Reading, __: Watch) -> Table:
    with (
        open_ordinary(path) as file,
        undamaged(path, ".npz file"),
        ZipFile(file) as archive,
    ):
        inside = {at.filename.removesuffix(".npy"): at for at in archive.infolist()}
        if "X" not in inside:
            raise InputError(
                f"{printable(path.name)} holds {_some(inside)}, but no array X: save "
                f"the features as X."
            )
        free = free_memory()
        y = member(path, archive, inside["y"], free) if "y" in inside else None
        found = member(path, archive, inside["X"], free)
    X = as_samples(found)
    labels = None if y is None else [str(value) for value in np.atleast_1d(y)]
    if labels is not None and len(labels) != X.shape[0]:
        raise InputError(
            f"{printable(path.name)} holds {X.shape[0]} samples X, but {len(labels)} "
            f"classes y: save one for each."
        )
    return Table(X, features_shown(X), labels)


def _some(names: Iterable[str]) -> str:
    first = [printable(name) for name in islice(names, N_NAMED + 1)]
    more = " and others" if len(first) > N_NAMED else ""
    return (", ".join(first[:N_NAMED]) or "nothing") + more


# Texts


def _read_texts(path: Path, _: Reading, __: Watch) -> Table:
    texts = read_texts(path)
    return Table(encode_texts(texts), columns_shown({"text": texts}))


def read_texts(path: Path) -> list[str]:
    """Return the lines of a text file that are not empty."""
    name = printable(path.name)
    with said_plainly(path), open_ordinary(path) as file:
        n_bytes = os.fstat(file.fileno()).st_size
        refuse_large(path.name, TEXT * n_bytes, free_memory())
        lines = file.read().decode("utf-8-sig").splitlines()
    texts = [line.strip() for line in lines if line.strip()]
    if not texts:
        raise InputError(f"{name} is empty: give one text a line.")
    if any("\0" in text for text in texts):
        raise InputError(
            f"{name} holds a NUL, which is no text: save it as UTF-8 and try again."
        )
    return texts


_READERS: dict[str, Callable[[Path, Reading, Watch], Table]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".npy": _read_array,
    ".npz": _read_archive,
    ".txt": _read_texts,
}


def _delimiter(first: str) -> str:
    return max(",;\t", key=first.count)


# Columns


def _refuse_unknown(columns: Iterable[str], how: Reading) -> None:
    for name in (*how.ignore, *([how.label] if how.label else [])):
        if name not in columns:
            raise InputError(
                f"There is no column {name!r}. The columns are: {', '.join(columns)}."
            )


def _from_columns(
    path: Path, columns: Mapping[str, Sequence[str]], how: Reading
) -> Table:
    _refuse_unknown(columns, how)
    kept = {n: v for n, v in columns.items() if n not in (*how.ignore, how.label)}
    if not kept:
        raise InputError("No column is left to compare: ignore fewer of them.")
    X = _compared(path, kept)
    labels = list(columns[how.label]) if how.label else None
    shown = columns_shown(kept)
    return Table(standardised(X) if how.scale else X, shown, labels)


def _compared(path: Path, columns: Mapping[str, Sequence[str]]) -> Floats:
    """Return the numbers of all columns, side by side."""
    numbers = {name: _numbers(name, values) for name, values in columns.items()}
    words = [name for name, found in numbers.items() if found is None]
    kinds = {name: len(set(columns[name])) for name in words}
    left_out = _left_out(kinds, len(next(iter(columns.values()))))
    if len(left_out) == len(columns):
        name = left_out[0]
        raise InputError(
            f"Column {name!r} holds {kinds[name]} different texts, which is no "
            f"category: leave it out with --ignore, or put texts into a .txt file."
        )
    for name in left_out:
        _say_left_out(name, kinds.pop(name))
        del numbers[name]
    _refuse_wide(path, columns, kinds)
    return np.hstack(
        [
            from_words(name, columns[name]) if found is None else found
            for name, found in numbers.items()
        ]
    )


def _left_out(kinds: Mapping[str, int], n_rows: int) -> list[str]:
    """Return columns of words that tell rows apart, and are alike in none."""
    return [name for name, n in kinds.items() if n > max(MANY_KINDS, n_rows / 2)]


def _say_left_out(name: str, n_kinds: int) -> None:
    warnings.warn(
        f"Column {name!r} holds {n_kinds:,} different texts, which is no category: it "
        f"is shown, but not compared.",
        AssumptionWarning,
        stacklevel=2,
    )


def _refuse_wide(
    path: Path, columns: Mapping[str, Sequence[str]], kinds: Mapping[str, int]
) -> None:
    """Refuse words that would take more memory as numbers than there is."""
    if not kinds:
        return
    width = sum(map(n_signs, kinds.values())) + len(columns) - len(kinds)
    widest = max(kinds, key=lambda name: n_signs(kinds[name]))
    needed = 3 * 8 * width * len(columns[widest])  # each, side by side, standardised
    advice = (
        f"leave column {widest!r}, which holds {kinds[widest]:,} kinds, out with "
        f"--ignore"
    )
    refuse_large(path.name, needed, free_memory(), advice)


def _numbers(name: str, values: Sequence[str]) -> Floats | None:
    """Return a column of numbers as it is; None for a column of words."""
    numbers = _at_once(values)
    if numbers is not None:
        return _finite(name, values, numbers)
    kinds = {value: _number(value) for value in values}  # a long one is parsed once
    missing = {value for value in kinds if value.strip().lower() in MISSING}
    for row, value in enumerate(values, start=1):
        if value in missing:
            raise InputError(
                f"Column {name!r} has no value in row {row}: fill it in, or leave the "
                f"column out with --ignore."
            )
    parsed = [kinds[value] for value in values]
    words = [row for row, number in enumerate(parsed) if number is None]
    if not words:
        return _finite(name, values, np.array(parsed, dtype=np.float64))
    if len(words) < len(values) / 2:
        raise InputError(
            f"Column {name!r} holds numbers, but row {words[0] + 1} has "
            f"{_short(values[words[0]])}: mend it, or leave the column out with "
            f"--ignore."
        )
    return None


def _finite(name: str, values: Sequence[str], numbers: Floats) -> Floats:
    within = np.abs(numbers) <= LARGEST
    if not within.all():
        row = int(within.argmin())
        raise InputError(
            f"Column {name!r} has {_short(values[row])} in row {row + 1}, too large to "
            f"be compared: mend it, or leave the column out with --ignore."
        )
    return as_samples(numbers[:, np.newaxis])


def _short(value: str) -> str:
    return repr(value if len(value) <= N_SHORT else f"{value[:N_SHORT]}…")


def _at_once(values: Sequence[str]) -> Floats | None:
    """Return a column in which all is a number; None where one has to look closer."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None

"""The user's own data: a table, an array of features, or a file of texts."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np

from likewise._arrays import Floats, as_samples
from likewise.affinity import standardised
from likewise.encoders import encode_texts
from likewise.errors import InputError, MissingExtraError
from likewise.items._rows import columns_shown, features_shown

Watch = Callable[[int, int], None]
MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
ROWS_AT_ONCE = 10_000  # of a table that are read together
MANY_KINDS = 50  # different texts in a column from which on it looks like free text


@dataclass(frozen=True)
class Pile:
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


def read_pile(path: Path, how: Reading, watch: Watch = unwatched) -> Pile:
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
    if not path.exists():
        raise InputError(f"There is no file {path}: check the name.")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path.name} is of no known kind: give a {', '.join(_READERS)} file."
        )
    try:
        return reader(path, how, watch)
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text: save it as UTF-8 and try again."
        ) from None


def _read_csv(path: Path, how: Reading, watch: Watch) -> Pile:
    with path.open(encoding="utf-8-sig") as file:
        lines = (line for whole in file for line in whole.splitlines())
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            raise InputError(f"{path.name} is empty: give a table with a header line.")
        delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(first)
        rows = csv.reader(chain([first], lines), delimiter=delimiter)
        columns = _columns(path, rows, watch)
    return _from_columns(columns, how)


def _columns(
    path: Path, rows: Iterator[list[str]], watch: Watch
) -> dict[str, list[str]]:
    """Return the columns of a table by their names, read some rows at a time."""
    filled = (row for row in rows if row)
    header = next(filled)
    columns: list[list[str]] = [[] for _ in header]
    n_rows = n_read = 0
    n_all = path.stat().st_size
    while some := list(islice(filled, ROWS_AT_ONCE)):
        for number, row in enumerate(some, start=n_rows + 2):
            if len(row) != len(header):
                raise InputError(
                    f"Line {number} of {path.name} has {len(row)} columns, but the "
                    f"header has {len(header)}: mend that line."
                )
        for column, values in zip(columns, zip(*some, strict=True), strict=True):
            column += values
        n_rows += len(some)
        n_read += len(header) * len(some) + sum(map(len, chain.from_iterable(some)))
        watch(n_rows, max(n_rows, n_rows * n_all // n_read))  # as long as these
    if not n_rows:
        raise InputError(f"{path.name} has a header but no rows: give some data.")
    return dict(zip(header, columns, strict=True))


def _read_parquet(path: Path, how: Reading, _: Watch) -> Pile:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    table = parquet.read_table(path)
    columns = {
        name: ["" if value is None else str(value) for value in column.to_pylist()]
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return _from_columns(columns, how)


def _read_array(path: Path, _: Reading, __: Watch) -> Pile:
    X = as_samples(np.load(path, allow_pickle=False))
    return Pile(X, features_shown(X), None)


def _read_archive(path: Path, _: Reading, __: Watch) -> Pile:
    with np.load(path, allow_pickle=False) as archive:
        if "X" not in archive:
            raise InputError(
                f"{path.name} holds {', '.join(archive.files)}, but no array X: save "
                f"the features as X."
            )
        labels = [str(value) for value in archive["y"]] if "y" in archive else None
        X = as_samples(archive["X"])
    return Pile(X, features_shown(X), labels)


def _read_texts(path: Path, _: Reading, __: Watch) -> Pile:
    texts = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    texts = [text for text in texts if text]
    if not texts:
        raise InputError(f"{path.name} is empty: give one text a line.")
    return Pile(encode_texts(texts), columns_shown({"text": texts}))


_READERS: dict[str, Callable[[Path, Reading, Watch], Pile]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".npy": _read_array,
    ".npz": _read_archive,
    ".txt": _read_texts,
}


def _delimiter(first: str) -> str:
    return max(",;\t", key=first.count)


def _from_columns(columns: Mapping[str, Sequence[str]], how: Reading) -> Pile:
    for name in (*how.ignore, *([how.label] if how.label else [])):
        if name not in columns:
            raise InputError(
                f"There is no column {name!r}. The columns are: {', '.join(columns)}."
            )
    kept = {n: v for n, v in columns.items() if n not in (*how.ignore, how.label)}
    if not kept:
        raise InputError("No column is left to compare: ignore fewer of them.")
    X = np.hstack([_numbers(name, values) for name, values in kept.items()])
    labels = list(columns[how.label]) if how.label else None
    shown = columns_shown(kept)
    return Pile(standardised(X) if how.scale else X, shown, labels)


def _numbers(name: str, values: Sequence[str]) -> Floats:
    """Return a column of numbers as it is, a column of words one-hot encoded."""
    numbers = _at_once(values)
    if numbers is not None:
        return as_samples(numbers[:, np.newaxis])
    for row, value in enumerate(values, start=1):
        if value.strip().lower() in MISSING:
            raise InputError(
                f"Column {name!r} has no value in row {row}: fill it in, or leave the "
                f"column out with --ignore."
            )
    parsed = [_number(value) for value in values]
    words = [row for row, number in enumerate(parsed) if number is None]
    if not words:
        return as_samples(np.array(parsed, dtype=np.float64)[:, np.newaxis])
    if len(words) < len(values) / 2:
        raise InputError(
            f"Column {name!r} holds numbers, but row {words[0] + 1} has "
            f"{values[words[0]]!r}: mend it, or leave the column out with --ignore."
        )
    kinds, codes = np.unique(np.array(values), return_inverse=True)
    if len(kinds) > max(MANY_KINDS, len(values) / 2):
        raise InputError(
            f"Column {name!r} holds {len(kinds)} different texts, which is no "
            f"category: leave it out with --ignore, or put texts into a .txt file."
        )
    return np.eye(len(kinds))[codes]


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

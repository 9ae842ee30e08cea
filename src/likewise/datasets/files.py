"""The user's own data: a table, an array of features, or a file of texts."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from likewise.arrays import Floats, as_samples
from likewise.encoders.texts import encode_texts
from likewise.errors import InputError, MissingExtraError
from likewise.scaling import standardised

MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
MANY_KINDS = 50  # different texts in a column from which on it looks like free text


@dataclass(frozen=True)
class Pile:
    """Samples from a file, with words for showing each of them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    shown : list of dict
        For each sample, its columns by name, or its text.
    labels : list of str, or None
        The column that was named as the label.
    """

    X: Floats
    shown: list[dict[str, str]]
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


def read_pile(path: Path, how: Reading) -> Pile:
    """Return the samples of a file.

    Parameters
    ----------
    path : Path
        ``.csv``, ``.tsv`` or ``.parquet`` (a table), ``.npy`` or ``.npz`` (features; in
        an archive the array X, and y as label), ``.txt`` (one text a line).
    how : Reading
    """
    if not path.exists():
        raise InputError(f"There is no file {path}: check the name.")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path.name} is of no known kind: give a {', '.join(_READERS)} file."
        )
    try:
        return reader(path, how)
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text: save it as UTF-8 and try again."
        ) from None


def _read_csv(path: Path, how: Reading) -> Pile:
    text = path.read_text(encoding="utf-8-sig")
    if not text.strip():
        raise InputError(f"{path.name} is empty: give a table with a header line.")
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(text)
    header, *rows = [
        row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row
    ]
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise InputError(
                f"Line {number} of {path.name} has {len(row)} columns, but the header "
                f"has {len(header)}: mend that line."
            )
    if not rows:
        raise InputError(f"{path.name} has a header but no rows: give some data.")
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    return _from_columns(columns, how)


def _read_parquet(path: Path, how: Reading) -> Pile:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    table = parquet.read_table(path).to_pydict()
    columns = {
        name: ["" if value is None else str(value) for value in values]
        for name, values in table.items()
    }
    return _from_columns(columns, how)


def _read_array(path: Path, _: Reading) -> Pile:
    labels = None
    loaded = np.load(path, allow_pickle=False)
    if path.suffix.lower() == ".npz":
        if "X" not in loaded:
            raise InputError(
                f"{path.name} holds {', '.join(loaded.files)}, but no array X: save "
                f"the features as X."
            )
        labels = [str(value) for value in loaded["y"]] if "y" in loaded else None
        loaded = loaded["X"]
    X = as_samples(loaded)
    shown = [{f"feature {i}": f"{v:.4g}" for i, v in enumerate(row[:12])} for row in X]
    return Pile(X, shown, labels)


def _read_texts(path: Path, _: Reading) -> Pile:
    texts = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    texts = [text for text in texts if text]
    if not texts:
        raise InputError(f"{path.name} is empty: give one text a line.")
    return Pile(encode_texts(texts), [{"text": text} for text in texts])


_READERS: dict[str, Callable[[Path, Reading], Pile]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".npy": _read_array,
    ".npz": _read_array,
    ".txt": _read_texts,
}


def _delimiter(text: str) -> str:
    first = text.splitlines()[0]
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
    rows = zip(*kept.values(), strict=True)
    shown = [dict(zip(kept, row, strict=True)) for row in rows]
    labels = list(columns[how.label]) if how.label else None
    return Pile(standardised(X) if how.scale else X, shown, labels)


def _numbers(name: str, values: Sequence[str]) -> Floats:
    """Return a column of numbers as it is, a column of words one-hot encoded."""
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


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None

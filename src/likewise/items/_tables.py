"""The user's own tables, arrays and files of texts, and their rows as items.

A row becomes an item when somebody looks at it: a million of them would not fit into
memory as objects of their own.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Generic, TypeVar, overload

import numpy as np

from likewise._arrays import Floats, Samples, as_samples
from likewise._regime import EXACT_SEARCH
from likewise.affinity import standardised
from likewise.encoders import Kind, encode_texts
from likewise.errors import InputError, MissingExtraError
from likewise.storage import Item

T = TypeVar("T", covariant=True)
Card = dict[str, str]

N_SHOWN = 12  # features of an array that a card shows
AT_ONCE = 4096  # rows that are looked at together
WIDTH = 32  # bytes of a digest


class Lazy(Sequence[T], Generic[T]):
    """A sequence whose entries are made when they are looked at.

    Parameters
    ----------
    n : int
        How many there are.
    made : callable
        ``made(start, stop)`` yields some of them.

    Examples
    --------
    >>> squares = Lazy(4, lambda start, stop: (i * i for i in range(start, stop)))
    >>> squares[-1], list(squares), squares[1:3]
    (9, [0, 1, 4, 9], [1, 4])
    """

    def __init__(self, n: int, made: Callable[[int, int], Iterable[T]]) -> None:
        self._n = n
        self._made = made

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[T]:
        for start in range(0, self._n, AT_ONCE):
            yield from self._made(start, min(start + AT_ONCE, self._n))

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> list[T]: ...

    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            start, stop, step = at.indices(self._n)
            if step == 1:
                return list(self._made(start, max(start, stop)))
            return [self[one] for one in range(start, stop, step)]
        place = range(self._n)[at]
        return next(iter(self._made(place, place + 1)))


def columns_shown(columns: Mapping[str, Sequence[str]]) -> Lazy[Card]:
    """Return what each row of a table shows: its columns by their names.

    Examples
    --------
    >>> columns_shown({"size": ["1", "2"], "name": ["oak", "elm"]})[1]
    {'size': '2', 'name': 'elm'}
    """
    names = tuple(columns)

    def made(start: int, stop: int) -> Iterator[Card]:
        some = zip(*(column[start:stop] for column in columns.values()), strict=True)
        return (dict(zip(names, row, strict=True)) for row in some)

    return Lazy(len(next(iter(columns.values()))), made)


def features_shown(X: Samples) -> Lazy[Card]:
    """Return what each row of an array shows: its first features.

    Examples
    --------
    >>> import numpy as np
    >>> features_shown(np.array([[0.5, 1 / 3]]))[0]
    {'feature 0': '0.5', 'feature 1': '0.3333'}
    """
    names = [f"feature {at}" for at in range(min(N_SHOWN, X.shape[1]))]

    def made(start: int, stop: int) -> Iterator[Card]:
        for row in X[start:stop, :N_SHOWN].tolist():
            yield {name: f"{v:.4g}" for name, v in zip(names, row, strict=True)}

    return Lazy(X.shape[0], made)


def nothing_shown(n: int) -> Lazy[Card]:
    """Return what rows show whose features lie elsewhere: nothing of their own."""
    return Lazy(n, lambda start, stop: ({} for _ in range(start, stop)))


def contents_of(X: Samples) -> Iterator[bytes]:
    """Yield the bytes of each row, as double precision."""
    for start in range(0, X.shape[0], AT_ONCE):
        some = X[start : start + AT_ONCE].astype("float64")
        yield from map(bytes, some)


class RowItems(Lazy[Item]):
    """Rows as items; the key of each is its number, from 1 on.

    Parameters
    ----------
    kind : {"text", "row"}
    shown : sequence of dict
        What each row shows.
    contents : iterable of bytes
        What a change of each row is noticed by; read once.

    Examples
    --------
    >>> RowItems("row", [{"x": "1"}, {"x": "2"}], [b"1", b"2"])[1].key
    '2'
    """

    def __init__(
        self, kind: Kind, shown: Sequence[Card], contents: Iterable[bytes]
    ) -> None:
        super().__init__(len(shown), self._items)
        self._kind = kind
        self._shown = shown
        self._digests = b"".join(hashlib.sha256(one).digest() for one in contents)

    def traces(self) -> Iterator[tuple[str, str]]:
        """Yield the key and the digest of each; what it shows is not made."""
        return ((str(at + 1), self._digest(at)) for at in range(len(self)))

    def _items(self, start: int, stop: int) -> Iterator[Item]:
        for at, card in enumerate(self._shown[start:stop], start):
            yield Item(str(at + 1), self._kind, self._digest(at), card)

    def _digest(self, at: int) -> str:
        return self._digests[at * WIDTH : (at + 1) * WIDTH].hex()


def traces_of(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """Yield the key and the digest of each item."""
    if isinstance(items, RowItems):
        return items.traces()
    return ((item.key, item.digest) for item in items)


Watch = Callable[[int, int], None]
MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
ROWS_AT_ONCE = 10_000  # of a table that are read together
MANY_KINDS = 50  # different texts in a column from which on it looks like free text


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


def _read_csv(path: Path, how: Reading, watch: Watch) -> Table:
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


def _read_parquet(path: Path, how: Reading, _: Watch) -> Table:
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


def _read_array(path: Path, _: Reading, __: Watch) -> Table:
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        raise InputError(
            f"{path.name} is no array of numbers: write one with numpy.save."
        ) from None
    # Few are copied anyway, and what is no float has to become one.
    stays = mapped.shape[:1] > (EXACT_SEARCH,) and mapped.dtype in (
        np.float32,
        np.float64,
    )
    X = as_samples(mapped if stays else np.array(mapped))
    return Table(X, features_shown(X), None)


def _read_archive(path: Path, _: Reading, __: Watch) -> Table:
    with np.load(path, allow_pickle=False) as archive:
        if "X" not in archive:
            raise InputError(
                f"{path.name} holds {', '.join(archive.files)}, but no array X: save "
                f"the features as X."
            )
        labels = [str(value) for value in archive["y"]] if "y" in archive else None
        X = as_samples(archive["X"])
    return Table(X, features_shown(X), labels)


def _read_texts(path: Path, _: Reading, __: Watch) -> Table:
    texts = read_texts(path)
    return Table(encode_texts(texts), columns_shown({"text": texts}))


def read_texts(path: Path) -> list[str]:
    """Return the lines of a text file that are not empty."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text: save it as UTF-8 and try again."
        ) from None
    texts = [line.strip() for line in lines if line.strip()]
    if not texts:
        raise InputError(f"{path.name} is empty: give one text a line.")
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


def _from_columns(columns: Mapping[str, Sequence[str]], how: Reading) -> Table:
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
    return Table(standardised(X) if how.scale else X, shown, labels)


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

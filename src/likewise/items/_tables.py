"""The user's own tables, arrays and files of texts."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias
from zipfile import ZipFile

import numpy as np

from likewise._arrays import Samples, as_samples
from likewise._regime import EXACT_SEARCH
from likewise.encoders import encode_fields, encode_texts, open_ordinary
from likewise.errors import AssumptionWarning, InputError, UnreadableFileError
from likewise.items._blocks import MOST_KINDS, Making, block_of, picture_in
from likewise.items._cells import Columns, Watch, unwatched
from likewise.items._columns import (
    KINDS,
    UNCOUNTED,
    Guess,
    guess,
    is_missing,
    looks_like_records,
    numbers_of,
    title_of,
)
from likewise.items._formats import FORMATS, place_of, read_columns
from likewise.items._item import columns_shown, decoded, features_shown, printable
from likewise.items._limits import (
    claimed,
    free_memory,
    member,
    mode_of,
    refuse_large,
    said_plainly,
    undamaged,
)
from likewise.items._separated import looks_like_table

Seek: TypeAlias = Literal["groups", "duplicates"]  # what is looked for among the rows
N_NAMED = 10  # arrays that a message repeats
TEXT = 4  # bytes that a byte of text takes, as lines
N_PREVIEWED = 10_000  # rows that a person sees the kinds of before all are read
N_FIRST = 8  # of them that are shown
HEAVIEST = 1000.0  # weight of a column
WIDTHS = {"text": 33, "long text": 400, "picture": 1300, "date": 7, "number": 2}


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
    how : Reading, or None
        How a table was read in the end: with a kind and a weight for each column.
    noticed : tuple of str
        What was odd about it, in clauses.
    """

    X: Samples
    shown: Sequence[dict[str, str]]
    labels: list[str] | None = None
    how: Reading | None = None
    noticed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a table.

    Attributes
    ----------
    label : str or None
        The column that holds the class, if there is one.
    ignore : tuple of str
        Columns to leave out: they are not even shown.
    scale : bool
        Whether columns are made comparable, each by its weight.
    kinds : tuple of pairs of str
        What columns hold, by name; of others it is guessed.
    weights : tuple of pairs of a str and a float
        How much columns count, by name: 0 for nothing, 1 unless said.
    title : str or None
        The column that names rows; guessed unless given.
    seek : {"groups", "duplicates"}
        Whether rows are alike or about the same thing.
    """

    label: str | None = None
    ignore: tuple[str, ...] = ()
    scale: bool = True
    kinds: tuple[tuple[str, str], ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    title: str | None = None
    seek: Seek = "groups"

    def __post_init__(self) -> None:
        for name, kind in self.kinds:
            if kind not in KINDS:
                raise InputError(
                    f"Column {name!r} cannot be of the kind {kind!r}. Choose one of: "
                    f"{', '.join(KINDS)}."
                )
        for name, weight in self.weights:
            if not 0 <= weight <= HEAVIEST:
                raise InputError(
                    f"The weight of column {name!r} is a number from 0 to "
                    f"{HEAVIEST:,.0f}, not {weight!r}."
                )
        if self.seek not in ("groups", "duplicates"):
            raise InputError(
                f"One can look for groups or duplicates, not for {self.seek!r}."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are named, whatever for."""
        pairs = (*self.kinds, *self.weights)
        single = [name for name in (self.label, self.title) if name is not None]
        return tuple(dict.fromkeys((*self.ignore, *single, *(n for n, _ in pairs))))

    @property
    def is_said(self) -> bool:
        """Whether anything is said of columns, but for those that are left out."""
        has_words = bool(self.kinds or self.weights or self.title)
        return has_words or self.seek != "groups"

    def within(self, names: Iterable[str]) -> Reading:
        """Return the same without what is said of columns that are not there."""
        there = set(names)
        return replace(
            self,
            label=self.label if self.label in there else None,
            ignore=tuple(name for name in self.ignore if name in there),
            kinds=tuple(pair for pair in self.kinds if pair[0] in there),
            weights=tuple(pair for pair in self.weights if pair[0] in there),
            title=self.title if self.title in there else None,
        )


@dataclass(frozen=True)
class Preview:
    """The beginning of a table, and what its columns seem to hold.

    Attributes
    ----------
    names : tuple of str
    rows : tuple of tuples of str
        The first of them.
    how : Reading
        What is guessed: a kind and a weight for each column, the title, and whether to
        look for duplicates.
    noticed : tuple of str
        In clauses.
    n_rows : int
        Rows that were looked at.
    is_whole : bool
        Whether these are all there are.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    how: Reading
    noticed: tuple[str, ...]
    n_rows: int
    is_whole: bool


def is_table(path: Path) -> bool:
    """Tell whether a path is of a file with columns, not of texts or an array."""
    file, _ = place_of(path)
    if file.suffix.lower() == ".txt":
        return file.is_file() and looks_like_table(file)
    return file.suffix.lower() in FORMATS and not file.is_dir()


def names_of(path: Path) -> tuple[str, ...]:
    """Return the columns of a table, of which hardly more than that is read."""
    with said_plainly(place_of(path)[0]):
        return read_columns(path, most=1).names


def read_table(
    path: Path, how: Reading | None = None, watch: Watch = unwatched
) -> Table:
    r"""Return the samples of a file.

    Nothing stops for a row or a column: what is odd is said in one warning. What
    columns hold is guessed unless it is said.

    Parameters
    ----------
    path : Path
        A table (``.csv``, ``.tsv``, ``.xlsx``, ``.parquet``, ``.jsonl``, ``.json``,
        ``.sqlite``, ``.db``; of a workbook ``FILE::SHEET``, of a database
        ``FILE::TABLE``), an array (``.npy`` or ``.npz``; in an archive the array X, and
        y as label), or ``.txt`` (one text a line, unless it is a table).
    how : Reading, optional
    watch : callable
        ``watch(done, total)`` is called now and then.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "trees.csv"
    ...     _ = file.write_text("size;kind\n1.5;oak\n2.5;elm\n;oak\n8;elm\n")
    ...     table = read_table(file)
    >>> table.X.shape, table.how.kinds
    ((4, 4), (('size', 'number'), ('kind', 'category')))
    """
    file = place_of(path)[0]
    reader = _READERS.get(file.suffix.lower())
    with said_plainly(file):
        mode = mode_of(file)
        if stat.S_ISDIR(mode):
            raise InputError(
                f"{printable(str(file))} is a folder: name a file in it, or open the "
                "folder with `likewise app`."
            )
        if not stat.S_ISREG(mode):
            raise InputError(
                f"{printable(str(file))} is no ordinary file: name another one."
            )
        if reader is None:
            raise InputError(
                f"{printable(file.name)} is of no known kind: give a "
                f"{', '.join(_READERS)} file."
            )
        return reader(path, how or Reading(), watch)


def preview_table(path: Path, how: Reading | None = None) -> Preview:
    """Return the beginning of a table, and what its columns seem to hold.

    Parameters
    ----------
    path : Path
    how : Reading, optional
        What is known already.
    """
    how = how or Reading()
    with said_plainly(place_of(path)[0]):
        columns = read_columns(path, most=N_PREVIEWED, without=how.ignore)
        _refuse_unknown(columns, how)
    shown = {n: v for n, v in columns.by_name.items() if n != how.label}
    full, noticed = _completed(path, shown, how)
    seems = looks_like_records(dict(full.kinds), shown.values())
    full = replace(full, seek="duplicates" if seems else how.seek)
    rows = zip(*(values[:N_FIRST] for values in shown.values()), strict=True)
    return Preview(
        tuple(shown),
        tuple(rows),
        full,
        (*columns.noticed, *_said_of(full, noticed)),
        columns.n_rows,
        columns.is_whole,
    )


# Tables


def _read_columns(path: Path, how: Reading, watch: Watch) -> Table:
    columns = read_columns(path, watch, without=how.ignore)
    _refuse_unknown(columns, how)
    shown = {n: v for n, v in columns.by_name.items() if n != how.label}
    if not shown:
        raise InputError("No column is left to compare: ignore fewer of them.")
    full, noticed = _completed(path, shown, how)
    said = (*columns.noticed, *_said_of(full, noticed))
    if said:
        warnings.warn(
            f"{printable(path.name)}: {'; '.join(said)}.",
            AssumptionWarning,
            stacklevel=2,
        )
    labels = list(columns.by_name[how.label]) if how.label else None
    X = _compared(path, shown, full)
    return Table(X, columns_shown(shown), labels, full, said)


def _refuse_unknown(columns: Columns, how: Reading) -> None:
    there = (*columns.names, *columns.skipped)
    for name in how.names:
        if name not in there:
            raise InputError(
                f"There is no column {name!r}. The columns are: {', '.join(there)}."
            )


def _completed(
    path: Path, columns: Mapping[str, Sequence[str]], how: Reading
) -> tuple[Reading, dict[str, str]]:
    """Return how a table is read in the end, and what is to be known of columns."""
    said, weights = dict(how.kinds), dict(how.weights)
    exists = partial(_exists, place_of(path)[0].parent)
    found = {
        name: Guess(said[name]) if name in said else guess(name, values, at, exists)  # type: ignore[arg-type]
        for at, (name, values) in enumerate(columns.items())
    }
    if all(found[n].kind in UNCOUNTED and n not in said for n in columns):
        found = {n: Guess(_at_least(v)) for n, v in columns.items()}  # type: ignore[arg-type]
    kinds = tuple((name, one.kind) for name, one in found.items())
    full = tuple(
        (name, weights.get(name, 0.0 if kind in UNCOUNTED else 1.0))
        for name, kind in kinds
    )
    title = how.title or title_of(list(found), [kind for _, kind in kinds])
    noticed = {name: one.why for name, one in found.items() if one.why}
    return replace(how, kinds=kinds, weights=full, title=title), noticed


def _said_of(how: Reading, noticed: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is to be known of columns, as they are compared.

    Duplicates are compared by their letters: numbers or dates are read of none.
    """
    if how.seek == "groups":
        return tuple(noticed.values())
    kinds, weights = dict(how.kinds), dict(how.weights)
    return tuple(
        why
        for name, why in noticed.items()
        if kinds[name] in UNCOUNTED and not weights[name]
    )


def _exists(folder: Path, key: str) -> bool:
    try:
        return picture_in(folder, key).is_file()
    except UnreadableFileError:
        return False


def _at_least(values: Sequence[str]) -> str:
    """Return what a column is taken for where there is no other."""
    there = [value for value in values if not is_missing(value)]
    if there and not np.isnan(numbers_of(there)).any():
        return "number"
    return "text" if len(set(there)) > max(2, len(there) / 2) else "category"


def _compared(
    path: Path, columns: Mapping[str, Sequence[str]], how: Reading
) -> Samples:
    """Return the numbers of all columns that count, side by side."""
    kinds = dict(how.kinds)
    counted = {name: weight for name, weight in how.weights if weight > 0}
    if not counted:
        raise InputError("No column is left to compare: let at least one count.")
    if how.seek == "duplicates":
        return encode_fields(
            [["" if is_missing(v) else v for v in columns[name]] for name in counted]
        )
    _refuse_wide(path, {name: columns[name] for name in counted}, kinds)
    making = Making(place_of(path)[0].parent, how.scale)
    return np.hstack(
        [
            block_of(kinds[name], columns[name], weight, making)
            for name, weight in counted.items()
        ]
    )


def _refuse_wide(
    path: Path, columns: Mapping[str, Sequence[str]], kinds: Mapping[str, str]
) -> None:
    """Refuse columns that would take more memory as numbers than there is."""
    if all(kinds[name] == "number" for name in columns):
        return
    widths = {
        name: WIDTHS.get(kinds[name]) or min(MOST_KINDS + 1, len(set(values)))
        for name, values in columns.items()
    }
    widest = max(widths, key=widths.__getitem__)
    needed = 3 * 8 * sum(widths.values()) * len(columns[widest])  # each, side by side
    advice = f"leave column {widest!r}, the widest, out with --ignore"
    refuse_large(path.name, needed, free_memory(), advice)


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


def _read_texts(path: Path, how: Reading, watch: Watch) -> Table:
    if looks_like_table(path):
        return _read_columns(path, how, watch)
    texts = read_texts(path)
    return Table(encode_texts(texts), columns_shown({"text": texts}))


def read_texts(path: Path) -> list[str]:
    """Return the lines of a text file that are not empty."""
    name = printable(path.name)
    with said_plainly(path), open_ordinary(path) as file:
        n_bytes = os.fstat(file.fileno()).st_size
        refuse_large(path.name, TEXT * n_bytes, free_memory())
        lines = decoded(file.read()).splitlines()
    texts = [line.strip() for line in lines if line.strip()]
    if not texts:
        raise InputError(f"{name} is empty: give one text a line.")
    if any("\0" in text for text in texts):
        raise InputError(
            f"{name} holds a NUL, which is no text: save it as UTF-8 and try again."
        )
    return texts


_READERS: dict[str, Callable[[Path, Reading, Watch], Table]] = {
    **dict.fromkeys(FORMATS, _read_columns),
    ".txt": _read_texts,
    ".npy": _read_array,
    ".npz": _read_archive,
}

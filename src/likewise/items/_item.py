"""What lies behind a path: items, and what of it cannot be used.

A row becomes an item when somebody looks at it: a million of them would not fit into
memory as objects of their own.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, overload

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Samples
from likewise.encoders import Kind
from likewise.storage import Item, Trace

if TYPE_CHECKING:
    from likewise.items._tables import Reading

T = TypeVar("T", covariant=True)
Card = dict[str, str]

MANY_COLUMNS = 12  # of two rows, shown at once; those that differ come first
N_KINDS = 6  # kinds of files that a sentence counts
N_SHOWN = 12  # features of an array that a card shows
AT_ONCE = 4096  # rows that are looked at together
WIDTH = 32  # bytes of a digest
NAMES: dict[Kind, str] = {"image": "pictures", "text": "texts", "row": "rows"}


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that cannot be used, and why, in one sentence."""

    key: str
    reason: str


@dataclass(frozen=True)
class Gathered:
    """What was found behind a path.

    Attributes
    ----------
    root : Path
        The folder, or the file.
    kind : {"image", "text", "row"}
    items : sequence of Item
        Files in natural order (2 before 10), or rows in theirs. The key of a file is
        its path relative to the folder, with ``/``; that of a row its number, from 1.
        The digest is SHA-256 of the content, hexadecimal. Name and size of a file, a
        text or the columns of a row are shown; of an array with many rows nothing is:
        their features are kept once, as vectors.
    broken : tuple of Broken
        Files that cannot be used.
    rows : ndarray of shape (n_items, n_features), or None
        The numbers of a table or an array.
    how : Reading or None
        How a table was read.
    lacking : tuple of pairs
        Forms of files that could be read with the extra ``formats``, and how many.
    others : tuple of pairs
        Suffixes of files that are no such items, and how many.
    """

    root: Path
    kind: Kind
    items: Sequence[Item]
    broken: tuple[Broken, ...] = ()
    rows: Samples | None = None
    how: Reading | None = None
    lacking: tuple[tuple[str, int], ...] = ()
    others: tuple[tuple[str, int], ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was left out by kind, a sentence each.

        Examples
        --------
        >>> counts = {"lacking": (("HEIC", 12), ("PDF", 3)), "others": ((".mov", 1),)}
        >>> for sentence in Gathered(Path(), "image", (), **counts).left_out:
        ...     print(sentence)
        12 HEIC, 3 PDF: install likewise[formats] to read them.
        1 other file is left out: 1 .mov.
        """
        said = []
        if self.lacking:
            kinds = counted(self.lacking)
            said.append(f"{kinds}: install likewise[formats] to read them.")
        if self.others:
            n = sum(number for _, number in self.others)
            files = "other file is" if n == 1 else "other files are"
            said.append(f"{n:,} {files} left out: {counted(self.others)}.")
        return tuple(said)


# Rows


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


def differing(left: Mapping[str, str], right: Mapping[str, str]) -> dict[str, bool]:
    """Return the columns of a row, and whether another row differs in them.

    Those that differ most come first: numbers by their share of the larger one, words
    wholly or not at all.

    Examples
    --------
    >>> differing({"leaf": "oak", "cm": "8"}, {"leaf": "oak", "cm": "9"})
    {'cm': True, 'leaf': False}
    """
    gaps = {name: _gap(value, right.get(name, "")) for name, value in left.items()}
    order = sorted(gaps, key=lambda name: -gaps[name])[:MANY_COLUMNS]
    return {name: gaps[name] > 0 for name in order}


def _gap(left: str, right: str) -> float:
    try:
        a, b = float(left), float(right)
    except ValueError:
        return float(left != right)
    gap = abs(a - b) / max(abs(a), abs(b), 1e-12)
    return gap if isfinite(gap) else float(left != right)


def nothing_shown(n: int) -> Lazy[Card]:
    """Return what rows show whose features lie elsewhere: nothing of their own."""
    return Lazy(n, lambda start, stop: ({} for _ in range(start, stop)))


def contents_of(X: Samples) -> Iterator[bytes]:
    """Yield the bytes of each row, as double precision."""
    for start in range(0, X.shape[0], AT_ONCE):
        some = X[start : start + AT_ONCE].astype("float64")
        # Rows of a memory map are memory maps, which take long to make.
        yield from map(bytes, some if sp.issparse(some) else some.view(np.ndarray))


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
        self._places: Sequence[int] = range(len(shown))
        self._copies: Mapping[int, Sequence[int]] = {}

    def traces(self) -> Iterator[Trace]:
        """Yield what tells each from others; what it shows is not made."""
        return (
            Trace(str(at + 1), self._digest(at), copies=self._copies_of(at))
            for at in self._places
        )

    def without(
        self, places: Sequence[int], copies: Mapping[int, Sequence[int]]
    ) -> RowItems:
        """Return some of these rows, the first of each, with what their copies are."""
        fewer = copy(self)
        fewer._n, fewer._made = len(places), fewer._items
        fewer._places, fewer._copies = places, copies
        return fewer

    def _items(self, start: int, stop: int) -> Iterator[Item]:
        places = self._places[start:stop]
        is_all = isinstance(places, range)
        cards = (
            self._shown[start:stop] if is_all else map(self._shown.__getitem__, places)
        )
        for at, card in zip(places, cards, strict=True):
            copies = self._copies_of(at)
            yield Item(str(at + 1), self._kind, self._digest(at), card, copies=copies)

    def _copies_of(self, at: int) -> tuple[str, ...]:
        copies = self._copies.get(at)
        return () if copies is None else tuple(str(one + 1) for one in copies)

    def _digest(self, at: int) -> str:
        return self._digests[at * WIDTH : (at + 1) * WIDTH].hex()


def traces_of(items: Sequence[Item]) -> Iterator[Trace]:
    """Yield what tells each item from others."""
    if isinstance(items, RowItems):
        return items.traces()
    return (Trace(item.key, item.digest, copies=item.copies) for item in items)


# Words for people


def printable(words: str) -> str:
    r"""Return words as UTF-8 can write them, without what moves a cursor.

    Examples
    --------
    >>> printable("\udcff.png"), printable("two\nlines")
    ('?.png', 'two?lines')
    """
    plain = "".join("?" if unicodedata.category(c) == "Cc" else c for c in words)
    return plain.encode("utf-8", "replace").decode()


def counted(numbers: Iterable[tuple[str, int]]) -> str:
    """Return how many there are of each.

    Examples
    --------
    >>> counted([(".mov", 3), (".docx", 2)])
    '3 .mov, 2 .docx'
    """
    listed = list(numbers)
    more = sum(number for _, number in listed[N_KINDS:])
    said = [f"{number:,} {what}" for what, number in listed[:N_KINDS]]
    return ", ".join([*said, *([f"{more:,} more"] if more else [])])


def decoded(content: bytes) -> str:
    r"""Return a text: UTF-8, UTF-16 with its mark, or else as Windows writes it.

    Examples
    --------
    >>> decoded("Äpfel".encode()), decoded("Äpfel".encode("cp1252"))
    ('Äpfel', 'Äpfel')
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        with suppress(UnicodeDecodeError):
            return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def size_in_words(n_bytes: int) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> size_in_words(0), size_in_words(15_300), size_in_words(200_000_000)
    ('0 bytes', '15.3 kB', '200 MB')
    """
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.3g} {unit}"
    return f"{n_bytes} bytes"

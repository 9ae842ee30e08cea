"""What lies behind a path, as items: each file is opened, read and hashed once."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from likewise._regime import EXACT_SEARCH
from likewise.encoders import MAX_PICTURE_BYTES, Kind, open_ordinary
from likewise.errors import InputError, UnreadableFileError
from likewise.items._formats import Watch, place_of, unwatched
from likewise.items._item import (
    NAMES,
    Broken,
    Gathered,
    RowItems,
    columns_shown,
    contents_of,
    nothing_shown,
    printable,
    size_in_words,
)
from likewise.items._limits import mode_of, said_plainly
from likewise.items._tables import Reading, is_table, read_table, read_texts
from likewise.storage import Item

Visit = Callable[[Item, bytes], None]


def file_inside(root: Path, key: str) -> Path:
    """Return the file of a folder that a key means.

    Parameters
    ----------
    root : Path
        The folder.
    key : str
        A path relative to it, with ``/``.

    Raises
    ------
    UnreadableFileError
        It is not there, no ordinary file, or lies outside the folder: by ``..``, as an
        absolute path, or over a link.
    """
    name = _short(key)
    try:
        real = (root / key).resolve(strict=True)
        is_file = stat.S_ISREG(real.stat().st_mode)
    except (OSError, ValueError, RuntimeError) as error:
        raise UnreadableFileError(_absent(name, error)) from None
    if not real.is_relative_to(root.resolve()):
        raise UnreadableFileError(
            f"{name} leads out of the folder: copy the file into it."
        )
    if not is_file:
        raise UnreadableFileError(f"{name} is no ordinary file: leave it out.")
    return real


def _absent(name: str, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code == errno.ENAMETOOLONG:
        return f"{name} has a path that is too long to be read: move it up."
    if code == errno.ELOOP or isinstance(error, RuntimeError):
        return f"{name} is a link that leads in a circle: leave it out."
    if code == errno.EACCES:
        return f"{name} cannot be read (Permission denied): allow reading."
    return (
        f"{name} is not there any more: put it back, or look through the folder again."
    )


def keys_of(root: Path, refuse: Callable[[Broken], None]) -> Iterator[str]:
    """Yield what a folder and its subfolders hold, as keys, in no certain order.

    Hidden files and folders (``.name``) are passed over. Links to files and folders
    are named, links to folders are not followed. A subfolder that cannot be looked
    into is handed to `refuse`.
    """
    waiting = [""]  # however deep they lie: nothing calls itself
    while waiting:
        inside = waiting.pop()
        try:
            with os.scandir(root / inside) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    key = f"{inside}/{entry.name}" if inside else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(key)
                    else:
                        yield key
        except OSError as error:
            if not inside:
                raise InputError(
                    f"The folder {printable(str(root))} cannot be looked into "
                    f"({error.strerror}): name another one."
                ) from None
            refuse(Broken(printable(inside), _unseen(inside, error)))


def _unseen(inside: str, error: OSError) -> str:
    """Say why nothing of a subfolder is there."""
    name = _short(inside)
    if error.errno == errno.ENAMETOOLONG:
        return f"{name} lies too deep for its path to be read: move it up."
    return (
        f"{name} cannot be looked into ({error.strerror}), so nothing in it is there: "
        f"allow reading."
    )


def _short(key: str) -> str:
    """Return a key that a sentence can hold."""
    shown = printable(key)
    return shown if len(shown) <= N_SHOWN else f"…{shown[-N_SHOWN:]}"


def natural(key: str) -> tuple[tuple[str | int, ...], str]:
    """Return what to sort keys by, so that ``page 2`` comes before ``page 10``.

    Examples
    --------
    >>> sorted(["b/10.png", "b/9.png", "a.png"], key=natural)
    ['a.png', 'b/9.png', 'b/10.png']
    """
    pieces = re.split("([0-9]+)", key.casefold())
    return tuple(int(p) if at % 2 else p for at, p in enumerate(pieces)), key


MAX_BYTES: dict[Kind, int] = {"image": MAX_PICTURE_BYTES, "text": 5_000_000}
PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"}
ARRAYS = {".npy", ".npz"}
BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"II*\0", b"MM\0*")
N_SHOWN = 200  # characters of a long key that a sentence holds
N_BEGINNING = 16  # bytes of a file that tell a picture
FILES_A_LOOK = 10  # files after which it is said how far one is


def gather(
    path: str | Path,
    how: Reading | None = None,
    watch: Watch = unwatched,
    visit: Visit | None = None,
) -> Gathered:
    """Return what lies behind a path.

    Parameters
    ----------
    path : path
        A folder: its pictures if there are any (known by their content or their
        suffix, in subfolders too), else its ``.txt`` files. Or a file: ``.txt``, one
        text a line; a table or an array, as in `read_table`.
    how : Reading, optional
        How to read a table.
    watch : callable
        ``watch(done, total)`` is called now and then.
    visit : callable, optional
        ``visit(item, content)`` is called with each picture while its content is at
        hand, so that nobody opens the file again. It may refuse the picture by raising
        `UnreadableFileError`.

    Returns
    -------
    Gathered

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("10.txt", "9.txt"):
    ...         _ = (Path(folder) / name).write_text(f"This is {name}")
    ...     found = gather(folder)
    >>> [item.key for item in found.items], found.kind
    (['9.txt', '10.txt'], 'text')
    """
    path = Path(path)
    with said_plainly(path):
        is_folder = stat.S_ISDIR(mode_of(place_of(path)[0]))
    if is_folder:
        return _folder(path, watch, visit)
    is_text = path.suffix.lower() == ".txt" and path.is_file()
    if is_text and not is_table(path):
        return _lines(path)
    return _table(path, how or Reading(), watch)


@dataclass(slots=True)
class _Sorted:
    """Files of a folder by what they are; texts count until there is a picture."""

    kind: Kind | None = None
    items: list[Item] = field(default_factory=list)
    unusable: list[Broken] = field(default_factory=list)  # of that kind
    refused: list[Broken] = field(default_factory=list)  # whatever they are
    n_other: Counter[str] = field(default_factory=Counter)  # by their suffixes

    def takes(self, kind: Kind) -> bool:
        """Tell whether a file counts; after the first picture no text does."""
        if kind == "image" and self.kind != "image":
            self.kind, self.items, self.unusable = "image", [], []
        self.kind = self.kind or kind
        return kind == self.kind


def _folder(root: Path, watch: Watch, visit: Visit | None) -> Gathered:
    found = _Sorted()
    keys = sorted(keys_of(root, found.refused.append), key=natural)
    for done, key in enumerate(keys):
        if done % FILES_A_LOOK == 0:
            watch(done, len(keys))
        try:
            read = _read(root, key, found)
        except UnreadableFileError as error:
            found.refused.append(Broken(printable(key), printable(str(error))))
            continue
        if read is not None:
            _add(key, read, found, visit)
    broken = (*found.refused, *found.unusable)
    if found.kind is None:
        raise InputError(
            f"The folder {printable(str(root))} holds no pictures and no .txt files"
            f"{_counted(found.n_other)}: name another folder."
        )
    if not found.items:
        raise InputError(
            f"None of the {len(broken)} {NAMES[found.kind]} in "
            f"{printable(str(root))} can be read, the first because: "
            f"{broken[0].reason}"
        )
    return Gathered(root, found.kind, tuple(found.items), broken)


@contextmanager
def _opened(root: Path, key: str) -> Iterator[BinaryIO]:
    if not _is_utf_8(key):
        raise UnreadableFileError(
            f"{_short(key)} has a name that is not UTF-8: rename it."
        )
    path = file_inside(root, key)
    try:
        with open_ordinary(path) as file:
            yield file
    except OSError as error:
        raise UnreadableFileError(
            f"{_short(key)} cannot be read ({error.strerror}): check that it is there "
            f"and yours."
        ) from None


def _is_utf_8(key: str) -> bool:
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Content(NamedTuple):
    kind: Kind
    n_bytes: int
    content: bytes  # nothing of a file that is too large


def _read(root: Path, key: str, found: _Sorted) -> _Content | None:
    """Return what a file holds; None if it does not count.

    It is opened once, for its first bytes and for the others.
    """
    with _opened(root, key) as file:
        beginning = file.read(N_BEGINNING)
        kind = _kind(key, beginning)
        if kind is None:
            found.n_other[PurePosixPath(key).suffix.lower() or "without a suffix"] += 1
        if kind is None or not found.takes(kind):
            return None
        n_bytes = os.fstat(file.fileno()).st_size
        is_small = n_bytes <= MAX_BYTES[kind]
        return _Content(kind, n_bytes, beginning + file.read() if is_small else b"")


def _add(key: str, read: _Content, found: _Sorted, visit: Visit | None) -> None:
    try:
        item = _ITEMS[read.kind](key, _bounded(key, read))
        if visit is not None and read.kind == "image":
            visit(item, read.content)
        found.items.append(item)
    except UnreadableFileError as error:
        found.unusable.append(Broken(printable(key), printable(str(error))))


def _bounded(key: str, read: _Content) -> bytes:
    most = MAX_BYTES[read.kind]
    if read.n_bytes > most:
        raise UnreadableFileError(
            f"{key} has {size_in_words(read.n_bytes)}, more than the "
            f"{size_in_words(most)} that are read: give a smaller copy."
        )
    return read.content


def _kind(key: str, beginning: bytes) -> Kind | None:
    """Return what a file is, by its first bytes and then its suffix."""
    suffix = PurePosixPath(key).suffix.lower()
    if _looks_like_picture(beginning) or suffix in PICTURES:
        return "image"
    return "text" if suffix == ".txt" else None


def _looks_like_picture(beginning: bytes) -> bool:
    is_webp = beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP"
    is_bitmap = beginning[:2] == b"BM" and beginning[6:10] == bytes(4)
    return beginning.startswith(BEGINNINGS) or is_webp or is_bitmap


def _counted(n_other: Counter[str]) -> str:
    if not n_other:
        return ""
    counts = ", ".join(f"{n} {suffix}" for suffix, n in n_other.most_common())
    return f" (but {counts})"


def _picture(key: str, content: bytes) -> Item:
    return Item(key, "image", _digest(content), _card(key, content))


def _text(key: str, content: bytes) -> Item:
    try:
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise UnreadableFileError(
            f"{key} is not UTF-8 text: save it as such."
        ) from None
    if not text:
        raise UnreadableFileError(f"{key} is empty: write into it or leave it out.")
    if "\0" in text:
        raise UnreadableFileError(f"{key} holds a NUL, which is no text: leave it out.")
    shown = {**_card(key, content), "text": text}
    return Item(key, "text", _digest(content), shown)


_ITEMS: dict[Kind, Callable[[str, bytes], Item]] = {"image": _picture, "text": _text}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _card(key: str, content: bytes) -> dict[str, str]:
    return {"name": PurePosixPath(key).name, "size": size_in_words(len(content))}


def _lines(path: Path) -> Gathered:
    texts = read_texts(path)
    shown = columns_shown({"text": texts})
    return Gathered(path, "text", RowItems("text", shown, map(str.encode, texts)))


def _table(path: Path, how: Reading, watch: Watch) -> Gathered:
    table = read_table(path, how, watch)
    shown = table.shown
    if path.suffix.lower() in ARRAYS:
        if len(shown) > EXACT_SEARCH:  # their features are not written down twice
            shown = nothing_shown(len(shown))
        items = RowItems("row", shown, contents_of(table.X))
    else:
        items = RowItems("row", shown, (json.dumps(card).encode() for card in shown))
    return Gathered(path, "row", items, rows=table.X, how=table.how)

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
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from likewise._regime import EXACT_SEARCH
from likewise.encoders import (
    MAX_PAGES,
    MAX_PICTURE_BYTES,
    Form,
    Kind,
    can_open,
    form_of,
    open_ordinary,
    pages_apart,
)
from likewise.errors import InputError, UnreadableFileError
from likewise.items._cells import Watch, unwatched
from likewise.items._formats import place_of
from likewise.items._item import (
    NAMES,
    Broken,
    Gathered,
    RowItems,
    columns_shown,
    contents_of,
    counted,
    decoded,
    nothing_shown,
    printable,
    size_in_words,
)
from likewise.items._limits import mode_of, said_plainly
from likewise.items._seen import Mark, Seen
from likewise.items._tables import Reading, is_table, read_table, read_texts
from likewise.storage import Item

Visit = Callable[[Item, Callable[[], bytes]], None]


def file_inside(root: Path, key: str) -> Path:
    """Return the file of a folder that a key means.

    Parameters
    ----------
    root : Path
        The folder.
    key : str
        A path relative to it, with ``/``; of a page, behind it ``#`` and its number.

    Raises
    ------
    UnreadableFileError
        It is not there, no ordinary file, or lies outside the folder: by ``..``, as an
        absolute path, or over a link.
    """
    name = _short(key)
    try:
        real = (root / key_inside(root, key)).resolve(strict=True)
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


def key_inside(root: Path, key: str) -> str:
    """Return the key of the file that a key means: that of a page, or its own."""
    try:
        is_file = os.path.lexists(root / key)
    except ValueError:  # a NUL
        is_file = True
    return key if is_file else page_in(key)[0]


def page_in(key: str) -> tuple[str, int]:
    """Return the file that a key means, and the page of it; 1 where there is but one.

    Examples
    --------
    >>> page_in("scans/a.pdf#12"), page_in("scans/a#12.png")
    (('scans/a.pdf', 12), ('scans/a#12.png', 1))
    """
    found = PAGE.fullmatch(key)
    return (found["file"], int(found["page"])) if found else (key, 1)


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


PAGE = re.compile(r"(?P<file>.+)#(?P<page>[1-9][0-9]{0,5})", re.DOTALL)
MAX_BYTES: dict[Kind, int] = {"image": MAX_PICTURE_BYTES, "text": 5_000_000}
PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif"}
TEXTS = {".txt", ".md"}
ARRAYS = {".npy", ".npz"}
BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"II*\0", b"MM\0*")
N_SHOWN = 200  # characters of a long key that a sentence holds
N_BEGINNING = 16  # bytes of a file that tell a picture
N_SUFFIX = 16  # characters of a suffix that a sentence holds
FILES_A_LOOK = 10  # files after which it is said how far one is


def gather(
    path: str | Path,
    how: Reading | None = None,
    watch: Watch = unwatched,
    visit: Visit | None = None,
    seen: Seen | None = None,
) -> Gathered:
    """Return what lies behind a path.

    Parameters
    ----------
    path : path
        A folder: its pictures if there are any (known by their content or their
        suffix, in subfolders too; the pages of PDFs are pictures, where
        ``likewise[formats]`` is installed), else its ``.txt`` and ``.md`` files. Or a
        file: ``.txt``, one text a line; a table or an array, as in `read_table`.
    how : Reading, optional
        How to read a table.
    watch : callable
        ``watch(done, total)`` is called now and then.
    visit : callable, optional
        ``visit(item, content)`` is called with each picture, and ``content()`` returns
        what it holds: while it is at hand, so that nobody opens the file again. It may
        refuse the picture by raising `UnreadableFileError`.
    seen : Seen, optional
        What pictures held before; those that are as they were are not read.

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
        return _folder(path, watch, visit, seen)
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
    n_lacking: Counter[Form] = field(default_factory=Counter)  # by their forms

    def takes(self, kind: Kind) -> bool:
        """Tell whether a file counts; after the first picture no text does."""
        if kind == "image" and self.kind != "image":
            self.n_other.update(_suffix(item.key) for item in self.items)
            self.n_other.update(_suffix(one.key) for one in self.unusable)
            self.kind, self.items, self.unusable = "image", [], []
        self.kind = self.kind or kind
        return kind == self.kind


def _folder(
    root: Path, watch: Watch, visit: Visit | None, seen: Seen | None
) -> Gathered:
    found = _Sorted()
    keys = sorted(keys_of(root, found.refused.append), key=natural)
    for done, key in enumerate(keys):
        if done % FILES_A_LOOK == 0:
            watch(done, len(keys))
        mark = None if seen is None else seen.mark(key)
        digest = None if seen is None else seen.digest(key, mark)
        if mark is not None and digest is not None and found.takes("image"):
            item = Item(key, "image", digest, _card(key, mark[0]))
            _list(item, partial(_content_of, root, key), found, visit)
        else:
            _read_and_add(root, key, found, visit)
        if seen is not None:
            _note(found, key, mark, seen)
    if seen is not None:
        seen.keep()
    broken = (*found.refused, *found.unusable)
    if found.kind is None:
        raise _nothing(root, found)
    if not found.items:
        raise InputError(
            f"None of the {len(broken)} {NAMES[found.kind]} in "
            f"{printable(str(root))} can be read, the first because: "
            f"{broken[0].reason}"
        )
    others, lacking = found.n_other.most_common(), found.n_lacking.most_common()
    return Gathered(
        root,
        found.kind,
        tuple(found.items),
        broken,
        lacking=tuple(lacking),
        others=tuple(others),
    )


def _nothing(root: Path, found: _Sorted) -> InputError:
    name = printable(str(root))
    if found.n_lacking:
        return InputError(
            f"The folder {name} holds {counted(found.n_lacking.most_common())} files, "
            f"which cannot be read yet: run `pip install 'likewise[formats]'`."
        )
    but = f" (but {counted(found.n_other.most_common())})" if found.n_other else ""
    return InputError(
        f"The folder {name} holds no pictures and no .txt files{but}: name another "
        f"folder."
    )


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
    has_pages: bool


def _read(root: Path, key: str, found: _Sorted) -> _Content | None:
    """Return what a file holds; None if it does not count.

    It is opened once, for its first bytes and for the others.
    """
    with _opened(root, key) as file:
        beginning = file.read(N_BEGINNING)
        form = form_of(key, beginning)
        if form is not None and not can_open(form):
            found.n_lacking[form] += 1
            return None
        kind = "image" if form is not None else _kind(key, beginning)
        if kind is None or not found.takes(kind):
            found.n_other[_suffix(key)] += 1
            return None
        n_bytes = os.fstat(file.fileno()).st_size
        is_small = n_bytes <= MAX_BYTES[kind]
        content = beginning + file.read() if is_small else b""
        return _Content(kind, n_bytes, content, form == "PDF")


def _read_and_add(root: Path, key: str, found: _Sorted, visit: Visit | None) -> None:
    try:
        read = _read(root, key, found)
    except UnreadableFileError as error:
        found.refused.append(Broken(printable(key), printable(str(error))))
        return
    if read is not None:
        _add(key, read, found, visit)


def _content_of(root: Path, key: str) -> bytes:
    with _opened(root, key) as file:
        return file.read()


def _note(found: _Sorted, key: str, mark: Mark | None, seen: Seen) -> None:
    """Note a file that has become an item of its own, a picture."""
    last = found.items[-1] if found.items else None
    if last is not None and last.key == key and last.kind == "image":
        seen.note(key, mark, last.digest)


def _add(key: str, read: _Content, found: _Sorted, visit: Visit | None) -> None:
    with _listed(key, found):
        content = _bounded(key, read)
        pages = _pages(key, content, found) if read.has_pages else (None,)
        for page in pages:
            if page is None:
                item = _ITEMS[read.kind](key, content)
            else:
                item = _page(key, content, page)
            _list(item, partial(_at_hand, content), found, visit)


def _at_hand(content: bytes) -> bytes:
    return content


def _list(
    item: Item, content: Callable[[], bytes], found: _Sorted, visit: Visit | None
) -> None:
    with _listed(item.key, found):
        if visit is not None and item.kind == "image":
            visit(item, content)
        found.items.append(item)


@contextmanager
def _listed(key: str, found: _Sorted) -> Iterator[None]:
    """List what cannot be read."""
    try:
        yield
    except UnreadableFileError as error:
        found.unusable.append(Broken(printable(key), printable(str(error))))


def _pages(key: str, content: bytes, found: _Sorted) -> range:
    """Return the numbers of the pages of a PDF that are read."""
    n_pages = pages_apart(content, key)
    if n_pages > MAX_PAGES:
        reason = (
            f"{_short(key)} has {n_pages:,} pages, of which the first {MAX_PAGES} are "
            f"read: cut it into several files."
        )
        found.unusable.append(Broken(printable(key), reason))
    return range(1, min(n_pages, MAX_PAGES) + 1)


def _page(key: str, content: bytes, page: int) -> Item:
    digest = _digest(f"{_digest(content)} {page}".encode())
    card = {"name": f"{PurePosixPath(key).name}, page {page}"}
    return Item(f"{key}#{page}", "image", digest, card)


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
    return "text" if suffix in TEXTS else None


def _suffix(key: str) -> str:
    return printable(PurePosixPath(key).suffix.lower())[:N_SUFFIX] or "without a suffix"


def _looks_like_picture(beginning: bytes) -> bool:
    is_webp = beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP"
    is_bitmap = beginning[:2] == b"BM" and beginning[6:10] == bytes(4)
    return beginning.startswith(BEGINNINGS) or is_webp or is_bitmap


def _picture(key: str, content: bytes) -> Item:
    return Item(key, "image", _digest(content), _card(key, len(content)))


def _text(key: str, content: bytes) -> Item:
    text = decoded(content).strip()
    if not text:
        raise UnreadableFileError(f"{key} is empty: write into it or leave it out.")
    if "\0" in text:
        raise UnreadableFileError(f"{key} holds a NUL, which is no text: leave it out.")
    shown = {**_card(key, len(content)), "text": text}
    return Item(key, "text", _digest(content), shown)


_ITEMS: dict[Kind, Callable[[str, bytes], Item]] = {"image": _picture, "text": _text}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _card(key: str, n_bytes: int) -> dict[str, str]:
    return {"name": PurePosixPath(key).name, "size": size_in_words(n_bytes)}


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

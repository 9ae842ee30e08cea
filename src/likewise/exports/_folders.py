"""Names for files and folders that every file system takes."""

from __future__ import annotations

import io
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from likewise.errors import InputError, StorageError, UnreadableFileError
from likewise.exports._rows import Row
from likewise.items import file_inside, key_inside
from likewise.knowledge import valid_text

MAX_BYTES = 150  # file systems end at 255, Windows at 260 for a whole path
MAX_SUFFIX = 16
AT_ONCE = 1 << 20  # bytes of a file that are read together
SEPARATORS = re.compile(r'[<>:"/\\|?*]')
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)", re.I)


def safe_name(name: str) -> str:
    r"""Return a name that is one part of a path, on any system.

    Separators and what cannot be printed become ``_``; so does a leading dot, which
    would hide the file. Long names are cut before their suffix.

    Examples
    --------
    >>> safe_name("../x"), safe_name("con"), safe_name("oak\n?"), safe_name("")
    ('_._x', '_con', 'oak__', '_')
    """
    text = unicodedata.normalize("NFC", name)
    text = "".join(sign if sign.isprintable() else "_" for sign in text)
    text = SEPARATORS.sub("_", text).strip().rstrip(". ")
    if text.startswith("."):
        text = "_" + text[1:]
    if RESERVED.match(text):
        text = "_" + text
    return _shortened(text) or "_"


class Names:
    """Names that were given out in one folder; none is given twice.

    Examples
    --------
    >>> names = Names()
    >>> names.new("leaf.png"), names.new("Leaf.png"), names.new("leaf.png")
    ('leaf.png', 'Leaf (2).png', 'leaf (3).png')
    """

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._latest: dict[str, int] = {}

    def new(self, name: str) -> str:
        """Return a name, with a number where it is taken already."""
        wanted = safe_name(name)
        stem, suffix = _parts(wanted)
        found, number = wanted, self._latest.get(wanted.casefold(), 1)
        while found.casefold() in self._given:
            number += 1
            found = f"{stem} ({number}){suffix}"
        self._latest[wanted.casefold()] = number
        self._given.add(found.casefold())
        return found


def _shortened(name: str) -> str:
    stem, suffix = _parts(name)
    room = MAX_BYTES - len(suffix.encode())
    if len(stem.encode()) <= room:
        return name
    return stem.encode()[:room].decode(errors="ignore").rstrip(". ") + suffix


def _parts(name: str) -> tuple[str, str]:
    suffix = PurePosixPath(name).suffix
    is_suffix = suffix and len(suffix.encode()) <= MAX_SUFFIX
    return (name.removesuffix(suffix), suffix) if is_suffix else (name, "")


Watch: TypeAlias = Callable[[int, str], None]


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as original, target.open("xb") as copy:
        shutil.copyfileobj(original, copy)
    shutil.copystat(source, target)


HOW: dict[str, Callable[[Path, Path], None]] = {
    "copy": _copy,
    "hardlink": lambda source, target: target.hardlink_to(source),
    "symlink": lambda source, target: target.symlink_to(source),
}


@dataclass(frozen=True, slots=True)
class Written:
    """What came of writing folders.

    Attributes
    ----------
    n_files : int
    missing : tuple of str
        Keys of items whose files are not there any more.
    """

    n_files: int
    missing: tuple[str, ...] = ()


def write_folders(
    rows: Iterable[Row],
    root: Path,
    target: Path,
    how: str = "copy",
    *,
    watch: Watch | None = None,
) -> Written:
    """Put the file of each item into a folder of its group.

    The folders are called after number and name of the groups, such as ``3 oak``;
    items that were deferred or set aside get folders of their own. The file of a page
    goes into each group that has one of its pages. Nothing is moved and nothing written
    over.

    Parameters
    ----------
    rows : iterable of Row
    root : Path
        The folder that the keys of the rows are relative to.
    target : Path
        A folder that is empty or not there yet, outside of `root`.
    how : {"copy", "hardlink", "symlink"}
    watch : callable, optional
        ``watch(done, key)`` is called after each file.

    Returns
    -------
    Written

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     root, target = Path(name) / "leaves", Path(name) / "sorted"
    ...     root.mkdir()
    ...     _ = (root / "a.txt").write_text("an oak leaf")
    ...     row = Row(0, "a.txt", 3, "oak", "guessed", 0.9)
    ...     done = write_folders([row], root, target)
    ...     (target / "3 oak" / "a.txt").read_text(), done.n_files
    ('an oak leaf', 1)
    """
    place = _placer(how)
    _check(root, target)
    missing: list[str] = []
    n_files = 0
    for row, source, wanted in _placed(rows, root, missing):
        _put(place, source, target / wanted)
        n_files += 1
        if watch is not None:
            watch(n_files, row.key)
    return Written(n_files, tuple(missing))


def _placed(
    rows: Iterable[Row], root: Path, missing: list[str]
) -> Iterator[tuple[Row, Path, str]]:
    """Yield the file of each row, and where it goes; note those that are not there."""
    names: dict[str, Names] = {}
    put: set[tuple[str, str]] = set()  # files with several pages are put once
    for row in rows:
        try:
            source = file_inside(root, row.key)
        except UnreadableFileError:
            missing.append(row.key)
            continue
        folder, key = folder_of(row), key_inside(root, row.key)
        if (folder, key) in put:
            continue
        put.add((folder, key))
        wanted = names.setdefault(folder, Names()).new(PurePosixPath(key).name)
        yield row, source, f"{folder}/{wanted}"


def zip_chunks(rows: Iterable[Row], root: Path) -> Iterator[bytes]:
    """Return the same folders as a zip file, piece by piece.

    Files that are not there any more are listed in ``missing.txt``.

    Parameters
    ----------
    rows : iterable of Row
    root : Path
        The folder that the keys of the rows are relative to.

    Examples
    --------
    >>> from io import BytesIO
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     _ = (Path(name) / "a.txt").write_text("an oak leaf")
    ...     rows = [Row(0, "a.txt", 3, "oak", "guessed", 0.9)]
    ...     packed = b"".join(zip_chunks(rows, Path(name)))
    >>> ZipFile(BytesIO(packed)).read("3 oak/a.txt")
    b'an oak leaf'
    """
    if not root.is_dir():
        raise _no_files(root)

    def pieces() -> Iterator[bytes]:
        pipe, missing = Pipe(), list[str]()
        with ZipFile(pipe, "w", ZIP_STORED) as packed:
            for _, source, wanted in _placed(rows, root, missing):
                yield from _packed(packed, pipe, source, wanted)
            if missing:
                packed.writestr("missing.txt", "\n".join(map(valid_text, missing)))
        yield pipe.taken()

    return pieces()


def _packed(packed: ZipFile, pipe: Pipe, source: Path, name: str) -> Iterator[bytes]:
    """Put a file into a zip, and yield what of the zip is written by then."""
    about = ZipInfo(name)
    about.external_attr = 0o600 << 16
    with source.open("rb") as original, packed.open(about, "w", force_zip64=True) as to:
        while some := original.read(AT_ONCE):
            to.write(some)
            yield pipe.taken()
    yield pipe.taken()


class Pipe(io.RawIOBase):
    """A file that is read while it is written, and keeps only what is in between."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._position += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        whole = b"".join(self._pieces)
        self._pieces.clear()
        return whole


def folder_of(row: Row) -> str:
    """Return the name of the folder that an item goes into.

    Examples
    --------
    >>> folder_of(Row(0, "a.png", 3, "oak/elm", "guessed", 0.9))
    '3 oak_elm'
    """
    if row.group is None or row.status in ("deferred", "aside"):
        return row.status
    return safe_name(f"{row.group} {row.name}")


def _placer(how: str) -> Callable[[Path, Path], None]:
    if how not in HOW:
        raise InputError(f"Files cannot be put by {how!r}: use {', '.join(HOW)}.")
    return HOW[how]


def _no_files(root: Path) -> InputError:
    return InputError(
        f"The items of {root.name} are no files, so there is nothing to put into "
        f"folders: export a table instead."
    )


def _check(root: Path, target: Path) -> None:
    if not root.is_dir():
        raise _no_files(root)
    if target.resolve().is_relative_to(root.resolve()):
        raise InputError(
            f"{target} is inside of the folder that is being sorted, which stays as it "
            f"is: name a folder elsewhere."
        )
    try:
        is_free = not target.exists() or not any(target.iterdir())
    except NotADirectoryError:
        is_free = False
    if not is_free:
        raise InputError(
            f"{target} is not empty, and nothing is written over: name a new folder."
        )


def _put(place: Callable[[Path, Path], None], source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        place(source, target)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise StorageError(
            f"{target} cannot be written ({why}): make room, or try another folder or "
            f"another way (copy, hardlink or symlink)."
        ) from None

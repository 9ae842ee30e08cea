"""Files of a folder, without ever leaving it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from likewise._regime import EXACT_SEARCH
from likewise.encoders import MAX_PICTURE_BYTES, Kind
from likewise.errors import InputError, UnreadableFileError
from likewise.items._files import Reading, Watch, read_pile, unwatched
from likewise.items._item import NAMES, Broken, Gathered, Item
from likewise.items._rows import (
    RowItems,
    columns_shown,
    contents_of,
    nothing_shown,
)


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
    try:
        real = (root / key).resolve(strict=True)
        is_file = stat.S_ISREG(real.stat().st_mode)
    except (OSError, ValueError, RuntimeError):
        raise UnreadableFileError(
            f"{key} is not there any more: put it back, or look through the folder "
            f"again."
        ) from None
    if not real.is_relative_to(root.resolve()):
        raise UnreadableFileError(
            f"{key} leads out of the folder: copy the file into it."
        )
    if not is_file:
        raise UnreadableFileError(f"{key} is no ordinary file: leave it out.")
    return real


def keys_of(root: Path) -> Iterator[str]:
    """Yield what a folder and its subfolders hold, as keys, in no certain order.

    Hidden files and folders (``.name``) are passed over. Links to files and folders
    are named, links to folders are not followed.
    """
    for folder, subfolders, files in os.walk(root, followlinks=False):
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        inside = Path(folder).relative_to(root)
        links = [name for name in subfolders if (Path(folder) / name).is_symlink()]
        for name in (*files, *links):
            if not name.startswith("."):
                yield (inside / name).as_posix()


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
CHUNK = 1 << 20
FILES_A_LOOK = 100  # files after which it is said how far one is


def gather(
    path: str | Path, how: Reading | None = None, watch: Watch = unwatched
) -> Gathered:
    """Return what lies behind a path.

    Parameters
    ----------
    path : path
        A folder: its pictures if there are any (known by their content or their
        suffix, in subfolders too), else its ``.txt`` files. Or a file: ``.txt``, one
        text a line; a table (``.csv``, ``.tsv``, ``.parquet``); an array (``.npy``,
        ``.npz``).
    how : Reading, optional
        How to read a table.
    watch : callable
        ``watch(done, total)`` is called now and then.

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
    >>> [item.key for item in found.items], found.about
    (['9.txt', '10.txt'], '2 texts.')
    """
    path = Path(path)
    if path.is_dir():
        return _folder(path, watch)
    if path.suffix.lower() == ".txt" and path.is_file():
        return _lines(path)
    return _table(path, how or Reading(), watch)


def _folder(root: Path, watch: Watch) -> Gathered:
    kinds: dict[str, Kind | None] = {}
    broken: list[Broken] = []
    keys = sorted(keys_of(root), key=natural)
    total = 2 * len(keys)
    for key in _watched(keys, lambda done: watch(done, total)):
        try:
            kinds[key] = _kind(root, key)
        except UnreadableFileError as error:
            broken.append(Broken(_printable(key), str(error)))
    chosen = _chosen(kinds.values())
    if chosen is None:
        raise InputError(
            f"The folder {root} holds no pictures and no .txt files"
            f"{_counted(_other(kinds, None))}: name another folder."
        )
    items: list[Item] = []
    wanted = [key for key, kind in kinds.items() if kind == chosen]
    for key in _watched(wanted, lambda done: watch(len(keys) + done, total)):
        try:
            items.append(_ITEMS[chosen](root, key))
        except UnreadableFileError as error:
            broken.append(Broken(key, str(error)))
    if not items:
        raise InputError(
            f"None of the {len(broken)} {NAMES[chosen]} in {root} can be read, the "
            f"first because: {broken[0].reason}"
        )
    return Gathered(root, chosen, tuple(items), tuple(broken), _other(kinds, chosen))


def _watched(keys: list[str], watch: Callable[[int], None]) -> Iterator[str]:
    for done, key in enumerate(keys):
        if done % FILES_A_LOOK == 0:
            watch(done)
        yield key


def _kind(root: Path, key: str) -> Kind | None:
    """Return what a file is, by its first bytes and then its suffix."""
    if key != _printable(key):
        raise UnreadableFileError(
            f"{_printable(key)} has a name that is not UTF-8: rename it."
        )
    path = file_inside(root, key)
    try:
        with path.open("rb") as file:
            beginning = file.read(16)
    except OSError as error:
        raise _not_read(key, error) from None
    suffix = PurePosixPath(key).suffix.lower()
    if _looks_like_picture(beginning) or suffix in PICTURES:
        return "image"
    return "text" if suffix == ".txt" else None


def _looks_like_picture(beginning: bytes) -> bool:
    is_webp = beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP"
    is_bitmap = beginning[:2] == b"BM" and beginning[6:10] == bytes(4)
    return beginning.startswith(BEGINNINGS) or is_webp or is_bitmap


def _chosen(kinds: Iterable[Kind | None]) -> Kind | None:
    found = set(kinds)
    return "image" if "image" in found else "text" if "text" in found else None


def _other(kinds: dict[str, Kind | None], chosen: Kind | None) -> dict[str, int]:
    suffixes = [
        PurePosixPath(key).suffix.lower() or "without a suffix"
        for key, kind in kinds.items()
        if kind is None or kind != chosen
    ]
    return dict(Counter(suffixes).most_common())


def _counted(skipped: dict[str, int]) -> str:
    if not skipped:
        return ""
    return f" (but {', '.join(f'{n} {suffix}' for suffix, n in skipped.items())})"


def _picture(root: Path, key: str) -> Item:
    path = file_inside(root, key)
    n_bytes = _bounded_size(path, key, "image")
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise _not_read(key, error) from None
    shown = {"name": PurePosixPath(key).name, "size": size_in_words(n_bytes)}
    return Item(key, "image", digest.hexdigest(), shown)


def _text(root: Path, key: str) -> Item:
    path = file_inside(root, key)
    n_bytes = _bounded_size(path, key, "text")
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise UnreadableFileError(
            f"{key} is not UTF-8 text: save it as such."
        ) from None
    except OSError as error:
        raise _not_read(key, error) from None
    if not text:
        raise UnreadableFileError(f"{key} is empty: write into it or leave it out.")
    name, size = PurePosixPath(key).name, size_in_words(n_bytes)
    shown = {"name": name, "size": size, "text": text}
    return Item(key, "text", hashlib.sha256(content).hexdigest(), shown)


_ITEMS: dict[Kind, Callable[[Path, str], Item]] = {"image": _picture, "text": _text}


def _bounded_size(path: Path, key: str, kind: Kind) -> int:
    n_bytes = path.stat().st_size
    if n_bytes > MAX_BYTES[kind]:
        raise UnreadableFileError(
            f"{key} has {size_in_words(n_bytes)}, more than the "
            f"{size_in_words(MAX_BYTES[kind])} that are read: give a smaller copy."
        )
    return n_bytes


def _lines(path: Path) -> Gathered:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text: save it as UTF-8 and try again."
        ) from None
    texts = [line.strip() for line in lines if line.strip()]
    if not texts:
        raise InputError(f"{path.name} is empty: give one text a line.")
    shown = columns_shown({"text": texts})
    items = RowItems("text", shown, map(str.encode, texts))
    return Gathered(path, "text", items)


def _table(path: Path, how: Reading, watch: Watch) -> Gathered:
    pile = read_pile(path, how, watch)
    if path.suffix.lower() in ARRAYS:
        is_many = (
            len(pile.shown) > EXACT_SEARCH
        )  # their features are not written down twice
        shown = nothing_shown(len(pile.shown)) if is_many else pile.shown
        items = RowItems("row", shown, contents_of(pile.X))
    else:
        words = (json.dumps(shown).encode() for shown in pile.shown)
        items = RowItems("row", pile.shown, words)
    labels = None if pile.labels is None else tuple(pile.labels)
    return Gathered(path, "row", items, rows=pile.X, labels=labels)


def _printable(key: str) -> str:
    """Return a key as UTF-8 can write it."""
    return key.encode("utf-8", "replace").decode()


def _not_read(key: str, error: OSError) -> UnreadableFileError:
    return UnreadableFileError(
        f"{key} cannot be read ({error.strerror}): check that it is there and yours."
    )


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

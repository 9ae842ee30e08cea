"""Files of a folder, without ever leaving it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from likewise.errors import UnreadableFileError


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

"""Names for files and folders that every file system takes."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

MAX_BYTES = 150  # file systems end at 255, Windows at 260 for a whole path
MAX_SUFFIX = 16
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

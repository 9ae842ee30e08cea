"""What lies behind a path: items, and what of it cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from likewise._arrays import Samples
from likewise.encoders import Kind
from likewise.storage import Item

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
    """

    root: Path
    kind: Kind
    items: Sequence[Item]
    broken: tuple[Broken, ...] = ()
    rows: Samples | None = None

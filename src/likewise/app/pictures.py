"""Pictures for cards: small ones from a cache, large ones made when wanted."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident

from likewise.datasets.walk import file_inside
from likewise.encoders.pictures import thumbnail
from likewise.storage.base import Item

SMALL, LARGE = 480, 1600  # pixels along the longer edge


@dataclass(frozen=True, slots=True)
class Pictures:
    """Make pictures safe and small before they reach a browser.

    A browser never gets a file of the user's as it is: every picture is opened under
    the limits of :mod:`likewise.encoders.pictures` and packed anew, without EXIF.

    Parameters
    ----------
    root : Path
        The folder of the originals, which are only read.
    cache : Path
        Where small ones are kept, by content.
    """

    root: Path
    cache: Path

    def small(self, item: Item) -> bytes:
        """Return the picture on a card; from the cache even if its file is gone."""
        kept = self.cache / item.digest[:2] / f"{item.digest}-{SMALL}.jpg"
        if kept.exists():
            return kept.read_bytes()
        made = self._made(item, SMALL)
        if item.status == "changed":  # its file is another picture by now
            return made
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Two may make it at once, in this server or in another one.
        part = kept.with_suffix(f".{os.getpid()}-{get_ident()}.part")
        part.write_bytes(made)
        part.replace(kept)
        return made

    def large(self, item: Item) -> bytes:
        """Return the picture as large as a screen."""
        return self._made(item, LARGE)

    def _made(self, item: Item, edge: int) -> bytes:
        return thumbnail(file_inside(self.root, item.key), edge)

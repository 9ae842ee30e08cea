"""Pictures for cards: small ones from a cache, large ones made when wanted."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident

from likewise.encoders import thumbnail
from likewise.items import file_inside
from likewise.storage import Item

SMALL, LARGE = 480, 1600  # pixels along the longer edge


@dataclass(frozen=True, slots=True)
class Pictures:
    """Make pictures safe and small before they reach a browser.

    A browser never gets a file of the user's as it is: every picture is opened under
    the limits of :mod:`likewise.encoders._pictures` and packed anew, without EXIF.

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
        found = _kept(kept)
        if found:
            return found
        made = self._made(item, SMALL)
        if item.status != "changed":  # a changed file is another picture by now
            _keep(kept, made)
        return made

    def large(self, item: Item) -> bytes:
        """Return the picture as large as a screen."""
        return self._made(item, LARGE)

    def _made(self, item: Item, edge: int) -> bytes:
        return thumbnail(file_inside(self.root, item.key), edge)


def _kept(kept: Path) -> bytes | None:
    try:
        return kept.read_bytes()
    except OSError:
        return None


def _keep(kept: Path, made: bytes) -> None:
    """Keep a picture if that is possible: it can always be made again."""
    # Two may make it at once, in this server or in another one.
    part = kept.with_suffix(f".{os.getpid()}-{get_ident()}.part")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(made)
        part.replace(kept)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)

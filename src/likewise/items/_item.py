"""What lies behind a path: items, and what of it cannot be used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from likewise._arrays import Samples
from likewise.encoders import Kind

NAMES: dict[Kind, str] = {"image": "pictures", "text": "texts", "row": "rows"}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to sort.

    Attributes
    ----------
    key : str
        A path relative to the folder, with ``/``; or the number of a row, from 1.
    kind : {"image", "text", "row"}
    digest : str
        SHA-256 of the content, hexadecimal.
    shown : dict
        What a card shows: name and size of a file, a text, the columns of a row. Of an
        array with many rows nothing: their features are kept once, as vectors.
    """

    key: str
    kind: Kind
    digest: str
    shown: Mapping[str, str]


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
        Files in natural order (2 before 10), or rows in theirs.
    broken : tuple of Broken
        Files that were refused at first sight.
    skipped : dict
        How many other files there are, by their suffix.
    rows : ndarray of shape (n_items, n_features), or None
        The numbers of a table or an array.
    labels : tuple of str, or None
        The classes, where a column was named for them.
    """

    root: Path
    kind: Kind
    items: Sequence[Item]
    broken: tuple[Broken, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    rows: Samples | None = None
    labels: tuple[str, ...] | None = None

    def without(self, broken: Collection[Broken]) -> Gathered:
        """Return it less the items that turned out to be broken.

        The items are then those of the vectors that `encode` returned.
        """
        if not broken:
            return self
        bad = {one.key for one in broken}
        kept = [at for at, item in enumerate(self.items) if item.key not in bad]
        return replace(
            self,
            items=tuple(self.items[at] for at in kept),
            broken=(*self.broken, *broken),
            rows=None if self.rows is None else self.rows[kept],
            labels=self.labels and tuple(self.labels[at] for at in kept),
        )

    @property
    def about(self) -> str:
        """One sentence: how much there is, and what was left out."""
        parts = [f"{len(self.items):,} {NAMES[self.kind]}"]
        if self.broken:
            parts.append(f"{len(self.broken):,} that cannot be read")
        if self.skipped:
            counts = ", ".join(f"{n:,} {suffix}" for suffix, n in self.skipped.items())
            parts.append(f"left out as other files: {counts}")
        return "; ".join(parts) + "."

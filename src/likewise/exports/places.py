"""From what a file calls an item to its sample number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from likewise.exports.rows import traces_of
from likewise.exports.tables import unguarded
from likewise.storage.base import Project


@dataclass(frozen=True, slots=True)
class Places:
    """The sample numbers of a project's items, by their keys.

    Attributes
    ----------
    positions : mapping of str to int
    is_numbered : bool
        Whether keys are numbers themselves, as those of the rows of a table are.

    Examples
    --------
    >>> places = Places({"a.png": 0, "b.png": 1}, is_numbered=False)
    >>> places.find("b.png"), places.find("1"), places.find("2")
    (1, 1, None)
    """

    positions: Mapping[str, int]
    is_numbered: bool

    def find(self, key: str) -> int | None:
        """Return the item of a key, or else of a sample number, or None."""
        found = self.positions.get(key, self.positions.get(unguarded(key)))
        if found is not None or self.is_numbered or not key.isdecimal():
            return found
        return int(key) if len(key) < 19 and int(key) < len(self) else None  # noqa: PLR2004 - more digits than any count has

    def __len__(self) -> int:
        return len(self.positions)


def places_of(project: Project) -> Places:
    """Return the places of a project's items."""
    positions = {item.key: at for at, item in enumerate(traces_of(project))}
    return Places(positions, any(key.isdecimal() for key in positions))

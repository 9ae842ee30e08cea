"""Items that were looked at lately, kept at hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from likewise.storage import Item, Project

MANY = 20_000  # items that are kept


class Hand:
    """Reads the items of a page at once, and none of them twice in a row.

    Items stay as they are while a desk is open. Every method may be called from any
    thread.

    Parameters
    ----------
    project : Project

    Examples
    --------
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> _ = project.add_items([Item("a.png", "image"), Item("b.png", "image")])
    >>> [item.key for item in Hand(project).items([1, 0, 1])]
    ['b.png', 'a.png', 'b.png']
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._kept: OrderedDict[int, Item] = OrderedDict()
        self._lock = Lock()

    def items(self, positions: Sequence[int]) -> list[Item]:
        """Return the items at some positions, in that order."""
        with self._lock:
            missing = [at for at in positions if at not in self._kept]
            if missing:
                self._kept.update(self._project.items_at(missing))
            for at in positions:
                self._kept.move_to_end(at)
            found = [self._kept[at] for at in positions]
            while len(self._kept) > MANY:
                self._kept.popitem(last=False)
            return found

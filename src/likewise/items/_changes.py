"""What has become of a pile since it was gathered before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from likewise.items._item import Gathered
from likewise.items._tables import traces_of
from likewise.storage import Item


class Known(Protocol):
    """Anything that has the key and the digest of an item."""

    @property
    def key(self) -> str: ...

    @property
    def digest(self) -> str: ...


class Changes(NamedTuple):
    """What is new, what is gone, and what goes by another key now.

    Attributes
    ----------
    new : tuple of Item
    gone : tuple
        Of the items before.
    moved : tuple of pairs
        The item before, and the item now: the same content.
    """

    new: tuple[Item, ...]
    gone: tuple[Known, ...]
    moved: tuple[tuple[Known, Item], ...]


def new_and_gone(before: Sequence[Known], gathered: Gathered) -> Changes:
    """Compare the items of before with those of now.

    A file of which the name and the content are both other is a new one. A file whose
    content has changed under the same name is in both lists: what was said of the old
    picture need not be true of the new one.

    Parameters
    ----------
    before : sequence of Item, or of anything with a key and a digest
    gathered : Gathered

    Returns
    -------
    Changes

    Examples
    --------
    >>> from pathlib import Path
    >>> old = Item("a.png", "image", "11", {})
    >>> now = (Item("b/a.png", "image", "11", {}), Item("c.png", "image", "22", {}))
    >>> new, gone, moved = new_and_gone([old], Gathered(Path(), "image", now))
    >>> [item.key for item in new], gone, moved[0][1].key
    (['c.png'], (), 'b/a.png')
    """
    items = gathered.items
    there = set(traces_of(items))
    seen = {(item.key, item.digest) for item in before}
    missing = [item for item in before if (item.key, item.digest) not in there]
    fresh = [
        items[at] for at, trace in enumerate(traces_of(items)) if trace not in seen
    ]
    homeless: dict[str, list[Known]] = defaultdict(list)
    for item in reversed(missing):
        homeless[item.digest].append(item)
    moved = [(homeless[i.digest].pop(), i) for i in fresh if homeless[i.digest]]
    old, now = {known.key for known, _ in moved}, {item.key for _, item in moved}
    return Changes(
        new=tuple(item for item in fresh if item.key not in now),
        gone=tuple(item for item in missing if item.key not in old),
        moved=tuple(moved),
    )

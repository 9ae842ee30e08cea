"""What has become of a pile since it was gathered before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from likewise.items._item import Gathered, traces_of
from likewise.storage import Item, Trace


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


class Difference(NamedTuple):
    """How far what is there now is what was there before.

    Attributes
    ----------
    n_here : int
        Items of before that were there when it was last looked.
    n_lost : int
        Those of them that are gone or changed now.
    n_shared : int
        Items of now that were known before, by their content.

    Examples
    --------
    >>> Difference(n_here=10, n_lost=6, n_shared=4).is_much
    True
    >>> Difference(n_here=10, n_lost=10, n_shared=0).is_all
    True
    """

    n_here: int
    n_lost: int
    n_shared: int

    @property
    def is_much(self) -> bool:
        """Whether more than half of the items would be given up."""
        return 2 * self.n_lost > self.n_here

    @property
    def is_all(self) -> bool:
        """Whether nothing is as it was."""
        return not self.n_shared


def difference(
    before: Sequence[Trace], gathered: Gathered, changes: Changes
) -> Difference:
    """Return how far what is there now is what was there before.

    Parameters
    ----------
    before : sequence of Trace
    gathered : Gathered
    changes : Changes
        From one to the other.
    """
    gone = {item.key for item in changes.gone}
    here = [item.key for item in before if item.status == "here"]
    n_lost = sum(key in gone for key in here)
    return Difference(len(here), n_lost, len(gathered.items) - len(changes.new))


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

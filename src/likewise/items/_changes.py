"""What has become of a pile since it was gathered before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from likewise.items._item import Gathered, traces_of
from likewise.storage import Item, Trace


class Known(Protocol):
    """Anything that has the key and the digest of an item."""

    @property
    def key(self) -> str: ...

    @property
    def digest(self) -> str: ...

    @property
    def copies(self) -> tuple[str, ...]: ...


class Changes(NamedTuple):
    """What is new, what is gone, and what goes by another key now.

    Attributes
    ----------
    new : tuple of Item
    gone : tuple
        Of the items before.
    moved : tuple of pairs
        The item before, and the item now: the same content.
    copies : mapping of str to tuple of str
        Copies of items before that are others now, by the keys that these have now.
    """

    new: tuple[Item, ...]
    gone: tuple[Known, ...]
    moved: tuple[tuple[Known, Item], ...]
    copies: Mapping[str, tuple[str, ...]]


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
    picture need not be true of the new one. A new file with the content of a known item
    is its copy, where what is alike was gathered as one; an item whose own file is gone
    goes by the key of a copy.

    Parameters
    ----------
    before : sequence of Item, or of anything with a key, a digest and copies
    gathered : Gathered

    Returns
    -------
    Changes

    Examples
    --------
    >>> from pathlib import Path
    >>> old = Item("a.png", "image", "11", {})
    >>> now = (Item("b/a.png", "image", "11", {}), Item("c.png", "image", "22", {}))
    >>> new, gone, moved, _ = new_and_gone([old], Gathered(Path(), "image", now))
    >>> [item.key for item in new], gone, moved[0][1].key
    (['c.png'], (), 'b/a.png')
    """
    found = _Comparison(before, gathered)
    for at, trace in enumerate(traces_of(gathered.items)):
        found.take(at, trace)
    old = {known.key for known, _ in found.moved}
    gone = tuple(item for item in found.missing if item.key not in old)
    return Changes(tuple(found.new), gone, tuple(found.moved), found.copies)


class _Comparison:
    """Items of now are taken one after the other, and matched with those of before."""

    def __init__(self, before: Sequence[Known], gathered: Gathered) -> None:
        self.new: list[Item] = []
        self.moved: list[tuple[Known, Item]] = []
        self.copies: dict[str, tuple[str, ...]] = {}
        self._items = gathered.items
        self._known = {(item.key, item.digest): item for item in before}
        there = {
            (key, trace.digest)
            for trace in traces_of(gathered.items)
            for key in (trace.key, *trace.copies)
        }
        self.missing = [item for item in before if (item.key, item.digest) not in there]
        self._homeless: dict[str, list[Known]] = defaultdict(list)
        for item in reversed(self.missing):
            self._homeless[item.digest].append(item)

    def take(self, at: int, trace: Trace) -> None:
        """Take one item of now, with its copies."""
        keys = (trace.key, *trace.copies)
        owners = {
            key: self._known[key, trace.digest]
            for key in keys
            if (key, trace.digest) in self._known
        }
        free = [key for key in keys if key not in owners]
        homeless = self._homeless.get(trace.digest, [])
        while free and homeless:
            owners[free[0]] = homeless.pop()
            moved = replace(self._items[at], key=free[0])
            self.moved.append((owners[free.pop(0)], moved))
        if not owners:
            self.new.append(self._items[at])
            return
        for key, known in owners.items():
            copies, free = tuple(free), []
            if copies != known.copies:
                self.copies[key] = copies

"""What is there more than once: one item, with the keys of its copies."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from likewise.items._item import Gathered, RowItems
from likewise.storage import Item


class Alike(NamedTuple):
    """Which of many things are the same.

    Attributes
    ----------
    firsts : list of int
        The place of the first of each, in order.
    copies : mapping of int to list of int
        By such a place, those of the others; nothing for what is there once.
    """

    firsts: list[int]
    copies: Mapping[int, list[int]]


def alike(marks: Iterable[Hashable]) -> Alike:
    """Find what is there more than once.

    Parameters
    ----------
    marks : iterable
        Of each thing, what is equal for equal things only: a digest, a text, a row of
        a table as a tuple.

    Returns
    -------
    Alike

    Examples
    --------
    >>> firsts, copies = alike(["oak", "elm", "oak", "fir", "oak"])
    >>> firsts, dict(copies)
    ([0, 1, 3], {0: [2, 4]})
    """
    first: dict[Hashable, int] = {}
    copies: dict[int, list[int]] = defaultdict(list)
    for at, mark in enumerate(marks):
        place = first.setdefault(mark, at)
        if place != at:
            copies[place].append(at)
    return Alike(list(first.values()), copies)


class Folded(NamedTuple):
    """What was gathered, with each content once.

    Attributes
    ----------
    gathered : Gathered
    places : sequence of int
        Where its items were before.
    """

    gathered: Gathered
    places: Sequence[int]


Fold = Callable[[Gathered], Folded]


def each_apart(gathered: Gathered) -> Folded:
    """Leave everything as it was found, as projects of earlier versions have it."""
    return Folded(gathered, range(len(gathered.items)))


def fold_files(gathered: Gathered) -> Folded:
    """Fold files and texts with the same content; rows of numbers stay as they are."""
    return each_apart(gathered) if gathered.kind == "row" else folded(gathered)


def folded(gathered: Gathered) -> Folded:
    """Make one item of everything that has the same content.

    The first stays, in order, and has the keys of the others as its copies. A text is
    known by its words from then on, not by the white space around them. For a table
    the rows that are the same in all that they show become one, and its numbers are
    those of the first of each.

    Parameters
    ----------
    gathered : Gathered
        Of files, of texts, or of the rows of a table.

    Returns
    -------
    Folded

    Examples
    --------
    >>> from pathlib import Path
    >>> items = [Item(f"{n}.png", "image", digest) for n, digest in enumerate("aba")]
    >>> found = folded(Gathered(Path(), "image", items))
    >>> [(item.key, item.copies) for item in found.gathered.items], found.places
    ([('0.png', ('2.png',)), ('1.png', ())], [0, 1])
    """
    items = gathered.items
    if isinstance(items, RowItems):
        places, copies = alike(trace.digest for trace in items.traces())
        kept: Sequence[Item] = items.without(places, copies) if copies else items
    else:
        marked = [_by_its_words(item) for item in items]
        places, copies = alike(item.digest for item in marked)
        kept = tuple(
            replace(marked[at], copies=tuple(items[copy].key for copy in copies[at]))
            if at in copies
            else marked[at]
            for at in places
        )
    rows = gathered.rows if gathered.rows is None else gathered.rows[places]
    return Folded(replace(gathered, items=kept, rows=rows), places)


def _by_its_words(item: Item) -> Item:
    if item.kind != "text":
        return item
    words = str(item.shown["text"]).encode()
    return replace(item, digest=hashlib.sha256(words).hexdigest())

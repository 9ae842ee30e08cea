"""What lies behind a path, as items: files, rows, arrays, and their vectors."""

from likewise.items._changes import Changes, new_and_gone
from likewise.items._encode import encode
from likewise.items._files import Pile, Reading, read_pile
from likewise.items._gather import file_inside, gather
from likewise.items._item import Broken, Gathered, Item
from likewise.items._rows import features_shown, traces_of

__all__ = [
    "Broken",
    "Changes",
    "Gathered",
    "Item",
    "Pile",
    "Reading",
    "encode",
    "features_shown",
    "file_inside",
    "gather",
    "new_and_gone",
    "read_pile",
    "traces_of",
]

"""What lies behind a path, as items: files, rows, arrays, and their vectors."""

from likewise.items._encode import LOOKING, Encoded, VectorCache, encode
from likewise.items._gather import file_inside, gather
from likewise.items._item import (
    Broken,
    Changes,
    Gathered,
    features_shown,
    new_and_gone,
    traces_of,
)
from likewise.items._tables import Reading, Table, read_table
from likewise.storage import Item

__all__ = [
    "LOOKING",
    "Broken",
    "Changes",
    "Encoded",
    "Gathered",
    "Item",
    "Reading",
    "Table",
    "VectorCache",
    "encode",
    "features_shown",
    "file_inside",
    "gather",
    "new_and_gone",
    "read_table",
    "traces_of",
]

"""What lies behind a path, as items: files, rows, arrays, and their vectors."""

from likewise.items._blocks import picture_in
from likewise.items._cells import Columns
from likewise.items._changes import Changes, difference, new_and_gone
from likewise.items._columns import KINDS, ColumnKind
from likewise.items._copies import (
    LOOK,
    Alike,
    Fold,
    Folded,
    alike,
    each_apart,
    fold_files,
    folded,
    lookalikes,
)
from likewise.items._encode import LOOKING, LOOKS, Encoded, VectorCache, encode
from likewise.items._formats import PART, place_of, read_columns
from likewise.items._gather import file_inside, gather, key_inside, page_in
from likewise.items._item import (
    MANY_COLUMNS,
    Broken,
    Gathered,
    differing,
    features_shown,
    traces_of,
)
from likewise.items._tables import (
    Preview,
    Reading,
    Seek,
    Table,
    is_table,
    names_of,
    preview_table,
    read_table,
)
from likewise.storage import Item

__all__ = [
    "KINDS",
    "LOOK",
    "LOOKING",
    "LOOKS",
    "MANY_COLUMNS",
    "PART",
    "Alike",
    "Broken",
    "Changes",
    "ColumnKind",
    "Columns",
    "Encoded",
    "Fold",
    "Folded",
    "Gathered",
    "Item",
    "Preview",
    "Reading",
    "Seek",
    "Table",
    "VectorCache",
    "alike",
    "difference",
    "differing",
    "each_apart",
    "encode",
    "features_shown",
    "file_inside",
    "fold_files",
    "folded",
    "gather",
    "is_table",
    "key_inside",
    "lookalikes",
    "names_of",
    "new_and_gone",
    "page_in",
    "picture_in",
    "place_of",
    "preview_table",
    "read_columns",
    "read_table",
    "traces_of",
]

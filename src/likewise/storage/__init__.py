"""Where answers outlive the process: journals in files, projects in databases."""

from likewise.storage._blocks import pack, unpack
from likewise.storage._graph_cache import keep_graph, kept_affinity, read_affinity
from likewise.storage._journal import Author, ProjectJournal
from likewise.storage._lines import JsonLinesJournal
from likewise.storage._memory import MemoryStore
from likewise.storage._open import SUFFIXES, open_store
from likewise.storage._protocol import (
    Act,
    Info,
    Item,
    Latest,
    OpenQuestion,
    Project,
    Settings,
    Store,
    Trace,
)

__all__ = [
    "SUFFIXES",
    "Act",
    "Author",
    "Info",
    "Item",
    "JsonLinesJournal",
    "Latest",
    "MemoryStore",
    "OpenQuestion",
    "Project",
    "ProjectJournal",
    "Settings",
    "Store",
    "Trace",
    "keep_graph",
    "kept_affinity",
    "open_store",
    "pack",
    "read_affinity",
    "unpack",
]

"""Where answers outlive the process: journals in files, projects in databases."""

from likewise.storage._blocks import pack, unpack
from likewise.storage._cache import (
    FileCache,
    drop_kept,
    kept_bytes,
    root_of_caches,
)
from likewise.storage._graph_cache import keep_graph, kept_affinity, read_affinity
from likewise.storage._journal import Author, ProjectJournal
from likewise.storage._lines import JsonLinesJournal
from likewise.storage._memory import MemoryStore
from likewise.storage._open import SUFFIXES, kept_of, open_store, without_password
from likewise.storage._protocol import (
    NO_LINK,
    ROLES,
    Act,
    Info,
    Invite,
    Item,
    Latest,
    Member,
    OpenQuestion,
    Project,
    Settings,
    Store,
    Team,
    Trace,
    name_taken,
)

__all__ = [
    "NO_LINK",
    "ROLES",
    "SUFFIXES",
    "Act",
    "Author",
    "FileCache",
    "Info",
    "Invite",
    "Item",
    "JsonLinesJournal",
    "Latest",
    "Member",
    "MemoryStore",
    "OpenQuestion",
    "Project",
    "ProjectJournal",
    "Settings",
    "Store",
    "Team",
    "Trace",
    "drop_kept",
    "keep_graph",
    "kept_affinity",
    "kept_bytes",
    "kept_of",
    "name_taken",
    "open_store",
    "pack",
    "read_affinity",
    "root_of_caches",
    "unpack",
    "without_password",
]

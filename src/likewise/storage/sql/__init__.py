"""Projects in SQLite or PostgreSQL."""

from likewise.storage.sql._beside import best_copy, daily_copy, is_noted, restore
from likewise.storage.sql._store import SqlStore, as_it_is, file_of, url_of

__all__ = [
    "SqlStore",
    "as_it_is",
    "best_copy",
    "daily_copy",
    "file_of",
    "is_noted",
    "restore",
    "url_of",
]

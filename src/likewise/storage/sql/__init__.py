"""Projects in SQLite or PostgreSQL."""

from likewise.storage.sql._beside import (
    Glance,
    best_copy,
    daily_copy,
    glanced,
    is_noted,
    restore,
)
from likewise.storage.sql._store import (
    SqlStore,
    as_it_is,
    file_of,
    kept_of,
    url_of,
)

__all__ = [
    "Glance",
    "SqlStore",
    "as_it_is",
    "best_copy",
    "daily_copy",
    "file_of",
    "glanced",
    "is_noted",
    "kept_of",
    "restore",
    "url_of",
]

"""Projects in SQLite or PostgreSQL."""

from likewise.storage.sql._schema import daily_copy
from likewise.storage.sql._store import SqlStore, url_of

__all__ = ["SqlStore", "daily_copy", "url_of"]

"""Copies of a SQLite file, beside it: one a day, and one before an upgrade."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

from likewise.errors import StorageError

N_COPIES = 5  # of each kind


def daily_copy(path: Path, now: float) -> Path | None:
    """Copy a SQLite file unless it was copied today; keep the five latest days.

    Parameters
    ----------
    path : Path
    now : float
        Seconds since 1970; days are those of UTC.

    Returns
    -------
    Path or None
        ``leaves.copy-2026-07-30.db`` for ``leaves.db``; None where there is one of
        today, or where five of them would not fit on the disk.

    Raises
    ------
    StorageError
        It cannot be written.
    """
    today = datetime.fromtimestamp(now, UTC).date().isoformat()
    target = path.with_suffix(f".copy-{today}.db")
    try:
        free = shutil.disk_usage(path.parent).free
        if target.exists() or free < N_COPIES * path.stat().st_size:
            return None
        copy_of(path, target)
        keep_latest(path, "copy")
    except (OSError, sqlite3.Error) as error:
        raise StorageError(
            f"{target} cannot be written ({error}): {path} itself is as it was."
        ) from None
    return target


def copy_of(path: Path, target: Path) -> None:
    """Copy a SQLite file that others may be writing to; all of it or nothing."""
    for left in path.parent.glob(f"{escape(path.stem)}.*.unfinished*"):
        left.unlink(missing_ok=True)  # by one that was killed
    unfinished = target.with_suffix(f".{os.getpid()}.unfinished")
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(unfinished)) as copy,
    ):
        source.backup(copy)
    unfinished.replace(target)


def keep_latest(path: Path, kind: str) -> None:
    """Delete all copies of a kind but the five latest."""
    copies = path.parent.glob(f"{escape(path.stem)}.{kind}-*.db")
    for old in sorted(copies, key=lambda copy: copy.stat().st_mtime_ns)[:-N_COPIES]:
        old.unlink()

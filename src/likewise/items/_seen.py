"""Pictures that were read before and are as they were: their content is not read again.

A file counts as unchanged if its size, its number on the disk and the times at which
its content and its status last changed are what they were, to the nanosecond, and lay
two seconds back when it was read: what is written within one tick of a coarse clock is
not told apart by it.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import numpy as np

from likewise._cached import Arrays, Cache, digest_of

FILES = "files"  # the kind of file in which this is kept
AT_REST = 2_000_000_000  # nanoseconds
N_DIGEST = 32  # bytes

Mark = tuple[int, int, int, int]  # size, number, two times


class Seen:
    """What the files of a folder held when they were last read.

    Parameters
    ----------
    cache : Cache
    root : Path
        The folder.
    """

    def __init__(self, cache: Cache, root: Path) -> None:
        self._cache, self._root = cache, str(root)
        self._key = digest_of(str(root.resolve()))
        kept = cache.read(FILES, self._key)
        self._before = {} if kept is None else _unpacked(kept)
        self._now: dict[str, tuple[Mark, str]] = {}

    def mark(self, key: str) -> Mark | None:
        """Return what a file is known by; None for what is no plain file at rest."""
        try:
            found = os.lstat(f"{self._root}/{key}")
        except (OSError, ValueError):
            return None
        changed = max(found.st_mtime_ns, found.st_ctime_ns)
        if not stat.S_ISREG(found.st_mode) or time.time_ns() - changed < AT_REST:
            return None
        return found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns

    def digest(self, key: str, mark: Mark | None) -> str | None:
        """Return the digest of a picture that is as it was; None for others."""
        before = self._before.get(key)
        return before[1] if before is not None and before[0] == mark else None

    def note(self, key: str, mark: Mark | None, digest: str) -> None:
        """Note what a picture holds, as it was known before it was read."""
        if mark is not None:
            self._now[key] = mark, digest

    def keep(self) -> None:
        """Keep what was noted, if it is other than before."""
        if self._now != self._before:
            self._cache.keep(FILES, self._key, _packed(self._now))


def _packed(files: dict[str, tuple[Mark, str]]) -> Arrays:
    names = "\0".join(files).encode(errors="surrogateescape")
    digests = b"".join(bytes.fromhex(digest) for _, digest in files.values())
    marks = [mark for mark, _ in files.values()]
    return {
        "names": np.frombuffer(names, dtype=np.uint8),
        "marks": np.array(marks, dtype=np.uint64).reshape(-1, 4),
        "digests": np.frombuffer(digests, dtype=np.uint8),
    }


def _unpacked(arrays: Arrays) -> dict[str, tuple[Mark, str]]:
    names = arrays["names"].tobytes().decode(errors="surrogateescape").split("\0")
    text, size = arrays["digests"].tobytes().hex(), 2 * N_DIGEST
    digests = (text[at : at + size] for at in range(0, len(text), size))
    marks = map(tuple, arrays["marks"].tolist())
    return dict(zip(names, zip(marks, digests, strict=False), strict=False))

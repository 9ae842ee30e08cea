"""What follows from data and is slow to find: kept in files, memory-mapped.

A file holds the arrays of one thing. Its name says what it is and of what; it begins
with the same, with where each array lies, and with a checksum. It is written beside
under another name and takes its own at the end, so nobody ever sees half of one, and
two servers that keep the same thing at once do no harm. What is missing, cut off,
damaged or another's is not used, dropped, and made anew.

The checksum is a CRC-32: it is there to notice accidents, and takes a third of a second
for a gigabyte; a digest that resists forgery would take three, and whoever may write
here may write to the database too.
"""

from __future__ import annotations

import json
import os
import secrets
import struct
import time
import warnings
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise._cached import Arrays
from likewise.errors import CacheWarning

MAGIC = b"LWKEPT01"
HEAD = struct.Struct("<8sII")  # the magic, the length of what follows, its checksum
ALIGNED = 64  # bytes at which each array begins
SUFFIX, PART = ".kept", ".part"
N_EACH = 2  # of a kind: what is, and what was before
LEFT = 3600.0  # seconds after which a file that is being written was given up
BESIDE = "-cache"  # behind the name of a SQLite file: the folder of what it leads to
NUMBERS = "biuf"  # kinds of arrays; others could run code


@dataclass(frozen=True, slots=True)
class FileCache:
    """Arrays in a folder, which is made when the first come.

    Of each kind the last two that were used stay, so that it does not grow.

    Attributes
    ----------
    folder : Path
        It may be deleted at any time.
    is_writable : bool
        Otherwise only what is there is read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = FileCache(Path(folder))
    ...     cache.keep("start", "ab12", {"labels": np.arange(3)})
    ...     cache.read("start", "ab12"), cache.read("start", "cd34")
    ({'labels': array([0, 1, 2])}, None)
    """

    folder: Path
    is_writable: bool = True

    def read(self, kind: str, key: str) -> Arrays | None:
        """Return arrays as they were kept, or None."""
        place = self._place(kind, key)
        try:
            found = _read(place, f"{kind} {key}")
        except OSError:
            return None
        if not self.is_writable:
            return found
        with suppress(OSError):
            if found is None:
                place.unlink()
            else:
                os.utime(place)  # used last
        return found

    def keep(self, kind: str, key: str, arrays: Arrays) -> None:
        """Keep arrays; where they cannot be kept, a warning says so."""
        if not self.is_writable:
            return
        part = self.folder / f"{kind}-{secrets.token_hex(8)}{PART}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(part, f"{kind} {key}", arrays)
            part.replace(self._place(kind, key))
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            _warn(self.folder, error)
        self._drop_old(kind)

    def _place(self, kind: str, key: str) -> Path:
        return self.folder / f"{kind}-{key}{SUFFIX}"

    def _drop_old(self, kind: str) -> None:
        """Drop what was not used for longest, and what was written by half."""
        now = time.time()
        kept = sorted(self._dated(f"{kind}-*{SUFFIX}"), reverse=True)[N_EACH:]
        left = [one for one in self._dated(f"*{PART}") if one[0] < now - LEFT]
        for _, path in (*kept, *left):
            with suppress(OSError):
                path.unlink()

    def _dated(self, pattern: str) -> Iterator[tuple[float, Path]]:
        for path in self.folder.glob(pattern):
            with suppress(OSError):  # another server was faster
                yield path.stat().st_mtime, path


def root_of_caches() -> Path:
    """Return where it is kept for databases that are no files of this machine."""
    home = os.environ.get("LIKEWISE_HOME")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "cache" if home else Path(cache) / "likewise"


def kept_bytes(folder: Path) -> int:
    """Return how much is kept in a folder and those within it."""
    return sum(path.stat().st_size for path in _files(folder))


def drop_kept(folder: Path) -> int:
    """Drop what is kept in a folder and those within it; return how much that was.

    Whoever uses it goes on with what they have.
    """
    dropped = 0
    for path in _files(folder):
        with suppress(OSError):
            size = path.stat().st_size
            path.unlink()
            dropped += size
    return dropped


def _files(folder: Path) -> list[Path]:
    """Return files of ours; whatever else lies there is nobody's business."""
    found = [path for end in (SUFFIX, PART) for path in folder.rglob(f"*{end}")]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def _warn(folder: Path, error: OSError) -> None:
    warnings.warn(
        f"What saves time cannot be kept in {folder} ({error.strerror}), so that the "
        f"next start takes as long: make room there, or allow writing.",
        CacheWarning,
        stacklevel=3,
    )


def _write(path: Path, what: str, arrays: Arrays) -> None:
    laid, end = {}, 0
    for name, values in arrays.items():
        start = end + -end % ALIGNED
        laid[name] = _laid(values, start)
        end = start + values.nbytes
    about = json.dumps({"what": what, "arrays": laid, "bytes": end}).encode()
    with os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
    ) as f:
        f.write(HEAD.pack(MAGIC, len(about), zlib.crc32(about)))
        f.write(about)
        first = _first(len(about))
        for name, values in arrays.items():
            f.seek(first + laid[name]["start"])
            f.write(_plain(values).data)
        f.truncate(first + end)


def _laid(values: NDArray[Any], start: int) -> dict[str, Any]:
    return {
        "start": start,
        "kind": values.dtype.str,
        "shape": values.shape,
        "order": "C" if values.flags.c_contiguous else "F",
        "check": zlib.crc32(_plain(values).data),
    }


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in a row, as they lie in memory, without a copy if possible."""
    if values.flags.c_contiguous:
        return values.reshape(-1)
    return np.asfortranarray(values).reshape(-1, order="F")


def _first(n_about: int) -> int:
    """Return where the arrays begin."""
    end = HEAD.size + n_about
    return end + -end % ALIGNED


def _read(path: Path, what: str) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a file, or None if it is not what it is taken for."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEAD.size)
        if len(head) < HEAD.size:
            return None
        magic, n_about, check = HEAD.unpack(head)
        about = file.read(n_about) if magic == MAGIC else b""
    if magic != MAGIC or zlib.crc32(about) != check:
        return None
    told = json.loads(about)
    kinds = {np.dtype(laid["kind"]).kind for laid in told["arrays"].values()}
    is_other = told["what"] != what or not kinds <= set(NUMBERS)
    if is_other or size != _first(n_about) + told["bytes"]:
        return None
    # Pages that are written to are copies of our own.
    memory = np.asarray(np.memmap(path, dtype=np.uint8, mode="c"))
    found = {
        name: _array(memory[_first(n_about) :], laid)
        for name, laid in told["arrays"].items()
    }
    is_whole = all(
        zlib.crc32(_plain(values).data) == told["arrays"][name]["check"]
        for name, values in found.items()
    )
    return found if is_whole else None


def _array(memory: NDArray[np.uint8], laid: Mapping[str, Any]) -> NDArray[Any]:
    kind, shape = np.dtype(laid["kind"]), tuple(laid["shape"])
    n_bytes = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    inside = memory[laid["start"] : laid["start"] + n_bytes].view(kind)
    return inside.reshape(shape, order=laid["order"])

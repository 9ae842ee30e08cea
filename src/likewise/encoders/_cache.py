"""Vectors on disk, found by the content that they were made of.

A folder holds, for each encoder, a few files that only ever grow. A process that has
something to add begins a file of its own, so that no two write to the same one and a
file that a crash has cut off is never written to again. Each record is the digest of
the content (32 bytes), the vector (float32) and a checksum; one that is cut off or
damaged is left out, and its vector made again.
"""

from __future__ import annotations

import hashlib
import struct
import warnings
import zlib
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from likewise.encoders._base import Vectors
from likewise.errors import CacheWarning

MAGIC = b"LWVEC001"
HEAD = struct.Struct("<8sI")  # the magic, the length of a vector
N_DIGEST, N_CHECK = 32, 4

Write = Callable[[Mapping[str, Vectors]], None]


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Keep vectors in a folder, by content and encoder.

    Attributes
    ----------
    folder : Path
        Made when the first vector comes. It may be deleted at any time.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = VectorCache(Path(folder))
    ...     with cache.writing("sizes/1") as write:
    ...         write({"ab" * 32: np.array([1.0, 2.0], dtype=np.float32)})
    ...     cache.read("sizes/1", {"ab" * 32})
    {'abab...': array([1., 2.], dtype=float32)}
    """

    folder: Path

    def read(self, encoder: str, wanted: Container[str]) -> dict[str, Vectors]:
        """Return the vectors that an encoder has made of the wanted contents.

        Parameters
        ----------
        encoder : str
            Its name.
        wanted : set of str
            SHA-256 of contents, hexadecimal.

        Returns
        -------
        dict from digest to ndarray of shape (n_features,)
        """
        found: dict[str, Vectors] = {}
        for segment in sorted(self._place(encoder).glob("*.vectors")):
            with suppress(OSError):  # not ours to read: made again
                records = _records(segment)
                found |= {key: vector for key, vector in records if key in wanted}
        return found

    @contextmanager
    def writing(self, encoder: str) -> Iterator[Write]:
        """Give a function that adds vectors by digest; each call survives a kill.

        Where they cannot be kept, a :class:`~likewise.errors.CacheWarning` says so
        once, and they are not.
        """
        segment: Path | None = None
        is_writable = True

        def write(made: Mapping[str, Vectors]) -> None:
            nonlocal segment, is_writable
            if not made or not is_writable:
                return
            try:
                if segment is None:
                    width = len(next(iter(made.values())))
                    segment = _begun(self._place(encoder), width)
                with segment.open("ab") as file:
                    file.write(b"".join(map(_record, made, made.values())))
            except OSError as error:
                # What stands behind a record that was cut off would not be found.
                is_writable = False
                _warn(self.folder, error)

        yield write

    def _place(self, encoder: str) -> Path:
        return self.folder / hashlib.sha256(encoder.encode()).hexdigest()[:16]


def _warn(folder: Path, error: OSError) -> None:
    warnings.warn(
        f"Vectors cannot be kept in {folder} ({error.strerror}), so that the next "
        f"start takes as long: make room there, or allow writing.",
        CacheWarning,
        stacklevel=2,
    )


def _begun(place: Path, width: int) -> Path:
    """Return a new file that nobody else writes to."""
    place.mkdir(parents=True, exist_ok=True)
    number = len(list(place.glob("*.vectors")))
    while True:
        try:
            with (place / f"{number:06d}.vectors").open("xb") as file:
                file.write(HEAD.pack(MAGIC, width))
            return place / f"{number:06d}.vectors"
        except FileExistsError:
            number += 1


def _record(digest: str, vector: Vectors) -> bytes:
    content = bytes.fromhex(digest) + np.asarray(vector, dtype="<f4").tobytes()
    return content + zlib.crc32(content).to_bytes(N_CHECK, "little")


def _records(segment: Path) -> Iterator[tuple[str, Vectors]]:
    with segment.open("rb") as file:
        head = file.read(HEAD.size)
        if len(head) < HEAD.size:
            return
        magic, width = HEAD.unpack(head)
        if magic != MAGIC:
            return
        size = N_DIGEST + 4 * width + N_CHECK
        if size > segment.stat().st_size:
            return
        while len(record := file.read(size)) == size:
            content, check = record[:-N_CHECK], record[-N_CHECK:]
            if zlib.crc32(content).to_bytes(N_CHECK, "little") == check:
                vector = np.frombuffer(content, dtype="<f4", offset=N_DIGEST)
                yield content[:N_DIGEST].hex(), vector.astype(np.float32)

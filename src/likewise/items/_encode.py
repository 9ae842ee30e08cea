"""Items to vectors: cached by content, resumable, broken ones listed.

Vectors are kept once: in the array of their project, which knows the digest of each
item. Until all of them are there they lie in a folder: for each encoder a few files
that only ever grow. A process that has something to add begins a file of its own, so
that no two write to the same one and a file that a crash has cut off is never written
to again. Each record is the digest of the content (32 bytes), the vector (float32) and
a checksum; one that is cut off or damaged is left out, and its vector made again.
"""

from __future__ import annotations

import hashlib
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from likewise.encoders import Encoder, Kind, Vectors, encoded, picture_apart
from likewise.errors import CacheWarning, InputError
from likewise.items._copies import Fold, fold_files, look_of
from likewise.items._gather import gather, page_in
from likewise.items._item import NAMES, Gathered
from likewise.items._seen import Seen
from likewise.items._tables import Reading
from likewise.storage import Item, Project

# What is said while files are read, and while they become numbers.
LOOKING, TURNING = "Looking through the files", "Turning each into numbers"
LOOKS = "looks/1"  # what the cache calls those of pictures
MAGIC = b"LWVEC001"
HEAD = struct.Struct("<8sI")  # the magic, the length of a vector
N_DIGEST, N_CHECK = 32, 4

Thing = object  # a picture, a text, or a row
Watch = Callable[[int, int, str], None]
Write = Callable[[Mapping[str, Vectors]], None]


def unseen(done: int, total: int, note: str) -> None:
    """Let nobody know how far it is."""


@dataclass(frozen=True)
class Encoded:
    """Items with their vectors.

    Attributes
    ----------
    gathered : Gathered
    X : ndarray of shape (n_items, n_features)
        In the order of the items.
    encoder : Encoder
        What has made them.
    looks : mapping of str to ndarray of shape (304,)
        What pictures look like, by their digests; only of those that were opened.
    """

    gathered: Gathered
    X: NDArray[np.floating]
    encoder: Encoder
    looks: Mapping[str, NDArray[np.floating]] = field(default_factory=dict)


def encode(
    path: str | Path,
    choose: Callable[[Kind], Encoder],
    how: Reading | None = None,
    cache: VectorCache | None = None,
    watch: Watch = unseen,
    fold: Fold = fold_files,
) -> Encoded:
    r"""Return what lies behind a path, with a vector of each item.

    Each file is opened, read and hashed once: what tells it from others and what its
    vector is made of are the same bytes.

    Parameters
    ----------
    path : path
        As in `gather`.
    choose : callable
        ``choose(kind)`` returns the encoder for things of a kind; see
        `likewise.encoders.encoder_for`.
    how : Reading, optional
        How to read a table.
    cache : VectorCache, optional
        Where vectors are kept by content. An encoding that was stopped goes on where
        it was, and new files cost only themselves. Encoders that look at all items
        together (TF-IDF) do not use it, nor do rows.
    watch : callable
        ``watch(done, total, note)`` is called now and then.
    fold : callable
        What becomes of things with the same content; one item, unless given.

    Returns
    -------
    Encoded

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from likewise.encoders import encoder_for
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "things.txt"
    ...     _ = file.write_text("red apple\ngreen apple\nblue car")
    ...     found = encode(file, lambda kind: encoder_for(kind, "tfidf"))
    >>> found.X.shape[0], found.encoder.name
    (3, 'tfidf/1')
    """
    pictures = _Pictures(choose, cache)

    def told(done: int, total: int) -> None:
        watch(done, total, LOOKING if pictures.maker is None else TURNING)

    seen = None if cache is None else cache.seen(Path(path))
    gathered, places = fold(gather(path, how, told, pictures.take, seen))
    if pictures.maker is not None:
        X = pictures.maker.vectors()
        if not np.array_equal(places, np.arange(len(X))):  # a copy takes long
            X = X[places]
        return Encoded(gathered, X, pictures.maker.encoder, pictures.looks)
    encoder = _chosen(choose, gathered.kind)
    watch(0, len(gathered.items), TURNING)
    X = _vectors(gathered, encoder, cache, watch)
    return Encoded(gathered, X, encoder)


def _chosen(choose: Callable[[Kind], Encoder], kind: Kind) -> Encoder:
    encoder = choose(kind)
    if encoder.kind != kind:
        raise InputError(
            f"These are {NAMES[kind]}, but the encoder {encoder.name!r} takes "
            f"{NAMES[encoder.kind]}: choose another one."
        )
    return encoder


class _Pictures:
    """Pictures become vectors while they are read; there may be none."""

    def __init__(
        self, choose: Callable[[Kind], Encoder], cache: VectorCache | None
    ) -> None:
        self.maker: _Maker | None = None
        self.looks = dict(cache.read(LOOKS)) if cache else {}
        self._choose = choose
        self._cache = cache
        self._keep = cache.writing(LOOKS) if cache else None

    def take(self, item: Item, content: Callable[[], bytes]) -> None:
        if self.maker is None:
            self.maker = _maker(_chosen(self._choose, "image"), self._cache)
        _, page = page_in(item.key)
        opened = partial(_opened, content, item.key, page)
        self.maker.take(item.digest, partial(self._looked_at, item.digest, opened))

    def _looked_at(self, digest: str, opened: Callable[[], Thing]) -> Thing:
        """Open a picture, and note what it looks like."""
        picture = opened()
        if digest not in self.looks:
            self.looks[digest] = look_of(picture).astype(np.float32)
            if self._keep is not None:
                self._keep({digest: self.looks[digest]})
        return picture


def _opened(content: Callable[[], bytes], key: str, page: int) -> Thing:
    return picture_apart(content(), key, page=page)


def _vectors(
    gathered: Gathered, encoder: Encoder, cache: VectorCache | None, watch: Watch
) -> NDArray[np.floating]:
    """Return the vectors of texts or rows."""
    rows, items = gathered.rows, gathered.items
    if rows is not None and not encoder.piecemeal:
        return encoded(encoder, rows)
    # The numbers of a row depend on the others by which they were scaled.
    maker = _maker(encoder, cache if rows is None else None)
    for at, item in enumerate(items):
        thing = item.shown["text"] if rows is None else rows[at]
        maker.take(item.digest, partial(_itself, thing))
        if at % encoder.batch_size == 0:
            watch(at, len(items), TURNING)
    return maker.vectors()


def _itself(thing: Thing) -> Thing:
    return thing


class _Maker(Protocol):
    """Takes things one after the other, and returns a vector of each."""

    @property
    def encoder(self) -> Encoder: ...

    def take(self, digest: str, opened: Callable[[], Thing]) -> None:
        """Take a thing; it is opened only if its vector is not known."""

    def vectors(self) -> NDArray[np.floating]:
        """Return the vectors of what was taken, in that order."""


def _maker(encoder: Encoder, cache: VectorCache | None) -> _Maker:
    return _Piecemeal(encoder, cache) if encoder.piecemeal else _AtOnce(encoder)


class _AtOnce:
    """All things together, for an encoder that compares them."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._things: list[Thing] = []

    def take(self, _: str, opened: Callable[[], Thing]) -> None:
        self._things.append(opened())

    def vectors(self) -> NDArray[np.floating]:
        return encoded(self.encoder, self._things)


class _Piecemeal:
    """A batch at a time; the vectors of a batch are kept before the next is read."""

    def __init__(self, encoder: Encoder, cache: VectorCache | None) -> None:
        self.encoder = encoder
        self._known = dict(cache.read(encoder.name)) if cache else {}
        self._write = cache.writing(encoder.name) if cache else None
        self._taken: list[str] = []
        self._waiting: dict[str, Thing] = {}

    def take(self, digest: str, opened: Callable[[], Thing]) -> None:
        if digest not in self._known and digest not in self._waiting:
            self._waiting[digest] = opened()
        self._taken.append(digest)
        if len(self._waiting) == self.encoder.batch_size:
            self._encode()

    def _encode(self) -> None:
        made = encoded(self.encoder, _batch(self.encoder, self._waiting.values()))
        fresh = dict(zip(self._waiting, made, strict=True))
        if self._write is not None:
            self._write(fresh)
        self._known |= fresh
        self._waiting = {}

    def vectors(self) -> NDArray[np.floating]:
        if self._waiting:
            self._encode()
        found = [self._known[digest] for digest in self._taken]
        widths = {len(vector) for vector in found}
        if len(widths) > 1:
            raise InputError(
                f"The encoder {self.encoder.name!r} has made vectors of {min(widths)} "
                f"and of {max(widths)} numbers: give it another name when you change "
                f"it."
            )
        return np.stack(found)


def _batch(
    encoder: Encoder, things: Iterable[Thing]
) -> list[Thing] | NDArray[np.floating]:
    return np.array(list(things)) if encoder.kind == "row" else list(things)


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Vectors by content and encoder: what a project has, and what comes before that.

    Attributes
    ----------
    folder : Path
        Made when the first vector comes. It may be deleted at any time.
    project : Project, optional
        Whose vectors need not be made again.
    array : str
        What they are called in it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = VectorCache(Path(folder))
    ...     write = cache.writing("sizes/1")
    ...     write({"ab" * 32: np.array([1.0, 2.0], dtype=np.float32)})
    ...     cache.read("sizes/1")
    {'abab...': array([1., 2.], dtype=float32)}
    """

    folder: Path
    project: Project | None = None
    array: str = "features"

    def read(self, encoder: str) -> dict[str, Vectors]:
        """Return the vectors that an encoder has made.

        Parameters
        ----------
        encoder : str
            Its name.

        Returns
        -------
        dict from digest to ndarray of shape (n_features,)
            By the content they were made of: SHA-256, hexadecimal.
        """
        found = self._in_project(encoder)
        for segment in self._segments(encoder):
            with suppress(OSError):  # not ours to read: made again
                found |= _records(segment)
        return found

    def writing(self, encoder: str) -> Write:
        """Return a function that adds vectors by digest; each call survives a kill.

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

        return write

    def seen(self, root: Path) -> Seen | None:
        """Return what the files of a folder held before, where that is kept."""
        cache = None if self.project is None else self.project.cache
        return None if cache is None or not root.is_dir() else Seen(cache, root)

    def clear(self, encoder: str) -> None:
        """Forget what lies in the folder: the project has it now."""
        for segment in self._segments(encoder):
            with suppress(OSError):
                segment.unlink()

    def _in_project(self, encoder: str) -> dict[str, Vectors]:
        project = self.project
        if project is None or project.info().settings.get("encoder") != encoder:
            return {}
        n_there = project.n_rows(self.array)
        if not n_there:
            return {}
        digests = [trace.digest for trace in islice(project.traces(), n_there)]
        return dict(zip(digests, project.array(self.array), strict=True))

    def _segments(self, encoder: str) -> list[Path]:
        return sorted(self._place(encoder).glob("*.vectors"))

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

"""Items to vectors: cached by content, resumable, broken ones listed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise.encoders import Encoder, VectorCache, Vectors, Write, encoded
from likewise.errors import InputError, UnreadableFileError
from likewise.items._gather import file_inside
from likewise.items._item import NAMES, Broken, Gathered, Item

Watch = Callable[[int, int, str], None]


def encode(
    gathered: Gathered,
    encoder: Encoder,
    cache: VectorCache | None = None,
    watch: Watch = lambda _done, _total, _note: None,
) -> tuple[NDArray[Any], tuple[Broken, ...]]:
    """Return the vectors of the items, and which items have none.

    Parameters
    ----------
    gathered : Gathered
    encoder : Encoder
        For things of that kind; see `likewise.encoders.encoder_for`.
    cache : VectorCache, optional
        Where vectors are kept by content. An encoding that was stopped goes on where
        it was, and new files cost only themselves. Encoders that look at the whole
        pile (TF-IDF) do not use it.
    watch : callable
        ``watch(done, total, note)``, called at the start and after every batch.

    Returns
    -------
    X : ndarray of shape (n_items - n_broken, n_features)
        In the order of the items; ``gathered.without(broken).items`` are its rows.
    broken : tuple of Broken

    Examples
    --------
    >>> from pathlib import Path
    >>> from likewise.encoders import encoder_for
    >>> texts = ("red apple", "green apple", "blue car")
    >>> items = tuple(Item(t, "text", "", {"text": t}) for t in texts)
    >>> X, broken = encode(Gathered(Path(), "text", items), encoder_for("text"))
    >>> X.shape[0], broken
    (3, ())
    """
    if gathered.kind != encoder.kind:
        raise InputError(
            f"These are {NAMES[gathered.kind]}, but the encoder {encoder.name!r} takes "
            f"{NAMES[encoder.kind]}: choose another one."
        )
    if encoder.piecemeal:
        kept, broken = _piecemeal(gathered, encoder, cache, watch)
        X = _stacked(kept, encoder) if kept else None
    else:
        X, broken = _at_once(gathered, encoder, watch)
    if X is None:
        raise InputError(
            f"None of the {len(broken)} {NAMES[gathered.kind]} can be read, the first "
            f"because: {broken[0].reason}"
        )
    return X, tuple(broken)


def _at_once(
    gathered: Gathered, encoder: Encoder, watch: Watch
) -> tuple[NDArray[Any] | None, list[Broken]]:
    total = len(gathered.items)
    watch(0, total, encoder.name)
    batch: Any = gathered.rows
    broken: list[Broken] = []
    if batch is None:
        things, broken = _opened(gathered, range(total))
        batch = list(things.values())
    X = encoded(encoder, batch) if len(batch) else None
    watch(total, total, "")
    return X, broken


def _piecemeal(
    gathered: Gathered, encoder: Encoder, cache: VectorCache | None, watch: Watch
) -> tuple[dict[int, Vectors], list[Broken]]:
    items, total = gathered.items, len(gathered.items)
    known = cache.read(encoder.name, {i.digest for i in items}) if cache else {}
    kept = {at: known[i.digest] for at, i in enumerate(items) if i.digest in known}
    todo = [at for at in range(total) if at not in kept]
    broken: list[Broken] = []
    done = len(kept)
    watch(done, total, f"{done:,} known from before" if done else "")
    with cache.writing(encoder.name) if cache else _forgetting() as write:
        for part in _parts(todo, encoder.batch_size):
            things, bad = _opened(gathered, part)
            broken += bad
            if things:
                vectors = encoded(encoder, _batch(gathered, things))
                made = dict(zip(things, vectors, strict=True))
                write({items[at].digest: vector for at, vector in made.items()})
                kept |= made
            done += len(part)
            watch(done, total, items[part[-1]].key)
    return kept, broken


@contextmanager
def _forgetting() -> Iterator[Write]:
    yield lambda _: None


def _parts(positions: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(positions), size):
        yield positions[start : start + size]


def _opened(
    gathered: Gathered, positions: Sequence[int]
) -> tuple[dict[int, Any], list[Broken]]:
    """Return the things at some positions, and which of them are broken."""
    things: dict[int, Any] = {}
    broken: list[Broken] = []
    for at in positions:
        try:
            things[at] = _thing(gathered, at)
        except UnreadableFileError as error:
            broken.append(Broken(gathered.items[at].key, str(error)))
    return things, broken


def _thing(gathered: Gathered, at: int) -> Any:
    if gathered.rows is not None:
        return gathered.rows[at]
    item = gathered.items[at]
    if item.kind == "text":
        return item.shown["text"]
    return open_item(gathered.root, item)


def open_item(root: Path, item: Item) -> Any:
    """Return the picture of an item, as long as its file is what it was.

    Parameters
    ----------
    root : Path
        The folder that it was gathered from.
    item : Item

    Returns
    -------
    PIL.Image, RGB and upright

    Raises
    ------
    UnreadableFileError
        The file is gone, no picture, or another one than before.
    """
    from likewise.encoders import open_picture

    path = file_inside(root, item.key)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableFileError(
            f"{item.key} cannot be read ({error.strerror}): check that it is yours."
        ) from None
    if hashlib.sha256(content).hexdigest() != item.digest:
        raise UnreadableFileError(
            f"{item.key} has changed since the folder was looked through: do so again."
        )
    return open_picture(content, name=item.key)


def _batch(gathered: Gathered, things: dict[int, Any]) -> Any:
    values = list(things.values())
    return np.array(values) if gathered.kind == "row" else values


def _stacked(kept: dict[int, Vectors], encoder: Encoder) -> NDArray[Any]:
    widths = {len(vector) for vector in kept.values()}
    if len(widths) > 1:
        raise InputError(
            f"The encoder {encoder.name!r} has made vectors of {min(widths)} and of "
            f"{max(widths)} numbers: give it another name when you change it."
        )
    return np.stack([kept[at] for at in sorted(kept)])

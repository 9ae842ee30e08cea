"""What an encoder is: things of one kind in, vectors out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from likewise._regime import EXACT_SEARCH
from likewise.errors import InputError

Kind: TypeAlias = Literal["image", "text", "row"]  # what an encoder takes
Vectors: TypeAlias = NDArray[np.float32]  # a row for each thing

Batch: TypeAlias = Sequence[Any] | NDArray[Any]

MAX_PICTURE_BYTES = 200_000_000  # of a file; larger ones are left out


@dataclass(frozen=True)
class Encoder:
    """A way from pictures, texts or rows to vectors.

    Attributes
    ----------
    name : str
        With its version: vectors are cached by it, so another way needs another name.
    about : str
        One sentence for people: what it is and how good.
    kind : {"image", "text", "row"}
        What it takes: pictures (``PIL.Image``, RGB, upright), texts (str), or rows of
        numbers.
    encode : callable
        ``encode(batch)`` returns an array of shape (len(batch), n_features).
    batch_size : int
        How many things it takes at once.
    piecemeal : bool
        Whether a vector depends on its own thing only. If not (TF-IDF learns its words
        from the whole pile), the pile is encoded at once, nothing is cached, and new
        things mean that all are encoded again.

    Examples
    --------
    >>> Encoder("length/1", "How long a text is.", "text", lambda batch: [
    ...     [len(text)] for text in batch
    ... ]).encode(["one", "three"])
    [[3], [5]]
    """

    name: str
    about: str
    kind: Kind
    encode: Callable[[Any], Any]
    batch_size: int = 32
    piecemeal: bool = True


def encoded(encoder: Encoder, batch: Batch) -> NDArray[Any]:
    """Return what an encoder makes of a batch, checked.

    Parameters
    ----------
    encoder : Encoder
    batch : sequence or array of length b

    Returns
    -------
    ndarray of shape (b, n_features), float32
        Of rows float64, but many that are float32 stay so.
    """
    made = encoder.encode(batch)
    if made is batch and isinstance(made, np.ndarray) and encoder.kind == "row":
        return made  # as they were when they came in, and were checked
    if hasattr(made, "toarray"):
        made = made.toarray()
    made = np.asarray(made)
    is_many = made.dtype == np.float32 and made.shape[:1] > (EXACT_SEARCH,)
    exact = encoder.kind == "row" and not is_many  # the user's own numbers
    vectors = made.astype(np.float64 if exact else np.float32, copy=False)
    expected = len(batch)
    if vectors.ndim != 2 or len(vectors) != expected:  # noqa: PLR2004 - a matrix
        raise InputError(
            f"The encoder {encoder.name!r} made an array of shape {vectors.shape} of "
            f"{expected} things: it must return one row for each of them."
        )
    if not np.isfinite(vectors).all():
        raise InputError(
            f"The encoder {encoder.name!r} made values that are not finite numbers: "
            f"mend it, or choose another one."
        )
    return vectors

"""Fields of records (names, addresses, codes) to vectors: by their characters.

Each value becomes a vector of length 1. Upper case and accents are folded and all but
letters and digits parts words; of each word the characters, and the pairs of characters
with its two ends, are counted. Each of these is a column of :data:`FIELD`, with a sign,
by a checksum (feature hashing), and square roots of the sums are taken.

The cosine of two values is 1 where they are equal but for the order of words, and about
0 where they have nothing in common. Of 1,000 people with errors made on purpose (Febrl
1), it puts 95 % of the values with one or two wrong characters above 199 of 200 pairs
of other values, postcodes apart (four digits are too few to tell an error from another
one); 256 columns are no better, and triples of characters are worse.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np

from likewise.encoders._base import Vectors
from likewise.errors import InputError

SIGN = 1 << 20  # the bit of a checksum that is the sign; the column is in lower ones


def encode_fields(columns: Sequence[Sequence[str | None]]) -> Vectors:
    """Return records as vectors of the characters in each field.

    Parameters
    ----------
    columns : sequence of n_fields sequences of n str
        The values of each field. None, NaN, and what has neither letters nor digits
        are missing.

    Returns
    -------
    ndarray of shape (n, n_fields * 128), float32
        For each field a vector of length 1, or of zeros where it is missing.
        :func:`~likewise._arrays.fields_of` cuts them apart again.

    Examples
    --------
    >>> names, towns = ["Zoë Muller", "zoe müller", "A. Cook"], ["Ulm", "", "Rome"]
    >>> records = encode_fields([names, towns])
    >>> records.shape
    (3, 256)
    >>> bool((records[0, :128] == records[1, :128]).all())
    True
    """
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise InputError(
            f"Fields have one value for each record, but there are columns of "
            f"{', '.join(map(str, sorted(lengths))) or 'no'} values: give one list of "
            f"the same length for each field."
        )
    return np.hstack([_field(column) for column in columns])


def _field(column: Sequence[str | None]) -> Vectors:
    """Return one field of all records; equal values are encoded once."""
    from likewise._arrays import FIELD  # what opens pictures starts without it

    place: dict[str, int] = {}
    folded = [_folded(value) for value in column]
    rows = [place.setdefault(value, len(place)) for value in folded]
    columns: dict[str, tuple[int, int]] = {}
    sums = np.zeros((len(place), FIELD))
    for row, value in enumerate(place):
        for gram in _grams(value):
            at, sign = columns.setdefault(gram, _hashed(gram, FIELD))
            sums[row, at] += sign
    vectors = np.sign(sums) * np.sqrt(np.abs(sums))
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(length > 0, length, 1.0)).astype(np.float32)[rows]


def _folded(value: str | None) -> str:
    """Return a value as it is compared, its words parted by single spaces."""
    if value is None or value != value:  # noqa: PLR0124 - NaN, of whatever library
        return ""
    if not isinstance(value, str):
        raise _no_text(value)
    plain = unicodedata.normalize("NFKD", value.casefold())
    marks = (c for c in plain if unicodedata.category(c) != "Mn")
    return " ".join("".join(c if c.isalnum() else " " for c in marks).split())


def _no_text(value: object) -> InputError:
    from likewise._arrays import described

    return InputError(
        f"Fields are texts, but there is {described(value)}: give str, or None "
        f"where a value is missing."
    )


def _grams(value: str) -> Iterator[str]:
    """Yield the characters of each word, and pairs of them with the word's ends."""
    for word in value.split():
        yield from word
        ends = f"^{word}$"
        yield from (ends[at : at + 2] for at in range(len(ends) - 1))


def _hashed(gram: str, width: int) -> tuple[int, int]:
    """Return the column of a gram, and its sign."""
    checksum = crc32(gram.encode("utf-8", "surrogatepass"))
    return checksum % width, 1 if checksum & SIGN else -1

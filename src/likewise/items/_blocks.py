"""Columns to numbers: a block for each, weighed so that none drowns the others.

What is missing stands where the column has its middle, and where much is missing a flag
says so. Each block is scaled so that the mean squared distance between two rows is
twice its weight, whatever the column holds and however many numbers it became.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats
from likewise.encoders import (
    MAX_PICTURE_BYTES,
    encoded,
    encoder_for,
    open_ordinary,
    picture_apart,
)
from likewise.errors import InputError, UnreadableFileError
from likewise.items._columns import (
    dates_of,
    is_missing,
    numbers_of,
    yes_or_no,
)

MANY_MISSING = 0.05  # of the values, from which on a flag says which are missing
FAR = 5.0  # times the middle half of a column, beyond which values are drawn in
MOST_KINDS = 200  # of a category that have a column each; rarer ones share one
N_LETTERS = 2**16  # columns of hashed n-grams
N_DIRECTIONS = 32  # that short texts become
N_FITTED = 20_000  # texts that the directions are taken from
YEAR, WEEK = 365.2425, 7.0  # days
A_FORTNIGHT = 14.0
CYCLE = 0.5  # of the weight of the day itself, for each cycle it is part of


@dataclass(frozen=True, slots=True)
class Making:
    """What blocks are made with.

    Attributes
    ----------
    folder : Path
        Where pictures lie.
    scale : bool
        Whether blocks are scaled.
    """

    folder: Path
    scale: bool = True


def block_of(
    kind: str, values: Sequence[str], weight: float, making: Making
) -> NDArray[np.floating]:
    """Return the numbers of a column.

    Parameters
    ----------
    kind : str
        What it holds; see `likewise.items._columns`.
    values : sequence of n str
    weight : float
    making : Making

    Returns
    -------
    ndarray of shape (n, width)

    Examples
    --------
    >>> block_of("number", ["1", "3", "5"], 1.0, Making(Path())).ravel()
    array([-1.22...,  0.        ,  1.22...])
    """
    block, missing = _BLOCKS[kind](values, making)
    if missing.any():
        block = _filled(block, missing)
    return _weighed(block, weight) if making.scale else block * np.sqrt(weight)


def _weighed(block: Floats, weight: float) -> Floats:
    """Return a block in the middle of nothing, of a given variance in all."""
    block = block - block.mean(axis=0)
    total = float(np.einsum("ij,ij->", block, block)) / len(block)
    if total > 0:
        block *= np.sqrt(weight / total)
    return block


def _filled(block: Floats, missing: NDArray[np.bool_]) -> Floats:
    """Return a block with its middle where nothing is there, and a flag for many."""
    if missing.all():
        return np.zeros((len(block), 1))
    there = block[~missing]
    middle = np.median(there, axis=0) if block.shape[1] == 1 else there.mean(axis=0)
    block = block.copy()
    block[missing] = middle
    if missing.mean() < MANY_MISSING:
        return block
    spread = np.sqrt(there.var(axis=0).sum()) or 1.0
    return np.hstack([block, spread * missing[:, np.newaxis]])


Block = tuple[Floats, NDArray[np.bool_]]


def _number(values: Sequence[str], making: Making) -> Block:
    found = numbers_of(values)
    missing = np.isnan(found)
    if making.scale:
        found = drawn_in(found)
    return found[:, np.newaxis], missing


def drawn_in(numbers: Floats) -> Floats:
    """Return numbers of which none is so far off that all others look alike.

    What lies further from the middle half than five times its width is put there;
    nothing of an ordinary column does.

    Examples
    --------
    >>> drawn_in(np.array([1.0, 2.0, 3.0, 4.0, 1e9])).tolist()
    [1.0, 2.0, 3.0, 4.0, 14.0]
    """
    there = numbers[~np.isnan(numbers)]
    if not there.size:
        return numbers
    low, middle, high = np.percentile(there, [25, 50, 75])
    width = high - low
    if width == 0:
        off = np.abs(there - middle)
        width = 2 * np.median(off[off > 0]) if off.any() else 0.0
    if width == 0:
        return numbers
    return np.clip(numbers, low - FAR * width, high + FAR * width)


def _date(values: Sequence[str], making: Making) -> Block:
    """Return days, and where they stand in the year, the week and the day."""
    days = dates_of(values)
    missing = np.isnan(days)
    there = days[~missing]
    if not there.size or not making.scale:
        return days[:, np.newaxis], missing
    days = drawn_in(days)
    parts = [_weighed(_middle(days, missing)[:, np.newaxis], 1.0)]
    span = float(np.ptp(there))
    cycles = [
        (YEAR, np.floor(days), span > YEAR),
        (WEEK, np.floor(days), span > A_FORTNIGHT and _has_days(there)),
        (1.0, days, bool(np.ptp(there % 1) > 0)),
    ]
    for length, at, is_there in cycles:
        if is_there:
            turn = 2 * np.pi * _middle(at, missing) / length
            circle = np.column_stack([np.cos(turn), np.sin(turn)])
            parts.append(_weighed(circle, CYCLE))
    return np.hstack(parts), missing


def _middle(values: Floats, missing: NDArray[np.bool_]) -> Floats:
    return np.where(missing, np.median(values[~missing]), values)


def _has_days(there: Floats) -> bool:
    """Tell whether dates are days, and not months or years only."""
    starts = np.floor(there).astype("datetime64[D]")
    firsts = starts.astype("datetime64[M]").astype("datetime64[D]")
    return bool((starts != firsts).mean() > 1 / 2)


def _category(values: Sequence[str], _: Making) -> Block:
    """Return a column for each kind; those that are there once share one."""
    said = [value.strip() for value in values]
    missing = np.array([is_missing(value) for value in said], dtype=bool)
    counts = Counter(value for value in said if not is_missing(value))
    fewest = max(2, len(said) // 1000)
    often = {kind for kind, n in counts.most_common(MOST_KINDS) if n >= fewest}
    if len(counts) - len(often) <= 1:
        often = set(counts)
    place = {kind: at for at, kind in enumerate(sorted(often))}
    width = len(place) + (len(often) < len(counts))
    block = np.zeros((len(said), max(width, 1)))
    rows = np.flatnonzero(~missing)
    at = [place.get(said[row], len(place)) for row in rows]
    block[rows, at] = 1.0
    return block, missing


def _yes_or_no(values: Sequence[str], _: Making) -> Block:
    found = yes_or_no(values)
    return found[:, np.newaxis], np.isnan(found)


def _short(values: Sequence[str], _: Making) -> Block:
    """Return texts by their n-grams of characters, in few directions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import HashingVectorizer

    kinds, at, missing = _kinds(values)
    grams = HashingVectorizer(
        analyzer="char_wb",
        ngram_range=(2, 4),
        n_features=N_LETTERS,
        strip_accents="unicode",
        alternate_sign=False,
    ).transform(kinds)
    some = grams[:: max(1, len(kinds) // N_FITTED)]
    n_directions = min(N_DIRECTIONS, min(some.shape) - 1)
    if n_directions < 1:
        return np.zeros((len(values), 1)), missing
    found = TruncatedSVD(n_directions, random_state=0).fit(some).transform(grams)
    return found[at], missing


def _long(values: Sequence[str], making: Making) -> Block:
    kinds, at, missing = _kinds(values)
    encoder = encoder_for("text")
    try:
        found = encoded(encoder, kinds).astype(np.float64)
    except InputError:  # no words in it
        return _short(values, making)
    return found[at], missing


def _kinds(values: Sequence[str]) -> tuple[list[str], NDArray[Any], NDArray[np.bool_]]:
    """Return the different texts, which of them each value is, and what is missing."""
    said = ["" if is_missing(value) else value.strip() for value in values]
    said = [value.encode("utf-8", "replace").decode() for value in said]
    kinds = sorted(set(said))
    place = {kind: at for at, kind in enumerate(kinds)}
    at = np.fromiter(map(place.__getitem__, said), np.intp, len(said))
    return kinds, at, np.array([not value for value in said], dtype=bool)


def _picture(values: Sequence[str], making: Making) -> Block:
    """Return pictures as their encoder sees them; those that are not there, missing."""
    encoder, known = encoder_for("image"), dict[str, Any]()
    waiting: dict[str, Any] = {}

    def encode() -> None:
        made = encoded(encoder, list(waiting.values()))
        known.update(zip(waiting, made, strict=True))
        waiting.clear()

    for key in dict.fromkeys(value.strip() for value in values):
        picture = _opened(making.folder, key)
        if picture is not None:
            waiting[key] = picture
        if len(waiting) == encoder.batch_size:
            encode()
    if waiting:
        encode()
    width = len(next(iter(known.values()))) if known else 1
    nothing = np.zeros(width)
    found = [known.get(value.strip(), nothing) for value in values]
    missing = np.array([value.strip() not in known for value in values])
    return np.array(found, dtype=np.float64), missing


def _opened(folder: Path, key: str) -> Any:
    if is_missing(key):
        return None
    try:
        with open_ordinary(picture_in(folder, key)) as file:
            content = file.read(MAX_PICTURE_BYTES + 1)
        return picture_apart(content, key)
    except (UnreadableFileError, OSError):
        return None


def picture_in(folder: Path, key: str) -> Path:
    """Return the file that a cell of a table means.

    Raises
    ------
    UnreadableFileError
        It lies outside the folder of the table.
    """
    try:
        real = (folder / key).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise UnreadableFileError(f"{key} is not there: put it back.") from None
    if not real.is_relative_to(folder.resolve()) or not real.is_file():
        raise UnreadableFileError(f"{key} leads out of the folder: copy it into it.")
    return real


_BLOCKS: dict[str, Callable[[Sequence[str], Making], Block]] = {
    "identifier": _short,
    "number": _number,
    "category": _category,
    "date": _date,
    "text": _short,
    "long text": _long,
    "picture": _picture,
    "yes/no": _yes_or_no,
    "nothing": _category,
}

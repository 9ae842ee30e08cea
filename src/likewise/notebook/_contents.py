"""What people see of the samples in a notebook: pictures, texts, or rows of a table."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from likewise._arrays import described, is_frame, is_polars
from likewise.encoders import packed, require_pillow, thumbnail_apart
from likewise.errors import InputError, UnreadableFileError
from likewise.items import features_shown
from likewise.knowledge import valid_text

if TYPE_CHECKING:
    from PIL import Image

Kind: TypeAlias = Literal["image", "text", "row"]
Titles: TypeAlias = Sequence[object] | str | None
KINDS: tuple[Kind, ...] = ("image", "text", "row")
CALLED = {"image": "picture", "text": "text", "row": "row"}
LONGEST = 20_000  # characters of a text
LONGEST_TITLE = 200
SMALL, LARGE = (
    480,
    1600,
)  # pixels of the longer edge: on a screen, and looked at closely
TINY = 128  # smaller pictures are shown with their pixels as squares
KEPT = 512  # packed pictures that are kept
TABLE, PICTURES, COLOURS = 2, 3, 4  # dimensions of an array
PICTURE_FILES = frozenset(
    {
        *(".avif", ".bmp", ".gif", ".heic", ".jfif", ".jpe", ".jpeg", ".jpg", ".png"),
        *(".tif", ".tiff", ".webp"),
    }
)


class Contents(Protocol):
    """What lies behind the samples."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        ...

    def card(self, sample: int) -> dict[str, Any]:
        """Return what a page shows of a sample but for its picture: plain data."""
        ...

    def picture(self, sample: int, edge: int) -> bytes:
        """Return the picture of a sample as a JPEG; empty where it cannot be read."""
        ...


@dataclass(frozen=True)
class Rows:
    """Rows of a table.

    Parameters
    ----------
    rows : sequence of mapping of str to str
    titles : sequence of str
    """

    rows: Sequence[Mapping[str, str]]
    titles: Sequence[str]
    kind: Kind = "row"

    def card(self, sample: int) -> dict[str, Any]:
        shown = self.rows[sample].items()
        columns = [{"name": name, "value": value} for name, value in shown]
        return _card(sample, self.kind, self.titles[sample], columns=columns)

    def picture(self, sample: int, edge: int) -> bytes:  # noqa: ARG002 - has none
        return b""


@dataclass(frozen=True)
class Texts:
    """Texts.

    Parameters
    ----------
    texts : sequence of str
    titles : sequence of str
    """

    texts: Sequence[str]
    titles: Sequence[str]
    kind: Kind = "text"

    def card(self, sample: int) -> dict[str, Any]:
        text = valid_text(self.texts[sample][:LONGEST])
        return _card(sample, self.kind, self.titles[sample], text=text)

    def picture(self, sample: int, edge: int) -> bytes:  # noqa: ARG002 - has none
        return b""


class Pictures:
    """Pictures: files, or arrays and pictures that are in memory.

    Parameters
    ----------
    pictures : sequence of Path, PIL.Image.Image or ndarray
    titles : sequence of str
    """

    kind: Kind = "image"

    def __init__(self, pictures: Sequence[Any], titles: Sequence[str]) -> None:
        require_pillow()
        self._pictures = pictures
        self._titles = titles
        self._packed = lru_cache(KEPT)(self._pack)

    def card(self, sample: int) -> dict[str, Any]:
        at = f"{sample}"
        title = self._titles[sample]
        return _card(sample, self.kind, title, thumb=at, picture=at)

    def picture(self, sample: int, edge: int) -> bytes:
        return self._packed(sample, edge)

    def _pack(self, sample: int, edge: int) -> bytes:
        picture = self._pictures[sample]
        try:
            if isinstance(picture, Path):
                return thumbnail_apart(picture, edge)
            return packed(_enlarged(_opened(picture)), edge)
        except UnreadableFileError:
            return b""


def contents_of(
    n_samples: int,
    items: Any,
    features: Any,
    kind: str | None = None,
    titles: Titles = None,
) -> Contents:
    """Return what people are to see of some samples.

    Parameters
    ----------
    n_samples : int
    items : DataFrame, array-like or sequence, or None
        As for :func:`~likewise.notebook.widget`.
    features : ndarray, sparse array or None
        What is shown where there are no items.
    kind : {"image", "text", "row"}, optional
        What the items are; found by looking at them unless given.
    titles : sequence or str, optional
        What names each item; of a table, the column that does.

    Examples
    --------
    >>> contents_of(2, ["an oak", "an elm"], None).card(1)["text"]
    'an elm'
    """
    if items is None:
        return _features(n_samples, features, titles)
    if is_frame(items) or is_polars(items):
        return _checked(n_samples, _frame(items, titles))
    listed = _listed(items)
    found = _checked_kind(kind) if kind is not None else _kind_of(listed)
    if len(listed) != n_samples:
        _refuse_number(len(listed), n_samples)
    if found == "image":
        called = _titles(titles, listed, found)
        return Pictures(_pictures(listed), called)
    if found == "text":
        return Texts([_text(one) for one in listed], _titles(titles, listed, found))
    rows = [_row(one) for one in listed]
    return Rows(rows, _titles(titles, listed, found))


def _card(sample: int, kind: Kind, title: str, **more: Any) -> dict[str, Any]:
    return {
        **{"item": sample, "kind": kind, "title": title, "status": "here"},
        **{"thumb": None, "picture": None, "text": None, "columns": [], "copies": 0},
        **more,
    }


def _checked_kind(kind: str) -> Kind:
    for one in KINDS:
        if kind == one:
            return one
    raise InputError(f"Items are 'image', 'text' or 'row', not {described(kind)}.")


def _checked(n_samples: int, found: Rows) -> Rows:
    if len(found.rows) != n_samples:
        _refuse_number(len(found.rows), n_samples)
    return found


def _refuse_number(found: int, n_samples: int) -> None:
    raise InputError(
        f"There are {found:,} items for {n_samples:,} samples: give one for each, in "
        f"their order."
    )


def _listed(items: Any) -> Any:
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise InputError(
            f"Items are a list with one for each sample, not {described(items)}."
        )
    if isinstance(items, np.ndarray) and items.dtype.kind not in "OSTU":
        return items  # of numbers: rows or pictures
    return list(items)


def _kind_of(items: Any) -> Kind:
    """Return what items are, by the first of them."""
    if isinstance(items, np.ndarray):
        return "image" if items.ndim in (PICTURES, COLOURS) else "row"
    first = items[0] if len(items) else ""
    if isinstance(first, Path):
        return "image" if _is_picture_file(first) else "text"
    if isinstance(first, str):
        is_file = all(_is_picture_file(Path(one)) for one in map(str, items))
        return "image" if is_file else "text"
    if isinstance(first, np.ndarray):
        return "image" if first.ndim >= TABLE else "row"
    if hasattr(first, "getbands"):
        return "image"
    return "row"


def _is_picture_file(path: Path) -> bool:
    return path.suffix.lower() in PICTURE_FILES


# Titles


def _titles(titles: Titles, items: Sequence[Any], kind: Kind) -> list[str]:
    if isinstance(titles, str):
        raise InputError("Only a table has columns to take titles from: give a list.")
    if titles is None:
        return [_called(at, one, kind) for at, one in enumerate(items)]
    if len(titles) != len(items):
        _refuse_number(len(titles), len(items))
    return [_short(one) for one in titles]


def _called(at: int, item: Any, kind: Kind) -> str:
    is_file = isinstance(item, Path) or (kind == "image" and isinstance(item, str))
    return _short(Path(item).name) if is_file else f"{CALLED[kind]} {at}"


def _short(title: object) -> str:
    return valid_text(str(title)[:LONGEST_TITLE])


# Rows and texts


def _features(n_samples: int, features: Any, titles: Titles) -> Rows:
    numbered = [{} for _ in range(n_samples)] if titles is None else titles
    called = _titles(None if titles is None else titles, list(numbered), "row")
    if not isinstance(features, np.ndarray):
        return Rows([{} for _ in range(n_samples)], called)
    shown = features_shown(features)
    return Rows([shown[at] for at in range(n_samples)], called)


def _frame(frame: Any, titles: Titles) -> Rows:
    names = [str(name) for name in frame.columns]
    if isinstance(titles, str) and titles not in names:
        raise InputError(
            f"The table has no column {titles!r}: its columns are {', '.join(names)}."
        )
    if is_frame(frame):
        columns = [frame.iloc[:, at].tolist() for at in range(len(names))]
    else:
        columns = [column.to_list() for column in frame.get_columns()]
    values = zip(*columns, strict=True)
    rows = [dict(zip(names, map(_value, row), strict=True)) for row in values]
    if isinstance(titles, str):
        return Rows(rows, [_short(row[titles]) for row in rows])
    return Rows(rows, _titles(titles, rows, "row"))


def _row(item: Any) -> dict[str, str]:
    if isinstance(item, Mapping):
        return {str(name): _value(value) for name, value in item.items()}
    values = (
        item if isinstance(item, Iterable) and not isinstance(item, str) else [item]
    )
    return {f"column {at}": _value(value) for at, value in enumerate(values)}


def _value(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124 - a missing number is not itself
        return ""
    return f"{value:.6g}" if isinstance(value, float) else valid_text(str(value))


def _text(item: Any) -> str:
    if isinstance(item, Path):
        return item.read_text(encoding="utf-8", errors="replace")
    return str(item)


# Pictures


def _pictures(items: Any) -> Sequence[Any]:
    """Return files as paths, and numbers as shades from 0 to 255."""
    if isinstance(items, np.ndarray):
        return list(_shaded(items))
    return [Path(one) if isinstance(one, str) else one for one in items]


def _shaded(values: np.ndarray) -> np.ndarray:
    """Return numbers between the least and the largest of all as shades."""
    if values.dtype == np.uint8:
        return values
    finite = np.nan_to_num(values.astype(np.float64))
    low, high = finite.min(initial=0.0), finite.max(initial=0.0)
    return np.round(255 * (finite - low) / ((high - low) or 1.0)).astype(np.uint8)


def _opened(picture: Any) -> Image.Image:
    """Return a picture in memory as one of Pillow's own, which may be changed."""
    from PIL import Image

    if isinstance(picture, bytes):
        return Image.open(io.BytesIO(picture))
    if hasattr(picture, "getbands"):
        copy: Image.Image = picture.copy()
        return copy
    values = np.asarray(picture)
    if values.ndim not in (TABLE, PICTURES):
        raise InputError(
            f"A picture is an array of shape (height, width) or (height, width, 3), "
            f"not {values.shape}."
        )
    if values.ndim == PICTURES and values.shape[2] == 1:
        values = values[:, :, 0]
    return Image.fromarray(_shaded(values))


def _enlarged(image: Image.Image) -> Image.Image:
    """Return a tiny picture with its pixels as squares."""
    from PIL import Image

    times = TINY // max(image.size)
    if times <= 1:
        return image
    size = image.width * times, image.height * times
    return image.resize(size, Image.Resampling.NEAREST)

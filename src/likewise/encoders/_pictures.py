"""Pictures from files of unknown origin: opened safely, upright, RGB."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np

from likewise.encoders._base import MAX_PICTURE_BYTES
from likewise.errors import MissingExtraError, UnreadableFileError

try:
    from PIL import Image, ImageOps, UnidentifiedImageError
except ImportError:  # said when there is a picture to open
    Image = None  # type: ignore[assignment]

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
SHORT_EDGE = 512  # as much as any of the models looks at

Source: TypeAlias = Path | bytes | BinaryIO


def open_picture(
    source: Source, short_edge: int = SHORT_EDGE, name: str = "The file"
) -> Image.Image:
    """Return a picture, RGB and upright, its shorter edge at most `short_edge`.

    What a file is shows in its content, not in its name. Of animations the first
    frame is taken; transparent parts become white; pictures of more than 8 bits a pixel
    are stretched to their own darkest and brightest value. Nothing is ever enlarged.

    Parameters
    ----------
    source : Path, bytes or binary file
        JPEG, PNG, WEBP, GIF, BMP or TIFF.
    short_edge : int
    name : str
        What errors call it; a path goes by its file name.

    Raises
    ------
    UnreadableFileError
        It is no such picture, cut off, too large, or it would unpack to more pixels
        than ``PIL.Image.MAX_IMAGE_PIXELS``.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> Image.new("L", (1200, 900)).save(file, "PNG")
    >>> open_picture(file).size, open_picture(file).mode
    ((683, 512), 'RGB')
    """
    if isinstance(source, Path):
        name = source.name
    with _bounded(source, name) as file, _said_plainly(name):
        image = _loaded(file, (short_edge, short_edge))
        return _as_rgb(_shrunk(_upright(image), short_edge / min(image.size)), name)


def thumbnail(source: Source, edge: int, name: str = "The file") -> bytes:
    """Return a small JPEG of a picture, its longer edge at most `edge` pixels.

    It carries nothing but pixels: no EXIF, no place, no camera.

    Raises
    ------
    UnreadableFileError
        As for `open_picture`.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> Image.new("RGBA", (400, 200)).save(file, "WEBP")
    >>> Image.open(io.BytesIO(thumbnail(file, 100))).size
    (100, 50)
    """
    if isinstance(source, Path):
        name = source.name
    with _bounded(source, name) as file, _said_plainly(name):
        image = _loaded(file, (edge, edge))
        small = _as_rgb(_shrunk(_upright(image), edge / max(image.size)), name)
        packed = io.BytesIO()
        clean = Image.frombytes("RGB", small.size, small.tobytes())
        clean.save(packed, "JPEG", quality=85)
        return packed.getvalue()


def require_pillow() -> None:
    """Refuse to go on without what opens pictures."""
    if Image is None:
        raise MissingExtraError("Pillow", "images")


def open_ordinary(path: Path) -> BinaryIO:
    """Return an open file, for reading; never wait for one that is no file.

    A pipe would keep whoever opens it until somebody writes into it, and what was a
    file a moment ago may be one now.

    Raises
    ------
    OSError
        It cannot be opened, or is no ordinary file.
    """
    at = os.open(path, os.O_RDONLY | AT_ONCE)
    if not stat.S_ISREG(os.fstat(at).st_mode):
        os.close(at)
        raise OSError(errno.EINVAL, "No ordinary file")
    return os.fdopen(at, "rb")


@contextmanager
def _bounded(source: Source, name: str) -> Iterator[BinaryIO]:
    """Give an open file of a size that is neither 0 nor enormous."""
    require_pillow()
    try:
        file = _file(source)
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableFileError(
            f"{name} cannot be read ({reason}): check that it is there and yours."
        ) from None
    if size == 0:
        raise UnreadableFileError(f"{name} is empty: get it again or leave it out.")
    if size > MAX_PICTURE_BYTES:
        raise UnreadableFileError(
            f"{name} is larger than the {MAX_PICTURE_BYTES / 1e6:,.0f} MB that are "
            f"read: give a smaller copy."
        )
    yield file


def _file(source: Source) -> BinaryIO:
    if isinstance(source, Path):
        with open_ordinary(source) as file:
            return io.BytesIO(file.read(MAX_PICTURE_BYTES + 1))
    return io.BytesIO(source) if isinstance(source, bytes) else source


@contextmanager
def _said_plainly(name: str) -> Iterator[None]:
    """Turn whatever goes wrong with a picture into one sentence."""
    try:
        yield
    except UnreadableFileError:
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise UnreadableFileError(
            f"{name} would unpack to more than {Image.MAX_IMAGE_PIXELS:,} pixels: give "
            f"a smaller copy."
        ) from None
    except UnidentifiedImageError:
        raise UnreadableFileError(
            f"{name} is no {', '.join(FORMATS[:-1])} or {FORMATS[-1]} picture, "
            f"whatever its name says: convert it or leave it out."
        ) from None
    except MemoryError:
        raise UnreadableFileError(
            f"{name} takes more memory to open than a picture may: give a smaller copy."
        ) from None
    except Exception:  # decoders raise all sorts of things on damaged bytes
        raise UnreadableFileError(
            f"{name} is damaged or cut off: get it again or leave it out."
        ) from None


def _loaded(file: BinaryIO, wanted: tuple[int, int]) -> Image.Image:
    """Return the decoded first frame; JPEGs are decoded no larger than needed."""
    image = Image.open(file, formats=FORMATS)
    most = Image.MAX_IMAGE_PIXELS
    if most is not None and image.width * image.height > most:
        raise Image.DecompressionBombError
    image.draft(None, wanted)
    image.load()
    return image


def _upright(image: Image.Image) -> Image.Image:
    with suppress(Exception):  # a damaged EXIF block spoils no picture
        ImageOps.exif_transpose(image, in_place=True)  # most need no second copy
    return image


def _shrunk(image: Image.Image, factor: float) -> Image.Image:
    if factor >= 1:
        return image
    width, height = (max(1, round(edge * factor)) for edge in image.size)
    if image.mode in ("P", "1"):  # neither has values between its own
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    return image.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=3.0)


def _as_rgb(image: Image.Image, name: str) -> Image.Image:
    try:
        if image.mode.startswith(("I", "F")):
            return _stretched(image).convert("RGB")
        if image.has_transparency_data:
            return _on_white(image)
        return image.convert("RGB")
    except (ValueError, OSError):
        raise UnreadableFileError(
            f"{name} has colours of the kind {image.mode!r}, which have no RGB: "
            f"convert it or leave it out."
        ) from None


def _stretched(image: Image.Image) -> Image.Image:
    values = np.nan_to_num(np.asarray(image, dtype=np.float64), posinf=0, neginf=0)
    low, high = values.min(), values.max()
    scaled = (values - low) * (255 / (high - low) if high > low else 0)
    return Image.fromarray(scaled.round().astype(np.uint8))


def _on_white(image: Image.Image) -> Image.Image:
    seen = image.convert("RGBA")
    ground = Image.new("RGBA", seen.size, "white")
    return Image.alpha_composite(ground, seen).convert("RGB")


def centre_crop(image: Image.Image, short_edge: int, edge: int) -> Image.Image:
    """Return the middle square of `edge` pixels after scaling the shorter edge.

    Parameters
    ----------
    image : Image
    short_edge : int
        The length that the shorter edge gets first; at least `edge`.
    edge : int

    Examples
    --------
    >>> centre_crop(Image.new("RGB", (90, 30)), 256, 224).size
    (224, 224)
    """
    factor = short_edge / min(image.size)
    width, height = (max(edge, round(side * factor)) for side in image.size)
    half_w, half_h = (width - edge) / 2 / factor, (height - edge) / 2 / factor
    box = (half_w, half_h, image.width - half_w, image.height - half_h)
    return image.resize((edge, edge), Image.Resampling.BICUBIC, box)

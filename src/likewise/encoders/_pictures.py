"""Pictures from files of unknown origin: opened safely, upright, RGB.

Some forms need packages of the extra ``formats``: pictures of telephones (HEIC), pages
of a PDF, and the previews that cameras put into their raw files.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np

from likewise.encoders._base import MAX_PICTURE_BYTES
from likewise.errors import MissingExtraError, UnreadableFileError

try:
    from PIL import Image, ImageOps, UnidentifiedImageError
except ImportError:  # said when there is a picture to open
    Image = None  # type: ignore[assignment]

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
MORE_FORMATS = ("AVIF", "HEIF")  # where what reads them is installed
# Pictures that need another package than Pillow.
Form: TypeAlias = Literal["HEIC", "AVIF", "PDF", "RAW"]
# The package that opens each form.
NEEDED: dict[Form, str] = {"HEIC": "pillow_heif", "PDF": "pypdfium2", "RAW": "rawpy"}
RAW = {".3fr", ".arw", ".cr2", ".cr3", ".dng", ".erf", ".kdc", ".mrw", ".nef", ".nrw"}
RAW |= {".orf", ".pef", ".raf", ".raw", ".rw2", ".sr2", ".srw", ".x3f"}
HEIC = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
AVIF = {b"avif", b"avis"}
N_BEGINNING = 16  # bytes that tell a form
MAX_PAGES = 100  # of one PDF
LONGEST_EDGE = 4096  # pixels of a page
AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
SHORT_EDGE = 512  # as much as any of the models looks at

Source: TypeAlias = Path | bytes | BinaryIO


def form_of(name: str, beginning: bytes) -> Form | None:
    """Return the form of a file that not every machine can read; None for others.

    Parameters
    ----------
    name : str
        Raw files of cameras are known by their suffix: they begin as a TIFF does.
    beginning : bytes
        The first 16.

    Examples
    --------
    >>> form_of("scan", b"%PDF-1.7"), form_of("a.NEF", b""), form_of("a.png", b"")
    ('PDF', 'RAW', None)
    """
    if beginning.startswith(b"%PDF-"):
        return "PDF"
    if beginning[4:8] == b"ftyp" and beginning[8:12] in AVIF:
        return "AVIF"
    if beginning[4:8] == b"ftyp" and beginning[8:12] in HEIC:
        return "HEIC"
    return "RAW" if PurePosixPath(name).suffix.lower() in RAW else None


def can_open(form: Form) -> bool:
    """Tell whether what opens a form is installed."""
    if form == "AVIF":
        return "AVIF" in _formats()
    return Image is not None and find_spec(NEEDED[form]) is not None


@cache
def _formats() -> tuple[str, ...]:
    """Return what pictures may be, as Pillow calls it."""
    if find_spec("PIL") is None:
        return FORMATS
    if find_spec(NEEDED["HEIC"]) is not None:
        from pillow_heif import register_heif_opener

        register_heif_opener(thumbnails=False)
    Image.init()
    return (*FORMATS, *(form for form in MORE_FORMATS if form in Image.OPEN))


def count_pages(content: bytes, name: str = "The file") -> int:
    """Return how many pages a PDF has.

    Raises
    ------
    UnreadableFileError
        It is damaged, or locked.
    """
    with _said_plainly(name):
        document = _document(content, name)
        try:
            return len(document)
        finally:
            document.close()


def open_picture(
    source: Source,
    short_edge: int = SHORT_EDGE,
    name: str = "The file",
    page: int = 1,
) -> Image.Image:
    """Return a picture, RGB and upright, its shorter edge at most `short_edge`.

    What a file is shows in its content, not in its name. Of animations the first
    frame is taken; transparent parts become white; pictures of more than 8 bits a pixel
    are stretched to their own darkest and brightest value. Nothing is ever enlarged.

    Parameters
    ----------
    source : Path, bytes or binary file
        JPEG, PNG, WEBP, GIF, BMP, TIFF or AVIF; HEIC, PDF or the raw file of a camera
        where ``likewise[formats]`` is installed.
    short_edge : int
    name : str
        What errors call it; a path goes by its file name.
    page : int
        Of a PDF, from 1 on.

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
        image = _loaded(file, short_edge, name, page)
        return _as_rgb(_shrunk(_upright(image), short_edge / min(image.size)), name)


def thumbnail(
    source: Source, edge: int, name: str = "The file", page: int = 1
) -> bytes:
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
        return packed(_loaded(file, edge, name, page), edge, name)


def packed(image: Image.Image, edge: int, name: str = "The picture") -> bytes:
    """Return an open picture as a small JPEG, as `thumbnail` does.

    Examples
    --------
    >>> Image.open(io.BytesIO(packed(Image.new("L", (30, 90)), 60))).size
    (20, 60)
    """
    small = _as_rgb(_shrunk(_upright(image), edge / max(image.size)), name)
    file = io.BytesIO()
    clean = Image.frombytes("RGB", small.size, small.tobytes())
    clean.save(file, "JPEG", quality=85)
    return file.getvalue()


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
            f"{name} is no {', '.join(_formats()[:-1])} or {_formats()[-1]} picture, "
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


def _loaded(file: BinaryIO, edge: int, name: str, page: int) -> Image.Image:
    """Return the decoded first frame, about as large as is wanted where that saves."""
    form = form_of(name, file.read(N_BEGINNING))
    file.seek(0)
    if form in NEEDED and not can_open(form):
        raise UnreadableFileError(
            f"{name} is a {form} file: run `pip install 'likewise[formats]'` to read "
            f"it, convert it, or leave it out."
        )
    if form == "PDF":
        return _page(file.read(), name, page, edge)
    return _decoded(_preview(file.read()) if form == "RAW" else file, edge)


def _decoded(file: BinaryIO, edge: int) -> Image.Image:
    image = Image.open(file, formats=_formats())
    _refuse_large(*image.size)
    image.draft(None, (edge, edge))
    image.load()
    return image


def _refuse_large(width: int, height: int) -> None:
    most = Image.MAX_IMAGE_PIXELS
    if most is not None and width * height > most:
        raise Image.DecompressionBombError


def _document(content: bytes, name: str) -> Any:
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        return PdfDocument(content)
    except PdfiumError as error:
        if "assword" in str(error):
            raise UnreadableFileError(
                f"{name} is locked by a password: unlock it or leave it out."
            ) from None
        raise


def _page(content: bytes, name: str, page: int, edge: int) -> Image.Image:
    """Return a page of a PDF, its shorter edge about as long as is wanted."""
    document = _document(content, name)
    try:
        found = document[page - 1]
        width, height = found.get_size()
        scale = min(2 * edge / min(width, height), LONGEST_EDGE / max(width, height))
        _refuse_large(round(width * scale), round(height * scale))
        return found.render(scale=scale).to_pil().convert("RGB")
    finally:
        document.close()


def _preview(content: bytes) -> BinaryIO:
    """Return the picture that a camera has put into its raw file, or one made of it."""
    import rawpy

    with rawpy.imread(io.BytesIO(content)) as raw:
        try:
            found = raw.extract_thumb()
        except (rawpy.LibRawNoThumbnailError, rawpy.LibRawUnsupportedThumbnailError):
            found = None
        if found is not None and found.format == rawpy.ThumbFormat.JPEG:
            return io.BytesIO(found.data)
        _refuse_large(raw.sizes.raw_width, raw.sizes.raw_height)
        pixels = raw.postprocess(half_size=True) if found is None else found.data
    packed = io.BytesIO()
    Image.fromarray(pixels).save(packed, "PNG", compress_level=0)
    packed.seek(0)
    return packed


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

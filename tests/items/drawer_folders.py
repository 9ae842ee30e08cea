"""A drawer of ugly folders, as people have them: each writes itself, and says what
should be found in it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageEnhance
from tests.generated import (
    bomb,
    packed,
    raw_of_a_camera,
    several_pages,
    telephone,
)


@dataclass(frozen=True, slots=True)
class Expected:
    """What should be found.

    Attributes
    ----------
    keys : set of str
        Of the items.
    copies : mapping of str to tuple of str
    broken : set of str
        Keys of files that are listed with a reason.
    left_out : tuple of str
        What is said about the others.
    """

    keys: frozenset[str]
    copies: Mapping[str, tuple[str, ...]]
    broken: frozenset[str]
    left_out: tuple[str, ...]


def expected(
    keys: Iterable[str],
    copies: Mapping[str, tuple[str, ...]] | None = None,
    broken: Iterable[str] = (),
    left_out: tuple[str, ...] = (),
) -> Expected:
    return Expected(frozenset(keys), copies or {}, frozenset(broken), left_out)


def put(root: Path, files: Mapping[str, bytes]) -> None:
    for key, content in files.items():
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).write_bytes(content)


def photo(seed: int, size: tuple[int, int] = (96, 64)) -> Image.Image:
    """A picture with large shapes, as photographs have them."""
    small = np.random.default_rng(seed).integers(0, 256, (4, 6, 3)).astype(np.uint8)
    return Image.fromarray(small).resize(size, Image.Resampling.BICUBIC)


def photos(n: int, first: int = 0) -> dict[str, bytes]:
    return {f"{at}.jpg": packed(photo(at), "JPEG") for at in range(first, first + n)}


def from_a_telephone(root: Path) -> Expected:
    """HEIC and AVIF beside JPEG, with a film of the same moment."""
    put(root, photos(4))
    put(root, {f"IMG_{at}.HEIC": telephone(photo(10 + at)) for at in range(3)})
    put(root, {"web.avif": packed(photo(20), "AVIF"), "IMG_1.mov": b"\0\0\0\x14ftypqt"})
    keys = [*photos(4), *(f"IMG_{at}.HEIC" for at in range(3)), "web.avif"]
    return expected(keys, left_out=("1 other file is left out: 1 .mov.",))


def of_scans(root: Path) -> Expected:
    """PDFs of several pages, one of them twice, one cut off."""
    pages = several_pages([photo(at, (60, 80)) for at in range(3)])
    put(root, {"scan.pdf": pages, "copy of scan.pdf": pages, "cut.pdf": pages[:200]})
    put(root, {"no suffix": several_pages([photo(9, (60, 80))]), **photos(2, 30)})
    keys = [*(f"copy of scan.pdf#{at}" for at in (1, 2, 3)), "no suffix#1"]
    copies = {f"copy of scan.pdf#{at}": (f"scan.pdf#{at}",) for at in (1, 2, 3)}
    return expected([*keys, *photos(2, 30)], copies, ["cut.pdf"])


def from_a_camera(root: Path) -> Expected:
    """Raw files beside the pictures that were made of them."""
    raws = {f"DSC_{at}.DNG": raw_of_a_camera(seed=at) for at in range(3)}
    put(root, {**raws, **photos(3), "broken.nef": b"II*\0" + bytes(60)})
    return expected([*raws, *photos(3)], broken=["broken.nef"])


def with_wrong_names(root: Path) -> Expected:
    """Suffixes that say something else than the content."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("inside.txt", "more")
    put(root, {"a.jpg": packed(photo(1), "PNG"), "b.png": packed(photo(2), "WEBP")})
    put(root, {"c": packed(photo(3), "JPEG"), "d.txt": packed(photo(4), "GIF")})
    put(root, {"e.heic": packed(photo(5), "JPEG"), "f.pdf": packed(photo(6), "PNG")})
    put(root, {"g.jpg": b"no picture at all", "h.png": archive.getvalue()})
    return expected(
        ["a.jpg", "b.png", "c", "d.txt", "e.heic", "f.pdf"], None, ["g.jpg", "h.png"]
    )


def of_cut_off_files(root: Path) -> Expected:
    """Half of a download: cut off, empty, too large to unpack."""
    whole = packed(photo(1, (400, 300)), "JPEG", quality=95)
    put(root, {**photos(6), "half.jpg": whole[: len(whole) // 2], "empty.png": b""})
    put(root, {"bomb.png": bomb(), "half.heic": telephone(photo(3))[:300]})
    broken = ["half.jpg", "empty.png", "bomb.png", "half.heic"]
    return expected(photos(6), broken=broken)


def with_copies(root: Path) -> Expected:
    """Copies of files, and copies that were saved again."""
    put(root, photos(6))
    one = packed(photo(0), "JPEG")
    put(root, {"0 (1).jpg": one, "backup/0.jpg": one})
    brighter = ImageEnhance.Brightness(photo(1)).enhance(1.1)
    put(root, {"again.jpg": packed(photo(1), "JPEG", quality=40)})
    put(root, {"brighter.png": packed(brighter)})
    copies = {"0 (1).jpg": ("0.jpg", "backup/0.jpg")}
    keys = [*(key for key in photos(6) if key != "0.jpg"), "0 (1).jpg"]
    return expected([*keys, "again.jpg", "brighter.png"], copies)


def of_odd_colours(root: Path) -> Expected:
    """CMYK, 16 bits, animations, palettes, transparency, a picture on its side."""
    deep = Image.fromarray(np.arange(96 * 64, dtype=np.uint16).reshape(64, 96) * 9)
    frames = [photo(at) for at in range(3)]
    side = Image.Exif()
    side[0x0112] = 6
    put(root, {"cmyk.jpg": packed(photo(1).convert("CMYK"), "JPEG")})
    put(root, {"16 bit.png": packed(deep), "16 bit.tif": packed(deep, "TIFF")})
    put(
        root,
        {
            "moving.gif": packed(
                frames[0], "GIF", save_all=True, append_images=frames[1:]
            )
        },
    )
    put(root, {"palette.png": packed(photo(2).convert("P"), transparency=3)})
    put(root, {"clear.webp": packed(photo(3).convert("RGBA"), "WEBP")})
    put(
        root,
        {
            "side.jpg": packed(photo(4), "JPEG", exif=side),
            "ink.bmp": packed(photo(5).convert("1"), "BMP"),
        },
    )
    names = ["cmyk.jpg", "16 bit.png", "16 bit.tif", "moving.gif", "palette.png"]
    return expected([*names, "clear.webp", "side.jpg", "ink.bmp"])


def of_deep_and_odd_names(root: Path) -> Expected:
    """Deep subfolders, hidden files, names with odd characters."""
    deep = "/".join(["folder"] * 20) + "/deep.jpg"
    odd = [
        "a b.jpg",
        "#1.jpg",
        "50%.jpg",
        "Ünïcode 日本 😀.jpg",
        "x'y\"z.jpg",
        "-rf.jpg",
    ]
    odd += ["two\nlines.jpg", "a.pdf#2.jpg", "UPPER.JPG", deep]
    put(root, {key: packed(photo(at), "JPEG") for at, key in enumerate(odd)})
    put(root, {".hidden.jpg": packed(photo(40)), ".git/x.png": packed(photo(41))})
    return expected(odd)


def of_texts(root: Path) -> Expected:
    """Texts of all ages: Latin-1, UTF-16, a mark at the beginning, empty, twice."""
    put(root, {"latin.txt": "Äpfel für Zoë – 5 €".encode("cp1252")})
    put(root, {"wide.txt": "Birnen für Zoë".encode("utf-16")})
    put(
        root,
        {"mark.txt": "\ufeffPflaumen".encode(), "empty.txt": b"", "blank.txt": b" \n"},
    )
    put(root, {"notes.md": b"# Cars\nand buses", "twice.txt": b"Pflaumen\n\n"})
    put(root, {"binary.txt": bytes(range(256)), "letter.docx": b"PK\3\4"})
    put(root, {f"{at}.txt": f"cars and buses, number {at}".encode() for at in range(4)})
    keys = [
        "latin.txt",
        "wide.txt",
        "mark.txt",
        "notes.md",
        *(f"{at}.txt" for at in range(4)),
    ]
    return expected(
        keys,
        {"mark.txt": ("twice.txt",)},
        ["empty.txt", "blank.txt", "binary.txt"],
        ("1 other file is left out: 1 .docx.",),
    )


def of_everything(root: Path) -> Expected:
    """Pictures and texts, with whatever else lies in a folder."""
    put(root, {**photos(5), "readme.txt": b"about these", "notes.md": b"more"})
    put(
        root,
        {
            "more.zip": b"PK\3\4",
            "a.mov": b"\0\0",
            "b.mov": b"\0\0",
            "Thumbs.db": b"\xd0",
        },
    )
    said = "6 other files are left out: 2 .mov, 1 .zip, 1 .md, 1 .txt, 1 .db."
    return expected(photos(5), left_out=(said,))


def with_links(root: Path) -> Expected:
    """Links in a circle, to nothing, out of the folder, and to a file within."""
    put(root, photos(5))
    outside = root.parent / "outside.jpg"
    outside.write_bytes(packed(photo(50), "JPEG"))
    (root / "circle").symlink_to(root)
    (root / "loop a.jpg").symlink_to(root / "loop b.jpg")
    (root / "loop b.jpg").symlink_to(root / "loop a.jpg")
    (root / "dangling.jpg").symlink_to(root / "nothing.jpg")
    (root / "out.jpg").symlink_to(outside)
    (root / "within.jpg").symlink_to(root / "0.jpg")
    broken = ["circle", "loop a.jpg", "loop b.jpg", "dangling.jpg", "out.jpg"]
    return expected(photos(5), {"0.jpg": ("within.jpg",)}, broken)


DRAWER: dict[str, Callable[[Path], Expected]] = {
    make.__name__.replace("_", " "): make
    for make in (
        from_a_telephone,
        of_scans,
        from_a_camera,
        with_wrong_names,
        of_cut_off_files,
        with_copies,
        of_odd_colours,
        of_deep_and_odd_names,
        of_texts,
        of_everything,
        with_links,
    )
}

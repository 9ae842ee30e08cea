"""Pictures made up for tests."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image


def noise(size: tuple[int, int] = (40, 30), seed: int = 0) -> Image.Image:
    """A picture of random colours."""
    values = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3))
    return Image.fromarray(values.astype(np.uint8))


def packed(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def left_half_red(size: tuple[int, int] = (64, 32)) -> Image.Image:
    image = Image.new("RGB", size, "blue")
    image.paste("red", (0, 0, size[0] // 2, size[1]))
    return image


def bomb(width: int = 50_000, height: int = 50_000) -> bytes:
    """A PNG of a few bytes that claims to be enormous."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    chunks = [(b"IHDR", head), (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*one) for one in chunks)


def flat(width: int, height: int) -> bytes:
    """A whole PNG with transparency, of a thousand times fewer bytes than pixels."""
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    pack, line = zlib.compressobj(9), bytes(1 + 4 * width)
    pixels = b"".join([*(pack.compress(line) for _ in range(height)), pack.flush()])
    chunks = [(b"IHDR", head), (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*one) for one in chunks)


def chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)


def several_pages(images: list[Image.Image]) -> bytes:
    """A PDF with a picture on each page."""
    return packed(images[0], "PDF", save_all=True, append_images=images[1:])


def telephone(image: Image.Image) -> bytes:
    """A picture as many telephones write it (HEIC)."""
    import pillow_heif

    pillow_heif.register_heif_opener()
    return packed(image, "HEIF")


def raw_of_a_camera(width: int = 64, height: int = 48, seed: int = 0) -> bytes:
    """A small raw file (DNG) without a preview."""
    values = np.random.default_rng(seed).integers(0, 65536, (height, width))
    pixels = values.astype("<u2").tobytes()
    matrix = b"".join(struct.pack("<ii", one, 1) for one in (1, 0, 0, 0, 1, 0, 0, 0, 1))
    neutral = struct.pack("<II", 1, 1) * 3
    tags: list[tuple[int, int, int, bytes]] = [  # number, type, how many, content
        (254, 4, 1, struct.pack("<I", 0)),
        (256, 4, 1, struct.pack("<I", width)),
        (257, 4, 1, struct.pack("<I", height)),
        (258, 3, 1, struct.pack("<H", 16)),
        (259, 3, 1, struct.pack("<H", 1)),
        (262, 3, 1, struct.pack("<H", 32803)),
        (271, 2, 5, b"Test\0"),
        (272, 2, 5, b"Test\0"),
        (273, 4, 1, struct.pack("<I", 8)),
        (277, 3, 1, struct.pack("<H", 1)),
        (278, 4, 1, struct.pack("<I", height)),
        (279, 4, 1, struct.pack("<I", len(pixels))),
        (33421, 3, 2, struct.pack("<HH", 2, 2)),
        (33422, 1, 4, bytes([0, 1, 1, 2])),
        (50706, 1, 4, bytes([1, 4, 0, 0])),
        (50708, 2, 5, b"Test\0"),
        (50717, 4, 1, struct.pack("<I", 65535)),
        (50721, 10, 9, matrix),
        (50728, 5, 3, neutral),
        (50778, 3, 1, struct.pack("<H", 21)),
    ]
    start = 8 + len(pixels)
    beyond = start + 2 + 12 * len(tags) + 4
    entries, more = b"", b""
    for number, kind, many, content in tags:
        if len(content) > 4:
            place = struct.pack("<I", beyond + len(more))
            more += content + bytes(len(content) % 2)
        else:
            place = content.ljust(4, b"\0")
        entries += struct.pack("<HHI", number, kind, many) + place
    head = b"II*\0" + struct.pack("<I", start) + pixels
    return head + struct.pack("<H", len(tags)) + entries + bytes(4) + more

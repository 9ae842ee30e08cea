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

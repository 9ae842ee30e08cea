"""The pile of the demo: handwritten digits that come with scikit-learn, as pictures."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from likewise.app._preparing import Pile, Watch
from likewise.datasets import load
from likewise.items import Gathered, Item
from likewise.storage import Project

EDGE = 128  # pixels of a picture; a digit has eight
ABOUT = "The 64 pixels of each digit, as they are."


@dataclass(frozen=True)
class DigitsHeap:
    """1,797 handwritten digits, written as pictures into a folder of ours.

    Parameters
    ----------
    folder : Path
    """

    folder: Path

    def __call__(self, watch: Watch, _: Project) -> Pile:
        """Draw the digits that are not there yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        digits, items = load("digits").X, []
        for at, pixels in enumerate(digits):
            if at % 200 == 0:
                watch(at, len(digits), "Drawing the digits")
            items.append(self._item(at, drawn(pixels)))
        return Pile(
            Gathered(self.folder, "image", tuple(items)), digits, ABOUT, "pixels"
        )

    def _item(self, at: int, png: bytes) -> Item:
        path = self.folder / f"{at + 1:04}.png"
        if not path.exists():
            path.write_bytes(png)
        shown = {"name": f"digit {at + 1}", "size": f"{len(png)} bytes"}
        return Item(path.name, "image", hashlib.sha256(png).hexdigest(), shown)


def drawn(pixels: Any) -> bytes:
    """Return a digit of 8 by 8 pixels (0 to 16) as a PNG, dark on light."""
    digit = np.pad(np.asarray(pixels, dtype=np.float64).reshape(8, 8), 1)
    ink = 255 - np.clip(digit * 15.9, 0, 255)
    smooth = Image.Resampling.BICUBIC
    picture = Image.fromarray(ink.astype(np.uint8)).resize((EDGE, EDGE), smooth)
    packed = BytesIO()
    picture.save(packed, "PNG")
    return packed.getvalue()

"""Piles whose groups are seen by eye, and told by the names of their files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SHAPES = ("disc", "square", "triangle")
COLOURS = {"disc": (200, 40, 40), "square": (40, 150, 60), "triangle": (50, 70, 200)}
EDGE = 96  # pixels
TEXTS = {
    "weather": "rain wind cloud storm sun snow forecast cold front thunder",
    "kitchen": "bread butter oven flour sugar recipe soup pan knife salt",
}


def pictures(folder: Path, n_each: int, seed: int = 0) -> Path:
    """Write coloured shapes, each a little different, as ``disc-01.png`` and so on."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    for shape in SHAPES:
        for number in range(1, n_each + 1):
            _drawn(shape, rng).save(folder / f"{shape}-{number:02}.png")
    return folder


def _drawn(shape: str, rng: np.random.Generator) -> Image.Image:
    left, top = rng.integers(8, 24, 2).tolist()
    size = int(rng.integers(48, 60))
    colour = tuple((COLOURS[shape] + rng.integers(-25, 26, 3)).clip(0, 255).tolist())
    picture = Image.new("RGB", (EDGE, EDGE), (244, 242, 236))
    pen = ImageDraw.Draw(picture)
    box = (left, top, left + size, top + size)
    if shape == "disc":
        pen.ellipse(box, fill=colour)
    elif shape == "square":
        pen.rectangle(box, fill=colour)
    else:
        peak = (left + size // 2, top)
        pen.polygon([peak, (left, top + size), (left + size, top + size)], fill=colour)
    return picture


def texts(folder: Path, n_each: int, seed: int = 0) -> Path:
    """Write texts about two things, as ``weather-01.txt`` and so on."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    for about, words in TEXTS.items():
        for number in range(1, n_each + 1):
            said = " ".join(rng.choice(words.split(), 12))
            (folder / f"{about}-{number:02}.txt").write_text(said)
    return folder


def table(path: Path, n_each: int, seed: int = 0) -> Path:
    """Write rows of light and of heavy things."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["weight", "height", "age"])
        for middle in (10.0, 90.0):
            for _ in range(n_each):
                weight, height = rng.normal(middle, 2.0, 2).round(2)
                out.writerow([weight, height, int(rng.integers(1, 9))])
    return path
